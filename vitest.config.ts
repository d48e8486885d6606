import { existsSync, readFileSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'

// .ci/run counts the tests from a report of its own.
const report = process.env['WLANCTL_TEST_REPORT']

// A checkout needs nothing but Node. CI has a browser, and must not do without.
const hasBrowser = report !== undefined || existsSync('/usr/bin/chromium')

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Gives YAML files as text, as the build does. */
const yamlAsText = {
  name: 'yaml-as-text',
  transform: (text: string, id: string) =>
    id.endsWith('.yaml') ? { code: `export default ${JSON.stringify(text)}`, map: null } : undefined
}

export default defineConfig({
  define: { WLANCTL_VERSION: JSON.stringify(version) },
  plugins: [yamlAsText],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(hasBrowser ? [] : ['test/**/*.browser.test.ts'])],
    // The built program is started many times over; two cores are slow at that.
    testTimeout: 30_000,
    maxWorkers: '100%',
    hookTimeout: 60_000,
    env: { NO_COLOR: '1', TZ: 'UTC' },
    reporters: report ? ['default', 'json'] : ['default'],
    ...(report ? { outputFile: { json: report } } : {}),
    coverage: { provider: 'v8', include: ['src/**'] }
  }
})

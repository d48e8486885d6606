import { existsSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'

// .ci/run counts the tests from a report of its own.
const report = process.env['WLANCTL_TEST_REPORT']

// A checkout needs nothing but Node. CI has a browser, and must not do without.
const hasBrowser = report !== undefined || existsSync('/usr/bin/chromium')

const campaigns = 'test/campaigns/hostile/**/*.test.ts'

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            campaigns,
            ...(hasBrowser ? [] : ['test/**/*.browser.test.ts'])
          ]
        }
      },
      // Bounds of time and memory: `npm run campaigns`, and no part of `npm test`.
      { extends: true, test: { name: 'campaigns', include: [campaigns], testTimeout: 300_000 } }
    ],
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

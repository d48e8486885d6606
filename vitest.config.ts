import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig, type TestUserConfig } from 'vitest/config'
import { COMPILED, compiledSource } from './test/support/compiled.ts'
import { memoryFolder } from './test/support/memory-folder.ts'
import { LongestFirst } from './test/support/sequencer.ts'

const { WLANCTL_TEST_REPORT, FC_RUNS, FC_SECONDS, TMPDIR = memoryFolder() } = process.env
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

/** The browser tests are skipped on machines without a browser, but required in CI. */
const hasBrowser = WLANCTL_TEST_REPORT !== undefined || existsSync('/usr/bin/chromium')

/** Properties run longer than usual; see test/README.md. */
const isFuzzing = FC_RUNS !== undefined || FC_SECONDS !== undefined

/** Tests that are slow, or need more than Node, and random or hostile input in bulk: only `npm run check` and CI run them. */
const slow = [
  'test/**/*.browser.test.ts',
  'test/**/*.slow.test.ts',
  'test/**/{every-string,hostile*,properties}.test.ts',
  'test/campaigns/**/*.test.ts',
  'test/package/first-fleet.test.ts',
  'test/pictures/**/*.test.ts',
  'test/soak/**/*.test.ts',
  'test/workflows/**/*.test.ts'
]
const browser = hasBrowser ? [] : ['test/**/*.browser.test.ts']

/** The processes of a project: the cores and some more, unless the command line sets their number. */
const workers = (more: number) =>
  process.argv.some(word => word.startsWith('--maxWorkers'))
    ? {}
    : { maxWorkers: availableParallelism() + more }

/** Imports YAML files as text, like the build. */
const yamlAsText = {
  name: 'yaml-as-text',
  transform: (text: string, id: string) =>
    id.endsWith('.yaml') ? { code: `export default ${JSON.stringify(text)}`, map: null } : undefined
}

/** The options of both projects; for each one that `extends` this file, Vitest would run it again. */
const both = {
  define: { WLANCTL_VERSION: JSON.stringify(version) },
  // Vitest measures the coverage of files that it compiles itself.
  plugins: [process.argv.includes('--coverage') ? yamlAsText : await compiledSource(version)]
}
const tests: TestUserConfig = {
  // Loading every module again for each file costs a third of the CPU time. Files share a process
  // sequentially: a test file registers its own hooks and undoes its changes to the process.
  pool: 'forks',
  isolate: false,
  server: { deps: { external: [COMPILED] } },
  // A busy machine may need seconds to load modules that a test waits for.
  expect: { poll: { timeout: 20_000 } },
  testTimeout: isFuzzing ? 3_600_000 : 60_000,
  hookTimeout: 180_000,
  env: { NO_COLOR: '1', TZ: 'UTC', ...(TMPDIR === undefined ? {} : { TMPDIR }) },
  setupFiles: ['test/support/properties.ts']
}

export default defineConfig({
  test: {
    projects: [
      {
        ...both,
        test: {
          ...tests,
          name: 'fast',
          // One more than the cores, as some tests wait. Each process compiles and optimizes the program again:
          // five on two cores take a third more CPU time than three.
          ...workers(1),
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...slow]
        }
      },
      {
        ...both,
        test: {
          ...tests,
          name: 'slow',
          include: slow,
          exclude: [...configDefaults.exclude, ...browser],
          // Three more than the cores, as most tests wait for a timeout, a process or a browser.
          ...workers(3),
          sequence: { groupOrder: 1 }
        }
      }
    ],
    sequence: { sequencer: LongestFirst },
    // .ci/run counts the tests of all projects in its own report.
    reporters: WLANCTL_TEST_REPORT ? ['default', 'json'] : ['default'],
    ...(WLANCTL_TEST_REPORT ? { outputFile: { json: WLANCTL_TEST_REPORT } } : {}),
    coverage: { provider: 'v8', include: ['src/**'] }
  }
})

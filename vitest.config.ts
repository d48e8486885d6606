import { defineConfig } from 'vitest/config'

// .ci/run counts the tests from a report of its own.
const report = process.env['WLANCTL_TEST_REPORT']

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
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

import { describe, expect, it } from 'vitest'
import { formats } from '../../src/report/formats.ts'
import { formatNames } from '../../src/report/report.ts'
import { shapeNames, shapes } from './shapes.ts'

const off = { colour: false, width: Number.POSITIVE_INFINITY }

describe.each(formatNames)('the size of %s', format => {
  it.each(shapeNames)('grows with the number of %s, and no faster', name => {
    const [few, many] = [100, 400].map(n => formats[format](shapes[name](n), off).length)
    expect(many).toBeLessThan(5 * (few ?? 0))
  })
})

// Every quadratic step makes one of these take minutes; all of them together take a few seconds.
it.each(formatNames)(
  '%s of 20,000 of anything is made in a bounded CPU time',
  format => {
    for (const name of shapeNames) {
      const report = shapes[name](20_000)
      const before = process.cpuUsage()
      expect(formats[format](report, off)).not.toBe('')
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1e6, name).toBeLessThan(12)
    }
  },
  120_000
)

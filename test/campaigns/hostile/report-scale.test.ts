import { beforeAll, describe, expect, it } from 'vitest'
import { formats } from '../../../src/report/formats.ts'
import { formatNames, type Report } from '../../../src/report/report.ts'
import { shapeNames, shapes } from '../../report/shapes.ts'

const off = { colour: false, width: Number.POSITIVE_INFINITY }

// Each takes at most 2 s; with quadratic complexity one of them would take minutes.
describe.each(shapeNames)('a report of 20,000 %s', name => {
  let report: Report
  beforeAll(() => {
    report = shapes[name](20_000)
  })

  it.each(formatNames)('is rendered as %s in a bounded CPU time', format => {
    const before = process.cpuUsage()
    expect(formats[format](report, off)).not.toBe('')
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1e6).toBeLessThan(12)
  })
})

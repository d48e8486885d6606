import { describe, expect, it } from 'vitest'
import { formats } from '../../src/report/formats.ts'
import { outcomesReport } from './overview/estates.ts'

const texts = ['NaN', 'Invalid Date', '', '8640000000000001', '9999-99-99', '9999-99-99T99:99:99Z']
const INVALID = 'an invalid time'
const plain = { colour: false, width: Number.POSITIVE_INFINITY }

describe.each(texts)('the time %j', at => {
  it('does not break the steps of an update on a page', () => {
    const report = outcomesReport(3)
    const steps = report.outcomes.map(
      ({ address }): [string, [{ at: string; step: 'sending' }]] => [
        address,
        [{ at, step: 'sending' }]
      ]
    )
    const page = formats.html({ ...report, timeline: new Map(steps) }, {})
    expect(page).toContain(`${INVALID} sent`)
    expect(page).not.toMatch(/>[^<]*(?:NaN|Invalid Date)/)
  })

  it('does not break a record', () => {
    const run = {
      id: 'a1',
      command: 'apply',
      tool: 'wlanctl/0.1.0',
      baseUrl: 'https://api.example.com',
      digest: 'sha256:0',
      started: at,
      ended: at,
      changes: []
    } as const
    const output = formats.text({ kind: 'record', runs: [run] }, plain)
    expect(output.replace(/\s+/g, ' ')).toContain(`${INVALID} to ${INVALID}, by wlanctl/0.1.0`)
  })
})

import { describe, expect, it } from 'vitest'
import { formatTime, formatTimeOfDay } from '../../src/core/values/time.ts'
import { formats } from '../../src/report/formats.ts'
import { outcomesReport } from './html/fleets.ts'

const texts = ['NaN', 'Invalid Date', '', '8640000000000001', '9999-99-99', '9999-99-99T99:99:99Z']
const INVALID = 'an invalid time'
const plain = { colour: false, width: Number.POSITIVE_INFINITY }

describe.each(texts)('the time %j', at => {
  it('is printed as invalid', () => {
    expect([formatTime(at), formatTimeOfDay(at)]).toEqual([INVALID, INVALID])
  })

  it('does not break the steps of an update on a page', () => {
    const report = outcomesReport({ sites: 3, wlans: 2, drift: 100 })
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

import { describe, expect, it } from 'vitest'
import { formatTime } from '../../src/core/values/time.ts'
import { formats } from '../../src/report/formats.ts'
import { eventTable } from '../../src/report/html/card.ts'
import {
  formatClock,
  formatClockTime,
  formatMilliseconds
} from '../../src/report/html/components.ts'
import { trendChart } from '../../src/report/html/history.ts'

const texts = ['NaN', 'Invalid Date', '', '8640000000000001', '9999-99-99', '9999-99-99T99:99:99Z']
const numbers = [Number.NaN, 8640000000000001, Number.POSITIVE_INFINITY]
const INVALID = 'an invalid time'

describe.each(texts)('the time %j', at => {
  it('is printed as invalid', () => {
    expect([formatTime(at), formatClockTime(at)]).toEqual([INVALID, INVALID])
    expect(JSON.stringify(eventTable([{ at, step: 'sending' }]))).toContain(INVALID)
  })

  it('leaves no NaN in a drawing', () => {
    const values = [
      { at: '2026-11-20T10:00:00Z', n: 1 },
      { at, n: 2 },
      { at: '2026-11-21T10:00:00Z', n: 3 }
    ]
    const drawn = trendChart({ name: 'Drifted', means: 'WLANs', values } as never)
    expect(JSON.stringify(drawn)).not.toMatch(/NaN|Invalid Date/)
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
    const output = formats.text(
      { kind: 'record', runs: [run] },
      { colour: false, width: Number.POSITIVE_INFINITY }
    )
    expect(output).toContain(`${INVALID} to ${INVALID} UTC, wlanctl/0.1.0`)
  })
})

it.each(numbers)('%s milliseconds are printed as invalid', milliseconds => {
  expect(formatClock(milliseconds)).toBe(INVALID)
})

it.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'a duration of %s is printed as invalid',
  milliseconds => {
    expect(formatMilliseconds(milliseconds)).toBe(INVALID)
  }
)

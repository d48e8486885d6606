import { describe, expect, test } from 'vitest'
import {
  formatDuration,
  formatSpan,
  formatTime,
  formatTimeOfDay,
  formatTimestamp,
  parseTime
} from '../../../src/core/values/time.ts'

const noon = '2026-11-20T12:00:03.250Z'

describe('times', () => {
  test('are written to the second, in UTC', () => {
    expect(formatTimestamp(new Date(noon))).toBe('2026-11-20T12:00:03Z')
    expect(formatTime(noon)).toBe('2026-11-20 12:00:03 UTC')
    expect(formatTime('2026-11-20T14:00:03+02:00')).toBe('2026-11-20 12:00:03 UTC')
    expect(formatTimeOfDay(new Date(noon))).toBe('12:00:03 UTC')
  })

  test('beyond the year 9999 keep their year', () => {
    expect(formatTime(new Date(8.64e15))).toBe('+275760-09-13 00:00:00 UTC')
    expect(formatTimeOfDay(new Date(8.64e15))).toBe('00:00:00 UTC')
  })

  test.each(['', 'yesterday', '8640000000000001', '9999-99-99T99:99:99Z', new Date(Number.NaN)])(
    '%j is an invalid time',
    time => {
      expect(formatTime(time)).toBe('an invalid time')
      expect(formatTimeOfDay(time)).toBe('an invalid time')
      expect(formatTimestamp(new Date(time))).toBe('an invalid time')
    }
  )

  test('are parsed to milliseconds', () => {
    expect(parseTime('1970-01-01T00:00:01Z')).toBe(1000)
    expect(parseTime('soon')).toBeUndefined()
  })
})

describe('durations', () => {
  test.each([
    [-1, '0 s'],
    [0, '0 s'],
    [44.2, '45 s'],
    [125, '2 min 5 s'],
    [120, '2 min'],
    [4800, '1 h 20 min'],
    [86_400, '24 h'],
    [Number.NaN, 'an unknown time'],
    [Number.POSITIVE_INFINITY, 'an unknown time']
  ])('%d s is %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
  })

  test('between two times have the largest unit', () => {
    expect(formatSpan('2026-11-20T10:00:00Z', '2026-11-20T13:59:00Z')).toBe('3 hours')
    expect(formatSpan('2026-11-20T10:00:00Z', '2026-11-20T09:00:00Z')).toBe('0 seconds')
    expect(formatSpan('never', '2026-11-20T09:00:00Z')).toBeUndefined()
  })
})

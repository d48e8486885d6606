import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Window, weekdays } from '../../src/model/calendar.ts'
import { type ImpactClass, impacts } from '../../src/model/impact.ts'
import { windowFor } from '../../src/time/windows.ts'
import { instantOf } from '../../src/time/zone.ts'

const nights: Window = {
  name: 'nights',
  days: ['mon', 'tue', 'wed', 'thu'],
  from: '22:00',
  until: '05:00',
  impact: ['reconnect', 'outage']
}

const BERLIN = 'Europe/Berlin'

const wait = (
  at: string,
  impact: ImpactClass = 'outage',
  freezes: Parameters<typeof windowFor>[0]['freezes'] = []
) => windowFor({ windows: [nights], freezes }, impact, BERLIN, Date.parse(at))

describe('a window', () => {
  test.each([
    ['before it begins', '2026-11-23T20:59:59Z', false],
    ['from its first minute', '2026-11-23T21:00:00Z', true],
    ['after midnight, as part of the day before', '2026-11-24T03:59:59Z', true],
    ['at its end', '2026-11-24T04:00:00Z', false],
    ['on Friday morning, as part of Thursday', '2026-11-27T03:00:00Z', true],
    ['on Friday night', '2026-11-27T22:00:00Z', false],
    ['on Monday morning, as part of Sunday', '2026-11-23T03:00:00Z', false]
  ])('%s', (_, at, open) => {
    expect(wait(at) === undefined).toBe(open)
  })

  it('says when it opens next, at the site and in UTC', () => {
    expect(wait('2026-11-27T12:00:00Z')).toEqual({
      windows: ['nights'],
      until: '2026-11-30T21:00:00Z',
      local: '2026-11-30 22:00 Europe/Berlin'
    })
  })

  it('holds up the classes that it lists, and no others', () => {
    expect(wait('2026-11-27T12:00:00Z', 'none')).toBeUndefined()
    expect(wait('2026-11-27T12:00:00Z', 'some')).toBeUndefined()
  })

  it('opens behind the gap of a skipped hour, and is in no skipped time', () => {
    const window = (from: string, until: string): Window => ({
      ...nights,
      days: ['sun'],
      from,
      until
    })
    const next = (from: string, until: string) =>
      windowFor(
        { windows: [window(from, until)], freezes: [] },
        'outage',
        BERLIN,
        Date.parse('2026-03-29T00:00:00Z')
      )
    expect(next('02:15', '05:00')?.local).toBe('2026-03-29 03:00 Europe/Berlin')
    expect(next('02:15', '02:45')?.local).toBe('2026-04-05 02:15 Europe/Berlin')
  })

  it('is open in both of two repeated hours', () => {
    const window: Window = { ...nights, days: ['sun'], from: '02:00', until: '02:30' }
    const open = (at: string) =>
      windowFor({ windows: [window], freezes: [] }, 'outage', BERLIN, Date.parse(at)) === undefined
    expect(
      [
        '2026-10-25T00:10:00Z',
        '2026-10-25T00:40:00Z',
        '2026-10-25T01:10:00Z',
        '2026-10-25T01:40:00Z'
      ].map(open)
    ).toEqual([true, false, true, false])
  })
})

describe('a freeze', () => {
  const december = {
    from: '2026-12-01T00:00',
    until: '2027-01-06T00:00',
    reason: 'Christmas trade',
    except: ['none' as const]
  }

  it('holds up every class that it does not except, windows or not', () => {
    expect(wait('2026-12-08T23:00:00Z', 'outage', [december])).toEqual({
      freeze: 'Christmas trade',
      until: '2027-01-05T23:00:00Z',
      local: '2027-01-06 00:00 Europe/Berlin'
    })
    const noon = { ...december, until: '2027-01-06T12:00' }
    expect(wait('2026-12-08T23:00:00Z', 'outage', [noon])?.local).toBe(
      '2027-01-06 22:00 Europe/Berlin'
    )
    expect(wait('2026-12-08T23:00:00Z', 'some', [noon])?.local).toBe(
      '2027-01-06 12:00 Europe/Berlin'
    )
    expect(wait('2026-12-08T23:00:00Z', 'none', [december])).toBeUndefined()
  })

  it('begins in the time zone of the site, or by its offset', () => {
    const berlin = Date.parse('2026-11-30T23:00:00Z')
    const frozen = (freeze: typeof december, at: number, zone: string) =>
      windowFor({ windows: [], freezes: [freeze] }, 'outage', zone, at) !== undefined
    expect(frozen(december, berlin - 1, BERLIN)).toBe(false)
    expect(frozen(december, berlin, BERLIN)).toBe(true)
    expect(frozen(december, berlin, 'America/New_York')).toBe(false)
    expect(
      frozen({ ...december, from: '2026-12-01T00:00+01:00' }, berlin, 'America/New_York')
    ).toBe(true)
  })

  it('without an end within a year has no next moment', () => {
    expect(
      wait('2026-12-08T23:00:00Z', 'outage', [{ ...december, until: '2029-01-01T00:00' }])
    ).toEqual({ freeze: 'Christmas trade' })
  })
})

/** What the clock on the wall shows, by another library than that of the program. */
function wall(instant: number, zone: string) {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit'
  }).formatToParts(instant)
  const of = (type: string) => parts.find(part => part.type === type)?.value ?? ''
  const names: readonly string[] = weekdays
  const day = names.indexOf(of('weekday').toLowerCase())
  return { day, time: `${of('hour')}:${of('minute')}` }
}

function isWithin({ days, from, until }: Window, instant: number, zone: string): boolean {
  const { day, time } = wall(instant, zone)
  const today = days.includes(weekdays[day] ?? 'mon')
  const yesterday = days.includes(weekdays[(day + 6) % 7] ?? 'mon')
  if (from < until) return today && time >= from && time < until
  return (today && time >= from) || (yesterday && time < until)
}

/** Zones with gaps at midnight, of half an hour, with skipped days, and with none. */
const zones = [
  BERLIN,
  'America/New_York',
  'America/Havana',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Africa/Casablanca',
  'America/Santiago',
  'Asia/Beirut',
  'Pacific/Chatham',
  'UTC'
]

const quarter = fc
  .integer({ min: 0, max: 95 })
  .map(
    n => `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`
  )
const classes = fc.uniqueArray(fc.constantFrom(...impacts), { minLength: 1 })
const window: fc.Arbitrary<Window> = fc
  .record({
    name: fc.constant('w'),
    days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
    from: quarter,
    until: fc.oneof(quarter, fc.constant('24:00')),
    impact: classes
  })
  .filter(({ from, until }) => from !== until)

const FROM = Date.parse('2026-01-01T00:00:00Z')
const TO = Date.parse('2028-01-01T00:00:00Z')
const instant = fc
  .integer({ min: FROM / 60_000, max: TO / 60_000 })
  .map(minutes => minutes * 60_000)

/** Close to a change of the clock of Berlin, New York or Lord Howe. */
const nearClockChange = fc
  .tuple(
    fc.constantFrom(
      '2026-03-29T01:00:00Z',
      '2026-10-25T01:00:00Z',
      '2026-03-08T07:00:00Z',
      '2026-11-01T06:00:00Z',
      '2026-04-04T15:00:00Z',
      '2026-10-03T15:30:00Z'
    ),
    fc.integer({ min: -240, max: 240 })
  )
  .map(([at, minutes]) => Date.parse(at) + minutes * 60_000)

const freeze = fc
  .tuple(instant, fc.integer({ min: 1, max: 90 * 24 }), classes)
  .map(([from, hours, except]) => ({
    from: new Date(from).toISOString().replace('.000', ''),
    until: new Date(from + hours * 3_600_000).toISOString().replace('.000', ''),
    reason: 'freeze',
    except
  }))

const calendar = fc.record({
  windows: fc.array(window, { maxLength: 3 }),
  freezes: fc.array(freeze, { maxLength: 2 })
})

/** The rule in the words of the design, by the other library. */
function maySend(
  { windows, freezes }: Parameters<typeof windowFor>[0],
  impact: ImpactClass,
  zone: string,
  at: number
): boolean {
  const frozen = freezes.some(
    ({ from, until, except }) =>
      at >= Date.parse(from) && at < Date.parse(until) && !except.includes(impact)
  )
  const own = windows.filter(each => each.impact.includes(impact))
  return !frozen && (own.length === 0 || own.some(each => isWithin(each, at, zone)))
}

describe('over random windows, zones and moments', () => {
  const cases = [
    calendar,
    fc.constantFrom(...impacts),
    fc.constantFrom(...zones),
    fc.oneof(instant, nearClockChange)
  ] as const

  it('a change may be sent if and only if its window is open for its site', () => {
    fc.assert(
      fc.property(...cases, (given, impact, zone, at) => {
        expect(windowFor(given, impact, zone, at) === undefined).toBe(
          maySend(given, impact, zone, at)
        )
      })
    )
  })

  it('the next moment is open, and no quarter of an hour before it is', () => {
    fc.assert(
      fc.property(...cases, (given, impact, zone, at) => {
        const next = windowFor(given, impact, zone, at)?.until
        if (next === undefined) return
        expect(maySend(given, impact, zone, Date.parse(next))).toBe(true)
        for (let before = at; before < Date.parse(next); before += 15 * 60_000) {
          expect(maySend(given, impact, zone, before)).toBe(false)
        }
      }),
      { numRuns: 30 }
    )
  })
})

describe('a date and time', () => {
  test.each([
    ['2026-12-04T18:00', BERLIN, '2026-12-04T17:00:00.000Z'],
    ['2026-07-04T18:00:30', BERLIN, '2026-07-04T16:00:30.000Z'],
    ['2026-12-04T18:00+05:30', BERLIN, '2026-12-04T12:30:00.000Z'],
    ['2026-12-04T18:00Z', undefined, '2026-12-04T18:00:00.000Z'],
    ['2026-03-29T02:30', BERLIN, '2026-03-29T01:30:00.000Z'],
    ['2026-12-04T18:00', undefined, undefined],
    ['2026-02-30T18:00', BERLIN, undefined],
    ['2026-12-04', BERLIN, undefined],
    ['2026-12-04T25:00', BERLIN, undefined],
    ['tomorrow', BERLIN, undefined]
  ])('%s in %s is %s', (text, zone, expected) => {
    const at = instantOf(text, zone)
    expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(expected)
  })
})

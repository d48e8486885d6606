import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Calendar, Window } from '../../../src/core/model/calendar.ts'
import { type ImpactClass, impacts } from '../../../src/core/model/impact.ts'
import { deferralCheck, windowFor } from '../../../src/fleet/time/windows.ts'
import { instantOf } from '../../../src/fleet/time/zone.ts'
import { BERLIN, calendars, instants, maySend, zones } from './calendars.ts'

const nights: Window = {
  name: 'nights',
  days: ['mon', 'tue', 'wed', 'thu'],
  from: '22:00',
  until: '05:00',
  impact: ['reconnect', 'outage']
}

/** The wait by one calendar in this time zone. */
const waitIn = (
  calendar: Pick<Calendar, 'windows' | 'freezes'>,
  classes: readonly ImpactClass[],
  zone: string | undefined,
  at: number
) => windowFor([{ ...calendar, zone }], classes, at)

/** True if a window of Berlin on this day is open at this time. */
const isOpen = (window: Window, at: string) =>
  waitIn({ windows: [window], freezes: [] }, ['outage'], BERLIN, Date.parse(at)) === undefined

const wait = (
  at: string,
  impact: ImpactClass | readonly ImpactClass[] = 'outage',
  freezes: Calendar['freezes'] = []
) => waitIn({ windows: [nights], freezes }, [impact].flat(), BERLIN, Date.parse(at))

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

  it('of one day begins and ends on its minutes', () => {
    const noon: Window = { ...nights, from: '12:00', until: '12:30' }
    const times = ['10:59:59', '11:00:00', '11:29:59', '11:30:00']
    const open = times.map(time => isOpen(noon, `2026-11-23T${time}Z`))
    expect(open).toEqual([false, true, true, false])
  })

  it('holds a change that has any of its classes', () => {
    const noon = '2026-11-23T12:00:00Z'
    expect(wait(noon, ['some'])).toBeUndefined()
    expect(wait(noon, ['reconnect', 'some'])).toMatchObject({ windows: ['nights'] })
    expect(wait('2026-11-23T22:00:00Z', ['reconnect', 'some'])).toBeUndefined()
  })

  it('does not open for a class that another one lists', () => {
    const noon: Window = {
      ...nights,
      name: 'noon',
      from: '12:00',
      until: '13:00',
      impact: ['some']
    }
    const waits = (time: string, ...classes: ImpactClass[]) =>
      waitIn(
        { windows: [nights, noon], freezes: [] },
        classes,
        BERLIN,
        Date.parse(`2026-11-23T${time}Z`)
      )
    expect(waits('11:30:00', 'some')).toBeUndefined()
    expect(waits('11:30:00', 'reconnect', 'some')).toEqual({ windows: ['nights', 'noon'] })
  })

  it('has a next opening, in the time of the site and in UTC', () => {
    expect(wait('2026-11-27T12:00:00Z')).toEqual({
      windows: ['nights'],
      until: '2026-11-30T21:00:00Z',
      local: '2026-11-30 22:00 Europe/Berlin'
    })
  })

  it('defers the classes that it lists, and no others', () => {
    expect(wait('2026-11-27T12:00:00Z', 'none')).toBeUndefined()
    expect(wait('2026-11-27T12:00:00Z', 'some')).toBeUndefined()
  })

  it('opens after the gap of a skipped hour, and is not in skipped time', () => {
    const window = (from: string, until: string): Window => ({
      ...nights,
      days: ['sun'],
      from,
      until
    })
    const next = (from: string, until: string) =>
      waitIn(
        { windows: [window(from, until)], freezes: [] },
        ['outage'],
        BERLIN,
        Date.parse('2026-03-29T00:00:00Z')
      )
    expect(next('02:15', '05:00')?.local).toBe('2026-03-29 03:00 Europe/Berlin')
    expect(next('02:15', '02:45')?.local).toBe('2026-04-05 02:15 Europe/Berlin')
  })

  it('is open in both of two repeated hours', () => {
    const window: Window = { ...nights, days: ['sun'], from: '02:00', until: '02:30' }
    const times = ['00:10', '00:40', '01:10', '01:40']
    const open = times.map(time => isOpen(window, `2026-10-25T${time}:00Z`))
    expect(open).toEqual([true, false, true, false])
  })
})

it('the cached check of a run follows the clock to the millisecond', () => {
  const site = { id: 'A' }
  const change = { address: 'hq/guest', site, impact: 'outage' } as const
  const timezones = new Map([['a', BERLIN]])
  let now = 0
  const check = deferralCheck({ windows: [nights], freezes: [], timezones }, () => new Date(now))
  const isOpenAt = (time: string) => {
    now = Date.parse(`2026-11-23T${time}Z`)
    return check(change) === undefined
  }
  const times = ['20:59:59.000', '20:59:59.999', '21:00:00.000', '21:00:00.500', '20:59:59.999']
  expect(times.map(isOpenAt)).toEqual([false, false, true, true, false])
})

describe('a freeze', () => {
  const december = {
    from: '2026-12-01T00:00',
    until: '2027-01-06T00:00',
    reason: 'Christmas trade',
    except: ['none' as const]
  }

  it('defers every class that it does not except, with and without windows', () => {
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

  it('holds a change that has any class that it does not except', () => {
    const freezes = [december]
    const at = Date.parse('2026-12-08T23:00:00Z')
    const held = (...classes: ImpactClass[]) =>
      waitIn({ windows: [], freezes }, classes, BERLIN, at)
    expect(held('none')).toBeUndefined()
    expect(held('none', 'outage')).toMatchObject({ freeze: 'Christmas trade' })
  })

  it('begins in the time zone of the site, or by its offset', () => {
    const berlin = Date.parse('2026-11-30T23:00:00Z')
    const frozen = (freeze: typeof december, at: number, zone: string) =>
      waitIn({ windows: [], freezes: [freeze] }, ['outage'], zone, at) !== undefined
    expect(frozen(december, berlin - 1, BERLIN)).toBe(false)
    expect(frozen(december, berlin, BERLIN)).toBe(true)
    expect(frozen(december, berlin, 'America/New_York')).toBe(false)
    expect(
      frozen({ ...december, from: '2026-12-01T00:00+01:00' }, berlin, 'America/New_York')
    ).toBe(true)
  })

  it('in local time always holds at a site without a time zone', () => {
    for (const at of ['2026-11-01T00:00:00Z', '2026-12-08T23:00:00Z', '2027-11-01T00:00:00Z']) {
      const freezes = { windows: [], freezes: [december] }
      expect(waitIn(freezes, ['outage'], undefined, Date.parse(at))).toEqual({
        freeze: 'Christmas trade'
      })
    }
  })

  it('without an end within a year has no next opening', () => {
    expect(
      wait('2026-12-08T23:00:00Z', 'outage', [{ ...december, until: '2029-01-01T00:00' }])
    ).toEqual({ freeze: 'Christmas trade' })
  })
})

describe('with the calendar of a base', () => {
  const noon: Window = { ...nights, name: 'noon', from: '12:00', until: '23:00' }
  const check = (base: Partial<Calendar>, at: string) =>
    deferralCheck(
      {
        ...{ windows: [noon], freezes: [], timezones: new Map([['a', BERLIN]]) },
        base: { windows: [], freezes: [], timezones: new Map([['a', BERLIN]]), ...base }
      },
      () => new Date(at)
    )({ address: 'hq/guest', site: { id: 'A' }, impact: 'outage' })

  test.each<[what: string, base: Partial<Calendar>, at: string, until: string | undefined]>([
    ['a window must be open in both', { windows: [nights] }, '2026-11-23T12:00:00Z', '21:00'],
    ['a time of both is open', { windows: [nights] }, '2026-11-23T21:30:00Z', 'now'],
    [
      'a window of one class is none of others',
      { windows: [{ ...nights, impact: ['some'] }] },
      '2026-11-23T12:00:00Z',
      'now'
    ],
    [
      'each counts in its own time zone of the site',
      { windows: [nights], timezones: new Map([['a', 'UTC']]) },
      '2026-11-24T12:00:00Z',
      undefined
    ],
    [
      'a freeze of the base holds',
      {
        freezes: [
          { from: '2026-11-01T00:00Z', until: '2026-11-24T11:30Z', reason: 'trade', except: [] }
        ]
      },
      '2026-11-23T12:00:00Z',
      '11:30'
    ],
    [
      'a freeze holds until the end of its last day',
      { freezes: [{ from: '2026-11-23', until: '2026-11-23', reason: 'trade', except: [] }] },
      '2026-11-23T12:00:00Z',
      '11:00'
    ]
  ])('%s', (_, base, at, until) => {
    const wait = check(base, at)
    expect(wait === undefined ? 'now' : wait.until?.slice(11, 16)).toBe(until)
  })
})

describe('for random windows, time zones and times', () => {
  const cases = [
    calendars,
    fc.constantFrom(...impacts),
    fc.constantFrom(...zones),
    instants
  ] as const

  it('a change may be sent if and only if its window is open for its site', () => {
    fc.assert(
      fc.property(...cases, (given, impact, zone, at) => {
        expect(waitIn(given, [impact], zone, at) === undefined).toBe(
          maySend(given, impact, zone, at)
        )
      })
    )
  })

  it('the next opening is open, and no quarter of an hour before it is', () => {
    fc.assert(
      fc.property(...cases, (given, impact, zone, at) => {
        const next = waitIn(given, [impact], zone, at)?.until
        if (next === undefined) return
        expect(maySend(given, impact, zone, Date.parse(next))).toBe(true)
        for (let before = at; before < Date.parse(next); before += 15 * 60_000) {
          expect(maySend(given, impact, zone, before)).toBe(false)
        }
      }),
      { numRuns: 15 }
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
    ['2026-12-04', BERLIN, '2026-12-03T23:00:00.000Z'],
    ['2026-12-04', undefined, undefined],
    ['2026-12-04T25:00', BERLIN, undefined],
    ['tomorrow', BERLIN, undefined]
  ])('%s in %s is %s', (text, zone, expected) => {
    const at = instantOf(text, zone)
    expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(expected)
  })
})

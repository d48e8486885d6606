import fc from 'fast-check'
import { type Calendar, type Window, weekdays } from '../../../src/core/model/calendar.ts'
import { type ImpactClass, impacts } from '../../../src/core/model/impact.ts'

export const BERLIN = 'Europe/Berlin'

/** The local time, by another library than that of the program. */
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

/** Zones with gaps at midnight, of half an hour, with skipped days, and without gaps. */
export const zones = [
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

/** A time close to a clock change of Berlin, New York or Lord Howe. */
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

/** Times within two years, many of them close to a clock change. */
export const instants = fc.oneof(instant, nearClockChange)

const freeze = fc
  .tuple(instant, fc.integer({ min: 1, max: 300 * 24 }), classes)
  .map(([from, hours, except]) => ({
    from: new Date(from).toISOString().replace('.000', ''),
    until: new Date(from + hours * 3_600_000).toISOString().replace('.000', ''),
    reason: 'freeze',
    except
  }))

/** Up to three windows and two freezes. */
export const calendars = fc.record({
  windows: fc.array(window, { maxLength: 3 }),
  freezes: fc.array(freeze, { maxLength: 2 })
})

/** The rule of the design, implemented with the other library. */
export function maySend(
  { windows, freezes }: Pick<Calendar, 'windows' | 'freezes'>,
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

import { seededRandom } from './fleet/random.ts'
import { isJsonObject, type JsonObject, jsonMember, type WlanRecord } from './json.ts'

/** When people are at a site. */
interface SiteKind {
  /** Matches the name of the site. */
  readonly name: RegExp
  /** Clients of a WLAN in the busiest hour of a site of average size. */
  readonly peak: number
  /** A digit for each hour of the day in UTC, from 0: ninths of the peak. */
  readonly hours: string
  /** A digit for each day of the week, from Sunday: ninths of the peak. */
  readonly days: string
  /** The share of clients that have never been there before. */
  readonly newcomers: number
}

const office: SiteKind = {
  name: /office/i,
  peak: 60,
  hours: '000000147999689863100000',
  days: '0999990',
  newcomers: 0.1
}

const kinds: readonly SiteKind[] = [
  office,
  {
    name: /store|shop|library/i,
    peak: 45,
    hours: '000000013578987789852100',
    days: '3777899',
    newcomers: 0.6
  },
  {
    name: /hospital|clinic/i,
    peak: 80,
    hours: '333333457889999988765443',
    days: '7999997',
    newcomers: 0.3
  },
  {
    name: /school|university/i,
    peak: 90,
    hours: '000000049989787421000000',
    days: '0999990',
    newcomers: 0.05
  }
]

/** The first VLAN that leads nowhere. */
const NOWHERE = 4000
/** The share of clients that soon know a new name or key. */
const REJOINED = 0.1
/** The share of hours in which a site has no power. */
const OUTAGES = 1 / 500
/** Standard deviations of the logarithm: of the size of sites, of all sites in an hour, and of one site in an hour. */
const SPREAD = { size: 0.4, weather: 0.15, site: 0.15 }
const HOUR = 3_600_000
/** Milliseconds for which a number of clients stays the same. */
const READING = 300_000

/**
 * The clients of a WLAN at a time in milliseconds since 1970. The hour, the weekday and the kind of site, taken from its name,
 * make the number; a site of another name is an office. It is the same for the same seed, WLAN and time. Compared with the WLAN at
 * the start:
 *
 * | the WLAN                                           | clients that stay           |
 * |----------------------------------------------------|-----------------------------|
 * | is off, or off the air by its schedule (in UTC)    | none                        |
 * | is in a VLAN from 4000 on, which leads nowhere     | none                        |
 * | has another name, authentication or key            | a tenth                     |
 * | is hidden                                          | those that were there before |
 */
export function clientsOf(
  site: { readonly id: string; readonly name: string },
  initial: WlanRecord,
  wlan: WlanRecord,
  at: number,
  seed: number
): number {
  const kind = kinds.find(({ name }) => name.test(site.name)) ?? office
  const hour = Math.floor(at / HOUR)
  if (seededRandom(seed, 'outage', site.id, hour)() < OUTAGES) return 0
  const spread =
    SPREAD.size * normal(seed, 'size', site.id) +
    SPREAD.weather * hourly(n => normal(seed, 'weather', n), at) +
    SPREAD.site * hourly(n => normal(seed, 'site', site.id, n), at)
  const busy =
    hourly(n => digit(kind.hours, n % 24), at) * digit(kind.days, new Date(at).getUTCDay())
  const expected = kind.peak * busy * Math.exp(spread) * remaining(initial, wlan, kind, at)
  const chance = Math.sqrt(expected) * normal(seed, 'wlan', wlan.id, Math.floor(at / READING))
  return Math.max(0, Math.round(expected + chance))
}

function digit(digits: string, place: number): number {
  return Number(digits[place]) / 9
}

/** The value of a time between two full hours, of those at both. */
function hourly(factor: (hour: number) => number, at: number): number {
  const hour = Math.floor(at / HOUR)
  const part = at / HOUR - hour
  return (1 - part) * factor(hour) + part * factor(hour + 1)
}

/** A number of the normal distribution with mean 0 and deviation 1 (Box and Muller). */
function normal(...seed: readonly (string | number)[]): number {
  const random = seededRandom(...seed)
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function remaining(initial: WlanRecord, wlan: WlanRecord, kind: SiteKind, at: number): number {
  if (wlan['enabled'] === false || !isOpen(wlan, at)) return 0
  if (wlan['vlan_enabled'] === true && Number(wlan['vlan_id']) >= NOWHERE) return 0
  const rejoined = credentials(initial) === credentials(wlan) ? 1 : REJOINED
  const isHidden = wlan['hide_ssid'] === true && initial['hide_ssid'] !== true
  return rejoined * (isHidden ? 1 - kind.newcomers : 1)
}

/** What a device needs to join again. */
function credentials(wlan: WlanRecord): string {
  const auth = objectOf(wlan, 'auth')
  return JSON.stringify([wlan.ssid, jsonMember(auth, 'type') ?? 'open', jsonMember(auth, 'psk')])
}

function isOpen(wlan: WlanRecord, at: number): boolean {
  const schedule = objectOf(wlan, 'schedule')
  if (schedule['enabled'] !== true) return true
  const now = new Date(at)
  const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][now.getUTCDay()] ?? ''
  const hours = jsonMember(objectOf(schedule, 'hours'), day)
  if (typeof hours !== 'string') return true
  const [begin = '', end = ''] = hours.split('-')
  const time = now.toISOString().slice(11, 16)
  return begin <= time && time < end
}

function objectOf(object: JsonObject, name: string): JsonObject {
  const value = jsonMember(object, name)
  return isJsonObject(value) ? value : {}
}

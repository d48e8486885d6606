import { comparisonKey } from '../../../core/diff/agree.ts'
import { type Pointer, steps } from '../../../core/values/pointer.ts'
import type { Value } from '../../../core/values/value.ts'
import { slugOf, UniqueNames } from '../names.ts'
import type { ImportedSite } from '../site.ts'
import type { Pause } from '../site-files.ts'
import type { ProfileCandidate } from './families.ts'

/** A named value per site; several places may use it. */
export interface SiteVariable {
  readonly name: string
  readonly values: ReadonlyMap<ImportedSite, Value>
}

/** The variable of a place of a profile. */
export interface VariablePlace {
  readonly variable: SiteVariable
  /** Present if the variable is part of a text, between these affixes. */
  readonly format?: { readonly prefix: string; readonly suffix: string }
  /** Present if the variable is part of the name of a secret: this name, with the variable in braces. */
  readonly secret?: string
}

/** The variables of each profile, by place. */
export type VariablePlaces = ReadonlyMap<ProfileCandidate, ReadonlyMap<Pointer, VariablePlace>>

interface VaryingPlace {
  readonly kind: ProfileCandidate
  readonly at: Pointer
  readonly values: ReadonlyMap<ImportedSite, Value>
}

interface VariableDraft {
  readonly name: string
  values: ReadonlyMap<ImportedSite, Value>
}

/**
 * Finds variables for the varying places. Places with the same value on every site share a variable, even if
 * the value is only part of their strings, such as the subnet of two RADIUS servers. A string with the value of
 * `site`, the variable that distinguishes the sites, uses that one.
 */
export async function findVariables(
  kinds: readonly ProfileCandidate[],
  site: SiteVariable,
  pause: Pause
): Promise<VariablePlaces> {
  const varying = kinds.flatMap(varyingPlaces)
  const drafts = new VariableDrafts(site.name)
  const affixesByPlace = await helpfulAffixes(varying, site, pause)
  const places = new Map<ProfileCandidate, Map<Pointer, VariablePlace>>(
    kinds.map(kind => [kind, new Map()])
  )
  for (const place of varying) {
    await pause()
    const affixes = affixesByPlace.get(place)
    const variable =
      affixes === undefined
        ? drafts.take(place.values, variableNames(place))
        : namesSites(affixes, site)
          ? site
          : drafts.take(asNumbers(affixes.middles), affixVariableNames(place))
    const format = affixes && { prefix: affixes.prefix, suffix: affixes.suffix }
    places.get(place.kind)?.set(place.at, { variable, ...(format && { format }) })
  }
  return places
}

function varyingPlaces(kind: ProfileCandidate): VaryingPlace[] {
  return [...kind.varying].map(([at, members]) => ({
    kind,
    at,
    values: new Map([...members].map(([{ site }, value]) => [site, value]))
  }))
}

/** Collects variables; places with agreeing values share one. */
class VariableDrafts {
  readonly #drafts: VariableDraft[] = []
  readonly #names = new UniqueNames('_')

  constructor(taken: string) {
    this.#names.take(taken)
  }

  /** The variable with these values; a new one gets the first free name. */
  take(values: ReadonlyMap<ImportedSite, Value>, names: readonly string[]): VariableDraft {
    const same = this.#drafts.find(draft => agreeOnMostSites(draft.values, values))
    if (same !== undefined) {
      same.values = new Map([...values, ...same.values])
      return same
    }
    const name = names.find(each => !this.#names.has(each)) ?? names.at(-1) ?? ''
    const draft = { name: this.#names.take(name), values }
    this.#drafts.push(draft)
    return draft
  }
}

/** True if both agree on every common site, and most sites are common. */
function agreeOnMostSites(
  a: ReadonlyMap<ImportedSite, Value>,
  b: ReadonlyMap<ImportedSite, Value>
): boolean {
  let common = 0
  for (const [site, value] of a) {
    const other = b.get(site)
    if (other === undefined) continue
    if (comparisonKey(value) !== comparisonKey(other)) return false
    common += 1
  }
  return 2 * common > Math.max(a.size, b.size)
}

/** True if the middles are the values of the variable that distinguishes the sites. */
function namesSites({ middles }: Affixes, { values }: SiteVariable): boolean {
  return [...middles].every(([site, middle]) => String(values.get(site)) === middle)
}

/**
 * The affixes of strings that are worth splitting: those whose middle distinguishes the sites, or occurs in other
 * places. Strings that many sites share are not split, because such sites may form groups.
 */
async function helpfulAffixes(
  varying: readonly VaryingPlace[],
  site: SiteVariable,
  pause: Pause
): Promise<ReadonlyMap<VaryingPlace, Affixes>> {
  const all = new Map<VaryingPlace, Affixes>()
  for (const place of varying) {
    await pause()
    const affixes = isRepeated(place) ? undefined : findAffixes(place.values)
    if (affixes !== undefined) all.set(place, affixes)
  }
  const helpful = new Map<VaryingPlace, Affixes>()
  for (const [place, affixes] of all) {
    await pause()
    const isShared = [...all].some(
      ([other, { middles }]) =>
        other !== place &&
        agreeOnMostSites(middles, affixes.middles) &&
        !agreeOnMostSites(other.values, place.values)
    )
    if (isShared || namesSites(affixes, site)) helpful.set(place, affixes)
  }
  return helpful
}

/** The minimum number of sites per value of a place above which the value is more useful than its parts. */
const MIN_SITES_PER_VALUE = 3

function isRepeated({ values }: VaryingPlace): boolean {
  const distinct = new Set([...values.values()].map(value => comparisonKey(value)))
  return distinct.size * MIN_SITES_PER_VALUE <= values.size
}

/** The texts as numbers, if all of them are canonical integers. */
export function asNumbers(
  middles: ReadonlyMap<ImportedSite, string>
): ReadonlyMap<ImportedSite, Value> {
  const isNumber = (text: string) => /^(?:0|[1-9]\d{0,8})$/.test(text)
  if (![...middles.values()].every(isNumber)) return middles
  return new Map([...middles].map(([site, text]) => [site, Number(text)]))
}

const SERVER_LISTS: Readonly<Record<string, string>> = {
  auth_servers: 'radius',
  acct_servers: 'accounting',
  coa_servers: 'coa'
}

/**
 * The names for a variable in order of preference.
 *
 * | place of `guest`       | names                                  |
 * |------------------------|----------------------------------------|
 * | `/portal/expire`       | `guest_expire`, `guest_portal_expire`  |
 * | `/vlan_id`             | `guest_vlan`, `guest_vlan_id`          |
 * | `/auth_servers/0/host` | `radius_1`, `guest_radius_1`           |
 * | `/auth_servers/0/port` | `radius_1_port`, `guest_radius_1_port` |
 * | `/auth_servers/0/secret` | `radius_secret`, `radius_1_secret`, `guest_radius_1_secret` |
 */
function variableNames({ kind, at }: VaryingPlace): string[] {
  const { key } = kind.family
  const [first = '', place = '', member = ''] = steps(at)
  const list = SERVER_LISTS[first]
  if (list !== undefined && /^\d+$/.test(place)) {
    const part = member === 'host' ? '' : ` ${member}`
    const server = `${list} ${Number(place) + 1}${part}`
    // The servers of a list mostly have one secret, and then share its variable.
    const common = member === 'secret' ? [`${list} secret`] : []
    return [...common, server, `${key} ${server}`].map(identifier)
  }
  const named = steps(at).filter(step => !/^\d+$/.test(step))
  const last = (named.at(-1) ?? 'value').replace(/_id$/, '')
  return [`${key} ${last}`, `${key} ${named.join(' ')}`].map(identifier)
}

/** The names for the middle of a string: `number` for an SSID, `…_net` for an address. */
function affixVariableNames({ kind, at }: VaryingPlace): string[] {
  const name = identifier(`${kind.family.key} ${at === '/ssid' ? 'number' : 'net'}`)
  return at === '/ssid' ? ['number', name] : [name]
}

function identifier(text: string): string {
  return slugOf(text).replaceAll('-', '_')
}

/** The common prefix and suffix of strings, and the middle of each site. */
export interface Affixes {
  readonly prefix: string
  readonly suffix: string
  readonly middles: ReadonlyMap<ImportedSite, string>
}

/**
 * Splits strings: `10.0.17.11` and `10.0.18.11` become `10.0.`, a middle that differs, and `.11`. Numbers are
 * never split. Undefined without common affixes, with an empty middle, or if a string contains braces, which
 * `$format` interprets.
 */
export function findAffixes(values: ReadonlyMap<ImportedSite, Value>): Affixes | undefined {
  const texts = [...values.values()]
  if (!texts.every(isFormattable)) return undefined
  const [first = ''] = texts
  const prefix = texts.reduce(commonPrefix, first).replace(/\d+$/, '')
  const rests = texts.map(text => text.slice(prefix.length))
  const suffix = rests.map(reversed).reduce(commonPrefix, reversed(rests[0] ?? ''))
  const tail = reversed(suffix).replace(/^\d+/, '')
  if (prefix === '' && tail === '') return undefined
  const middles = rests.map(rest => rest.slice(0, rest.length - tail.length))
  if (middles.some(middle => middle === '')) return undefined
  const sites = [...values.keys()]
  return {
    prefix,
    suffix: tail,
    middles: new Map(sites.map((site, n) => [site, middles[n] ?? '']))
  }
}

/** The middle between prefix and suffix; undefined if the string lacks one of them. */
export function stripAffixes(
  text: Value | undefined,
  prefix: string,
  suffix: string
): string | undefined {
  if (typeof text !== 'string' || !text.startsWith(prefix) || !text.endsWith(suffix))
    return undefined
  const middle = text.slice(prefix.length, text.length - suffix.length)
  return middle === '' || text.length < prefix.length + suffix.length ? undefined : middle
}

function isFormattable(value: Value): value is string {
  return typeof value === 'string' && /^[^{}]*$/.test(value) && !/[\ud800-\udfff]/.test(value)
}

function commonPrefix(a: string, b: string): string {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1
  return a.slice(0, length)
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

import { comparisonKey } from '../../../core/diff/agree.ts'
import { type Pointer, steps } from '../../../core/values/pointer.ts'
import type { Value } from '../../../core/values/value.ts'
import { slugOf, UniqueNames } from '../names.ts'
import type { ImportedSite } from '../site.ts'
import type { Pause } from '../site-files.ts'
import { type Affixes, asNumbers, findAffixes } from './affixes.ts'
import { isInList, MAX_EXCEPTIONS } from './leaves.ts'
import type { Profile } from './profiles.ts'

/** A named value per site; several places may use it. */
export interface SiteVariable {
  readonly name: string
  readonly values: ReadonlyMap<ImportedSite, Value>
}

/** The variable of a place of a profile. */
export interface VariablePlace {
  readonly variable: SiteVariable
  /** Present if the variable is the part of a text between them. */
  readonly affixes?: Pick<Affixes, 'prefix' | 'suffix'>
  /** Present if the variable is part of the name of a secret: the name, with the variable in braces, and the secrets. */
  readonly secret?: { readonly name: string; readonly values: SiteVariable['values'] }
}

/** The variables of each profile, by place. */
export type VariablePlaces = ReadonlyMap<Profile, ReadonlyMap<Pointer, VariablePlace>>

interface VaryingPlace {
  readonly profile: Profile
  readonly at: Pointer
  readonly values: ReadonlyMap<ImportedSite, Value>
}

interface VariableDraft extends SiteVariable {
  values: ReadonlyMap<ImportedSite, Value>
}

/**
 * Finds variables for the varying places. Places with the same value on every site share a variable, even if
 * the value is only part of their strings, such as the subnet of two RADIUS servers. A string with the value of
 * `site`, the variable that distinguishes the sites, uses that one.
 */
export async function findVariables(
  profiles: readonly Profile[],
  site: SiteVariable,
  pause: Pause
): Promise<VariablePlaces> {
  const varying = profiles.flatMap(profile =>
    [...profile.varying].map(([at, values]): VaryingPlace => ({ profile, at, values }))
  )
  const drafts = new VariableDrafts(site.name)
  const affixesByPlace = await helpfulAffixes(varying, site, pause)
  const places = new Map(profiles.map(each => [each, new Map<Pointer, VariablePlace>()]))
  for (const place of varying) {
    await pause()
    const { profile, at, values } = place
    const affixes = affixesByPlace.get(place)
    const found =
      affixes === undefined
        ? { variable: drafts.take(values, variableNames(place), isInList(at) ? MAX_EXCEPTIONS : 0) }
        : {
            variable: namesSites(affixes, site)
              ? site
              : drafts.take(asNumbers(affixes.middles), affixVariableNames(place), 0),
            affixes
          }
    places.get(profile)?.set(at, found)
  }
  return places
}

/** Collects variables; places with agreeing values share one. */
class VariableDrafts {
  readonly #drafts: VariableDraft[] = []
  readonly #names = new UniqueNames('_')

  constructor(taken: string) {
    this.#names.take(taken)
  }

  /**
   * The variable with these values; a new one gets the first free name. `exceptions` is the share of sites that may
   * have another value, and override it: a site with its servers in another order makes no variables for all others.
   */
  take(
    values: ReadonlyMap<ImportedSite, Value>,
    names: readonly string[],
    exceptions: number
  ): SiteVariable {
    const same = this.#drafts.find(draft => agreeOnMostSites(draft.values, values, exceptions))
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

/** True if both agree on the common sites, apart from a share of exceptions, and most sites are common. */
function agreeOnMostSites(
  a: ReadonlyMap<ImportedSite, Value>,
  b: ReadonlyMap<ImportedSite, Value>,
  exceptions = 0
): boolean {
  const common = [...a].filter(([site]) => b.has(site))
  if (2 * common.length <= Math.max(a.size, b.size)) return false
  let most = exceptions * common.length
  return common.every(([site, value]) => {
    if (comparisonKey(value) !== comparisonKey(b.get(site) ?? null)) most -= 1
    return most >= 0
  })
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
  const all: (readonly [VaryingPlace, Affixes])[] = []
  for (const place of varying) {
    await pause()
    const affixes = isRepeated(place) ? undefined : findAffixes(place.values)
    if (affixes !== undefined) all.push([place, affixes])
  }
  const isShared = (place: VaryingPlace, affixes: Affixes) =>
    all.some(
      ([other, { middles }]) =>
        other !== place &&
        agreeOnMostSites(middles, affixes.middles) &&
        !agreeOnMostSites(other.values, place.values)
    )
  return new Map(
    all.filter(([place, affixes]) => namesSites(affixes, site) || isShared(place, affixes))
  )
}

/** The minimum number of sites per value of a place above which the value is more useful than its parts. */
const MIN_SITES_PER_VALUE = 3

function isRepeated({ values }: VaryingPlace): boolean {
  const distinct = new Set([...values.values()].map(value => comparisonKey(value)))
  return distinct.size * MIN_SITES_PER_VALUE <= values.size
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
function variableNames({ profile, at }: VaryingPlace): string[] {
  const { key } = profile.family
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
function affixVariableNames({ profile, at }: VaryingPlace): string[] {
  const name = identifier(`${profile.family.key} ${at === '/ssid' ? 'number' : 'net'}`)
  return at === '/ssid' ? ['number', name] : [name]
}

function identifier(text: string): string {
  return slugOf(text).replaceAll('-', '_')
}

/** The value of a place on a site; undefined if its variable has none there. */
export function valueOn(
  site: ImportedSite,
  { variable, affixes, secret }: VariablePlace
): Value | undefined {
  const value = (secret ?? variable).values.get(site)
  if (affixes === undefined || value === undefined) return value
  return `${affixes.prefix}${String(value)}${affixes.suffix}`
}

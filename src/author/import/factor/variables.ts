import { slugOf, UniqueNames } from '../../../core/audit/slug.ts'
import { comparisonKey } from '../../../core/diff/agree.ts'
import { isUsual, MAX_EXCEPTIONS } from '../../../core/values/collections.ts'
import { type Pointer, steps } from '../../../core/values/pointer.ts'
import type { Value } from '../../../core/values/value.ts'
import { SERVER_LISTS } from '../names.ts'
import type { Pause } from '../site-files.ts'
import type { RequestedImport } from '../site-requests.ts'
import { isInList } from './leaves.ts'
import type { Profile } from './profiles.ts'

/** A named value per site; several places may use it. */
export interface SiteVariable {
  readonly name: string
  readonly values: ReadonlyMap<RequestedImport, Value>
}

/** The variable of a place of a profile. */
export interface VariablePlace {
  readonly variable: SiteVariable
  /** Present if the variable is the part of a text between these. */
  readonly affixes?: Affixes
  /** Present if the variable is part of the name of a secret: the name, with the variable in braces, and the secrets. */
  readonly secret?: { readonly name: string; readonly values: SiteVariable['values'] }
}

/** The variables of each profile, by place. */
export type VariablePlaces = ReadonlyMap<Profile, ReadonlyMap<Pointer, VariablePlace>>

interface VariableDraft extends SiteVariable {
  values: ReadonlyMap<RequestedImport, Value>
}

/**
 * Finds variables for the varying places. Places with the same value on every site share a variable. A text that contains
 * `site`, the variable that distinguishes the sites, uses that one.
 */
export async function findVariables(
  profiles: readonly Profile[],
  site: SiteVariable,
  pause: Pause
): Promise<VariablePlaces> {
  const drafts = new VariableDrafts(site.name)
  const places = new Map<Profile, ReadonlyMap<Pointer, VariablePlace>>()
  for (const profile of profiles) {
    const own = new Map<Pointer, VariablePlace>()
    for (const [at, values] of profile.varying) {
      await pause()
      const affixes = affixesOf(values, site)
      const variable = affixes === undefined ? drafts.take(values, profile.family.key, at) : site
      own.set(at, { variable, ...(affixes && { affixes }) })
    }
    places.set(profile, own)
  }
  return places
}

interface Affixes {
  readonly prefix: string
  readonly suffix: string
}

/**
 * The texts around the variable that distinguishes the sites, if nearly all values have it there: `Store ` and nothing
 * in `Store 17` of the store 17. A number is never split, and `$format` interprets braces.
 */
function affixesOf(
  values: ReadonlyMap<RequestedImport, Value>,
  site: SiteVariable
): Affixes | undefined {
  const parts = [...values].map(([of, value]) => ({ value, part: String(site.values.get(of)) }))
  const [{ value: text = null, part = '' } = {}] = parts
  if (typeof text !== 'string' || /[{}\ud800-\udfff]/.test(text)) return undefined
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    const affixes = { prefix: text.slice(0, at), suffix: text.slice(at + part.length) }
    const { prefix, suffix } = affixes
    if (/\d$/.test(prefix) || /^\d/.test(suffix)) continue
    const fitting = parts.filter(each => each.value === prefix + each.part + suffix)
    if (isUsual(fitting.length, parts.length)) return affixes
  }
  return undefined
}

/** Collects variables; places with agreeing values share one. */
class VariableDrafts {
  readonly #drafts: VariableDraft[] = []
  readonly #names = new UniqueNames('_')

  constructor(taken: string) {
    this.#names.take(taken)
  }

  /**
   * The variable with the values of a place of a profile. In a list, a few sites may have another value, and override
   * it: one with its servers in another order makes no variables for all others.
   */
  take(values: ReadonlyMap<RequestedImport, Value>, key: string, at: Pointer): SiteVariable {
    const exceptions = isInList(at) ? MAX_EXCEPTIONS : 0
    const same = this.#drafts.find(draft => agreeOnMostSites(draft.values, values, exceptions))
    if (same !== undefined) {
      same.values = new Map([...values, ...same.values])
      return same
    }
    const names = variableNames(key, at)
    const name = names.find(each => !this.#names.has(each)) ?? names.at(-1) ?? ''
    const draft = { name: this.#names.take(name), values }
    this.#drafts.push(draft)
    return draft
  }
}

/** True if both agree on the common sites, apart from a share of exceptions, and most sites are common. */
function agreeOnMostSites(
  a: ReadonlyMap<RequestedImport, Value>,
  b: ReadonlyMap<RequestedImport, Value>,
  exceptions: number
): boolean {
  const common = [...a].filter(([site]) => b.has(site))
  if (2 * common.length <= Math.max(a.size, b.size)) return false
  let most = exceptions * common.length
  return common.every(([site, value]) => {
    if (comparisonKey(value) !== comparisonKey(b.get(site) ?? null)) most -= 1
    return most >= 0
  })
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
function variableNames(key: string, at: Pointer): string[] {
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

function identifier(text: string): string {
  return slugOf(text).replaceAll('-', '_')
}

/** The value of a place on a site; undefined if its variable has none there. */
export function valueOn(
  site: RequestedImport,
  { variable, affixes, secret }: VariablePlace
): Value | undefined {
  const value = (secret ?? variable).values.get(site)
  if (affixes === undefined || value === undefined) return value
  return `${affixes.prefix}${String(value)}${affixes.suffix}`
}

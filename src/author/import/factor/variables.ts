import { slugOf, UniqueNames } from '../../../core/audit/slug.ts'
import { comparisonKey } from '../../../core/diff/agree.ts'
import { isUsual, MAX_EXCEPTIONS } from '../../../core/values/collections.ts'
import { type Pointer, steps } from '../../../core/values/pointer.ts'
import { Secret } from '../../../core/values/secret.ts'
import type { Value } from '../../../core/values/value.ts'
import { SERVER_LISTS, wordOfStep } from '../names.ts'
import type { SecretCatalog } from '../secrets.ts'
import type { RequestedImport } from '../site.ts'
import type { Pause } from '../site-files.ts'
import { isInList } from './leaves.ts'
import type { Profile } from './profiles.ts'

/** A named value per site; several places may use it. */
export interface SiteVariable {
  readonly name: string
  readonly values: ReadonlyMap<RequestedImport, Value>
}

/** A place of a profile that varies from site to site. */
export interface VariablePlace {
  /** Absent where only the name of the site varies. */
  readonly variable?: SiteVariable
  /** What the profile has there: `{ $var: guest_vlan }`, `{ $format: "ap-{site}" }`, or the secret of each site. */
  readonly written: Value
  /** What that gives at a site; undefined if the variable has no value there. */
  readonly valueOn: (site: RequestedImport) => Value | undefined
}

/** The places of each profile. */
export type VariablePlaces = ReadonlyMap<Profile, ReadonlyMap<Pointer, VariablePlace>>

/**
 * Finds variables for the varying places. Places with the same value on every site share a variable. A text that contains
 * the name of the site refers to that.
 */
export async function findVariables(
  profiles: readonly Profile[],
  pause: Pause
): Promise<VariablePlaces> {
  const drafts = new VariableDrafts()
  const places = new Map<Profile, ReadonlyMap<Pointer, VariablePlace>>()
  for (const profile of profiles) {
    const own = new Map<Pointer, VariablePlace>()
    for (const [at, values] of profile.varying) {
      await pause()
      own.set(at, formatOf(values) ?? drafts.placeOf(values, profile.family.key, at))
    }
    places.set(profile, own)
  }
  return places
}

/** Nearly all values of a place, with the name of the site in them; undefined for other values. */
function formatOf(values: SiteVariable['values']): VariablePlace | undefined {
  const around = textAround([...values].map(([site, value]) => [value, site.name]))
  return around && { written: { $format: around('{site}') }, valueOn: site => around(site.name) }
}

/**
 * Replaces the variables for secrets that nearly all sites have for themselves by their names, which have the name of the
 * site in them: `WLAN_SECRET_{site}_IOT_PSK`.
 */
export function withSiteSecrets(places: VariablePlaces, secrets: SecretCatalog): VariablePlaces {
  const placeIn = (place: VariablePlace): VariablePlace => {
    const { values = new Map<RequestedImport, Value>() } = place.variable ?? {}
    const nameOn = (each: RequestedImport) => {
      const value = values.get(each)
      return value instanceof Secret ? secrets.nameOf(value) : null
    }
    const around = textAround([...values.keys()].map(each => [nameOn(each), secrets.partOf(each)]))
    if (around === undefined) return place
    const valueOn = (each: RequestedImport) =>
      nameOn(each) === around(secrets.partOf(each)) ? values.get(each) : undefined
    return { written: secrets.referenceTo(around('{site}')), valueOn }
  }
  return new Map(
    [...places].map(([profile, of]) => [
      profile,
      new Map([...of].map(([at, place]) => [at, placeIn(place)]))
    ])
  )
}

/** The number of sites of which at least one has the usual text. */
const MAX_TRIED = 4

/**
 * The text around a part of their own that nearly all texts have: `ap-` and nothing in `ap-hq` of the site `hq`. A number
 * is never split, and `$format` interprets braces.
 */
function textAround(
  texts: readonly (readonly [text: Value, part: string])[]
): ((part: string) => string) | undefined {
  for (const [text, part] of texts.slice(0, MAX_TRIED)) {
    if (typeof text !== 'string' || /[{}\ud800-\udfff]/.test(text)) continue
    for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
      const [before, after] = [text.slice(0, at), text.slice(at + part.length)]
      if (/\d$/.test(before) || /^\d/.test(after)) continue
      const around = (own: string) => before + own + after
      const fitting = texts.filter(([each, own]) => each === around(own))
      if (isUsual(fitting.length, texts.length)) return around
    }
  }
  return undefined
}

/** Collects variables; places with agreeing values share one. */
class VariableDrafts {
  readonly #drafts: { readonly name: string; values: SiteVariable['values'] }[] = []
  readonly #names = new UniqueNames('_')

  /**
   * A place of a profile with the variable for its values. In a list, a few sites may have another value, and override
   * it: one with its servers in another order makes no variables for all others.
   */
  placeOf(values: SiteVariable['values'], key: string, at: Pointer): VariablePlace {
    const exceptions = isInList(at) ? MAX_EXCEPTIONS : 0
    let variable = this.#drafts.find(draft => agreeOnMostSites(draft.values, values, exceptions))
    if (variable === undefined) {
      variable = { name: this.#nameOf(key, at), values }
      this.#drafts.push(variable)
    } else variable.values = new Map([...values, ...variable.values])
    const own = variable
    return { variable, written: { $var: own.name }, valueOn: site => own.values.get(site) }
  }

  #nameOf(key: string, at: Pointer): string {
    const names = variableNames(key, at)
    return this.#names.take(names.find(each => !this.#names.has(each)) ?? names.at(-1) ?? '')
  }
}

/** True if both agree on the common sites, apart from a share of exceptions, and most sites are common. */
function agreeOnMostSites(
  a: SiteVariable['values'],
  b: SiteVariable['values'],
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
    const server = `${list} ${wordOfStep(place)}${part}`
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

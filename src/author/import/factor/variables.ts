import { slugOf, UniqueNames } from '../../../core/audit/slug.ts'
import { comparisonKey } from '../../../core/diff/agree.ts'
import { getOrInsert, isUsual, MAX_EXCEPTIONS } from '../../../core/values/collections.ts'
import { type Pointer, steps } from '../../../core/values/pointer.ts'
import { Secret } from '../../../core/values/secret.ts'
import type { Value } from '../../../core/values/value.ts'
import { SERVER_LISTS, wordOfStep } from '../names.ts'
import type { SecretCatalog } from '../secrets.ts'
import type { Pause } from '../site-files.ts'
import { isInList } from './leaves.ts'
import type { ProfileDraft, SiteValues } from './profiles.ts'

/** A named value per site; several places may use it. */
export interface SiteVariable {
  readonly name: string
  readonly values: SiteValues
}

/** A profile in which a varying place has a reference. */
export interface Profile extends Omit<ProfileDraft, 'varying'> {
  readonly places: ReadonlyMap<Pointer, VariablePlace>
}

interface VariablePlace {
  /** `{ $var: guest_vlan }`, `{ $format: "ap-{site}" }`, or `{ $env: "WLAN_SECRET_{site}_IOT_PSK" }`. */
  readonly written: Value
  /** What that gives at a site; none where the variable has no value. */
  readonly values: SiteValues
  /** Absent where only the name of the site varies. */
  readonly variable?: SiteVariable
}

/** The variable of each varying place. Places with the same value on every site share one. */
export async function findVariables(
  profiles: readonly ProfileDraft[],
  pause: Pause
): Promise<ReadonlyMap<SiteValues, SiteVariable>> {
  const names = new UniqueNames('_')
  const variables: { readonly name: string; values: SiteValues }[] = []
  const found = new Map<SiteValues, SiteVariable>()
  // Equal values of variables are identical.
  const known = new Map<unknown, Value>()
  for (const { family, varying } of profiles) {
    for (const [at, varied] of varying) {
      await pause()
      const values = new Map(
        [...varied].map(([site, value]) => [
          site,
          getOrInsert(known, comparisonKey(value), () => value)
        ])
      )
      // In a list, a few sites may override their value: one with its servers in another order makes no variables for all others.
      const exceptions = isInList(at) ? MAX_EXCEPTIONS : 0
      let variable = variables.find(each => agreeOnMostSites(each.values, values, exceptions))
      if (variable === undefined) {
        const wanted = variableNames(family.key, at)
        const free = wanted.find(name => !names.has(name)) ?? wanted.at(-1) ?? ''
        variable = { name: names.take(free), values }
        variables.push(variable)
      } else variable.values = new Map([...values, ...variable.values])
      found.set(varied, variable)
    }
  }
  return found
}

/**
 * The profile with its references. A text, or the name of a secret, that contains the name of the site at nearly all sites
 * refers to that; other places refer to their variables.
 */
export function withReferences(
  { varying, ...profile }: ProfileDraft,
  variables: ReadonlyMap<SiteValues, SiteVariable>,
  secrets: SecretCatalog
): Profile {
  const places = [...varying].flatMap(([at, values]) => {
    const variable = variables.get(values)
    const place =
      siteTextOf(values, secrets) ??
      (variable && { variable, written: { $var: variable.name }, values: variable.values })
    return place ? [[at, place] as const] : []
  })
  return { ...profile, places: new Map(places) }
}

/** The number of sites of which at least one has the usual text. */
const MAX_TRIED = 4

/** `ap-{site}`, if nearly all sites have such a text. A number is never split, and `$format` interprets braces. */
function siteTextOf(values: SiteValues, secrets: SecretCatalog): VariablePlace | undefined {
  const texts = [...values].map(([site, value]) => {
    if (!(value instanceof Secret)) return { site, value, text: value, part: site.name }
    return { site, value, text: secrets.nameOf(value), part: secrets.partOf(site) }
  })
  for (const { value: first, text, part } of texts.slice(0, MAX_TRIED)) {
    if (typeof text !== 'string' || /[{}\ud800-\udfff]/.test(text)) continue
    for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
      const [before, after] = [text.slice(0, at), text.slice(at + part.length)]
      if (/\d$/.test(before) || /^\d/.test(after)) continue
      const fitting = texts.filter(each => each.text === before + each.part + after)
      if (!isUsual(fitting.length, texts.length)) continue
      const written = `${before}{site}${after}`
      return {
        written: first instanceof Secret ? secrets.referenceTo(written) : { $format: written },
        values: new Map(fitting.map(({ site, value }) => [site, value]))
      }
    }
  }
  return undefined
}

/** True if both agree on the common sites, apart from a share of exceptions, and most sites are common. */
function agreeOnMostSites(a: SiteValues, b: SiteValues, exceptions: number): boolean {
  const common = [...a].filter(([site]) => b.has(site))
  if (2 * common.length <= Math.max(a.size, b.size)) return false
  let most = exceptions * common.length
  return common.every(([site, value]) => {
    if (value !== b.get(site)) most -= 1
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

import { commonStem } from '../../../core/audit/slug.ts'
import { groupBy, isUsual } from '../../../core/values/collections.ts'
import type { Pointer } from '../../../core/values/pointer.ts'
import { Secret } from '../../../core/values/secret.ts'
import { secretsWithin } from '../../../core/values/value.ts'
import { fieldParts, identityOf, type SecretForm, secretName } from '../secrets.ts'
import type { RequestedImport } from '../site-requests.ts'
import type { SiteVariable, VariablePlace, VariablePlaces } from './variables.ts'

/** The variable that distinguishes the sites, and the words before it in the names of their secrets. */
export interface SiteNames {
  readonly variable: SiteVariable
  readonly stem: readonly string[]
}

/** `store: 1` for `store-1` among stores; `site: store-1` if the sites have no common word. */
export function siteNames(sites: readonly RequestedImport[]): SiteNames {
  const slugs = new Map(sites.map(site => [site, site.slug]))
  const stem = commonStem([...slugs.values()])
  const partOf = (slug: string) =>
    slug.startsWith(stem) ? slug.slice(stem.length).replace(/^-/, '') : ''
  const parts = new Map([...slugs].map(([site, slug]) => [site, partOf(slug)]))
  const isDistinct = new Set(parts.values()).size === parts.size
  if (stem === '' || !isDistinct || [...parts.values()].includes('')) {
    return { variable: { name: 'site', values: slugs }, stem: [] }
  }
  const name = stem.replace(/^.*-/, '')
  return { variable: { name, values: asNumbers(parts) }, stem: [stem] }
}

/** The texts as numbers, if all of them are canonical integers. */
function asNumbers(parts: ReadonlyMap<RequestedImport, string>): SiteVariable['values'] {
  const isNumber = (text: string) => /^(?:0|[1-9]\d{0,8})$/.test(text)
  if (![...parts.values()].every(isNumber)) return parts
  return new Map([...parts].map(([site, text]) => [site, Number(text)]))
}

/** Places in which the secret of a site has the name of the site in its own, and these names. */
export interface SiteSecrets {
  readonly places: VariablePlaces
  /** By the identity of the secret. */
  readonly names: ReadonlyMap<unknown, string>
}

const MIN_SITES = 2

/**
 * Replaces the variables for secrets of single sites by names such as `WLAN_SECRET_{site}_IOT_PSK`. A site whose
 * secret is also that of another one keeps it as an exception.
 */
export function siteSecrets(
  places: VariablePlaces,
  sites: readonly RequestedImport[],
  { variable: site, stem }: SiteNames,
  form: SecretForm
): SiteSecrets {
  const single = secretsOfSingleSites(sites)
  const names = new Map<unknown, string>()
  const taken = new Set<string>()
  const uses = [...places].flatMap(([profile, of]) =>
    [...of].map(([pointer, { variable }]) => ({ variable, profile, pointer }))
  )
  const replaced = new Map<SiteVariable, VariablePlace>()
  for (const [variable, some] of groupBy(uses, use => use.variable)) {
    const own = [...variable.values].filter(([, value]) => {
      return (
        value instanceof Secret && single.has(identityOf(value)) && !names.has(identityOf(value))
      )
    })
    const parts = fieldParts(
      some.map(({ profile, pointer }) => ({ key: profile.family.key, pointer }))
    )
    const nameOn = (place: string) => secretName([...stem, place, ...parts], form)
    const named = own.map(([of, value]) => [value, nameOn(String(site.values.get(of)))] as const)
    const isUnique = new Set(named.map(([, name]) => name)).size === own.length
    if (!isUsual(own.length, variable.values.size) || !isUnique || own.length < MIN_SITES) continue
    if (named.some(([, name]) => taken.has(name))) continue
    for (const [value, name] of named) {
      names.set(identityOf(value as Secret), name)
      taken.add(name)
    }
    const secret = { name: nameOn(`{${site.name}}`), values: new Map(own) }
    replaced.set(variable, { variable: site, secret })
  }
  const placesOf = (of: ReadonlyMap<Pointer, VariablePlace>) =>
    new Map([...of].map(([at, place]) => [at, replaced.get(place.variable) ?? place]))
  return { places: new Map([...places].map(([profile, of]) => [profile, placesOf(of)])), names }
}

function secretsOfSingleSites(sites: readonly RequestedImport[]): ReadonlySet<unknown> {
  const uses = sites.flatMap(site =>
    site.wlans.flatMap(({ fields }) =>
      [...secretsWithin(fields)].map(([, secret]) => ({ site, identity: identityOf(secret) }))
    )
  )
  const sitesBy = groupBy(uses, ({ identity }) => identity)
  return new Set(
    [...sitesBy].flatMap(([identity, of]) =>
      of.every(({ site }) => site === of[0].site) ? identity : []
    )
  )
}

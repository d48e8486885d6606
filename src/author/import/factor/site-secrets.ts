import { groupBy, groupsBy, isUsual } from '../../../core/values/collections.ts'
import type { Pointer } from '../../../core/values/pointer.ts'
import { Secret } from '../../../core/values/secret.ts'
import { secretsWithin } from '../../../core/values/value.ts'
import { fileNamePart } from '../../../fleet/secrets/source.ts'
import { envNamePart } from '../../../fleet/secrets/variable-names.ts'
import { fieldParts, identityOf, type SecretForm, secretName } from '../secrets.ts'
import type { RequestedImport } from '../site.ts'
import type { SiteVariable, VariablePlace, VariablePlaces } from './variables.ts'

/** Places in which the secret of a site has the name of the site in its own, and these names. */
export interface SiteSecrets {
  readonly places: VariablePlaces
  /** By the identity of the secret. */
  readonly names: ReadonlyMap<unknown, string>
}

const MIN_SITES = 2

/**
 * Replaces the variables for secrets that nearly all sites have for themselves by names such as
 * `WLAN_SECRET_{site}_IOT_PSK`. A site with the secret of another one is an exception, and so are sites whose names are
 * spelt alike.
 */
export function siteSecrets(
  places: VariablePlaces,
  sites: readonly RequestedImport[],
  siteName: SiteVariable,
  form: SecretForm
): SiteSecrets {
  const firstSites = firstSitesOf(sites)
  const asPart = form.kind === '$env' ? envNamePart : fileNamePart
  const names = new Map<unknown, string>()
  const uses = [...places].flatMap(([{ family }, of]) =>
    [...of].map(([pointer, { variable }]) => ({ variable, key: family.key, pointer }))
  )
  const replaced = new Map<SiteVariable, VariablePlace>()
  for (const [variable, some] of groupBy(uses, use => use.variable)) {
    const name = secretName(['{site}', ...fieldParts(some)], form)
    const taken = new Set(names.values())
    const nameAt = (site: RequestedImport) => name.replace('{site}', () => asPart(site.name))
    const unnamed = [...variable.values].flatMap(([site, value]) => {
      const isOwn = value instanceof Secret && firstSites.get(identityOf(value)) === site
      return isOwn && !names.has(identityOf(value)) ? [[site, value] as const] : []
    })
    const own = groupsBy(unnamed, ([site]) => nameAt(site)).flatMap(same =>
      same.length > 1 || taken.has(nameAt(same[0][0])) ? [] : same
    )
    if (!isUsual(own.length, variable.values.size) || own.length < MIN_SITES) continue
    for (const [site, value] of own) names.set(identityOf(value), nameAt(site))
    replaced.set(variable, { variable: siteName, secret: { name, values: new Map(own) } })
  }
  const placesOf = (of: ReadonlyMap<Pointer, VariablePlace>) =>
    new Map([...of].map(([at, place]) => [at, replaced.get(place.variable) ?? place]))
  return { places: new Map([...places].map(([profile, of]) => [profile, placesOf(of)])), names }
}

/** The first site with each secret. */
function firstSitesOf(sites: readonly RequestedImport[]): ReadonlyMap<unknown, RequestedImport> {
  const secrets = sites
    .toReversed()
    .flatMap(site =>
      site.wlans.flatMap(({ fields }) =>
        [...secretsWithin(fields)].map(([, secret]) => [identityOf(secret), site] as const)
      )
    )
  return new Map(secrets)
}

import { groupBy } from '../../../core/values/collections.ts'
import type { Pointer } from '../../../core/values/pointer.ts'
import { Secret } from '../../../core/values/secret.ts'
import type { Value } from '../../../core/values/value.ts'
import { fieldParts, type ImportedSecret, type SecretForm, secretName } from '../secrets.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import { isOverridden, type ProfileExtension } from './assign.ts'
import type { SiteDifferences } from './groups.ts'
import type { SiteNames } from './naming.ts'
import type { SiteVariable, VariablePlaces } from './variables.ts'

/** Secrets that differ from site to site, and so have the variable that distinguishes the sites in their names. */
export interface SiteSecrets extends SiteDifferences {
  readonly named: readonly ImportedSecret[]
  /** The places of the named secrets, by WLAN. */
  readonly covered: ReadonlyMap<ImportedWlan, ReadonlySet<Pointer>>
}

interface Use {
  readonly site: ImportedSite
  readonly wlan: ImportedWlan
  readonly key: string
  readonly pointer: Pointer
}

interface NamedVariable {
  readonly template: string
  readonly secrets: readonly ImportedSecret[]
}

const MIN_SITES = 2

/**
 * Replaces the variables for secrets of single sites by names such as `WLAN_SECRET_{site}_IOT_AUTH_PSK`. Two
 * sites that share such a secret have two names for it.
 */
export function siteSecrets(
  site: SiteNames,
  extensions: readonly ProfileExtension[],
  { places, vars, groups }: SiteDifferences,
  form: SecretForm
): SiteSecrets {
  const uses = usesOf(extensions, places)
  const taken = new Set<string>()
  const named = [...uses].flatMap(([variable, some]) => {
    const isGroups = groups.some(group => group.vars.has(variable))
    const found = isGroups
      ? undefined
      : namedVariable(some, of => vars.get(of)?.get(variable), site, form)
    const names = (found?.secrets ?? []).map(({ name }) => name)
    if (found === undefined || names.some(name => taken.has(name))) return []
    for (const name of names) taken.add(name)
    return [{ variable, ...found }]
  })
  const templates = new Map(named.map(({ variable, template }) => [variable, template]))
  return {
    named: named.flatMap(({ secrets }) => secrets),
    covered: pointersByWlan(named.flatMap(({ variable }) => uses.get(variable) ?? [])),
    groups,
    places: new Map(
      [...places].map(([profile, found]) => [
        profile,
        new Map(
          [...found].map(([at, place]) => {
            const secret = templates.get(place.variable)
            return [at, secret === undefined ? place : { variable: site.variable, secret }]
          })
        )
      ])
    ),
    vars: new Map(
      [...vars].map(([of, own]) => {
        const kept = [...own].filter(([variable]) => !templates.has(variable))
        const value = site.variable.values.get(of) ?? ''
        return [of, new Map(kept.length < own.size ? [...kept, [site.variable, value]] : own)]
      })
    )
  }
}

function usesOf(
  extensions: readonly ProfileExtension[],
  places: VariablePlaces
): Map<SiteVariable, Use[]> {
  const all = extensions.flatMap(({ member: { site, wlan }, profile, override }) =>
    [...(places.get(profile) ?? [])]
      .filter(([at]) => !isOverridden(override, at))
      .map(
        ([pointer, { variable }]) =>
          [variable, { site, wlan, key: profile.family.key, pointer }] as const
      )
  )
  const byVariable = groupBy(all, ([variable]) => variable)
  return new Map([...byVariable].map(([variable, uses]) => [variable, uses.map(([, use]) => use)]))
}

/** Undefined for a variable of other values, or whose values several sites share. */
function namedVariable(
  uses: readonly Use[],
  valueAt: (site: ImportedSite) => Value | undefined,
  { stem, variable }: SiteNames,
  form: SecretForm
): NamedVariable | undefined {
  const parts = fieldParts(uses)
  const bySite = groupBy(uses, ({ site }) => site)
  const secrets = [...bySite].flatMap(([site, [first, ...others]]) => {
    const secret = valueAt(site)
    if (!(secret instanceof Secret)) return []
    const name = secretName([...stem, String(variable.values.get(site)), ...parts], form)
    const address = `${site.site.name}/${first.key}` as const
    return [{ name, address, pointer: first.pointer, uses: others.length + 1, secret }]
  })
  const values = new Set(secrets.map(({ secret }) => (secret.known ? secret.reveal() : secret)))
  const isOfSites = secrets.length === bySite.size && 2 * values.size > secrets.length
  if (!isOfSites || secrets.length < MIN_SITES) return undefined
  return { template: secretName([...stem, `{${variable.name}}`, ...parts], form), secrets }
}

function pointersByWlan(uses: readonly Use[]): Map<ImportedWlan, Set<Pointer>> {
  const byWlan = groupBy(uses, ({ wlan }) => wlan)
  return new Map(
    [...byWlan].map(([wlan, own]) => [wlan, new Set(own.map(({ pointer }) => pointer))])
  )
}

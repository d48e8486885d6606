import { findKinds, type GroupName } from '../../../core/audit/kinds.ts'
import { matchSite } from '../../../core/diff/match.ts'
import { isError } from '../../../core/model/finding.ts'
import { groupBy } from '../../../core/values/collections.ts'
import { Secret } from '../../../core/values/secret.ts'
import { mapValue, type ValueObject } from '../../../core/values/value.ts'
import { loadTexts } from '../../../fleet/load.ts'
import { referencesOnly } from '../../../fleet/secrets/source.ts'
import { type ImportedSecret, SecretCatalog, type SecretForm } from '../secrets.ts'
import type { RequestedImport } from '../site.ts'
import type { ImportedFile, Pause } from '../site-files.ts'
import { type Extension, extendProfiles, type SiteKind } from './extensions.ts'
import { findFamilies, type WlanFamily } from './families.ts'
import { LayerWriter } from './files.ts'
import { findGroups, groupWith, matchesGroup, type SiteGroup, type SiteVars } from './groups.ts'
import { siteOverrides } from './overrides.ts'
import { profileBlock, withBase } from './profile-blocks.ts'
import { type Profile, profileOf } from './profiles.ts'
import { siteSecrets } from './site-secrets.ts'
import { findVariables, type SiteNames, siteNames } from './variables.ts'

/** The files of an import. */
export interface WrittenFleet {
  readonly files: readonly ImportedFile[]
  readonly secrets: readonly ImportedSecret[]
  /** The requested names of groups that match no group. */
  readonly unmatched: readonly GroupName[]
  /** The number of lines in all plain files, and in those in layers; absent without profiles. */
  readonly lines?: { readonly plain: number; readonly factored: number }
  /** In layers, the key of each WLAN in the files, by the id of the WLAN. */
  readonly keys?: ReadonlyMap<string, string>
  /** Why the files are not in layers, although requested. */
  readonly problem?: string
}

export interface WriteOptions {
  readonly form: SecretForm
  /** The first that matches a group names it. */
  readonly groupNames: readonly GroupName[]
  /** False for a file for each site. */
  readonly inLayers: boolean
}

/**
 * Declares sites, in layers or each by itself. In layers, common fields become profiles, fields that differ by site become
 * variables, and other fields stay with their site. Loads these files and compares them before it returns them: every
 * WLAN must equal the declaration of its own site, field by field; if one differs, each site is by itself.
 */
export async function writeFleet(
  sites: readonly RequestedImport[],
  options: WriteOptions,
  pause: Pause
): Promise<WrittenFleet> {
  const { files, secrets } = await draft(sites, [], options, pause)
  const plain = { files, secrets, unmatched: [] }
  if (!options.inLayers) return plain
  const { catalog, ...layered } = await draft(sites, findFamilies(sites), options, pause)
  const keys = await declaredKeys(layered.files, catalog, sites, pause)
  if (typeof keys === 'string') return { ...plain, problem: keys }
  const hasProfiles = layered.files.some(({ profiles }) => profiles !== undefined)
  if (!hasProfiles) return { ...plain, unmatched: layered.unmatched, keys }
  const lines = { plain: countLines(files), factored: countLines(layered.files) }
  return { ...layered, lines, keys }
}

async function draft(
  sites: readonly RequestedImport[],
  families: readonly WlanFamily[],
  { form, groupNames }: WriteOptions,
  pause: Pause
) {
  const keysOf = (site: RequestedImport) =>
    families.filter(({ members }) => members.has(site)).map(({ key }) => key)
  // A list of sites tells the own WLANs of a site by their SSIDs.
  const unlisted = sites.filter(({ wlans }) =>
    wlans.some(({ fields }) => fields['ssid'] === undefined)
  )
  const listed = sites.filter(site => !unlisted.includes(site))
  const kinds: readonly SiteKind[] = [
    ...findKinds(listed, keysOf, groupNames),
    ...unlisted.map(site => ({ name: site.slug, networks: keysOf(site), sites: [site] }))
  ]
  const kindOf = new Map(kinds.flatMap(kind => kind.sites.map(site => [site, kind] as const)))
  const profiles: Profile[] = []
  for (const family of families) {
    await pause()
    profiles.push(profileOf(family, kindOf))
  }
  const names = siteNames(sites)
  const varying = await findVariables(profiles, names, pause)
  const { places, names: secretNames } = siteSecrets(varying, sites, names.name, form)
  const extended = await extendProfiles(kinds, profiles, places, pause)
  const extensions = extended.flatMap(each => [...each.extensions.values()].flat())
  const vars = varsBySite(extensions, names)
  const ofKinds = groupsOfKinds(kinds)
  const clusters = findGroups(vars, groupNames, ofKinds)
  const groups = ofKinds.length > 1 ? [...ofKinds, ...clusters] : clusters
  const catalog = new SecretCatalog(withFamilyKeys(sites, extensions), form, {
    names: secretNames,
    ownerOf: secret => groupWith(secret, clusters)
  })
  const blocks = withBase(
    profiles.map(profile => profileBlock(profile, places.get(profile), catalog))
  )
  const writer = new LayerWriter({ ...blocks, groups, kinds: extended, vars }, catalog)
  return {
    files: await writer.write(sites, pause),
    secrets: catalog.secrets,
    catalog,
    unmatched: groupNames.filter(
      name => ![...ofKinds, ...clusters].some(group => matchesGroup(group, name))
    )
  }
}

function countLines(files: readonly ImportedFile[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
}

/** The values of the variables that each site needs, apart from its name. */
function varsBySite(
  extensions: readonly Extension[],
  { name }: SiteNames
): ReadonlyMap<RequestedImport, SiteVars> {
  const bySite = groupBy(extensions, ({ site }) => site)
  return new Map(
    [...bySite].map(([site, own]) => {
      const variables = new Set(own.flatMap(each => [...each.variables]))
      variables.delete(name)
      return [site, new Map([...variables].map(each => [each, each.values.get(site) ?? null]))]
    })
  )
}

/** A group without variables for the sites of each kind. */
function groupsOfKinds(kinds: readonly SiteKind[]): SiteGroup[] {
  return kinds
    .filter(({ sites }) => sites.length > 1)
    .map(({ name, sites }) => ({ name, vars: new Map(), sites: new Set(sites) }))
}

/** The sites with the keys of their WLANs in layers, which become part of the names of secrets. */
function withFamilyKeys(
  sites: readonly RequestedImport[],
  extensions: readonly Extension[]
): RequestedImport[] {
  const keys = new Map(extensions.map(({ wlan, profile }) => [wlan, profile.family.key]))
  return sites.map(site => {
    const wlans = site.wlans.map(wlan => ({ ...wlan, key: keys.get(wlan) ?? wlan.key }))
    return { ...site, wlans }
  })
}

/**
 * The key of each WLAN by its id, or the first difference between the files and the plain declaration of a site.
 * Loads the files like any fleet: each WLAN must match the same live WLAN and declare the same fields and values,
 * further ones as they are live, and secrets by their references.
 */
async function declaredKeys(
  files: readonly ImportedFile[],
  catalog: SecretCatalog,
  sites: readonly RequestedImport[],
  pause: Pause
): Promise<ReadonlyMap<string, string> | string> {
  const texts = new Map(files.map(({ file, text }) => [file, text]))
  const { desired, findings } = await loadTexts(texts, referencesOnly(catalog.prefix))
  if (desired === undefined) return `the files would be invalid: ${findings.find(isError)?.code}`
  const declared = new Map(desired.sites.map(site => [site.id, site]))
  const keys = new Map<string, string>()
  const withSecrets = (fields: ValueObject) =>
    mapValue(fields, inner =>
      inner instanceof Secret ? catalog.secretOf(inner) : undefined
    ) as ValueObject
  for (const site of sites) {
    await pause()
    const found = declared.get(site.id)
    if (found === undefined) return `the site ${site.name} would be missing`
    const [difference] = siteOverrides(found, site, withSecrets)
    if (difference) return `${site.name}/${difference[0]} would be declared differently`
    const managed = [...matchSite(found, { site, wlans: site.wlans })].flatMap(
      ([{ excluded, key }, match]) => (excluded || !('live' in match) ? [] : { key, ...match })
    )
    if (managed.length !== site.wlans.length) return `${site.name} would have other WLANs`
    for (const { key, live } of managed) keys.set(live.id, key)
  }
  return keys
}

import { findKinds, type GroupName } from '../../../core/audit/kinds.ts'
import { comparisonKey } from '../../../core/diff/agree.ts'
import { matchSite } from '../../../core/diff/match.ts'
import type { DesiredSite } from '../../../core/model/desired.ts'
import { isError } from '../../../core/model/finding.ts'
import { usual } from '../../../core/values/collections.ts'
import { nameOfSecret, Secret } from '../../../core/values/secret.ts'
import { mapValue, type ValueObject } from '../../../core/values/value.ts'
import { loadTexts } from '../../../fleet/load.ts'
import { referencesOnly } from '../../../fleet/secrets/source.ts'
import { type ImportedSecret, SecretCatalog, type SecretForm } from '../secrets.ts'
import type { ImportedWlan, RequestedImport } from '../site.ts'
import type { ImportedFile, Pause } from '../site-files.ts'
import { extendProfiles, type SiteKind } from './extensions.ts'
import { findFamilies, type WlanFamily } from './families.ts'
import { LayerWriter } from './files.ts'
import { findGroups, matchesGroup } from './groups.ts'
import { mapLeaves } from './leaves.ts'
import { siteOverrides } from './overrides.ts'
import { type ProfileDraft, profileOf, withBase } from './profiles.ts'
import { findVariables, withReferences } from './variables.ts'

/** The files of an import. */
export interface WrittenFleet {
  readonly files: readonly ImportedFile[]
  readonly secrets: readonly ImportedSecret[]
  /** The requested names of groups that match no group. */
  readonly unmatched: readonly GroupName[]
  /** The number of lines in all plain files, and in those in layers; absent without profiles. */
  readonly lines?: { readonly plain: number; readonly factored: number }
  /** In layers, the sites as the files declare them. */
  readonly declared?: readonly DesiredSite[]
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
  const families = options.inLayers ? findFamilies(sites) : []
  const { files, secrets } = await draft(sites, [], options, pause)
  const plain = { files, secrets, unmatched: options.inLayers ? options.groupNames : [] }
  if (families.length === 0) return plain
  const { catalog, ...layered } = await draft(sites, families, options, pause)
  const checked = await checkedLayers(layered.files, catalog, sites, pause)
  if (typeof checked === 'string') return { ...plain, problem: checked }
  const lines = { plain: countLines(files), factored: countLines(layered.files) }
  return { ...layered, lines, ...checked }
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
  const isListed = ({ wlans }: RequestedImport) =>
    wlans.every(({ fields }) => fields['ssid'] !== undefined)
  const kinds: readonly SiteKind[] = [
    ...findKinds(sites.filter(isListed), keysOf, groupNames),
    ...sites.flatMap(site =>
      isListed(site) ? [] : { name: site.slug, networks: keysOf(site), sites: [site] }
    )
  ]
  const shared = kinds.filter(kind => kind.sites.length > 1)
  const kindOf = new Map(shared.flatMap(kind => kind.sites.map(site => [site, kind] as const)))
  const drafts: ProfileDraft[] = []
  for (const family of families) {
    await pause()
    drafts.push(profileOf(family, kindOf))
  }
  const variables = await findVariables(drafts, pause)
  const ofKinds = shared.map(({ name, sites }) => {
    const zones = sites.flatMap(site => site.timezone ?? [])
    const [zone] = zones.length < sites.length ? [] : usual(zones, each => each)
    return { name, vars: new Map(zone ? [['timezone', zone]] : []), sites: new Set(sites) }
  })
  const clusters = findGroups(new Set(variables.values()), groupNames, ofKinds)
  const isSingle = ofKinds.length === 1 && ofKinds[0]?.vars.size === 0
  const groups = isSingle ? clusters : [...ofKinds, ...clusters]
  const catalog = new SecretCatalog(sites, form, familyKeys(families), secret => {
    const key = comparisonKey(secret)
    const having = clusters.filter(({ vars }) =>
      [...vars.values()].some(each => comparisonKey(each) === key)
    )
    return having.length === 1 ? having[0]?.name : undefined
  })
  const profiles = drafts.map(each => withReferences(each, variables, catalog))
  const blocks = withBase(
    profiles.map(({ family, template, places }) => [
      family.key,
      mapLeaves(template, (value, at) => places.get(at)?.written ?? value)
    ])
  )
  const extended = await extendProfiles(kinds, profiles, pause)
  const layers = { ...blocks, groups, kinds: extended }
  return {
    files: await new LayerWriter(layers, catalog).write(sites, pause),
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

/** The key of each WLAN of a family, which becomes part of the names of secrets. */
function familyKeys(families: readonly WlanFamily[]): ReadonlyMap<ImportedWlan, string> {
  const all = families.flatMap(({ key, members }) =>
    [...members.values()].flatMap(({ wlans }) => wlans.map(wlan => [wlan, key] as const))
  )
  return new Map(all)
}

/**
 * The declared sites and the key of each WLAN by its id, or the first difference between the files and the plain declaration of a site.
 * Loads the files like any fleet: each WLAN must match the same live WLAN and declare the same fields and values,
 * further ones as they are live, and secrets by their references.
 */
async function checkedLayers(
  files: readonly ImportedFile[],
  catalog: SecretCatalog,
  sites: readonly RequestedImport[],
  pause: Pause
): Promise<Required<Pick<WrittenFleet, 'declared' | 'keys'>> | string> {
  const texts = new Map(files.map(({ file, text }) => [file, text]))
  const { desired, findings } = await loadTexts(texts, referencesOnly(catalog.form.prefix))
  if (desired === undefined) return `the files would be invalid: ${findings.find(isError)?.code}`
  const declared = new Map(desired.sites.map(site => [site.id, site]))
  const keys = new Map<string, string>()
  const live = new Map(catalog.secrets.map(({ name, secret }) => [name, secret]))
  const withSecrets = (fields: ValueObject) =>
    mapValue(fields, inner =>
      inner instanceof Secret ? live.get(nameOfSecret(inner) ?? '') : undefined
    ) as ValueObject
  for (const site of sites) {
    await pause()
    const found = declared.get(site.id)
    if (found === undefined) return `the site ${site.name} would be missing`
    const [difference] = siteOverrides(found, site, withSecrets)
    if (difference) return `${site.name}/${difference[0]} would be declared differently`
    for (const [{ key }, match] of matchSite(found, { site, wlans: site.wlans })) {
      if ('live' in match) keys.set(match.live.id, key)
    }
  }
  return { declared: desired.sites, keys }
}

import { agreesExactly } from '../../../core/diff/agree.ts'
import { matchSite } from '../../../core/diff/match.ts'
import type { DesiredSite } from '../../../core/model/desired.ts'
import { isError } from '../../../core/model/finding.ts'
import type { LiveSite, LiveWlan } from '../../../core/model/live.ts'
import { wlanField } from '../../../core/schema/field.ts'
import { groupBy } from '../../../core/values/collections.ts'
import { Secret } from '../../../core/values/secret.ts'
import { mapValue, type Value, type ValueObject } from '../../../core/values/value.ts'
import { loadTexts } from '../../../fleet/load.ts'
import { referencesOnly } from '../../../fleet/secrets/source.ts'
import { UniqueNames } from '../names.ts'
import { type ImportedSecret, SecretCatalog, type SecretForm } from '../secrets.ts'
import type { ImportedSite } from '../site.ts'
import type { ImportedFile, Pause } from '../site-files.ts'
import type { RequestedImport } from '../site-requests.ts'
import { assignProfiles, type ProfileExtension, sharedProfiles, siteVariables } from './assign.ts'
import {
  findFamilies,
  type ProfileCandidate,
  profileCandidates,
  type WlanFamily
} from './families.ts'
import { FactoredFileWriter } from './files.ts'
import { findGroups, groupWith } from './groups.ts'
import { withImplied } from './implied.ts'
import { mapLeaves } from './leaves.ts'
import type { FactoredSite } from './lists.ts'
import { type GroupName, matchesGroup, nameGroups, siteNames } from './naming.ts'
import { type ProfileSummary, profilesOf } from './profiles.ts'
import { type SiteSecrets, siteSecrets } from './site-secrets.ts'
import { findVariables } from './variables.ts'

/** A fleet in layers, or the reason for not using layers. */
export type Factored =
  | {
      readonly files: readonly ImportedFile[]
      readonly secrets: readonly ImportedSecret[]
      readonly profiles: readonly ProfileSummary[]
      /** The requested names of groups that match no group. */
      readonly unmatched: readonly GroupName[]
      /** The number of lines in all plain files, and in the factored ones. */
      readonly lines: { readonly plain: number; readonly factored: number }
      /** The key of each WLAN in the files, by the id of the WLAN. */
      readonly keys: ReadonlyMap<string, string>
    }
  | { readonly reason: string }

export interface FactorOptions {
  readonly form: SecretForm
  /** The first that matches a group names it. */
  readonly groupNames: readonly GroupName[]
}

/**
 * Declares sites in layers: common fields become profiles, fields that differ by site become variables, and
 * other fields stay with their site. Loads the files and compares them before it returns them: every WLAN
 * must equal the declaration of its own site, field by field. Returns a reason instead if one differs, or if
 * the files save no lines compared with the `plain` ones.
 */
export async function factor(
  sites: readonly RequestedImport[],
  plain: readonly ImportedFile[],
  { form, groupNames }: FactorOptions,
  pause: Pause
): Promise<Factored> {
  const profileNames = new UniqueNames('-')
  const all = sites.map(([, imported]) => imported)
  const { families, single } = await findFamilies(all, pause)
  const candidates: (readonly [WlanFamily, readonly ProfileCandidate[]])[] = []
  for (const family of families) {
    await pause()
    candidates.push([family, profileCandidates(family, profileNames)])
  }
  const kinds = candidates.flatMap(([, found]) => found)
  const ofSites = siteNames(sites)
  const places = await findVariables(kinds, ofSites.variable, pause)
  const extensions = await assignProfiles(candidates, single, places, pause)
  const profiles = sharedProfiles(extensions)
  if (profiles.length === 0) return { reason: 'no WLAN is on more than one site' }
  const isUsed = new Set(profiles)
  const kept = extensions.filter(({ profile }) => isUsed.has(profile))
  const factoredSites = groupBySite(sites, kept)
  const vars = new Map(
    factoredSites.map(({ imported, extensions: own }) => [imported, siteVariables(own)])
  )
  const groups = nameGroups(findGroups(vars), groupNames)
  const { named, covered, ...variables } = siteSecrets(
    ofSites,
    kept,
    { places, vars, groups },
    form
  )
  const catalog = new SecretCatalog(withProfileKeys(sites, kept, covered), form, {
    named,
    ownerOf: secret => groupWith(secret, groups)
  })
  const fileNames = new UniqueNames('-')
  for (const [{ slug }] of sites) fileNames.take(slug)
  const written = profilesOf(profiles, kept, variables.places, catalog)
  const writer = new FactoredFileWriter(catalog, variables, fileNames)
  const files = await writer.write(written, factoredSites, pause)
  const keys = await declaredKeys(files, catalog, all, pause)
  if (typeof keys === 'string') return { reason: keys }
  const lines = { plain: countLines(plain), factored: countLines(files) }
  if (lines.factored >= lines.plain) return { reason: 'layers would save no lines' }
  const unmatched = groupNames.filter(({ glob }) => !groups.some(each => matchesGroup(each, glob)))
  return { files, secrets: catalog.secrets, profiles: written.summaries, unmatched, lines, keys }
}

function countLines(files: readonly ImportedFile[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
}

/**
 * The sites with the keys of their WLANs in layers, which become part of the names of secrets, and without the
 * secrets that have a name.
 */
function withProfileKeys(
  sites: readonly RequestedImport[],
  extensions: readonly ProfileExtension[],
  covered: SiteSecrets['covered']
): RequestedImport[] {
  const ofFamilies = extensions.filter(({ isVariant }) => !isVariant)
  const keys = new Map(ofFamilies.map(({ member, profile }) => [member.wlan, profile.family.key]))
  return sites.map(([requested, imported]) => {
    const wlans = imported.wlans.map(wlan => {
      const named = covered.get(wlan)
      const fields = mapLeaves(wlan.fields, (value, at) => (named?.has(at) ? null : value))
      return { ...wlan, key: keys.get(wlan) ?? wlan.key, fields }
    })
    return [requested, { ...imported, wlans }]
  })
}

function groupBySite(
  sites: readonly RequestedImport[],
  extensions: readonly ProfileExtension[]
): FactoredSite[] {
  const bySite = groupBy(extensions, ({ member }) => member.site)
  return sites.map(([requested, imported]) => {
    const extending = bySite.get(imported) ?? []
    const wlans = new Set(extending.map(({ member }) => member.wlan))
    return {
      imported,
      requested,
      extensions: extending.filter(({ isVariant }) => !isVariant),
      variants: extending.filter(({ isVariant }) => isVariant),
      own: imported.wlans.filter(wlan => !wlans.has(wlan))
    }
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
  sites: readonly ImportedSite[],
  pause: Pause
): Promise<ReadonlyMap<string, string> | string> {
  const texts = new Map(files.map(({ file, text }) => [file, text]))
  const { desired, findings } = await loadTexts(texts, referencesOnly(catalog.prefix))
  if (desired === undefined) return `the files would be invalid: ${findings.find(isError)?.code}`
  const declared = new Map(desired.sites.map(site => [site.id, site]))
  const keys = new Map<string, string>()
  for (const site of sites) {
    await pause()
    const difference = siteDifference(site, declared.get(site.site.id), catalog, keys)
    if (difference !== undefined) return difference
  }
  return keys
}

function siteDifference(
  imported: ImportedSite,
  declared: DesiredSite | undefined,
  catalog: SecretCatalog,
  keys: Map<string, string>
): string | undefined {
  if (declared === undefined) return `the site ${imported.site.name} would be missing`
  const declaredFields = new Map<string, ValueObject>()
  for (const [wlan, match] of matchSite(declared, toLiveSite(imported))) {
    if (!('live' in match)) return `${wlan.address} would match no live WLAN`
    declaredFields.set(match.live.id, wlan.fields)
    keys.set(match.live.id, wlan.key)
  }
  if (declaredFields.size !== imported.wlans.length)
    return `${declared.name} would have other WLANs`
  const other = imported.wlans.find(({ id, fields, record }) => {
    const found = resolveSecrets(declaredFields.get(id) ?? {}, catalog) as ValueObject
    return !agreesExactly(wlanField, found, withImplied(found, fields, record))
  })
  return other && `${declared.name}/${other.key} would be declared differently`
}

function toLiveSite({ site, wlans, inherited }: ImportedSite): LiveSite {
  const live = ({ id, ssid }: Pick<LiveWlan, 'id' | 'ssid'>) => ({
    id,
    ssid,
    record: {},
    readAt: 0
  })
  return { site, wlans: [...wlans, ...inherited].map(live) }
}

function resolveSecrets(value: Value, catalog: SecretCatalog): Value {
  return mapValue(value, inner => (inner instanceof Secret ? catalog.secretOf(inner) : undefined))
}

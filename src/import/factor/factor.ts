import { groupBy } from '../../model/collections.ts'
import { UniqueNames } from '../names.ts'
import { type ImportedSecret, SecretNames, SecretReferencer } from '../secrets.ts'
import type { ImportedFile, Pause } from '../site-files.ts'
import type { RequestedImport } from '../site-requests.ts'
import {
  assignProfiles,
  type ProfileExtension,
  type ProfileSummary,
  summarizeProfiles
} from './assign.ts'
import {
  findFamilies,
  type ProfileCandidate,
  profileCandidates,
  type WlanFamily
} from './families.ts'
import { FactoredFileWriter, type FactoredSite } from './files.ts'
import { findVariables } from './variables.ts'
import { findDifferences } from './verify.ts'

/** A fleet in layers, or the reason why there are none. */
export type Factored =
  | {
      readonly files: readonly ImportedFile[]
      readonly secrets: readonly ImportedSecret[]
      readonly profiles: readonly ProfileSummary[]
      /** All lines of the plain files, and of the factored ones. */
      readonly lines: { readonly plain: number; readonly factored: number }
    }
  | { readonly reason: string }

/**
 * Declares sites in layers: common fields become profiles, fields that differ by site become variables, and
 * the rest stays with its site. The files are loaded and compared before they are returned: every WLAN must
 * equal the declaration of its own site, field by field. Returns a reason instead if one differs, or if the
 * files save no lines over the `plain` ones.
 */
export async function factor(
  sites: readonly RequestedImport[],
  plain: readonly ImportedFile[],
  secretPrefix: string,
  pause: Pause
): Promise<Factored> {
  const profileNames = new UniqueNames('-')
  const families = await findFamilies(
    sites.map(([, imported]) => imported),
    pause
  )
  const candidates: (readonly [WlanFamily, readonly ProfileCandidate[]])[] = []
  for (const family of families) {
    await pause()
    candidates.push([family, profileCandidates(family, profileNames)])
  }
  const all = candidates.flatMap(([, found]) => found)
  const places = await findVariables(all, pause)
  const extensions = await assignProfiles(candidates, places, pause)
  const profiles = sharedProfiles(extensions)
  if (profiles.length === 0) return { reason: 'no WLAN is on more than one site' }
  const isUsed = new Set(profiles)
  const kept = extensions.filter(({ profile }) => isUsed.has(profile))
  const references = new SecretReferencer(new SecretNames(secretPrefix))
  const fileNames = new UniqueNames('-')
  for (const [{ slug }] of sites) fileNames.take(slug)
  const writer = new FactoredFileWriter(references, places, fileNames)
  const files = await writer.write(profiles, groupBySite(sites, kept), pause)
  const { secrets } = references
  const [difference] = await findDifferences(
    files,
    secrets,
    sites.map(([, imported]) => imported),
    secretPrefix,
    pause
  )
  if (difference !== undefined) return { reason: difference }
  const lines = { plain: countLines(plain), factored: countLines(files) }
  if (lines.factored >= lines.plain) return { reason: 'layers would save no lines' }
  return { files, secrets, profiles: summarizeProfiles(profiles, kept, places), lines }
}

function countLines(files: readonly ImportedFile[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
}

/** The profiles that more than one WLAN extends. */
function sharedProfiles(extensions: readonly ProfileExtension[]): ProfileCandidate[] {
  const byProfile = groupBy(extensions, ({ profile }) => profile)
  return [...byProfile].flatMap(([profile, { length }]) => (length > 1 ? [profile] : []))
}

function groupBySite(
  sites: readonly RequestedImport[],
  extensions: readonly ProfileExtension[]
): FactoredSite[] {
  const bySite = groupBy(extensions, ({ member }) => member.site)
  return sites.map(([requested, imported]) => {
    const extended = bySite.get(imported) ?? []
    const extending = new Set(extended.map(({ member }) => member.wlan))
    const own = imported.wlans.filter(wlan => !extending.has(wlan))
    return { imported, requested, extensions: extended, own }
  })
}

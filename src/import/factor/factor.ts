import { UniqueNames } from '../names.ts'
import { type ImportedSecret, SecretNames, SecretReferencer } from '../secrets.ts'
import type { ImportedFile, Pause, RequestedImport } from '../site-files.ts'
import {
  assignProfiles,
  type ProfileExtension,
  type ProfileSummary,
  summarizeProfiles
} from './assign.ts'
import {
  findFamilies,
  groups,
  type ProfileCandidate,
  profileCandidates,
  type WlanFamily
} from './families.ts'
import { FactoredFileWriter, type FactoredSite } from './files.ts'
import { findVariables } from './variables.ts'
import { findDifferences } from './verify.ts'

/** A fleet in layers, or why there is none. */
export type Factored =
  | {
      readonly files: readonly ImportedFile[]
      readonly secrets: readonly ImportedSecret[]
      readonly profiles: readonly ProfileSummary[]
      /** Of all files: of those for each site, and of these. */
      readonly lines: { readonly plain: number; readonly factored: number }
    }
  | { readonly reason: string }

/**
 * Declares sites in layers: what WLANs have in common is a profile, what differs from site to site a
 * variable, and the rest stays with its site. The files are loaded again before they are given: each WLAN
 * is what its site's own declaration would be, field by field, or there is a reason instead. So there is
 * where they would save nothing over the `plain` files.
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
  const found: (readonly [WlanFamily, readonly ProfileCandidate[]])[] = []
  for (const family of families) {
    await pause()
    found.push([family, profileCandidates(family, profileNames)])
  }
  const all = found.flatMap(([, kinds]) => kinds)
  const uses = await findVariables(all, pause)
  const assigned = await assignProfiles(found, uses, pause)
  const kinds = sharedProfiles(assigned)
  if (kinds.length === 0) return { reason: 'no WLAN is on several sites' }
  const isUsed = new Set(kinds)
  const kept = assigned.filter(({ profile: kind }) => isUsed.has(kind))
  const references = new SecretReferencer(new SecretNames(secretPrefix))
  const fileNames = new UniqueNames('-')
  for (const [{ slug }] of sites) fileNames.take(slug)
  const layout = new FactoredFileWriter(references, uses, fileNames)
  const files = await layout.write(kinds, assignmentsBySite(sites, kept), pause)
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
  if (lines.factored >= lines.plain) return { reason: 'layers would take as many lines' }
  return { files, secrets, profiles: summarizeProfiles(kinds, kept, uses), lines }
}

function countLines(files: readonly ImportedFile[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
}

/** A profile that a single WLAN extends saves nothing. */
function sharedProfiles(assigned: readonly ProfileExtension[]): ProfileCandidate[] {
  const byKind = groups(assigned, ({ profile: kind }) => kind)
  return [...byKind].flatMap(([kind, { length }]) => (length > 1 ? [kind] : []))
}

function assignmentsBySite(
  sites: readonly RequestedImport[],
  assigned: readonly ProfileExtension[]
): FactoredSite[] {
  const bySite = groups(assigned, ({ member }) => member.site)
  return sites.map(([requested, imported]) => {
    const mine = bySite.get(imported) ?? []
    const extending = new Set(mine.map(({ member }) => member.wlan))
    const own = imported.wlans.filter(wlan => !extending.has(wlan))
    return { imported, requested, assigned: mine, own }
  })
}

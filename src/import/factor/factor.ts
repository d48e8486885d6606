import type { File } from '../file.ts'
import { UniqueNames } from '../names.ts'
import type { Pause, SitePair } from '../plain.ts'
import { type ImportedSecret, References, SecretNames } from '../secrets.ts'
import { type Assigned, assignAll } from './assign.ts'
import { type Explained, explainFactoring } from './explain.ts'
import { familiesOf, groups, type WlanFamily } from './families.ts'
import { type Kind, kindsOf } from './kinds.ts'
import { Layout, type Placed } from './layout.ts'
import { differences } from './proof.ts'
import { variablesOf } from './variables.ts'

/** A fleet in layers, or why there is none. */
export type Factored =
  | {
      readonly files: readonly File[]
      readonly secrets: readonly ImportedSecret[]
      readonly profiles: readonly Explained[]
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
  sites: readonly SitePair[],
  plain: readonly File[],
  secretPrefix: string,
  pause: Pause
): Promise<Factored> {
  const profileNames = new UniqueNames('-')
  const families = await familiesOf(
    sites.map(([, imported]) => imported),
    pause
  )
  const found: (readonly [WlanFamily, readonly Kind[]])[] = []
  for (const family of families) {
    await pause()
    found.push([family, kindsOf(family, profileNames)])
  }
  const all = found.flatMap(([, kinds]) => kinds)
  const uses = await variablesOf(all, pause)
  const assigned = await assignAll(found, uses, pause)
  const kinds = usedTwice(assigned)
  if (kinds.length === 0) return { reason: 'no WLAN is on several sites' }
  const isUsed = new Set(kinds)
  const kept = assigned.filter(({ kind }) => isUsed.has(kind))
  const references = new References(new SecretNames(secretPrefix))
  const fileNames = new UniqueNames('-')
  for (const [{ slug }] of sites) fileNames.take(slug)
  const layout = new Layout(references, uses, fileNames)
  const files = await layout.files(kinds, placed(sites, kept), pause)
  const { secrets } = references
  const [difference] = await differences(
    files,
    secrets,
    sites.map(([, imported]) => imported),
    secretPrefix,
    pause
  )
  if (difference !== undefined) return { reason: difference }
  const lines = { plain: linesOf(plain), factored: linesOf(files) }
  if (lines.factored >= lines.plain) return { reason: 'layers would take as many lines' }
  return { files, secrets, profiles: explainFactoring(kinds, kept, uses), lines }
}

function linesOf(files: readonly File[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
}

/** A profile that a single WLAN extends saves nothing. */
function usedTwice(assigned: readonly Assigned[]): Kind[] {
  const byKind = groups(assigned, ({ kind }) => kind)
  return [...byKind].flatMap(([kind, { length }]) => (length > 1 ? [kind] : []))
}

function placed(sites: readonly SitePair[], assigned: readonly Assigned[]): Placed[] {
  const bySite = groups(assigned, ({ member }) => member.site)
  return sites.map(([requested, imported]) => {
    const mine = bySite.get(imported) ?? []
    const extending = new Set(mine.map(({ member }) => member.wlan))
    const own = imported.wlans.filter(wlan => !extending.has(wlan))
    return { imported, requested, assigned: mine, own }
  })
}

import type { File } from '../file.ts'
import { UniqueNames } from '../names.ts'
import type { SitePair } from '../plain.ts'
import { type ImportedSecret, References, SecretNames } from '../secrets.ts'
import { type Assigned, assignAll } from './assign.ts'
import { type Explained, explain } from './explain.ts'
import { familiesOf } from './families.ts'
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
  secretPrefix: string
): Promise<Factored> {
  const profileNames = new UniqueNames('-')
  const families = familiesOf(sites.map(([, imported]) => imported))
  const found = families.map(family => [family, kindsOf(family, profileNames)] as const)
  const uses = variablesOf(found.flatMap(([, kinds]) => kinds))
  const assigned = assignAll(found, uses)
  const kinds = usedTwice(assigned)
  const kept = assigned.filter(({ kind }) => kinds.includes(kind))
  if (kinds.length === 0) return { reason: 'no WLAN is on several sites' }
  const placed = sites.map(site => place(site, kept))
  const references = new References(new SecretNames(secretPrefix))
  const fileNames = new UniqueNames('-')
  for (const [{ slug }] of sites) fileNames.take(slug)
  const files = new Layout(references, uses, fileNames).files(kinds, placed)
  const { secrets } = references
  const [difference] = await differences(
    files,
    secrets,
    sites.map(([, imported]) => imported),
    secretPrefix
  )
  if (difference !== undefined) return { reason: difference }
  const lines = { plain: linesOf(plain), factored: linesOf(files) }
  if (lines.factored >= lines.plain) return { reason: 'layers would take as many lines' }
  return { files, secrets, profiles: explain(kinds, kept, uses), lines }
}

function linesOf(files: readonly File[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
}

/** A profile that a single WLAN extends saves nothing. */
function usedTwice(assigned: readonly Assigned[]): Kind[] {
  const kinds = [...new Set(assigned.map(({ kind }) => kind))]
  return kinds.filter(kind => assigned.filter(each => each.kind === kind).length > 1)
}

function place([requested, imported]: SitePair, assigned: readonly Assigned[]): Placed {
  const mine = assigned.filter(({ member }) => member.site === imported)
  const extending = new Set(mine.map(({ member }) => member.wlan))
  const own = imported.wlans.filter(wlan => !extending.has(wlan))
  return { imported, requested, assigned: mine, own }
}

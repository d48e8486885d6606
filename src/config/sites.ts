import { byCodeUnit } from '../model/collections.ts'
import { finding } from '../model/finding.ts'
import { isUuid } from '../model/names.ts'
import type { Budget } from './budget.ts'
import { checkKeys } from './checks/expect.ts'
import type { Findings } from './checks/findings.ts'
import type { SiteDeclaration } from './documents.ts'
import { at } from './files/source.ts'
import { type FleetSite, SiteBuilder } from './site-builder.ts'
import type { MapNode } from './yaml/tree.ts'

/**
 * Joins what several files declare of the same site: names, owners and variables must not
 * contradict each other, a WLAN's key occurs once. Sorted by name.
 */
export function joinSites(
  declarations: readonly SiteDeclaration[],
  budget: Budget,
  findings: Findings
): FleetSite[] {
  const drafts = new Map<string, SiteBuilder>()
  for (const declaration of declarations) {
    checkKeys(declaration.map, ['id', 'name', 'vars', 'owner'], findings)
    const id = idOf(declaration.map, findings)
    if (id === undefined) continue
    const draft = drafts.get(id.toLowerCase()) ?? new SiteBuilder(id, declaration.map, budget)
    drafts.set(id.toLowerCase(), draft)
    draft.add(declaration, findings)
  }
  const sites = [...drafts.values()].flatMap(draft => draft.site(findings) ?? [])
  sites.sort((a, b) => byCodeUnit(a.name, b.name))
  checkNames(sites, drafts, findings)
  return sites
}

function idOf(map: MapNode, findings: Findings): string | undefined {
  const entry = map.entries.get('id')
  if (entry === undefined) {
    findings.push(finding('SITE_ID_MISSING', at(map)))
    return undefined
  }
  const { value } = entry
  if (value.kind === 'scalar' && isUuid(value.value)) return value.value
  findings.push(finding('ID_NOT_UUID', at(value)))
  return undefined
}

/** Two sites of one name would give two WLANs one address. */
function checkNames(
  sites: readonly FleetSite[],
  drafts: ReadonlyMap<string, SiteBuilder>,
  findings: Findings
): void {
  for (const [index, site] of sites.entries()) {
    const before = sites[index - 1]
    const draft = drafts.get(site.id.toLowerCase())
    if (before?.name !== site.name || draft === undefined) continue
    findings.push(finding('SITE_NAME_TAKEN', draft.place, site.name, before.id))
  }
}

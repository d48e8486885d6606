import type { WrittenFleet } from '../../../../src/author/import/factor/factor.ts'
import type { RequestedImport } from '../../../../src/author/import/site.ts'
import { resolveRequests } from '../../../../src/cli/import/requested-sites.ts'
import type { GroupName } from '../../../../src/core/audit/kinds.ts'
import type { LiveSite } from '../../../../src/core/model/live.ts'
import { imported, writtenFleet } from '../import.ts'

/** The sites of a fleet as `import` reads them. */
export function importsOf(fleet: readonly LiveSite[], allFields = false): RequestedImport[] {
  const result = resolveRequests(fleet.map(({ site: { id, name } }) => ({ id, name, source: '' })))
  if (!('sites' in result)) throw new Error(result.problems.join())
  return result.sites.map(requested => {
    const live = fleet.find(({ site }) => site.id === requested.id)
    if (live === undefined) throw new Error('no such site')
    return { ...imported(live, allFields), ...requested }
  })
}

/** The files in layers, without a problem. */
export async function layersOf(
  fleet: readonly LiveSite[],
  groupNames: readonly GroupName[] = [],
  allFields = false
): Promise<WrittenFleet> {
  const made = await writtenFleet(importsOf(fleet, allFields), true, groupNames)
  if (made.problem !== undefined) throw new Error(made.problem)
  return made
}

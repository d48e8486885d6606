import { pauseUntil } from '../../../src/cli/import-files.ts'
import { factor } from '../../../src/import/factor/factor.ts'
import { SecretCatalog } from '../../../src/import/secrets.ts'
import { type ImportedSite, importSite } from '../../../src/import/site.ts'
import { writeSiteFiles } from '../../../src/import/site-files.ts'
import { type RequestedImport, resolveRequests } from '../../../src/import/site-requests.ts'
import type { Desired } from '../../../src/model/desired.ts'
import type { LiveSite } from '../../../src/model/live.ts'
import { revealed } from '../../plan/support.ts'
import { ENV } from '../import.ts'

/** The files of live sites, one per site and in layers. */
export async function factored(fleet: readonly LiveSite[], allFields = false) {
  const pairs = pairsOf(fleet, allFields)
  const pause = pauseUntil(new AbortController().signal)
  const catalog = new SecretCatalog(pairs, ENV)
  const { secrets } = catalog
  const plain = { files: await writeSiteFiles(pairs, catalog, pause), secrets }
  return { plain, made: await factor(pairs, plain.files, ENV, pause) }
}

/** The files in layers, which must exist. */
export async function layersOf(fleet: readonly LiveSite[]) {
  const { made } = await factored(fleet)
  if ('reason' in made) throw new Error(made.reason)
  return made
}

export function pairsOf(fleet: readonly LiveSite[], allFields = false): RequestedImport[] {
  const result = resolveRequests(fleet.map(({ site: { id, name } }) => ({ id, name, source: '' })))
  if (!('sites' in result)) throw new Error(result.problems.join())
  return result.sites.map(requested => {
    const live = fleet.find(({ site }) => site.id === requested.id)
    if (live === undefined) throw new Error('no such site')
    return [requested, imported(live, allFields)]
  })
}

const importedSites = [true, false].map(() => new WeakMap<LiveSite, ImportedSite>())

/** Imports a site once for all fleets of a test. */
function imported(live: LiveSite, allFields: boolean): ImportedSite {
  const known = importedSites[Number(allFields)]
  const made = known?.get(live) ?? importSite(live, { allFields })
  known?.set(live, made)
  return made
}

export type Made = Awaited<ReturnType<typeof factored>>['plain']

export function textsOf({ files }: Pick<Made, 'files'>): Map<string, string> {
  return new Map(files.map(({ file, text }) => [file, text]))
}

/** The effective fields of each live WLAN, by site and id, with unchanged secrets. */
export function effectiveOf(desired: Desired, fleet: readonly LiveSite[]) {
  const wlans = desired.sites.flatMap(({ id: site, wlans }) => {
    const live = fleet.find(found => found.site.id === site)?.wlans ?? []
    return wlans.map(({ id, fields }) => {
      const found = live.filter(wlan =>
        id === undefined ? wlan.ssid === fields['ssid'] : wlan.id === id
      )
      return [`${site}/${found.map(wlan => wlan.id)}`, revealed(fields)]
    })
  })
  return Object.fromEntries(wlans)
}

import { factor } from '../../../../src/author/import/factor/factor.ts'
import type { GroupName } from '../../../../src/author/import/factor/kinds.ts'
import { SecretCatalog } from '../../../../src/author/import/secrets.ts'
import { type ImportedSite, importSite } from '../../../../src/author/import/site.ts'
import { writeSiteFiles } from '../../../../src/author/import/site-files.ts'
import {
  type RequestedImport,
  resolveRequests
} from '../../../../src/author/import/site-requests.ts'
import { pauseUntil } from '../../../../src/cli/import/import-files.ts'
import { agreesExactly } from '../../../../src/core/diff/agree.ts'
import type { Desired } from '../../../../src/core/model/desired.ts'
import type { LiveSite } from '../../../../src/core/model/live.ts'
import { type Field, wlanField } from '../../../../src/core/schema/field.ts'
import { isObject, type Value, type ValueObject } from '../../../../src/core/values/value.ts'
import { revealed } from '../../../core/plan/support.ts'
import { ENV } from '../import.ts'

/** The files of live sites, one per site and in layers. */
export async function factored(
  fleet: readonly LiveSite[],
  allFields = false,
  groupNames: readonly GroupName[] = []
) {
  const pairs = pairsOf(fleet, allFields)
  const pause = pauseUntil(new AbortController().signal)
  const catalog = new SecretCatalog(pairs, ENV)
  const { secrets } = catalog
  const plain = { files: await writeSiteFiles(pairs, catalog, pause), secrets }
  return { plain, made: await factor(pairs, plain.files, { form: ENV, groupNames }, pause) }
}

/** The files in layers, which must exist. */
export async function layersOf(fleet: readonly LiveSite[], groupNames: readonly GroupName[] = []) {
  const { made } = await factored(fleet, false, groupNames)
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

/**
 * The effective fields of each live WLAN, by site and id, with unchanged secrets. Without the fields that `alone`
 * lacks and that are as the service has them: equal to the live value, or to the default of an absent one.
 */
export function effectiveBeyond(
  alone: Readonly<Record<string, unknown>>,
  desired: Desired,
  fleet: readonly LiveSite[]
) {
  const records = fleet.flatMap(({ site, wlans }) =>
    wlans.map(({ id, record }) => [`${site.id}/${id}`, record] as const)
  )
  const recordOf = new Map<string, ValueObject>(records)
  return Object.fromEntries(
    Object.entries(effectiveOf(desired, fleet)).map(([at, fields]) => [
      at,
      withoutSame(fields, alone[at] as Value, recordOf.get(at), wlanField)
    ])
  )
}

function withoutSame(layers: Value, alone: Value, live: Value | undefined, field: Field): Value {
  if (!isObject(layers) || !isObject(alone)) return layers
  const kept = Object.entries(layers).flatMap(([name, value]): [string, Value][] => {
    const [inner, actual] = [field.member(name), isObject(live) ? live[name] : undefined]
    const own = alone[name]
    if (own !== undefined) return [[name, withoutSame(value, own, actual, inner)]]
    return agreesExactly(inner, value, (actual ?? inner.default ?? null) as Value)
      ? []
      : [[name, value]]
  })
  return Object.fromEntries(kept)
}

/** The effective fields of each live WLAN, by site and id, with unchanged secrets. */
export function effectiveOf(
  desired: Desired,
  fleet: readonly LiveSite[]
): Readonly<Record<string, ValueObject>> {
  const wlans = desired.sites.flatMap(({ id: site, wlans }) => {
    const live = fleet.find(found => found.site.id === site)?.wlans ?? []
    return wlans
      .filter(({ excluded }) => !excluded)
      .map(({ id, fields }) => {
        const found = live.filter(wlan =>
          id === undefined ? wlan.ssid === fields['ssid'] : wlan.id === id
        )
        return [`${site}/${found.map(wlan => wlan.id)}`, revealed(fields) as ValueObject]
      })
  })
  return Object.fromEntries(wlans)
}

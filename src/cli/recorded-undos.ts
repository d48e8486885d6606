import type { Desired, Site } from '../core/model/desired.ts'
import { exit, Failure, wrongInput } from '../core/model/failure.ts'
import type { RecordedRun } from '../core/model/record.ts'
import { byCodeUnit } from '../core/values/collections.ts'
import { listFirst, plural } from '../core/values/text.ts'
import { refuseOtherService } from '../files/saved-file.ts'
import { isSelected } from '../fleet/select.ts'
import { wlanKeyOf } from '../run/record/revert.ts'
import { type Undo, undoOf } from '../run/record/undo.ts'
import type { SelectionOptions } from './options.ts'

/** What undoes the selected changes of a record. Throws a `Failure` (exit 3) if a run was on another service. */
export function undosIn(
  runs: readonly RecordedRun[],
  file: string,
  baseUrl: string,
  options: SelectionOptions
): Undo[] {
  for (const { id, baseUrl: about } of runs) {
    const hint = 'give each service a record of its own'
    refuseOtherService(`${file}: the run ${id}`, about, baseUrl, hint)
  }
  return selected(undoOf(runs), options, file)
}

function selected(
  undos: readonly Undo[],
  { site, excludeSite = [], wlan }: SelectionOptions,
  file: string
): Undo[] {
  const matching = undos.filter(undo =>
    isSelected({ sites: site, excludedSites: excludeSite, wlans: wlan }, undo.site, wlanKeyOf(undo))
  )
  const isNarrowed = site.length + excludeSite.length + wlan.length > 0
  if (matching.length > 0 || !isNarrowed) return matching
  throw wrongInput(`no change in ${file} matches --site, --exclude-site and --wlan`)
}

/** A message lists at most this many sites, and counts the others. */
const MAX_NAMES = 5

/** Throws (exit 4) if the record or state names sites that the fleet does not declare. */
export function refuseUndeclaredSites(
  named: readonly Site[],
  { sites }: Pick<Desired, 'sites'>,
  file: string
): void {
  const declared = new Set(sites.map(({ id }) => id.toLowerCase()))
  const undeclared = named.filter(({ id }) => !declared.has(id.toLowerCase()))
  const names = [...new Set(undeclared.map(({ id, name }) => `${name} (${id})`))]
  if (names.length === 0) return
  const shown = listFirst(names.sort(byCodeUnit), MAX_NAMES)
  throw new Failure(
    exit.refused,
    `refused: ${file} names ${plural(names.length, 'site')} that the fleet does not declare: ${shown}; nothing was sent`,
    'name the fleet that declares them, narrow the run with --site, or give --without-fleet'
  )
}

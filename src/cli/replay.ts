import type { Replay, ReplayedApply } from '../core/history/replay.ts'
import { formatMinute } from '../core/model/calendar.ts'
import { exit, Failure } from '../core/model/failure.ts'
import { type Finding, finding } from '../core/model/finding.ts'
import type { RecordedRun } from '../core/model/record.ts'
import { compact } from '../core/values/collections.ts'
import type { SecretOptions } from '../fleet/secrets/source.ts'
import { replayRuns } from '../run/replay.ts'
import { readRecord, recordsIn } from './files/saved-files.ts'
import { readState } from './files/states.ts'
import { loadDesired } from './load-desired.ts'
import type { FleetOptions, ReportOptions } from './options.ts'
import type { Io } from './terminal/io.ts'

type ReplayOptions = FleetOptions &
  Pick<SecretOptions, 'secretPrefix'> &
  ReportOptions & {
    /** A state whose networks are judged, too. */
    readonly against?: string
  }

/** Judges the applies in a folder by the policy of the fleet. A record that cannot be read is not judged. */
export async function replayOf(
  folder: string,
  fleet: string,
  { against, secretPrefix, format, report, color, at }: ReplayOptions,
  io: Io
): Promise<{ readonly replay: Replay; readonly findings: readonly Finding[] }> {
  const state = against === undefined ? undefined : await readState(against, io)
  const runs: RecordedRun[] = []
  const unread: string[] = []
  for (const file of await recordsIn(folder, io)) {
    await readRecord(file, io).then(
      read => runs.push(...read),
      (error: unknown) => {
        if (!(error instanceof Failure) || error.exitCode !== exit.wrongInput) throw error
        unread.push(error.message)
      }
    )
  }
  const shown = { secretPrefix, format, report, color, quiet: true } as const
  const all = { site: [], wlan: [], ...shown, ...compact({ at }) }
  const desired = await loadDesired(fleet, all, io)
  const judged = await replayRuns(desired, runs, state)
  const notJudged = [...judged.notJudged, ...unread]
  return { replay: { ...judged, notJudged }, findings: judged.affected.map(findingOf) }
}

function findingOf({ started, changes, refused, deferred }: ReplayedApply): Finding {
  const at = formatMinute(started)
  return refused.length > 0
    ? finding('REPLAY_REFUSED', {}, at, changes, refused)
    : finding('REPLAY_DEFERRED', {}, at, changes, deferred)
}

import type { Replay } from '../core/history/replay.ts'
import { formatNumber, plural } from '../core/values/text.ts'
import type { FindingsReport } from './report.ts'
import { undeclaredNote } from './unwatched.ts'

/** The lines below the findings of a validation. `show` formats the name of a field. */
export function validationNotes(
  { unwatched, replay }: Pick<FindingsReport, 'unwatched' | 'replay'>,
  show?: (field: string) => string
): string[] {
  return [undeclaredNote(unwatched, show) ?? [], replay ? replayNotes(replay) : []].flat()
}

/** `3 of 41 applies refused, 7 deferred; 12 live networks break it today`, and the parts that are not judged. */
function replayNotes({ applies, refused, deferred, broken, notJudged }: Replay): string[] {
  const today =
    broken === undefined
      ? 'the live networks are not known: `--against STATE` counts those that break it today'
      : `${plural(broken, 'live network')} ${broken === 1 ? 'breaks' : 'break'} it today`
  return [
    `Replay: ${refused} of ${formatNumber(applies)} applies refused, ${deferred} deferred; ${today}`,
    ...notJudged.map(part => `Not judged: ${part}`)
  ]
}

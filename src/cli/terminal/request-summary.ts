import { formatShard } from '../../core/model/shard.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { escapeText } from '../../report/escape.ts'
import type { Reader } from '../../service/client.ts'
import type { FleetOptions, ReportOptions } from '../options.ts'
import { type Io, writeLine } from './io.ts'

/** A run with this many requests is large: a tenth of what a token may make in an hour. */
const LARGE = 500
const REQUESTS_AN_HOUR = 5_000

export interface RemainingWork {
  readonly sites: number
  readonly sites_failed: number
  readonly changes?: number
  readonly skipped?: number
  /** The number of changes whose result is unknown, which may remain, too. */
  readonly unknown?: number
  /** How another run can do the rest; default: with `--shard`. */
  readonly rest?: 'in parts' | 'again'
}

type RequestUse = Pick<Reader, 'requests' | 'end'> & { readonly observerError?: string | undefined }

type Options = Pick<ReportOptions, 'quiet'>

/** Prints the number of selected sites. None is correct for one of several parts, or if nothing changed. */
export async function printSelection(
  selected: number,
  all: number,
  { shard, changedSince, quiet }: Options & Pick<FleetOptions, 'shard' | 'changedSince'>,
  io: Io
): Promise<void> {
  const parts = [
    ...(shard === undefined ? [] : [`in shard ${formatShard(shard)}`]),
    ...(changedSince === undefined ? [] : [`changed since ${escapeText(changedSince)}`])
  ]
  if (quiet || parts.length === 0) return
  const number = selected === 0 ? 'none' : formatNumber(selected)
  await writeLine(io, `wlanctl: ${number} of ${plural(all, 'site')} ${parts.join(' and ')}`)
}

/** Prints how many requests reading the sites needs, if they are many. */
export async function printEstimate(sites: number, { quiet }: Options, io: Io): Promise<void> {
  if (quiet || sites < LARGE) return
  const estimate = `about ${formatNumber(sites)} requests to read ${formatNumber(sites)} sites`
  const limit = `a token may make about ${formatNumber(REQUESTS_AN_HOUR)} an hour`
  await writeLine(io, `wlanctl: ${estimate}; ${limit}`)
}

/** Each change takes two or three requests: the update, its read-back, and a read before it if others may edit. */
export async function printChangeEstimate(
  changes: number,
  { quiet }: Options,
  io: Io
): Promise<void> {
  if (quiet || 2 * changes < LARGE) return
  const range = `${formatNumber(2 * changes)} to ${formatNumber(3 * changes)}`
  await writeLine(io, `wlanctl: ${range} more requests for ${plural(changes, 'change')}`)
}

/** Prints after a run: its requests if they are many, what remains, and how to continue. */
export async function printRequestSummary(
  work: RemainingWork,
  { quiet }: Options,
  io: Io,
  { requests, end, observerError }: RequestUse = { requests: 0, end: undefined }
): Promise<void> {
  if (observerError !== undefined) {
    const problem = `the progress or the record of this run is incomplete: ${escapeText(observerError)}`
    await writeLine(io, `wlanctl: warning: ${problem}`)
  }
  if (!quiet && requests >= LARGE)
    await writeLine(io, `wlanctl: ${formatNumber(requests)} requests made`)
  const remaining = remainingIn(work)
  const limit = end?.problem.kind === 'status' && end.problem.status === 401 ? undefined : end
  const reasons = limit === undefined ? [] : [escapeText(limit.hint ?? limit.message)]
  const steps = stepsToContinue(work, limit !== undefined)
  if (remaining === '' && limit !== undefined) {
    await writeLine(io, `wlanctl: rate limit used up: ${reasons.join()}`)
  }
  if (remaining === '' || (reasons.length === 0 && (steps === undefined || quiet))) return
  const advice = [...reasons, steps ?? []].flat().join('; ')
  await writeLine(io, `wlanctl: ${remaining} remain: ${advice}`)
}

function remainingIn({
  sites,
  sites_failed,
  changes = 0,
  skipped = 0,
  unknown = 0
}: RemainingWork): string {
  const most = `${unknown > 0 ? 'up to ' : ''}${formatNumber(skipped + unknown)}`
  return [
    ...(sites_failed > 0 ? [`${formatNumber(sites_failed)} of ${formatNumber(sites)} sites`] : []),
    ...(skipped > 0 ? [`${most} of ${formatNumber(changes)} changes`] : [])
  ].join(' and ')
}

function stepsToContinue({ rest }: RemainingWork, isLimited: boolean): string | undefined {
  if (rest === 'again') return 'run it again to apply them'
  if (!isLimited) return undefined
  return rest === undefined
    ? 'use --shard I/N to run one part at a time'
    : 'run one part of them at a time'
}

import type { Reader } from '../api/client.ts'
import { formatNumber, plural } from '../model/text.ts'
import { escapeText } from '../report/escape.ts'
import { thousands } from '../report/words.ts'
import { type Io, writeLine } from './io.ts'
import type { ReportOptions, ServiceOptions } from './options.ts'

/** A run is large from here on, in requests: a tenth of what a token has in an hour. */
const LARGE = 500
const AN_HOUR = 5_000

type Options = Pick<ServiceOptions, 'maxRequests'> & Pick<ReportOptions, 'quiet'>

/** Says before a large run, or one that will not be allowed to end, what it will ask of the service. */
export async function printEstimate(sites: number, options: Options, io: Io): Promise<void> {
  const { maxRequests = Number.POSITIVE_INFINITY, quiet } = options
  if (quiet || (sites < LARGE && sites <= maxRequests)) return
  const estimate = `about ${formatNumber(sites)} requests to read ${formatNumber(sites)} sites`
  await writeLine(io, `wlanctl: ${estimate}; ${allowance(sites, maxRequests)}`)
}

function allowance(requests: number, most: number): string {
  if (requests > most) return `--max-requests allows ${formatNumber(most)}`
  return `a token has about ${formatNumber(AN_HOUR)} an hour`
}

/**
 * Says before many changes, or more than will be allowed, what they will ask of the service: the update,
 * its read-back, and perhaps a look.
 */
export async function printChangeEstimate(
  changes: number,
  options: Options,
  io: Io,
  { requests }: Pick<Reader, 'requests'>
): Promise<void> {
  const { maxRequests = Number.POSITIVE_INFINITY, quiet } = options
  const left = Math.max(0, maxRequests - requests)
  if (quiet || (2 * changes < LARGE && 2 * changes <= left)) return
  const range = `${formatNumber(2 * changes)} to ${formatNumber(3 * changes)}`
  const limit = 2 * changes > left ? `; --max-requests leaves ${formatNumber(left)}` : ''
  await writeLine(
    io,
    `wlanctl: ${range} more requests for ${thousands(plural(changes, 'change'))}${limit}`
  )
}

/** What a run was to do, and how much of it is not done. */
interface Undone {
  readonly sites: number
  readonly sites_failed: number
  readonly changes?: number
  readonly skipped?: number
  /** How another run does the rest: `--continue` unless said. */
  readonly rest?: 'by shards' | 'in parts' | 'again'
}

/** How a run keeps what it has done, so that another one can go on from there. */
type Keeping = Options & Pick<ReportOptions, 'report'> & { readonly out?: string }

/** What a run asked of the service. */
type Asked = Pick<Reader, 'requests' | 'end'> & Partial<Pick<Reader, 'observerError'>>

/** A run that asked nothing. */
const nothing: Asked = { requests: 0, end: undefined }

/** Says after a run how many requests it made, if they are many, what it leaves, and how to go on with that. */
export async function printRequestSummary(
  undone: Undone,
  options: Keeping,
  io: Io,
  { requests, end, observerError }: Asked = nothing
): Promise<void> {
  const { quiet } = options
  await warnOfObserver(observerError, io)
  if (!quiet && requests >= LARGE)
    await writeLine(io, `wlanctl: ${formatNumber(requests)} requests were made`)
  const left = leftIn(undone)
  const limit = end?.problem.kind === 'status' && end.problem.status === 401 ? undefined : end
  const why = limit === undefined ? [] : [escapeText(limit.hint ?? limit.message)]
  const how = wayOn(undone, options, limit !== undefined)
  if (left === '' && limit?.problem.kind === 'status') {
    await writeLine(io, `wlanctl: the rate limit is used up: ${why.join()}`)
  }
  if (left === '' || (why.length === 0 && (how === undefined || quiet))) return
  await writeLine(io, `wlanctl: ${left} are left: ${[...why, ...(how ?? [])].join('; ')}`)
}

/** Says what an observer of the run has thrown: nothing was lost but what it shows. */
async function warnOfObserver(error: string | undefined, io: Io): Promise<void> {
  if (error === undefined) return
  const what = 'the progress or the record of this run is incomplete'
  await writeLine(io, `wlanctl: warning: ${what}: ${escapeText(error)}`)
}

function leftIn({ sites, sites_failed, changes = 0, skipped = 0 }: Undone): string {
  return [
    ...(sites_failed > 0 ? [`${formatNumber(sites_failed)} of ${formatNumber(sites)} sites`] : []),
    ...(skipped > 0 ? [`${formatNumber(skipped)} of ${formatNumber(changes)} changes`] : [])
  ].join(' and ')
}

/** How another run goes on; undefined where there is nothing to say of it. */
function wayOn(
  { rest }: Undone,
  { out, report }: Keeping,
  isLimited: boolean
): readonly string[] | undefined {
  if (rest === 'by shards') return isLimited ? ['--shard I/N takes a part at a time'] : undefined
  if (rest === 'again') return ['run it once more for them']
  if (rest === 'in parts') return isLimited ? ['take a part of them at a time'] : undefined
  const file = out ?? report.find(({ format }) => format === 'json')?.file
  if (file !== undefined) return [`go on with --continue ${escapeText(file)}, then merge both`]
  return isLimited ? ['save the result, and another run can go on: --continue FILE'] : undefined
}

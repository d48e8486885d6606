import type { Reader } from '../api/client.ts'
import { grouped } from '../model/identity.ts'
import { escapeText } from '../report/escape.ts'
import { type Io, say } from './io.ts'
import type { ReportOptions, ServiceOptions } from './options.ts'

/** A run is large from here on, in requests: a tenth of what a token has in an hour. */
const LARGE = 500
const AN_HOUR = 5_000

type Options = Pick<ServiceOptions, 'maxRequests'> & Pick<ReportOptions, 'quiet'>

/** Says before a large run, or one that will not be allowed to end, what it will ask of the service. */
export async function tellEstimate(sites: number, options: Options, io: Io): Promise<void> {
  const { maxRequests = Number.POSITIVE_INFINITY, quiet } = options
  if (quiet || (sites < LARGE && sites <= maxRequests)) return
  const estimate = `about ${grouped(sites)} requests to read ${grouped(sites)} sites`
  await say(io, `wlanctl: ${estimate}; ${allowance(sites, maxRequests)}`)
}

function allowance(requests: number, most: number): string {
  if (requests > most) return `--max-requests allows ${grouped(most)}`
  return `a token has about ${grouped(AN_HOUR)} an hour`
}

/** Says before many changes what they will ask of the service: the update, its read-back, and perhaps a look. */
export async function tellChanges(changes: number, { quiet }: Options, io: Io): Promise<void> {
  if (quiet || 2 * changes < LARGE) return
  const range = `${grouped(2 * changes)} to ${grouped(3 * changes)}`
  await say(io, `wlanctl: ${range} more requests for ${grouped(changes)} changes`)
}

/** What a run was to do, and has left undone. */
interface Undone {
  readonly sites: number
  readonly sites_failed: number
  readonly changes?: number
  readonly skipped?: number
}

/** Says after a large run what it has asked, and after one that had to stop what it has left undone. */
export async function tellUse(
  { requests, end }: Pick<Reader, 'requests' | 'end'>,
  { sites, sites_failed, changes = 0, skipped = 0 }: Undone,
  { quiet }: Options,
  io: Io
): Promise<void> {
  if (!quiet && requests >= LARGE) await say(io, `wlanctl: ${grouped(requests)} requests were made`)
  if (end === undefined || (end.problem.kind === 'status' && end.problem.status === 401)) return
  const left = [
    ...(sites_failed > 0 ? [`${grouped(sites_failed)} of ${grouped(sites)} sites`] : []),
    ...(skipped > 0 ? [`${grouped(skipped)} of ${grouped(changes)} changes`] : [])
  ]
  if (left.length === 0) return
  await say(io, `wlanctl: ${left.join(' and ')} are left: ${escapeText(end.hint ?? end.message)}`)
}

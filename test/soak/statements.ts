import type { Trace } from './traces.ts'

/** An outcome as `--format json` writes it. */
export interface ReportedOutcome {
  readonly address: string
  readonly status: string
  readonly reason?: string
  readonly fields?: readonly { readonly pointer: string }[]
}

/** The report of a run. */
export interface RunReport {
  readonly summary: Readonly<Record<string, number>>
  readonly outcomes: readonly ReportedOutcome[]
  readonly findings?: readonly { readonly code: string; readonly address?: string }[]
}

type Traces = ReadonlyMap<string, Trace>

/** The addresses of unread sites: nothing was planned there. */
export function unread({ findings = [] }: RunReport, asked: Iterable<string>): string[] {
  const sites = findings.flatMap(({ code, address }) =>
    code === 'SITE_NOT_READ' && address !== undefined ? `${address}/` : []
  )
  return [...asked].filter(address => sites.some(site => address.startsWith(site)))
}

/** The addresses without an outcome, with several, or unknown; and incorrect summaries. */
export function lost({ summary, outcomes }: RunReport, asked: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>()
  for (const { address } of outcomes) counts.set(address, (counts.get(address) ?? 0) + 1)
  const missing = [...asked].filter(address => counts.get(address) !== 1)
  const unasked = [...counts.keys()].filter(address => !asked.has(address))
  const sums = Object.entries(summary).filter(
    ([status, count]) => outcomes.filter(each => each.status === status).length !== count
  )
  const total = Object.values(summary).reduce((sum, count) => sum + count, 0)
  const uneven = total === outcomes.length ? [] : [`${total} of ${outcomes.length}`]
  return [...missing, ...unasked, ...sums.map(([status]) => `tally of ${status}`), ...uneven]
}

/** Outcomes that are not final: not written, or unknown. */
export function open({ outcomes }: RunReport): string[] {
  return outcomes.filter(({ status }) => status === 'failed' || status === 'unknown').map(shown)
}

/** Outcomes that claim a state which the WLAN does not have. */
export function claimed({ outcomes }: RunReport, traces: Traces): string[] {
  return outcomes.filter(outcome => claimsTooMuch(outcome, traces)).map(shown)
}

function claimsTooMuch({ address, status, fields = [] }: ReportedOutcome, traces: Traces): boolean {
  const { written, wrong } = known(traces, address)
  if (status === 'applied') return !written || wrong.length > 0
  if (status === 'unchanged') return wrong.length > 0
  if (status !== 'diverged') return false
  const named = new Set(fields.map(({ pointer }) => pointer.split('/')[1] ?? ''))
  return !written || wrong.length === 0 || [...named].sort().join() !== [...wrong].sort().join()
}

/** Outcomes that claim that nothing was written although it was. */
export function denied({ outcomes }: RunReport, traces: Traces): string[] {
  return outcomes
    .filter(({ status }) => ['failed', 'skipped', 'stale'].includes(status))
    .filter(({ address }) => known(traces, address).written)
    .map(shown)
}

/** A line of a record, with the members that are checked. */
interface Line {
  readonly step: string
  readonly address?: string
  readonly status?: string
}

/** Outcomes that differ in the record, and written WLANs that are not recorded as sent. */
export function unrecorded(record: string, { outcomes }: RunReport, traces: Traces): string[] {
  const lines = record
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line))
  const sent = new Set(lines.flatMap(({ step, address }) => (step === 'sending' ? address : [])))
  const settled = new Map(lines.map(({ address, status }) => [address, status]))
  const others = outcomes.filter(({ address, status }) => settled.get(address) !== status)
  const unsent = [...traces].filter(([address, { written }]) => written && !sent.has(address))
  return [...others.map(shown), ...unsent.map(([address]) => address)]
}

function shown({ address, status, reason = '' }: ReportedOutcome): string {
  return `${address} is ${status}: ${reason}`
}

/** The value of a key that must exist. */
export function known<T>(map: ReadonlyMap<string, T>, key: string): T {
  const found = map.get(key)
  if (found === undefined) throw new Error(`the campaign has no ${key}`)
  return found
}

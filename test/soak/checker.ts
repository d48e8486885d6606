import type { Json, JsonObject } from '../../src/simulator/json.ts'
import type { Simulator } from '../../src/simulator/server.ts'
import type { StoredPut } from '../../src/simulator/store.ts'
import type { Ended } from '../support/program.ts'
import type { Edits } from './campaign.ts'
import { earlyRequests } from './early.ts'
import { laidOver, meaning } from './expected.ts'
import type { Case, Fleet } from './fleet.ts'
import {
  claimed,
  denied,
  known,
  lost,
  open,
  type RunReport,
  unread,
  unrecorded
} from './statements.ts'
import { traceOf } from './traces.ts'
import type { Fault, Kind } from './verdict.ts'

/** The results of a run. */
export interface Evidence {
  readonly fleet: Fleet
  readonly simulator: Pick<Simulator, 'record' | 'history' | 'requests'>
  /** The JSON on stdout. */
  readonly ended: Ended
  readonly edits?: Edits
  /** The text of the run's `--record`. */
  readonly record?: string
}

/** Errors of a run; each entry names a WLAN or a request. */
export interface Faults {
  /** No outcome although the site was read, several outcomes, an unknown outcome, or an incorrect summary. */
  readonly lost: readonly string[]
  /**
   * `applied` or `unchanged`, but different from the declaration; `diverged` with other fields than the
   * different ones.
   */
  readonly claimed: readonly string[]
  /** `failed`, `skipped` or `stale`, but written. */
  readonly denied: readonly string[]
  /** A different status in record and report, or written without being recorded as sent. */
  readonly unrecorded: readonly string[]
  /** Changed by two updates. */
  readonly twice: readonly string[]
  /** A field with neither the declared nor the former value, or a lost edit of another user. */
  readonly collateral: readonly string[]
  /** Requests during the delay of a 429. */
  readonly early: readonly string[]
  /** Bodies that contain a mask. */
  readonly masked: readonly string[]
  /** Bodies other than the changed top-level fields, each complete. */
  readonly bodies: readonly string[]
}

/** The effects of a run, and its errors. */
export interface CheckResult {
  readonly statuses: Readonly<Record<string, number>>
  /** Stored updates without a change: sent although the WLAN was in sync. */
  readonly redundant: number
  /** WLANs of sites that could not be read, as reported; none of them is written. */
  readonly unread: readonly string[]
  /** Outcomes that are `failed` or `unknown`, with their reasons. */
  readonly open: readonly string[]
  readonly faults: Faults
}

/**
 * Checks a run by the log of the service and by its reports. Shares no code with the program: it implements
 * PUT, and compares JSON.
 */
export function checkRun({ fleet, simulator, ended, edits, record }: Evidence): CheckResult {
  const report = JSON.parse(ended.stdout) as RunReport
  const writes = byWlan(simulator.history)
  const traces = new Map(
    [...fleet.cases].map(([address, each]) => {
      const { site, wlan } = each
      const found = simulator.record(site, wlan)
      return [address, traceOf(each, found, writes.get(wlan) ?? [], edits?.get(wlan) ?? {})]
    })
  )
  const unseen = unread(report, fleet.cases.keys())
  const asked = new Set(fleet.cases.keys())
  for (const address of unseen) if (!known(traces, address).written) asked.delete(address)
  const cases = new Map([...fleet.cases.values()].map(each => [each.wlan, each]))
  const puts = simulator.requests.filter(({ method }) => method === 'PUT')
  return {
    statuses: report.summary,
    redundant: [...traces.values()].reduce((sum, { redundant }) => sum + redundant, 0),
    unread: unseen,
    open: open(report),
    faults: {
      lost: lost(report, asked),
      claimed: claimed(report, traces),
      denied: denied(report, traces),
      unrecorded: record === undefined ? [] : unrecorded(record, report, traces),
      twice: [...traces].flatMap(([address, { effective }]) => (effective > 1 ? address : [])),
      collateral: [...traces].flatMap(([address, { odd }]) =>
        odd.map(name => `${address} ${name}`)
      ),
      early: earlyRequests(simulator.requests),
      masked: puts.flatMap(({ path, body }) => (/\*{4}/.test(JSON.stringify(body)) ? path : [])),
      bodies: puts.flatMap(({ path, body }) => (isRight(path, body, cases) ? [] : path))
    }
  }
}

const kinds: Readonly<Record<keyof Faults, Kind>> = {
  lost: 'other false',
  claimed: 'false applied',
  denied: 'false failed, skipped',
  unrecorded: 'unreadable record',
  twice: 'stored twice',
  collateral: 'collateral',
  early: 'wrong request',
  masked: 'wrong request',
  bodies: 'wrong request'
}

/** The errors in the columns of the table. */
export function faultsOf({ faults }: Pick<CheckResult, 'faults'>): Fault[] {
  return Object.entries(kinds).flatMap(([name, kind]) =>
    faults[name as keyof Faults].map(text => ({ kind, text: `${name}: ${text}` }))
  )
}

/** The errors by name; empty without errors. */
export function found(faults: Faults): Partial<Faults> {
  return Object.fromEntries(Object.entries(faults).filter(([, each]) => each.length > 0))
}

/** True if a body contains exactly the fields that must change, each complete. */
function isRight(path: string, body: Json | undefined, cases: ReadonlyMap<string, Case>): boolean {
  const { before, declared } = known(cases, path.split('/').at(-1) ?? '')
  const wanted = laidOver(before, declared) as JsonObject
  const changed = Object.keys(declared).filter(
    name => meaning(before[name]) !== meaning(wanted[name])
  )
  const expected = Object.fromEntries(changed.map(name => [name, wanted[name] ?? null]))
  return meaning(body) === meaning(expected)
}

function byWlan(history: readonly StoredPut[]): Map<string, StoredPut[]> {
  const writes = new Map<string, StoredPut[]>()
  for (const write of history) writes.set(write.wlan, [...(writes.get(write.wlan) ?? []), write])
  return writes
}

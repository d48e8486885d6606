import type { Json, JsonObject } from '../../src/simulator/json.ts'
import type { Simulator } from '../../src/simulator/server.ts'
import type { StoredPut } from '../../src/simulator/store.ts'
import type { Ended } from '../support/program.ts'
import type { Edits } from './campaign.ts'
import { earlyRequests } from './early.ts'
import { laidOver, meaning } from './expected.ts'
import type { Case, Fleet } from './fleet.ts'
import { claimed, denied, known, lost, open, type Told, unread, unrecorded } from './statements.ts'
import { traceOf } from './traces.ts'

/** All that a run left behind. */
export interface Evidence {
  readonly fleet: Fleet
  readonly simulator: Pick<Simulator, 'record' | 'history' | 'requests'>
  /** Its stdout is JSON. */
  readonly ended: Ended
  readonly edits?: Edits
  /** The text of the run's `--record`. */
  readonly record?: string
}

/** What must not be; each entry names a WLAN or a request. */
export interface Faults {
  /** Of a site that was read, and without an outcome; with several, or with one that nobody asked for; a tally that does not add up. */
  readonly lost: readonly string[]
  /** `applied` or `unchanged`, and not as declared; `diverged` that names other fields than those. */
  readonly claimed: readonly string[]
  /** `failed`, `skipped` or `stale`, and written. */
  readonly denied: readonly string[]
  /** Of another status in the record than in the report, or written and not recorded as sent. */
  readonly unrecorded: readonly string[]
  /** Changed by two updates. */
  readonly twice: readonly string[]
  /** A field that is neither as declared nor as it was, or somebody's edit that is gone. */
  readonly collateral: readonly string[]
  /** Sent while the service had asked for quiet. */
  readonly early: readonly string[]
  /** Bodies with a mask in them. */
  readonly masked: readonly string[]
  /** Bodies that are not the changed top-level fields, each complete. */
  readonly bodies: readonly string[]
}

/** What a run did, and what it should not have done. */
export interface Verdict {
  readonly statuses: Readonly<Record<string, number>>
  /** Updates that were stored and that changed nothing: sent though they were there already. */
  readonly redundant: number
  /** WLANs whose site could not be read, as the run says; none of them is written. */
  readonly unread: readonly string[]
  /** Outcomes that are `failed` or `unknown`, with their reasons. */
  readonly open: readonly string[]
  readonly faults: Faults
}

/**
 * Judges a run by what the service saw of it and by what it said. Shares no code with the program: it
 * knows what a PUT means, and compares JSON.
 */
export function judge({ fleet, simulator, ended, edits, record }: Evidence): Verdict {
  const told = JSON.parse(ended.stdout) as Told
  const writes = byWlan(simulator.history)
  const traces = new Map(
    [...fleet.cases].map(([address, each]) => {
      const { site, wlan } = each
      const found = simulator.record(site, wlan)
      return [address, traceOf(each, found, writes.get(wlan) ?? [], edits?.get(wlan) ?? {})]
    })
  )
  const unseen = unread(told, fleet.cases.keys())
  const asked = new Set(fleet.cases.keys())
  for (const address of unseen) if (!known(traces, address).written) asked.delete(address)
  const cases = new Map([...fleet.cases.values()].map(each => [each.wlan, each]))
  const puts = simulator.requests.filter(({ method }) => method === 'PUT')
  return {
    statuses: told.summary,
    redundant: [...traces.values()].reduce((sum, { redundant }) => sum + redundant, 0),
    unread: unseen,
    open: open(told),
    faults: {
      lost: lost(told, asked),
      claimed: claimed(told, traces),
      denied: denied(told, traces),
      unrecorded: record === undefined ? [] : unrecorded(record, told, traces),
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

/** The faults there are, by name: nothing where all is well. */
export function found(faults: Faults): Partial<Faults> {
  return Object.fromEntries(Object.entries(faults).filter(([, each]) => each.length > 0))
}

/** A body has the fields that have to change, no other, and all that stood in them. */
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

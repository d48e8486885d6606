import type { Json, JsonObject } from '../../src/simulator/json.ts'
import type { Simulator } from '../../src/simulator/server.ts'
import type { Write } from '../../src/simulator/service/store.ts'
import type { Ended } from '../support/program.ts'
import type { Edits } from './campaign.ts'
import { earlyRequests } from './early.ts'
import { differing, laidOver, meaning } from './expected.ts'
import type { Case, Fleet } from './fleet.ts'

/** An outcome as `--format json` writes it. */
export interface ToldOutcome {
  readonly address: string
  readonly status: string
  readonly reason?: string
  readonly fields?: readonly { readonly pointer: string }[]
}

export interface Told {
  readonly summary: Readonly<Record<string, number>>
  readonly outcomes: readonly ToldOutcome[]
}

/** All that a run left behind. */
export interface Evidence {
  readonly fleet: Fleet
  readonly simulator: Pick<Simulator, 'record' | 'history' | 'requests'>
  readonly ended: Ended
  readonly edits?: Edits
  /** Where in the logs the run begins; the logs of what came before are not looked at. */
  readonly from?: { readonly writes: number; readonly requests: number }
}

/** What must not be; each entry names a WLAN or a request. */
export interface Faults {
  /** Without an outcome, with several, or with one that nobody asked for; a tally that does not add up. */
  readonly lost: readonly string[]
  /** `applied` or `unchanged`, and not as declared; `diverged` that names other fields than those. */
  readonly claimed: readonly string[]
  /** `failed`, `skipped` or `stale`, and written. */
  readonly denied: readonly string[]
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
  readonly faults: Faults
}

/**
 * Judges a run by what the service saw of it and by what it said. Shares no code with the program: it
 * knows what a PUT means, and compares JSON.
 */
export function judge(evidence: Evidence): Verdict {
  const { fleet, simulator, ended, edits, from = { writes: 0, requests: 0 } } = evidence
  const told = JSON.parse(ended.stdout) as Told
  const writes = byWlan(simulator.history.slice(from.writes))
  const requests = simulator.requests.slice(from.requests)
  const traces = new Map(
    [...fleet.cases].map(([address, each]) => {
      const record = simulator.record(each.site, each.wlan)
      return [
        address,
        traceOf(each, record, writes.get(each.wlan) ?? [], edits?.get(each.wlan) ?? {})
      ]
    })
  )
  const puts = requests.filter(({ method }) => method === 'PUT')
  const cases = new Map([...fleet.cases.values()].map(each => [each.wlan, each]))
  return {
    statuses: told.summary,
    redundant: [...traces.values()].reduce((sum, { redundant }) => sum + redundant, 0),
    faults: {
      lost: lost(told, fleet),
      claimed: told.outcomes.filter(each => isOverclaimed(each, traces)).map(shown),
      denied: told.outcomes.filter(each => isDenied(each, traces)).map(shown),
      twice: [...traces].flatMap(([address, { effective }]) => (effective > 1 ? address : [])),
      collateral: [...traces].flatMap(([address, { odd }]) =>
        odd.map(name => `${address} ${name}`)
      ),
      early: earlyRequests(requests),
      masked: puts.flatMap(({ path, body }) => (/\*{4}/.test(JSON.stringify(body)) ? path : [])),
      bodies: puts.flatMap(({ path, body }) => (isRight(path, body, cases) ? [] : path))
    }
  }
}

/** What the service knows of one WLAN. */
interface Trace {
  readonly written: boolean
  readonly effective: number
  readonly redundant: number
  /** The declared fields that are not as declared. */
  readonly wrong: readonly string[]
  /** The fields that are neither as declared nor as they were. */
  readonly odd: readonly string[]
}

function traceOf(
  { before, declared }: Case,
  found: JsonObject,
  writes: readonly Write[],
  edits: JsonObject
): Trace {
  const effective = writes.filter(write => differing(write.before, write.after).length > 0).length
  const untouched = { ...before, ...edits }
  const wrong = differing(found, laidOver(found, declared) as JsonObject)
  const wanted = laidOver(untouched, declared) as JsonObject
  const odd = differing(found, wanted).filter(
    name => meaning(found[name]) !== meaning(untouched[name]) && !isAdded(name, before, found)
  )
  return {
    written: writes.length > 0,
    effective,
    redundant: writes.length - effective,
    wrong,
    odd
  }
}

/** The web console adds objects that are empty or switched off; so does a service that normalises. */
function isAdded(name: string, before: JsonObject, found: JsonObject): boolean {
  return !Object.hasOwn(before, name) && !/"enabled":true/.test(JSON.stringify(found[name]))
}

function lost({ summary, outcomes }: Told, fleet: Fleet): string[] {
  const counts = new Map<string, number>()
  for (const { address } of outcomes) counts.set(address, (counts.get(address) ?? 0) + 1)
  const missing = [...fleet.cases.keys()].filter(address => counts.get(address) !== 1)
  const unasked = [...counts.keys()].filter(address => !fleet.cases.has(address))
  const sums = Object.entries(summary).filter(
    ([status, count]) => outcomes.filter(each => each.status === status).length !== count
  )
  const total = Object.values(summary).reduce((sum, count) => sum + count, 0)
  const uneven = total === outcomes.length ? [] : [`${total} of ${outcomes.length}`]
  return [...missing, ...unasked, ...sums.map(([status]) => `tally of ${status}`), ...uneven]
}

function isOverclaimed(
  { address, status, fields = [] }: ToldOutcome,
  traces: ReadonlyMap<string, Trace>
): boolean {
  const { written, wrong } = known(traces, address)
  if (status === 'applied') return !written || wrong.length > 0
  if (status === 'unchanged') return wrong.length > 0
  if (status !== 'diverged') return false
  const named = new Set(fields.map(({ pointer }) => pointer.split('/')[1] ?? ''))
  return !written || wrong.length === 0 || [...named].sort().join() !== [...wrong].sort().join()
}

function isDenied({ address, status }: ToldOutcome, traces: ReadonlyMap<string, Trace>): boolean {
  return ['failed', 'skipped', 'stale'].includes(status) && known(traces, address).written
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

function byWlan(history: readonly Write[]): Map<string, Write[]> {
  const writes = new Map<string, Write[]>()
  for (const write of history) writes.set(write.wlan, [...(writes.get(write.wlan) ?? []), write])
  return writes
}

function known<T>(map: ReadonlyMap<string, T>, key: string): T {
  const found = map.get(key)
  if (found === undefined) throw new Error(`the campaign has no ${key}`)
  return found
}

function shown({ address, status, reason = '' }: ToldOutcome): string {
  return `${address} is ${status}: ${reason}`
}

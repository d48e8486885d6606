import { normalForm } from '../core/diff/agree.ts'
import type { Site } from '../core/model/desired.ts'
import type { Outcome, Status } from '../core/model/outcome.ts'
import type { Change, SecretState } from '../core/model/plan.ts'
import type { ShownEffects } from '../core/plan/effects/escalation.ts'
import { fieldAt } from '../core/schema/field.ts'
import { groupBy } from '../core/values/collections.ts'
import type { Pointer } from '../core/values/pointer.ts'
import { isSameJson, type Value } from '../core/values/value.ts'

/** What a plan permits to do to one field. Secrets are references. */
export interface Operation {
  readonly pointer: Pointer
  /** The live value that the plan showed. */
  readonly before: Value
  readonly after: Value
  /** The states of the secrets at the pointer and below that the plan showed; absent without any. */
  readonly secrets?: Readonly<Record<Pointer, SecretState>>
}

/** What the plan of a pull request permits to do to one WLAN: all of it, or nothing. */
export interface Permission {
  readonly base_url: string
  readonly address: string
  readonly site: Site
  readonly wlan: Change['wlan']
  readonly operations: readonly Operation[]
  readonly effects: ShownEffects
}

/** A merged pull request: `base..merge` are the commits of the default branch that it brought. */
export interface Merge {
  readonly pull: number
  readonly merge: string
  readonly base: string
}

/** A permission that a later run may use, and why it waits. */
export interface OpenPermission extends Permission, Merge {
  readonly why: string
  /** The time at which it may be used, UTC; absent if it is unknown. */
  readonly until?: string
}

/** A commit whose pull request or plan the forge did not give, and when a run first missed it. */
export interface Missing {
  readonly commit: string
  readonly since: string
}

/** What a run leaves for the next one. */
export interface Line {
  readonly since: string
  readonly open: readonly OpenPermission[]
  readonly missing: readonly Missing[]
}

/** What the forge says of a merged pull request: its permissions, why it has none, or why that is unknown. */
export type Merged = Merge &
  (
    | { readonly permits: readonly Permission[] }
    | { readonly absent: string }
    | { readonly unanswered: string }
  )

export interface Candidates extends Pick<Line, 'open' | 'missing'> {
  /** Merges and pushes that permit nothing, in words. */
  readonly without: readonly string[]
}

/** In milliseconds. */
export const DAY = 24 * 60 * 60 * 1000

/**
 * The permissions that a run checks: those that the run before left open, and those of the pull requests merged since.
 * `line`: the first parents of the tip, itself first. `unexplained`: commits that no listed pull request brought. A commit that is missing
 * for a day is a push without a plan.
 */
export function candidatesOf(
  former: Pick<Line, 'open' | 'missing'>,
  line: ReadonlySet<string>,
  merged: readonly Merged[],
  unexplained: readonly string[],
  now: Date
): Candidates {
  const known = new Map(former.missing.map(({ commit, since }) => [commit, since]))
  const unanswered = merged.filter(each => 'unanswered' in each)
  const commits = [...unanswered.map(({ merge }) => merge), ...unexplained]
  const all = [...new Set(commits)].map(commit => {
    const since = known.get(commit) ?? now.toISOString()
    return { commit, since, isOver: now.getTime() - Date.parse(since) > DAY }
  })
  const kept = former.open.filter(({ merge }) => line.has(merge))
  const open = new Map(kept.map(each => [keyOf(each), each]))
  for (const each of merged) {
    if (!('permits' in each)) continue
    const { pull, merge, base, permits } = each
    for (const permission of permits) {
      const found = { ...permission, pull, merge, base, why: 'new' }
      if (!open.has(keyOf(found))) open.set(keyOf(found), found)
    }
  }
  const places = new Map([...line].map((commit, place) => [commit, place]))
  const placeOf = ({ merge }: OpenPermission) => places.get(merge) ?? 0
  return {
    // The oldest merge first: the waves of its first parent hold.
    open: [...open.values()].sort((a, b) => placeOf(b) - placeOf(a)),
    missing: all.flatMap(({ commit, since, isOver }) => (isOver ? [] : { commit, since })),
    without: [
      ...merged.flatMap(each => ('absent' in each ? `#${each.pull}: ${each.absent}` : [])),
      ...unanswered.map(({ pull, unanswered: why }) => `#${pull}: ${why}; the next run asks again`),
      ...all.flatMap(({ commit, isOver }) =>
        isOver
          ? `\`${short(commit)}\`: pushed without a pull request`
          : unexplained.includes(commit)
            ? `\`${short(commit)}\`: the forge lists no pull request for it yet`
            : []
      ),
      ...former.open
        .filter(({ merge }) => !line.has(merge))
        .map(({ pull, address }) => `#${pull}: ${address}: its merge is no longer on the branch`)
    ]
  }
}

const short = (commit: string) => commit.slice(0, 7)

/** Identifies a live WLAN; ids are case-insensitive. */
export function wlanKey(site: { readonly id: string }, wlan: { readonly id: string }): string {
  return `${site.id}/${wlan.id}`.toLowerCase()
}

const keyOf = ({ pull, site, wlan }: OpenPermission) => `${pull} ${wlanKey(site, wlan)}`

/** A field of a live WLAN in the states that decide; undefined: not declared. */
export interface Fact {
  /** As declared just before the merge. */
  readonly base: Value | undefined
  readonly merge: Value | undefined
  readonly tip: Value | undefined
  readonly live: Value
  /** True if there is nothing to send: live is as the tip declares it. */
  readonly isTip: boolean
  /** True if live is as declared just before the merge. */
  readonly isBase: boolean
  readonly secrets?: Operation['secrets']
}

/** `overwritten`: by a later merge, `part` of it or all. `unchanged`: all of it is live. */
export type Verdict =
  | { readonly is: 'send' | 'unchanged'; readonly pointers: readonly Pointer[] }
  | { readonly is: 'other' | 'overwritten' | 'part' }
  | { readonly is: 'stale'; readonly pointers: readonly Pointer[] }

/**
 * Checks a permission by the files and by the live WLAN: an operation counts if the merge changes the declared value of its
 * field to its `after`. All that count must still be declared at the tip, and be live already, or else be live as they were
 * before.
 */
export function verdictOf(
  { operations }: Pick<Permission, 'operations'>,
  factOf: (pointer: Pointer) => Fact
): Verdict {
  const all = operations.map(operation => ({ operation, fact: factOf(operation.pointer) }))
  const counted = all.filter(
    ({ operation: { pointer, after }, fact: { base, merge } }) =>
      !isSame(pointer, base, merge) && isSame(pointer, merge, after)
  )
  if (counted.length === 0) return { is: 'other' }
  const kept = counted.filter(({ operation, fact }) =>
    isSame(operation.pointer, fact.tip, operation.after)
  )
  if (kept.length < counted.length) return { is: kept.length === 0 ? 'overwritten' : 'part' }
  const stale = kept.filter(({ operation, fact }) => !fact.isTip && !isAsShown(operation, fact))
  const pointersOf = (some: typeof all) => some.map(({ operation }) => operation.pointer)
  if (stale.length > 0) return { is: 'stale', pointers: pointersOf(stale) }
  const isDone = kept.every(({ fact }) => fact.isTip)
  return { is: isDone ? 'unchanged' : 'send', pointers: pointersOf(kept) }
}

/** True for equal values of a field, in any notation. Undefined, not declared, equals nothing else. */
function isSame(pointer: Pointer, a: Value | undefined, b: Value | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const field = fieldAt(pointer)
  return isSameJson(normalForm(field, a, pointer), normalForm(field, b, pointer))
}

function isAsShown({ pointer, before, secrets: then = {} }: Operation, fact: Fact): boolean {
  const { live, isBase, secrets: now = {} } = fact
  if (!isBase && !isSame(pointer, live, before)) return false
  return Object.keys({ ...then, ...now }).every(at => isStateShown(then[at], now[at]))
}

/** A plan that could not compare a secret permits its reference, whatever its state is now. */
function isStateShown(then: SecretState = 'same', now: SecretState = 'same'): boolean {
  if (now === 'same' || then === now) return true
  return now !== 'rotates' && (then === 'unknown' || then === 'rotates')
}

/** What becomes of a permission in a run, before it sends anything. */
export type Decision =
  | { readonly is: 'sent' }
  | {
      readonly is: 'open'
      readonly why: string
      readonly until?: string
      /** True for a fault that may pass. */
      readonly isFault?: true
    }
  | { readonly is: 'settled'; readonly status: Status; readonly why: string }

export interface Decided {
  readonly permission: OpenPermission
  readonly decision: Decision
  /** The place of its wave. */
  readonly wave: number
}

/** What happened to what a run sent. */
export interface Execution {
  /** By address; a WLAN without one was live already. */
  readonly outcomes: ReadonlyMap<string, Outcome>
  /** The waves that were good, and passed their check. */
  readonly passed: ReadonlySet<number>
  readonly failed: ReadonlySet<number>
  readonly inWaves: boolean
  /** The waves that began. */
  readonly begun: ReadonlySet<number>
}

export interface Settled {
  readonly pull: number
  readonly address: string
  readonly status: Status
  readonly why?: string
}

export function needsPerson({ status }: Pick<Settled, 'status'>): boolean {
  return status !== 'applied' && status !== 'unchanged'
}

/** Statuses that stop a wave. */
const bad: ReadonlySet<Status> = new Set<Status>(['stale', 'diverged', 'failed', 'skipped'])

/**
 * What stays open after a run, and what is settled. Where no wave began, `unsent` says why.
 *
 * | of what was sent                                          | becomes |
 * |-----------------------------------------------------------|---------|
 * | applied or unchanged, and its wave passed its check       | settled |
 * | applied or unchanged, and its wave did not                | open    |
 * | deferred, unknown, not reached, a fault that may pass     | open    |
 * | stale, diverged, refused by the service                   | settled |
 * | all of a pull request with a change in a wave that failed | settled |
 */
export function afterRun(
  decided: readonly Decided[],
  execution: Execution | undefined,
  unsent: string
): { readonly open: readonly OpenPermission[]; readonly settled: readonly Settled[] } {
  const open: OpenPermission[] = []
  const settled: Settled[] = []
  const stopped = execution === undefined ? new Set<number>() : stoppedPulls(decided, execution)
  for (const { permission, decision, wave } of decided) {
    const { pull, address } = permission
    const end = ((): Exclude<Decision, { is: 'sent' }> => {
      if (decision.is === 'settled') return decision
      if (stopped.has(pull)) return stoppedEnd(execution?.outcomes.get(address))
      if (decision.is === 'open') return decision
      if (!execution?.begun.size) return { is: 'open', why: unsent }
      return endOf(execution.outcomes.get(address), execution.passed.has(wave))
    })()
    if (end.is === 'settled') {
      settled.push({ pull, address, status: end.status, ...(end.why !== '' && { why: end.why }) })
      continue
    }
    const { why: _, until: __, ...rest } = permission
    open.push({ ...rest, why: end.why, ...(end.until !== undefined && { until: end.until }) })
  }
  return { open, settled }
}

function endOf(outcome: Outcome | undefined, isPassed: boolean): Exclude<Decision, { is: 'sent' }> {
  const { status = 'unchanged', reason = '', until } = outcome ?? {}
  const why = reason === '' ? status : reason
  if (status === 'applied' || status === 'unchanged') {
    if (isPassed) return { is: 'settled', status, why: '' }
    return { is: 'open', why: 'live, and its wave has not passed its check yet' }
  }
  return isOpenOutcome(outcome)
    ? { is: 'open', why, ...(until !== undefined && { until }) }
    : { is: 'settled', status, why }
}

/** An outcome that another run may change. A run skips what it did not reach. */
function isOpenOutcome(outcome: Outcome | undefined): boolean {
  const { status = 'unchanged', isTransient = false } = outcome ?? {}
  return ['deferred', 'unknown', 'skipped'].includes(status) || isTransient
}

/** The pull requests of the waves that failed: by their check, or by an outcome that needs a person. */
function stoppedPulls(decided: readonly Decided[], execution: Execution): ReadonlySet<number> {
  const { outcomes, begun, failed, inWaves } = execution
  const isBadDecision = ({ decision }: Decided) =>
    decision.is === 'settled' && bad.has(decision.status)
  const heldByCanary = inWaves ? decided.filter(isBadDecision) : []
  const byWave = groupBy(
    decided.filter(({ wave }) => begun.has(wave)),
    ({ wave }) => wave
  )
  const waves = [...byWave].filter(([wave, all]) => {
    const isBad = all.some(each => {
      const outcome = outcomes.get(each.permission.address)
      if (each.decision.is !== 'sent') return isBadDecision(each)
      return outcome !== undefined && bad.has(outcome.status) && !isOpenOutcome(outcome)
    })
    return failed.has(wave) || (inWaves && isBad)
  })
  const sent = waves.flatMap(([, all]) => all.filter(({ decision }) => decision.is === 'sent'))
  return new Set([...sent, ...heldByCanary].map(({ permission }) => permission.pull))
}

function stoppedEnd(outcome: Outcome | undefined): Extract<Decision, { is: 'settled' }> {
  const why = 'its wave failed: see `wlanctl revert` with the record of this run'
  return { is: 'settled', status: outcome?.status ?? 'skipped', why }
}

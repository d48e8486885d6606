import { normalForm } from '../core/diff/agree.ts'
import type { DeferralCheck } from '../core/model/calendar.ts'
import type { Site } from '../core/model/desired.ts'
import { isSuccess, type Outcome, type Status } from '../core/model/outcome.ts'
import type { Change, SecretState } from '../core/model/plan.ts'
import type { ShownEffects } from '../core/plan/effects/escalation.ts'
import { fieldAt } from '../core/schema/field.ts'
import { compact } from '../core/values/collections.ts'
import type { Pointer } from '../core/values/pointer.ts'
import { listFirst } from '../core/values/text.ts'
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

export interface Line {
  readonly since: string
  readonly open: readonly OpenPermission[]
  readonly missing: readonly Missing[]
}

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

/** What becomes of a permission in a run: with the status `deferred` it stays open, with any other it is settled. */
export interface End {
  readonly status: Status
  /** Empty for what is done. */
  readonly why: string
  /** Of an open one: the time at which it may be used, UTC. */
  readonly until?: string | undefined
  /** True for an open one that waits because of a fault. */
  readonly isFault?: true
}

export function open(why: string, more: Pick<End, 'until' | 'isFault'> = {}): End {
  return { status: 'deferred', why, ...more }
}

export function settled(status: Exclude<Status, 'deferred'>, why: string): End {
  return { status, why }
}

export const isOpen = ({ status }: Pick<End, 'status'>) => status === 'deferred'

/**
 * Checks a permission by the files and by the live WLAN: an operation counts if the merge changes the declared value of its
 * field to its `after`. All that count must still be declared at the tip, and be live already, or else be live as they were
 * before. Returns the pointers of those that count, or why none is sent.
 */
export function verdictOf(
  { operations }: Pick<Permission, 'operations'>,
  factOf: (pointer: Pointer) => Fact
): { readonly pointers: readonly Pointer[]; readonly isLive: boolean } | End {
  const all = operations.map(operation => ({ operation, fact: factOf(operation.pointer) }))
  const counted = all.filter(
    ({ operation: { pointer, after }, fact: { base, merge } }) =>
      !isSame(pointer, base, merge) && isSame(pointer, merge, after)
  )
  if (counted.length === 0) return settled('unchanged', 'its merge does not change this')
  const kept = counted.filter(({ operation, fact }) =>
    isSame(operation.pointer, fact.tip, operation.after)
  )
  const later = 'a later merge declares another value'
  if (kept.length === 0) return settled('unchanged', later)
  if (kept.length < counted.length) return settled('skipped', `${later} of a part of it`)
  const stale = kept.filter(({ operation, fact }) => !fact.isTip && !isAsShown(operation, fact))
  const pointersOf = (some: typeof all) => some.map(({ operation }) => operation.pointer)
  if (stale.length > 0) {
    return settled('stale', `${listFirst(pointersOf(stale), 3)} is no longer as planned`)
  }
  return { pointers: pointersOf(kept), isLive: kept.every(({ fact }) => fact.isTip) }
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

export interface Case {
  readonly permission: OpenPermission
  readonly wave: number
  /** How it ended before anything was sent; absent for what is sent. */
  readonly end?: End | undefined
  /** By the calendar of its pull request. */
  readonly waits?: DeferralCheck | undefined
}

export interface Execution {
  /** By address; a WLAN without one was live already. */
  readonly outcomes: ReadonlyMap<string, Outcome>
  /** The waves that began, and how they ended: `passed` was good, and passed its check. */
  readonly waves: ReadonlyMap<number, 'begun' | 'passed' | 'failed'>
  /** False if all sites are in a single wave. */
  readonly inWaves: boolean
}

export interface Settled {
  readonly pull: number
  readonly address: string
  readonly status: Status
  readonly why?: string
}

interface AfterRun {
  readonly open: readonly OpenPermission[]
  readonly settled: readonly Settled[]
  /** The settled ones that are not as declared, or were sent in a wave that failed. */
  readonly needing: readonly Settled[]
  readonly isStopped: boolean
  /** True if some are open because of a fault, such as a site that was not read. */
  readonly hasFault: boolean
}

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
  cases: readonly Case[],
  { outcomes, waves, inWaves }: Execution,
  unsent: string
): AfterRun {
  const all = cases.map(({ permission, wave, end }) => {
    const outcome = outcomes.get(permission.address)
    const sent = waves.size === 0 ? open(unsent) : endOf(outcome, waves.get(wave) === 'passed')
    return { permission, wave, outcome, isSent: end === undefined, end: end ?? sent }
  })
  // A wave fails by its check, or by an outcome that needs a person.
  const failed = new Set(all.flatMap(({ wave, end }) => (isSuccess(end) ? [] : wave)))
  const isStopped = (wave: number) =>
    waves.get(wave) === 'failed' || (inWaves && waves.has(wave) && failed.has(wave))
  const stopped = new Set(
    all
      .filter(({ wave, isSent, end }) => (isSent ? isStopped(wave) : inWaves && !isSuccess(end)))
      .map(({ permission }) => permission.pull)
  )
  const ends = all.map(({ permission, outcome, isSent, end }) => {
    const isStopped = stopped.has(permission.pull) && (isSent || isOpen(end))
    const { status = 'skipped' } = outcome ?? {}
    const after = isStopped ? settled(status === 'deferred' ? 'skipped' : status, STOPPED) : end
    return { permission, end: after, needsPerson: isStopped || !isSuccess(after) }
  })
  const closed = ends.flatMap(({ permission: { pull, address }, end, needsPerson }) => {
    const { status, why } = end
    return isOpen(end)
      ? []
      : { result: { pull, address, status, ...(why && { why }) }, needsPerson }
  })
  return {
    open: ends.flatMap(({ permission, end }) => {
      const { until: _, ...rest } = permission
      return isOpen(end) ? { ...rest, why: end.why, ...compact({ until: end.until }) } : []
    }),
    settled: closed.map(({ result }) => result),
    needing: closed.flatMap(({ result, needsPerson }) => (needsPerson ? result : [])),
    isStopped: stopped.size > 0,
    hasFault: all.some(({ end }) => end.isFault)
  }
}

const STOPPED = 'its wave failed'

function endOf(outcome: Outcome | undefined, isPassed: boolean): End {
  const { status = 'unchanged', reason, until, isTransient } = outcome ?? {}
  const why = reason || status
  if (status === 'deferred') return open(why, { until })
  // A run skips what it did not reach.
  if (status === 'unknown' || status === 'skipped' || isTransient) {
    return open(why, { until, isFault: true })
  }
  if (status !== 'applied' && status !== 'unchanged') return settled(status, why)
  return isPassed ? settled(status, '') : open('live, and its wave has not passed its check yet')
}

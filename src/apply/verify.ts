import type { Writer } from '../api/client.ts'
import type { Clock } from '../api/clock.ts'
import { isClientError } from '../api/error.ts'
import type { DesiredWlan, Site } from '../model/desired.ts'
import type { FieldOutcome } from '../model/outcome.ts'
import type { PatchOperation } from '../model/plan.ts'
import { overlap, type Pointer, steps, topLevelField } from '../model/pointer.ts'
import {
  below,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../model/value.ts'
import { changedPointers, diff } from '../plan/diff.ts'
import { fatalReason, readBackReason } from './update-errors.ts'

/** The first pause between two looks, in milliseconds; each is twice as long as the one before. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 5_000

/** What reading a WLAN back has shown. */
export type Verified =
  | {
      readonly status: 'applied' | 'diverged'
      /** True if any field that was sent is no longer as it was before. */
      readonly touched: boolean
      /** True if a part of what should change is as desired, and all the rest of it as it was. */
      readonly inPart: boolean
      readonly fields: readonly FieldOutcome[]
      readonly sideEffects: readonly Pointer[]
      readonly notVerifiable: readonly Pointer[]
    }
  | {
      readonly status: 'unread'
      /** As the end of a sentence. */
      readonly reason: string
      /** True if asking again would not help. */
      readonly final: boolean
    }

/** A change that was sent: what there was, and what there should be. */
export interface Sent {
  readonly site: Site
  readonly wlanId: string
  readonly desired: DesiredWlan
  readonly before: ValueObject
  readonly body: ValueObject
}

/**
 * Reads a WLAN back until every declared field is as desired, or until `timeout` milliseconds have
 * passed: what is stored is not always what is shown at once. After the first read that failed there is
 * one more in any case; none after one that was refused. The record must then equal `before` with the
 * body laid over it; other fields that moved are side effects.
 */
export async function verify(
  sent: Sent,
  writer: Pick<Writer, 'readWlan'>,
  timeout: number,
  clock: Clock
): Promise<Verified> {
  const deadline = clock.now() + timeout
  let pause = FIRST_PAUSE
  let failures = 0
  for (;;) {
    const seen = await look(sent, writer)
    const left = deadline - clock.now()
    const settled = seen.status === 'unread' ? seen.final : seen.status === 'applied'
    if (seen.status === 'unread') failures += 1
    const onceMore = seen.status === 'unread' && failures === 1
    if (settled || (left <= 0 && !onceMore)) return seen
    if (!(await clock.sleep(left > 0 ? Math.min(pause, left) : pause))) return inDoubt(seen)
    pause = Math.min(2 * pause, LONGEST_PAUSE)
  }
}

/** What was seen when the run was cut short: what was not there yet may only not have been shown. */
function inDoubt(seen: Verified): Verified {
  if (seen.status === 'unread') return seen
  const reason = 'it could not be read back: the run was cut short while it was not there yet'
  return { status: 'unread', reason, final: true }
}

/** Looks once. */
async function look(sent: Sent, writer: Pick<Writer, 'readWlan'>): Promise<Verified> {
  try {
    const { record } = await writer.readWlan(sent.site, sent.wlanId)
    return judge(sent, record)
  } catch (error) {
    const final = isClientError(error) || fatalReason(error) !== undefined
    return { status: 'unread', reason: readBackReason(error), final }
  }
}

function judge({ desired, before, body }: Sent, found: ValueObject): Verified {
  const wanted = { ...before, ...body }
  const { patch, notCompared } = diff(desired.fields, found)
  const wrong = targets(patch)
  const isRight = (pointer: Pointer) => !wrong.some(at => overlap(pointer, at))
  const expected = notCompared.reduce((record, at) => taking(record, found, steps(at)), wanted)
  const others = changedPointers(expected, found).filter(isRight)
  const since = changedPointers(before, found)
  return {
    status: wrong.length === 0 ? 'applied' : 'diverged',
    touched: since.some(pointer => Object.hasOwn(body, topLevelField(pointer))),
    inPart: targets(diff(desired.fields, before).patch).some(isRight) && since.every(isRight),
    fields: wrong.map(pointer => fieldOutcome(pointer, { before, wanted, found })),
    sideEffects: others,
    notVerifiable: notCompared.filter(pointer => valueAt(body, pointer) !== undefined)
  }
}

/** The places that a patch changes. */
function targets(patch: readonly PatchOperation[]): Pointer[] {
  return patch.flatMap(({ op, path }) => (op === 'test' ? [] : [path]))
}

/** A field's values in several states of its WLAN, those that it has. */
export function fieldOutcome(
  pointer: Pointer,
  states: { readonly [state in 'before' | 'wanted' | 'found']?: ValueObject }
): FieldOutcome {
  const values = Object.entries(states).flatMap(([state, record]) => {
    const value = valueAt(record, pointer)
    return value === undefined ? [] : [[state, value] as const]
  })
  return { pointer, ...Object.fromEntries(values) }
}

/** The value with what `found` has at the end of the steps: a hidden secret tells of no move. */
function taking<V extends Value>(value: V, found: Value | undefined, path: readonly string[]): V
function taking(value: Value, found: Value | undefined, path: readonly string[]): Value {
  const [step, ...rest] = path
  if (step === undefined) return found ?? null
  const taken = (inner: Value) => taking(inner, below(found, step), rest)
  if (isList(value))
    return value.map((each, place) => (String(place) === step ? taken(each) : each))
  if (!isObject(value)) return value
  return { ...value, [step]: taken(member(value, step) ?? null) }
}

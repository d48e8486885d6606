import { changedPointers, diff } from '../../core/diff/diff.ts'
import type { DesiredWlan, Site } from '../../core/model/desired.ts'
import type { LiveWlan } from '../../core/model/live.ts'
import type { FieldOutcome } from '../../core/model/outcome.ts'
import { patchedPointers } from '../../core/model/plan.ts'
import { stillShown } from '../../core/schema/shown-secrets.ts'
import { overlap, type Pointer, steps, topLevelField } from '../../core/values/pointer.ts'
import {
  below,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../../core/values/value.ts'
import type { Writer } from '../../service/client.ts'
import type { Clock } from '../../service/http/clock.ts'
import { isClientError } from '../../service/http/error.ts'
import { fieldOutcome } from './outcome.ts'
import { fatalReason, readBackReason } from './update-errors.ts'

/** Reads may lag behind writes: what is not as expected is read again for this time, in milliseconds. */
export const LAG = 2_000

/** The first pause between reads in milliseconds; each pause is twice as long as the one before. */
const FIRST_PAUSE = 250
const MAX_PAUSE = 5_000

export type Verified =
  | {
      readonly status: 'applied' | 'diverged'
      readonly readAt: number
      /** True if any field in the update no longer has its former value. */
      readonly touched: boolean
      /** True if a read shows whether the update arrived: it changes more than hidden secrets. */
      readonly visible: boolean
      /** True if some of the changed fields have the desired value, and all others their former value. */
      readonly partial: boolean
      readonly fields: readonly FieldOutcome[]
      readonly side_effects: readonly Pointer[]
      readonly not_verifiable: readonly Pointer[]
    }
  | {
      readonly status: 'unread'
      /** The reason as the end of a sentence. */
      readonly reason: string
      /** True if another read would not help. */
      readonly final: boolean
      /** The reason why every further request of the run would fail, too. */
      readonly fatalReason?: string | undefined
    }

export interface SentUpdate {
  readonly site: Site
  readonly wlanId: string
  readonly desired: DesiredWlan
  readonly before: ValueObject
  /** The time at which `before` was read, in milliseconds of the run's clock. */
  readonly readAt: number
  readonly body: ValueObject
  /** True if the response with `before` shows secrets, so that empty ones are not set. */
  readonly secretsShown?: boolean
}

/**
 * Reads a WLAN back until every declared field has its desired value, or until `timeout` milliseconds have
 * passed, because a stored value may become visible later. A WLAN is `diverged` only if a read that began
 * after the timeout shows it. After the first failed read there is always one more, unless the service
 * refused it. The record must then equal `before` with the body merged over it; other fields that changed are
 * side effects.
 */
export async function verify(
  sent: SentUpdate,
  writer: Pick<Writer, 'readWlan'>,
  timeout: number,
  clock: Clock
): Promise<Verified> {
  const deadline = clock.now() + timeout
  let pause = FIRST_PAUSE
  let failures = 0
  for (;;) {
    const began = clock.now()
    const seen = await readOnce(sent, writer)
    const remaining = deadline - clock.now()
    if (seen.status === 'applied') return seen
    if (seen.status === 'unread') failures += 1
    const isLast =
      seen.status === 'unread' ? seen.final || (remaining <= 0 && failures > 1) : began >= deadline
    if (isLast) return seen
    if (!(await clock.sleep(remaining > 0 ? Math.min(pause, Math.ceil(remaining)) : pause)))
      return interruptedRead(seen)
    pause = Math.min(2 * pause, MAX_PAUSE)
  }
}

/** The result of an interrupted read-back: a change that is not visible may still be stored. */
function interruptedRead(seen: Verified): Verified {
  if (seen.status === 'unread') return seen
  const reason = 'it could not be read back: the run was cut short before the change was visible'
  return { status: 'unread', reason, final: true }
}

async function readOnce(sent: SentUpdate, writer: Pick<Writer, 'readWlan'>): Promise<Verified> {
  try {
    return compare(sent, await writer.readWlan(sent.site, sent.wlanId))
  } catch (error) {
    const fatal = fatalReason(error)
    const final = isClientError(error) || fatal !== undefined
    return { status: 'unread', reason: readBackReason(error), final, fatalReason: fatal }
  }
}

function compare(sent: SentUpdate, { record: found, readAt }: LiveWlan): Verified {
  const { desired, before, body } = sent
  const wanted = { ...before, ...body }
  const shown = (record: ValueObject) => ({
    secretsShown: stillShown(sent.secretsShown, before, record)
  })
  const { patch, notCompared } = diff(desired.fields, found, shown(found))
  const wrong = patchedPointers(patch)
  const isRight = (pointer: Pointer) => !wrong.some(at => overlap(pointer, at))
  const expected = notCompared.reduce((record, at) => withFound(record, found, steps(at)), wanted)
  const sideEffects = changedPointers(expected, found).filter(isRight)
  const since = changedPointers(before, found)
  const toChange = patchedPointers(diff(desired.fields, before, shown(before)).patch)
  return {
    status: wrong.length === 0 ? 'applied' : 'diverged',
    readAt,
    touched: since.some(pointer => Object.hasOwn(body, topLevelField(pointer))),
    visible: toChange.length > 0,
    partial: toChange.some(isRight) && since.every(isRight),
    fields: wrong.map(pointer => fieldOutcome(pointer, { before, wanted, found })),
    side_effects: sideEffects,
    not_verifiable: notCompared.filter(pointer => valueAt(body, pointer) !== undefined)
  }
}

/** Copies the value at the path from `found`, because it is unknown whether a hidden secret changed. */
function withFound<V extends Value>(value: V, found: Value | undefined, path: readonly string[]): V
function withFound(value: Value, found: Value | undefined, path: readonly string[]): Value {
  const [step, ...rest] = path
  if (step === undefined) return found ?? null
  const taken = (inner: Value) => withFound(inner, below(found, step), rest)
  if (isList(value))
    return value.map((each, place) => (String(place) === step ? taken(each) : each))
  if (!isObject(value)) return value
  return { ...value, [step]: taken(member(value, step) ?? null) }
}

import type { Writer } from '../api/client.ts'
import type { DesiredWlan, Site } from '../model/desired.ts'
import { reasonOf } from '../model/failure.ts'
import type { FieldOutcome } from '../model/outcome.ts'
import { overlap, type Pointer, steps } from '../model/pointer.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { diff, moved } from '../plan/diff.ts'
import type { Clock } from './clock.ts'

/** The first pause between two looks, in milliseconds; each is twice as long as the one before. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 5_000

/** What reading a WLAN back has shown. */
export type Verified =
  | {
      readonly status: 'applied' | 'diverged'
      readonly fields: readonly FieldOutcome[]
      readonly sideEffects: readonly Pointer[]
      readonly notVerifiable: readonly Pointer[]
    }
  | { readonly status: 'unread'; readonly reason: string }

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
 * passed: what is stored is not always what is shown at once. The record must then equal `before`
 * with the body laid over it; other fields that moved are side effects.
 */
export async function verify(
  sent: Sent,
  writer: Writer,
  timeout: number,
  clock: Clock
): Promise<Verified> {
  const deadline = clock.now() + timeout
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const seen = await look(sent, writer)
    const left = deadline - clock.now()
    if (seen.status === 'applied' || left <= 0) return seen
    if (!(await clock.sleep(Math.min(pause, left)))) return seen
  }
}

/** Looks once. */
async function look(sent: Sent, writer: Writer): Promise<Verified> {
  try {
    const { record } = await writer.readWlan(sent.site, sent.wlanId)
    return judge(sent, record)
  } catch (error) {
    return { status: 'unread', reason: reasonOf(error) }
  }
}

function judge({ desired, before, body }: Sent, found: ValueObject): Verified {
  const wanted = { ...before, ...body }
  const { patch, notCompared } = diff(desired.fields, found)
  const wrong = patch.flatMap(({ op, path }) => (op === 'test' ? [] : [path]))
  const others = moved(wanted, found).filter(pointer => !wrong.some(at => overlap(pointer, at)))
  return {
    status: wrong.length === 0 ? 'applied' : 'diverged',
    fields: wrong.map(pointer => fieldOutcome(pointer, { before, wanted, found })),
    sideEffects: others,
    notVerifiable: notCompared.filter(pointer => valueAt(body, pointer) !== undefined)
  }
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

function valueAt(record: ValueObject, pointer: Pointer): Value | undefined {
  let value: Value | undefined = record
  for (const step of steps(pointer)) {
    if (isList(value)) value = value[Number(step)]
    else value = isObject(value) ? member(value, step) : undefined
  }
  return value
}

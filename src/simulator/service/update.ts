import { steps } from '../../model/pointer.ts'
import { wlanField } from '../../schema/field.ts'
import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
  type WlanRecord,
  without
} from '../json.ts'
import type { Switches } from '../switches.ts'
import { consoleObjects, normalised } from './normalise.ts'

type Fields = Readonly<Record<string, Json | undefined>>

/**
 * What the service makes of a record and the body of a PUT. Fields that the body leaves out stay;
 * identity and read-only fields in it are passed over, not refused.
 *
 * | switch       | a top-level field of the body                                      |
 * |--------------|--------------------------------------------------------------------|
 * | (none)       | is replaced whole, with all that is in it                          |
 * | `merge`      | is laid over the stored one, member by member; lists are replaced  |
 * | `normalise`  | is stored in another form that means the same                      |
 * | `coupled`    | moves others, which win over what the body says of them            |
 * | `dropFields` | keeps its old value there                                          |
 */
export function updated(before: WlanRecord, body: JsonObject, switches: Switches): WlanRecord {
  const { merge, normalise, coupled, dropFields } = switches
  const writable = Object.entries(body).filter(([name]) => !wlanField.member(name).readOnly)
  const sent = Object.fromEntries(writable)
  const stored: Fields = normalise ? { ...missing(before), ...normalised(sent) } : sent
  const laid = merge ? mergedFields(before, stored) : stored
  const next = present({ ...before, ...laid, ...moved(sent, coupled) })
  return dropFields.reduce<Json>(
    (record, pointer) => kept(record, before, steps(pointer)) ?? record,
    next
  ) as WlanRecord
}

function missing(before: WlanRecord): JsonObject {
  const entries = Object.entries(consoleObjects).filter(([name]) => !Object.hasOwn(before, name))
  return Object.fromEntries(entries)
}

function present(fields: Fields): JsonObject {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  )
  return Object.fromEntries(entries)
}

function mergedFields(before: JsonObject, fields: Fields): Fields {
  const entries = Object.entries(fields).map(
    ([name, value]) => [name, merged(memberOf(before, name), value)] as const
  )
  return Object.fromEntries(entries)
}

function merged(before: Json | undefined, value: Json | undefined): Json | undefined {
  if (!isJsonObject(before) || !isJsonObject(value)) return value
  return present({ ...before, ...mergedFields(before, value) })
}

/** The fields that move because the body has another one on. */
function moved(body: JsonObject, coupled: Switches['coupled']): JsonObject {
  const followers = Object.entries(coupled).filter(([name]) => isOn(memberOf(body, name)))
  return Object.fromEntries(followers.flatMap(([, fields]) => Object.entries(fields)))
}

function isOn(value: Json | undefined): boolean {
  if (isJsonObject(value)) return memberOf(value, 'enabled') !== false
  return value !== undefined && value !== null && value !== false
}

/** The value, with what `before` has at the end of the steps: its value there, or its absence. */
function kept(
  value: Json | undefined,
  before: Json | undefined,
  [step, ...rest]: readonly string[]
): Json | undefined {
  if (step === undefined) return before
  if (isJsonList(value)) {
    const old = isJsonList(before) ? before : []
    return value.flatMap((each, index) =>
      String(index) === step ? (kept(each, old[index], rest) ?? []) : [each]
    )
  }
  if (!isJsonObject(value)) return value
  const old = isJsonObject(before) ? memberOf(before, step) : undefined
  const inner = kept(memberOf(value, step), old, rest)
  return inner === undefined ? without(value, step) : { ...value, [step]: inner }
}

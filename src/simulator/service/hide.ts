import { type Field, wlanField } from '../../schema/field.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts'
import type { Hiding } from '../switches.ts'

/** Gives what is shown in place of a secret; undefined: nothing, the member is left out. */
type Veil = (secret: string) => string | undefined

const veils: Readonly<Record<Exclude<Hiding, 'no'>, Veil>> = {
  masked: () => '********',
  partly: secret => (secret.length < 8 ? '*****' : `${secret.slice(0, 2)}*****${secret.slice(-2)}`),
  empty: () => '',
  absent: () => undefined
}

/**
 * A record as callers without the right to see secrets get it. Which ways of hiding the service
 * has is not documented; asterisks have been seen. An empty secret is shown as it is.
 */
export function hidden(record: JsonObject, hiding: Hiding): JsonObject {
  return hiding === 'no' ? record : veiledObject(record, wlanField, veils[hiding])
}

function veiledObject(object: JsonObject, field: Field, veil: Veil): JsonObject {
  const entries = Object.entries(object).flatMap(([name, value]) => {
    const shown = veiled(value, field.member(name), veil)
    return shown === undefined ? [] : [[name, shown] as const]
  })
  return Object.fromEntries(entries)
}

function veiled(value: Json, field: Field, veil: Veil): Json | undefined {
  if (isJsonList(value)) return value.flatMap(each => veiled(each, field.item(), veil) ?? [])
  if (isJsonObject(value)) return veiledObject(value, field, veil)
  return field.secret && typeof value === 'string' && value !== '' ? veil(value) : value
}

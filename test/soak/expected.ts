import { isList, isObject } from '../../src/core/values/value.ts'
import type { Json, JsonObject } from '../../src/simulator/json.ts'

/** Fields whose members have arbitrary names: they are declared and sent completely. */
const WHOLE = ['vlans']

/**
 * The expected record: declared members replace live ones at any depth. Elements of a list of servers are
 * merged with those of the same `host`.
 */
export function laidOver(before: Json | undefined, declared: Json): Json {
  if (isList(declared)) {
    const old = isList(before) ? before : []
    return declared.map(element => laidOver(namesake(element, old), element))
  }
  if (!isObject(declared)) return declared
  const old = isObject(before) ? before : {}
  const members = Object.entries(declared).map(
    ([name, value]) => [name, WHOLE.includes(name) ? value : laidOver(old[name], value)] as const
  )
  return { ...old, ...Object.fromEntries(members) }
}

function namesake(element: Json, list: readonly Json[]): Json | undefined {
  if (!isObject(element)) return undefined
  return list.find(other => isObject(other) && other['host'] === element['host'])
}

/** A text that is equal for values that the service treats as equivalent. */
export function meaning(value: Json | undefined): string {
  return JSON.stringify(plain(value)) ?? 'nothing'
}

/**
 * The normal form: no empty values, numbers and booleans as text, lists of plain values and members sorted;
 * `"10,20"` is a list like `["10", "20"]`.
 */
function plain(value: Json | undefined): unknown {
  if (value === undefined || value === null || value === '') return undefined
  if (isList(value)) return value.length === 0 ? undefined : plainList(value)
  if (isObject(value)) return plainObject(value)
  const text = String(value).toLowerCase()
  return text.includes(',') ? plainList(text.split(',').map(part => part.trim())) : text
}

function plainList(list: readonly Json[]): unknown {
  const items = list.map(plain)
  return list.some(isObject) ? items : items.sort()
}

function plainObject(object: JsonObject): unknown {
  const members = Object.entries(object).flatMap(([name, value]) => {
    const inner = plain(value)
    return inner === undefined ? [] : [[name, inner] as const]
  })
  if (members.length === 0) return undefined
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The names of the top-level fields that differ, except the modification time. */
export function differing(a: JsonObject, b: JsonObject): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].filter(
    name => name !== 'modified_time' && meaning(a[name]) !== meaning(b[name])
  )
}

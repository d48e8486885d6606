import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../src/simulator/json.ts'

/** Fields whose members have names that nobody can foresee: they are declared, and sent, as a whole. */
const WHOLE = ['vlans']

/**
 * The record with what is declared in place of its own, at any depth: what it should become. The
 * elements of a list of servers are laid over those with the same `host`.
 */
export function laidOver(before: Json | undefined, declared: Json): Json {
  if (isJsonList(declared)) {
    const old = isJsonList(before) ? before : []
    return declared.map(element => laidOver(namesake(element, old), element))
  }
  if (!isJsonObject(declared)) return declared
  const old = isJsonObject(before) ? before : {}
  const members = Object.entries(declared).map(
    ([name, value]) => [name, WHOLE.includes(name) ? value : laidOver(old[name], value)] as const
  )
  return { ...old, ...Object.fromEntries(members) }
}

function namesake(element: Json, list: readonly Json[]): Json | undefined {
  if (!isJsonObject(element)) return undefined
  return list.find(other => isJsonObject(other) && other['host'] === element['host'])
}

/** A form in which values that mean the same to the service are the same text. */
export function meaning(value: Json | undefined): string {
  return JSON.stringify(plain(value)) ?? 'nothing'
}

/**
 * Nothing of what is empty, numbers and switches as text, lists of plain values sorted, members in
 * order; `"10,20"` is a list as `["10", "20"]` is.
 */
function plain(value: Json | undefined): unknown {
  if (value === undefined || value === null || value === '') return undefined
  if (isJsonList(value)) return value.length === 0 ? undefined : plainList(value)
  if (isJsonObject(value)) return plainObject(value)
  const text = String(value).toLowerCase()
  return text.includes(',') ? plainList(text.split(',').map(part => part.trim())) : text
}

function plainList(list: readonly Json[]): unknown {
  const items = list.map(plain)
  return list.some(isJsonObject) ? items : items.sort()
}

function plainObject(object: JsonObject): unknown {
  const members = Object.entries(object).flatMap(([name, value]) => {
    const inner = plain(value)
    return inner === undefined ? [] : [[name, inner] as const]
  })
  if (members.length === 0) return undefined
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The names of the top-level fields that differ; the time of the last change aside. */
export function differing(a: JsonObject, b: JsonObject): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].filter(
    name => name !== 'modified_time' && meaning(a[name]) !== meaning(b[name])
  )
}

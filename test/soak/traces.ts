import type { JsonObject } from '../../src/simulator/json.ts'
import type { StoredPut } from '../../src/simulator/store.ts'
import { differing, laidOver, meaning } from './expected.ts'
import type { Case } from './fleet.ts'

/** The history of a WLAN on the service. */
export interface Trace {
  readonly written: boolean
  /** Updates that changed it. */
  readonly effective: number
  /** Updates without an effect. */
  readonly redundant: number
  /** The declared fields that differ from their declaration. */
  readonly wrong: readonly string[]
  /** The fields with neither the declared nor the former value. */
  readonly odd: readonly string[]
}

/** Compares a stored WLAN with its declaration, its updates and the edits of other users. */
export function traceOf(
  { before, declared }: Case,
  found: JsonObject,
  writes: readonly StoredPut[],
  edits: JsonObject
): Trace {
  const effective = writes.filter(write => differing(write.before, write.after).length > 0).length
  const untouched = { ...before, ...edits }
  const wanted = laidOver(untouched, declared) as JsonObject
  const odd = differing(found, wanted).filter(
    name => meaning(found[name]) !== meaning(untouched[name]) && !isAdded(name, before, found)
  )
  return {
    written: writes.length > 0,
    effective,
    redundant: writes.length - effective,
    wrong: differing(found, laidOver(found, declared) as JsonObject),
    odd
  }
}

/**
 * True if the service may have added the value: the web console adds objects that are empty or disabled, as
 * does a service that normalises.
 */
function isAdded(name: string, before: JsonObject, found: JsonObject): boolean {
  return !Object.hasOwn(before, name) && !/"enabled":true/.test(JSON.stringify(found[name]))
}

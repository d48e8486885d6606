import type { JsonObject } from '../../src/simulator/json.ts'
import type { StoredPut } from '../../src/simulator/store.ts'
import { differing, laidOver, meaning } from './expected.ts'
import type { Case } from './fleet.ts'

/** What the service knows of one WLAN. */
export interface Trace {
  readonly written: boolean
  /** Updates that changed it. */
  readonly effective: number
  /** Updates that found it as they would have made it. */
  readonly redundant: number
  /** The declared fields that are not as declared. */
  readonly wrong: readonly string[]
  /** The fields that are neither as declared nor as they were. */
  readonly odd: readonly string[]
}

/** Holds a WLAN as it is stored against what was declared of it, was written to it, and was edited. */
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

/** The web console adds objects that are empty or switched off; so does a service that normalises. */
function isAdded(name: string, before: JsonObject, found: JsonObject): boolean {
  return !Object.hasOwn(before, name) && !/"enabled":true/.test(JSON.stringify(found[name]))
}

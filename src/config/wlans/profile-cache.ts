import type { ValueObject } from '../../model/value.ts'
import { Findings } from '../checks/findings.ts'
import { Suggestions } from '../checks/suggest.ts'
import type { LoadContext } from '../load-context.ts'
import type { MapNode } from '../yaml/tree.ts'
import { checkFields } from './validate.ts'
import { Values } from './values.ts'

/** What the profiles of a WLAN give it, with values that need no second look. */
export interface CachedProfile {
  readonly declared: MapNode
  readonly fields: ValueObject
  /** The values in it. */
  readonly size: number
}

/**
 * Most of a WLAN comes from profiles, and says the same for all that extend the same ones: it is read
 * and checked once, and its values are shared.
 */
export class ProfileCache {
  readonly #run: LoadContext
  readonly #known = new Map<MapNode, CachedProfile | undefined>()

  constructor(run: LoadContext) {
    this.#run = run
  }

  /**
   * What profiles give; undefined where a variable has a part in it, and where there is anything to be
   * said of it: a WLAN may lay something else over that, and then there is not.
   */
  of(profiles: MapNode): CachedProfile | undefined {
    if (this.#known.has(profiles)) return this.#known.get(profiles)
    const base = this.#read(profiles)
    this.#known.set(profiles, base)
    return base
  }

  #read(profiles: MapNode): CachedProfile | undefined {
    const findings = new Findings()
    const run = { ...this.#run, findings, suggestions: new Suggestions() }
    const values = new Values(run, undefined)
    const fields = values.fields(profiles)
    if (values.usesVariables || !values.complete || values.tooMany) return undefined
    checkFields(fields, () => profiles, run, values.holdsSecret)
    return findings.none ? { declared: profiles, fields, size: values.count } : undefined
  }
}

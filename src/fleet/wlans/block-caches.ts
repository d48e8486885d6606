import type { DesiredWlan } from '../../core/model/desired.ts'
import type { ValueObject } from '../../core/values/value.ts'
import { Suggestions } from '../expect.ts'
import { Findings } from '../findings.ts'
import type { LoadContext } from '../load-context.ts'
import type { FleetSite } from '../sites.ts'
import type { Entry, MapNode } from '../yaml/tree.ts'
import { checkFields } from './validate.ts'
import { Values } from './values.ts'

/** The declaration of a block, without the names that a site gives it. */
export type Content = Omit<DesiredWlan, 'address' | 'key' | 'excluded'>

/** The shared declaration of all blocks with the same text. */
interface Pattern {
  readonly content: Content
  /** The number of values in it. */
  readonly size: number
  /** The fields with variables, which differ from site to site; undefined if there are none. */
  readonly varying: MapNode | undefined
  /** All fields of the last site: the next one shares them if its variables have the same values. */
  fields: ValueObject
}

const MAX_ENTRIES = 10_000

/**
 * Cache of resolved blocks without findings. Key: the text of the block in its file. Bound: the first 10,000
 * texts. Only the fields with variables are resolved again for each site. Without it, `validate` of 1,000
 * files takes 1.7 times the CPU time.
 */
export class ResolvedBlockCache {
  readonly #run: LoadContext
  readonly #cached = new Map<string, Pattern>()
  /** A context whose findings are discarded. */
  #trial: LoadContext

  constructor(run: LoadContext) {
    this.#run = run
    this.#trial = trialOf(run)
  }

  /** The cached content for a site; undefined if the block is not cached, or may have findings. */
  contentOf(entry: Entry, block: MapNode, site: FleetSite): Content | undefined {
    const text = this.#textOf(entry, block)
    const known = text === undefined ? undefined : this.#cached.get(text)
    if (known === undefined) return undefined
    const { content, varying } = known
    if (varying === undefined) return { ...content, ...placesOf(entry) }
    const fields = this.#valuesOf(varying, known.size, site)
    if (fields === undefined) return undefined
    const isSame = Object.keys(fields).every(name => fields[name] === known.fields[name])
    if (!isSame) known.fields = { ...content.fields, ...fields }
    return { ...content, ...placesOf(entry), fields: known.fields }
  }

  /** Adds a block without findings; `own` contains the members that do not come from its profiles. */
  add(entry: Entry, block: MapNode, content: Content, own: MapNode, values: Values): void {
    const text = this.#textOf(entry, block)
    if (text === undefined || this.#cached.size >= MAX_ENTRIES) return
    const varying = values.varying.length === 0 ? undefined : only(own, values.varying)
    this.#cached.set(text, { content, size: values.count, varying, fields: content.fields })
  }

  /** Undefined if there are rules, because their findings name the place of every WLAN. */
  #textOf({ offset, value }: Entry, { end }: MapNode): string | undefined {
    const isAsked = this.#run.rules === undefined && end !== undefined
    return isAsked ? value.source.text.slice(offset, end) : undefined
  }

  /** Undefined if the values may have findings, which must be reported at the place of this block. */
  #valuesOf(varying: MapNode, size: number, site: FleetSite) {
    if (!this.#trial.findings.none) this.#trial = trialOf(this.#run)
    const values = new Values(this.#trial, site)
    values.count = size
    const fields = values.fields(varying)
    if (!values.complete) return undefined
    checkFields(fields, () => varying, this.#trial, values.holdsSecret, site)
    return this.#trial.findings.none ? fields : undefined
  }
}

/** The places of a block. */
export function placesOf({ value: { source }, offset }: Entry): Pick<Content, 'origin' | 'place'> {
  const place = source.place(offset)
  return { origin: { ...place, file: source.inFleet }, place }
}

/** The same context with findings of its own. */
function trialOf(run: LoadContext): LoadContext {
  return { ...run, findings: new Findings() }
}

function only(map: MapNode, names: readonly string[]): MapNode {
  return { ...map, entries: new Map([...map.entries].filter(([name]) => names.includes(name))) }
}

/** The validated values that profiles contribute to a WLAN. */
export interface CachedProfile {
  readonly declared: MapNode
  readonly fields: ValueObject
  /** The number of values in it. */
  readonly size: number
}

/**
 * Cache of the values that profiles contribute, or that a block contributes below overrides. Key: the merged map,
 * weakly. Bound: the combinations of profiles that blocks extend, and the blocks with overrides. A policy with rules
 * switches off `ResolvedBlockCache`; without both caches, a fleet of 10,000 sites exceeds the `resolving` budget.
 */
export class ProfileCache {
  readonly #run: LoadContext
  readonly #cached = new WeakMap<MapNode, CachedProfile | undefined>()

  constructor(run: LoadContext) {
    this.#run = run
  }

  /** Undefined if the values use variables or have findings, because the WLAN may override those. */
  of(profiles: MapNode): CachedProfile | undefined {
    if (this.#cached.has(profiles)) return this.#cached.get(profiles)
    const base = this.#read(profiles)
    this.#cached.set(profiles, base)
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

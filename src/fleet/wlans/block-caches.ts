import type { DesiredWlan } from '../../core/model/desired.ts'
import type { ValueObject } from '../../core/values/value.ts'
import { Findings } from '../findings.ts'
import { nodesOfObject } from '../limits.ts'
import type { FleetSite } from '../sites.ts'
import { PlainBlock } from '../yaml/fast-reader.ts'
import type { Entry, MapNode } from '../yaml/tree.ts'
import type { LoadContext } from './load-context.ts'
import { checkFields } from './validate.ts'
import { Values } from './values.ts'

export interface Reading {
  readonly content: Omit<DesiredWlan, 'address' | 'key'>
  /** False if a value could not be resolved, so that the WLAN is incomplete. */
  readonly complete: boolean
}

interface Pattern extends Reading {
  /** The block that was read; the place of its findings. */
  readonly entry: Entry
  readonly isClean: boolean
  readonly size: number
  /** The number of its fields. */
  readonly width: number
  /** The fields with variables, which differ from site to site; undefined if there are none. */
  readonly varying: MapNode | undefined
  /** All fields of the last site: the next one shares them if its variables have the same values. */
  fields: ValueObject
  /** What sites have that share a block: that of the last block with this text. */
  placed?: { readonly entry: Entry; readonly content: Reading['content'] }
}

const MAX_ENTRIES = 10_000

/**
 * Cache of resolved blocks. Key: the text of the block without its id; for YAML that only the library parses the block,
 * which the sites of a list share. Bound: the first 10,000. Only the fields with variables are resolved again for each
 * site. Without it, `validate` of 1,000 files takes twice the CPU time.
 */
export class BlockCache {
  readonly #run: LoadContext
  readonly #cached = new Map<object, Pattern>()
  #trial: LoadContext

  constructor(run: LoadContext) {
    this.#run = run
    this.#trial = trialOf(run)
  }

  /** The reading of a block at a site; undefined if it is not cached, or may have findings at this place. */
  of(entry: Entry, block: MapNode, site: FleetSite): Reading | undefined {
    const known = this.#cached.get(keyOf(entry, block))
    const isOwn = known?.entry === entry
    if (known === undefined || !(known.isClean || isOwn)) return undefined
    const { varying } = known
    if (isOwn && varying === undefined) return known
    const id = block instanceof PlainBlock ? block.id : undefined
    if (known.placed?.entry !== entry) {
      const content = { ...known.content, ...placesOf(entry), ...(id !== undefined && { id }) }
      known.placed = { entry, content }
    }
    const { content } = known.placed
    if (varying === undefined) return { content, complete: true }
    const fields = this.#valuesOf(varying, known.size, site)
    if (fields === undefined) return undefined
    const isSame = Object.keys(fields).every(name => fields[name] === known.fields[name])
    if (!isSame) {
      known.fields = { ...content.fields, ...fields }
      this.#run.usage.add('nodes', nodesOfObject(known.width))
    }
    return { content: { ...content, fields: known.fields }, complete: true }
  }

  add(
    entry: Entry,
    block: MapNode,
    reading: Reading,
    own: MapNode,
    { values, isClean }: { readonly values: Values; readonly isClean: boolean }
  ): void {
    if (this.#cached.size >= MAX_ENTRIES || (values.usesVariables && !isClean)) return
    const varying = values.usesVariables ? only(own, values.varying) : undefined
    const { fields } = reading.content
    const template = varying && { varying: new Set(values.varying) }
    this.#cached.set(keyOf(entry, block), {
      ...reading,
      content: { ...reading.content, ...(template && { template }) },
      entry,
      isClean,
      size: values.count,
      width: Object.keys(fields).length,
      varying,
      fields
    })
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

function keyOf(entry: Entry, block: MapNode): object {
  return block instanceof PlainBlock ? block.shared : entry
}

export function placesOf({ value: { source }, offset }: Entry) {
  return { place: source.place(offset), file: source.inFleet }
}

function trialOf(run: LoadContext): LoadContext {
  return { ...run, findings: run.findings.trial() }
}

function only(map: MapNode, names: readonly string[]): MapNode {
  return { ...map, entries: new Map([...map.entries].filter(([name]) => names.includes(name))) }
}

export interface CachedProfile {
  readonly declared: MapNode
  readonly fields: ValueObject
  readonly size: number
}

/**
 * Cache of the values that profiles contribute, or that a block contributes below overrides. Key: the merged map,
 * weakly. Bound: the combinations of profiles that blocks extend, and the blocks with overrides. Without it, the
 * profiles are merged and checked again for each of the sites whose blocks differ.
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
    const run = { ...this.#run, findings }
    const values = new Values(run, undefined)
    const fields = values.fields(profiles)
    if (values.usesVariables || !values.complete || values.tooMany) return undefined
    checkFields(fields, () => profiles, run, values.holdsSecret)
    return findings.none ? { declared: profiles, fields, size: values.count } : undefined
  }
}

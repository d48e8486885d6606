import { type Pointer, steps } from '../../model/pointer.ts'
import type { Value } from '../../model/value.ts'
import { slug, UniqueNames } from '../names.ts'
import type { Pause } from '../plain.ts'
import type { ImportedSite } from '../site.ts'
import { type Affixes, affixesOf } from './format.ts'
import type { Kind } from './kinds.ts'
import { identity } from './leaves.ts'

/** What differs from site to site, under a name; several places may have the same. */
export interface Variable {
  readonly name: string
  readonly values: ReadonlyMap<ImportedSite, Value>
  /** Where its first use is: what its secrets are named after. */
  readonly kind: Kind
  readonly at: Pointer
}

/** How a place of a profile gets its value. */
export interface VariableUse {
  readonly variable: Variable
  /** The variable is a part of the text, between these two. */
  readonly format?: { readonly prefix: string; readonly suffix: string }
}

/** Where each kind uses variables. */
export type Uses = ReadonlyMap<Kind, ReadonlyMap<Pointer, VariableUse>>

/** A place that varies. */
interface Source {
  readonly kind: Kind
  readonly at: Pointer
  readonly values: ReadonlyMap<ImportedSite, Value>
}

/** A variable that may still become that of more sites. */
interface Draft extends Source {
  readonly name: string
  values: ReadonlyMap<ImportedSite, Value>
}

/**
 * Makes variables of the places that vary. Places that have the same value on every site share one,
 * also where it is only a part of their texts: two RADIUS servers of one subnet, say.
 */
export async function variablesOf(kinds: readonly Kind[], pause: Pause): Promise<Uses> {
  const sources = kinds.flatMap(sourcesOf)
  const drafts = new Drafts()
  const parts = await partsOf(sources, pause)
  const uses = new Map<Kind, Map<Pointer, VariableUse>>(kinds.map(kind => [kind, new Map()]))
  for (const source of sources) {
    await pause()
    const affixes = parts.get(source)
    const draft =
      affixes === undefined
        ? drafts.take(source, nameOf(source))
        : drafts.take({ ...source, values: asNumbers(affixes.middles) }, partName(source))
    const format = affixes && { prefix: affixes.prefix, suffix: affixes.suffix }
    uses.get(source.kind)?.set(source.at, { variable: draft, ...(format && { format }) })
  }
  return uses
}

function sourcesOf(kind: Kind): Source[] {
  return [...kind.varying].map(([at, members]) => ({
    kind,
    at,
    values: new Map([...members].map(([{ site }, value]) => [site, value]))
  }))
}

/** The drafts so far; one that agrees with another is that one. */
class Drafts {
  readonly #drafts: Draft[] = []
  readonly #names = new UniqueNames('_')

  take(source: Source, name: string): Draft {
    const same = this.#drafts.find(draft => agree(draft.values, source.values))
    if (same !== undefined) {
      same.values = new Map([...source.values, ...same.values])
      return same
    }
    const draft = { ...source, name: this.#names.take(name) }
    this.#drafts.push(draft)
    return draft
  }
}

/** True if both have the same value on every site that both are about, and these are most of them. */
function agree(a: ReadonlyMap<ImportedSite, Value>, b: ReadonlyMap<ImportedSite, Value>): boolean {
  let common = 0
  for (const [site, value] of a) {
    const other = b.get(site)
    if (other === undefined) continue
    if (identity(value) !== identity(other)) return false
    common += 1
  }
  return 2 * common > Math.max(a.size, b.size)
}

/** How texts are taken apart, where that plainly helps: their number is in other texts, too, or is a name. */
async function partsOf(
  sources: readonly Source[],
  pause: Pause
): Promise<ReadonlyMap<Source, Affixes>> {
  const all = new Map<Source, Affixes>()
  for (const source of sources) {
    await pause()
    const affixes = affixesOf(source.values)
    if (affixes !== undefined) all.set(source, affixes)
  }
  const helpful = new Map<Source, Affixes>()
  for (const [source, affixes] of all) {
    await pause()
    const isShared = [...all].some(
      ([other, { middles }]) =>
        other !== source && agree(middles, affixes.middles) && !agree(other.values, source.values)
    )
    if (isShared || source.at === '/ssid') helpful.set(source, affixes)
  }
  return helpful
}

/** Numbers as numbers, if all of them are written as a number is. */
function asNumbers(middles: ReadonlyMap<ImportedSite, string>): ReadonlyMap<ImportedSite, Value> {
  const isNumber = (text: string) => /^(?:0|[1-9]\d{0,8})$/.test(text)
  if (![...middles.values()].every(isNumber)) return middles
  return new Map([...middles].map(([site, text]) => [site, Number(text)]))
}

/** `guest` and `/portal/expire` give `guest_expire`, of a list `corp_host`; a number tells more apart. */
function nameOf({ kind, at }: Source): string {
  const last = steps(at).findLast(step => !/^\d+$/.test(step)) ?? 'value'
  return wordOf(`${kind.family.key} ${last}`)
}

/** The part of a text: of an SSID it is the site's number, of an address the network. */
function partName({ kind, at }: Source): string {
  return at === '/ssid' ? 'number' : wordOf(`${kind.family.key} net`)
}

function wordOf(text: string): string {
  return slug(text).replaceAll('-', '_')
}

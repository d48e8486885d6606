import { type Pointer, steps } from '../../model/pointer.ts'
import type { Value } from '../../model/value.ts'
import { slugOf, UniqueNames } from '../names.ts'
import type { ImportedSite } from '../site.ts'
import type { Pause } from '../site-files.ts'
import type { ProfileCandidate } from './families.ts'
import { comparisonKey } from './leaves.ts'

/** What differs from site to site, under a name; several places may have the same. */
export interface SiteVariable {
  readonly name: string
  readonly values: ReadonlyMap<ImportedSite, Value>
  /** Where its first use is: what its secrets are named after. */
  readonly kind: ProfileCandidate
  readonly at: Pointer
}

/** How a place of a profile gets its value. */
export interface VariablePlace {
  readonly variable: SiteVariable
  /** The variable is a part of the text, between these two. */
  readonly format?: { readonly prefix: string; readonly suffix: string }
}

/** Where each kind uses variables. */
export type VariablePlaces = ReadonlyMap<ProfileCandidate, ReadonlyMap<Pointer, VariablePlace>>

/** A place that varies. */
interface VaryingPlace {
  readonly kind: ProfileCandidate
  readonly at: Pointer
  readonly values: ReadonlyMap<ImportedSite, Value>
}

/** A variable that may still become that of more sites. */
interface VariableDraft extends VaryingPlace {
  readonly name: string
  values: ReadonlyMap<ImportedSite, Value>
}

/**
 * Makes variables of the places that vary. Places that have the same value on every site share one,
 * also where it is only a part of their texts: two RADIUS servers of one subnet, say.
 */
export async function findVariables(
  kinds: readonly ProfileCandidate[],
  pause: Pause
): Promise<VariablePlaces> {
  const sources = kinds.flatMap(varyingPlaces)
  const drafts = new VariableDrafts()
  const parts = await helpfulAffixes(sources, pause)
  const uses = new Map<ProfileCandidate, Map<Pointer, VariablePlace>>(
    kinds.map(kind => [kind, new Map()])
  )
  for (const source of sources) {
    await pause()
    const affixes = parts.get(source)
    const draft =
      affixes === undefined
        ? drafts.take(source, variableName(source))
        : drafts.take({ ...source, values: asNumbers(affixes.middles) }, affixVariableName(source))
    const format = affixes && { prefix: affixes.prefix, suffix: affixes.suffix }
    uses.get(source.kind)?.set(source.at, { variable: draft, ...(format && { format }) })
  }
  return uses
}

function varyingPlaces(kind: ProfileCandidate): VaryingPlace[] {
  return [...kind.varying].map(([at, members]) => ({
    kind,
    at,
    values: new Map([...members].map(([{ site }, value]) => [site, value]))
  }))
}

/** The drafts so far; one that agrees with another is that one. */
class VariableDrafts {
  readonly #drafts: VariableDraft[] = []
  readonly #names = new UniqueNames('_')

  take(source: VaryingPlace, name: string): VariableDraft {
    const same = this.#drafts.find(draft => agreeOnMostSites(draft.values, source.values))
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
function agreeOnMostSites(
  a: ReadonlyMap<ImportedSite, Value>,
  b: ReadonlyMap<ImportedSite, Value>
): boolean {
  let common = 0
  for (const [site, value] of a) {
    const other = b.get(site)
    if (other === undefined) continue
    if (comparisonKey(value) !== comparisonKey(other)) return false
    common += 1
  }
  return 2 * common > Math.max(a.size, b.size)
}

/** How texts are taken apart, where that plainly helps: their number is in other texts, too, or is a name. */
async function helpfulAffixes(
  sources: readonly VaryingPlace[],
  pause: Pause
): Promise<ReadonlyMap<VaryingPlace, Affixes>> {
  const all = new Map<VaryingPlace, Affixes>()
  for (const source of sources) {
    await pause()
    const affixes = findAffixes(source.values)
    if (affixes !== undefined) all.set(source, affixes)
  }
  const helpful = new Map<VaryingPlace, Affixes>()
  for (const [source, affixes] of all) {
    await pause()
    const isShared = [...all].some(
      ([other, { middles }]) =>
        other !== source &&
        agreeOnMostSites(middles, affixes.middles) &&
        !agreeOnMostSites(other.values, source.values)
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
function variableName({ kind, at }: VaryingPlace): string {
  const last = steps(at).findLast(step => !/^\d+$/.test(step)) ?? 'value'
  return identifier(`${kind.family.key} ${last}`)
}

/** The part of a text: of an SSID it is the site's number, of an address the network. */
function affixVariableName({ kind, at }: VaryingPlace): string {
  return at === '/ssid' ? 'number' : identifier(`${kind.family.key} net`)
}

function identifier(text: string): string {
  return slugOf(text).replaceAll('-', '_')
}

/** What texts have in common at both ends, and what is between them on each site. */
export interface Affixes {
  readonly prefix: string
  readonly suffix: string
  readonly middles: ReadonlyMap<ImportedSite, string>
}

/**
 * Takes texts apart: `10.0.17.11` and `10.0.18.11` are `10.0.`, a part that differs, and `.11`. Numbers
 * are not cut. Undefined if they have nothing in common, if nothing is left between, or if they hold
 * braces, which a `$format` takes for its own.
 */
export function findAffixes(values: ReadonlyMap<ImportedSite, Value>): Affixes | undefined {
  const texts = [...values.values()]
  if (!texts.every(isFormattable)) return undefined
  const [first = ''] = texts
  const prefix = texts.reduce(commonPrefix, first).replace(/\d+$/, '')
  const rests = texts.map(text => text.slice(prefix.length))
  const suffix = rests.map(reversed).reduce(commonPrefix, reversed(rests[0] ?? ''))
  const tail = reversed(suffix).replace(/^\d+/, '')
  if (prefix === '' && tail === '') return undefined
  const middles = rests.map(rest => rest.slice(0, rest.length - tail.length))
  if (middles.some(middle => middle === '')) return undefined
  const sites = [...values.keys()]
  return {
    prefix,
    suffix: tail,
    middles: new Map(sites.map((site, n) => [site, middles[n] ?? '']))
  }
}

/** What a text has between these ends; undefined if it does not begin and end so. */
export function stripAffixes(
  text: Value | undefined,
  prefix: string,
  suffix: string
): string | undefined {
  if (typeof text !== 'string' || !text.startsWith(prefix) || !text.endsWith(suffix))
    return undefined
  const middle = text.slice(prefix.length, text.length - suffix.length)
  return middle === '' || text.length < prefix.length + suffix.length ? undefined : middle
}

function isFormattable(value: Value): value is string {
  return typeof value === 'string' && /^[^{}]*$/.test(value) && !/[\ud800-\udfff]/.test(value)
}

function commonPrefix(a: string, b: string): string {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1
  return a.slice(0, length)
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

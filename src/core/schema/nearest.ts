import { distance } from 'fastest-levenshtein'
import { type Field, wlanField } from './field.ts'

/** Longer names are not compared, because the cost is quadratic and such names are not typos. */
const MAX_LENGTH = 100

/**
 * The known name that is closest to a misspelled one; undefined if more than a third of the letters
 * differ. Ignores case and Unicode normal form; two swapped letters count as one.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  return closest(
    name,
    known,
    (far, { length }) => far <= Math.max(1, Math.floor(Math.max(name.length, length) / 3))
  )
}

/**
 * The name that is closest to a changed one, and whether it may be its former name: at most half of the
 * letters differ, or one contains the other. Undefined if there is no other name.
 */
export function nearestRename(
  name: string,
  known: readonly string[]
): { readonly name: string; readonly isLikely: boolean } | undefined {
  const isLikely = (far: number, candidate: string) =>
    far <= Math.max(name.length, candidate.length) / 2 || contain(fold(name), fold(candidate))
  const likely = closest(name, known, isLikely)
  const found = likely ?? closest(name, known, () => true)
  return found === undefined ? undefined : { name: found, isLikely: likely !== undefined }
}

/** The minimum length of a text that counts if another text contains it. */
const MIN_PART = 3

function contain(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= MIN_PART && (a.includes(b) || b.includes(a))
}

function closest(
  name: string,
  known: Iterable<string>,
  isNear: (far: number, candidate: string) => boolean
): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const sought = fold(name)
  let best: { readonly name: string; readonly far: number } | undefined
  for (const candidate of known) {
    if (candidate === name || candidate.length > MAX_LENGTH) continue
    const folded = fold(candidate)
    const far = isSwap(sought, folded) ? 1 : distance(sought, folded)
    if (isNear(far, candidate) && (best === undefined || far < best.far)) {
      best = { name: candidate, far }
    }
  }
  return best?.name
}

function isSwap(a: string, b: string): boolean {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  const swapped = `${b[at + 1] ?? ''}${b[at] ?? ''}`
  return a.length === b.length && a !== b && a.slice(at) === swapped + b.slice(at + 2)
}

/** The declarable fields of a WLAN by their names, and by what else people call them; as `auth.psk`. */
let places: ReadonlyMap<string, ReadonlySet<string>> | undefined

/** A name that more fields have, such as `enabled`, tells nothing. */
const MAX_PLACES = 3

/**
 * The other fields with the name of an unknown one, or that people call so: those of the same object, else those with the
 * very name. As `auth.psk` or `auth_servers[].host`; none for a common name. `unknown`: its path, with or without indexes.
 */
export function fieldsCalled(unknown: readonly string[]): readonly string[] {
  places ??= placesIn(wlanField)
  const name = unknown.at(-1) ?? ''
  const found = [...(places.get(name.toLowerCase()) ?? [])]
  const above = unknown.slice(0, -1).filter(step => !/^\d+$/.test(step))
  const here = found.filter(
    place => place.replaceAll('[]', '').split('.').slice(0, -1).join('.') === above.join('.')
  )
  const exact = found.filter(place => `.${place}`.endsWith(`.${name}`))
  const best = [here, exact, found].find(each => each.length > 0) ?? []
  return best.length > MAX_PLACES ? [] : best
}

function placesIn(root: Field): ReadonlyMap<string, ReadonlySet<string>> {
  const byName = new Map<string, Set<string>>()
  const visit = (field: Field, above: string) => {
    for (const name of field.memberNames()) {
      const member = field.member(name)
      if (member.readOnly || member.deprecated) continue
      for (const each of [name, ...(member.otherNames ?? [])]) {
        byName.set(each, (byName.get(each) ?? new Set()).add(above + name))
      }
      visit(member, `${above}${name}.`)
      visit(member.item(), `${above}${name}[].`)
    }
  }
  visit(root, '')
  return byName
}

export function valueCalled({ synonyms = {} }: Field, word: string): readonly string[] {
  return Object.keys(synonyms).filter(value => new RegExp(synonyms[value] ?? '', 'i').test(word))
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

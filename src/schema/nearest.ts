import { distance } from 'fastest-levenshtein'

/** Longer names are not compared: the distance is quadratic, and such names are not typos. */
const MAX_LENGTH = 100

/**
 * The known name that is nearest to a misspelled one; undefined if more than a third of the letters differ.
 * Case and Unicode normal form do not count, and two swapped letters count as one.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const sought = fold(name)
  let best: { readonly name: string; readonly far: number } | undefined
  for (const candidate of known) {
    if (candidate === name || candidate.length > MAX_LENGTH) continue
    const far = isSwap(sought, fold(candidate)) ? 1 : distance(sought, fold(candidate))
    const near = far <= Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3))
    if (near && (best === undefined || far < best.far)) best = { name: candidate, far }
  }
  return best?.name
}

/** True for `opne` and `open`. */
function isSwap(a: string, b: string): boolean {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  const swapped = `${b[at + 1] ?? ''}${b[at] ?? ''}`
  return a.length === b.length && a.slice(at) === swapped + b.slice(at + 2)
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

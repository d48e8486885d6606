import { distance } from 'fastest-levenshtein'

/** Longer names are not compared: the distance is quadratic, and nobody mistypes one. */
const MAX_LENGTH = 100

/**
 * The known name somebody probably meant, or undefined: the nearest one, if no more than a third of
 * its letters differ. Names that differ in case or in Unicode normal form only are near.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const sought = fold(name)
  let best: { readonly name: string; readonly far: number } | undefined
  for (const candidate of known) {
    if (candidate === name || candidate.length > MAX_LENGTH) continue
    const far = distance(sought, fold(candidate))
    const near = far <= Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3))
    if (near && (best === undefined || far < best.far)) best = { name: candidate, far }
  }
  return best?.name
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

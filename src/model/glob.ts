/**
 * True if a text fits a glob, as a whole: `*` stands for any characters, `?` for one of them.
 *
 * It goes back to the last `*` at most, so that no pattern costs more than both lengths multiplied;
 * an equivalent regular expression can take exponential time.
 */
export function fitsGlob(text: string, glob: string): boolean {
  if (!text.startsWith(literalStart(glob))) return false
  const letters = [...text]
  const pattern = [...glob]
  let at = 0
  let inPattern = 0
  let star = -1
  let behindStar = 0
  while (at < letters.length) {
    const wanted = pattern[inPattern]
    if (wanted === '*') {
      star = inPattern++
      behindStar = at
    } else if (wanted !== undefined && (wanted === '?' || wanted === letters[at])) {
      at += 1
      inPattern += 1
    } else if (star !== -1) {
      behindStar += 1
      at = behindStar
      inPattern = star + 1
    } else return false
  }
  return pattern.slice(inPattern).every(letter => letter === '*')
}

/** What every text that fits a glob begins with. */
export function literalStart(glob: string): string {
  return glob.split(/[*?]/, 1)[0] ?? ''
}

import picomatch from 'picomatch'

/**
 * The maximum length of a glob in UTF-16 code units, the number of its alternatives in braces, and their length together;
 * a larger one matches nothing.
 */
const MAX_LENGTH = 1000
const MAX_ALTERNATIVES = 100
const MAX_EXPANDED = 5000

type Token = string | typeof ANY | typeof STAR | { readonly test: (letter: string) => boolean }

const ANY = Symbol('?')
const STAR = Symbol('*')

/**
 * True if a text equals a glob or matches it as a whole: `*` matches any characters, `?` one character,
 * `[1-3]` one of a class, `[!a]` one outside of a class, `{a,b}` one of several alternatives. A backslash
 * escapes the next character. No character of the text is special: `*` also matches `/` and a leading dot.
 *
 * The cost is at most the product of the lengths of the text and of all alternatives. A regular expression
 * for the whole glob, as the library makes it, can take exponential time, so the library gets single classes
 * only.
 */
export function matchesGlob(text: string, glob: string): boolean {
  if (text === glob) return true
  if (!startsLike(text, glob)) return false
  const letters = [...text]
  const isStar = (token: Token) => token === STAR
  return alternativesOf(glob).some(tokens => matchesSequence(letters, tokens, isStar, isLike))
}

/** False if a character before the first special one of the glob differs, or if the glob has no special one. */
function startsLike(text: string, glob: string): boolean {
  for (let at = 0; at < glob.length; at += 1) {
    const letter = glob.charAt(at)
    if (SPECIAL.includes(letter)) return true
    if (letter !== text.charAt(at)) return false
  }
  return false
}

const SPECIAL = '*?[{\\'

/** The glob after the `!` of an excluding glob; undefined for an including one. */
export function excludedBy(glob: string): string | undefined {
  return glob.startsWith('!') ? glob.slice(1) : undefined
}

/**
 * True if one of the globs matches, or all of them exclude (`!lab*`), and no excluding one matches.
 * `isMatch` is called with globs without their `!`.
 */
export function matchesGlobs(
  globs: readonly string[],
  isMatch: (glob: string) => boolean
): boolean {
  if (globs.length === 0) return true
  const isExcluding = (glob: string) => excludedBy(glob) !== undefined
  const isIncluded = globs.every(isExcluding) || globs.some(g => !isExcluding(g) && isMatch(g))
  return isIncluded && !globs.some(glob => isExcluding(glob) && isMatch(glob.slice(1)))
}

/** True if the items match the pattern one by one; a star matches any number of items. */
export function matchesSequence<P>(
  items: readonly string[],
  pattern: readonly P[],
  isStar: (part: P) => boolean,
  isMatch: (item: string, part: P) => boolean
): boolean {
  let at = 0
  let inPattern = 0
  let star = -1
  let behindStar = 0
  while (at < items.length) {
    const wanted = pattern[inPattern]
    if (wanted !== undefined && isStar(wanted)) {
      star = inPattern++
      behindStar = at
    } else if (wanted !== undefined && isMatch(items[at] ?? '', wanted)) {
      at += 1
      inPattern += 1
    } else if (star !== -1) {
      // Backtracks only to the last star, so that the cost is bounded.
      behindStar += 1
      at = behindStar
      inPattern = star + 1
    } else return false
  }
  return pattern.slice(inPattern).every(isStar)
}

function isLike(letter: string, wanted: Token): boolean {
  return typeof wanted === 'object' ? wanted.test(letter) : wanted === ANY || wanted === letter
}

/** Cache of the tokens of globs. Key: the glob. Bound: 1,000 globs; a run uses few. */
const known = new Map<string, readonly (readonly Token[])[]>()

function alternativesOf(glob: string): readonly (readonly Token[])[] {
  const cached = known.get(glob)
  if (cached !== undefined) return cached
  const texts = glob.length > MAX_LENGTH ? [] : expanded(glob)
  const alternatives = texts.join('').length > MAX_EXPANDED ? [] : texts.map(tokensOf)
  if (known.size < 1000) known.set(glob, alternatives)
  return alternatives
}

/** An escaped character, a class, or innermost braces with a comma. */
const PART =
  /\\.|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|\{(?=(?:\\.|[^\\{},])*,)((?:\\.|[^\\{}])*)\}/gsu

/** The alternatives of a glob, without braces; none if there are too many. */
export function expanded(glob: string): string[] {
  let globs = [glob]
  for (;;) {
    const next = globs.flatMap(expandedOnce)
    if (next.length > MAX_ALTERNATIVES) return []
    if (next.length === globs.length) return next
    globs = next
  }
}

function expandedOnce(glob: string): string[] {
  for (const { 0: part, 1: inside, index } of glob.matchAll(PART)) {
    if (inside === undefined) continue
    const [before, after] = [glob.slice(0, index), glob.slice(index + part.length)]
    return inside.split(/(?<!\\),/).map(choice => before + choice + after)
  }
  return [glob]
}

function tokensOf(glob: string): Token[] {
  const tokens: Token[] = []
  let from = 0
  const addPlain = (text: string) => {
    for (const letter of text) tokens.push(letter === '*' ? STAR : letter === '?' ? ANY : letter)
  }
  for (const { 0: part, index } of glob.matchAll(PART)) {
    addPlain(glob.slice(from, index))
    if (part.startsWith('\\')) tokens.push(part.slice(1))
    else if (part.startsWith('[')) tokens.push(classOf(part))
    else addPlain(part)
    from = index + part.length
  }
  addPlain(glob.slice(from))
  return tokens
}

function classOf(text: string): Token {
  const expression = picomatch.makeRe(text, { posix: true, dot: true, flags: 'u' })
  return { test: letter => expression.test(letter) }
}

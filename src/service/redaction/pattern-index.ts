/** The maximum number of UTF-16 code units that are searched, and of a pattern that are compared. */
export const MAX_TEXT_LENGTH = 2048

/** The minimum length of a prefix to find; a shorter pattern is found only as a whole. */
const MIN_PART_LENGTH = 6

/** The minimum length of a pattern. */
export const MIN_PATTERN_LENGTH = 4

/** The maximum number of states to keep between two texts. */
const MAX_STATES = 100_000

/** A prefix that the patterns `from` to `to` (exclusive) of the sorted list share. */
interface State {
  readonly from: number
  readonly to: number
  readonly depth: number
  readonly parent: State | undefined
  readonly unit: number
  readonly next: Map<number, State | undefined>
  /** The failure link: the longest proper suffix of this prefix that is a prefix, too; computed on demand. */
  fallback: State | undefined
}

/**
 * Finds prefixes of many patterns in a text: an Aho–Corasick automaton over the sorted patterns, whose states
 * are created when a text first reaches them. The work depends on the length of the text, not on the number
 * of patterns with the same prefix; the total length of the patterns bounds the number of states. Memory: the
 * patterns, and at most `MAX_STATES` states between two texts.
 */
class PrefixAutomaton {
  /** Sorted by code unit. */
  readonly patterns: readonly string[]
  work = 0
  #root: State
  #states = 0

  constructor(patterns: readonly string[]) {
    this.patterns = patterns
    this.#root = this.#newRoot()
  }

  /**
   * Sets each index of `covered` at which a prefix of a pattern covers the text. In a truncated text
   * (`isCut`), a prefix of any length counts at the end.
   */
  cover(text: string, isCut: boolean, covered: Uint8Array): void {
    if (this.#states > MAX_STATES) this.#root = this.#newRoot()
    const starts = new Int32Array(text.length)
    let state = this.#root
    for (let at = 0; at < text.length; at += 1) {
      state = this.#step(state, text.charCodeAt(at))
      const length = isCut && at === text.length - 1 ? state.depth : this.#lengthOf(state)
      starts[at] = at + 1 - length
    }
    let start = text.length
    for (let at = text.length - 1; at >= 0; at -= 1) {
      start = Math.min(start, starts[at] ?? at + 1)
      if (start <= at) covered[at] = 1
    }
  }

  /** The length to cover at this state: a long prefix, or a whole short pattern. */
  #lengthOf(state: State): number {
    if (state.depth >= MIN_PART_LENGTH) return state.depth
    for (let at = state; at.depth >= MIN_PATTERN_LENGTH; at = this.#fallbackOf(at)) {
      if (this.patterns[at.from]?.length === at.depth) return at.depth
    }
    return 0
  }

  #step(state: State, unit: number): State {
    for (let at = state; ; at = this.#fallbackOf(at)) {
      const next = this.#next(at, unit)
      if (next !== undefined) return next
      if (at === this.#root) return at
    }
  }

  #next(state: State, unit: number): State | undefined {
    this.work += 1
    if (state.next.has(unit)) return state.next.get(unit)
    const { depth } = state
    const from = this.#firstAbove(state.from, state.to, depth, unit - 1)
    const to = this.#firstAbove(from, state.to, depth, unit)
    const made = from === to ? undefined : stateOf(from, to, state, unit)
    state.next.set(unit, made)
    this.#states += 1
    return made
  }

  /** The index of the first sorted pattern whose code unit at `depth` is above this one. */
  #firstAbove(from: number, to: number, depth: number, unit: number): number {
    let [low, high] = [from, to]
    while (low < high) {
      this.work += 1
      const middle = (low + high) >> 1
      // A pattern that ends at this depth sorts before longer ones, because no comparison with NaN is true.
      if ((this.patterns[middle] ?? '').charCodeAt(depth) > unit) high = middle
      else low = middle + 1
    }
    return low
  }

  #fallbackOf(state: State): State {
    const unknown: State[] = []
    for (let at = state; at.fallback === undefined; at = at.parent ?? this.#root) unknown.push(at)
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      at.fallback = this.#fallbackBelow(at)
    }
    return state.fallback ?? this.#root
  }

  #fallbackBelow({ parent, unit }: State): State {
    if (parent === undefined || parent === this.#root) return this.#root
    return this.#step(parent.fallback ?? this.#root, unit)
  }

  #newRoot(): State {
    this.#states = 0
    const root = stateOf(0, this.patterns.length, undefined, 0)
    root.fallback = root
    return root
  }
}

function stateOf(from: number, to: number, parent: State | undefined, unit: number): State {
  const depth = parent === undefined ? 0 : parent.depth + 1
  return { from, to, depth, parent, unit, next: new Map(), fallback: undefined }
}

/**
 * Patterns in several automata, each with more than twice as many as the next: adding patterns rebuilds only
 * automata of similar size, so each pattern is sorted a logarithmic number of times.
 */
export class PatternIndex {
  readonly #automata: PrefixAutomaton[] = []
  #workBefore = 0

  /** Adds patterns of at least `MIN_PATTERN_LENGTH` code units. */
  add(patterns: readonly string[]): void {
    if (patterns.length === 0) return
    let all = patterns
    for (let last = this.#automata.at(-1); last !== undefined; last = this.#automata.at(-1)) {
      if (last.patterns.length > 2 * all.length) break
      all = [...last.patterns, ...all]
      this.#workBefore += last.work
      this.#automata.pop()
    }
    this.#automata.push(new PrefixAutomaton([...all].sort()))
  }

  /** For each code unit of a text, 1 if a pattern covers it. */
  cover(text: string, isCut: boolean): Uint8Array {
    const covered = new Uint8Array(text.length)
    for (const automaton of this.#automata) automaton.cover(text, isCut, covered)
    return covered
  }

  /** The number of transitions and comparisons so far, for tests. */
  get work(): number {
    return this.#automata.reduce((sum, { work }) => sum + work, this.#workBefore)
  }
}

/** The most UTF-16 code units of a text that is searched, so no longer part of a pattern matters. */
export const MAX_TEXT_LENGTH = 2048

/** The shortest beginning that is found; a shorter pattern is found only as a whole. */
const MIN_PART_LENGTH = 6

/** The shortest pattern that is searched for. */
export const MIN_PATTERN_LENGTH = 4

/** The most states to keep from one text to the next. */
const MAX_STATES = 100_000

/** A beginning that the patterns `from` to `to` (exclusive) of the sorted list share. */
interface State {
  readonly from: number
  readonly to: number
  readonly depth: number
  readonly parent: State | undefined
  /** The last code unit of the beginning. */
  readonly unit: number
  readonly next: Map<number, State | undefined>
  /** The failure link: the longest shorter beginning that is a suffix of this one; computed on demand. */
  fallback: State | undefined
}

/**
 * Finds the beginnings of many patterns in a text: an Aho–Corasick automaton over the sorted patterns, whose
 * states are made when a text first reaches them. Work grows with the text, not with the number of patterns
 * of the same beginning; the number of states is bounded by the total length of the patterns. Memory is the
 * patterns and at most `MAX_STATES` states between two texts.
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
   * Sets each index of `covered` that a beginning of a pattern covers in the text. Where the text was
   * truncated (`isCut`), a beginning at its end counts at any length.
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

  /** The length to cover that ends in this state: a long beginning, or a whole short pattern. */
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

  /** The first of these sorted patterns whose code unit at `depth` is above this one. */
  #firstAbove(from: number, to: number, depth: number, unit: number): number {
    let [low, high] = [from, to]
    while (low < high) {
      this.work += 1
      const middle = (low + high) >> 1
      // A pattern that ends at this depth sorts before longer ones: NaN is above nothing.
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

  /** The same, where the fallback of the parent is known. */
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
 * Patterns in automata, each of more than twice as many as the next: adding patterns rebuilds only the
 * automata that are not much larger, so each pattern is sorted a logarithmic number of times.
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

  /** Transitions and comparisons so far, for tests. */
  get work(): number {
    return this.#automata.reduce((sum, { work }) => sum + work, this.#workBefore)
  }
}

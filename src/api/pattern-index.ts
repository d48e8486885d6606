/** Texts of at most this many UTF-16 code units are searched, so no longer part of a pattern matters. */
export const LONGEST_TEXT = 2048

/** A beginning of at least this length is found; a shorter pattern only as a whole. */
const SHORTEST_PART = 6

/** A shorter pattern is not searched for. */
export const SHORTEST_PATTERN = 4

/** States that are kept from one text to the next. */
const MOST_STATES = 100_000

/** A beginning that the patterns `from` to `to` (exclusive) of the sorted list share. */
interface State {
  readonly from: number
  readonly to: number
  readonly depth: number
  readonly parent: State | undefined
  /** The last code unit of the beginning. */
  readonly unit: number
  readonly next: Map<number, State | undefined>
  /** The longest beginning of a pattern that ends this one and is shorter; known once it is needed. */
  shorter: State | undefined
}

/**
 * Finds the beginnings of many patterns in a text: Aho–Corasick over the sorted patterns, whose states are
 * made when a text first reaches them. Work grows with the text, not with how many patterns begin alike;
 * all states that ever exist are bounded by the length of the patterns together. Memory is the patterns
 * and at most `MOST_STATES` states between two texts.
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
   * Sets each place of `covered` that a beginning of a pattern covers in the text. Where the text was cut
   * off, a beginning at its end counts whatever its length.
   */
  cover(text: string, isCut: boolean, covered: Uint8Array): void {
    if (this.#states > MOST_STATES) this.#root = this.#newRoot()
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

  /** The length of what is to be covered up to here: a long beginning, or a whole short pattern. */
  #lengthOf(state: State): number {
    if (state.depth >= SHORTEST_PART) return state.depth
    for (let at = state; at.depth >= SHORTEST_PATTERN; at = this.#shorterThan(at)) {
      if (this.patterns[at.from]?.length === at.depth) return at.depth
    }
    return 0
  }

  #step(state: State, unit: number): State {
    for (let at = state; ; at = this.#shorterThan(at)) {
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
      // A pattern that ends here stands before all that go on: NaN is above nothing.
      if ((this.patterns[middle] ?? '').charCodeAt(depth) > unit) high = middle
      else low = middle + 1
    }
    return low
  }

  #shorterThan(state: State): State {
    const unknown: State[] = []
    for (let at = state; at.shorter === undefined; at = at.parent ?? this.#root) unknown.push(at)
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      at.shorter = this.#shorterBelow(at)
    }
    return state.shorter ?? this.#root
  }

  /** As `#shorterThan`, where it is known of the parent. */
  #shorterBelow({ parent, unit }: State): State {
    if (parent === undefined || parent === this.#root) return this.#root
    return this.#step(parent.shorter ?? this.#root, unit)
  }

  #newRoot(): State {
    this.#states = 0
    const root = stateOf(0, this.patterns.length, undefined, 0)
    root.shorter = root
    return root
  }
}

function stateOf(from: number, to: number, parent: State | undefined, unit: number): State {
  const depth = parent === undefined ? 0 : parent.depth + 1
  return { from, to, depth, parent, unit, next: new Map(), shorter: undefined }
}

/**
 * Patterns in automata, of which each holds more than twice as many as the next: adding some makes anew
 * only those that are not much larger, so that each pattern is sorted in but a few times.
 */
export class PatternIndex {
  readonly #automata: PrefixAutomaton[] = []
  #workBefore = 0

  /** Takes patterns of at least `SHORTEST_PATTERN` code units. */
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

  /** The places of a text that patterns cover, as 1. */
  cover(text: string, isCut: boolean): Uint8Array {
    const covered = new Uint8Array(text.length)
    for (const automaton of this.#automata) automaton.cover(text, isCut, covered)
    return covered
  }

  /** Transitions and comparisons made so far; tests bound it. */
  get work(): number {
    return this.#automata.reduce((sum, { work }) => sum + work, this.#workBefore)
  }
}

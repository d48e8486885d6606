import { setImmediate } from 'node:timers/promises'
import type { Period } from '../model/calendar.ts'
import type { Policy } from '../model/desired.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { Suggestions } from './expect.ts'
import type { Findings } from './findings.ts'
import type { Budget } from './limits.ts'
import type { RuleSet } from './rules/rule-set.ts'
import type { FleetSite } from './sites.ts'
import type { Entry } from './yaml/tree.ts'

/** The shared state of the steps from declarations to WLANs. */
export interface LoadContext {
  readonly policy: Policy
  readonly rules: RuleSet
  readonly secrets: SecretSource
  readonly budget: Budget
  readonly suggestions: Suggestions
  readonly pace: Pace
  /** Absent: no block has periods. */
  readonly periods?: PeriodReader | undefined

  readonly findings: Findings
}

/** A WLAN with periods at a site. */
export interface BlockStates {
  readonly periods: readonly Period[]
  /**
   * The block at the time of the run: the periods that hold then laid over it, later ones of the list over
   * earlier ones.
   */
  readonly now: Entry
  /** The block whenever other periods hold: it must be valid then, too. */
  readonly others: readonly Entry[]
}

/** Reads the periods of blocks (`$during`), for the time of the run. */
export interface PeriodReader {
  /** True if a block has periods. Costs a search in the text of its file. */
  has(block: Entry): boolean
  /** Call it before `statesOf`. */
  load(): Promise<void>
  /** The states of a block with periods at a site. Reports invalid periods. */
  statesOf(block: Entry, site: FleetSite, run: LoadContext): BlockStates | undefined
}

/** Milliseconds of work after which signals, timers and sockets get their turn. */
const SLICE = 20

/**
 * Yields to the event loop after each slice of work, so that signals, timers and sockets are served while
 * a fleet is loaded.
 */
export class Pace {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()

  /** With a signal, a run that was interrupted ends at its next turn. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** True once a slice is over, and `turn` is to be waited for. Read it after each unit of work. */
  get isOver(): boolean {
    return performance.now() - this.#since >= SLICE
  }

  /** Yields. Rejects once the run is interrupted. */
  async turn(): Promise<void> {
    await setImmediate()
    this.#signal?.throwIfAborted()
    this.#since = performance.now()
  }
}

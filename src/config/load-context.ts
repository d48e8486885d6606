import { uptime } from 'node:process'
import { setImmediate } from 'node:timers/promises'
import type { Period } from '../model/calendar.ts'
import type { Policy } from '../model/desired.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { Suggestions } from './expect.ts'
import type { Findings } from './findings.ts'
import type { Budget } from './limits.ts'
import type { RuleSet } from './rules/rule-set.ts'
import type { FleetSite } from './sites.ts'
import type { Entry, MapNode } from './yaml/tree.ts'

/** The shared state of the steps from declarations to WLANs. */
export interface LoadContext {
  readonly policy: Policy
  readonly rules: RuleSet
  /** True if `DesiredSite.vars` is wanted, for rules that read `$site`. */
  readonly exposesVars?: boolean
  readonly secrets: SecretSource
  readonly budget: Budget
  readonly suggestions: Suggestions
  readonly pace: Pace
  /** Absent: no block has periods. */
  readonly periods?: PeriodReader | undefined

  readonly findings: Findings
}

/** What declares a WLAN of a site: its block, and the override that is laid over it for this site. */
export interface BlockState {
  readonly block: Entry
  readonly override?: MapNode | undefined
}

/** A WLAN with periods at a site. */
export interface BlockStates {
  readonly periods: readonly Period[]
  /**
   * What declares it at the time of the run: with the periods that hold then laid over it, those of the override
   * over those of the block, later ones of a list over earlier ones.
   */
  readonly now: BlockState
  /** The same whenever other periods hold: it must be valid then, too. */
  readonly others: readonly BlockState[]
  /** The one of these when no period holds. */
  readonly usual: BlockState
  /** The fields of each period. */
  readonly during: readonly MapNode[]
}

/** Reads the periods of WLANs (`$during`), for the time of the run. */
export interface PeriodReader {
  /** True if a WLAN has periods. Costs a search in the text of its file. */
  has(declared: BlockState): boolean
  /** Call it before `statesOf`. */
  load(): Promise<void>
  /** The states of a WLAN with periods at a site; undefined for any other. Reports invalid periods. */
  statesOf(declared: BlockState, site: FleetSite, run: LoadContext): BlockStates | undefined
}

/** Seconds of work after which signals, timers and sockets get their turn. */
const SLICE = 0.02

/**
 * Yields to the event loop after each slice of work, so that signals, timers and sockets are served while
 * a fleet is loaded. Its clock is that of the process: `performance` would make Node load ten modules.
 */
export class Pace {
  readonly #signal: AbortSignal | undefined
  #since = uptime()

  /** With a signal, a run that was interrupted ends at its next turn. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** True once a slice is over, and `turn` is to be waited for. Read it after each unit of work. */
  get isOver(): boolean {
    return uptime() - this.#since >= SLICE
  }

  /** Yields. Rejects once the run is interrupted. */
  async turn(): Promise<void> {
    await setImmediate()
    this.#signal?.throwIfAborted()
    this.#since = uptime()
  }
}

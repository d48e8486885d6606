import { uptime } from 'node:process'
import { setImmediate } from 'node:timers/promises'
import type { Period } from '../core/model/calendar.ts'
import type { Policy } from '../core/model/desired.ts'
import { wrongInput } from '../core/model/failure.ts'
import { plural } from '../core/values/text.ts'
import type { Suggestions } from './expect.ts'
import type { Findings } from './findings.ts'
import { type Budget, limits } from './limits.ts'
import type { RuleSet } from './policy/rules/rule-set.ts'
import type { SecretSource } from './secrets/source.ts'
import type { FleetSite } from './sites.ts'
import type { Entry, MapNode, Node } from './yaml/tree.ts'

/** The shared state of the steps from declarations to WLANs. */
export interface LoadContext {
  readonly policy: Policy
  readonly rules: RuleSet
  /** True if `DesiredSite.vars` is needed, for rules that read `$site`. */
  readonly exposesVars?: boolean
  readonly secrets: SecretSource
  readonly budget: Budget
  readonly suggestions: Suggestions
  readonly slice: TimeSlice
  /** Absent: no block has periods. */
  readonly periods?: PeriodReader | undefined

  readonly findings: Findings
}

/** The declaration of a WLAN at a site: its block, and the override of the site. */
export interface BlockState {
  readonly block: Entry
  readonly override?: MapNode | undefined
  /** The lists of periods of its profiles, in ascending precedence. */
  readonly inherited?: readonly Node[]
}

/** A period that holds, and the fields that it declares. */
export interface HoldingPeriod {
  readonly reason: string
  readonly fields: MapNode
}

/** A period, and the declarations of its WLAN when it begins and when it has ended. */
export interface PeriodStates extends Omit<Period, 'begins' | 'ends'> {
  readonly begins: BlockState
  readonly ends: BlockState
}

/** A WLAN with periods at a site. */
export interface BlockStates {
  readonly periods: readonly PeriodStates[]
  /**
   * The declaration at the time of the run, with the active periods: those of the override take precedence
   * over those of the block, those of the block over those of its profiles, and later ones of a list over
   * earlier ones.
   */
  readonly now: BlockState
  /** The declarations with other active periods, which must be valid, too. */
  readonly others: readonly BlockState[]
  /** The declaration without an active period. */
  readonly usual: BlockState
  /** The periods that hold now, the strongest first. */
  readonly holding: readonly HoldingPeriod[]
  /** The fields of each period. */
  readonly during: readonly MapNode[]
}

/** Applies the periods of WLANs (`$during`) at the time of the run. */
export interface PeriodReader {
  /** The time zone of sites that name none: `policy.timezone`. */
  readonly timezone: Node | undefined
  /** True if a WLAN has periods. Searches the text of its file. */
  has(declared: BlockState): boolean
  /** Loads the code for periods. Call it before `statesOf`. */
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
export class TimeSlice {
  readonly #signal: AbortSignal | undefined
  #since = uptime()

  /** With a signal, an interrupted run ends after its slice. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** True if a slice is over, so that the caller must await `next`. Check it after each unit of work. */
  get isOver(): boolean {
    return uptime() - this.#since >= SLICE
  }

  /** Yields. Rejects once the run is interrupted. */
  async next(): Promise<void> {
    await setImmediate()
    this.#signal?.throwIfAborted()
    this.#since = uptime()
  }
}

/** The time of the tests of a fleet: 500 of them could take minutes. */
export class TestTime extends TimeSlice {
  readonly #seconds: number
  readonly #end: number

  constructor(signal?: AbortSignal, seconds: number = limits.testTime) {
    super(signal)
    this.#seconds = seconds
    this.#end = uptime() + seconds
  }

  /** Call it before each test. Rejects with a `Failure` (exit 3) when the time is over. */
  async test(): Promise<void> {
    if (this.isOver) await this.next()
    if (uptime() < this.#end) return
    throw wrongInput(
      `the tests of the fleet take longer than ${plural(this.#seconds, 'second')}`,
      'declare fewer tests, globs and conditions, or files that tests lay over the fleet'
    )
  }
}

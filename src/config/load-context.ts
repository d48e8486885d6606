import { setImmediate } from 'node:timers/promises'
import type { Policy } from '../model/desired.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { Suggestions } from './expect.ts'
import type { Findings } from './findings.ts'
import type { Budget } from './limits.ts'
import type { RuleSet } from './rules/rule-set.ts'
import type { Periods } from './wlans/periods.ts'

/** The shared state of the steps from declarations to WLANs. */
export interface LoadContext {
  readonly policy: Policy
  readonly rules: RuleSet
  readonly secrets: SecretSource
  readonly budget: Budget
  readonly suggestions: Suggestions
  readonly pace: Pace
  /** Absent: no block has periods. */
  readonly periods?: Periods | undefined

  readonly findings: Findings
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

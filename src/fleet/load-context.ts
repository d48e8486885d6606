import { uptime } from 'node:process'
import { setImmediate } from 'node:timers/promises'
import type { Policy } from '../core/model/desired.ts'
import { wrongInput } from '../core/model/failure.ts'
import { plural } from '../core/values/text.ts'
import type { Findings } from './findings.ts'
import { type Budget, limits } from './limits.ts'
import type { RuleSet } from './policy/rules/rule-set.ts'
import type { SecretSource } from './secrets/source.ts'

export interface LoadContext {
  readonly policy: Policy
  readonly rules?: RuleSet | undefined
  /** True if `DesiredSite.vars` is needed, for rules that read `$site`. */
  readonly exposesVars?: boolean
  /** True for WLANs that are not managed: a site that lacks one needs no variables for it. */
  readonly variablesOptional?: boolean
  readonly secrets: SecretSource
  readonly budget: Budget
  readonly slice: TimeSlice
  readonly findings: Findings
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

  /** Yields if a slice is over; rejects once the run is interrupted. Await it after each unit of work. */
  async pause(): Promise<void> {
    if (uptime() - this.#since < SLICE) return
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
    await this.pause()
    if (uptime() < this.#end) return
    throw wrongInput(
      `the tests of the fleet take longer than ${plural(this.#seconds, 'second')}`,
      'declare fewer tests, globs and conditions'
    )
  }
}

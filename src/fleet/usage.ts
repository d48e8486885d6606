import { cpuUsage, uptime } from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { exit, Failure } from '../core/model/failure.ts'
import { type Finding, finding } from '../core/model/finding.ts'
import { type RunLimits, runLimits } from './limits.ts'

/** Thrown when the files exceed a limit of a run. */
export class FleetTooLarge extends Failure {
  readonly finding: Finding

  constructor(found: Finding) {
    super(exit.wrongInput, found.message, found.hint)
    this.finding = found
  }
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

/** The CPU seconds of the process, read once in each slice: reading them takes 2 µs. */
function cpuClock(): () => number {
  let readAt = Number.NEGATIVE_INFINITY
  let seconds = 0
  return () => {
    const now = uptime()
    if (now - readAt < SLICE) return seconds
    const { user, system } = cpuUsage()
    readAt = now
    seconds = (user + system) / 1e6
    return seconds
  }
}

interface RunTimeOptions {
  readonly seconds?: number | undefined
  readonly clock?: (() => number) | undefined
  readonly signal?: AbortSignal | undefined
}

/** The CPU time that reading and judging the files may take. It counts from `resume` to `stop`. */
export class RunTime extends TimeSlice {
  readonly #clock: () => number
  #limit: number
  #spent = 0
  #since: number | undefined

  /** With a signal, as `TimeSlice`; `clock` returns seconds. */
  constructor({ seconds = runLimits.seconds, clock = cpuClock(), signal }: RunTimeOptions = {}) {
    super(signal)
    this.#limit = seconds
    this.#clock = clock
  }

  extend(seconds: number): void {
    this.#limit += seconds
  }

  get isOver(): boolean {
    const running = this.#since === undefined ? 0 : this.#clock() - this.#since
    return this.#spent + running > this.#limit
  }

  /** Throws a `FleetTooLarge` if the time is over. */
  check(): void {
    if (this.isOver) {
      throw new FleetTooLarge(finding('FLEET_TOO_LARGE', {}, 'seconds', Math.floor(this.#limit)))
    }
  }

  override async pause(): Promise<void> {
    this.check()
    await super.pause()
  }

  resume(): void {
    this.#since ??= this.#clock()
  }

  stop(): void {
    if (this.#since !== undefined) this.#spent += this.#clock() - this.#since
    this.#since = undefined
  }

  /** Counts the time of this work, also after `stop`. */
  measure<T>(work: () => T): T {
    if (this.#since !== undefined) return work()
    this.resume()
    try {
      return work()
    } finally {
      this.stop()
    }
  }
}

type Counted = 'entries' | 'files' | 'bytes' | 'nodes' | 'sites' | 'wlans'

/** Counts what a run reads and keeps of a fleet, and its time. */
export class Usage {
  readonly time: RunTime
  readonly #limits: RunLimits
  readonly #used: Record<Counted, number> = {
    entries: 0,
    files: 0,
    bytes: 0,
    nodes: 0,
    sites: 0,
    wlans: 0
  }

  constructor(limits: Partial<RunLimits> = {}, time = new RunTime(limits)) {
    this.time = time
    this.#limits = { ...runLimits, ...limits }
  }

  /** The usage of another fleet in the same time. */
  again(): Usage {
    return new Usage(this.#limits, this.time)
  }

  /** Throws a `FleetTooLarge` over the limit. */
  add(what: Counted, amount = 1): void {
    this.#used[what] += amount
    const { [what]: fixed, nodesPerByte, secondsPerByte } = this.#limits
    const limit = what === 'nodes' ? fixed + this.#used.bytes * nodesPerByte : fixed
    if (this.#used[what] > limit) {
      throw new FleetTooLarge(finding('FLEET_TOO_LARGE', {}, what, limit))
    }
    if (what === 'bytes') this.time.extend(amount * secondsPerByte)
  }
}

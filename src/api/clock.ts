import { setTimeout as wait } from 'node:timers/promises'
import { TransportError } from './error.ts'

/** Time, as a run sees it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** The time of day, for messages; never used to measure. */
  date(): Date
  /** Waits; resolves with false, at once, if the run is aborted or `until` is. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<boolean>
}

/** Longer timers fire at once. */
const MAX_TIMER = 2 ** 31 - 1

/** The machine's clock; when `cut` is aborted, every wait ends. */
export function clockUntil(cut: AbortSignal): Clock {
  return {
    now: () => performance.now(),
    date: () => new Date(),
    sleep(milliseconds, until) {
      const signal = until === undefined ? cut : AbortSignal.any([cut, until])
      return wait(Math.min(milliseconds, MAX_TIMER), true, { signal }).catch(() => false)
    }
  }
}

/** Work in progress that can be cancelled: `done` then rejects with the error at that very moment. */
export interface Cancellable<T> {
  readonly done: Promise<T>
  cancel(error: TransportError): void
}

/** Limits each request to a number of seconds, and cancels all of them when the run is aborted. */
export class Timeout {
  readonly #seconds: number
  readonly #signal: AbortSignal | undefined
  readonly #pending = new Set<Cancellable<unknown>>()

  constructor(seconds: number, signal: AbortSignal | undefined) {
    this.#seconds = seconds
    this.#signal = signal
    const cancelAll = () => {
      for (const work of this.#pending) work.cancel(interrupted('perhaps'))
    }
    signal?.addEventListener('abort', cancelAll, { once: true })
  }

  /** Throws a `TransportError` if the run is aborted: call it before the work starts. */
  throwIfAborted(): void {
    if (this.#signal?.aborted) throw interrupted('no')
  }

  /** Settles as the work does; rejects with a `TransportError` where the work was cancelled. */
  async limit<T>(work: Cancellable<T>): Promise<T> {
    this.#pending.add(work)
    const timer = startTimer(this.#seconds, () => work.cancel(timedOut(this.#seconds)))
    try {
      return await work.done
    } finally {
      clearTimeout(timer)
      this.#pending.delete(work)
    }
  }
}

/** A timer for any number of seconds. */
export function startTimer(seconds: number, callback: () => void): NodeJS.Timeout {
  return setTimeout(callback, Math.min(seconds * 1000, MAX_TIMER))
}

function timedOut(seconds: number): TransportError {
  return new TransportError({ kind: 'timeout' }, `no complete response within ${seconds} s`, {
    hint: 'check that the service is reachable, or allow more time with --timeout'
  })
}

/** The error of a request that the end of the run cut short. */
export function interrupted(sent: 'no' | 'perhaps'): TransportError {
  return new TransportError({ kind: 'aborted', sent }, 'interrupted')
}

import { setTimeout as wait } from 'node:timers/promises'
import { TransportError } from './error.ts'

export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** The time of day, for messages only. */
  date(): Date
  /** Waits; resolves with false as soon as the run or `until` is aborted. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<boolean>
}

/** The maximum delay of a timer in milliseconds: Node fires longer ones at once. */
const MAX_TIMER = 2 ** 31 - 1

export function clockUntil(abortSignal: AbortSignal): Clock {
  return {
    now: () => performance.now(),
    date: () => new Date(),
    sleep(milliseconds, until) {
      // A signal of its own for each wait: Node warns of many listeners on one signal.
      const signal = AbortSignal.any([abortSignal, ...(until === undefined ? [] : [until])])
      return wait(Math.min(milliseconds, MAX_TIMER), true, { signal }).catch(() => false)
    }
  }
}

/** Work in progress that supports cancellation: after `cancel`, `done` rejects at once with the error. */
export interface Cancellable<T> {
  readonly done: Promise<T>
  cancel(error: TransportError): void
}

/** Limits each request to a number of seconds, and cancels all requests when the run is aborted. */
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

  /** Throws a `TransportError` if the run is aborted. Call it before the work starts. */
  throwIfAborted(): void {
    if (this.#signal?.aborted) throw interrupted('no')
  }

  /** Settles as the work does; rejects with a `TransportError` if the work was cancelled. */
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

/** `seconds` is any number. */
export function startTimer(seconds: number, callback: () => void): ReturnType<typeof setTimeout> {
  return setTimeout(callback, Math.min(seconds * 1000, MAX_TIMER))
}

function timedOut(seconds: number): TransportError {
  return new TransportError({ kind: 'timeout' }, `no complete response within ${seconds} s`, {
    hint: 'check that the service is reachable, or allow more time with --timeout'
  })
}

export function interrupted(sent: 'no' | 'perhaps'): TransportError {
  return new TransportError({ kind: 'aborted', sent }, 'interrupted')
}

import { TransportError } from './error.ts'

/** Longer timers fire at once. */
const LONGEST = 2 ** 31 - 1

/** What is under way, and can be stopped: it is settled with the fault at that very moment. */
export interface Cancellable<T> {
  readonly done: Promise<T>
  stop(fault: TransportError): void
}

/**
 * Gives work so many seconds, or until the run is interrupted, whichever ends first. Work that is
 * interrupted before it began is not begun.
 */
export class Timeout {
  readonly #seconds: number
  readonly #run: AbortSignal | undefined
  readonly #underWay = new Set<Cancellable<unknown>>()

  constructor(seconds: number, run: AbortSignal | undefined) {
    this.#seconds = seconds
    this.#run = run
    const stopAll = () => {
      for (const work of this.#underWay) work.stop(interrupted('perhaps'))
    }
    run?.addEventListener('abort', stopAll, { once: true })
  }

  /** Resolves and rejects as the work does; with a `Fault` where it was stopped. */
  async over<T>(begin: () => Cancellable<T>): Promise<T> {
    if (this.#run?.aborted) throw interrupted('no')
    const work = begin()
    this.#underWay.add(work)
    const timer = after(this.#seconds, () => work.stop(late(this.#seconds)))
    try {
      return await work.done
    } finally {
      clearTimeout(timer)
      this.#underWay.delete(work)
    }
  }
}

/** A timer of so many seconds, however many. */
export function after(seconds: number, act: () => void): NodeJS.Timeout {
  return setTimeout(act, Math.min(seconds * 1000, LONGEST))
}

function late(seconds: number): TransportError {
  return new TransportError({ kind: 'timeout' }, `no complete answer within ${seconds} s`, {
    hint: 'is the service slow, or out of reach? --timeout gives it longer'
  })
}

/** The fault of a request that the end of the run overtook. */
export function interrupted(sent: 'no' | 'perhaps'): TransportError {
  return new TransportError({ kind: 'aborted', sent }, 'interrupted')
}

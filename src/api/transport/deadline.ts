import { Fault } from '../error.ts'

/** Longer timers fire at once. */
const LONGEST = 2 ** 31 - 1

/**
 * Does the work within so many seconds, or until the run is interrupted, whichever ends first: it
 * rejects at that very moment with a `Fault`, also where the work is slow to hear its signal.
 * Work that is interrupted before it began is not begun.
 */
export function within<T>(
  seconds: number,
  run: AbortSignal | undefined,
  work: (stop: AbortSignal) => Promise<T>
): Promise<T> {
  if (run?.aborted) return Promise.reject(interrupted('no'))
  const stop = new AbortController()
  return new Promise<T>((resolve, reject) => {
    const end = (fault: Fault) => {
      reject(fault)
      stop.abort(fault)
    }
    const onInterrupt = () => end(interrupted('perhaps'))
    const timer = setTimeout(() => end(late(seconds)), Math.min(seconds * 1000, LONGEST))
    run?.addEventListener('abort', onInterrupt, { once: true })
    work(stop.signal)
      .finally(() => {
        clearTimeout(timer)
        run?.removeEventListener('abort', onInterrupt)
      })
      .then(resolve, reject)
  })
}

function late(seconds: number): Fault {
  return new Fault({ kind: 'timeout' }, `no complete answer within ${seconds} s`, {
    hint: 'is the service slow, or out of reach? --timeout gives it longer'
  })
}

/** The fault of a request that the end of the run overtook. */
export function interrupted(sent: 'no' | 'perhaps'): Fault {
  return new Fault({ kind: 'aborted', sent }, 'interrupted')
}

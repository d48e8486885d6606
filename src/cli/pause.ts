import { setImmediate } from 'node:timers/promises'
import type { Pause } from '../import/site-files.ts'

/** Signals wait for so long at most, in milliseconds. */
const SLICE = 20

/** Lets the event loop turn after each slice of time, so that a signal can abort this one. */
export function pauseUntil(stop: AbortSignal): Pause {
  let last = performance.now()
  return async () => {
    stop.throwIfAborted()
    if (performance.now() - last < SLICE) return
    await setImmediate()
    last = performance.now()
    stop.throwIfAborted()
  }
}

import type { LiveWlan } from '../core/model/live.ts'

/** A record older than this must be read again before anything is written, in milliseconds. */
const FRESH_FOR = 1_000

/** True if the record was read recently enough to write; `now`: the time on the run's clock. */
export function isFresh({ readAt }: Pick<LiveWlan, 'readAt'>, now: number): boolean {
  return now - readAt <= FRESH_FOR
}

import type { Contested } from './contested.ts'
import type { EstateEvent } from './events.ts'

/** What happened to an estate, from the commits of a snapshot folder. */
export interface EstateHistory {
  /** The times of the first and the last state, UTC. */
  readonly began: string
  readonly ended: string
  /** The number of states after the first one. */
  readonly states: number
  /** Oldest first. */
  readonly events: readonly EstateEvent[]
  /** Most returns first. */
  readonly contested: readonly Contested<EstateEvent>[]
  /** True if the clone lacks earlier states. */
  readonly isShallow: boolean
  /** Files at a commit that wlanctl did not write in this form; their changes are unknown. */
  readonly unreadable: readonly string[]
}

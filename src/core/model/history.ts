import type { Pointer } from '../values/pointer.ts'
import type { Value } from '../values/value.ts'

/** What the commits of a snapshot folder say about the live networks over time, in the form of a saved plan. */
export interface HistorySummary {
  /** The times of the first and the last state, UTC. */
  readonly began: string
  readonly ended: string
  /** The states with changes, oldest first. */
  readonly states: readonly StateSummary[]
  /** Most returns first. */
  readonly contested: readonly ContestedField[]
}

/** The changed fields, and added and removed networks, between a state and the one before. */
export interface StateSummary {
  /** UTC, to the second. */
  readonly time: string
  readonly changes: number
  /** Those that weakened security; absent for none. */
  readonly downgrades?: number
}

/** A field whose value went away and came back. */
export interface ContestedField {
  /** The site and the SSID. */
  readonly address: string
  readonly site_id: string
  readonly wlan_id: string
  readonly pointer: Pointer
  /** The value that comes back; absent for none. Secrets are `{"$live": true}`. */
  readonly value?: Value
  /** How often it came back. */
  readonly returns: number
  /** The longest time for which it was away, in seconds. */
  readonly longest_away: number
  /** All changes of the field, the oldest first. */
  readonly changes: readonly {
    readonly time: string
    readonly before?: Value
    readonly after?: Value
    /** The id of the run of wlanctl that made it; absent if no given record has it. */
    readonly run?: string
    /** The name that a command gave. */
    readonly who?: string
  }[]
}

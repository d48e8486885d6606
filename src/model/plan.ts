import type { DesiredWlan, Site } from './desired.ts'
import type { Finding } from './finding.ts'
import type { LiveWlan } from './live.ts'
import type { Place } from './place.ts'
import type { Pointer } from './pointer.ts'
import type { Value, ValueObject } from './value.ts'

/** What a change does to the people on the air, worst first. */
export type Impact = 'outage' | 'reconnect'

/** One step of a patch (RFC 6902). Secrets in a value show themselves by reference. */
export type Operation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: Pointer; readonly value: Value }
  | { readonly op: 'remove'; readonly path: Pointer }

/** The update of one WLAN: what differs, and the request that would mend it. */
export interface Change {
  readonly address: string
  readonly site: Site
  readonly wlan: { readonly id: string; readonly ssid: string }
  /** Where the WLAN is declared; the file is relative to the fleet. */
  readonly origin: Place
  /** Absent where no client is hurt. */
  readonly impact?: Impact
  /** The fields that get less safe, sorted; absent if there are none. */
  readonly downgrades?: readonly Pointer[]
  /** Every `replace` follows a `test` of the value it replaces; of a secret there is no `test`. */
  readonly patch: readonly Operation[]
  readonly request: {
    readonly method: 'PUT'
    readonly path: string
    /** The changed top-level fields and no other, each complete. */
    readonly body: ValueObject
  }
  /** Declared secrets that could not be compared; absent if there are none. */
  readonly not_compared?: readonly Pointer[]
}

/** What the planner says of one declared WLAN. Every declared WLAN gets exactly one. */
export type Verdict =
  | {
      readonly status: 'changed'
      readonly address: string
      readonly change: Change
      /** What the change was derived from; `apply` derives it again from a fresh read. */
      readonly desired: DesiredWlan
      readonly live: LiveWlan
    }
  | {
      readonly status: 'unchanged'
      readonly address: string
      readonly notCompared: readonly Pointer[]
    }
  | { readonly status: 'blocked'; readonly address: string; readonly finding: Finding }
  | { readonly status: 'unread'; readonly address: string }

/** A live WLAN that nobody declares. */
export interface Unmanaged {
  /** The site's name. */
  readonly site: string
  readonly id: string
  readonly ssid: string
}

/** Declared secrets of an unchanged WLAN that could not be compared. */
export interface NotCompared {
  readonly address: string
  readonly pointers: readonly Pointer[]
}

/**
 * The counts of a plan. Always: `sites` = those planned + `sites_failed`, and
 * `wlans` = `changed` + `unchanged` + `blocked` + those of failed sites.
 */
export interface PlanSummary {
  readonly sites: number
  readonly sites_failed: number
  readonly wlans: number
  readonly changed: number
  readonly unchanged: number
  readonly blocked: number
  readonly unmanaged: number
  /** HTTP requests it took to read the service. */
  readonly requests: number
}

/**
 * What `apply` would do: the saved form itself (`schemas/plan.schema.json`), which is why its names
 * are those of the file. Plain data, sorted by address; as JSON it is free of secrets.
 */
export interface Plan {
  readonly format: 'wlanctl-plan/1'
  readonly tool: string
  /** When it was made, UTC, e.g. `2026-11-20T10:00:00Z`. */
  readonly created: string
  readonly base_url: string
  readonly summary: PlanSummary
  readonly changes: readonly Change[]
  /** Of unchanged WLANs; a change lists its own. */
  readonly not_compared: readonly NotCompared[]
  readonly unmanaged: readonly Unmanaged[]
  readonly findings: readonly Finding[]
  /** Covers what would be done, and to which service; not when, nor by whom. */
  readonly digest: string
}

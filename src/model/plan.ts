import type { DesiredWlan, Part, Site, Wave } from './desired.ts'
import type { Finding, Location } from './finding.ts'
import type { LiveWlan } from './live.ts'
import type { Pointer } from './pointer.ts'
import type { SecretReference } from './secret.ts'
import type { Value, ValueObject } from './value.ts'

/** What a change does to the people on the air, worst first. */
export type Impact = 'outage' | 'reconnect'

/** One step of a patch (RFC 6902). Secrets in a value show themselves by reference. */
export type PatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: Pointer; readonly value: Value }
  | { readonly op: 'remove'; readonly path: Pointer }

/** The update of one WLAN: what differs, and the request that would mend it. */
export interface Change {
  readonly address: string
  readonly site: Site
  readonly wlan: { readonly id: string; readonly ssid: string }
  /** Where the WLAN is declared; the file is relative to the fleet. */
  readonly origin: Location
  /** Who answers for the WLAN; for people. */
  readonly owner?: string
  /** Absent where no client is hurt. */
  readonly impact?: Impact
  /** The fields that get less safe, sorted; absent if there are none. */
  readonly downgrades?: readonly Pointer[]
  /** Every `replace` follows a `test` of the value it replaces; of a secret there is no `test`. */
  readonly patch: readonly PatchOperation[]
  readonly request: {
    readonly method: 'PUT'
    readonly path: string
    /** The changed top-level fields and no other, each complete. */
    readonly body: ValueObject
  }
  /** Declared secrets that could not be compared; absent if there are none. */
  readonly not_compared?: readonly Pointer[]
  /** What the declaration refers to there: an approval holds for these references and no other. */
  readonly references?: SecretReferences
  /**
   * Since when fields are known to differ: the time of the oldest evidence, by pointer. Only where
   * the plan was held against an earlier one; a field that is not here differs as of this plan.
   */
  readonly first_seen?: Readonly<Record<Pointer, string>>
}

/** What the planner says of one declared WLAN. Every declared WLAN gets exactly one. */
export type WlanPlan =
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
      readonly references?: SecretReferences
    }
  | { readonly status: 'blocked'; readonly address: string; readonly finding: Finding }
  | { readonly status: 'unread'; readonly address: string }

/** A change as it was planned, with what it was derived from. */
export type PlannedChange = Extract<WlanPlan, { status: 'changed' }>

/** A live WLAN that nobody declares. */
export interface Unmanaged {
  /** The site's name. */
  readonly site: string
  readonly id: string
  readonly ssid: string
  /** Who answers for the site; for people. */
  readonly owner?: string
}

/** Declared secrets of an unchanged WLAN that could not be compared. */
export interface NotCompared {
  readonly address: string
  readonly pointers: readonly Pointer[]
  readonly references?: SecretReferences
}

/** Where declared secrets come from, by their pointer. */
export type SecretReferences = Readonly<Record<Pointer, SecretReference>>

/** The snapshot that a plan was made on, in place of the live state. */
export interface Against {
  /** When the service was read, UTC. */
  readonly created: string
  readonly digest: string
}

/** A site that could not be read, and how many of its WLANs the run was about. */
export interface UnreadPart extends Site {
  readonly wlans: number
}

/** What an earlier snapshot or plan tells of the drift there was then. */
export interface Since {
  /** When the service was read for it, UTC. */
  readonly created: string
  /** Fields that differ now and did not, as far as it says. */
  readonly new_fields: number
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
export interface Plan extends Part {
  readonly format: 'wlanctl-plan/1'
  readonly tool: string
  /** When it was made, UTC, e.g. `2026-11-20T10:00:00Z`. */
  readonly created: string
  readonly base_url: string
  /** The snapshot that it was made on; absent where the service itself was read. */
  readonly against?: Against
  /** The evidence that tells since when fields differ; absent where there was none. */
  readonly since?: Since
  readonly summary: PlanSummary
  /**
   * The waves in which the sites would be changed, in their order: all that the fleet declares, also
   * those without a change. Absent where it declares none.
   */
  readonly rollout?: readonly Wave[]
  readonly changes: readonly Change[]
  /** Of unchanged WLANs; a change lists its own. */
  readonly not_compared: readonly NotCompared[]
  readonly unmanaged: readonly Unmanaged[]
  /** By name; absent if all sites were read. A finding says why. */
  readonly unread?: readonly UnreadPart[]
  readonly findings: readonly Finding[]
  /** Covers what would be done, and to which service; not when, in which order, nor by whom. */
  readonly digest: string
}

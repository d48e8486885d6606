import type { Deferral, UpcomingEvent } from './calendar.ts'
import type { DesiredWlan, Part, Site, ValueSource, Wave } from './desired.ts'
import type { Finding, Location } from './finding.ts'
import type { Impact } from './impact.ts'
import type { LiveWlan } from './live.ts'
import type { Pointer } from './pointer.ts'
import type { Relations } from './relations.ts'
import type { Rotation, SecretReference } from './secret.ts'
import type { Value, ValueObject } from './value.ts'

/** How much less secure a change is: high and medium block, a notice does not. */
export type DowngradeLevel = 'high' | 'medium' | 'notice'

/** Why a field differs: the files changed it since the base, or only the live value changed. */
export type Cause = 'declaration' | 'drift'

/**
 * The state of a declared secret.
 *
 * | state     | meaning                                                                          |
 * |-----------|----------------------------------------------------------------------------------|
 * | `same`    | live has it                                                                      |
 * | `changed` | live has another one                                                             |
 * | `set`     | live has none                                                                    |
 * | `unknown` | the service hides the live one, or the value of the reference is not at hand     |
 * | `rotates` | unknown, and sent because the files or the command line ask for it               |
 */
export const secretStates = ['same', 'changed', 'set', 'unknown', 'rotates'] as const

/** One of `secretStates`. */
export type SecretState = (typeof secretStates)[number]

/** One step of a patch (RFC 6902). Secrets in a value are written by reference. */
export type PatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: Pointer; readonly value: Value }
  | { readonly op: 'remove'; readonly path: Pointer }

/**
 * How a list differs by its elements: servers by their host, VLANs by their number, entries by their name. A
 * name that occurs again has a number: `10.0.0.1 #2`. Secrets within are not part of it.
 */
export interface ElementChanges {
  readonly added?: readonly AddedElement[]
  readonly removed?: readonly string[]
  /** The elements that both sides have and whose members differ. */
  readonly changed?: readonly ChangedElement[]
  /** All elements as declared, where those that both sides have are in another order. */
  readonly order?: readonly string[]
}

/** An element that only the declaration has. */
export interface AddedElement {
  readonly element: string
  /** The other members, or the value; absent if there is none. */
  readonly value?: Value
  /** The next element that live has, too; absent for one at the end, and where the order does not matter. */
  readonly before?: string
}

/** An element with other members than live. */
export interface ChangedElement {
  readonly element: string
  /** By pointer within the element; `''` is the element itself. A value that is absent on one side has no member. */
  readonly fields: readonly {
    readonly path: Pointer
    readonly before?: Value
    readonly after?: Value
  }[]
}

/** The update of one WLAN: the differences, and the request that fixes them. */
export interface Change {
  readonly address: string
  readonly site: Site
  readonly wlan: { readonly id: string; readonly ssid: string }
  /** Where the WLAN is declared; the file is relative to the fleet. */
  readonly origin: Location
  /** For display. */
  readonly owner?: string
  /** Absent where clients are not affected. */
  readonly impact?: Impact
  /** True if other WLANs of the access points drop for seconds, too. */
  readonly resets_radio?: true
  /** True if all clients may stay out: the server may refuse them, or the WLAN takes itself off the air. */
  readonly authentication_risk?: true
  /** The fields that make the impact, sorted; absent where all fields do, or where there is no impact. */
  readonly impact_fields?: readonly Pointer[]
  /** The fields whose security is weakened, sorted; absent if there are none. */
  readonly downgrades?: readonly Pointer[]
  /** The level of each downgrade, and the notices, which do not block; absent if there are none. */
  readonly downgrade_levels?: Readonly<Record<Pointer, DowngradeLevel>>
  /** The live values outside the patch on which impact and downgrades depend; absent if all are defaults. */
  readonly context?: ValueObject
  /** How the lists among the changed fields differ, by pointer. For display; absent if there are none. */
  readonly elements?: Readonly<Record<Pointer, ElementChanges>>
  /** Each `replace` follows a `test` of the old value; secrets have no `test`. */
  readonly patch: readonly PatchOperation[]
  readonly request: {
    readonly method: 'PUT'
    readonly path: string
    /** The changed top-level fields only, each complete. */
    readonly body: ValueObject
  }
  /** Declared secrets that could not be compared; absent if there are none. */
  readonly not_compared?: readonly Pointer[]
  /** The declared references of those secrets: an approval holds for these references only. */
  readonly references?: SecretReferences
  /** Why each secret in the state `rotates` is sent. For display. */
  readonly rotations?: Readonly<Record<Pointer, Rotation>>
  /**
   * The state of each declared secret that is not `same`, or that lies in a field that is sent; by the
   * pointer of its declaration. An approval holds for these states. Absent if there are none.
   */
  readonly secrets?: Readonly<Record<Pointer, SecretState>>
  /**
   * The time of the oldest evidence of each difference, by pointer. Only where the plan was compared with an
   * earlier one; any other field differs since this plan.
   */
  readonly first_seen?: Readonly<Record<Pointer, string>>
  /** Why each field differs; only where the files were compared with a base revision. For display. */
  readonly causes?: Readonly<Record<Pointer, Cause>>
  /** When the live WLAN was last modified, UTC; absent where its record has no time. For display. */
  readonly modified?: string
  /**
   * Where the value of each changed field is written, by pointer: in the WLAN, in a profile, or where the
   * variable is set. The file is relative to the fleet. Absent where no file declares the WLAN, and beyond
   * the first `MOST_PLACED` changes.
   */
  readonly places?: Readonly<Record<Pointer, Location>>
  /**
   * Everything that declares the value of a changed field, the strongest first, by pointer: where it is more
   * than its place. Of the first `MOST_TRACED` changes. For display.
   */
  readonly sources?: Readonly<Record<Pointer, readonly ValueSource[]>>
}

/** How many changes of a plan have sources: a page of 2,000 changes would be twice its size. */
export const MOST_TRACED = 200

/**
 * How many changes of a plan have places: to find them, files are parsed again, and a plan of 10,000 sites
 * that all change would exceed 350 MB.
 */
export const MOST_PLACED = 2000

/** The plan of one declared WLAN. Every declared WLAN gets exactly one. */
export type WlanPlan =
  | {
      readonly status: 'changed'
      readonly address: string
      readonly change: Change
      /** The input of the change; `apply` plans it again from a fresh read. */
      readonly desired: DesiredWlan
      readonly live: LiveWlan
      /** True if the answer that `live` comes from shows secrets: those that are empty are unset. */
      readonly secretsShown?: boolean
      readonly unwatched: readonly Pointer[]
    }
  | {
      readonly status: 'unchanged'
      readonly address: string
      readonly notCompared: readonly Pointer[]
      readonly references?: SecretReferences
      /** As in `NotCompared`. */
      readonly names?: Readonly<Record<Pointer, string>>
      readonly unwatched: readonly Pointer[]
    }
  | { readonly status: 'blocked'; readonly address: string; readonly finding: Finding }
  | { readonly status: 'unread'; readonly address: string }

/** A change with its input. */
export type PlannedChange = Extract<WlanPlan, { status: 'changed' }>

/** A live WLAN that is not declared. */
export interface Unmanaged {
  /** The site's name. */
  readonly site: string
  readonly id: string
  readonly ssid: string
  /** The owner of the site; for display. */
  readonly owner?: string
  /** The id of the template that it comes from; absent if it comes from none. For display. */
  readonly template?: string
}

/** Declared secrets of an unchanged WLAN that could not be compared. */
export interface NotCompared {
  readonly address: string
  readonly pointers: readonly Pointer[]
  readonly references?: SecretReferences
  /** The names of the list elements in the pointers: `/auth_servers/0` is `10.0.0.2`. For display. */
  readonly names?: Readonly<Record<Pointer, string>>
}

/** The guard fields of a live WLAN that no file declares: changes to them go unnoticed. */
export interface Unwatched {
  readonly address: string
  /** In the order of the schema. */
  readonly pointers: readonly Pointer[]
}

/** How many guard fields a plan leaves unwatched, and on how many WLANs. */
export interface UnwatchedTotal {
  readonly fields: number
  readonly wlans: number
}

/** The total of a plan, also of the WLANs that it does not list. */
export function countUnwatched({
  unwatched = [],
  unwatched_total
}: Pick<Plan, 'unwatched' | 'unwatched_total'>): UnwatchedTotal {
  const fields = unwatched.reduce((sum, { pointers }) => sum + pointers.length, 0)
  return unwatched_total ?? { fields, wlans: unwatched.length }
}

/** The references of declared secrets, by pointer. */
export type SecretReferences = Readonly<Record<Pointer, SecretReference>>

/** The snapshot that replaces the live state in a plan. */
export interface Against {
  /** When the service was read, UTC. */
  readonly created: string
  readonly digest: string
}

/** An unread site, with the number of its WLANs in the run. */
export interface UnreadPart extends Site {
  readonly wlans: number
}

/** The comparison with an earlier snapshot or plan. */
export interface Since {
  /** When the service was read for it, UTC. */
  readonly created: string
  /** Fields that differ now and did not differ then. */
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
  /** The number of HTTP requests that read the service. */
  readonly requests: number
}

/** How many clients a plan affects. */
export interface PlanClients {
  /** At all sites of the plan whose number is known. */
  readonly total: number
  /** At the sites where a change has an impact, each site once. */
  readonly affected: number
  /** How many of these sites have no number; absent if all have one. */
  readonly sites_unknown?: number
  /** At each site with a change, by its name. */
  readonly by_site: Readonly<Record<string, number>>
}

/** The limits of a policy that a plan is compared with. */
export interface PlanLimits {
  /** Absent: no such limit. */
  readonly max_changes?: number
  readonly max_change_percent: number
}

/**
 * The changes that `apply` would make. The type has the format of the saved file, and its names
 * (`schemas/plan.schema.json`). Plain data, sorted by address; as JSON free of secrets.
 */
export interface Plan extends Part {
  readonly format: 'wlanctl-plan/1'
  readonly tool: string
  /** The command whose report it is, if not `plan`. */
  readonly command?: 'drift'
  /** The time of the plan, UTC, e.g. `2026-11-20T10:00:00Z`. */
  readonly created: string
  readonly base_url: string
  /** The snapshot that it is based on; absent where the service was read. */
  readonly against?: Against
  /** The evidence of earlier differences; absent where there was none. */
  readonly since?: Since
  readonly summary: PlanSummary
  /**
   * All declared waves in order, also those without a change. Absent where none is declared.
   */
  readonly rollout?: readonly Wave[]
  readonly changes: readonly Change[]
  /** Of unchanged WLANs; a change lists its own. */
  readonly not_compared: readonly NotCompared[]
  readonly unmanaged: readonly Unmanaged[]
  /** Live WLANs of the organization that no file declares; absent if there is none. */
  readonly inherited?: readonly Unmanaged[]
  /** The first WLANs with unwatched fields, by address; absent if there is none, or the policy ignores them. */
  readonly unwatched?: readonly Unwatched[]
  /** Absent where all are listed. */
  readonly unwatched_total?: UnwatchedTotal
  /** By name; absent if all sites were read. A finding gives the reason. */
  readonly unread?: readonly UnreadPart[]
  readonly findings: readonly Finding[]
  /**
   * Of a part of a fleet: what `merge` needs for the lint rules that relate sites. Absent for a whole run that read all
   * sites, without the linter, and where no site was read.
   */
  readonly relations?: Relations
  /** The limits of the policy, for the refusals; absent where the run had limits of its own. */
  readonly limits?: PlanLimits
  /** The people behind the changes; absent where no site has a number of clients. */
  readonly clients?: PlanClients
  /** The time that it is for, UTC; absent where that is `created`. */
  readonly at?: string
  /** The first periods and freezes that begin or end within seven days, by time; absent if there are none. */
  readonly upcoming?: readonly UpcomingEvent[]
  /** How many periods begin or end, where `upcoming` lists the first of them. */
  readonly upcoming_total?: number
  /** The changes that wait for a window or the end of a freeze, by address; absent if there are none. */
  readonly deferred?: readonly Deferral[]
  /** What `apply` would refuse, each with a hint what allows it; absent if there is nothing. */
  readonly refusals?: readonly Finding[]
  /** Covers the changes and the service; not the time, the tool or the findings. */
  readonly digest: string
}

/** The most beginnings and ends of periods that a plan lists. */
const MOST_UPCOMING = 1000

/** The members of a plan that depend on the time; empty lists are absent. */
export function timedParts(
  at: string | undefined,
  deferred: readonly Deferral[],
  upcoming: readonly UpcomingEvent[],
  total = upcoming.length
): Pick<Plan, 'at' | 'deferred' | 'upcoming' | 'upcoming_total'> {
  const first = upcoming.slice(0, MOST_UPCOMING)
  return {
    ...(at !== undefined && { at }),
    ...(first.length > 0 && { upcoming: first }),
    ...(total > first.length && { upcoming_total: total }),
    ...(deferred.length > 0 && { deferred })
  }
}

import type { Pointer } from '../values/pointer.ts'
import type { Rotation, SecretReference } from '../values/secret.ts'
import type { Value, ValueObject } from '../values/value.ts'
import type { Deferral } from './calendar.ts'
import type { Danger, DangerKind } from './danger.ts'
import type { DesiredWlan, Part, Site, ValueSource, Wave } from './desired.ts'
import type { Finding, Location } from './finding.ts'
import type { Impact } from './impact.ts'
import type { LiveWlan, UnreadSite } from './live.ts'

/** How much a change weakens security: high and medium block it, a notice does not. */
export type DowngradeLevel = 'high' | 'medium' | 'notice'

/** The cause of a difference: the files changed since the base, or only the live value changed. */
export type Cause = 'declaration' | 'drift'

/**
 * The state of a declared secret.
 *
 * | state     | meaning                                                                          |
 * |-----------|----------------------------------------------------------------------------------|
 * | `same`    | equal to the live one                                                            |
 * | `changed` | different from the live one                                                      |
 * | `set`     | the live one is not set                                                          |
 * | `unknown` | the service hides the live one, or the reference is not resolved                 |
 * | `rotates` | unknown, and sent because the files request it                                   |
 */
export const secretStates = ['same', 'changed', 'set', 'unknown', 'rotates'] as const

export type SecretState = (typeof secretStates)[number]

/** One step of a patch (RFC 6902). Secrets in a value are written by reference. */
export type PatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: Pointer; readonly value: Value }
  | { readonly op: 'remove'; readonly path: Pointer }

/** The pointers that a patch changes, in its order: without its tests. */
export function patchedPointers(patch: readonly PatchOperation[]): Pointer[] {
  return patch.flatMap(({ op, path }) => (op === 'test' ? [] : path))
}

/**
 * The differences of a list by element: servers by host, VLANs by number, entries by name. A repeated name
 * gets a number: `10.0.0.1 #2`. Secrets in the elements are excluded.
 */
export interface ElementChanges {
  readonly added?: readonly AddedElement[]
  readonly removed?: readonly string[]
  /** The elements that both sides have, but with different members. */
  readonly changed?: readonly ChangedElement[]
  /** The names of all elements in the declared order, if the common elements are in a different order. */
  readonly order?: readonly string[]
}

/** An element that only the declaration has. */
export interface AddedElement {
  readonly element: string
  /** The other members, or the value; absent if there are none. */
  readonly value?: Value
  /** The next element that is live, too; absent at the end, and if the order does not matter. */
  readonly before?: string
}

/** An element whose members differ from the live ones. */
export interface ChangedElement {
  readonly element: string
  /** By pointer within the element; `''` is the element itself. An absent value has no member. */
  readonly fields: readonly {
    readonly path: Pointer
    readonly before?: Value
    readonly after?: Value
  }[]
}

/** A key of the live WLAN of a change; ids are case-insensitive. */
export function changeKey({ site, wlan }: Pick<Change, 'site' | 'wlan'>): string {
  return `${site.id}/${wlan.id}`.toLowerCase()
}

/** The update of one WLAN: the differences, and the request that resolves them. */
export interface Change {
  readonly address: string
  readonly site: Site
  readonly wlan: { readonly id: string; readonly ssid: string }
  /** The place of the WLAN's declaration; the file is relative to the fleet. */
  readonly origin: Location
  /** The worst class of the effect on clients; absent if they are not affected. */
  readonly impact?: Impact
  /** All classes of that effect, ascending; absent unless there are several. */
  readonly impacts?: readonly Impact[]
  /** True if no access point sends the WLAN afterwards, whichever field causes it. */
  readonly switches_off?: true
  /** True if other WLANs of the access points are interrupted for seconds, too. */
  readonly resets_radio?: true
  /** True if a server decides anew, and may refuse everybody, or the WLAN turns itself off. */
  readonly authentication_risk?: true
  /** The fields that cause the impact, sorted; absent if all fields do, or if there is no impact. */
  readonly impact_fields?: readonly Pointer[]
  /** The fields with weakened security, sorted; absent if there are none. */
  readonly downgrades?: readonly Pointer[]
  /** The level of each downgrade, and the notices, which do not block; absent if there are none. */
  readonly downgrade_levels?: Readonly<Record<Pointer, DowngradeLevel>>
  /** The dangers of the WLAN after the change, in a drift report of the live one; worst first, absent if there are none. */
  readonly dangers?: readonly Danger[]
  /** The worst danger of the live WLAN that the change ends: until it is applied, it stays. Absent without one. */
  readonly ends?: DangerKind
  /**
   * The downgrades that depend on other networks or on the base: fields that put guests and staff into one VLAN, or send
   * RADIUS to a public address. Absent if there are none.
   */
  readonly exposes?: readonly Pointer[]
  /** The live values outside the patch on which impact and downgrades depend; absent if all are defaults. */
  readonly context?: ValueObject
  /** The differences of the changed lists by element, by pointer. For display; absent if there are none. */
  readonly elements?: Readonly<Record<Pointer, ElementChanges>>
  /** Each `replace` follows a `test` of the old value; secrets have no `test`. */
  readonly patch: readonly PatchOperation[]
  readonly request: {
    readonly method: 'PUT'
    readonly path: string
    /** The changed top-level fields only, each complete. */
    readonly body: ValueObject
  }
  readonly not_compared?: readonly Pointer[]
  /** The declared references of those secrets: an approval covers only these references. */
  readonly references?: SecretReferences
  /** The reason why each secret in the state `rotates` is sent. For display. */
  readonly rotations?: Readonly<Record<Pointer, Rotation>>
  /**
   * The state of each declared secret that is not `same`, or that is in a field that is sent; by the pointer
   * of its declaration. An approval covers these states. Absent if there are none.
   */
  readonly secrets?: Readonly<Record<Pointer, SecretState>>
  /** The cause of each difference; only if the files were compared with a base revision. For display. */
  readonly causes?: Readonly<Record<Pointer, Cause>>
  /** The time of the live WLAN's last modification, UTC; absent if its record has none. For display. */
  readonly modified?: string
  /**
   * The place of each changed field's value, by pointer: in the WLAN, in a profile, or where the variable is set. The
   * file is relative to the fleet. Absent if no file declares the WLAN, and for changes after the first `MAX_PLACED`.
   */
  readonly places?: Readonly<Record<Pointer, Location>>
  /**
   * All declarations of a changed value, the one in force first, if there are several. For display,
   * and only for the first `MAX_TRACED` changes.
   */
  readonly sources?: Readonly<Record<Pointer, readonly ValueSource[]>>
}

/** A change as a report shows it: an edit that others made has no declaration and no request. */
export type ShownChange = Omit<Change, 'origin' | 'request'> &
  Partial<Pick<Change, 'origin' | 'request'>>

/** The number of changes in a plan with sources: with 2,000 of them a page would be twice its size. */
export const MAX_TRACED = 200

/** The changes of a plan that have places: those of 10,000 changing sites would exceed 350 MB. */
export const MAX_PLACED = 2000

/** The plan of one declared WLAN; every declared WLAN gets exactly one. */
export type WlanPlan =
  | {
      readonly status: 'changed'
      readonly address: string
      readonly change: Change
      /** The declaration; `apply` plans it again from a fresh read. */
      readonly desired: DesiredWlan
      readonly live: LiveWlan
      /** True if the response with `live` shows secrets, so that empty ones are not set. */
      readonly secretsShown?: boolean
      /** The secrets that the update must contain and `live` hides; absent if there are none. */
      readonly hidden?: readonly Pointer[]
    }
  | {
      readonly status: 'unchanged'
      readonly address: string
      readonly notCompared: readonly Pointer[]
      readonly references?: SecretReferences
      readonly names?: Readonly<Record<Pointer, string>>
    }
  | { readonly status: 'blocked'; readonly address: string; readonly finding: Finding }
  | { readonly status: 'unread'; readonly address: string }

export type PlannedChange = Extract<WlanPlan, { status: 'changed' }>

/** The plan of one site. */
export interface PlannedSite {
  readonly site: Site
  /** The declared WLANs, of which a report knows the names; the excluded ones have no plan. */
  readonly declared: readonly Pick<DesiredWlan, 'address' | 'fields' | 'excluded'>[]
  /** Those of the declared WLANs, in the declared order, without the unchanged ones that could be compared. */
  readonly wlanPlans: readonly WlanPlan[]
  /** The number of unchanged WLANs. */
  readonly unchanged: number
  readonly unmanaged: readonly Unmanaged[]
  /** The undeclared WLANs that the site inherits from the organization. */
  readonly inherited?: readonly Unmanaged[]
  readonly unread?: UnreadSite
  readonly noLongerDeclared?: readonly Finding[]
}

export interface Unmanaged {
  readonly site: string
  readonly id: string
  readonly ssid: string
  /** The id of the template that it comes from; absent if there is none. For display. */
  readonly template?: string
  /** Its security and VLAN in words: `open, VLAN 30`; absent if unknown. For display. */
  readonly network?: string
}

export interface NotCompared {
  readonly address: string
  readonly pointers: readonly Pointer[]
  readonly references?: SecretReferences
  /** The names of the list elements in the pointers: `/auth_servers/0` is `10.0.0.2`. For display. */
  readonly names?: Readonly<Record<Pointer, string>>
}

/**
 * The unwatched fields of a live WLAN: guard fields that no file declares, in the order of the
 * schema, then other undeclared fields that are not at their default.
 */
export interface Unwatched {
  readonly address: string
  readonly pointers: readonly Pointer[]
  /** Those that are not at their default; absent if all are. */
  readonly not_default?: readonly Pointer[]
  /** Those of `not_default` that `adopt` does not declare; absent if it declares all. */
  readonly not_adoptable?: readonly Pointer[]
}

/** The number of unwatched fields in a plan, and of the WLANs with them. */
export interface UnwatchedTotal {
  readonly fields: number
  readonly wlans: number
}

/** The total of a plan, including WLANs that it does not list. */
export function countUnwatched({
  unwatched = [],
  unwatched_total
}: Pick<Plan, 'unwatched' | 'unwatched_total'>): UnwatchedTotal {
  const fields = unwatched.reduce((sum, { pointers }) => sum + pointers.length, 0)
  return unwatched_total ?? { fields, wlans: unwatched.length }
}

export type SecretReferences = Readonly<Record<Pointer, SecretReference>>

/** The snapshot that replaces the live state in a plan. */
export interface Against {
  /** The time at which the service was read, UTC. */
  readonly created: string
  readonly digest: string
}

export interface SitePart extends Site {
  /** Covers what the plan does at the site and omits; see `withDigests`. Absent if it could not be read. */
  readonly digest?: string
  /** The number of its WLANs in the run if it could not be read. A finding contains the reason. */
  readonly unread?: number
}

/**
 * The counts of a plan. Invariants: `sites` = planned sites + `sites_failed`, and `wlans` = `changed` +
 * `unchanged` + `blocked` + the WLANs of failed sites.
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

/** The number of WLANs of sites that could not be read. */
export function countUnread({ wlans, changed, unchanged, blocked }: PlanSummary): number {
  return wlans - changed - unchanged - blocked
}

/**
 * The changes that `apply` would make. The type has the structure and names of the saved file
 * (`schemas/plan.schema.json`). Plain data, sorted by address; its JSON contains no secrets.
 */
export interface Plan extends Part {
  readonly format: 'wlanctl-plan/1'
  readonly tool: string
  /** The command that made the report, if it is not `plan`. */
  readonly command?: 'drift'
  /** The time of the plan, UTC, e.g. `2026-11-20T10:00:00Z`. */
  readonly created: string
  readonly base_url: string
  /** As in `Desired`. */
  readonly commit?: string
  /** The snapshot that it is based on; absent if the service was read. */
  readonly against?: Against
  readonly summary: PlanSummary
  /** Sorted by name. */
  readonly sites: readonly SitePart[]
  /** All declared waves in order, including those without a change. Absent if none is declared. */
  readonly rollout?: readonly Wave[]
  readonly changes: readonly Change[]
  /** Of unchanged WLANs; each change lists its own. */
  readonly not_compared: readonly NotCompared[]
  readonly unmanaged: readonly Unmanaged[]
  /** Inherited live WLANs that no file declares; absent if there are none. */
  readonly inherited?: readonly Unmanaged[]
  /**
   * The first WLANs with unwatched fields of a drift report; absent if there are none, or if the
   * policy ignores them or counts them as drift.
   */
  readonly unwatched?: readonly Unwatched[]
  /** Absent if all are listed. */
  readonly unwatched_total?: UnwatchedTotal
  readonly findings: readonly Finding[]
  /** As `policyDigest` in `Desired`. */
  readonly policy_digest?: string
  /** The number of YAML files that `.wlanctlignore` excludes; absent for none. */
  readonly ignored_files?: number
  /** The time that it is made for, UTC; absent if that is `created`. */
  readonly at?: string
  /** The changes that wait for a window or the end of a freeze, by address; absent if there are none. */
  readonly deferred?: readonly Deferral[]
  /** The reasons why `apply` would refuse the plan, each with a hint how to allow it; absent if there are none. */
  readonly refusals?: readonly Finding[]
  /** Covers what the plan does and omits, but not its time and its tool; see `withDigests`. */
  readonly digest: string
}

/** The members of a plan that depend on the time. */
export type PlanTimes = Pick<Plan, 'at' | 'deferred'>

/** The members of a plan that depend on the time; an empty list is absent. */
export function timedParts(at: string | undefined, deferred: readonly Deferral[]): PlanTimes {
  return { ...(at !== undefined && { at }), ...(deferred.length > 0 && { deferred }) }
}

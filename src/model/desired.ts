import type { Calendar, Period } from './calendar.ts'
import type { Finding, FindingLevel, Location, Where } from './finding.ts'
import type { FleetRules } from './fleet-rules.ts'
import type { Pointer } from './pointer.ts'
import type { Rotation } from './secret.ts'
import type { Value, ValueObject } from './value.ts'

/** A site of the service, with its name in the fleet. */
export interface Site {
  readonly id: string
  readonly name: string
}

/** A declared WLAN, with profiles, variables and secrets resolved. */
export interface DesiredWlan {
  /** `<site name>/<wlan key>`: unique in a run and safe to print. */
  readonly address: string
  readonly key: string
  /** The live WLAN's id, where the YAML gives it. */
  readonly id?: string
  /** The current SSID of the live WLAN to adopt (`$match.ssid`). */
  readonly matchSsid?: string
  /** The declared fields only. */
  readonly fields: ValueObject
  /** Where the WLAN is declared; the file is relative to the fleet. */
  readonly origin: Location
  /** The same place, for messages: the file is relative to the working directory. */
  readonly place: Location
  /** For display: the owner of a profile that it extends, else the owner of its site. */
  readonly owner?: string
  /** `$protect: true`: changes of this WLAN are refused. */
  readonly protect?: true
  /** Why to send secrets that cannot be compared, by pointer; absent if none is to be sent. */
  readonly rotations?: ReadonlyMap<Pointer, Rotation>
  /** Not selected (`--wlan`), or not managed; it still claims its live WLAN. */
  readonly excluded?: true
  /** The periods of `$during`, in the order of the file; absent if there are none. */
  readonly periods?: readonly Period[]
  /** `$managed: false`: the WLAN is not managed at this site; it is `excluded` as well. */
  readonly managed?: false
}

export interface DesiredSite extends Site {
  /** How many clients it has, about; absent where that is not known. */
  readonly clients?: number
  /** For display. */
  readonly owner?: string
  /** The names of its groups, the strongest last; absent without one. Sites of the same groups share the list. */
  readonly groups?: readonly string[]
  /** The values of its variables, for rules that read `$site`; absent where none does. */
  readonly vars?: ValueObject
  /** True for a site that the base revision does not declare; such sites are read last. */
  readonly isNew?: true
  /** Sorted by key. */
  readonly wlans: readonly DesiredWlan[]
  /** The comparison with the base revision; absent where there is none. */
  readonly sinceBase?: SiteSinceBase
}

/** What the files of a site declare otherwise than the base revision. */
export interface SiteSinceBase {
  /** The base revision, as the user named it. */
  readonly revision: string
  /** By key, the WLANs that are not declared as at the base; new ones among them. */
  readonly wlans: ReadonlyMap<string, WlanSinceBase>
  /** The WLANs that only the base declares, as it declares them; their places are those of the base. */
  readonly removed: readonly DesiredWlan[]
}

/** What the files of a WLAN declare otherwise than the base revision. */
export interface WlanSinceBase {
  /** Declared fields with another effective value, or with none at the base; `''` for a new WLAN. */
  readonly changed: readonly Pointer[]
  /** Fields that only the base declares. */
  readonly removed: readonly RemovedField[]
  /** What the base declares; only where its secrets have other references. */
  readonly fieldsAtBase?: ValueObject
}

/** A field that the base declares and the files do not, and its place at the base. */
export interface RemovedField {
  readonly pointer: Pointer
  readonly place: Location
}

/**
 * A wave of a rollout: its sites are changed in parallel, and before those of the next wave. In `Desired`
 * a wave holds all of its sites; in a plan, those with changes.
 */
export interface Wave {
  /** Unique among the waves; absent for the last one, which holds the sites of no declared wave. */
  readonly name?: string
  /** The sites by name, sorted. */
  readonly sites: readonly string[]
}

/** The part of the fleet that a run covers, where several runs are merged; empty for a whole run. */
export interface Part {
  /** E.g. `3/8`. */
  readonly shard?: string
  /** The ids of its sites: those that an earlier run could not read. */
  readonly continues?: readonly string[]
}

/** An entry of `policy.waivers` that holds now: findings of a rule that fail no run until the end of a day. */
export interface Waiver {
  /** The id of a lint rule, or the name of a rule of the policy. */
  readonly rule: string
  /** A glob over the names and ids of sites; absent: all. */
  readonly site?: string | undefined
  /** A glob over the keys and addresses of WLANs, and over the SSIDs of undeclared ones; absent: all. */
  readonly wlan?: string | undefined
  readonly reason: string
  readonly owner?: string | undefined
  /** The last day, in UTC: `2027-01-31`. */
  readonly until: string
  /** True for a rule of the policy. */
  readonly ofPolicy: boolean
  /** The entry, for messages. */
  readonly where: Where
}

/** The desired state: everything that a fleet declares. */
export interface Desired {
  readonly part?: Part
  readonly policy: Policy
  /** The waves of the whole fleet; absent where none is declared. */
  readonly rollout?: readonly Wave[]
  /** The time that the periods are evaluated for, UTC; absent for the time of the run. */
  readonly at?: string
  /** The windows and freezes of the policy; absent where it declares none. */
  readonly calendar?: Calendar
  /** Sorted by name. */
  readonly sites: readonly DesiredSite[]
  /** The ids of all sites that the files declare, in lower case; absent unless `policy.org` is set. */
  readonly declaredIds?: ReadonlySet<string>
  /** Warnings and refusals of the policy: with any other error there is no `Desired`. */
  readonly findings: readonly Finding[]
  /** The rules of the policy, where the run judges them over live WLANs; absent for a policy without rules. */
  readonly rules?: FleetRules
  /** The waivers of the policy that hold now; absent where there is none. */
  readonly waivers?: readonly Waiver[]
  /** True if the run covers every site and WLAN that the files declare. */
  readonly isWhole?: true
  /** Absent where no file declares the WLANs, as in a revert. */
  readonly placesOf?: ValuePlaces
  /** As `placesOf`, with everything that declares a value. */
  readonly originsOf?: ValueOrigins
}

/**
 * Finds where the values of fields of a WLAN are written, by pointer: in its block, in a profile, or where
 * the variable is set. The files are relative to the fleet, or to the working directory as in messages. Omits
 * fields that the WLAN does not declare.
 */
export type ValuePlaces = (
  site: Site,
  key: string,
  pointers: readonly Pointer[],
  relativeTo?: 'fleet' | 'cwd'
) => Readonly<Record<Pointer, Location>>

/** What declares a value, or would declare it if nothing stronger did. */
export interface ValueSource {
  /** `reference`: it refers to the variable that gives the value. `hidden`: a stronger source hides it. */
  readonly role: 'value' | 'reference' | 'hidden'
  /**
   * The override of the site, the WLAN, a profile; a variable of the site or of a group; the `$default` of a
   * variable; or an `$unset`, which hides the sources after it.
   */
  readonly kind: 'override' | 'WLAN' | 'profile' | 'site' | 'group' | 'default' | 'unset'
  /** The name of the profile or group; the reason of the period that the WLAN or the override declares. */
  readonly name?: string
  /** The variable that a site or group sets. */
  readonly variable?: string
  /** Relative to the working directory, unless asked otherwise. */
  readonly place: Location
  /** What is written there; references to variables and secrets stand as they are, and no secret is shown. */
  readonly value?: Value
}

/** Where the value of a field comes from, the strongest source first. */
export interface ValueOrigin {
  readonly pointer: Pointer
  readonly sources: readonly ValueSource[]
}

/**
 * Finds where the values of a WLAN come from, of those at or below a pointer; all of them for `''`. Empty where
 * nothing declares any.
 */
export type ValueOrigins = (
  site: Site,
  wlan: Pick<DesiredWlan, 'key' | 'fields'>,
  pointer: Pointer,
  relativeTo?: 'fleet' | 'cwd'
) => Promise<readonly ValueOrigin[]>

/**
 * The `policy` of a fleet, except for its rules, which are evaluated on load, and the waves of its
 * rollout (`Desired.rollout`).
 */
export interface Policy {
  /** The id of the organization whose sites `drift` compares with those of the fleet. */
  readonly org?: string
  /** `apply` refuses a plan with more changes. Undefined: no such limit. */
  readonly maxChanges?: number
  /** Seconds after each wave, before its WLANs are read again; undefined: they are not. */
  readonly hold?: number
  /** `apply` refuses a plan that affects more clients. Undefined: no such limit. */
  readonly maxClients?: number
  /** `apply` refuses to change more than this percentage of the declared WLANs that exist, from 10 on. */
  readonly maxChangePercent: number
  /** The limit of sites per run that the base revision does not declare; the base's policy counts. */
  readonly maxNewSites: number
  readonly unknownFields: 'error' | 'warn'
  readonly unknownValues: 'error' | 'warn'
  readonly plaintextSecrets: 'error' | 'warn' | 'allow'
  /** An undeclared live WLAN is listed, ignored, or an error. */
  readonly unmanaged: 'report' | 'ignore' | 'error'
  /** A guard field that no file declares is counted, ignored, or an error. */
  readonly unwatched: 'report' | 'ignore' | 'error'
  /** Allows changes that weaken security without `--allow-downgrade`. */
  readonly allowDowngrade: boolean
  /** Undefined for `level: off`: nothing is linted. */
  readonly lint?: LintPolicy
}

/** How many WLANs the sites declare, without those with `$managed: false`. */
export function countManaged(sites: readonly DesiredSite[]): number {
  return sites.reduce(
    (sum, { wlans }) => sum + wlans.filter(({ managed }) => managed !== false).length,
    0
  )
}

/** The part of a fleet's policy that is about the linter. */
export interface LintPolicy {
  /** Findings below this level are listed only on request. */
  readonly level: FindingLevel
  /** The level of all findings of a rule, by its id, instead of the rule's own. */
  readonly rules: Readonly<Record<string, FindingLevel | 'off'>>
  /** Existing errors fail a run, too. */
  readonly strict: boolean
}

/** The policy of `lint: {}`, and of a fleet without `lint`. */
export const defaultLintPolicy: LintPolicy = { level: 'warning', rules: {}, strict: false }

/** The policy of a fleet that declares none. */
export const defaultPolicy: Policy = {
  maxChangePercent: 30,
  maxNewSites: 50,
  unknownFields: 'error',
  unknownValues: 'error',
  plaintextSecrets: 'error',
  unmanaged: 'report',
  unwatched: 'report',
  allowDowngrade: false,
  lint: defaultLintPolicy
}

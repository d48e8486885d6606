import type { Pointer } from '../values/pointer.ts'
import type { Rotation, Secret } from '../values/secret.ts'
import { secretsIn, type Value, type ValueObject } from '../values/value.ts'
import type { Calendar } from './calendar.ts'
import type { Finding, FindingLevel, Location, Where } from './finding.ts'
import type { FleetRules, RuleSite } from './fleet-rules.ts'

export interface Site {
  readonly id: string
  readonly name: string
}

/** A site of an organization, as the service lists it. */
export interface ListedSite extends Site {
  /** Its IANA time zone, if the service names it. */
  readonly timezone?: string
}

/** A declared WLAN, with profiles, variables and secrets resolved. */
export interface DesiredWlan {
  /** `<site name>/<wlan key>`: unique in a run and safe to print. */
  readonly address: string
  readonly key: string
  /** The id of the live WLAN, if the YAML contains it. */
  readonly id?: string
  /** The current SSID of the live WLAN to adopt or rename: `$match.ssid`, or the SSID at the base. */
  readonly matchSsid?: string
  /** The declared fields only. */
  readonly fields: ValueObject
  /** What it has in common with other WLANs; absent if no other block has its text, or if it uses no variables. */
  readonly template?: Template
  /** Fields may come from several layers: it extends a profile, is overridden, or uses variables. */
  readonly isLayered?: true
  /** The place of the declaration, for messages: the file is relative to the working directory. */
  readonly place: Location
  /** The same file, relative to the fleet. */
  readonly file: string
  /** Changes of this WLAN are refused (`$protect: true`). */
  readonly protect?: true
  /** The reason to send each secret that cannot be compared, by pointer; absent if none is to be sent. */
  readonly rotations?: ReadonlyMap<Pointer, Rotation>
  /** Not selected (`--wlan`), or not managed; it still claims its live WLAN. */
  readonly excluded?: true
  /** `$managed: false`: the WLAN is not managed at this site; it is `excluded` as well. */
  readonly managed?: false
}

/** The declarations of blocks with the same text: one object, whatever the values of their variables. */
export interface Template {
  /** The top-level fields that contain variables; the others have the same values and layers at all sites. */
  readonly varying: ReadonlySet<string>
}

export interface DesiredSite extends Site {
  /**
   * The names of its groups in ascending precedence; absent without groups. Sites with the same groups share the list.
   */
  readonly groups?: readonly string[]
  /** The values of its variables, for rules that read `$site`; absent if nothing reads them. */
  readonly vars?: ValueObject
  /** Sorted by key. */
  readonly wlans: readonly DesiredWlan[]
  readonly sinceBase?: SiteSinceBase
}

/** The group of each site that has one, by name: the last one, which takes precedence. */
export type SiteGroups = ReadonlyMap<string, string>

export function groupsOfSites(sites: Iterable<Pick<DesiredSite, 'name' | 'groups'>>): SiteGroups {
  return new Map(
    [...sites].flatMap(({ name, groups = [] }) => groups.slice(-1).map(group => [name, group]))
  )
}

/** The differences between the files of a site and the base revision. */
export interface SiteSinceBase {
  /** The base revision, as the user wrote it. */
  readonly revision: string
  /** The WLANs with a different declaration than at the base, and new ones, by key. */
  readonly wlans: ReadonlyMap<string, WlanSinceBase>
  /** The WLANs that only the base declares, with their declarations and places at the base. */
  readonly removed: readonly DesiredWlan[]
  /** The site as rules and waivers see it at the base; absent if they see the same now, and for a new site. */
  readonly site?: RuleSite
  /** The keys at the base of WLANs that have another key now, by that. */
  readonly keys?: ReadonlyMap<string, string>
  readonly protected?: readonly DesiredWlan[]
}

/** The differences between the declaration of a WLAN and the base revision. */
export interface WlanSinceBase {
  /** Declared fields whose effective value differs from the base, or that the base lacks; `''` for a new WLAN. */
  readonly changed: readonly Pointer[]
  readonly removed: readonly RemovedField[]
  /** The declaration at the base; absent for a new WLAN. */
  readonly fieldsAtBase?: ValueObject
}

/** A field that the base declares and the files do not, and its place at the base. */
export interface RemovedField {
  readonly pointer: Pointer
  readonly place: Location
}

/**
 * A wave of a rollout: its sites are changed in parallel, and before those of the next wave. In `Desired` a
 * wave contains all of its sites; in a plan, those with changes.
 */
export interface Wave {
  /** Unique among the waves; absent for the last one, with the sites in no declared wave. */
  readonly name?: string
  /** The sites by name, sorted. */
  readonly sites: readonly string[]
}

/** `wave canary`. */
export function waveTitle(name: string | undefined): string {
  return name === undefined ? 'last wave' : `wave ${name}`
}

/** The part of the fleet that a run covers if several runs are merged; empty for a complete run. */
export interface Part {
  /** E.g. `3/8`. */
  readonly shard?: string
}

/** An active waiver suppresses findings of a rule until the end of a day; they fail no run. */
export interface Waiver {
  /** The id of a lint rule, or the name of a rule of the policy. */
  readonly rule: string
  /** A glob over the names and ids of sites; absent if it covers all. */
  readonly site?: string | undefined
  /** A glob over the keys and addresses of WLANs, and over the SSIDs of undeclared ones; absent if it covers all. */
  readonly wlan?: string | undefined
  readonly reason: string
  /** The last day, in UTC: `2027-01-31`. */
  readonly until: string
  readonly ofPolicy: boolean
  readonly where: Where
}

export interface Desired {
  readonly part?: Part
  /** The full hash of the commit that the checkout of the files is at; absent outside of a repository. */
  readonly commit?: string
  readonly policy: Policy
  /** A digest of `policy` as the files declare it, and of that of the base; absent if there is none. */
  readonly policyDigest?: string
  /** The waves of the whole fleet; absent if it declares none. */
  readonly rollout?: readonly Wave[]
  /** The time that the plan is made for, UTC; absent for the time of the run. */
  readonly at?: string
  /** The windows and freezes of the policy; absent if it declares none. */
  readonly calendar?: Calendar
  /** Sorted by name. */
  readonly sites: readonly DesiredSite[]
  /** Managed WLANs of files and base, selected or not; a percentage of changes is of each. */
  readonly managed: readonly [files: number, ...base: number[]]
  /** The ids of all sites that the files declare, in lower case, selected or not; absent for those of `sites`. */
  readonly declaredIds?: ReadonlySet<string>
  /** Warnings, and refusals by the policy: files with any other error have no `Desired`. */
  readonly findings: readonly Finding[]
  /** The rules of the policy, if the run evaluates them on live WLANs; absent for a policy without rules. */
  readonly rules?: FleetRules
  /** The active waivers of the policy; absent if there are none. */
  readonly waivers?: readonly Waiver[]
  /** Those of the policy of the base, which must cover a finding as well; absent without a base. */
  readonly waiversAtBase?: readonly Waiver[]
  /** The number of YAML files that `.wlanctlignore` excludes; absent for none. */
  readonly ignoredFiles?: number
  /** True if the run covers every site and WLAN that the files declare. */
  readonly isWhole?: true
  /** Absent if no file declares the WLANs, as for `revert`. */
  readonly placesOf?: ValuePlaces
  /** As `placesOf`, but with all declarations of a value. */
  readonly originsOf?: ValueOrigins
  readonly layersOf?: ValueLayers
}

/**
 * Finds the place of the value of each field of a WLAN, by pointer: in its block, in a profile, or where the
 * variable is set. The files are relative to the fleet, or to the working directory for messages. Omits
 * fields that the WLAN does not declare.
 */
export type ValuePlaces = (
  site: Site,
  key: string,
  pointers: readonly Pointer[],
  relativeTo?: 'fleet' | 'cwd'
) => Readonly<Record<Pointer, Location>>

/** The layer of each declared field, by pointer: the larger number overrides the smaller. */
export type ValueLayers = (
  site: Site,
  key: string,
  pointers: readonly Pointer[]
) => Readonly<Record<Pointer, number>>

export interface ValueSource {
  /**
   * `reference`: refers to the variable with the value. `hidden`: overridden by a declaration with a higher precedence.
   */
  readonly role: 'value' | 'reference' | 'hidden'
  /**
   * The kind of declaration: the override of the site, the WLAN, a profile; a variable of the site or of a
   * group; the `$default` of a variable; or an `$unset`, which hides the declarations after it.
   */
  readonly kind: 'override' | 'WLAN' | 'profile' | 'site' | 'group' | 'default' | 'unset'
  /** The name of the profile or group. */
  readonly name?: string
  /** The variable that a site or group sets. */
  readonly variable?: string
  /** Relative to the working directory, unless requested otherwise. */
  readonly place: Location
  /** The declared value; references to variables and secrets are not resolved, and no secret is shown. */
  readonly value?: Value
}

/** The declarations of the value of a field, in descending precedence. */
export interface ValueOrigin {
  readonly pointer: Pointer
  readonly sources: readonly ValueSource[]
}

/** The origins of values at or below a pointer, `''` for all; empty if nothing declares one. */
export type ValueOrigins = (
  site: Site,
  wlan: Pick<DesiredWlan, 'key' | 'fields'>,
  pointer: Pointer,
  relativeTo?: 'fleet' | 'cwd'
) => readonly ValueOrigin[]

/** The `policy` of a fleet without its rules (evaluated on load) and waves (`Desired.rollout`). */
export interface Policy {
  /** The id of the organization whose sites `drift` compares with those of the fleet. */
  readonly org?: string
  /** The maximum number of changes in a plan that `apply` accepts; undefined if there is no limit. */
  readonly maxChanges?: number
  readonly rollout: RolloutPolicy
  /** The maximum percentage of declared, existing WLANs that `apply` changes; applies from 10 WLANs. */
  readonly maxChangePercent: number
  readonly unknownFields: 'error' | 'warn'
  readonly unknownValues: 'error' | 'warn'
  readonly plaintextSecrets: 'error' | 'warn' | 'allow'
  /** How undeclared live WLANs are reported. */
  readonly unmanaged: 'report' | 'ignore' | 'error'
  /** How `drift` reports fields that no file declares. */
  readonly unwatched: 'report' | 'drift' | 'ignore' | 'error'
  /** Undefined for `level: off`, which turns the linter off. */
  readonly lint?: LintPolicy
}

/** The number of WLANs that the sites declare, without those with `$managed: false`. */
export function countManaged(sites: readonly DesiredSite[]): number {
  return sites.reduce(
    (sum, { wlans }) => sum + wlans.filter(({ managed }) => managed !== false).length,
    0
  )
}

export function* declaredSecrets({ sites }: Pick<Desired, 'sites'>): Generator<Secret> {
  for (const { wlans } of sites) for (const { fields } of wlans) yield* secretsIn(fields)
}

export interface LintPolicy {
  /** Findings below this level are listed only on request. */
  readonly level: FindingLevel
  /** The level of all findings of a rule, by its id; overrides the level of the rule. */
  readonly rules: Readonly<Record<string, FindingLevel | 'off'>>
  /** Existing errors fail a run, too. */
  readonly strict: boolean
}

/** How `apply` goes from wave to wave; times in seconds. */
export interface RolloutPolicy {
  readonly pause: number
  readonly checkTimeout: number
}

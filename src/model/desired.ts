import type { Finding, Location } from './finding.ts'
import type { ValueObject } from './value.ts'

/** A site of the service, under the name the fleet gives it. */
export interface Site {
  readonly id: string
  readonly name: string
}

/** A WLAN as the YAML wants it, with profiles, variables and secrets resolved. */
export interface DesiredWlan {
  /** `<site name>/<wlan key>`: unique in a run and safe to print. */
  readonly address: string
  readonly key: string
  /** The live WLAN's id, where the YAML gives it. */
  readonly id?: string
  /** The present SSID of the live WLAN to adopt (`$match.ssid`). */
  readonly matchSsid?: string
  /** The declared fields, and no other. */
  readonly fields: ValueObject
  /** Where the WLAN is declared; the file is relative to the fleet. */
  readonly origin: Location
  /** The same place, for messages: the file is relative to the working directory. */
  readonly place: Location
  /** Who answers for it; for people. That of a profile it extends, else that of its site. */
  readonly owner?: string
  /** `$protect: true`: a change of this WLAN needs a consent of its own. */
  readonly protect?: true
  /** Not in this run (`--wlan`); it is here since it claims its live WLAN all the same. */
  readonly excluded?: true
}

export interface DesiredSite extends Site {
  /** Who answers for the site; for people. */
  readonly owner?: string
  /** True for a site that the base of the run does not declare: it is read after all others. */
  readonly isNew?: true
  /** Sorted by key. */
  readonly wlans: readonly DesiredWlan[]
}

/**
 * A wave of a rollout: its sites are changed side by side, and before those of the next wave.
 *
 * In what a fleet declares, a wave holds all of its sites; in a plan, those that would be changed.
 */
export interface Wave {
  /** Unique among the waves; absent for the last one, of the sites that no declared wave holds. */
  readonly name?: string
  /** The sites by name, sorted. */
  readonly sites: readonly string[]
}

/** What makes a run one of several that are to be merged; nothing of it in a run of its own. */
export interface Part {
  /** Which part of the fleet it covers, e.g. `3/8`. */
  readonly shard?: string
  /** The sites it covers, by id: those that an earlier run could not read. */
  readonly continues?: readonly string[]
}

/** What a fleet declares. */
export interface Desired {
  readonly part?: Part
  readonly policy: Policy
  /** The waves in which the sites of the whole fleet are changed; absent where none is declared. */
  readonly rollout?: readonly Wave[]
  /** Sorted by name. */
  readonly sites: readonly DesiredSite[]
  /** Warnings, and refusals of the policy: a fleet with another error does not become a `Desired`. */
  readonly findings: readonly Finding[]
}

/**
 * What a fleet demands of every run (the `policy` of its YAML), but for the rules, by which WLANs are
 * judged where they are declared, and the rollout, which is made of the sites (`Desired.rollout`).
 */
export interface Policy {
  /** `apply` refuses a plan with more changes. Undefined: no such limit. */
  readonly maxChanges?: number
  /** `apply` refuses to change more than this percentage of the declared WLANs that exist, from 10 on. */
  readonly maxChangePercent: number
  /** Sites that a run reads at most of those that its base does not declare; the base's policy counts. */
  readonly maxNewSites: number
  readonly unknownFields: 'error' | 'warn'
  readonly plaintextSecrets: 'error' | 'warn' | 'allow'
  /** What a live WLAN that nobody declares is: listed, passed over, or an error. */
  readonly unmanaged: 'report' | 'ignore' | 'error'
  /** Lets `apply` make a WLAN less safe without being told so on the command line. */
  readonly allowDowngrade: boolean
}

/** The policy of a fleet that declares none. */
export const defaultPolicy: Policy = {
  maxChangePercent: 30,
  maxNewSites: 50,
  unknownFields: 'error',
  plaintextSecrets: 'error',
  unmanaged: 'report',
  allowDowngrade: false
}

import type { Finding } from './finding.ts'
import type { Location } from './location.ts'
import type { Policy } from './policy.ts'
import type { Wave } from './rollout.ts'
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

import type { FindingLevel, FindingWaiver } from './finding.ts'

/** The facts about an enabled WLAN that rules compare across sites. Contains no secret. */
export interface RelatedState {
  readonly ssid: string
  readonly ssid_origin: 'declared' | 'live' | 'default'
  /** The authentication type and ciphers, as a string; absent if one of them is unknown. */
  readonly security?: string
  readonly security_origin: 'declared' | 'live' | 'default'
}

/** WLANs that are equal for these rules, so that their findings differ only in the site. */
export interface RelatedWlans {
  /** Before the changes and after them; absent if the two differ. */
  readonly state?: RelatedState
  readonly before?: RelatedState
  readonly after?: RelatedState
  /** The reference of the pre-shared key, not the key; absent if none is declared. */
  readonly key_reference?: string
  /** The key of declared WLANs, otherwise the SSID. */
  readonly wlan: string
  readonly undeclared?: true
  /** True if findings about them are not reported: the run did not select them, or does not manage them. */
  readonly excluded?: true
  /** The waivers that cover findings about them, by rule. */
  readonly waived?: Readonly<Record<string, FindingWaiver>>
  /** The number of WLANs, if a site has several of them. */
  readonly count?: number
  /** The positions of their sites in `Relations.sites`: `0-3,7`. */
  readonly sites: string
}

/** The facts about a part of a fleet, for the rules that compare all sites of the fleet. */
export interface Relations {
  /** The level of each of these rules, by its id. */
  readonly levels: Readonly<Record<string, FindingLevel | 'off'>>
  /** True if existing errors fail a run, too. */
  readonly strict?: true
  /** The names of the sites, sorted. */
  readonly sites: readonly string[]
  /** Absent if there are more than `MAX_RELATED`: then the rules cannot be evaluated. */
  readonly wlans?: readonly RelatedWlans[]
}

/** The maximum number of kinds of WLANs in a plan; they take 2 MB. */
export const MAX_RELATED = 5000

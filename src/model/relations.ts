import type { FindingLevel, FindingWaiver } from './finding.ts'

/** What rules about relations across sites compare, of a WLAN that is on the air. No secret. */
export interface RelatedState {
  readonly ssid: string
  readonly ssid_origin: 'declared' | 'live' | 'default'
  /** The authentication type and ciphers, as a text; absent where one is unknown. */
  readonly security?: string
  readonly security_origin: 'declared' | 'live' | 'default'
}

/** WLANs that these rules cannot tell apart, and whose findings differ in their sites only. */
export interface RelatedWlans {
  /** Before the changes and after them; absent where these differ. */
  readonly state?: RelatedState
  readonly before?: RelatedState
  readonly after?: RelatedState
  /** The reference of the pre-shared key, not the key; absent where none is declared. */
  readonly key_reference?: string
  /** The key of the declared WLANs, the SSID of others. */
  readonly wlan: string
  readonly undeclared?: true
  /** Findings about them are not reported: the run did not select them, or does not manage them. */
  readonly excluded?: true
  readonly owner?: string
  /** The waivers that cover findings about them, by rule. */
  readonly waived?: Readonly<Record<string, FindingWaiver>>
  /** How many there are, where a site has several of them. */
  readonly count?: number
  /** The positions of their sites in `Relations.sites`: `0-3,7`. */
  readonly sites: string
}

/** The facts about a part of a fleet for the rules about relations across sites, which see the fleet as a whole. */
export interface Relations {
  /** The level of each of these rules, by its id. */
  readonly levels: Readonly<Record<string, FindingLevel | 'off'>>
  /** Existing errors fail a run, too. */
  readonly strict?: true
  /** The names of the sites, sorted. */
  readonly sites: readonly string[]
  /** Absent where there are more than `MAX_RELATED`: the rules cannot be checked then. */
  readonly wlans?: readonly RelatedWlans[]
}

/** The most kinds of WLANs that a plan describes: they take 2 MB. */
export const MAX_RELATED = 5000

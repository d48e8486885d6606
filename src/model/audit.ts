import type { RuleExplanation } from './explanation.ts'
import type { FindingLevel } from './finding.ts'
import type { Pointer } from './pointer.ts'
import type { Value } from './value.ts'

/** The findings about live sites, and how the networks differ between them. It holds no secret. */
export interface Audit {
  readonly baseUrl: string
  /** The names of the sites that were read, in the order of the request. */
  readonly sites: readonly string[]
  readonly unread: readonly { readonly site: string; readonly reason: string }[]
  readonly wlans: number
  readonly requests: number
  /** The number of findings of each level. */
  readonly counts: Readonly<Record<FindingLevel, number>>
  /** The broken rules, worst first: by level, then by the number of sites. */
  readonly rules: readonly BrokenRule[]
  /** By the number of WLANs, the most common first. */
  readonly networks: readonly AuditedNetwork[]
  readonly outliers: readonly Outlier[]
  readonly lookAlikes: readonly LookAlikes[]
}

/** A rule with all that break it. */
export interface BrokenRule {
  readonly rule: RuleExplanation
  /** The worst level of its findings. */
  readonly level: FindingLevel
  /** The findings depend on the values of secrets: files that are passed on do not say where they are. */
  readonly fromSecret: boolean
  /** The number of sites with a finding. */
  readonly sites: number
  readonly findings: readonly AuditFinding[]
}

export interface AuditFinding {
  readonly level: FindingLevel
  readonly site: string
  /** The SSID; absent where the site as a whole breaks the rule. */
  readonly wlan?: string
  readonly message: string
}

/** What the columns of the matrix compare. */
export const networkAspects = ['security', 'vlan', 'bands'] as const

export type NetworkAspect = (typeof networkAspects)[number]

/** The WLANs of all sites with one SSID. */
export interface AuditedNetwork {
  readonly ssid: string
  readonly wlans: number
  /** The most common first. */
  readonly variants: readonly NetworkVariant[]
}

/** The WLANs with an SSID that are equal in all aspects. */
export interface NetworkVariant extends Readonly<Record<NetworkAspect, string>> {
  readonly enabled: boolean
  /** The aspects in which they differ from the clear majority of the network. */
  readonly odd: readonly NetworkAspect[]
  /** A site is there once for each of its WLANs. */
  readonly sites: readonly string[]
}

/** A field of a network that is the same at most sites. */
export interface Outlier {
  readonly ssid: string
  readonly field: Pointer
  readonly usual: Value
  /** The number of WLANs with the usual value. */
  readonly usualCount: number
  /** The other values, with the site of each WLAN. */
  readonly others: readonly { readonly value: Value; readonly sites: readonly string[] }[]
}

/** SSIDs that differ only in case, blanks or letters that look alike; the most common first. */
export type LookAlikes = readonly { readonly ssid: string; readonly wlans: number }[]

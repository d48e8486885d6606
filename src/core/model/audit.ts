import type { Pointer } from '../values/pointer.ts'
import type { Value } from '../values/value.ts'
import type { SiteGroups } from './desired.ts'
import type { RuleExplanation } from './explanation.ts'
import type { FindingLevel } from './finding.ts'

/** The findings about live sites, and the differences of networks between sites. Contains no secret. */
export interface Audit {
  readonly baseUrl: string
  /** The names of the sites that were read, in the order of the request. */
  readonly sites: readonly string[]
  readonly unread: readonly { readonly site: string; readonly reason: string }[]
  readonly wlans: number
  readonly requests: number
  /** The time at which the audited snapshot was taken, UTC; absent for live sites. */
  readonly snapshot?: string
  /** The time at which the live sites had been read, UTC; absent for a snapshot. */
  readonly created?: string
  readonly counts: Readonly<Record<FindingLevel, number>>
  /** The broken rules, sorted by level (the worst first), then by the number of sites. */
  readonly rules: readonly BrokenRule[]
  /** Sorted by the number of WLANs; the most common network comes first. */
  readonly networks: readonly AuditedNetwork[]
  readonly outliers: readonly Outlier[]
  readonly lookAlikes: readonly LookAlikes[]
  /** The groups of the fleet, if one was named; no part of its JSON. */
  readonly groups?: SiteGroups
}

/** A rule with the sites and WLANs that break it. */
export interface BrokenRule {
  readonly rule: RuleExplanation
  readonly level: FindingLevel
  /** True if the findings depend on the values of secrets: files that are passed on must not name the places. */
  readonly fromSecret: boolean
  /** The number of findings; those about one secret count once. */
  readonly count: number
  readonly sites: number
  readonly findings: readonly AuditFinding[]
}

export interface AuditFinding {
  readonly level: FindingLevel
  readonly site: string
  /** The SSID; absent if the whole site breaks the rule. */
  readonly wlan?: string
  readonly message: string
  /** The message without the title of the rule. */
  readonly detail: string
}

export const networkAspects = ['security', 'vlan', 'bands'] as const

export type NetworkAspect = (typeof networkAspects)[number]

export interface AuditedNetwork {
  readonly ssid: string
  readonly wlans: number
  /** The most common variant comes first. */
  readonly variants: readonly NetworkVariant[]
}

/** The WLANs with an SSID that are equal in all aspects. */
export interface NetworkVariant extends Readonly<Record<NetworkAspect, string>> {
  readonly enabled: boolean
  /** The aspects in which they are outliers. */
  readonly odd: readonly (NetworkAspect | 'enabled')[]
  /** A site occurs once for each of its WLANs. */
  readonly sites: readonly string[]
}

/** A network of some sites that differs from most sites of their group or kind. */
export interface Outlier {
  readonly ssid: string
  /** The compared sites, e.g. `group east` or `kind clinics`; absent if all sites were compared. */
  readonly peers?: string
  /** A site occurs once for each of its WLANs. */
  readonly sites: readonly string[]
  readonly differences: readonly Difference[]
}

/**
 * What differs at the sites of an outlier.
 *
 * | kind      | at these sites                                           | `usualCount`                     |
 * |-----------|----------------------------------------------------------|----------------------------------|
 * | `value`   | the field has another value                              | WLANs with the usual value       |
 * | `missing` | the network does not exist; perhaps as `similar`         | sites with it                    |
 * | `extra`   | the network exists                                       | sites without it                 |
 * | `secret`  | the secret is another one                                | WLANs that share a secret        |
 * | `shared`  | the secret is the same                                   | sites with a secret of their own |
 */
export type Difference = { readonly usualCount: number } & (
  | {
      readonly kind: 'value'
      readonly field: Pointer
      /** Null if the field is empty. */
      readonly usual: Value
      readonly value: Value
    }
  | {
      readonly kind: 'missing'
      /** A similar SSID that these sites have, and few others. */
      readonly similar?: string
    }
  | { readonly kind: 'extra' }
  | { readonly kind: 'secret' | 'shared'; readonly field: Pointer }
)

/** True for an outlier in the values of secrets: files that are passed on must not name its sites. */
export function isFromSecret({ differences }: Pick<Outlier, 'differences'>): boolean {
  return differences.some(({ kind }) => kind === 'secret' || kind === 'shared')
}

/** SSIDs that differ only in case, spaces or look-alike letters; the most common comes first. */
export type LookAlikes = readonly { readonly ssid: string; readonly wlans: number }[]

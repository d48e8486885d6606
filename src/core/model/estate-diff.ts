import type { BrokenRule } from './audit.ts'
import type { Site } from './desired.ts'
import type { LiveSite, UnreadSite } from './live.ts'
import type { ShownChange } from './plan.ts'

export interface EstateState {
  /** As the user named it. */
  readonly name: string
  /** When the service was read, UTC. */
  readonly created: string
  readonly sites: readonly LiveSite[]
  readonly unread: readonly UnreadSite[]
  /** False for a part of a fleet: a site that it lacks may exist. */
  readonly isWhole: boolean
}

/** `network` is the WLAN's security and VLAN in words; `isOpen` is true if it needs no key. */
export type StateChange =
  | ({ readonly kind: 'changed' } & ShownChange)
  | ({
      readonly kind: 'added' | 'removed'
      readonly network: string
      readonly isOpen: boolean
    } & Pick<ShownChange, 'address' | 'site' | 'wlan'>)

/** What differs between two states, the later one second. */
export interface EstateDiff {
  readonly states: readonly [EstateState, EstateState]
  /** By address: the site and the SSID of the later state, with the id where the site has several of that SSID. */
  readonly changes: readonly StateChange[]
  readonly compared: number
  /** By name, as the lists that follow. */
  readonly appeared: readonly Site[]
  readonly disappeared: readonly Site[]
  readonly renamed: readonly { readonly before: string; readonly after: string }[]
  readonly unread: readonly UnreadSite[]
  /** The rules of the linter, with the sites and WLANs that break them in the later state only. */
  readonly rules: readonly BrokenRule[]
}

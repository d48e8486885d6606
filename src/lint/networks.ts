import {
  type AuditedNetwork,
  type LookAlikes,
  type NetworkAspect,
  type NetworkVariant,
  networkAspects
} from '../model/audit.ts'
import { byCodeUnit, groupBy } from '../model/collections.ts'
import { isEmpty, isList } from '../model/value.ts'
import { securityOf } from './fleet-wlans.ts'
import { caselessForm, glyphForm } from './ssid-forms.ts'
import type { WlanView } from './view.ts'

type Variant = Omit<NetworkVariant, 'odd' | 'sites'>

/** Collects the WLANs of live sites by SSID. It keeps a name for each WLAN, no records. */
export class NetworkTable {
  readonly #networks = new Map<string, Map<string, Variant & { readonly sites: string[] }>>()

  add(site: string, view: WlanView): void {
    const ssid = view.text('/ssid') ?? ''
    const variant = variantOf(view)
    const key = JSON.stringify(variant)
    const variants = this.#networks.get(ssid) ?? new Map()
    this.#networks.set(ssid, variants)
    const known = variants.get(key)
    if (known === undefined) variants.set(key, { ...variant, sites: [site] })
    else known.sites.push(site)
  }

  /** The most common first. */
  networks(): AuditedNetwork[] {
    const networks = [...this.#networks].map(([ssid, variants]) =>
      networkOf(ssid, [...variants.values()])
    )
    return networks.sort((a, b) => b.wlans - a.wlans || byCodeUnit(a.ssid, b.ssid))
  }
}

function variantOf(view: WlanView): Variant {
  return {
    security: securityOf(view) ?? 'unknown',
    vlan: vlanOf(view),
    bands: bandsOf(view),
    enabled: !view.off('/enabled')
  }
}

/** `20`, `10, 20`, `untagged`, or `dynamic` where RADIUS chooses it. */
function vlanOf(view: WlanView): string {
  if (view.on('/dynamic_vlan/enabled')) return 'dynamic'
  if (view.off('/vlan_enabled')) return 'untagged'
  const ids = [view.written('/vlan_id'), view.written('/vlan_ids')]
  const known = ids.filter(id => id !== undefined && !isEmpty(id))
  return known.length === 0
    ? 'unknown'
    : known.map(id => (isList(id) ? id.join(', ') : String(id))).join(', ')
}

function bandsOf(view: WlanView): string {
  const bands = view.entries('/bands')
  return bands === undefined || bands.length === 0 ? 'unknown' : [...bands].sort().join(', ')
}

function networkOf(
  ssid: string,
  variants: readonly (Variant & { readonly sites: readonly string[] })[]
): AuditedNetwork {
  const enabled = variants.filter(variant => variant.enabled)
  const usual = new Map(networkAspects.map(aspect => [aspect, majorityOf(enabled, aspect)]))
  const isOdd = (variant: Variant, aspect: NetworkAspect) =>
    variant.enabled && usual.get(aspect) !== undefined && usual.get(aspect) !== variant[aspect]
  const marked = variants.map(variant => ({
    ...variant,
    odd: networkAspects.filter(aspect => isOdd(variant, aspect))
  }))
  return {
    ssid,
    wlans: variants.reduce((sum, { sites }) => sum + sites.length, 0),
    variants: marked.sort((a, b) => b.sites.length - a.sites.length)
  }
}

function majorityOf(
  variants: readonly (Variant & { readonly sites: readonly string[] })[],
  aspect: NetworkAspect
): string | undefined {
  const counts = [...groupBy(variants, variant => variant[aspect])].map(
    ([value, group]) => [value, group.reduce((sum, { sites }) => sum + sites.length, 0)] as const
  )
  return clearMajority(counts)
}

/**
 * The value that at least two thirds of three or more WLANs have; undefined where there is none, as for a
 * VLAN that each site numbers in its own way.
 */
export function clearMajority<T>(
  counts: readonly (readonly [value: T, count: number])[]
): T | undefined {
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  return total < 3 ? undefined : counts.find(([, count]) => count * 3 >= total * 2)?.[0]
}

/** The SSIDs that people take for the same. */
export function lookAlikesIn(networks: readonly AuditedNetwork[]): LookAlikes[] {
  const found = new Map<string, LookAlikes>()
  for (const form of [caselessForm, glyphForm]) {
    for (const group of groupBy(networks, ({ ssid }) => form(ssid)).values()) {
      if (group.length < 2) continue
      const ssids = group.map(({ ssid, wlans }) => ({ ssid, wlans }))
      found.set(JSON.stringify(ssids), ssids)
    }
  }
  return [...found.values()]
}

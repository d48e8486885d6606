import { securityOf } from '../lint/fleet.ts'
import { foldCase, skeletonOf } from '../lint/rules/across-sites.ts'
import type { WlanView } from '../lint/view.ts'
import type { AuditedNetwork, LookAlikes, NetworkVariant, Outlier } from '../model/audit.ts'
import { byCodeUnit, groupBy } from '../values/collections.ts'
import type { Pointer } from '../values/pointer.ts'
import { isEmpty, isList } from '../values/value.ts'

type Variant = Omit<NetworkVariant, 'odd' | 'sites'>

/** Collects the WLANs of live sites by SSID. It keeps the name of each WLAN, but no records. */
export class NetworkTable {
  readonly #networks = new Map<string, Map<string, Variant & { readonly sites: string[] }>>()

  add(site: string, view: WlanView): void {
    const ssid = ssidOf(view)
    const variant = variantOf(view)
    const key = JSON.stringify(variant)
    const variants = this.#networks.get(ssid) ?? new Map()
    this.#networks.set(ssid, variants)
    const known = variants.get(key)
    if (known === undefined) variants.set(key, { ...variant, sites: [site] })
    else known.sites.push(site)
  }

  /** Sorted by the number of sites; the most common network comes first. */
  networks(outliers: readonly Outlier[]): AuditedNetwork[] {
    const bySsid = groupBy(outliers, ({ ssid }) => ssid)
    const networks = [...this.#networks].map(([ssid, variants]) =>
      networkOf(ssid, [...variants.values()], bySsid.get(ssid) ?? [])
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

/** The VLAN as a string: `20`, `10, 20`, `untagged`, or `dynamic` if RADIUS assigns it. */
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

type Placed = Variant & { readonly sites: readonly string[] }

function networkOf(
  ssid: string,
  variants: readonly Placed[],
  outliers: readonly Outlier[]
): AuditedNetwork {
  const bySize = (a: Placed, b: Placed) => b.sites.length - a.sites.length
  const [usual] = [...variants].sort(bySize)
  const wlansAt = groupBy(
    variants.flatMap(({ sites }) => sites),
    site => site
  )
  const oddSites = aspects.map(aspect => [aspect, sitesWithOdd(aspect, outliers)] as const)
  const oddAt = (site: string, variant: Variant) =>
    oddSites.flatMap(([aspect, sites]) => {
      // Of several WLANs of a site, outliers do not say which one differs.
      const isOther = wlansAt.get(site)?.length === 1 || variant[aspect] !== usual?.[aspect]
      return sites.has(site) && isOther ? aspect : []
    })
  const marked = variants.flatMap(variant =>
    [...groupBy(variant.sites, site => oddAt(site, variant).join()).values()].map(sites => ({
      ...variant,
      odd: oddAt(sites[0] ?? '', variant),
      sites
    }))
  )
  const wlans = variants.reduce((sum, { sites }) => sum + sites.length, 0)
  return { ssid, wlans, variants: marked.sort(bySize) }
}

type Odd = NetworkVariant['odd'][number]

/** The fields that an aspect summarizes. */
const fieldsOfAspect: Readonly<Record<Odd, readonly Pointer[]>> = {
  enabled: ['/enabled'],
  security: ['/auth/type', '/auth/pairwise', '/auth/owe'],
  vlan: ['/vlan_enabled', '/vlan_id', '/vlan_ids', '/dynamic_vlan/enabled'],
  bands: ['/bands']
}

const aspects = Object.keys(fieldsOfAspect) as Odd[]

function sitesWithOdd(aspect: Odd, outliers: readonly Outlier[]): Set<string> {
  const fields = fieldsOfAspect[aspect]
  const odd = outliers.filter(({ differences }) =>
    differences.some(each => each.kind === 'value' && fields.includes(each.field))
  )
  return new Set(odd.flatMap(({ sites }) => sites))
}

/** Groups of SSIDs that people mistake for each other. */
export function lookAlikesIn(networks: readonly AuditedNetwork[]): LookAlikes[] {
  const found = new Map<string, LookAlikes>()
  for (const form of [foldCase, skeletonOf]) {
    for (const group of groupBy(networks, ({ ssid }) => form(ssid)).values()) {
      if (group.length < 2) continue
      const ssids = group.map(({ ssid, wlans }) => ({ ssid, wlans }))
      found.set(JSON.stringify(ssids), ssids)
    }
  }
  return [...found.values()]
}

/** The SSID; empty if the record has none. */
export function ssidOf(view: WlanView): string {
  return view.text('/ssid') ?? ''
}

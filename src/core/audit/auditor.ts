import { explainRule } from '../lint/catalogue.ts'
import { holdsVariable } from '../lint/formats.ts'
import { securityOf, vlanOf } from '../lint/labels.ts'
import { findingsOf, Linter, type LintFinding } from '../lint/lint.ts'
import { isWorse } from '../lint/rule-finding.ts'
import { foldCase } from '../lint/rules/across-sites.ts'
import { type LintedWlan, type LintWlan, lintedWlans, type WlanView } from '../lint/view.ts'
import type {
  Audit,
  AuditedNetwork,
  AuditFinding,
  BrokenRule,
  LookAlikes,
  NetworkVariant,
  Outlier
} from '../model/audit.ts'
import type { DesiredWlan, LintPolicy } from '../model/desired.ts'
import { type FindingLevel, levelRank } from '../model/finding.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../model/live.ts'
import { type Pair, Pairs, resultsOf } from '../model/pairs.ts'
import { secretsShownAt } from '../schema/shown-secrets.ts'
import {
  append,
  byCodeUnit,
  compact,
  getOrInsert,
  groupBy,
  groupsBy
} from '../values/collections.ts'
import type { Pointer } from '../values/pointer.ts'
import { secretIdentity } from '../values/secret.ts'
import { skeletonOf } from '../values/ssid.ts'
import { member, type ValueObject } from '../values/value.ts'
import { OutlierTable } from './outliers.ts'

const everything: LintPolicy = { level: 'info', rules: {}, strict: false }

/** Call `add` for each live site, then `result` once. The order matters. It keeps no records. */
export class Auditor {
  readonly #linter = new Linter(everything)
  readonly #networks = new NetworkTable()
  readonly #outliers = new OutlierTable()
  readonly #sites: string[] = []
  readonly #findings: LintFinding[] = []
  readonly #pairs = new Pairs()
  /** What declares no fields of the networks with an SSID, for `#pairs`. */
  readonly #declarations = new Map<string, Pick<DesiredWlan, 'fields'>>()
  #wlans = 0

  /** A site is compared with those of its groups (in ascending precedence); without any, with those of its kind. */
  add(live: LiveSite, groups: readonly string[] = []): void {
    const { site, wlans } = live
    const showsSecrets = secretsShownAt(live)
    const named = namedWlans(wlans).map(wlan => ({
      ...wlan,
      pair: this.#pairOf(wlan.live, showsSecrets())
    }))
    const linted = { ...site, wlans: named, showsSecrets }
    this.#sites.push(site.name)
    this.#wlans += wlans.length
    append(this.#findings, findingsOf(this.#linter, linted))
    this.#outliers.addSite(site.name, groups)
    for (const wlan of lintedWlans(linted)) {
      const { live = {}, pair } = wlan.input
      const ssid = ssidOf(live)
      this.#networks.add(site.name, ssid || wlan.name, wlan)
      // Networks without an SSID have nothing in common.
      if (ssid !== '') this.#outliers.addWlan(ssid, live, showsSecrets(), pair)
    }
  }

  #pairOf(record: ValueObject, showsSecrets: boolean): Pair | undefined {
    const declaration = getOrInsert(this.#declarations, ssidOf(record), () => ({ fields: {} }))
    return this.#pairs.pairOf(declaration, record, showsSecrets)
  }

  result(read: {
    readonly baseUrl: string
    readonly requests: number
    readonly unread: readonly UnreadSite[]
    readonly snapshot?: string
    readonly created?: string
  }): Audit {
    const findings = [...this.#findings, ...this.#linter.lintFleet()]
    const names = this.#outliers.numbered()
    const outliers = this.#outliers.outliers(names)
    const networks = this.#networks.networks(outliers, names)
    return {
      baseUrl: read.baseUrl,
      sites: this.#sites,
      unread: read.unread.map(({ site, reason }) => ({ site: site.name, reason })),
      wlans: this.#wlans,
      requests: read.requests,
      ...compact({ snapshot: read.snapshot, created: read.created }),
      counts: countsOf(oncePerSecret(findings)),
      rules: brokenRules(findings),
      networks,
      outliers,
      lookAlikes: lookAlikesIn(networks)
    }
  }
}

/** The WLANs of a site by SSID; of several with the same SSID, the name contains the id, which is the name without one. */
export function namedWlans(
  wlans: readonly LiveWlan[]
): (LintWlan & { readonly id: string; readonly live: ValueObject })[] {
  const sorted = [...wlans].sort((a, b) => byCodeUnit(a.ssid, b.ssid) || byCodeUnit(a.id, b.id))
  const bySsid = groupBy(wlans, ({ ssid }) => ssid)
  return sorted.map(({ id, ssid, record }) => {
    const isUnique = bySsid.get(ssid)?.length === 1
    const name = ssid === '' ? id : isUnique ? ssid : `${ssid} (${id})`
    return { id, name, live: record }
  })
}

function countsOf(findings: readonly LintFinding[]): Audit['counts'] {
  const of = (level: FindingLevel) => findings.filter(found => found.level === level).length
  return { error: of('error'), warning: of('warning'), info: of('info') }
}

/** Sorted by level (the worst first), then by the number of sites, then by id. */
export function brokenRules(findings: readonly LintFinding[]): BrokenRule[] {
  return [...groupBy(findings, ({ rule }) => rule)]
    .flatMap(([id, found]) => brokenRule(id, found))
    .sort((a, b) => byLevel(a, b) || b.sites - a.sites || byCodeUnit(a.rule.id, b.rule.id))
}

/** The findings, with those of one rule about one secret as the first of them. */
function oncePerSecret(findings: readonly LintFinding[]): readonly LintFinding[] {
  return groupsBy(findings, ({ rule, secret }, at) =>
    secret === undefined ? String(at) : JSON.stringify([rule, secretIdentity(secret)])
  ).map(([first]) => first)
}

function brokenRule(id: string, found: readonly LintFinding[]): BrokenRule[] {
  const rule = explainRule(id)
  if (rule === undefined) return []
  const level = found.reduce<FindingLevel>(
    (most, each) => (isWorse(each.level, most) ? each.level : most),
    'info'
  )
  const once = oncePerSecret(found)
  return [
    {
      rule,
      count: once.length,
      level,
      fromSecret: found.some(({ fromSecret }) => fromSecret === true),
      sites: new Set(found.map(({ site }) => site)).size,
      findings: found.map(auditFinding).sort(byLevel)
    }
  ]
}

type Levelled = { readonly level: FindingLevel }

function byLevel(a: Levelled, b: Levelled): number {
  return levelRank(a.level) - levelRank(b.level)
}

function auditFinding({ level, site, wlan, message, detail = message }: LintFinding): AuditFinding {
  return { level, site, ...compact({ wlan }), message, detail }
}

function ssidOf(record: ValueObject): string {
  const ssid = member(record, 'ssid')
  return typeof ssid === 'string' ? ssid : ''
}

type Variant = Omit<NetworkVariant, 'odd' | 'sites'>

/** Collects the WLANs of live sites by SSID. It keeps the name of each WLAN, but no records. */
class NetworkTable {
  readonly #networks = new Map<string, Map<string, Variant & { readonly sites: string[] }>>()

  add(site: string, ssid: string, wlan: LintedWlan): void {
    const [text = ''] = resultsOf(
      wlan.input.pair,
      NetworkTable,
      () => [ssid],
      (_, reads) => [JSON.stringify(variantOf(wlan.noting(reads).view))]
    )
    const variants = getOrInsert(this.#networks, ssid, () => new Map())
    getOrInsert(variants, text, () => ({ ...variantOf(wlan.view), sites: [] })).sites.push(site)
  }

  /** Sorted by the number of sites; the most common network comes first. */
  networks(outliers: readonly Outlier[], names: ReadonlyMap<string, string>): AuditedNetwork[] {
    const bySsid = groupBy(outliers, ({ ssid }) => ssid)
    const named = groupBy(this.#networks, ([ssid]) => names.get(ssid) ?? ssid)
    const networks = [...named].map(([name, same]) => {
      const variants = same.flatMap(([, each]) => [...each.values()])
      const alike = groupBy(variants, ({ sites: _, ...variant }) => JSON.stringify(variant))
      const joined = [...alike.values()].flatMap(all => {
        const [first] = all
        return first ? [{ ...first, sites: all.flatMap(({ sites }) => sites) }] : []
      })
      return networkOf(name, joined, bySsid.get(name) ?? [])
    })
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
    groupsBy(variant.sites, site => oddAt(site, variant).join()).map(sites => ({
      ...variant,
      odd: oddAt(sites[0] ?? '', variant),
      sites
    }))
  )
  const wlans = variants.reduce((sum, { sites }) => sum + sites.length, 0)
  return { ssid, wlans, variants: marked.sort(bySize) }
}

type Odd = NetworkVariant['odd'][number]

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

function lookAlikesIn(networks: readonly AuditedNetwork[]): LookAlikes[] {
  const found = new Map<string, LookAlikes>()
  const named = networks.filter(({ ssid }) => !holdsVariable(ssid))
  for (const form of [foldCase, skeletonOf]) {
    for (const group of groupBy(named, ({ ssid }) => form(ssid)).values()) {
      if (group.length < 2) continue
      const ssids = group.map(({ ssid, wlans }) => ({ ssid, wlans }))
      found.set(JSON.stringify(ssids), ssids)
    }
  }
  return [...found.values()]
}

/**
 * The rules about single networks and sites that these sites break in the later state, and not or less severely in the
 * earlier one, without notes. Rules that compare all sites are not evaluated.
 */
export function newlyBroken(
  before: readonly LiveSite[],
  after: readonly LiveSite[],
  isSelected: (found: LintFinding) => boolean
): readonly BrokenRule[] {
  const linter = new Linter()
  const earlier = new Map(before.map(live => [live.site.id.toLowerCase(), live]))
  return brokenRules(
    after.flatMap(live => {
      const was = earlier.get(live.site.id.toLowerCase())
      const wlans = namedWlans(live.wlans)
      const names = new Map(wlans.map(({ id, name }) => [id, name]))
      const known = (was === undefined ? [] : namedWlans(was.wlans)).map(wlan => ({
        ...wlan,
        name: names.get(wlan.id) ?? wlan.name
      }))
      const found = new Set(findingsOf(linter, { ...live.site, wlans: known }).map(keyOf))
      return findingsOf(linter, { ...live.site, wlans }).filter(
        each => isCertain(each) && !found.has(keyOf(each)) && isSelected(each)
      )
    })
  )
}

/** States hold no values of secrets. */
function isCertain({ level, fromSecret }: LintFinding): boolean {
  return level !== 'info' && fromSecret === undefined
}

function keyOf({ rule, level, wlan }: LintFinding): string {
  return JSON.stringify([rule, level, wlan])
}

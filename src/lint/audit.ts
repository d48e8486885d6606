import {
  type Audit,
  type AuditedNetwork,
  type AuditFinding,
  type BrokenRule,
  type LookAlikes,
  type NetworkAspect,
  type NetworkVariant,
  networkAspects,
  type Outlier
} from '../model/audit.ts'
import { byCodeUnit, compact, groupBy } from '../model/collections.ts'
import type { LintPolicy } from '../model/desired.ts'
import { type FindingLevel, levelRank } from '../model/finding.ts'
import type { LiveSite, UnreadSite } from '../model/live.ts'
import type { Pointer } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isEmpty, isList, isObject, type Value } from '../model/value.ts'
import { guardFields } from '../schema/applicability.ts'
import { fieldAt } from '../schema/field.ts'
import { explainRule } from './catalogue.ts'
import { findingsOf, Linter, type LintFinding } from './lint.ts'
import { securityOf } from './relations.ts'
import { isWorse } from './rule-finding.ts'
import { foldCase, skeletonOf } from './rules/across-sites.ts'
import { lintedWlans, type WlanView } from './view.ts'

const everything: LintPolicy = { level: 'info', rules: {}, strict: false }

/**
 * Audits live sites without their files: call `add` for each site, then `result` once. Between the calls it
 * keeps a few facts about each WLAN, but no records. The result depends on the order of the sites.
 */
export class Auditor {
  readonly #linter = new Linter(everything)
  readonly #networks = new NetworkTable()
  readonly #outliers = new OutlierTable()
  readonly #sites: string[] = []
  readonly #findings: LintFinding[] = []
  #wlans = 0

  add({ site, wlans }: LiveSite): void {
    const sorted = [...wlans].sort((a, b) => byCodeUnit(a.ssid, b.ssid) || byCodeUnit(a.id, b.id))
    const linted = {
      ...site,
      wlans: sorted.map(({ ssid, record }) => ({ name: ssid, live: record }))
    }
    this.#sites.push(site.name)
    this.#wlans += wlans.length
    this.#findings.push(...findingsOf(this.#linter, linted))
    for (const { view } of lintedWlans(linted)) {
      this.#networks.add(site.name, view)
      if (!view.off('/enabled')) this.#outliers.add(site.name, view)
    }
  }

  /** The audit of all added sites. */
  result(read: {
    readonly baseUrl: string
    readonly requests: number
    readonly unread: readonly UnreadSite[]
  }): Audit {
    const findings = [...this.#findings, ...this.#linter.lintFleet()]
    const networks = this.#networks.networks()
    return {
      baseUrl: read.baseUrl,
      sites: this.#sites,
      unread: read.unread.map(({ site, reason }) => ({ site: site.name, reason })),
      wlans: this.#wlans,
      requests: read.requests,
      counts: countsOf(findings),
      rules: brokenRules(findings),
      networks,
      outliers: this.#outliers.outliers(),
      lookAlikes: lookAlikesIn(networks)
    }
  }
}

function countsOf(findings: readonly LintFinding[]): Audit['counts'] {
  const of = (level: FindingLevel) => findings.filter(found => found.level === level).length
  return { error: of('error'), warning: of('warning'), info: of('info') }
}

/** Sorted by level (the worst first), then by the number of sites, then by id. */
function brokenRules(findings: readonly LintFinding[]): BrokenRule[] {
  return [...groupBy(findings, ({ rule }) => rule)]
    .flatMap(([id, found]) => brokenRule(id, found))
    .sort((a, b) => byLevel(a, b) || b.sites - a.sites || byCodeUnit(a.rule.id, b.rule.id))
}

function brokenRule(id: string, found: readonly LintFinding[]): BrokenRule[] {
  const rule = explainRule(id)
  if (rule === undefined) return []
  const level = found.reduce<FindingLevel>(
    (most, each) => (isWorse(each.level, most) ? each.level : most),
    'info'
  )
  return [
    {
      rule,
      level,
      fromSecret: found.some(({ fromSecret }) => fromSecret === true),
      sites: new Set(found.map(({ site }) => site)).size,
      findings: found.map(auditFinding).sort(byLevel)
    }
  ]
}

type Levelled = { readonly level: FindingLevel }

/** Compares two entries for sorting; the worse level comes first. */
function byLevel(a: Levelled, b: Levelled): number {
  return levelRank(a.level) - levelRank(b.level)
}

function auditFinding({ level, site, wlan, message }: LintFinding): AuditFinding {
  return { level, site, ...compact({ wlan }), message }
}

type Variant = Omit<NetworkVariant, 'odd' | 'sites'>

/** Collects the WLANs of live sites by SSID. It keeps the name of each WLAN, but no records. */
class NetworkTable {
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

  /** Sorted by the number of sites; the most common network comes first. */
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
 * The value that at least two thirds of three or more WLANs share. Undefined if there is none, such as for
 * a VLAN ID that differs from site to site.
 */
export function clearMajority<T>(
  counts: readonly (readonly [value: T, count: number])[]
): T | undefined {
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  return total < 3 ? undefined : counts.find(([, count]) => count * 3 >= total * 2)?.[0]
}

/** Groups of SSIDs that people mistake for each other. */
function lookAlikesIn(networks: readonly AuditedNetwork[]): LookAlikes[] {
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

/** The fields to compare: guard fields without secrets, and other fields whose effect users notice. */
const comparedFields: readonly Pointer[] = [
  ...new Set([...guardFields(), '/vlan_id', '/bands', '/hide_ssid'])
].filter(isComparable)

/** False for objects and lists of objects: their names and addresses differ from site to site. */
function isComparable(pointer: Pointer): boolean {
  const field = fieldAt(pointer)
  const hasMembers = [field, field.item()].some(each => each.memberNames().length > 0)
  return !field.secret && !hasMembers
}

interface SharedValue {
  readonly value: Value
  readonly sites: string[]
}

/** Finds fields of a network in which a few sites differ from the majority. It keeps no records. */
class OutlierTable {
  /** The values by SSID, then by field, then by their canonical string. */
  readonly #values = new Map<string, Map<Pointer, Map<string, SharedValue>>>()

  /** Adds a WLAN that is not disabled. Ignores unknown values and lists of objects. */
  add(site: string, view: WlanView): void {
    const ssid = view.text('/ssid')
    if (ssid === undefined) return
    const fields = this.#values.get(ssid) ?? new Map<Pointer, Map<string, SharedValue>>()
    this.#values.set(ssid, fields)
    for (const pointer of comparedFields) {
      const value = comparable(view, pointer)
      if (value === undefined) continue
      const values = fields.get(pointer) ?? new Map<string, SharedValue>()
      fields.set(pointer, values)
      const text = JSON.stringify(value)
      const known = values.get(text)
      if (known === undefined) values.set(text, { value, sites: [site] })
      else known.sites.push(site)
    }
  }

  /** Sorted by SSID, then in the order of the schema. */
  outliers(): Outlier[] {
    return [...this.#values]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .flatMap(([ssid, fields]) =>
        comparedFields.flatMap(field => {
          const values = fields.get(field)
          return values === undefined ? [] : outlierOf(ssid, field, [...values.values()])
        })
      )
  }
}

function outlierOf(ssid: string, field: Pointer, values: readonly SharedValue[]): Outlier[] {
  if (values.length < 2) return []
  const usual = clearMajority(values.map(each => [each, each.sites.length] as const))
  if (usual === undefined) return []
  const others = values.filter(each => each !== usual)
  return [{ ssid, field, usual: usual.value, usualCount: usual.sites.length, others }]
}

/** The value, or its default; a list of strings is sorted. */
function comparable(view: WlanView, pointer: Pointer): Value | undefined {
  const value = view.written(pointer)
  if (value === undefined || value instanceof Secret || isObject(value)) return undefined
  if (isEmpty(value)) return null
  if (!isList(value)) return value
  if (value.some(each => typeof each === 'object' && each !== null)) return undefined
  return view.field(pointer).compare === 'set' ? [...value].sort() : value
}

import { explainRule } from '../lint/catalogue.ts'
import { findingsOf, Linter, type LintFinding } from '../lint/lint.ts'
import { isWorse } from '../lint/rule-finding.ts'
import { type LintWlan, lintedWlans } from '../lint/view.ts'
import type { Audit, AuditFinding, BrokenRule } from '../model/audit.ts'
import type { LintPolicy } from '../model/desired.ts'
import { type FindingLevel, levelRank } from '../model/finding.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../model/live.ts'
import { byCodeUnit, compact, groupBy } from '../values/collections.ts'
import { lookAlikesIn, NetworkTable, ssidOf } from './networks.ts'
import { OutlierTable } from './outliers.ts'

const everything: LintPolicy = { level: 'info', rules: {}, strict: false }

/** What a fleet says about a site. */
export interface SiteFacts {
  /** In ascending precedence. */
  readonly groups?: readonly string[]
  readonly owner?: string
}

/**
 * Audits live sites: call `add` for each site, then `result` once. Between the calls it keeps a few values of
 * each WLAN, but no records. The result depends on the order of the sites.
 */
export class Auditor {
  readonly #linter = new Linter(everything)
  readonly #networks = new NetworkTable()
  readonly #outliers = new OutlierTable()
  readonly #sites: string[] = []
  readonly #findings: LintFinding[] = []
  #wlans = 0

  /** A site is compared with those of its groups and of its owner; without either, with all such sites. */
  add({ site, wlans }: LiveSite, { groups = [], owner }: SiteFacts = {}): void {
    const linted = { ...site, wlans: namedWlans(wlans) }
    const peers = [...groups].reverse().map(name => `group ${name}`)
    if (owner !== undefined) peers.push(`owner ${owner}`)
    this.#sites.push(site.name)
    this.#wlans += wlans.length
    this.#findings.push(...findingsOf(this.#linter, linted))
    this.#outliers.addSite(site.name, peers.length === 0 ? [''] : peers)
    for (const { view, input } of lintedWlans(linted)) {
      this.#networks.add(site.name, view)
      const { live = {}, showsSecrets } = input
      this.#outliers.addWlan(ssidOf(view), live, showsSecrets)
    }
  }

  /** The audit of all added sites. */
  result(read: {
    readonly baseUrl: string
    readonly requests: number
    readonly unread: readonly UnreadSite[]
    readonly snapshot?: string
  }): Audit {
    const findings = [...this.#findings, ...this.#linter.lintFleet()]
    const outliers = this.#outliers.outliers()
    const networks = this.#networks.networks(outliers)
    return {
      baseUrl: read.baseUrl,
      sites: this.#sites,
      unread: read.unread.map(({ site, reason }) => ({ site: site.name, reason })),
      wlans: this.#wlans,
      requests: read.requests,
      ...compact({ snapshot: read.snapshot }),
      counts: countsOf(findings),
      rules: brokenRules(findings),
      networks,
      outliers,
      lookAlikes: lookAlikesIn(networks)
    }
  }
}

/** The WLANs of a site by SSID; of several with the same SSID, the name contains the id. */
function namedWlans(wlans: readonly LiveWlan[]): LintWlan[] {
  const sorted = [...wlans].sort((a, b) => byCodeUnit(a.ssid, b.ssid) || byCodeUnit(a.id, b.id))
  const bySsid = groupBy(wlans, ({ ssid }) => ssid)
  return sorted.map(({ id, ssid, record }) => {
    const isUnique = bySsid.get(ssid)?.length === 1
    return { name: isUnique ? ssid : `${ssid} (${id})`, live: record }
  })
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

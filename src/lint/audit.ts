import type { Audit, AuditFinding, AuditLevel, BrokenRule } from '../model/audit.ts'
import { byCodeUnit, compact, groupBy } from '../model/collections.ts'
import type { LintPolicy } from '../model/desired.ts'
import type { LiveSite, UnreadSite } from '../model/live.ts'
import { explainRule } from './catalogue.ts'
import { Linter, type LintFinding } from './lint.ts'
import { lookAlikesIn, NetworkTable } from './networks.ts'
import { OutlierTable } from './outliers.ts'
import { isWorse } from './policy.ts'
import { lintLevels } from './rule.ts'
import { siteViews } from './site-views.ts'

const everything: LintPolicy = { level: 'info', rules: {}, strict: false }

/**
 * Audits live sites, nothing of which is declared: `add` for each site, then `result` once. Between the
 * calls it keeps a few facts about each WLAN, no records. The result depends on the order of the sites.
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
    this.#findings.push(...this.#linter.lintSite(linted))
    for (const { view } of siteViews(linted).after) {
      this.#networks.add(site.name, view)
      if (!view.off('/enabled')) this.#outliers.add(site.name, view)
    }
  }

  /** The audit of all sites that were added. */
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
  const of = (level: AuditLevel) => findings.filter(found => found.level === level).length
  return { error: of('error'), warning: of('warning'), info: of('info') }
}

/** Worst first: by level, then by the number of sites, then by id. */
function brokenRules(findings: readonly LintFinding[]): BrokenRule[] {
  const rank = ({ level }: { readonly level: AuditLevel }) => lintLevels.indexOf(level)
  return [...groupBy(findings, ({ rule }) => rule)]
    .flatMap(([id, found]) => brokenRule(id, found))
    .sort((a, b) => rank(a) - rank(b) || b.sites - a.sites || byCodeUnit(a.rule.id, b.rule.id))
}

function brokenRule(id: string, found: readonly LintFinding[]): BrokenRule[] {
  const rule = explainRule(id)
  if (rule === undefined) return []
  const level = found.reduce<AuditLevel>(
    (most, each) => (isWorse(each.level, most) ? each.level : most),
    'info'
  )
  return [
    {
      rule,
      level,
      fromSecret: found.some(({ fromSecret }) => fromSecret === true),
      sites: new Set(found.map(({ site }) => site)).size,
      findings: found
        .map(auditFinding)
        .sort((a, b) => lintLevels.indexOf(a.level) - lintLevels.indexOf(b.level))
    }
  ]
}

function auditFinding({ level, site, wlan, message }: LintFinding): AuditFinding {
  return { level, site, ...compact({ wlan }), message }
}

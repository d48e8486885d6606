import type { Audit, AuditedNetwork, BrokenRule } from '../../core/model/audit.ts'
import { compact } from '../../core/values/collections.ts'
import { escapeJson, escapeLines } from '../escape.ts'
import { renderHtml } from '../html/html.ts'
import { auditOverview } from '../overview/audit.ts'
import { commentOf } from '../render/comment.ts'
import { COMMENT_BYTES, SUMMARY_BYTES } from '../render/page.ts'
import type { FormatName, RenderOptions } from '../report.ts'
import { sectionsText } from '../text/text.ts'
import { outlierData } from './outliers.ts'

/** The formats of an audit by name. */
export const auditFormats = {
  text: (audit, options) => escapeLines(sectionsText({ kind: 'audit', audit }, options)),
  json: auditJson,
  markdown: (audit, options) => commentOf(auditOverview(audit), options, COMMENT_BYTES),
  summary: (audit, options) => commentOf(auditOverview(audit), options, SUMMARY_BYTES),
  html: (audit, options) => renderHtml({ kind: 'audit', audit }, options)
} as const satisfies Partial<Record<FormatName, (audit: Audit, options: RenderOptions) => string>>

export function isAuditFormat(name: FormatName): name is keyof typeof auditFormats {
  return Object.hasOwn(auditFormats, name)
}

/** An audit as JSON (`schemas/audit.schema.json`). */
export function auditJson(audit: Audit): string {
  const { baseUrl, snapshot, sites, unread, wlans, requests, counts } = audit
  const data = {
    format: 'wlanctl-audit/1',
    base_url: baseUrl,
    ...compact({ snapshot }),
    summary: {
      sites: sites.length + unread.length,
      sites_failed: unread.length,
      wlans,
      requests,
      errors: counts.error,
      warnings: counts.warning,
      infos: counts.info,
      outliers: audit.outliers.length
    },
    unread,
    rules: audit.rules.map(ruleData),
    networks: audit.networks.map(networkData),
    outliers: audit.outliers.map(outlierData),
    look_alikes: audit.lookAlikes
  }
  return `${escapeJson(JSON.stringify(data, null, 2))}\n`
}

/** Findings about the values of secrets are counted. */
export function ruleData({ rule, level, fromSecret, sites, findings }: BrokenRule): unknown {
  const { id, title, why, advice, source } = rule
  return {
    id,
    level,
    title,
    why,
    advice,
    source,
    sites,
    count: findings.length,
    ...(fromSecret ? { from_secret: true } : { findings })
  }
}

function networkData({ ssid, wlans, variants }: AuditedNetwork): unknown {
  return { ssid, wlans, variants }
}

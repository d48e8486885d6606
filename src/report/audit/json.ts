import type { Audit, AuditedNetwork, BrokenRule, Outlier } from '../../model/audit.ts'
import { escapeJson } from '../escape.ts'

/** An audit as JSON (`schemas/audit.schema.json`). */
export function auditJson(audit: Audit): string {
  const { baseUrl, sites, unread, wlans, requests, counts } = audit
  const data = {
    format: 'wlanctl-audit/1',
    base_url: baseUrl,
    summary: {
      sites: sites.length + unread.length,
      sites_failed: unread.length,
      wlans,
      requests,
      errors: counts.error,
      warnings: counts.warning,
      infos: counts.info
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
function ruleData({ rule, level, fromSecret, sites, findings }: BrokenRule): unknown {
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

function outlierData({ usualCount, ...outlier }: Outlier): unknown {
  return { ...outlier, usual_count: usualCount }
}

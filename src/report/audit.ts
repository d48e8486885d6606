import { type Audit, type BrokenRule, isFromSecret, type Outlier } from '../core/model/audit.ts'
import { compact } from '../core/values/collections.ts'
import { overviewFormats } from './formats.ts'
import { auditOverview } from './overview/audit.ts'

/** The formats of an audit by name; its JSON is that of `schemas/audit.schema.json`. */
export const auditFormats = overviewFormats(auditOverview, auditData)

function auditData(audit: Audit): unknown {
  const { baseUrl, snapshot, sites, unread, wlans, requests, counts } = audit
  return {
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
    networks: audit.networks,
    outliers: audit.outliers.map(outlierData),
    look_alikes: audit.lookAlikes
  }
}

/** Findings about the values of secrets are counted. */
export function ruleData({ rule, level, count, fromSecret, sites, findings }: BrokenRule): unknown {
  const { id, title, why, advice, source } = rule
  return {
    id,
    level,
    title,
    why,
    advice,
    source,
    sites,
    count,
    ...(fromSecret
      ? { from_secret: true }
      : { findings: findings.map(({ detail: _, ...found }) => found) })
  }
}

/** An outlier as data; those in the values of secrets are counted. */
function outlierData({ sites, differences, ...outlier }: Outlier): unknown {
  return {
    ...outlier,
    count: sites.length,
    ...(isFromSecret({ differences }) ? { from_secret: true } : { sites }),
    differences: differences.map(({ usualCount, ...each }) => ({
      ...each,
      usual_count: usualCount
    }))
  }
}

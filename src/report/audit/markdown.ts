import type { Audit, BrokenRule, NetworkVariant } from '../../model/audit.ts'
import { formatNumber } from '../../model/text.ts'
import { formatField, formatValue } from '../format-value.ts'
import { codeSpan, manyCell } from '../markdown/cells.ts'
import { page, type Section, type TableRow } from '../markdown/page.ts'
import { condensedVariants } from './condense.ts'
import { addressOf, auditVerdict, placesOf, SECRET_NOTE } from './verdict.ts'

/** The limit of a comment, as for other reports. */
const COMMENT = 65_536 - 1536

/** The limit of a step summary. */
const SUMMARY = 1024 * 1024 - 64 * 1024

/** An audit as Markdown of the length of a comment; it counts what it omits. */
export function auditMarkdown(audit: Audit): string {
  return auditPage(audit, COMMENT)
}

/** An audit as a step summary, whose limit is higher. */
export function auditSummary(audit: Audit): string {
  return auditPage(audit, SUMMARY)
}

function auditPage(audit: Audit, limit: number): string {
  const { text, advice, accounts } = auditVerdict(audit)
  const head = [`## Audit: ${text}`, ...(advice === undefined ? [] : [advice]), accounts]
  const sections = [
    problems(audit.rules),
    networks(audit),
    outliers(audit),
    section(
      'SSIDs that look alike',
      ['SSIDs'],
      audit.lookAlikes.map(ssids => [
        ssids.map(({ ssid, wlans }) => `${codeSpan(ssid)} (${formatNumber(wlans)})`).join(', ')
      ])
    ),
    section(
      'Not read',
      ['site', 'reason'],
      audit.unread.map(({ site, reason }) => [codeSpan(site), codeSpan(reason)])
    )
  ]
  return page(
    `${head.join('\n\n')}\n`,
    sections.filter(({ rows }) => rows.length > 0),
    limit
  )
}

function section(title: string, columns: readonly string[], cells: readonly string[][]): Section {
  const rows: TableRow[] = cells.map(row => ({ cells: row, weight: 1 }))
  return { lead: `### ${title}`, columns, rows, noun: 'row', share: 0.1 }
}

function problems(rules: readonly BrokenRule[]): Section {
  const cells = rules.map(broken => {
    const { rule, level, fromSecret, findings } = broken
    const where = fromSecret ? SECRET_NOTE : manyCell(findings.map(addressOf), 'place')
    return [level, `${rule.title} (\`${rule.id}\`)`, placesOf(broken), rule.advice, where]
  })
  const columns = ['level', 'problem', 'at', 'advice', 'where']
  return { ...section('Problems, worst first', columns, cells), noun: 'problem', share: 0.5 }
}

function networks({ networks: all }: Audit): Section {
  const cells = all.flatMap(network =>
    condensedVariants(network).map(variant => [
      codeSpan(network.ssid),
      ...aspectCells(variant),
      manyCell(variant.sites, 'site')
    ])
  )
  const columns = ['SSID', 'security', 'VLAN', 'bands', 'sites']
  const title = 'Networks; bold differs from most sites'
  return { ...section(title, columns, cells), share: 0.25 }
}

function aspectCells({ enabled, odd, ...variant }: NetworkVariant): string[] {
  const security = enabled ? variant.security : `disabled, ${variant.security}`
  const cells = { security, vlan: variant.vlan, bands: variant.bands }
  return (['security', 'vlan', 'bands'] as const).map(aspect =>
    odd.includes(aspect) ? `**${codeSpan(cells[aspect])}**` : codeSpan(cells[aspect])
  )
}

function outliers({ outliers: all }: Audit): Section {
  const cells = all.map(({ ssid, field, usual, usualCount, others }) => [
    codeSpan(ssid),
    codeSpan(formatField(field)),
    `${codeSpan(formatValue(usual))} at ${formatNumber(usualCount)}`,
    others
      .map(({ value, sites }) => `${codeSpan(formatValue(value))} at ${manyCell(sites, 'site')}`)
      .join('<br>')
  ])
  return section('Outliers', ['SSID', 'field', 'usual', 'others'], cells)
}

import {
  type Audit,
  type AuditedNetwork,
  type BrokenRule,
  isFromSecret,
  type NetworkVariant,
  networkAspects,
  type Outlier
} from '../../core/model/audit.ts'
import { compact, groupBy } from '../../core/values/collections.ts'
import { formatNumber, listFirst, plural, quote } from '../../core/values/text.ts'
import { escapeInside, escapeJson, escapeLines, escapeText } from '../escape.ts'
import { auditHtml } from '../html/audit.ts'
import { formatTable, type Style, styleOf } from '../layout.ts'
import { codeSpan, manyCell } from '../markdown/cells.ts'
import {
  COMMENT_BYTES,
  page,
  type Section,
  SUMMARY_BYTES,
  type TableRow
} from '../markdown/page.ts'
import type { FormatName, RenderOptions } from '../report.ts'
import { outlierData, outlierDetails } from './outliers.ts'
import {
  auditVerdict,
  condensedDetail,
  condensedVariants,
  SECRET_NOTE,
  subjectAddress,
  subjectPlaces
} from './verdict.ts'

/** The formats of an audit by name. */
export const auditFormats = {
  text: (audit, options) => escapeLines(auditText(audit, options)),
  json: auditJson,
  markdown: auditMarkdown,
  summary: auditSummary,
  html: auditHtml
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

/** The maximum number of lines or names of one kind without `--verbose`. */
const MAX_NAMED = 5

/** The limits of a text. */
interface Limits {
  readonly names: number
  readonly networks: number
}

/** An audit as text: the verdict, the broken rules sorted by level, the networks and their exceptions. */
export function auditText(audit: Audit, options: RenderOptions): string {
  const style = styleOf(options)
  const all = Number.POSITIVE_INFINITY
  const limits = options.verbose
    ? { names: all, networks: all }
    : { names: MAX_NAMED, networks: 15 }
  const notes = audit.rules.filter(({ level }) => level === 'info')
  const shown = options.verbose ? audit.rules : audit.rules.filter(({ level }) => level !== 'info')
  return [
    verdictLines(audit, style),
    shown.map(rule => ruleLines(rule, limits, style).join('\n')).join('\n\n'),
    networkLines(audit.networks, limits, style),
    titled(
      'Outliers',
      audit.outliers.map(outlier => outlierLine(outlier, limits)),
      style
    ),
    titled(
      'SSIDs that look alike',
      audit.lookAlikes.map(ssids => lookAlikeLine(ssids)),
      style
    ),
    titled(
      'Not read',
      audit.unread.map(({ site, reason }) => `${site}: ${reason}`),
      style
    ),
    !options.verbose && notes.length > 0
      ? `Notes of ${plural(notes.length, 'rule')} are not listed; list them with --verbose`
      : ''
  ]
    .filter(part => part !== '')
    .map(part => `${part}\n`)
    .join('\n')
}

function verdictLines(audit: Audit, style: Style): string {
  const { tone, text, advice, accounts } = auditVerdict(audit)
  const colour = tone === 'good' ? style.good : tone === 'bad' ? style.bad : style.warn
  return [
    colour(style.strong(`Audit: ${text}`)),
    ...(advice === undefined ? [] : [advice]),
    style.faint(accounts)
  ].join('\n')
}

function ruleLines(broken: BrokenRule, { names }: Limits, style: Style): string[] {
  const { rule, level, findings } = broken
  const colour = level === 'error' ? style.bad : level === 'warning' ? style.warn : style.faint
  const byMessage = [...groupBy(findings, found => condensedDetail(found, broken))]
  const lines = byMessage.slice(0, names).map(([message, found]) => {
    const where = listFirst(
      found.map(each => escapeInside(subjectAddress(each))),
      names
    )
    return `    ${escapeText(where)}: ${escapeInside(message)}`
  })
  const rest = byMessage.slice(names).reduce((sum, [, found]) => sum + found.length, 0)
  return [
    `${colour(level)}  ${style.strong(rule.title)}  ${style.faint(`${rule.id}, ${subjectPlaces(broken)}`)}`,
    `  → ${rule.advice}`,
    ...lines,
    ...(rest === 0 ? [] : [`    and ${formatNumber(rest)} more; list them with --verbose`])
  ]
}

function networkLines(networks: readonly AuditedNetwork[], limits: Limits, style: Style): string {
  const rows = networks
    .slice(0, limits.networks)
    .flatMap(network => variantRows(network, limits.names))
  if (rows.length === 0) return ''
  const columns = ['SSID', 'WLANs', 'security', 'VLAN', 'bands', 'sites']
  const [head = '', ...lines] = formatTable(
    ...columns.map((name, at) => [name, ...rows.map(row => row[at] ?? '')])
  )
  const rest = networks.length - limits.networks
  const more = rest > 0 ? [`  and ${formatNumber(rest)} more SSIDs; list them with --verbose`] : []
  const title = style.strong('Networks (! marks what differs from most sites)')
  return [title, style.faint(head), ...lines, ...more].join('\n')
}

/** A row for each variant of a network; names the sites if there are few. */
function variantRows(network: AuditedNetwork, names: number): string[][] {
  const variants = condensedVariants(network)
  const { ssid } = network
  const shown = variants.slice(0, Math.max(names, 1) * 2)
  const rest = variants.slice(shown.length).reduce((sum, { sites }) => sum + sites.length, 0)
  const rows = shown.map((variant, at) => [
    at === 0 ? escapeText(quote(ssid, 40)) : '',
    String(variant.sites.length),
    ...cellsOf(variant).map(escapeInside),
    escapeInside(listFirst(variant.sites, Math.min(names, 3)))
  ])
  return rest === 0 ? rows : [...rows, ['', String(rest), 'in other variants']]
}

function cellsOf(variant: NetworkVariant): string[] {
  return aspectTexts(variant).map(([text, isOdd]) => `${isOdd ? '! ' : ''}${text}`)
}

function outlierLine(outlier: Outlier, { names }: Limits): string {
  const sites = [...new Set(outlier.sites)]
  const where = sites.length === 1 ? '' : `${plural(sites.length, 'site')}: `
  const details = listFirst(outlierDetails(outlier), names)
  return `${escapeInside(quote(outlier.ssid, 40))} at ${where}${escapeInside(listFirst(sites, Math.min(names, 3)))}: ${details}`
}

function lookAlikeLine(ssids: Audit['lookAlikes'][number]): string {
  return ssids.map(({ ssid, wlans }) => `${quote(ssid, 40)} (${formatNumber(wlans)})`).join(', ')
}

function titled(title: string, lines: readonly string[], style: Style): string {
  if (lines.length === 0) return ''
  return [style.strong(title), ...lines.map(line => `  ${escapeInside(line)}`)].join('\n')
}

/** An audit as Markdown within the limit of a comment; it counts the omitted rows. */
export function auditMarkdown(audit: Audit): string {
  return auditPage(audit, COMMENT_BYTES)
}

/** An audit as a step summary, which has a higher limit. */
export function auditSummary(audit: Audit): string {
  return auditPage(audit, SUMMARY_BYTES)
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
    const where = fromSecret ? SECRET_NOTE : manyCell(findings.map(subjectAddress), 'place')
    return [level, `${rule.title} (\`${rule.id}\`)`, subjectPlaces(broken), rule.advice, where]
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

function aspectCells(variant: NetworkVariant): string[] {
  return aspectTexts(variant).map(([text, isOdd]) =>
    isOdd ? `**${codeSpan(text)}**` : codeSpan(text)
  )
}

/** The state, security, VLAN and bands of a variant, and whether each is an outlier. */
function aspectTexts({
  enabled,
  odd,
  ...variant
}: NetworkVariant): (readonly [text: string, isOdd: boolean])[] {
  return networkAspects.map(aspect => {
    const isState = aspect === 'security' && (!enabled || odd.includes('enabled'))
    const state = isState ? `${enabled ? 'on' : 'off'}, ` : ''
    return [`${state}${variant[aspect]}`, odd.includes(isState ? 'enabled' : aspect)]
  })
}

function outliers({ outliers: all }: Audit): Section {
  const cells = all.map(outlier => [
    codeSpan(outlier.ssid),
    outlierDetails(outlier).map(codeSpan).join('<br>'),
    isFromSecret(outlier) ? SECRET_NOTE : manyCell([...new Set(outlier.sites)], 'site')
  ])
  const columns = ['SSID', 'differs from most sites', 'sites']
  return { ...section('Outliers', columns, cells), noun: 'outlier', share: 0.3 }
}

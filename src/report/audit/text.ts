import type {
  Audit,
  AuditedNetwork,
  BrokenRule,
  NetworkVariant,
  Outlier
} from '../../model/audit.ts'
import { groupBy } from '../../model/collections.ts'
import { formatNumber, listFirst, plural, quote } from '../../model/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { formatField, formatValue } from '../format-value.ts'
import { formatTable, type Style, styleOf } from '../layout.ts'
import type { RenderOptions } from '../report.ts'
import { condensedVariants, detailOf } from './condense.ts'
import { addressOf, auditVerdict, placesOf } from './verdict.ts'

/** Without `--verbose`, the most lines or names of one kind. */
const MAX_NAMED = 5

/** The limits of a text. */
interface Limits {
  readonly names: number
  readonly networks: number
}

/** An audit as text: the verdict, the broken rules with the worst first, the networks and their exceptions. */
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
  const byMessage = [...groupBy(findings, found => detailOf(found, broken))]
  const lines = byMessage.slice(0, names).map(([message, found]) => {
    const where = listFirst(
      found.map(each => escapeInside(addressOf(each))),
      names
    )
    return `    ${escapeText(where)}: ${escapeInside(message)}`
  })
  const rest = byMessage.slice(names).reduce((sum, [, found]) => sum + found.length, 0)
  return [
    `${colour(level)}  ${style.strong(rule.title)}  ${style.faint(`${rule.id}, ${placesOf(broken)}`)}`,
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

/** A row for each variant of a network; the sites are named where they are few. */
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
  const mark = (aspect: 'security' | 'vlan' | 'bands') =>
    `${variant.odd.includes(aspect) ? '! ' : ''}${variant[aspect]}`
  const security = variant.enabled ? mark('security') : `disabled, ${variant.security}`
  return [security, mark('vlan'), mark('bands')]
}

function outlierLine(
  { ssid, field, usual, usualCount, others }: Outlier,
  { names }: Limits
): string {
  const parts = others.slice(0, names).map(({ value, sites }) => {
    const where = listFirst(sites, Math.min(names, 3))
    return `${formatValue(value)} at ${formatNumber(sites.length)} (${where})`
  })
  const usually = `${formatValue(usual)} at ${formatNumber(usualCount)} sites`
  return `${quote(ssid, 40)} ${formatField(field)}: ${usually}, ${listFirst(parts, names)}`
}

function lookAlikeLine(ssids: Audit['lookAlikes'][number]): string {
  return ssids.map(({ ssid, wlans }) => `${quote(ssid, 40)} (${formatNumber(wlans)})`).join(', ')
}

function titled(title: string, lines: readonly string[], style: Style): string {
  if (lines.length === 0) return ''
  return [style.strong(title), ...lines.map(line => `  ${escapeInside(line)}`)].join('\n')
}

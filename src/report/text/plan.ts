import type { Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { type Severity, severityOf } from '../field-changes.ts'
import { formatField, formatValue } from '../format-value.ts'
import { groupEqualChanges, groupMany, splitAddress } from '../group-findings.ts'
import { formatTable, type Style, styleOf } from '../layout.ts'
import { otherFindings, REFUSED } from '../refusals.ts'
import type { PlanReport, RenderOptions } from '../report.ts'
import { ageNotes, formatPlanVerdict, formatTotals, partNote } from '../verdict.ts'
import { changesText } from './changes.ts'
import { findingBlocks } from './findings.ts'
import { rolloutSection } from './rollout.ts'

type Kind = PlanReport['kind']

/** The headings, worst first. */
const headings: readonly (Readonly<Record<Kind, string>> & { readonly severity: Severity })[] = [
  {
    severity: 'downgrade',
    plan: 'Security downgrade: the network becomes less secure',
    drift: 'Drift (live → declared); fixing it is a security downgrade'
  },
  {
    severity: 'outage',
    plan: 'Outage: clients lose this network',
    drift: 'Drift (live → declared); fixing it causes an outage'
  },
  {
    severity: 'reconnect',
    plan: 'Reconnect: clients disconnect and reconnect',
    drift: 'Drift (live → declared); fixing it makes clients reconnect'
  },
  {
    severity: 'none',
    plan: 'No interruption',
    drift: 'Drift (live → declared); fixing it interrupts no clients'
  }
]

/**
 * A plan as text: the changes by severity, worst first, each field before → after; the rollout; what was
 * not compared, is unmanaged or blocked; what `apply` refuses; the totals, and the verdict as the last line.
 */
export function planText({ kind, plan }: PlanReport, options: RenderOptions): string {
  const style = styleOf(options)
  const part = partNote(plan)
  const sections = [
    ...headings.map(({ severity, [kind]: title }) =>
      changesSection(title, severity, plan, options, style)
    ),
    kind === 'plan' ? rolloutSection(plan, options, style) : '',
    formatNotCompared(plan, style),
    formatUnmanaged(plan, style),
    findingBlocks(otherFindings(plan), options, style).join('\n'),
    refusalsSection(plan, options, style),
    [
      style.faint(formatTotals(plan.summary)),
      ...(part === undefined ? [] : [style.warn(part)]),
      ...ageNotes(plan, style),
      ...(plan.changes.length === 0 ? [] : [style.faint(`digest ${escapeInside(plan.digest)}`)]),
      formatPlanVerdict(kind, plan, style)
    ].join('\n')
  ]
  return sections
    .filter(section => section !== '')
    .map(section => `${section}\n`)
    .join('\n')
}

function changesSection(
  title: string,
  severity: Severity,
  plan: Plan,
  options: RenderOptions,
  style: Style
): string {
  const changes = plan.changes.filter(change => severityOf(change) === severity)
  if (changes.length === 0) return ''
  const heading = style.strong(`${title} (${changes.length})`)
  const mark = {
    downgrade: style.bad,
    outage: style.bad,
    reconnect: style.warn,
    none: (text: string) => text
  }
  const blocks = groupEqualChanges(changes).map(group =>
    changesText(group, options, style, plan.since !== undefined)
  )
  return [mark[severity](heading), ...blocks].join('\n')
}

/** What `apply` would refuse; empty if there is nothing. */
export function refusalsSection(
  { refusals = [] }: Plan,
  options: RenderOptions,
  style: Style
): string {
  if (refusals.length === 0) return ''
  const heading = style.bad(style.strong(`${REFUSED} (${refusals.length})`))
  return [heading, ...findingBlocks(refusals, options, style)].join('\n')
}

/** The declared secrets that could not be compared, of WLANs that do not change. */
export function formatNotCompared({ not_compared }: Plan, style: Style): string {
  if (not_compared.length === 0) return ''
  const groups = groupMany(not_compared, ({ address, pointers }) =>
    JSON.stringify([splitAddress(address).key, pointers])
  )
  return [
    style.warn('Not compared: secrets that are unavailable or hidden by the service'),
    ...formatTable(
      groups.map(([{ address }, ...others]) =>
        others.length === 0
          ? escapeText(address)
          : `${escapeText(splitAddress(address).key)} on ${plural(others.length + 1, 'site')}`
      ),
      groups.map(([{ pointers }]) => pointers.map(formatField).join(', '))
    )
  ].join('\n')
}

/** The live WLANs that are not declared. */
export function formatUnmanaged({ unmanaged }: Plan, style: Style): string {
  if (unmanaged.length === 0) return ''
  const ssids = unmanaged.map(({ ssid }) => formatValue(ssid))
  const ids = unmanaged.map(({ id }) => escapeInside(id))
  const owners = unmanaged.map(({ owner }) =>
    owner === undefined ? '' : `owner ${escapeInside(owner)}`
  )
  return [
    style.strong(`Unmanaged: live but not declared (${unmanaged.length})`),
    ...formatTable(
      unmanaged.map(({ site }) => escapeText(site)),
      ssids,
      ids.map(style.faint),
      ...(owners.some(owner => owner !== '') ? [owners.map(style.faint)] : [])
    )
  ].join('\n')
}

import { dangerKinds } from '../../core/model/danger.ts'
import { type Finding, isError } from '../../core/model/finding.ts'
import type { Change, Plan, Unmanaged } from '../../core/model/plan.ts'
import { groupBy } from '../../core/values/collections.ts'
import { formatNumber, listFirst, plural } from '../../core/values/text.ts'
import { deferredNote, deferredText, plannedForNote, upcomingText } from '../calendar.ts'
import { dangerTexts, worstDanger } from '../danger.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { type Severity, severities, severityOf } from '../field-changes.ts'
import { formatField, formatValue } from '../format-value.ts'
import {
  type GroupedFindings,
  groupEqualChanges,
  groupMany,
  splitAddress,
  unmanagedKey
} from '../group-findings.ts'
import { formatTable, type Style, styleOf } from '../layout.ts'
import type { PlanReport, RenderOptions } from '../report.ts'
import { rolloutSection } from '../rollout.ts'
import { notComparedPointers } from '../secret-fields.ts'
import { unwatchedNote, unwatchedText } from '../unwatched.ts'
import {
  ageNotes,
  clientsNote,
  formatPlanVerdict,
  formatTotals,
  ignoredNote,
  partNote,
  refusalGroups,
  splitFindings,
  WEAKENED
} from '../verdict.ts'
import { changesText } from './changes.ts'
import { findingBlocks, lintedBlocks } from './findings.ts'
import { periodsText } from './periods.ts'

type Kind = PlanReport['kind']

/** The headings, in order of severity. */
const headings: readonly (Readonly<Record<Kind, string>> & { readonly severity: Severity })[] = [
  {
    severity: 'downgrade',
    plan: 'Security downgrade: the network becomes less secure',
    drift: 'Drift (live → declared); fixing it is a security downgrade'
  },
  {
    severity: 'outage',
    plan: 'Outage: all or most clients lose this network',
    drift: 'Drift (live → declared); fixing it causes an outage'
  },
  {
    severity: 'reconnect',
    plan: 'Reconnect: clients disconnect and reconnect',
    drift: 'Drift (live → declared); fixing it makes clients reconnect'
  },
  {
    severity: 'some',
    plan: 'Partial outage: some clients stay out',
    drift: 'Drift (live → declared); fixing it keeps some clients out'
  },
  {
    severity: 'guest-login',
    plan: 'Guest login: connected clients stay, new guests may be unable to log in',
    drift: 'Drift (live → declared); fixing it may keep new guests from logging in'
  },
  {
    severity: 'radio-reset',
    plan: 'Radio reset',
    drift: 'Drift (live → declared); fixing it resets the radio'
  },
  {
    severity: 'none',
    plan: 'No interruption',
    drift: 'Drift (live → declared); fixing it interrupts no clients'
  }
]

/**
 * A plan as text: the changes by severity, each field as before → after; the rollout; secrets that were not
 * compared; unmanaged and blocked WLANs; refusals; the totals; and the verdict in the last line.
 */
export function planText(report: PlanReport, options: RenderOptions): string {
  const { kind, plan, command, isPreview } = report
  const style = styleOf(options)
  const part = partNote(plan)
  const { weakened, dangers, others } = splitFindings(plan, command)
  const sections = [
    weakenedSection(weakened, options, style),
    ...dangerSections(plan, dangers, options, style),
    ...headings.map(({ severity, [kind]: title }) => {
      const changes = plan.changes.filter(
        change => severityOf(change) === severity && worstDanger(change) === undefined
      )
      return changesSection({ kind, title, mark: severity, changes }, plan, options, style)
    }),
    kind === 'plan' ? rolloutSection(plan, options, style) : '',
    periodsText(plan, options, style),
    deferredText(plan, style),
    upcomingText(plan, style),
    formatNotCompared(plan, style),
    formatUnmanaged(plan, style),
    options.verbose ? unwatchedText(plan, style) : '',
    lintedBlocks({ ...report, findings: others, refusals: plan.refusals }, options, style).join(
      '\n'
    ),
    refusalsSection(plan, options, style, command),
    [
      style.faint(formatTotals(plan.summary)),
      ...[clientsNote(plan) ?? []].flat(),
      ...[part ?? [], ignoredNote(plan) ?? []].flat().map(style.warn),
      ...ageNotes(plan, style),
      ...[plannedForNote(plan) ?? [], deferredNote(plan) ?? []].flat().map(style.warn),
      ...[unwatchedNote(plan) ?? []].flat().map(style.warn),
      ...(plan.changes.length === 0 ? [] : [style.faint(`digest ${escapeInside(plan.digest)}`)]),
      ...(isPreview && plan.changes.length === 0
        ? []
        : [formatPlanVerdict(kind, plan, style, command)])
    ].join('\n')
  ]
  return sections
    .filter(section => section !== '')
    .map(section => `${section}\n`)
    .join('\n')
}

/**
 * Drift by the dangers of the live WLANs, and within each by the effect of fixing it, then what no file declares; the
 * worst come first.
 */
function dangerSections(
  plan: Plan,
  findings: readonly Finding[],
  options: RenderOptions,
  style: Style
): string[] {
  const byDanger = groupBy(plan.changes, change => worstDanger(change))
  return dangerKinds.map(kind => {
    const changes = severities.flatMap(severity =>
      (byDanger.get(kind) ?? []).filter(change => severityOf(change) === severity)
    )
    const title = `Drift (live → declared); live now: ${dangerTexts[kind]}`
    const undeclared = findings.filter(({ danger }) => danger === kind)
    return [
      changesSection({ kind: 'drift', title, mark: 'danger', changes }, plan, options, style),
      ...findingBlocks(undeclared, options, style)
    ]
      .filter(block => block !== '')
      .join('\n')
  })
}

interface ChangesSection {
  readonly kind: Kind
  readonly title: string
  readonly mark: Severity | 'danger'
  readonly changes: readonly Change[]
}

function changesSection(
  { kind, title, mark, changes }: ChangesSection,
  { since, created }: Plan,
  options: RenderOptions,
  style: Style
): string {
  if (changes.length === 0) return ''
  const heading = style.strong(`${title} (${formatNumber(changes.length)})`)
  const styles = {
    danger: style.bad,
    downgrade: style.bad,
    outage: style.bad,
    reconnect: style.warn,
    some: style.warn,
    'guest-login': style.warn,
    'radio-reset': style.warn,
    none: (text: string) => text
  }
  const details = {
    dated: since !== undefined,
    ...(kind === 'drift' && { asOf: created }),
    withImpact: mark === 'danger'
  }
  const blocks = groupEqualChanges(changes).map(group =>
    changesText(group, options, style, details)
  )
  return [styles[mark](heading), ...blocks].join('\n')
}

/** What the files stop enforcing since the base; empty if there is nothing. */
function weakenedSection(
  weakened: readonly Finding[],
  options: RenderOptions,
  style: Style
): string {
  if (weakened.length === 0) return ''
  const heading = style.bad(style.strong(`${WEAKENED} (${formatNumber(weakened.length)})`))
  return [heading, ...findingBlocks(weakened, options, style)].join('\n')
}

/** What `apply` would refuse or leave out of the plan; empty if there is nothing. */
export function refusalsSection(
  plan: Plan,
  options: RenderOptions,
  style: Style,
  command?: PlanReport['command']
): string {
  return refusalGroups(plan, command)
    .flatMap(({ title, findings }) => {
      const colour = findings.some(isError) ? style.bad : style.warn
      const heading = colour(style.strong(`${title} (${formatNumber(findings.length)})`))
      return [heading, ...findingBlocks(findings, options, style)]
    })
    .join('\n')
}

/** The declared secrets of unchanged WLANs that could not be compared. */
export function formatNotCompared({ not_compared }: Plan, style: Style): string {
  if (not_compared.length === 0) return ''
  const named = not_compared.map(entry => ({
    address: entry.address,
    pointers: notComparedPointers(entry)
  }))
  const groups = groupMany(named, ({ address, pointers }) =>
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

/** The live WLANs that are not declared, including inherited ones. */
export function formatUnmanaged({ unmanaged, inherited = [] }: Plan, style: Style): string {
  const title = `Unmanaged: live but not declared (${formatNumber(unmanaged.length)})`
  const inheritedTitle = `Inherited from the organization: a site cannot change them (${formatNumber(inherited.length)})`
  return [
    ...unmanagedLines(title, unmanaged, style),
    ...unmanagedLines(inheritedTitle, inherited, style)
  ].join('\n')
}

/** A line of unmanaged WLANs lists at most this many sites. */
const MAX_SITES = 3

/** WLANs with the same SSID on several sites share a line; the JSON report contains all ids. */
function unmanagedLines(title: string, wlans: readonly Unmanaged[], style: Style): string[] {
  if (wlans.length === 0) return []
  const groups = groupMany(wlans, unmanagedKey)
  const details = [
    groups.map(([{ network = '' }]) => escapeInside(network)),
    groups.map(([{ id }, ...others]) => (others.length === 0 ? escapeInside(id) : '')),
    groups.map(([{ template = '' }]) => template && `template ${escapeInside(template)}`),
    groups.map(([{ owner = '' }]) => owner && `owner ${escapeInside(owner)}`)
  ].filter(cells => cells.some(cell => cell !== ''))
  return [
    style.strong(title),
    ...formatTable(
      groups.map(unmanagedSites),
      groups.map(([{ ssid }]) => formatValue(ssid)),
      ...details.map(cells => cells.map(style.faint))
    ).map(line => line.trimEnd())
  ]
}

function unmanagedSites([{ site }, ...others]: GroupedFindings<Unmanaged>): string {
  if (others.length === 0) return escapeText(site)
  const sites = [site, ...others.map(other => other.site)].map(escapeInside)
  return `${plural(sites.length, 'site')}: ${listFirst(sites, MAX_SITES)}`
}

import type { Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { equalChanges, manyAlike, parted } from '../group-findings.ts'
import { table } from '../layout.ts'
import { partNote } from '../part.ts'
import type { PlanReport, RenderOptions } from '../report.ts'
import { type Severity, severityOf } from '../severity.ts'
import { shown, shownField } from '../shown.ts'
import { type Style, styleOf } from '../style.ts'
import { ageNotes } from './age.ts'
import { changesText } from './changes.ts'
import { findingBlocks } from './findings.ts'
import { rolloutSection } from './rollout.ts'
import { accounts, verdict } from './verdict.ts'

type Kind = PlanReport['kind']

/** The headings, worst first. */
const headings: readonly (Readonly<Record<Kind, string>> & { readonly concern: Severity })[] = [
  {
    concern: 'downgrade',
    plan: 'Security downgrade: the network gets less safe',
    drift: 'Drift, live → declared; mending it is a security downgrade'
  },
  {
    concern: 'outage',
    plan: 'Outage: clients lose this network',
    drift: 'Drift, live → declared; mending it is an outage'
  },
  {
    concern: 'reconnect',
    plan: 'Reconnect: clients are dropped and come back',
    drift: 'Drift, live → declared; mending it makes clients reconnect'
  },
  {
    concern: 'none',
    plan: 'No interruption',
    drift: 'Drift, live → declared; mending it interrupts nobody'
  }
]

/**
 * A plan for people: the changes by what they do, worst first, each field before → after; then what was
 * not planned and why; the counts, and last, where the eye is when the output stops, the verdict.
 */
export function planText({ kind, plan }: PlanReport, manner: RenderOptions): string {
  const style = styleOf(manner)
  const part = partNote(plan)
  const sections = [
    ...headings.map(({ concern, [kind]: title }) =>
      changesSection(title, concern, plan, manner, style)
    ),
    kind === 'plan' ? rolloutSection(plan, manner, style) : '',
    notComparedSection(plan, style),
    unmanagedSection(plan, style),
    findingBlocks(plan.findings, manner, style).join('\n'),
    [
      style.faint(accounts(plan.summary)),
      ...(part === undefined ? [] : [style.warn(part)]),
      ...ageNotes(plan, style),
      ...(plan.changes.length === 0 ? [] : [style.faint(`digest ${escapeInside(plan.digest)}`)]),
      verdict(kind, plan, style)
    ].join('\n')
  ]
  return sections
    .filter(section => section !== '')
    .map(section => `${section}\n`)
    .join('\n')
}

function changesSection(
  title: string,
  concern: Severity,
  plan: Plan,
  manner: RenderOptions,
  style: Style
): string {
  const changes = plan.changes.filter(change => severityOf(change) === concern)
  if (changes.length === 0) return ''
  const heading = style.strong(`${title} (${changes.length})`)
  const mark = {
    downgrade: style.bad,
    outage: style.bad,
    reconnect: style.warn,
    none: (text: string) => text
  }
  const told = equalChanges(changes).map(group =>
    changesText(group, manner, style, plan.since !== undefined)
  )
  return [mark[concern](heading), ...told].join('\n')
}

/** Declared secrets that could not be compared, of WLANs that do not change. */
export function notComparedSection({ not_compared }: Plan, style: Style): string {
  if (not_compared.length === 0) return ''
  const groups = manyAlike(not_compared, ({ address, pointers }) =>
    JSON.stringify([parted(address).key, pointers])
  )
  return [
    style.warn('Not compared: secrets that are not at hand, or that the service hides'),
    ...table(
      groups.map(([{ address }, ...others]) =>
        others.length === 0
          ? escapeText(address)
          : `${escapeText(parted(address).key)} on ${plural(others.length + 1, 'site')}`
      ),
      groups.map(([{ pointers }]) => pointers.map(shownField).join(', '))
    )
  ].join('\n')
}

export function unmanagedSection({ unmanaged }: Plan, style: Style): string {
  if (unmanaged.length === 0) return ''
  const ssids = unmanaged.map(({ ssid }) => shown(ssid))
  const ids = unmanaged.map(({ id }) => escapeInside(id))
  const owners = unmanaged.map(({ owner }) =>
    owner === undefined ? '' : `owner ${escapeInside(owner)}`
  )
  return [
    style.strong(`Unmanaged: live, and declared nowhere (${unmanaged.length})`),
    ...table(
      unmanaged.map(({ site }) => escapeText(site)),
      ssids,
      ids.map(style.faint),
      ...(owners.some(owner => owner !== '') ? [owners.map(style.faint)] : [])
    )
  ].join('\n')
}

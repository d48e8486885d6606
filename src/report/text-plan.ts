import { isError } from '../model/finding.ts'
import { byCodeUnit, count } from '../model/identity.ts'
import type { Change, Impact, Operation, Plan } from '../model/plan.ts'
import type { Value } from '../model/value.ts'
import { escapeText } from './escape.ts'
import type { Manner, PlanReport } from './report.ts'
import { secretSource, shown, shownField } from './shown.ts'
import { type Style, styleOf } from './style.ts'
import { findingText } from './text-findings.ts'

/** What an impact means to the people on the air, worst first. */
const impacts: readonly { readonly impact: Impact | undefined; readonly title: string }[] = [
  { impact: 'outage', title: 'Outage: clients lose this network' },
  { impact: 'reconnect', title: 'Reconnect: clients are dropped and come back' },
  { impact: undefined, title: 'No interruption' }
]

/**
 * A plan for people: the changes by impact, worst first, each field before → after; then what was
 * not planned, and the counts last, where the eye is when the output stops.
 */
export function planText({ kind, plan }: PlanReport, manner: Manner): string {
  const style = styleOf(manner)
  const sections = [
    ...impacts.map(({ impact, title }) => {
      const changes = plan.changes.filter(change => change.impact === impact)
      return impactSection(`${title} (${changes.length})`, changes, manner, style)
    }),
    notComparedSection(plan, style),
    unmanagedSection(plan, style),
    plan.findings.map(found => findingText(found, style)).join('\n'),
    [verdict(kind, plan, style), accounts(plan), style.faint(plan.digest)].join('\n')
  ]
  return sections
    .filter(section => section !== '')
    .map(section => `${section}\n`)
    .join('\n')
}

function impactSection(
  title: string,
  changes: readonly Change[],
  manner: Manner,
  style: Style
): string {
  if (changes.length === 0) return ''
  const mark = changes[0]?.impact === 'outage' ? style.bad : style.warn
  const heading = changes[0]?.impact === undefined ? title : mark(title)
  return [style.strong(heading), ...changes.map(change => changeText(change, manner, style))].join(
    '\n'
  )
}

function changeText(change: Change, manner: Manner, style: Style): string {
  const { file, line } = change.origin
  const fields = change.patch.filter(({ op }) => op !== 'test')
  const pad = Math.min(24, Math.max(...fields.map(({ path }) => shownField(path).length)))
  return [
    `  ${style.strong(escapeText(change.address))}  ${style.faint(`${escapeText(file)}:${line}`)}`,
    ...fields.map(field => fieldText(field, oldValue(change, field), pad, manner, style)),
    ...(change.not_compared ?? []).map(pointer =>
      style.warn(`    ${shownField(pointer).padEnd(pad)}  (secret) not compared`)
    )
  ].join('\n')
}

/** The value that the `test` before an operation names. */
function oldValue({ patch }: Change, { path }: Operation): Value | undefined {
  const test = patch.find(operation => operation.op === 'test' && operation.path === path)
  return test !== undefined && 'value' in test ? test.value : undefined
}

/**
 * One field, before → after; on lines of their own where one line is too narrow.
 *
 *     vlan_id   20 → 40
 *     auth.psk  (secret) changed, from WLAN_SECRET_GUEST_PSK
 */
function fieldText(
  operation: Operation,
  old: Value | undefined,
  pad: number,
  manner: Manner,
  style: Style
): string {
  const name = `    ${shownField(operation.path).padEnd(pad)}  `
  const after = 'value' in operation ? operation.value : null
  const source = secretSource(after)
  if (source !== undefined) {
    return `${name}(secret) ${operation.op === 'add' ? 'set' : 'changed'}, ${source}`
  }
  const was = old === undefined ? (operation.op === 'add' ? '(unset)' : '(secret)') : shown(old)
  const will = shown(after)
  const wide = name.length + was.length + will.length + 3 > manner.width
  if (!wide) return `${name}${style.bad(was)} → ${style.good(will)}`
  return [name.trimEnd(), style.bad(`      - ${was}`), style.good(`      + ${will}`)].join('\n')
}

function notComparedSection({ not_compared }: Plan, style: Style): string {
  if (not_compared.length === 0) return ''
  const lines = not_compared.map(
    ({ address, pointers }) => `  ${escapeText(address)}  ${pointers.map(shownField).join(', ')}`
  )
  return [style.warn('Not compared: secrets not at hand, or hidden by the service'), ...lines].join(
    '\n'
  )
}

function unmanagedSection({ unmanaged }: Plan, style: Style): string {
  if (unmanaged.length === 0) return ''
  const lines = [...unmanaged]
    .sort((a, b) => byCodeUnit(a.site, b.site))
    .map(({ site, ssid, id }) => `  ${escapeText(site)}  ${shown(ssid)}  ${style.faint(id)}`)
  return [style.strong('Unmanaged: live, and declared nowhere'), ...lines].join('\n')
}

function verdict(kind: PlanReport['kind'], plan: Plan, style: Style): string {
  const { changed, wlans, blocked, sites_failed } = plan.summary
  const incomplete = blocked > 0 || sites_failed > 0 || plan.findings.some(isError)
  if (changed === 0) {
    const good = kind === 'drift' ? 'No drift' : 'No changes'
    return incomplete
      ? style.warn(`${good} among the WLANs that could be planned`)
      : style.good(`${good}: ${wlans === 1 ? 'the WLAN is' : `all ${wlans} WLANs are`} as declared`)
  }
  const hurt = impacts
    .map(({ impact }) => ({ impact, n: plan.changes.filter(c => c.impact === impact).length }))
    .filter(({ impact, n }) => impact !== undefined && n > 0)
    .map(({ impact, n }) => `${n} ${impact}`)
  const detail = hurt.length === 0 ? '' : ` (${hurt.join(', ')})`
  const what =
    kind === 'drift'
      ? `Drift: ${changed} of ${count(wlans, 'WLAN')} ${changed === 1 ? 'differs' : 'differ'} from the declaration`
      : `Plan: ${count(changed, 'WLAN')} to change`
  return style.strong(`${what}${detail}`)
}

/** The sums, which always add up. */
function accounts({ summary }: Plan): string {
  const { sites, sites_failed, wlans, changed, unchanged, blocked, unmanaged, requests } = summary
  const parts = [
    `${changed} changed`,
    `${unchanged} unchanged`,
    `${blocked} blocked`,
    `${unmanaged} unmanaged`
  ]
  const failed = sites_failed === 0 ? '' : ` (${sites_failed} not read)`
  return `${count(wlans, 'WLAN')} on ${count(sites, 'site')}${failed}: ${parts.join(', ')}; ${count(requests, 'request')}`
}

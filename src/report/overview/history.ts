import type { EstateEvent } from '../../core/history/events.ts'
import { type EstateHistory, summaryOf } from '../../core/history/history.ts'
import type { ContestedField, HistorySummary } from '../../core/model/history.ts'
import { byCodeUnit, groupBy, groupsBy, type NonEmpty } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatDuration, formatTime } from '../../core/values/time.ts'
import type { Value } from '../../core/values/value.ts'
import { formatField, formatValue } from '../fields/format-value.ts'
import { splitAddress } from '../group-findings.ts'
import type { Block, Column, Inline, Section, TableRow, Text, Tone } from '../render/document.ts'
import { wholeState } from './diff.ts'
import { problemAt } from './headline.ts'
import { emptyOverview, type NetworkState, type Overview, type Problem } from './overview.ts'
import { code, name, namesText, row, section } from './sections.ts'
import { byState, isSwitchedOff, stateVerbs } from './states.ts'

/**
 * The overview of a history: its headline names the worst that edits did to networks; of the problems, contested fields
 * come first, because they return after each fix; then what happened, the latest first.
 */
export function historyOverview(history: EstateHistory): Overview {
  const { changes, events, contested, began, ended, states } = history
  const of = events.length < changes ? `${formatNumber(events.length)} of ` : ''
  const counted = of + plural(changes, 'change')
  const summary = summaryOf(history, events, contested)
  const problems = problemsIn(events)
  const sites = new Set(events.map(({ siteId }) => siteId.toLowerCase()))
  const weaker = events.filter(({ isDowngrade }) => isDowngrade).length
  const own = events.filter(({ run }) => run !== undefined).length
  const verdict: Text = [
    `${counted} at ${plural(sites.size, 'site')} from ${formatTime(began)} to ${formatTime(ended)}, `,
    `in ${plural(states, 'state')}`,
    own === 0 ? '' : `, ${formatNumber(own)} by wlanctl`,
    weaker === 0 ? '' : `, ${formatNumber(weaker)} less secure`,
    contested.length === 0 ? '' : `; ${plural(contested.length, 'contested field')}`
  ]
  return {
    ...emptyOverview,
    kind: 'history',
    tone: toneOf(problems, contested.length),
    headline: headlineOf(problems, contested.length) ?? [
      changes === 0 ? 'Nothing changed' : counted
    ],
    verdict: verdict.filter(part => part !== ''),
    coverage: coverageOf(history),
    first: [
      ...summary.contested.slice(0, Math.max(2, 4 - problems.length)).map(contestedProblem),
      ...problems
    ].slice(0, 4),
    sections: [historySection(summary, dayId), ...eventSections(events)]
  }
}

/** What edits did to networks: switched off, opened, less secure. */
interface Harm {
  readonly event: EstateEvent
  readonly state: NetworkState
  /** False if a later edit undid it. */
  readonly isLatest: boolean
}

/** What is worst at the end of the history, then what was so for a time; the worst first. */
function problemsIn(events: readonly EstateEvent[]): Problem[] {
  const latest = new Map(events.map(event => [fieldKey(event), event]))
  const harms = events.flatMap((event): Harm[] => {
    const state = eventState(event)
    const isLatest = latest.get(fieldKey(event)) === event
    return state === 'differs' ? [] : [{ event, state, isLatest }]
  })
  const groups = groupsBy(harms, ({ event: { ssid, kind }, state, isLatest }) =>
    JSON.stringify([ssid, kind === 'changed', state, isLatest])
  )
  const problems = groups.map(group => {
    const [{ event, state, isLatest }] = group
    const sites = [...new Set(group.map(({ event: { site } }) => site))].sort(byCodeUnit)
    const text = [name(event.ssid), verbOf(event, state, isLatest)]
    return { state, isLatest, problem: problemAt(isLatest ? state : 'differs', text, sites) }
  })
  problems.sort(
    (a, b) =>
      Number(b.isLatest) - Number(a.isLatest) || byState(a, b) || b.problem.count - a.problem.count
  )
  return problems.map(({ problem }) => problem)
}

/** A field of a network; a network that appears or disappears, by its name, because it has a new id. */
function fieldKey({ kind, siteId, wlanId, ssid, pointer }: EstateEvent): string {
  return JSON.stringify(kind === 'changed' ? [siteId, wlanId, pointer] : [siteId, ssid])
}

/** The state in which an edit left its network; `differs` if it did no harm. */
function eventState({ kind, network = '', pointer, after, isDowngrade }: EstateEvent) {
  if (kind !== 'changed') return wholeState({ kind, network })
  if (pointer === '/enabled' && after === false) return 'off'
  if (isDowngrade) return pointer === '/auth/type' && after === 'open' ? 'open' : 'less-secure'
  return 'differs'
}

function verbOf({ kind }: EstateEvent, state: NetworkState, isLatest: boolean): string {
  if (!isLatest) return kind === 'removed' ? ' was missing for a time' : (pastStates[state] ?? '')
  if (kind === 'removed') return ' disappeared'
  return kind === 'added' ? ' appeared, open,' : (stateVerbs[state]?.[1] ?? '')
}

const pastStates: Readonly<Partial<Record<NetworkState, string>>> = {
  off: ' was off for a time',
  open: ' was open for a time',
  'less-secure': ' was less secure for a time'
}

/** The worst two of what edits did, the second in place of contested fields only if there are none. */
function headlineOf([first, second]: readonly Problem[], contested: number): Text | undefined {
  const fields = `${plural(contested, 'field')} went back and forth`
  if (first === undefined) {
    const them = contested === 1 ? 'it' : 'them'
    return contested === 0 ? undefined : [`${fields}: someone else manages ${them}`]
  }
  if (contested > 0) return [...first.text, ', and ', fields]
  return second === undefined ? first.text : [...first.text, ', and ', ...second.text]
}

function toneOf([worst]: readonly Problem[], contested: number): Tone {
  if (worst?.state === 'off' || worst?.state === 'open') return 'bad'
  return worst !== undefined || contested > 0 ? 'warn' : 'good'
}

function coverageOf({ isShallow, unreadable }: EstateHistory): Text[] {
  return [
    ...(isShallow
      ? [['The clone is shallow: earlier states are missing (`git fetch --unshallow`)']]
      : []),
    ...(unreadable.length === 0
      ? []
      : [
          [
            `${plural(unreadable.length, 'file')} was not as wlanctl wrote it, so its changes are unknown: `,
            code(unreadable[0] ?? '')
          ]
        ])
  ]
}

/** A contested field as what to solve first: as long as it is contested, each fix comes back. */
export function contestedProblem(field: ContestedField): Problem {
  const { site } = splitAddress(field.address)
  return { state: 'differs', text: [...sentenceOf(field), OTHERS], sites: [site], count: 1 }
}

const OTHERS = ': someone else manages it'

/** `vlan_id of store-017/Guest was set back 3 times to 30, each time within 1 h`. */
function sentenceOf({ address, pointer, value, returns, longest_away }: ContestedField): Text {
  return [
    code(formatField(pointer)),
    ' of ',
    name(address),
    ` was set back ${returns} times to `,
    code(shown(value)),
    `, each time within ${formatDuration(longest_away)}`
  ]
}

/** The contested fields, and the changes of each state as a column. `sectionOf`: where a state is listed. */
export function historySection(
  { began, ended, states, contested }: HistorySummary,
  sectionOf: (time: string) => string | undefined = () => undefined
): Section {
  const rows = contested.map(
    (each): TableRow => ({
      cells: [
        [[...sentenceOf(each), OTHERS]],
        each.changes
          .slice(-MAX_LISTED)
          .map(change => [`${formatTime(change.time)}: `, valueText(change), ...byText(change)])
      ]
    })
  )
  const span = `from ${formatTime(began)} to ${formatTime(ended)}`
  const columns = states.slice(-MAX_COLUMNS).map(({ time, changes, downgrades = 0 }): Column => {
    const section = sectionOf(time)
    const less = downgrades === 0 ? '' : `, ${formatNumber(downgrades)} less secure`
    return {
      title: `${formatTime(time)}: ${plural(changes, 'change')}${less}`,
      parts: [
        { state: 'less-secure', label: 'less secure', count: downgrades },
        { state: 'differs', label: 'other changes', count: changes - downgrades }
      ],
      ...(section !== undefined && { section })
    }
  })
  const about = { id: 'history', noun: 'field', leads: true } as const
  const chart: Block[] = columns.length === 0 ? [] : [{ kind: 'columns', columns }]
  if (rows.length === 0)
    return { ...about, title: `History: no contested field ${span}`, blocks: chart }
  return {
    ...about,
    title: `History: ${plural(rows.length, 'contested field')} ${span}`,
    tone: 'warn',
    blocks: [{ kind: 'table', columns: ['Field', 'Changes'], rows }, ...chart]
  }
}

const MAX_COLUMNS = 400

const MAX_LISTED = 6

function eventSections(events: readonly EstateEvent[]): Section[] {
  const days = groupBy(events, ({ time }) => time.slice(0, 10))
  return [...days].reverse().flatMap(([day, those]) => {
    const isNamed = those.some(({ who, run }) => (who ?? run) !== undefined)
    return section(
      { id: dayId(day), title: day, count: those.length, noun: 'change' },
      ['Time', 'Network', 'Change', ...(isNamed ? ['By'] : [])],
      equalEvents(those).map(group => eventRow(group, isNamed))
    )
  })
}

/** Events of one time that differ only in their sites. */
function equalEvents(events: readonly EstateEvent[]) {
  return groupsBy(events, event =>
    JSON.stringify([event.time, event.ssid, changeText(event), effectText(event), byText(event)])
  )
}

function eventRow(group: NonEmpty<EstateEvent>, isNamed: boolean): TableRow {
  const [event] = group
  const sites = namesText([...new Set(group.map(({ site }) => site))].sort(byCodeUnit), 'site')
  const cells = row(
    [{ kind: 'muted', text: [`${event.time.slice(11, 16)} UTC`] }],
    group.length === 1 ? [name(event.address)] : [name(event.ssid), ' at ', ...sites],
    [...changeText(event), ...effectText(event)],
    ...(isNamed ? [byText(event)] : [])
  )
  return { ...cells, weight: group.length }
}

function dayId(time: string): string {
  return `day-${time.slice(0, 10)}`
}

function changeText(event: EstateEvent): Text {
  const { kind, network = '', pointer } = event
  if (kind !== 'changed') return [`${kind}: `, code(network)]
  return [code(formatField(pointer)), ' ', valueText(event)]
}

function valueText({ pointer, before, after, isDowngrade }: Partial<EstateEvent>): Inline {
  const change = { kind: 'change', before: shown(before), after: shown(after) } as const
  const isDanger = isDowngrade || isSwitchedOff(pointer, after)
  return { ...change, ...(isDanger && { isDanger: true }) }
}

function effectText({ impact, isDowngrade }: EstateEvent): Inline[] {
  const effects = [impact ?? [], isDowngrade ? 'less secure' : []].flat()
  return effects.length === 0 ? [] : [{ kind: 'muted', text: [` (${effects.join(', ')})`] }]
}

/** The person or the run that made a change; empty if it is unknown. */
function byText({ who, run }: Pick<EstateEvent, 'who' | 'run'>): Text {
  if (who !== undefined) return [' ', name(who)]
  return run === undefined ? [] : [' ', { kind: 'muted', text: ['wlanctl, run ', code(run)] }]
}

function shown(value: Value | undefined): string {
  return value === undefined ? '(unset)' : formatValue(value)
}

import type { EstateEvent } from '../../core/history/events.ts'
import { type EstateHistory, summaryOf } from '../../core/history/history.ts'
import type { ContestedField, HistorySummary } from '../../core/model/history.ts'
import { byCodeUnit, groupBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatDuration, formatTime } from '../../core/values/time.ts'
import type { Value } from '../../core/values/value.ts'
import { formatField, formatValue } from '../fields/format-value.ts'
import { type GroupedFindings, groupFindings, splitAddress } from '../group-findings.ts'
import type { Block, Column, Inline, Section, TableRow, Text } from '../render/document.ts'
import { emptyOverview, type Overview, type Problem } from './overview.ts'
import { code, name, namesText, row, section } from './sections.ts'
import { isSwitchedOff } from './states.ts'

/** The overview of a history: contested fields first, then what happened, the latest first. */
export function historyOverview(history: EstateHistory): Overview {
  const { changes, events, contested, began, ended, states } = history
  const of = events.length < changes ? `${formatNumber(events.length)} of ` : ''
  const counted = of + plural(changes, 'change')
  const summary = summaryOf(history, events, contested)
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
    tone: contested.length > 0 || weaker > 0 ? 'warn' : 'good',
    headline:
      contested.length === 0
        ? [
            changes === 0
              ? 'Nothing changed'
              : weaker === 0
                ? counted
                : `${formatNumber(weaker)} of ${plural(events.length, 'change')} weakened security`
          ]
        : [
            `${plural(contested.length, 'field')} went back and forth: someone else manages ${contested.length === 1 ? 'it' : 'them'}`
          ],
    verdict: verdict.filter(part => part !== ''),
    coverage: coverageOf(history),
    first: summary.contested.slice(0, 4).map(contestedProblem),
    sections: [historySection(summary, dayId), ...eventSections(events)]
  }
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

/** A chart has at most this many columns, the latest. */
const MAX_COLUMNS = 400

const MAX_LISTED = 6

/** A section for each day, the latest first. */
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
  return groupFindings(events, event =>
    JSON.stringify([event.time, event.ssid, changeText(event), effectText(event), byText(event)])
  )
}

function eventRow(group: GroupedFindings<EstateEvent>, isNamed: boolean): TableRow {
  const [event] = group
  const sites = namesText(group.map(({ site }) => site).sort(byCodeUnit), 'site')
  const cells = row(
    [{ kind: 'muted', text: [`${event.time.slice(11, 16)} UTC`] }],
    group.length === 1 ? [name(event.address)] : [name(event.ssid), ' at ', ...sites],
    [...changeText(event), ...effectText(event)],
    ...(isNamed ? [byText(event)] : [])
  )
  return { ...cells, weight: group.length }
}

/** The section of a day. */
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

function effectText({ impact }: EstateEvent): Inline[] {
  return impact === undefined ? [] : [{ kind: 'muted', text: [` (${impact})`] }]
}

/** The person or the run that made a change; empty if it is unknown. */
function byText({ who, run }: Pick<EstateEvent, 'who' | 'run'>): Text {
  if (who !== undefined) return [' ', name(who)]
  return run === undefined ? [] : [' ', { kind: 'muted', text: ['wlanctl, run ', code(run)] }]
}

function shown(value: Value | undefined): string {
  return value === undefined ? '(unset)' : formatValue(value)
}

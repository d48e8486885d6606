import type { Contested } from '../../core/history/contested.ts'
import type { EstateEvent } from '../../core/history/events.ts'
import type { EstateHistory } from '../../core/history/history.ts'
import { groupBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatDuration, formatTime } from '../../core/values/time.ts'
import type { Value } from '../../core/values/value.ts'
import { formatField, formatValue } from '../format-value.ts'
import type { Inline, Section, TableRow, Text } from '../render/document.ts'
import type { Overview, Problem } from './overview.ts'
import { code, name, row, section } from './sections.ts'

/** The overview of a history: contested fields first, then what happened, the latest first. */
export function historyOverview(history: EstateHistory): Overview {
  const { events, contested, began, ended, states } = history
  const sites = new Set(events.map(({ siteId }) => siteId.toLowerCase()))
  const weaker = events.filter(({ isDowngrade }) => isDowngrade).length
  const own = events.filter(({ run }) => run !== undefined).length
  const verdict: Text = [
    `${plural(events.length, 'change')} at ${plural(sites.size, 'site')} from ${formatTime(began)} to ${formatTime(ended)}, `,
    `in ${plural(states, 'state')}`,
    own === 0 ? '' : `, ${formatNumber(own)} by wlanctl`,
    weaker === 0 ? '' : `, ${formatNumber(weaker)} less secure`,
    contested.length === 0 ? '' : `; ${plural(contested.length, 'contested field')}`
  ]
  return {
    kind: 'history',
    tone: contested.length > 0 || weaker > 0 ? 'warn' : 'good',
    headline:
      contested.length === 0
        ? [events.length === 0 ? 'Nothing changed' : plural(events.length, 'change')]
        : [
            `${plural(contested.length, 'field')} went back and forth: someone else manages ${contested.length === 1 ? 'it' : 'them'}`
          ],
    verdict: verdict.filter(part => part !== ''),
    coverage: coverageOf(history),
    states: [],
    notDeclared: 0,
    first: contested.slice(0, 4).map(problemOf),
    changes: [],
    findings: [],
    sites: [],
    sections: [...contestedSection(contested), ...eventSections(events)],
    next: [],
    origin: []
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

function problemOf(contested: Contested<EstateEvent>): Problem {
  const [last] = contested.events.slice(-1)
  return {
    state: 'differs',
    text: sentenceOf(contested),
    sites: last === undefined ? [] : [last.site],
    count: 1
  }
}

/** `vlan_id of store-017/Guest was set back to 30 3 times, each within 1 h: someone else manages it`. */
export function sentenceOf({ events, value, returns, longestAway }: Contested<EstateEvent>): Text {
  const [last] = events.slice(-1)
  return [
    code(formatField(last?.pointer ?? '')),
    ' of ',
    name(last?.address ?? ''),
    ' was set back to ',
    code(shown(value)),
    ` ${returns} times, each within ${formatDuration(longestAway)}`
  ]
}

function contestedSection(contested: readonly Contested<EstateEvent>[]): Section[] {
  const about = {
    id: 'contested',
    title: 'Contested fields',
    count: contested.length,
    tone: 'warn',
    noun: 'field'
  } as const
  const rows = contested.map(
    (each): TableRow => ({
      cells: [
        [sentenceOf(each)],
        each.events
          .slice(-MAX_LISTED)
          .map(event => [`${formatTime(event.time)}: `, ...valueText(event), ...byText(event)])
      ]
    })
  )
  return section(about, ['Field', 'Changes'], rows)
}

const MAX_LISTED = 6

/** A section for each day, the latest first. */
function eventSections(events: readonly EstateEvent[]): Section[] {
  const days = groupBy(events, ({ time }) => time.slice(0, 10))
  return [...days].reverse().flatMap(([day, those]) =>
    section(
      { id: `day-${day}`, title: day, count: those.length, noun: 'change' },
      ['Time', 'Network', 'Change', 'By'],
      those.map(event =>
        row(
          [{ kind: 'muted', text: [`${event.time.slice(11, 16)} UTC`] }],
          [name(event.address)],
          [...changeText(event), ...effectText(event)],
          byText(event)
        )
      )
    )
  )
}

function changeText(event: EstateEvent): Text {
  const { kind, network = '', pointer } = event
  if (kind !== 'changed') return [`${kind}: `, code(network)]
  return [code(formatField(pointer)), ' ', ...valueText(event)]
}

function valueText({ before, after, isDowngrade }: EstateEvent): Text {
  const change = { kind: 'change', before: shown(before), after: shown(after) } as const
  return [{ ...change, ...(isDowngrade && { isDanger: true }) }]
}

function effectText({ impact }: EstateEvent): Inline[] {
  return impact === undefined ? [] : [{ kind: 'muted', text: [` (${impact})`] }]
}

/** The person or the run that made a change; empty if it is unknown. */
function byText({ who, run }: EstateEvent): Text {
  if (who !== undefined) return [' ', name(who)]
  return run === undefined ? [] : [' ', { kind: 'muted', text: ['wlanctl, run ', code(run)] }]
}

function shown(value: Value | undefined): string {
  return value === undefined ? '(unset)' : formatValue(value)
}

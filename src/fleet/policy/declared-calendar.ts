import { type Freeze, type Weekday, type Window, weekdays } from '../../core/model/calendar.ts'
import { finding } from '../../core/model/finding.ts'
import { type ImpactClass, impacts } from '../../core/model/impact.ts'
import { atMost, expectMap, itemsIn, Members, requireKeys } from '../expect.ts'
import { at } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { limits } from '../limits.ts'
import { type MapNode, type Node, nodeKindOf, textOf } from '../yaml/tree.ts'

/** The windows and freezes of a policy, before the times of freezes are checked. */
export interface DeclaredCalendar {
  readonly windows: readonly DeclaredWindow[]
  readonly freezes: readonly DeclaredFreeze[]
}

export interface DeclaredWindow extends Window {
  readonly node: MapNode
}

export interface DeclaredFreeze extends Freeze {
  readonly node: MapNode
}

/** Reads the `windows` and `freezes` of a policy. Reports invalid ones; undefined if neither is declared. */
export function calendarIn(
  windows: Node | undefined,
  freezes: Node | undefined,
  findings: Findings
): DeclaredCalendar | undefined {
  if (windows === undefined && freezes === undefined) return undefined
  const names = new Set<string>()
  const declared = mapsIn(windows, 'windows', findings).flatMap(map => {
    const window = windowIn(map, findings)
    if (window === undefined) return []
    if (names.has(window.name)) findings.push(finding('NAME_TWICE', at(map), 'window', window.name))
    names.add(window.name)
    return window
  })
  return {
    windows: declared,
    freezes: mapsIn(freezes, 'freezes', findings).flatMap(map => freezeIn(map, findings) ?? [])
  }
}

function mapsIn(node: Node | undefined, key: 'windows' | 'freezes', findings: Findings): MapNode[] {
  const tooMany = ['policy', limits[key], key, 'remove the old ones'] as const
  const items = atMost(itemsIn(node, findings), tooMany, findings)
  return items.flatMap(item => expectMap(item, findings) ?? [])
}

function windowIn(map: MapNode, findings: Findings): DeclaredWindow | undefined {
  const members = new Members(map, findings)
  const name = members.text('name')
  const days = words<Weekday>(members.node('days'), weekdays, findings) ?? weekdays
  const from = timeOfDay(members.node('from'), false, findings)
  const until = timeOfDay(members.node('until'), true, findings)
  const impact = words<ImpactClass>(members.node('impact'), impacts, findings)
  members.done()
  requireKeys(map, 'window', ['name', 'from', 'until', 'impact'], findings)
  if (name === undefined || from === undefined || until === undefined) return undefined
  if (impact === undefined) return undefined
  if (from !== until) return { name, days, from, until, impact, node: map }
  findings.push(finding('WINDOW_EMPTY', at(map), name))
  return undefined
}

function freezeIn(map: MapNode, findings: Findings): DeclaredFreeze | undefined {
  const members = new Members(map, findings)
  const from = members.text('from')
  const until = members.text('until')
  const reason = members.text('reason')
  const except = words<ImpactClass>(members.node('except'), impacts, findings) ?? []
  members.done()
  requireKeys(map, 'freeze', ['from', 'until', 'reason'], findings)
  if (from === undefined || until === undefined || reason === undefined) return undefined
  return { from, until, reason, except, node: map }
}

/** One or more of the allowed words; undefined if none is declared. */
function words<W extends string>(
  node: Node | undefined,
  known: readonly W[],
  findings: Findings
): W[] | undefined {
  if (node === undefined) return undefined
  const items = itemsIn(node, findings)
  if (node.kind === 'list' && items.length === 0) {
    findings.push(finding('VALUE_MISSING', at(node), 'a list of words', `[${known[0]}]`))
  }
  return items.flatMap(item => {
    const word = known.find(each => each === textOf(item))
    if (word !== undefined) return word
    const text = textOf(item)
    findings.push(
      text === undefined
        ? finding('WRONG_TYPE', at(item), 'a text', nodeKindOf(item))
        : finding('NOT_A_CHOICE', at(item), text, known)
    )
    return []
  })
}

const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d$/

/** A time of day such as `22:00`; with `isEnd` also `24:00`. */
function timeOfDay(node: Node | undefined, isEnd: boolean, findings: Findings): string | undefined {
  if (node === undefined) return undefined
  const text = textOf(node)
  if (text !== undefined && (TIME_OF_DAY.test(text) || (isEnd && text === '24:00'))) return text
  findings.push(finding('TIME_INVALID', at(node), 'a time of day', text ?? nodeKindOf(node)))
  return undefined
}

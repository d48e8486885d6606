import { type Freeze, type Window, weekdays } from '../../core/model/calendar.ts'
import { finding } from '../../core/model/finding.ts'
import { impacts } from '../../core/model/impact.ts'
import { checkNamesOnce, expectText, listOf, mapWith, oneOf, type Read } from '../expect.ts'
import { at } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { limits } from '../limits.ts'
import { type MapNode, type Node, nodeKindOf, textOf } from '../yaml/tree.ts'

/** The windows and freezes of a policy, before the times of freezes are checked. */
export interface DeclaredCalendar {
  readonly windows: readonly Window[]
  readonly freezes: readonly DeclaredFreeze[]
}

export interface DeclaredFreeze extends Freeze {
  readonly node: MapNode
}

const impactClasses = someOf(impacts)

const windows = listOf(
  mapWith(
    'window',
    {
      name: expectText,
      from: timeOfDay(/^(?:[01]\d|2[0-3]):[0-5]\d$/),
      until: timeOfDay(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/),
      impact: impactClasses
    },
    { days: someOf(weekdays) }
  ),
  ['policy', limits.windows, 'windows', 'remove the old ones']
)

export function windowsIn(node: Node, findings: Findings): Window[] {
  const declared = windows(node, findings).filter(({ name, from, until, node: map }) => {
    if (from === until) findings.push(finding('WINDOW_EMPTY', at(map), name))
    return from !== until
  })
  checkNamesOnce('window', declared, window => at(window.node), findings)
  return declared.map(({ node: _, ...window }) => ({ days: weekdays, ...window }))
}

const freezes = listOf(
  mapWith(
    'freeze',
    { from: expectText, until: expectText, reason: expectText },
    { except: impactClasses }
  ),
  ['policy', limits.freezes, 'freezes', 'remove the old ones']
)

export function freezesIn(node: Node, findings: Findings): DeclaredFreeze[] {
  return freezes(node, findings).map(freeze => ({ except: [], ...freeze }))
}

function someOf<W extends string>(words: readonly W[]): Read<W[]> {
  const list = listOf(oneOf(words))
  return (node, findings) => {
    if (node.kind === 'list' && node.items.length === 0) {
      findings.push(finding('VALUE_MISSING', at(node), 'a list of words', `[${words[0]}]`))
    }
    return list(node, findings)
  }
}

function timeOfDay(form: RegExp): Read<string> {
  return (node, findings) => {
    const text = textOf(node)
    if (text !== undefined && form.test(text)) return text
    findings.push(finding('TIME_INVALID', at(node), 'a time of day', text ?? nodeKindOf(node)))
    return undefined
  }
}

import type { Calendar } from '../core/model/calendar.ts'
import { finding } from '../core/model/finding.ts'
import { append, groupBy } from '../core/values/collections.ts'
import { at } from './files/source.ts'
import type { Findings } from './findings.ts'
import type { DeclaredCalendar, DeclaredFreeze } from './policy/declared-calendar.ts'
import type { FleetSite } from './sites.ts'
import { instantOf, isLocal, isTimeZone } from './time/zone.ts'
import { type Node, textOf } from './yaml/tree.ts'

/** The IANA time zone that a node names; undefined, with a finding, for any other. */
export function zoneIn(node: Node | undefined, findings: Findings): string | undefined {
  const name = textOf(node)
  if (node === undefined || (name !== undefined && isTimeZone(name))) return name
  findings.push(finding('TIMEZONE_UNKNOWN', at(node), name))
  return undefined
}

/** Reports invalid freezes and lacking time zones; `timezone` is for sites without the variable. */
export function checkCalendar(
  { windows, freezes }: DeclaredCalendar,
  timezone: Node | undefined,
  sites: readonly FleetSite[],
  findings: Findings
): Calendar {
  const timezones = new Map<string, string>()
  const without: string[] = []
  for (const [node, alike] of groupBy(sites, ({ vars }) => vars.get('timezone') ?? timezone)) {
    if (findings.full) break
    const zone = zoneIn(node, findings)
    if (node === undefined)
      append(
        without,
        alike.map(({ name }) => name)
      )
    for (const { id } of alike) if (zone !== undefined) timezones.set(id.toLowerCase(), zone)
  }
  const valid = freezes.filter(freeze => isValid(freeze, findings))
  const needsZone =
    windows.length > 0 || valid.some(({ from, until }) => isLocal(from) || isLocal(until))
  if (needsZone && without.length > 0) findings.push(finding('TIMEZONE_MISSING', {}, without))
  return { windows, freezes: valid, timezones }
}

/** Compares local times in UTC, which is exact enough: no offset changes the order of two days. */
function isValid({ node, from, until }: DeclaredFreeze, findings: Findings): boolean {
  const [start, end] = [instantOf(from, 'UTC'), instantOf(until, 'UTC', true)]
  for (const [key, instant] of [
    ['from', start],
    ['until', end]
  ] as const) {
    const value = node.entries.get(key)?.value
    if (instant === undefined)
      findings.push(
        finding('TIME_INVALID', at(value ?? node), 'a date and time', textOf(value) ?? '')
      )
  }
  if (start === undefined || end === undefined) return false
  if (start >= end) findings.push(finding('TIME_ORDER', at(node), from, until))
  return start < end
}

import { type Finding, type Location, levelRank } from '../../core/model/finding.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import { formatLocation } from '../../core/values/text.ts'
import { truncateValues } from '../format-value.ts'
import {
  addressesOf,
  codeOf,
  type GroupedFindings,
  groupEqualFindings,
  groupHint,
  groupMessage,
  isAboutSite
} from '../group-findings.ts'
import { countFindings } from '../lint-findings.ts'
import type { Inline, Text } from '../render/document.ts'
import type { FindingGroup } from './overview.ts'

/** The findings in groups: those that refuse the run first, then by level; the largest groups first. */
export function findingGroups(
  findings: readonly Finding[],
  refusals: readonly Finding[] = []
): FindingGroup[] {
  return [
    ...groupsOf(refusals).map(group => ({ ...group, status: 'refused' as const })),
    ...groupsOf(findings.filter(found => !isKnown(found))),
    ...groupsOf(findings.filter(isKnown)).map(group => ({ ...group, status: 'known' as const }))
  ]
}

/** True for what was there before, and for what a waiver allows. */
export function isKnown({ existing, waived }: Finding): boolean {
  return existing === true || waived !== undefined
}

function groupsOf(findings: readonly Finding[]): FindingGroup[] {
  return groupEqualFindings(findings)
    .map(findingGroup)
    .sort((a, b) => levelRank(a.level) - levelRank(b.level) || b.count - a.count)
}

function findingGroup(group: GroupedFindings<Finding>): FindingGroup {
  const [found] = group
  const hint = groupHint(group)
  const paths = new Set(group.map(({ path }) => path))
  const [path] = paths
  return {
    level: found.level,
    code: codeOf(found),
    message: messageText(groupMessage(group)),
    ...compact({ hint: hint === undefined ? undefined : messageText(hint) }),
    addresses: [...new Set(addressesOf(group))].sort(byCodeUnit),
    noun: isAboutSite(found) ? 'site' : 'WLAN',
    places: placesOf(group),
    ...compact({ path: paths.size === 1 ? path : undefined }),
    owners: [...new Set(group.flatMap(({ owner }) => owner ?? []))].sort(byCodeUnit),
    count: countFindings(group)
  }
}

function placesOf(group: GroupedFindings<Finding>): Location[] {
  const byText = new Map(
    group.flatMap(({ place }) => (place ? [[formatLocation(place), place]] : []))
  )
  return [...byText.values()]
}

/** Code in a message: quoted names, and what stands between backticks outside of them. */
const CODE = /(?<quoted>"(?:[^"\\]|\\.)*"…?)|`(?<code>[^`\n]+)`/g

/** A message with its names, fields and commands as code. */
export function messageText(message: string): Text {
  const text = truncateValues(message)
  const parts: Inline[] = []
  let end = 0
  for (const { 0: whole, index, groups } of text.matchAll(CODE)) {
    if (index > end) parts.push(text.slice(end, index))
    parts.push({ kind: 'code', text: groups?.['quoted'] ?? groups?.['code'] ?? '' })
    end = index + whole.length
  }
  return end === text.length ? parts : [...parts, text.slice(end)]
}

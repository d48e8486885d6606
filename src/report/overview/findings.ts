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
import type { PlanReport } from '../report.ts'
import { refusalGroups, splitFindings } from '../verdict.ts'
import type { FindingGroup, FindingStatus } from './overview.ts'

/** The findings of a plan in groups: by status, then by level, the largest groups first. */
export function planFindings(report: PlanReport): FindingGroup[] {
  const { plan, command } = report
  const { weakened, dangers, others } = splitFindings(plan, command)
  return [
    ...groupsOf(weakened, 'weakened'),
    ...refusalGroups(plan).flatMap(({ findings, status }) => groupsOf(findings, status)),
    ...findingGroups([...dangers, ...others], report)
  ]
}

/** Findings in groups: those that are only counted last. */
export function findingGroups(
  findings: readonly Finding[],
  { lintLevel = 'warning' }: Pick<PlanReport, 'lintLevel'>
): FindingGroup[] {
  const statusOf = (found: Finding): FindingStatus => {
    if (found.code === 'NO_LONGER_DECLARED') return 'removed'
    if (found.existing === true || found.waived !== undefined) return 'known'
    const isNote = found.code === 'LINT' && levelRank(found.level) > levelRank(lintLevel)
    return isNote ? 'note' : 'new'
  }
  return (['new', 'removed', 'known', 'note'] as const).flatMap(status =>
    groupsOf(
      findings.filter(found => statusOf(found) === status),
      status
    )
  )
}

/** The titles of findings. `by` is the command that would refuse. */
export function findingTitle(status: FindingStatus, by = 'apply'): string {
  switch (status) {
    case 'weakened':
      return 'Weaker than the base'
    case 'refused':
      return `Refused by ${by}`
    case 'left-out':
      return `Left out by ${by}`
    case 'needed':
      return `Needed by ${by}`
    case 'new':
      return 'Findings'
    case 'removed':
      return 'No longer declared'
    case 'known':
      return 'Known findings: already live, or waived'
    case 'note':
      return 'Notes'
  }
}

function groupsOf(findings: readonly Finding[], status: FindingStatus): FindingGroup[] {
  return groupEqualFindings(findings)
    .map(group => findingGroup(group, status))
    .sort((a, b) => levelRank(a.level) - levelRank(b.level) || b.count - a.count)
}

function findingGroup(group: GroupedFindings<Finding>, status: FindingStatus): FindingGroup {
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
    count: countFindings(group),
    status
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

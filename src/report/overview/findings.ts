import {
  byDanger,
  type Finding,
  type FindingLevel,
  findingLevels,
  isError,
  type Location,
  levelRank
} from '../../core/model/finding.ts'
import { compact, type NonEmpty } from '../../core/values/collections.ts'
import { formatLocation, listFirst, plural } from '../../core/values/text.ts'
import { escapeInside } from '../escape.ts'
import { thousands, truncateValues } from '../fields/format-value.ts'
import {
  addressesOf,
  codeOf,
  countFindings,
  groupEqualFindings,
  groupHint,
  groupMessage,
  isAboutSite,
  isListedWithLint,
  otherFindings
} from '../group-findings.ts'
import { code, type Inline, type Text } from '../render/document.ts'
import type { PlanReport } from '../report.ts'
import type { FindingGroup, FindingStatus, Overview } from './overview.ts'

/**
 * The findings of a plan in groups: its refusals, then the dangers of drift; without the downgrades, which the changes
 * show. Those about the values of secrets are for a terminal.
 */
export function planFindings(
  { plan, lintLevel, secretFindings = [] }: PlanReport,
  isTerminal: boolean
): FindingGroup[] {
  const others = otherFindings(plan).filter(({ code }) => code !== 'DOWNGRADE')
  const dangers = others.filter(({ danger }) => danger !== undefined).sort(byDanger)
  const rest = others.filter(({ danger }) => danger === undefined)
  return [
    ...groupsOf(plan.refusals ?? [], refusalStatus),
    ...findingGroups([...dangers, ...rest, ...(isTerminal ? secretFindings : [])], lintLevel)
  ]
}

export function findingGroups(
  findings: readonly Finding[],
  lintLevel: FindingLevel | undefined
): FindingGroup[] {
  return groupsOf(findings, found => statusOf(found, lintLevel))
}

function refusalStatus(found: Finding): FindingStatus {
  if (isError(found)) return 'refused'
  return found.code === 'PROTECTED' ? 'left-out' : 'needed'
}

function statusOf(found: Finding, lintLevel: FindingLevel = 'warning'): FindingStatus {
  if (found.code === 'NO_LONGER_DECLARED') return 'removed'
  if (found.waived !== undefined) return 'known'
  if (isListedWithLint(found) && levelRank(found.level) > levelRank(lintLevel)) return 'note'
  return found.existing ? 'known' : 'new'
}

/** The titles of findings. `by` is the command that would refuse. */
export function findingTitle(status: FindingStatus, by = 'apply'): string {
  switch (status) {
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

/** The findings of a status, the worst and the most first. */
export function findingsWith(
  { findings }: Pick<Overview, 'findings'>,
  status: FindingStatus
): FindingGroup[] {
  return findings
    .filter(group => group.status === status)
    .sort(
      (a, b) =>
        levelRank(a.level) - levelRank(b.level) ||
        b.count - a.count ||
        b.addresses.length - a.addresses.length
    )
}

/** The statuses of what is said before the findings, or behind them. */
export const apart: readonly FindingStatus[] = ['refused', 'left-out', 'needed']

/** The other findings, without those that a terminal only counts. */
export function listedFindings(
  { kind, findings }: Pick<Overview, 'kind' | 'findings'>,
  verbose = false
): FindingGroup[] {
  return findings.filter(
    ({ status, finding }) =>
      !apart.includes(status) && (verbose || isListed(finding, status, kind === 'findings'))
  )
}

/** The findings of a plan that a terminal lists. */
export function listedInPlan(
  findings: readonly Finding[],
  lintLevel: FindingLevel | undefined
): Finding[] {
  return findings.filter(found => isListed(found, statusOf(found, lintLevel), false))
}

/** What is live already is listed if it is an error, or among findings of live networks that become files. */
function isListed({ waived, level }: Finding, status: FindingStatus, isOfFiles: boolean): boolean {
  if (status === 'known') return waived === undefined && (level === 'error' || isOfFiles)
  return status !== 'note'
}

const MAX_RULES = 5

/**
 * Lines with the number of lint findings by level, of those that exist in the live state, and of waived ones; none for
 * none.
 *
 *     Lint: 1 error, 2 warnings; 3 existing (weak-key), already live: `--verbose` lists them
 *
 * Includes existing findings of `policy.rules`; without others, the line starts with `Rules:`.
 */
export function countLines(
  overview: Pick<Overview, 'kind' | 'findings'>,
  verbose = false
): string[] {
  const linted = overview.findings.filter(
    ({ status, finding }) => isListedWithLint(finding) && (status !== 'note' || verbose)
  )
  const waived = verbose ? [] : linted.filter(({ finding }) => finding.waived)
  const others = linted.filter(({ finding }) => !finding.waived)
  const existing = others.filter(({ finding }) => finding.existing)
  const counts = findingLevels.flatMap(level => {
    const count = countOf(others.filter(each => each.level === level && !each.finding.existing))
    return count === 0 ? [] : level === 'info' ? `${count} info` : plural(count, level)
  })
  const listed = listedFindings(overview, verbose)
  const isHidden = existing.some(group => !listed.includes(group))
  const live = `${countOf(existing)} existing (${rulesOf(existing)})`
  const parts = [
    counts.join(', '),
    existing.length === 0 ? '' : isHidden ? `${live}, already live: ${listsThem(existing)}` : live
  ]
  const label = others.some(({ finding }) => finding.code === 'LINT') ? 'Lint' : 'Rules'
  const text = `${label}: ${parts.filter(part => part !== '').join('; ')}`
  const suppressed = `${plural(countOf(waived), 'finding')} waived (${rulesOf(waived)}); ${listsThem(waived)}`
  return [
    ...(others.length === 0 ? [] : [thousands(text)]),
    ...(waived.length === 0 ? [] : [suppressed])
  ]
}

function listsThem(groups: readonly FindingGroup[]): string {
  return `\`--verbose\` lists ${countOf(groups) === 1 ? 'it' : 'them'}`
}

function rulesOf(groups: readonly FindingGroup[]): string {
  const names = [...new Set(groups.flatMap(({ finding }) => finding.rule ?? []))].sort()
  return listFirst(names.map(escapeInside), MAX_RULES)
}

export function countOf(groups: readonly FindingGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}

function groupsOf(
  findings: readonly Finding[],
  statusOf: (found: Finding) => FindingStatus
): FindingGroup[] {
  return groupEqualFindings(findings).map(group => findingGroup(group, statusOf(group[0])))
}

function findingGroup(group: NonEmpty<Finding>, status: FindingStatus): FindingGroup {
  const [finding] = group
  const paths = new Set(group.map(({ path }) => path))
  const [path] = paths
  const places = group.flatMap(({ place }) =>
    place ? [[formatLocation(place), place] as const] : []
  )
  return {
    finding,
    level: finding.level,
    code: codeOf(finding),
    message: groupMessage(group),
    ...compact({ hint: groupHint(group), path: paths.size === 1 ? path : undefined }),
    addresses: [...new Set(addressesOf(group))],
    noun: isAboutSite(finding) ? 'site' : 'WLAN',
    places: [...new Map<string, Location>(places).values()],
    count: status === 'refused' ? group.length : countFindings(group),
    status
  }
}

/** Code in a message: quoted names, lists of them, and what stands between backticks outside of them. */
const CODE =
  /(?<quoted>"(?:[^"\\]|\\.)*"…?|\["(?:[^"\\]|\\.)*"(?:, ?"(?:[^"\\]|\\.)*")*\])|`(?<code>[^`\n]+)`/g

/** A message with its names, fields and commands as code. */
export function messageText(message: string): Text {
  const text = truncateValues(message)
  const parts: Inline[] = []
  let end = 0
  for (const { 0: whole, index, groups } of text.matchAll(CODE)) {
    if (index > end) parts.push(text.slice(end, index))
    parts.push(code(groups?.['quoted'] ?? groups?.['code'] ?? ''))
    end = index + whole.length
  }
  return end === text.length ? parts : [...parts, text.slice(end)]
}

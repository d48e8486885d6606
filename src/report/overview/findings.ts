import {
  addressesIn,
  byDanger,
  countUnresolved,
  type Finding,
  type FindingLevel,
  findingLevels,
  isError,
  type Location,
  levelRank
} from '../../core/model/finding.ts'
import {
  byCodeUnit,
  compact,
  groupsBy,
  type NonEmpty,
  present
} from '../../core/values/collections.ts'
import { formatLocation, listFirst, plural, truncate } from '../../core/values/text.ts'
import { escapeInside } from '../escape.ts'
import { thousands } from '../fields/format-value.ts'
import { fleetCommand, type Make } from '../fleet-command.ts'
import { textOf } from '../render/document.ts'
import type { PlanReport } from '../report.ts'
import { commonText, shapeOf } from '../wording/message.ts'
import type { FindingGroup, FindingStatus, Overview } from './overview.ts'
import { Networks, whereOf } from './where.ts'

/**
 * The findings of a plan in groups: its refusals, then the dangers of drift; without the downgrades, which the changes
 * show. Those about the values of secrets are for a terminal.
 */
export function planFindings(
  { plan, lintLevel, secretFindings = [] }: PlanReport,
  isTerminal: boolean,
  about: Omit<FindingContext, 'lintLevel'>
): FindingGroup[] {
  const { findings, refusals = [] } = plan
  const keyOf = ({ address, message }: Finding) => JSON.stringify([address, message])
  const refused = new Set(refusals.map(keyOf))
  const others = findings.filter(found => found.code !== 'DOWNGRADE' && !refused.has(keyOf(found)))
  const dangers = others.filter(({ danger }) => danger !== undefined).sort(byDanger)
  const rest = others.filter(({ danger }) => danger === undefined)
  return [
    ...groupsOf(refusals, refusalStatus, about),
    ...findingGroups([...dangers, ...rest, ...(isTerminal ? secretFindings : [])], {
      ...about,
      ...compact({ lintLevel })
    })
  ]
}

interface FindingContext {
  readonly make?: Make
  readonly lintLevel?: FindingLevel | undefined
  readonly networks?: Networks
}

export function findingGroups(
  findings: readonly Finding[],
  about: FindingContext = {}
): FindingGroup[] {
  return groupsOf(findings, found => statusOf(found, about.lintLevel), about)
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

const titles: Readonly<Record<FindingStatus, string>> = {
  refused: 'Refused by',
  'left-out': 'Left out by',
  needed: 'Needed by',
  new: 'Findings',
  removed: 'No longer declared',
  known: 'Known findings: already live, or waived',
  note: 'Notes'
}

/** The title of findings, with the command that would refuse. */
export function findingTitle(status: FindingStatus, { kind }: Pick<Overview, 'kind'>): string {
  const by = kind === 'revert' ? 'revert' : 'apply'
  return apart.includes(status) ? `${titles[status]} ${by}` : titles[status]
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

/** The other findings, errors first, without those that a terminal only counts. */
export function listedFindings(
  { kind, findings }: Pick<Overview, 'kind' | 'findings'>,
  verbose = false
): FindingGroup[] {
  return findings
    .filter(
      ({ status, finding }) =>
        !apart.includes(status) && (verbose || isListed(finding, status, kind === 'findings'))
    )
    .sort((a, b) => levelRank(a.level) - levelRank(b.level))
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
 * none, and for counts at the end of the verdict.
 *
 *     Lint: 1 error, 2 warnings; 3 existing (weak-key), already live: `--verbose` lists them
 *
 * Includes existing findings of `policy.rules`; without others, the line starts with `Rules:`.
 */
export function countLines(
  overview: Pick<Overview, 'kind' | 'findings' | 'verdict'>,
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
  const parts = present(
    counts.join(', '),
    existing.length > 0 && (isHidden ? `${live}, already live: ${listsThem(existing)}` : live)
  )
  const label = others.some(({ finding }) => finding.code === 'LINT') ? 'Lint' : 'Rules'
  const text = `${label}: ${parts.join('; ')}`
  const suppressed = `${plural(countOf(waived), 'finding')} waived (${rulesOf(waived)}); ${listsThem(waived)}`
  const isSaid =
    existing.length === 0 &&
    ` ${textOf(overview.verdict)}`.endsWith(thousands(` ${counts.join(', ')}`))
  return present(others.length > 0 && !isSaid && thousands(text), waived.length > 0 && suppressed)
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

/** The findings in groups, each with the status of its first one. */
function groupsOf(
  findings: readonly Finding[],
  statusOf: (found: Finding) => FindingStatus,
  about: FindingContext
): FindingGroup[] {
  return groupEqual(findings).map(group => findingGroup(group, statusOf(group[0]), about))
}

function findingGroup(
  group: NonEmpty<Finding>,
  status: FindingStatus,
  { networks = new Networks(), make = fleetCommand({}) }: FindingContext
): FindingGroup {
  const [finding] = group
  const { level, code, rule } = finding
  const [path, ...paths] = new Set(group.map(each => each.path))
  const hints = group.flatMap(each => each.hint ?? [])
  const addresses = [...new Set(group.flatMap(addressesIn))]
  const more = group.reduce((sum, each) => sum + (each.more ?? 0), 0)
  const places = group.flatMap(({ place }) =>
    place ? [[formatLocation(place), place] as const] : []
  )
  return {
    finding,
    level,
    code: code === 'LINT' && rule !== undefined ? `${code} ${rule}` : code,
    message: commonText(group.map(({ message }) => message)),
    ...compact({
      hint: hints.length === 0 ? undefined : withCommands(commonText(hints), make, addresses),
      path: paths.length === 0 ? path : undefined
    }),
    addresses,
    where: whereOf(
      addresses.map(address => networks.at(address)),
      more
    ),
    places: [...new Map<string, Location>(places).values()],
    count: status === 'refused' ? group.length : countFindings(group),
    status
  }
}

const MIN_GROUP = 3

/**
 * Groups findings that differ only in their WLANs and sites; those of rules also if their places, and the
 * names and numbers in their messages differ. From `MIN_GROUP` on, findings of WLANs are one wherever they are declared:
 * an import gives each site a file of its own. Unresolved secrets become one finding.
 */
function groupEqual(findings: readonly Finding[]): NonEmpty<Finding>[] {
  return groupsBy(mergeUnresolved(findings), (found, at) =>
    isOfRule(found) || found.address !== undefined ? findingKey(found) : String(at)
  ).flatMap(group =>
    isOfRule(group[0]) || group.length >= MIN_GROUP
      ? [group]
      : groupsBy(group, ({ place, path }) => JSON.stringify([place, path]))
  )
}

/** True for a finding of a rule, which is the same wherever it is broken. */
function isOfRule({ code, rule }: Finding): boolean {
  return rule !== undefined || code === 'SITE_NOT_READ'
}

function findingKey(found: Finding): string {
  const { level, code, message, hint, rule, existing, waived } = found
  const shape = code === 'NO_LONGER_DECLARED' ? shapeOf(message) : message
  return isOfRule(found)
    ? JSON.stringify([level, code, rule, shapeOf(message), hint && shapeOf(hint), existing, waived])
    : JSON.stringify([level, code, shape, hint])
}

/** True for a finding of the linter, and for an existing or waived violation of a policy rule. */
export function isListedWithLint({ code, existing, waived }: Finding): boolean {
  return code === 'LINT' || existing === true || waived !== undefined
}

/** The number of findings; one of the linter counts for each of its WLANs or sites. */
function countFindings(findings: readonly Finding[]): number {
  return findings.reduce((sum, found) => {
    const { addresses, more = 0 } = found
    return sum + (isListedWithLint(found) ? (addresses?.length ?? 1) + more : 1)
  }, 0)
}

/** A hint whose commands name the fleet and the first network, which its text leaves open. */
function withCommands(hint: string, make: Make, [address = 'ADDRESS']: readonly string[]): string {
  return hint
    .replaceAll('`wlanctl adopt', () => `\`${make('adopt')}`)
    .replaceAll('`wlanctl explain ADDRESS', () => `\`${make('explain', address)}`)
}

/** The maximum number of names for each reason, and the maximum length of a name. */
const MAX_NAMES = 5
const MAX_NAME_LENGTH = 80

/**
 * The findings, with all warnings about unavailable secrets as one: jobs without secrets, as for pull requests from
 * forks, have a warning for each reference. A single warning stays, with its place.
 *
 *     3 secrets are not available, so they are not compared, and `apply` needs them: WLAN_SECRET_A, WLAN_SECRET_B (the
 *     variable is not set); radius (the file does not exist)
 */
export function mergeUnresolved(findings: readonly Finding[]): readonly Finding[] {
  const unresolved = findings.flatMap(found => {
    const { level, unavailable } = found
    return unavailable === undefined || level === 'error' ? [] : [{ found, ...unavailable }]
  })
  const [first, ...others] = unresolved
  if (first === undefined || others.length === 0) return findings
  const merged = new Set(unresolved.map(({ found }) => found))
  const count = countUnresolved([...merged])
  const lists = groupsBy(unresolved, ({ reason }) => reason).map(alike => {
    const names = [...new Set(alike.map(({ secret }) => truncate(secret, MAX_NAME_LENGTH)))]
    return `${listFirst(names.sort(byCodeUnit), MAX_NAMES)} (${alike[0].reason})`
  })
  const [are, they, them] = count === 1 ? ['is', 'it is', 'it'] : ['are', 'they are', 'them']
  const effect = `so ${they} not compared, and \`apply\` needs ${them}`
  const message = `${plural(count, 'secret')} ${are} not available, ${effect}: ${lists.join('; ')}`
  const { level, code } = first.found
  return [...findings.filter(found => !merged.has(found)), { level, code, message }]
}

import { type DangerKind, dangerRank } from '../../core/model/danger.ts'
import { addressesIn, byDanger, type Finding, isError } from '../../core/model/finding.ts'
import { countUnread, type Plan, type ShownChange } from '../../core/model/plan.ts'
import { byCodeUnit, compact, groupsBy, present } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { addressPartsOf } from '../fields/change-key.ts'
import { sentUncompared } from '../fields/secret-fields.ts'
import { type CommandOptions, fleetCommand, type Make } from '../fleet-command.ts'
import { code, listText, name, type Text } from '../render/document.ts'
import type { ExecutedPlan, NextStep, PlanReport } from '../report.ts'
import { messageText } from '../wording/message.ts'
import {
  coverageNotes,
  planVerdict,
  refusedText,
  totalsText,
  unchangedText
} from '../wording/verdict.ts'
import { groupChanges, UNDECLARED } from './changes.ts'
import { dangerWords, weakensSecurity } from './danger-words.ts'
import { planFindings } from './findings.ts'
import {
  driftHeadline,
  MAX_SELECTED,
  mergeTroubles,
  planHeadline,
  problemAt,
  problemOf,
  type Trouble,
  troublesOf,
  undeclaredSteps
} from './headline.ts'
import type { NetworkState } from './network-states.ts'
import type { ChangeGroup, NetworkRow, Overview, Problem } from './overview.ts'
import { fieldsText, notReadText, planSections, unreadOf, whereText } from './sections.ts'
import { changedRows, planSites, waveNames, waveOfSites } from './sites.ts'
import { changeState, countStates, stateRank, tallyStates, worstTone } from './states.ts'
import { Networks, type Subject, sharedName } from './where.ts'

type Counts = ReadonlyMap<NetworkState, number>

const MAX_FIRST = 4

export function planOverview(
  report: PlanReport,
  options: CommandOptions,
  isTerminal: boolean
): Overview {
  const { kind, plan, command: by, isPreview, since, planned, groups: fleetGroups } = report
  const make = fleetCommand(options)
  const refused = refusedIn(plan)
  const changes = kind === 'drift' ? changesWithUndeclared(plan) : plan.changes
  const declaredOpen = kind === 'drift' ? declaredOpenNetworks(plan) : new Map<string, Finding>()
  const groups = groupChanges(
    kind,
    changes,
    kind === 'drift'
      ? change => (declaredOpen.has(change.address) ? 'open' : changeState(kind, change))
      : plannedState(plan)
  )
  const networks = new Networks(plan, planned, kind)
  const lost = kind === 'drift' ? lostNetworks(plan, declaredOpen, networks, make, since) : []
  const open = kind === 'drift' ? openNetworks(plan, declaredOpen, networks) : []
  const counts = countNetworks(plan, groups, lost)
  const troubles = mergeTroubles(
    [...troublesOf(groups), ...open, ...troublesOfLost(lost)],
    ({ key, state, danger, isMissing, isUndeclared, isDeclared }) => [
      key,
      state,
      danger,
      isMissing,
      isUndeclared,
      isDeclared
    ]
  )
  const severe = severeHeadline(kind, plan, troubles)
  const isNothing = by === 'revert' && plan.changes.length === 0
  const plain = isNothing ? [unchangedText(kind, plan, by)] : plainHeadline(kind, plan, counts)
  const headline = severe.length > 0 ? severe : plain
  const isSaid = headline[0] === notReadText(plan.summary.sites_failed)
  const differing = severe.length > 0 ? differingSites(kind, plan, troubles) : undefined
  const blind = kind === 'plan' ? sentBlindly(plan, networks) : []
  // Beside other problems, the sentence about what was not read says it.
  const unread = troubles.length === 0 ? unreadProblem(kind, plan, make) : []
  const others = [...blind, ...unread]
  const problems = troubles
    .filter(({ state }) => stateRank(state) <= stateRank('wrong'))
    .map(trouble =>
      problemOf(trouble, kind, make, {
        isRefused:
          isOverLimit(trouble, plan) ||
          trouble.sites.some(site => refused.has(`${site}/${trouble.key}`)),
        others: othersOf(trouble, plan),
        since
      })
    )
  const changed = changedRows(groups, ({ address, site }, { key, danger }) => ({
    commands: commandsOn(kind, { address, site, key }, make, refused.has(address), danger)
  }))
  const rows = [...changed, ...lost.map(row => ({ site: row.site, row }))]
  const waveOf = waveOfSites(
    kind === 'plan' ? plan.rollout : [],
    plan.changes.map(({ site }) => site.name)
  )
  const groupOf = (site: string) => waveOf(site) ?? fleetGroups?.get(site)
  const isUneasy = blind.length > 0 || (kind === 'drift' && undeclaredFindings(plan).size > 0)
  const isBad = open.length > 0 || (plan.refusals ?? []).some(isError)
  return {
    kind: by ?? kind,
    tone: isBad ? 'bad' : worstTone(counts, isUneasy ? 'warn' : 'good'),
    headline,
    ...(isPreview && plan.changes.length === 0
      ? { alarms: [], verdict: [] }
      : planVerdict(kind, plan, by)),
    totals: totalsText(plan.summary),
    coverage: [
      ...present(differing).map((text): Text => [text]),
      ...coverageNotes(kind, plan, make('adopt', '--undeclared')).map(messageText)
    ],
    ...compact({ unread: unreadOf(plan.summary, isSaid) }),
    states: countStates(by ?? kind, counts),
    notDeclared: plan.unmanaged.length,
    first: [...problems.slice(0, MAX_FIRST - others.length), ...others],
    changes: groups,
    findings: planFindings(report, isTerminal, { networks, make }),
    sites: planSites({ ...plan, planned, networks }, rows, groupOf, address =>
      commandsOn(kind, { address, ...networks.at(address) }, make, true)
    ),
    ...compact({ waves: waveNames(plan.rollout) }),
    sections: planSections(report, networks),
    ...originOf(plan),
    ...(kind === 'drift' && { asOf: plan.created })
  }
}

/** True if a command about the network at all of its sites may change more than the limits of a run allow. */
function isOverLimit({ sites }: Trouble, { refusals = [] }: Plan): boolean {
  return sites.length > MAX_SELECTED && refusals.some(({ code }) => code.startsWith('OVER_MAX'))
}

/** The networks whose change `apply` would refuse, or skip since they are protected. */
function refusedIn({ refusals = [] }: Plan): ReadonlyMap<string, 'skipped' | 'refused'> {
  return new Map(
    refusals.flatMap(refusal => {
      const state = refusal.code === 'PROTECTED' ? 'skipped' : 'refused'
      return addressesIn(refusal).map(each => [each, state] as const)
    })
  )
}

/** The state of each changed network: refused and waiting ones only if the change itself is harmless. */
function plannedState(plan: Plan): (change: ShownChange) => NetworkState {
  const refused = refusedIn(plan)
  const waiting = new Set((plan.deferred ?? []).map(({ address }) => address))
  return change => {
    const state = changeState('plan', change)
    if (state !== 'differs') return state
    return refused.get(change.address) ?? (waiting.has(change.address) ? 'waiting' : state)
  }
}

/** The changes of a drift report, with the worst danger of a field that no file declares among theirs. */
function changesWithUndeclared(plan: Plan): ShownChange[] {
  const found = undeclaredFindings(plan)
  return plan.changes.map(change => {
    const kind = found.get(change.address)?.danger
    if (kind === undefined) return change
    const dangers = [...(change.dangers ?? []), { kind, pointer: UNDECLARED }]
    return { ...change, dangers: dangers.sort((a, b) => dangerRank(a.kind) - dangerRank(b.kind)) }
  })
}

/** The worst finding of a drift report about a field that no file declares, by network. */
function undeclaredFindings({ findings }: Plan): Map<string, Finding> {
  const found = findings.filter(({ code }) => code === 'UNDECLARED_CHANGED')
  const worstLast = [...found].sort(byDanger).reverse()
  return new Map(
    worstLast.flatMap(each => (each.address === undefined ? [] : [[each.address, each]]))
  )
}

/** A network that is not as it should be, although it has no change. */
interface LostNetwork extends NetworkRow, Pick<Subject, 'site'> {
  readonly danger?: DangerKind
  /** No live network has its name. */
  readonly isMissing?: true
  /** Its files declare what is wrong. */
  readonly isDeclared?: true
}

/** The networks of a drift report that are open as the files declare them, by address. */
function declaredOpenNetworks({ findings }: Plan): Map<string, Finding> {
  const open = findings.filter(({ code, danger }) => code === 'LINT' && danger === 'open')
  return new Map(
    open.filter(isError).flatMap(found => addressesIn(found).map(each => [each, found] as const))
  )
}

/**
 * The networks of a drift report without a change that no access point sends, because none is live, or that differ in a
 * field that no file declares.
 */
function lostNetworks(
  plan: Plan,
  declaredOpen: ReadonlyMap<string, Finding>,
  networks: Networks,
  make: Make,
  since?: string
): LostNetwork[] {
  const changed = new Set(plan.changes.map(({ address }) => address))
  const missing = plan.findings.filter(({ code }) => code === 'WLAN_NOT_FOUND')
  const found = [...missing, ...undeclaredFindings(plan).values()]
  const rows = found.map((each): LostNetwork => {
    const { code, address = '', danger, near, message, not_adoptable } = each
    const about = { address, ...networks.at(address), reason: message }
    const commands = commandsOn('drift', about, make, true, danger)
    if (code === 'WLAN_NOT_FOUND') {
      const missing = near === undefined ? 'off' : 'renamed'
      const { state } = dangerWords[missing]
      return { ...about, state, danger: missing, isMissing: true, commands }
    }
    const steps = undeclaredSteps(make, since, '--site', about.site, '--wlan', about.key)
    return {
      ...about,
      state: danger === undefined ? 'differs' : dangerWords[danger].state,
      ...compact({ danger }),
      commands: [...steps.slice(0, not_adoptable || weakensSecurity(danger) ? 1 : 2), ...commands]
    }
  })
  for (const [address, { message }] of declaredOpen) {
    const about = { address, ...networks.at(address), reason: message }
    const commands = commandsOn('drift', about, make, true)
    rows.push({ ...about, state: 'open', isDeclared: true, commands })
  }
  const lost = rows.filter(({ address }) => address !== '' && !changed.has(address))
  return [...new Map(lost.map(row => [row.address, row])).values()]
}

/** The number of networks in each state; the sum is the number of networks of the plan. */
function countNetworks(
  { summary }: Plan,
  groups: readonly ChangeGroup[],
  lost: readonly LostNetwork[]
): Map<NetworkState, number> {
  const { unchanged, blocked } = summary
  const missing = lost.filter(({ isMissing }) => isMissing).slice(0, blocked)
  const undeclared = lost.filter(({ isMissing }) => !isMissing).slice(0, unchanged)
  return tallyStates([
    ...groups.map(({ state, networks }) => ({ state, count: networks.length })),
    ...[...undeclared, ...missing].map(({ state }) => ({ state })),
    { state: 'blocked', count: blocked - missing.length },
    { state: 'as-declared', count: unchanged - undeclared.length },
    { state: 'not-read', count: countUnread(summary) }
  ])
}

function troublesOfLost(networks: readonly LostNetwork[]): Trouble[] {
  const others = networks.filter(({ isDeclared }) => !isDeclared)
  return groupsBy(others, ({ key, danger, isMissing }) =>
    JSON.stringify([key, danger, isMissing])
  ).map(lost => {
    const [{ state, danger, key, isMissing }] = lost
    return {
      state,
      ...compact({ danger }),
      name: name(sharedName(lost)),
      key,
      sites: lost.map(({ site }) => site).sort(byCodeUnit),
      fields: [],
      ...(isMissing ? { isMissing } : { isUndeclared: true })
    }
  })
}

/** The networks that anybody can join, although no file declares them, or as their files declare them. */
function openNetworks(
  { findings }: Plan,
  declared: ReadonlyMap<string, Finding>,
  networks: Networks
): Trouble[] {
  const found = [...declared.keys()].map(address => networks.at(address))
  const groups = groupsBy(found, ({ key, name: own }) => JSON.stringify([key, own]))
  const asDeclared = groups.map((same): Trouble => {
    const [{ key, name: own }] = same
    const sites = same.map(({ site }) => site).sort(byCodeUnit)
    const about = { name: name(own), key, sites, fields: [] }
    return { state: 'open', danger: 'open', ...about, isDeclared: true }
  })
  const open = findings.filter(({ code }) => code === 'UNMANAGED_OPEN')
  if (open.length === 0) return asDeclared
  const sites = [...new Set(open.flatMap(({ address }) => address ?? []))].sort(byCodeUnit)
  const about = { name: '', key: '', sites, fields: [] }
  return [...asDeclared, { state: 'open', ...about, isUndeclared: true, unmanaged: open.length }]
}

/** The worst troubles, or why `apply` would refuse the plan; empty for neither. */
function severeHeadline(kind: PlanReport['kind'], plan: Plan, troubles: readonly Trouble[]): Text {
  if (kind === 'drift') return driftHeadline(troubles)
  const worst = planHeadline(troubles)
  const refused = refusedText(plan)
  return worst.length > 0 || refused === '' ? worst : [`Refused: ${refused}`]
}

/** The number of networks that change, or that are as declared. */
function plainHeadline(kind: PlanReport['kind'], plan: Plan, counts: Counts): Text {
  const { changes, summary, unmanaged } = plan
  const { wlans, sites, sites_failed: failed, unchanged, blocked } = summary
  const atSites = plural(sites, 'site')
  if (changes.length > 0) {
    const at = new Set(changes.map(({ site }) => site.name)).size
    const s = changes.length === 1 ? 's' : ''
    const verb = kind === 'plan' ? `change${s}` : `differ${s} from the files`
    const of = at === sites ? '' : `${formatNumber(at)} of `
    return [`${plural(changes.length, 'network')} at ${of}${atSites} ${verb}`]
  }
  if (failed > 0) return [notReadText(failed)]
  if (blocked > 0) return [`${plural(blocked, 'network')} could not be compared`]
  if (sites === 0 && wlans === 0) return ['This run covers no sites']
  if (wlans === 0) return [`No network is declared at ${atSites}`]
  const moved = kind === 'drift' ? undeclaredFindings(plan).size : 0
  if (moved > 0) {
    const differ = moved === 1 ? 'differs' : 'differ'
    return [`${plural(moved, 'network')} ${differ} in fields that no file declares`]
  }
  const others =
    unmanaged.length === 0 ? '' : `, and ${plural(unmanaged.length, 'other')} not declared`
  if (unchanged === 1) return [`The network is as declared${others}`]
  const clean = formatNumber(counts.get('as-declared') ?? 0)
  return [`All ${clean} networks at ${atSites} are as declared${others}`]
}

/** `63 of 300 sites differ from the files`; undefined if none does. */
function differingSites(
  kind: PlanReport['kind'],
  { summary }: Plan,
  troubles: readonly Trouble[]
): string | undefined {
  const count = new Set(troubles.flatMap(({ sites }) => sites)).size
  const s = count === 1 ? 's' : ''
  const verb = kind === 'plan' ? `change${s}` : `differ${s} from the files`
  return count === 0
    ? undefined
    : `${formatNumber(count)} of ${plural(summary.sites, 'site')} ${verb}`
}

/** The secrets that `apply` sends, or may send, although this plan could not compare them. */
function sentBlindly({ changes }: Plan, networks: Networks): Problem[] {
  const sent = changes
    .map(change => ({ change, fields: sentUncompared(change) }))
    .filter(({ fields }) => fields.length > 0)
  const count = sent.reduce((sum, { fields }) => sum + fields.length, 0)
  if (count === 0) return []
  const places = groupsBy(sent, ({ change, fields }) =>
    JSON.stringify([addressPartsOf(change).key, fields])
  ).map((group): Text => {
    const where = whereText(
      group.map(({ change }) => change),
      networks
    )
    return [...where, ' (', ...fieldsText(group[0].fields, 3), ')']
  })
  const why = 'the secret is unavailable to this plan, or the service hides the live one'
  const what = `${plural(count, 'secret')} written without comparison`
  return [
    { state: 'differs', text: [`${what}: ${why}: `, ...listText(places)], sites: [], count: 0 }
  ]
}

function unreadProblem(kind: PlanReport['kind'], { findings }: Plan, make: Make): Problem[] {
  const sites = findings.flatMap(({ code, address }) =>
    code === 'SITE_NOT_READ' && address !== undefined ? address : []
  )
  if (sites.length === 0) return []
  const command = make(kind, ...sites.flatMap(site => ['--site', site]))
  return [
    {
      ...problemAt('not-read', [], sites),
      text: [notReadText(sites.length)],
      ...(sites.length <= MAX_SELECTED && { command })
    }
  ]
}

/** None that `apply` would refuse, or has no change to make for, and none that declares a fault. */
function commandsOn(
  kind: PlanReport['kind'],
  { address, site, key }: Pick<Subject, 'site' | 'key'> & Pick<NetworkRow, 'address'>,
  make: Make,
  isRefused: boolean,
  danger?: DangerKind
): NextStep[] {
  const one = ['--site', site, '--wlan', key]
  const does = kind === 'plan' ? 'makes this change' : 'puts the declared values back'
  return present<NextStep>(
    !isRefused && [make('apply', ...one), does],
    kind === 'drift' &&
      !isRefused &&
      !weakensSecurity(danger) && [make('adopt', ...one), 'writes the live values into the files'],
    [make('explain', address), 'shows where each value comes from']
  )
}

/** The number of further changes that a command about a network at many sites makes. */
function othersOf({ key, sites }: Trouble, { changes }: Plan): number {
  if (sites.length <= MAX_SELECTED) return 0
  return changes.filter(change => addressPartsOf(change).key === key).length - sites.length
}

/** The number of digits that identify a commit for people. */
const SHORT_HASH = 7

export function originOf({
  digest,
  base_url,
  created,
  commit,
  tool
}: Pick<ExecutedPlan, 'digest' | 'base_url' | 'created' | 'commit' | 'tool'>) {
  const hash = commit?.slice(0, SHORT_HASH)
  const origin: Text = [
    ...['Made ', code(formatTime(created)), ' by ', code(tool), ' for ', code(base_url)],
    ...(hash === undefined ? [] : [' at commit ', code(hash)])
  ]
  const made = present(formatTime(created), hash && `commit ${hash}`).join(' · ')
  return { origin, made, ...compact({ digest }) }
}

import { dangerRank } from '../../core/model/danger.ts'
import type { Finding } from '../../core/model/finding.ts'
import {
  type FieldOutcome,
  type Outcome,
  type Status,
  statuses,
  tally
} from '../../core/model/outcome.ts'
import { type Change, countUnread, type Plan } from '../../core/model/plan.ts'
import type { TimelineEvent } from '../../core/model/record.ts'
import {
  byCodeUnit,
  compact,
  groupBy,
  groupsBy,
  type NonEmpty,
  present
} from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { capitalised, formatNumber, plural } from '../../core/values/text.ts'
import { addressPartsOf, changeKey, splitAddress, ssidOf } from '../fields/change-key.ts'
import { excerpts, formatField, formatValue, MAX_VALUE_LENGTH } from '../fields/format-value.ts'
import { type CommandOptions, fleetCommand, type Make } from '../fleet-command.ts'
import {
  code,
  danger,
  listText,
  name,
  strong,
  type Table,
  type TableRow,
  type Text,
  textOf
} from '../render/document.ts'
import type { OutcomesReport, SitePlan } from '../report.ts'
import { maskIds, messageText, shortenIds } from '../wording/message.ts'
import {
  missingText,
  nothingToRevert,
  notPlannedText,
  notRestoredText,
  unchangedText
} from '../wording/verdict.ts'
import { changeDetails } from './changes.ts'
import { dangerWords, stillText } from './danger-words.ts'
import { findingGroups } from './findings.ts'
import { MAX_SELECTED, placeText, problemAt } from './headline.ts'
import type { NetworkState } from './network-states.ts'
import {
  type ChangeGroup,
  emptyOverview,
  type Overview,
  type Problem,
  type StateCount
} from './overview.ts'
import { originOf } from './plan.ts'
import { fieldsText, nameTexts, unreadOf, waveName } from './sections.ts'
import { changedRows, planSites, waveNames, waveOfSites } from './sites.ts'
import {
  byState,
  countStates,
  outcomeState,
  stateRank,
  stateTones,
  statusOfState,
  tallyStates,
  worstTone
} from './states.ts'
import { Networks, type Subject, sharedName, toldApart, whereOf } from './where.ts'

type Command = NonNullable<OutcomesReport['command']>

/** An outcome with what is known of its change. */
export interface Result {
  readonly outcome: Outcome
  readonly change?: Change
  /** Tells the site and the declared name of a network without a change. */
  readonly network?: Subject
  /** Secrets that a revert cannot restore. */
  readonly lostSecrets?: readonly Pointer[]
  readonly timeline?: readonly TimelineEvent[]
}

export function outcomesOverview(given: OutcomesReport, options: CommandOptions): Overview {
  const report = { ...given, outcomes: given.outcomes.filter(unlessBlocked(given.plan.findings)) }
  const { command = 'apply', plan, planned, outcomes, failedWave, timeline } = report
  const networks = new Networks(plan, planned)
  const changes = new Map(plan.changes.map(change => [change.address, change]))
  const results = outcomes.map((outcome): Result => {
    const { address } = outcome
    return {
      outcome,
      ...compact({
        change: changes.get(address),
        network: networks.at(address),
        timeline: timeline?.get(address)
      })
    }
  })
  const make = fleetCommand(options)
  const run = runOverview(results, { ...report, networks }, command, make)
  const ended = new Set(outcomes.map(({ address }) => address))
  const isUnread = ({ status, address }: SitePlan['wlanPlans'][number]) =>
    status === 'unread' && !ended.has(address)
  const unread = planned?.flatMap(({ wlanPlans }) => wlanPlans.filter(isUnread)).length
  const clean = run.sites.reduce((sum, site) => sum + (site.clean ?? 0), 0)
  const counts = tallyStates([
    ...outcomes.map(outcome => ({ state: outcomeState(outcome) })),
    { state: 'blocked', count: plan.summary.blocked },
    { state: 'not-read', count: unread ?? countUnread(plan.summary) },
    { state: 'as-declared', count: planned ? clean : plan.summary.unchanged }
  ])
  return {
    ...run,
    kind: command,
    tone: worstTone(counts, failedWave === undefined ? 'good' : 'bad'),
    headline: outcomesHeadline(results, command, report),
    ...outcomesVerdict(report),
    coverage: waveText(report),
    ...compact({
      // The headline of a run without a problem says what was not read.
      unread: unreadOf(plan.summary, results.length > 0 && results.every(isDone)),
      failedWave
    }),
    states: runStates(command, counts, run.changes),
    notDeclared: plan.unmanaged.length,
    findings: findingGroups(plan.findings, { networks, make }),
    ...originOf(plan)
  }
}

/** Blocked WLANs are counted by the plan: their outcomes have the code of their finding as the reason. */
function unlessBlocked(findings: readonly Finding[]): (outcome: Outcome) => boolean {
  const blocked = new Set(findings.map(({ address, code }) => `${address} ${code}`))
  return ({ address, status, reason }) =>
    status !== 'skipped' || !blocked.has(`${address} ${reason}`)
}

/** What the overviews of a run and of a record make of the outcomes of networks in the same way. */
export function runOverview(
  results: readonly Result[],
  {
    plan,
    planned,
    groups,
    failedWave,
    networks = new Networks()
  }: Pick<OutcomesReport, 'planned' | 'groups' | 'failedWave'> & {
    readonly plan: Partial<Pick<Plan, 'findings' | 'rollout'>>
    readonly networks?: Networks
  },
  command: Command,
  make: Make
) {
  const { findings = [], rollout } = plan
  const wave = failedWave === undefined ? [] : messageText(shortenIds(failedWave))
  const text = ['The rollout stopped: ', ...wave]
  const stopped = wave.length > 0 && ({ state: 'failed', text, sites: [], count: 0 } as const)
  const changes = resultGroups(results, failedWave)
  const problems = resultProblems(changes, command, make)
  const waveOf = waveOfSites(rollout, results.map(siteOf))
  const timelines = new Map(results.map(({ outcome, timeline }) => [outcome.address, timeline]))
  return {
    ...emptyOverview,
    isRun: true,
    first: present<Problem>(stopped, ...problems).slice(0, 4),
    changes,
    sites: planSites(
      { findings, planned, networks },
      changedRows(changes, ({ address }) => compact({ timeline: timelines.get(address) })),
      site => waveOf(site) ?? groups?.get(site)
    ),
    ...compact({ waves: waveNames(rollout) })
  } as const
}

/** The outcomes of each wave with changes; none for a single wave. */
function waveText({ plan: { rollout = [], changes }, outcomes }: OutcomesReport): Text[] {
  const siteOf = new Map(changes.map(({ address, site }) => [address, site.name]))
  const bySite = groupBy(outcomes, ({ address }) => siteOf.get(address) ?? '')
  const waves = rollout.flatMap((wave): Text[] => {
    const own = [...new Set(wave.sites)].flatMap(site => bySite.get(site) ?? [])
    return own.length === 0 ? [] : [[waveName(wave), `: ${textOf(countsOf(own))}`]]
  })
  if (waves.length < 2) return []
  return [['Rollout: ', ...waves.flatMap((wave, at) => (at === 0 ? wave : ['; ', ...wave]))]]
}

/** The states of a run, with what the changes in each leave in danger: `failed (2 still open)`. */
export function runStates(
  command: Command,
  counts: ReadonlyMap<NetworkState, number>,
  groups: readonly ChangeGroup[]
): StateCount[] {
  return countStates(command, counts).map(each => {
    const left = groups.flatMap(({ state, left, networks }) =>
      state !== each.state || left === undefined
        ? []
        : [{ state: dangerWords[left].state, count: networks.length }]
    )
    const still = countStates('drift', tallyStates(left))
    const texts = still.map(({ label, count }) => `${formatNumber(count)} still ${label}`)
    return texts.length === 0 ? each : { ...each, label: `${each.label} (${texts.join(', ')})` }
  })
}

export function countOutcomes(results: readonly Result[]): Map<NetworkState, number> {
  return tallyStates(results.map(({ outcome }) => ({ state: outcomeState(outcome) })))
}

function isDone({ outcome: { status } }: Result): boolean {
  return status === 'applied' || status === 'unchanged'
}

/** The outcomes by status, the worst first, where all counts are made from the outcomes. */
export function outcomesHeadline(
  results: readonly Result[],
  command: Command,
  report?: Pick<OutcomesReport, 'plan' | 'failedWave'>
): Text {
  const all = plural(results.length, 'change')
  if (results.length === 0)
    return [report === undefined ? 'Nothing had to change' : nothingToDo(report, command)]
  const open = results.filter(each => !isDone(each))
  const what = command === 'revert' ? 'put back' : 'applied'
  if (open.length === 0) {
    const missing = report && missingText(report.plan)
    const incomplete = missing ? `Incomplete: ${missing}. ` : ''
    const stopped = report?.failedWave === undefined ? '' : 'The rollout stopped: '
    return [`${incomplete}${stopped}${all} ${what} and verified`]
  }
  const place = placeText([...new Set(open.map(siteOf))].sort(byCodeUnit))
  if (open.every(({ outcome }) => outcome.status === 'deferred')) {
    const wait = open.length === 1 ? ' waits for its time' : ' wait for their time'
    return [`${plural(open.length, 'change')} at `, ...place, wait]
  }
  const [worst] = groupsBy(open, each => JSON.stringify([each.change?.ends, subjectOf(each).name]))
    .filter(([{ change }]) => change?.ends !== undefined)
    .sort(([a], [b]) => dangerRank(a.change?.ends) - dangerRank(b.change?.ends))
  const were = open.length === 1 ? 'was' : 'were'
  const done = open.some(({ outcome }) => outcome.status === 'unknown') ? 'verified' : what
  const count = `${formatNumber(open.length)} of ${all} ${were} not ${done}`
  const ends = worst?.[0].change?.ends
  if (worst === undefined || ends === undefined) return [`${count}, at `, ...place]
  const left = placeText([...new Set(worst.map(siteOf))].sort(byCodeUnit))
  return [name(subjectOf(worst[0]).name), `${stillText(ends)} at `, ...left, `: ${count}`]
}

function nothingToDo({ plan }: Pick<OutcomesReport, 'plan'>, command: Command): string {
  return command === 'revert' ? nothingToRevert(plan) : unchangedText('plan', plan)
}

/** The number of outcomes by status, and the networks that were not planned. */
function outcomesVerdict({ command = 'apply', plan, outcomes }: OutcomesReport) {
  const notRestored = notRestoredText(plan)
  const left = notPlannedText(plan)
  const counts =
    outcomes.length === 0
      ? [nothingToDo({ plan }, command)]
      : countsText(capitalised(command), outcomes)
  return {
    incomplete: notRestored,
    verdict: present(...counts, left && `; not planned: ${left}`)
  }
}

/** `Apply: 1 applied, 1 diverged`. */
export function countsText(title: string, outcomes: readonly Pick<Outcome, 'status'>[]): Text {
  return [strong(`${title}:`), ' ', ...countsOf(outcomes)]
}

function countsOf(outcomes: readonly Pick<Outcome, 'status'>[]): Text {
  const tallied = tally(outcomes)
  const counts = statuses.filter(status => tallied[status] > 0)
  return listText(
    counts.map(status => {
      const text = `${formatNumber(tallied[status])} ${status}`
      return [isBad(status) ? danger(text) : text]
    })
  )
}

function isBad(status: Status): boolean {
  return status === 'unknown' || status === 'diverged' || status === 'failed'
}

function siteOf({ outcome, change, network }: Result): string {
  return change?.site.name ?? network?.site ?? splitAddress(outcome.address).site
}

function keyOf({ outcome, change, network }: Result): string {
  return (change ? addressPartsOf(change) : (network ?? splitAddress(outcome.address))).key
}

/** Longer lists of sites are truncated; lists of successful changes are shorter. */
const MAX_SITES = 100
const MAX_APPLIED = 3

/** The outcomes, the worst first, and the equal ones of a network as one, whatever was changed. */
export function outcomeTable(groups: readonly ChangeGroup[], isWhole = false): Table {
  const merged = groupsBy(groups, ({ state, key, results }) =>
    JSON.stringify([state, key, results])
  )
  const rows = merged.map((same): TableRow => {
    const [{ state, key, results = [] }] = same
    const networks = same.flatMap(group => group.networks)
    const {
      text,
      places,
      isWhole: isNamed
    } = whereOf(networks.map(({ site, ssid }) => ({ site, key, name: ssid })))
    const tone = stateTones[state]
    const most = isWhole ? places.length : tone === 'good' ? MAX_APPLIED : MAX_SITES
    const sites = isNamed ? [] : [': ', ...listText(nameTexts(places), most)]
    return {
      cells: [[[statusOfState(state)]], [[...text, ...sites]], results],
      weight: networks.length,
      tone
    }
  })
  return { kind: 'table', columns: ['Outcome', 'Where', 'Result'], rows }
}

/** The network by the name that people know: by the declared one as soon as it is there. */
export function subjectOf(result: Result): Subject {
  const { change } = result
  const key = keyOf(result)
  const ssid = change ? ssidOf(change, isDone(result) ? 'drift' : 'plan') : result.network?.name
  return { site: siteOf(result), key, name: ssid ?? key }
}

export function resultGroups(results: readonly Result[], failedWave?: string): ChangeGroup[] {
  const groups = groupsBy(results, result => {
    const { outcome, change, lostSecrets } = result
    const { address: _, wave: __, reason, ...rest } = outcome
    const changed = change === undefined ? '' : changeKey(change)
    return JSON.stringify([keyOf(result), rest, reason && maskIds(reason), changed, lostSecrets])
  })
  const subjects = toldApart(results.map(subjectOf))
  const known = new Map(results.map((result, at) => [result, subjects[at]]))
  return groups
    .map(group => resultGroup(group, each => known.get(each) ?? subjectOf(each), failedWave))
    .sort(
      (a, b) =>
        byState(a, b) ||
        dangerRank(a.left) - dangerRank(b.left) ||
        b.networks.length - a.networks.length
    )
}

function resultGroup(
  group: NonEmpty<Result>,
  told: (result: Result) => Subject,
  failedWave: string | undefined
): ChangeGroup {
  const [first, ...rest] = group
  const { outcome, lostSecrets = [] } = first
  const { hint } = outcome
  const reason = outcome.reason === failedWave ? undefined : outcome.reason
  const [known, ...others] = group.flatMap(({ change }) => change ?? [])
  return {
    state: outcomeState(outcome),
    title: [name(sharedName([told(first), ...rest.map(told)]))],
    key: keyOf(first),
    networks: group.map(result => {
      const { site, name: ssid } = told(result)
      const { address } = result.outcome
      return { address, site, ssid, ...compact({ origin: result.change?.origin }) }
    }),
    fields: [],
    notes: [],
    ...(known &&
      (isDone(first)
        ? changeDetails([known, ...others])
        : detailsOfUnsent(first, [known, ...others]))),
    ...(!isDone(first) && compact({ left: known?.ends })),
    ...(outcome.side_effects !== undefined && { hasSideEffects: true }),
    results: [
      // Of several results without the ids, which differ.
      ...present(reason && messageText((rest.length === 0 ? shortenIds : maskIds)(reason))),
      ...(outcome.fields ?? []).map(foundText),
      ...present(hint && messageText(hint)),
      ...note('also changed', outcome.side_effects),
      ...note('not verifiable', outcome.not_verifiable),
      ...note('not restored', outcome.not_restored),
      ...note('cannot be reverted', lostSecrets)
    ]
  }
}

/** What was not sent, or has failed, has no effect on people. */
function detailsOfUnsent({ outcome: { status } }: Result, changes: NonEmpty<Change>) {
  const { effect, notes, ...details } = changeDetails(changes)
  return status === 'unknown' || status === 'diverged' ? { effect, notes, ...details } : details
}

/** `vlan_id: before 20, wanted 40, found 20`, each value truncated so that the differences show. */
function foundText(field: FieldOutcome): Text {
  const states = (['before', 'wanted', 'found'] as const).map(
    state => [state, field[state]] as const
  )
  const values = states.map(([, value]) => (value === undefined ? '(unset)' : formatValue(value)))
  const texts = excerpts(values, MAX_VALUE_LENGTH).map((text, at): Text => {
    const [state, value] = states[at] ?? []
    return [`${at === 0 ? ': ' : ', '}${state} `, value === undefined ? text : code(text)]
  })
  return [code(formatField(field.pointer)), ...texts.flat()]
}

function note(title: string, pointers: readonly Pointer[] = []): Text[] {
  return pointers.length === 0 ? [] : [[`${title}: `, ...fieldsText(pointers)]]
}

/** What happened to a network with a change in these states, after `was`. */
const problemWords: Readonly<Partial<Record<NetworkState, string>>> = {
  unknown: 'not verified',
  diverged: 'not changed as planned',
  failed: 'not changed',
  stale: 'edited by others'
}

/** The results that need attention, worst first. What was skipped for one reason is one problem. */
function resultProblems(groups: readonly ChangeGroup[], command: Command, make: Make): Problem[] {
  const open = groups
    .filter(({ state }) => stateRank(state) <= stateRank('skipped'))
    .sort((a, b) => dangerRank(a.left) - dangerRank(b.left))
  const problems = groupsBy(open, ({ state, key, left, results = [] }) =>
    JSON.stringify([left, results[0], ...(state === 'skipped' ? [] : [state, key])])
  )
  return problems.map(alike => {
    const [{ state, key, title, left, results = [] }, ...others] = alike
    const networks = alike.flatMap(group => group.networks)
    const sites = [...new Set(networks.map(({ site }) => site))].sort(byCodeUnit)
    const isMixed = others.some(other => other.key !== key)
    const [reason] = results
    const subject: Text = isMixed ? [plural(networks.length, left ? 'network' : 'change')] : title
    const were = isMixed ? 'were' : 'was'
    const result = ` ${were} ${problemWords[state] ?? statusOfState(state)}`
    const verb = left === undefined ? result : stillText(left)
    const at = sites.length <= MAX_SELECTED ? sites.flatMap(site => ['--site', site]) : []
    const selection = [...(isMixed ? [] : ['--wlan', key]), ...at]
    return {
      ...problemAt(state, [...subject, verb], sites),
      isChange: true,
      ...compact({ effect: reason }),
      command: command === 'revert' ? make('drift') : make('plan', ...selection)
    }
  })
}

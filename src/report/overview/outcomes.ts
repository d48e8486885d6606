import {
  type FieldOutcome,
  type Outcome,
  type Status,
  statuses,
  tally
} from '../../core/model/outcome.ts'
import { type Change, countUnread } from '../../core/model/plan.ts'
import type { TimelineEvent } from '../../core/model/record.ts'
import { byCodeUnit, compact, groupsBy, type NonEmpty } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import {
  excerpts,
  formatField,
  formatValue,
  MAX_VALUE_LENGTH,
  maskIds,
  shortenIds
} from '../fields/format-value.ts'
import { addressPartsOf, changeKey, splitAddress } from '../group-findings.ts'
import type { Inline, Section, Text } from '../render/document.ts'
import type { OutcomesReport, RenderOptions } from '../report.ts'
import { waveNames, waveOutcomes } from '../wording/rollout.ts'
import {
  formatMissing,
  formatNotRestored,
  formatUnplanned,
  nothingToRevert,
  unchangedText
} from '../wording/verdict.ts'
import { changeDetails } from './changes.ts'
import { findingGroups, messageText } from './findings.ts'
import { fleetCommand, placeText, problemAt } from './headline.ts'
import {
  type ChangeGroup,
  emptyOverview,
  type NetworkState,
  type Overview,
  type Problem
} from './overview.ts'
import { originOf } from './plan.ts'
import { checkedText, code, fieldsText, namesText, section, waveName } from './sections.ts'
import { type PlacedRow, planSites, waveOfSites } from './sites.ts'
import {
  byState,
  countStates,
  outcomeState,
  stateRank,
  statusOfState,
  tallyStates,
  worstTone
} from './states.ts'

/** An outcome with what is known of its change. */
export interface Result {
  readonly outcome: Outcome
  readonly change?: Change
  /** Secrets that a revert cannot restore. */
  readonly lostSecrets?: readonly Pointer[]
  readonly timeline?: readonly TimelineEvent[]
}

export function outcomesOverview(
  report: OutcomesReport,
  { fleet }: Pick<RenderOptions, 'fleet'>
): Overview {
  const { command = 'apply', plan, verdicts, outcomes, failedWave, timeline } = report
  const changes = new Map(plan.changes.map(change => [change.address, change]))
  const results = outcomes.map((outcome): Result => {
    const { address } = outcome
    return {
      outcome,
      ...compact({ change: changes.get(address), timeline: timeline?.get(address) })
    }
  })
  const { unchanged, blocked } = plan.summary
  const counts = tallyStates([
    ...outcomes.map(outcome => ({ state: outcomeState(outcome) })),
    { state: 'blocked', count: blocked },
    { state: 'not-read', count: countUnread(plan.summary) },
    { state: 'as-declared', count: unchanged }
  ])
  const failed: Problem[] =
    failedWave === undefined
      ? []
      : [
          {
            state: 'failed',
            text: ['The rollout stopped: ', ...messageText(shortenIds(failedWave))],
            sites: [],
            count: 0
          }
        ]
  const groups = resultGroups(results)
  return {
    ...emptyOverview,
    isRun: true,
    kind: command,
    tone: worstTone(counts, failedWave === undefined ? 'good' : 'bad'),
    headline: outcomesHeadline(results, command, report),
    verdict: outcomesVerdict(report),
    coverage: [...checkedText(plan, undefined, results.every(isDone)), ...waveText(report)],
    ...compact({ failedWave }),
    states: countStates(command, counts),
    notDeclared: plan.unmanaged.length,
    first: [...failed, ...resultProblems(groups, command, fleetCommand(fleet), failedWave)].slice(
      0,
      4
    ),
    changes: groups,
    findings: findingGroups(plan.findings, undefined),
    sites: planSites(
      plan.findings,
      verdicts,
      resultRows(results, groups),
      waveOfSites(plan.rollout, results.map(siteOf))
    ),
    ...compact({ waves: waveNames(plan.rollout) }),
    ...originOf(plan)
  }
}

function waveText({ plan, outcomes }: OutcomesReport): Text[] {
  const waves = waveOutcomes(plan, outcomes)
  if (waves.length < 2) return []
  return [
    [
      'Rollout: ',
      ...waves.flatMap((wave, at) => [at === 0 ? '' : '; ', waveName(wave), ` ${wave.counts}`])
    ]
  ]
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
  command: 'apply' | 'revert',
  report?: Pick<OutcomesReport, 'plan' | 'failedWave'>
): Text {
  const total = results.length
  if (total === 0)
    return [report === undefined ? 'Nothing had to change' : nothingToDo(report, command)]
  const open = results.filter(each => !isDone(each))
  const has = (status: Status) => open.some(({ outcome }) => outcome.status === status)
  const what = command === 'revert' ? 'put back' : 'applied'
  if (open.length === 0) {
    const missing = report && formatMissing(report.plan)
    const incomplete = missing === undefined ? '' : `Incomplete: ${missing}. `
    const stopped = report?.failedWave === undefined ? '' : 'The rollout stopped: '
    return [`${incomplete}${stopped}${plural(total, 'change')} ${what} and verified`]
  }
  const sites = [...new Set(open.map(siteOf))].sort(byCodeUnit)
  if (open.every(({ outcome }) => outcome.status === 'deferred')) {
    return [
      `${plural(open.length, 'change')} at `,
      ...placeText(sites),
      open.length === 1 ? ' waits for its time' : ' wait for their time'
    ]
  }
  const were = open.length === 1 ? 'was' : 'were'
  return [
    `${formatNumber(open.length)} of ${plural(total, 'change')} ${were} not ${has('unknown') ? 'verified' : what}, at `,
    ...placeText(sites)
  ]
}

function nothingToDo({ plan }: Pick<OutcomesReport, 'plan'>, command: 'apply' | 'revert'): string {
  return command === 'revert' ? nothingToRevert(plan) : unchangedText('plan', plan)
}

/** The result of a run in one line: the number of outcomes by status, and the networks that were not planned. */
function outcomesVerdict({ command = 'apply', plan, outcomes }: OutcomesReport): Text {
  const notRestored = formatNotRestored(plan)
  const left = formatUnplanned(plan)
  const rest = left === undefined ? '' : `; not planned: ${left}`
  const worst: Text =
    notRestored === undefined
      ? []
      : [{ kind: 'danger', text: [`Incomplete: ${notRestored}.`] }, ' ']
  if (outcomes.length === 0)
    return [...worst, nothingToDo({ plan }, command), rest].filter(part => part !== '')
  return [...worst, ...countsText(commandTitle(command), outcomes), rest].filter(
    part => part !== ''
  )
}

/** `Apply: 1 applied, 1 diverged`. */
export function countsText(title: string, outcomes: readonly Pick<Outcome, 'status'>[]): Text {
  const tallied = tally(outcomes)
  const counts = statuses.filter(status => tallied[status] > 0)
  return [
    { kind: 'strong', text: [`${title}:`] },
    ...counts.flatMap((status, at): Text => {
      const text = `${formatNumber(tallied[status])} ${status}`
      return [at === 0 ? ' ' : ', ', isBad(status) ? { kind: 'danger', text: [text] } : text]
    })
  ]
}

function isBad(status: Status): boolean {
  return status === 'unknown' || status === 'diverged' || status === 'failed'
}

/** The command of a run as the title of its verdict. */
export function commandTitle(command: 'apply' | 'revert'): string {
  return command === 'apply' ? 'Apply' : 'Revert'
}

export function siteOf({ outcome, change }: Result): string {
  return change?.site.name ?? splitAddress(outcome.address).site
}

function keyOf({ outcome, change }: Result): string {
  return (change ? addressPartsOf(change) : splitAddress(outcome.address)).key
}

/** Equal results in groups, worst first. */
export function resultGroups(results: readonly Result[]): ChangeGroup[] {
  const groups = groupsBy(results, result => {
    const { outcome, change, lostSecrets } = result
    const { address: _, wave: __, reason, ...rest } = outcome
    const changed = change === undefined ? '' : changeKey(change)
    return JSON.stringify([keyOf(result), rest, reason && maskIds(reason), changed, lostSecrets])
  })
  return groups
    .map(resultGroup)
    .sort((a, b) => byState(a, b) || b.networks.length - a.networks.length)
}

function resultGroup(group: NonEmpty<Result>): ChangeGroup {
  const [first] = group
  const { outcome, change, lostSecrets = [] } = first
  const [known, ...others] = group.flatMap(({ change: own }) => own ?? [])
  const details = known && changeDetails([known, ...others])
  return {
    state: outcomeState(outcome),
    title: [{ kind: 'name', text: group.length === 1 ? outcome.address : keyOf(first) }],
    key: keyOf(first),
    networks: group.map(result => ({
      address: result.outcome.address,
      site: siteOf(result),
      ssid: result.change?.wlan.ssid ?? keyOf(result),
      ...compact({ origin: result.change?.origin })
    })),
    fields: details?.fields ?? [],
    ...compact({ impact: details?.impact, effect: details?.effect }),
    ...(outcome.sideEffects.length > 0 && { hasSideEffects: true }),
    notes: change === undefined ? [] : (details?.notes ?? []),
    results: [
      ...reasonText(group),
      ...outcome.fields.map(foundText),
      ...(outcome.hint === undefined ? [] : [messageText(outcome.hint)]),
      ...note('also changed', outcome.sideEffects),
      ...note('not verifiable', outcome.notVerifiable),
      ...note('not restored', outcome.notRestored ?? []),
      ...note('cannot be reverted', lostSecrets)
    ]
  }
}

/** The reason, without ids if several results share it. */
function reasonText([{ outcome }, ...others]: NonEmpty<Result>): Text[] {
  if (outcome.reason === undefined) return []
  return [messageText((others.length === 0 ? shortenIds : maskIds)(outcome.reason))]
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

function note(title: string, pointers: readonly Pointer[]): Text[] {
  return pointers.length === 0 ? [] : [[`${title}: `, ...fieldsText(pointers)]]
}

/** The results that need attention, worst first. What was skipped for one reason, such as `failedWave`, is one problem. */
export function resultProblems(
  groups: readonly ChangeGroup[],
  command: 'apply' | 'revert',
  make: ReturnType<typeof fleetCommand>,
  failedWave?: string
): Problem[] {
  const open = groups.filter(({ state }) => stateRank(state) <= stateRank('skipped'))
  const problems = groupsBy(open, ({ state, results = [] }, at) =>
    state === 'skipped' ? JSON.stringify(results[0]) : String(at)
  )
  return problems.map(alike => {
    const [{ state, key, results = [] }, ...others] = alike
    const networks = alike.flatMap(group => group.networks)
    const sites = [...new Set(networks.map(({ site }) => site))].sort(byCodeUnit)
    const isMixed = others.some(other => other.key !== key)
    const subject: Inline = isMixed
      ? plural(networks.length, 'change')
      : { kind: 'name', text: key }
    const verb = state === 'skipped' || results.length === 0 ? [` ${statusOfState(state)}`] : []
    const { text, ...where } = problemAt(state, [subject, ...verb], sites)
    const [reason] = failedWave !== undefined && state === 'skipped' ? [] : results
    return {
      ...where,
      isChange: true,
      text: [...text, ...(reason ? [': ', ...reason] : [])],
      command:
        command === 'revert' ? make('drift') : make('plan', ...(isMixed ? [] : ['--wlan', key]))
    }
  })
}

/** The networks of results, each at its site. */
export function resultRows(
  results: readonly Result[],
  groups: readonly ChangeGroup[]
): PlacedRow[] {
  const byAddress = new Map(
    groups.flatMap(group => group.networks.map(({ address }) => [address, group] as const))
  )
  return results.map(result => {
    const { outcome, timeline } = result
    const { address } = outcome
    const about = compact({ change: byAddress.get(address), timeline })
    const state = outcomeState(outcome)
    return {
      site: siteOf(result),
      row: { address, key: keyOf(result), state, commands: [], ...about }
    }
  })
}

const MAX_SITES = 20

export function resultSection(
  about: Omit<Section, 'blocks'>,
  results: readonly Result[]
): Section[] {
  const rows = resultGroups(results).map(group => ({
    cells: [
      [[group.state]],
      [
        group.title,
        ...(group.networks.length > 1
          ? [
              namesText(
                group.networks.map(({ site }) => site),
                'site',
                MAX_SITES
              )
            ]
          : [])
      ],
      [
        ...(group.results ?? []),
        ...group.fields.map(field => [
          { kind: 'code', text: field.name } as const,
          ' ',
          ...field.value
        ])
      ]
    ],
    weight: group.networks.length
  }))
  return section(about, ['Outcome', 'Network', 'Details'], rows)
}

import type { DangerKind } from '../../core/model/danger.ts'
import { byDanger, countUnresolved, type Finding, isError } from '../../core/model/finding.ts'
import { countUnread, type Plan, type ShownChange } from '../../core/model/plan.ts'
import { byCodeUnit, compact, groupsBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { sentUncompared } from '../fields/secret-fields.ts'
import { addressPartsOf, splitAddress } from '../group-findings.ts'
import type { Text, Tone } from '../render/document.ts'
import type { ExecutedPlan, NextStep, PlanReport, RenderOptions } from '../report.ts'
import { waveNames } from '../wording/rollout.ts'
import { unwatchedNote } from '../wording/unwatched.ts'
import {
  deferredNote,
  formatRefused,
  formatTotals,
  ignoredNote,
  partNote,
  plannedForNote,
  planVerdict,
  snapshotAge
} from '../wording/verdict.ts'
import { type GroupedChanges, groupChanges } from './changes.ts'
import { messageText, planFindings } from './findings.ts'
import {
  byTrouble,
  driftHeadline,
  fleetCommand,
  planHeadline,
  problemAt,
  problemOf,
  type Trouble,
  troublesOf,
  undeclaredSteps
} from './headline.ts'
import type { NetworkRow, NetworkState, Overview, Problem, SiteRow } from './overview.ts'
import {
  checkedText,
  code,
  fieldsText,
  listText,
  notReadText,
  planSections,
  whereText
} from './sections.ts'
import { planSites, waveOfSites } from './sites.ts'
import {
  changeState,
  countStates,
  dangerStates,
  stateRank,
  tallyStates,
  worstState,
  worstTone
} from './states.ts'

type Make = ReturnType<typeof fleetCommand>
type Counts = ReadonlyMap<NetworkState, number>

export function planOverview(
  report: PlanReport,
  { fleet }: Pick<RenderOptions, 'fleet'>,
  isTerminal: boolean
): Overview {
  const { kind, plan, command: by, isPreview } = report
  const make = fleetCommand(fleet)
  const groups = groupChanges(kind, plan.changes, plannedState(kind, plan))
  const missing = lostNetworks(report, make)
  const counts = countNetworks(plan, groups, missing)
  const open = kind === 'drift' ? openNetworks(plan) : []
  const troubles = withMissing([...troublesOf(kind, groups), ...open], missing)
  const states = countStates(by ?? kind, counts)
  const headline = headlineOf(report, troubles, counts)
  return {
    kind: by ?? kind,
    tone: toneOf(kind, plan, counts),
    headline,
    verdict: isPreview && plan.changes.length === 0 ? [] : planVerdict(kind, plan, by),
    totals: formatTotals(plan.summary),
    coverage: coverageOf(report, troubles, headline, make),
    states,
    notDeclared: plan.unmanaged.length,
    first: problemsOf(report, troubles, make),
    changes: groups.map(({ group }) => group),
    findings: planFindings(report, isTerminal),
    sites: sitesOf(report, groups, missing, make),
    ...compact({ waves: waveNames(plan.rollout) }),
    sections: planSections(report),
    ...originOf(plan),
    ...(kind === 'drift' && { asOf: plan.created })
  }
}

/** The state of each changed network: refused and waiting ones only if the change itself is harmless. */
function plannedState(kind: PlanReport['kind'], plan: Plan): (change: ShownChange) => NetworkState {
  if (kind === 'drift') {
    const dangers = undeclaredFindings(plan)
    return change => {
      const danger = dangers.get(change.address)?.danger
      const state = changeState(kind, change)
      return danger === undefined ? state : worstState([state, dangerStates[danger]])
    }
  }
  const refused = new Map(
    (plan.refusals ?? []).flatMap(({ code, address, addresses = [] }) => {
      const state = code === 'PROTECTED' ? 'skipped' : 'refused'
      return [address ?? addresses].flat().map(each => [each, state] as const)
    })
  )
  const waiting = new Set((plan.deferred ?? []).map(({ address }) => address))
  return change => {
    const state = changeState(kind, change)
    if (state !== 'differs') return state
    return refused.get(change.address) ?? (waiting.has(change.address) ? 'waiting' : state)
  }
}

/** The worst finding about a field that no file declares, by network. */
function undeclaredFindings({ findings }: Plan): Map<string, Finding> {
  const found = findings.filter(({ code }) => code === 'UNDECLARED_CHANGED')
  const worstLast = [...found].sort(byDanger).reverse()
  return new Map(
    worstLast.flatMap(each => (each.address === undefined ? [] : [[each.address, each]]))
  )
}

/** A network that is not as it should be, although it has no change. */
interface LostNetwork extends NetworkRow {
  readonly danger?: DangerKind
  readonly ssid?: string
  /** No live network has its name. */
  readonly isMissing?: true
}

/**
 * The networks of a drift report without a change that no access point sends, because none is live, or that differ in a
 * field that no file declares.
 */
function lostNetworks({ kind, plan, since }: PlanReport, make: Make): LostNetwork[] {
  if (kind === 'plan') return []
  const changed = new Set(plan.changes.map(({ address }) => address))
  const missing = plan.findings.filter(({ code }) => code === 'WLAN_NOT_FOUND')
  const found = [...missing, ...undeclaredFindings(plan).values()]
  const rows = found.map((each): LostNetwork => {
    const { code, address = '', danger, ssid, message, not_adoptable } = each
    const isMissing = code === 'WLAN_NOT_FOUND'
    const commands = commandsOn(kind, address, make)
    const { site, key } = splitAddress(address)
    const steps = undeclaredSteps(make, since, '--site', site, '--wlan', key)
    return {
      address,
      key,
      state: isMissing ? 'off' : danger === undefined ? 'differs' : dangerStates[danger],
      reason: message,
      commands: isMissing
        ? commands
        : [...steps.slice(0, not_adoptable ? 1 : 2), ...commands.slice(-1)],
      ...compact({ danger: isMissing ? 'off' : danger, ssid }),
      ...(isMissing && { isMissing })
    }
  })
  const lost = rows.filter(({ address }) => address !== '' && !changed.has(address))
  return [...new Map(lost.map(row => [row.address, row])).values()]
}

/** The number of networks in each state; the sum is the number of networks of the plan. */
function countNetworks(
  { summary }: Plan,
  groups: readonly GroupedChanges[],
  missing: readonly LostNetwork[]
): Map<NetworkState, number> {
  const { unchanged, blocked } = summary
  const lost = Math.min(missing.filter(({ isMissing }) => isMissing).length, blocked)
  const undeclared = missing.filter(({ isMissing }) => !isMissing).slice(0, unchanged)
  return tallyStates([
    ...groups.map(({ group }) => ({ state: group.state, count: group.networks.length })),
    ...undeclared.map(({ state }) => ({ state })),
    { state: 'off', count: lost },
    { state: 'blocked', count: blocked - lost },
    { state: 'as-declared', count: unchanged - undeclared.length },
    { state: 'not-read', count: countUnread(summary) }
  ])
}

/** The troubles with those of networks without a change, worst first. */
function withMissing(troubles: readonly Trouble[], missing: readonly LostNetwork[]): Trouble[] {
  const others = groupsBy(missing, ({ key, danger, isMissing }) =>
    JSON.stringify([key, danger, isMissing])
  ).map((lost): Trouble => {
    const [{ state, danger, key, ssid, isMissing }] = lost
    const isOneName = lost.every(each => each.ssid === ssid)
    return {
      state,
      ...compact({ danger }),
      name: { kind: 'name', text: (isOneName && ssid) || key },
      key,
      sites: lost.map(({ address }) => splitAddress(address).site).sort(byCodeUnit),
      fields: [],
      ...(isMissing ? { isMissing } : { isUndeclared: true })
    }
  })
  return [...troubles, ...others].sort(byTrouble)
}

/** The networks that anybody can join, and no file declares. */
function openNetworks({ findings }: Plan): Trouble[] {
  const open = findings.filter(({ code }) => code === 'UNMANAGED_OPEN')
  if (open.length === 0) return []
  const sites = [...new Set(open.flatMap(({ address }) => address ?? []))].sort(byCodeUnit)
  const name = { kind: 'name', text: '' } as const
  const about = { name, key: '', sites, fields: [] }
  return [{ state: 'open', ...about, isUndeclared: true, unmanaged: open.length }]
}

function toneOf(kind: PlanReport['kind'], plan: Plan, counts: Counts): Tone {
  const { findings, refusals = [] } = plan
  const hasOpen = kind === 'drift' && findings.some(({ code }) => code === 'UNMANAGED_OPEN')
  if (hasOpen || refusals.some(isError)) return 'bad'
  const isUneasy = sentBlindly(kind, plan).length > 0 || movedNetworks(kind, plan) > 0
  return worstTone(counts, isUneasy ? 'warn' : 'good')
}

/** The number of networks with changed fields that no file declares, in a drift report. */
function movedNetworks(kind: PlanReport['kind'], { findings }: Plan): number {
  const moved = findings.filter(({ code }) => kind === 'drift' && code === 'UNDECLARED_CHANGED')
  return new Set(moved.map(({ address }) => address)).size
}

/** The worst troubles, or why `apply` would refuse the plan; empty for neither. */
function specialHeadline(kind: PlanReport['kind'], plan: Plan, troubles: readonly Trouble[]): Text {
  if (kind === 'drift') return driftHeadline(troubles)
  const worst = planHeadline(troubles)
  const refused = worst.length > 0 ? undefined : formatRefused(plan)
  return refused === undefined ? worst : [`Refused: ${refused}`]
}

/** The subject first; without a trouble the number of networks that change, or that are as declared. */
function headlineOf(
  { kind, plan }: PlanReport,
  troubles: readonly Trouble[],
  counts: Counts
): Text {
  const special = specialHeadline(kind, plan, troubles)
  if (special.length > 0) return special
  const { changes, summary, unmanaged } = plan
  const { wlans, sites, sites_failed: failed, unchanged, blocked } = summary
  if (changes.length > 0) {
    const at = new Set(changes.map(({ site }) => site.name)).size
    const s = changes.length === 1 ? 's' : ''
    const verb = kind === 'plan' ? `change${s}` : `differ${s} from the files`
    const of = at === sites ? '' : `${formatNumber(at)} of `
    return [`${plural(changes.length, 'network')} at ${of}${plural(sites, 'site')} ${verb}`]
  }
  if (failed > 0) return [notReadText(failed)]
  if (blocked > 0) return [`${plural(blocked, 'network')} could not be compared`]
  if (wlans === 0) {
    return [
      sites === 0
        ? 'This run covers no sites'
        : `No network is declared at ${plural(sites, 'site')}`
    ]
  }
  const moved = movedNetworks(kind, plan)
  if (moved > 0) {
    const differ = moved === 1 ? 'differs' : 'differ'
    return [`${plural(moved, 'network')} ${differ} in fields that no file declares`]
  }
  const others =
    unmanaged.length === 0 ? '' : `, and ${plural(unmanaged.length, 'other')} not declared`
  return unchanged === 1
    ? [`The network is as declared${others}`]
    : [
        `All ${formatNumber(counts.get('as-declared') ?? 0)} networks at ${plural(sites, 'site')} are as declared${others}`
      ]
}

/** How many sites differ, what the run could not look at, and what it covers. */
function coverageOf(
  { kind, plan }: PlanReport,
  troubles: readonly Trouble[],
  headline: Text,
  make: Make
): Text[] {
  const unavailable = kind === 'plan' ? countUnresolved(plan.findings) : 0
  const { summary } = plan
  const isSaid = headline[0] === notReadText(summary.sites_failed)
  const age = snapshotAge(plan)
  const sentences = [
    age && `Planned against a snapshot ${age}, not the live service`,
    partNote(plan),
    plannedForNote(plan),
    deferredNote(plan),
    unavailable > 0
      ? `${plural(unavailable, 'secret')} unavailable to this plan: \`apply\` compares the secrets, and writes those that differ`
      : undefined,
    unwatchedNote(plan, make('adopt', '--undeclared')),
    ignoredNote(plan)
  ]
  return [
    ...checkedText(plan, differingSites(kind, plan, troubles), isSaid),
    ...sentences.flatMap(sentence => (sentence === undefined ? [] : [messageText(sentence)]))
  ]
}

/** `63 of 300 sites differ from the files`; undefined if none does, or if the headline says how many do. */
function differingSites(
  kind: PlanReport['kind'],
  plan: Plan,
  troubles: readonly Trouble[]
): string | undefined {
  const count = new Set(troubles.flatMap(({ sites }) => sites)).size
  if (count === 0 || specialHeadline(kind, plan, troubles).length === 0) return undefined
  const verb = kind === 'plan' ? 'change' : 'differ'
  const s = count === 1 ? 's' : ''
  const from = kind === 'plan' ? '' : ' from the files'
  return `${formatNumber(count)} of ${plural(plan.summary.sites, 'site')} ${verb}${s}${from}`
}

const MAX_SELECTED = 5

/** The secrets that `apply` sends, or may send, although this plan could not compare them. */
function sentBlindly(kind: PlanReport['kind'], { changes }: Plan): Problem[] {
  const sent = changes
    .map(change => ({ change, fields: sentUncompared(change) }))
    .filter(({ fields }) => kind === 'plan' && fields.length > 0)
  const count = sent.reduce((sum, { fields }) => sum + fields.length, 0)
  if (count === 0) return []
  const places = groupsBy(sent, ({ change, fields }) =>
    JSON.stringify([addressPartsOf(change).key, fields])
  ).map((group): Text => {
    const where = whereText(group.map(({ change }) => change.address))
    return [...where, ' (', ...fieldsText(group[0].fields, 3), ')']
  })
  const why = 'the secret is unavailable to this plan, or the service hides the live one'
  const what = `${plural(count, 'secret')} written without comparison`
  return [
    { state: 'differs', text: [`${what}: ${why}: `, ...listText(places)], sites: [], count: 0 }
  ]
}

const MAX_FIRST = 4

function problemsOf(
  { kind, plan, since }: PlanReport,
  troubles: readonly Trouble[],
  make: Make
): Problem[] {
  const worst = kind === 'drift' ? 'wrong' : 'less-secure'
  const problems = troubles
    .filter(({ state }) => stateRank(state) <= stateRank(worst))
    .map(trouble => problemOf(trouble, kind, make, since))
  const others = [
    ...sentBlindly(kind, plan),
    ...unreadProblem(kind, plan, make),
    ...refusedProblem(kind, plan)
  ]
  const free = MAX_FIRST - others.length
  return [...problems.slice(0, free), ...others]
}

function unreadProblem(kind: PlanReport['kind'], { findings }: Plan, make: Make): Problem[] {
  const sites = findings.flatMap(({ code, address }) =>
    code === 'SITE_NOT_READ' && address !== undefined ? address : []
  )
  if (sites.length === 0) return []
  return [
    {
      ...problemAt('not-read', [], sites),
      text: [notReadText(sites.length)],
      ...(sites.length <= MAX_SELECTED && {
        command: make(kind, ...sites.flatMap(site => ['--site', site]))
      })
    }
  ]
}

function refusedProblem(kind: PlanReport['kind'], plan: Plan): Problem[] {
  const reasons = formatRefused(plan)
  if (kind === 'drift' || reasons === undefined) return []
  return [
    { state: 'refused', text: [`apply would refuse this plan: ${reasons}`], sites: [], count: 0 }
  ]
}

function sitesOf(
  { kind, plan, verdicts }: PlanReport,
  groups: readonly GroupedChanges[],
  missing: readonly NetworkRow[],
  make: Make
): SiteRow[] {
  const commands = (address: string) => commandsOn(kind, address, make)
  const changed = groups.flatMap(({ group, changes }) =>
    changes.map(({ address, site }) => {
      const { key, state } = group
      const row = { address, key, state, change: group, commands: commands(address) }
      return { site: site.name, row }
    })
  )
  const lost = missing.map(row => ({ site: splitAddress(row.address).site, row }))
  const waveOf = waveOfSites(
    kind === 'plan' ? plan.rollout : [],
    plan.changes.map(({ site }) => site.name)
  )
  return planSites(plan.findings, verdicts, [...changed, ...lost], waveOf, commands)
}

function commandsOn(kind: PlanReport['kind'], address: string, make: Make): NextStep[] {
  const { site, key } = splitAddress(address)
  const one = ['--site', site, '--wlan', key]
  const explain = [make('explain', address), 'shows where each value comes from'] as const
  if (kind === 'plan') return [[make('apply', ...one), 'makes this change'], explain]
  return [
    [make('apply', ...one), 'puts the declared values back'],
    [make('adopt', ...one), 'writes the live values into the files'],
    explain
  ]
}

export function originOf({
  digest,
  base_url,
  created,
  tool
}: Pick<ExecutedPlan, 'digest' | 'base_url' | 'created' | 'tool'>) {
  const origin: Text = ['Made ', code(created), ' by ', code(tool), ' for ', code(base_url)]
  return { origin, ...compact({ digest }) }
}

import { type Finding, isError, isPolicyRefusal } from '../../core/model/finding.ts'
import { type Outcome, outcomeData, tally } from '../../core/model/outcome.ts'
import type { Plan, WlanPlan } from '../../core/model/plan.ts'
import type { RecordedRun } from '../../core/model/record.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { plannedForNote } from '../calendar.ts'
import { severityOf } from '../field-changes.ts'
import { thousands } from '../format-value.ts'
import { addressPartsOf } from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import { allChanges } from '../periods.ts'
import type {
  ExecutedPlan,
  FindingsReport,
  OutcomesReport,
  PlannedWlan,
  PlanReport,
  Report
} from '../report.ts'
import { wavesWithChanges } from '../rollout.ts'
import { notComparedPointers } from '../secret-fields.ts'
import { formatFindingsVerdict as findingsSentence } from '../text/findings.ts'
import { commandTitle, formatOutcomesVerdict, formatStatusCounts } from '../text/outcomes.ts'
import { formatTotal } from '../text/record.ts'
import { undeclaredNote, unwatchedNote, unwatchedRows } from '../unwatched.ts'
import {
  clientsNote,
  formatMissing,
  formatTotals,
  INCOMPLETE_RECORD,
  ignoredNote,
  partNote,
  formatPlanVerdict as planSentence,
  snapshotAge,
  splitFindings,
  UNCONFIRMED
} from '../verdict.ts'
import type { CellStatus } from './cell-status.ts'
import { cellPositionOf, FleetEncoder } from './fleet-encoder.ts'
import type { OutcomeDetails, PageData, ReportVerdict, View } from './page-data.ts'
import { timesOf } from './times.ts'

/** The data of a report for its page. */
export function pageData(report: Report): PageData {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return { views: [planView(report)] }
    case 'outcomes':
      return { views: [outcomesView(report)] }
    case 'findings':
      return {
        views: [
          {
            ...emptyView,
            mode: 'findings',
            verdict: findingsVerdict(report),
            facts: present([['Not watched', undeclaredNote(report.unwatched)]]),
            unwatched: unwatchedRows(report.unwatched ?? {}).slice(0, MAX_UNWATCHED_ROWS),
            findings: report.findings
          }
        ]
      }
    case 'record': {
      const { runs } = report
      const total = runs.length > 1 ? `; ${thousands(formatTotal(runs, style))}` : ''
      const [last, ...earlier] = runs.toReversed().map(run => {
        const view = runView(run)
        return { ...view, accounts: view.accounts + total }
      })
      return { views: [last ?? emptyView, ...earlier] }
    }
  }
}

/** The view of a record without runs, and the defaults of other views. */
const emptyView: View = {
  name: '',
  mode: 'outcomes',
  verdict: { tone: 'note', text: 'The record contains no runs' },
  accounts: '',
  facts: [],
  dated: false,
  fleet: new FleetEncoder().encode(0),
  waves: [],
  changes: [],
  outcomes: [],
  unmanaged: [],
  inherited: [],
  uncompared: {},
  findings: [],
  unwatched: [],
  refusals: [],
  weakened: []
}

function planView({ kind, plan, command, verdicts = [] }: PlanReport): View {
  const fleet = new FleetEncoder()
  const unnamed = encodePlan(fleet, plan, verdicts)
  const { weakened, dangers, others } = splitFindings(plan, command)
  return {
    ...viewOf(plan),
    mode: kind,
    weakened,
    findings: [...dangers, ...others],
    refusals: plan.refusals ?? [],
    ...compact({ command }),
    verdict: planVerdict(kind, plan, command),
    accounts: [
      thousands(formatTotals(plan.summary)),
      ...[clientsNote(plan) ?? [], plannedForNote(plan) ?? []].flat(),
      formatTime(plan.created)
    ].join('; '),
    fleet: fleet.encode(unnamed),
    waves: kind === 'plan' ? wavesOf(plan) : [],
    ...timesOf(plan)
  }
}

function outcomesView(report: OutcomesReport): View {
  const { plan, outcomes, clients, verdicts = [], timeline } = report
  const { clients: _, ...withoutClients } = plan
  const fleet = new FleetEncoder()
  const unnamed = encodePlan(fleet, plan, verdicts)
  encodeOutcomes(fleet, outcomes)
  return {
    ...viewOf({ ...withoutClients, ...compact({ clients }) }),
    verdict: outcomesVerdict(report),
    accounts: [thousands(formatTotals(plan.summary)), ...[clientsNote(report) ?? []].flat()].join(
      '; '
    ),
    fleet: fleet.encode(unnamed),
    waves: wavesOf(plan),
    outcomes: outcomes.map(
      (outcome): OutcomeDetails => ({
        ...outcomeData(outcome),
        events: timeline?.get(outcome.address) ?? []
      })
    )
  }
}

/** The members of a view that come from a plan. */
function viewOf(plan: ExecutedPlan): View {
  const { changes, unmanaged, inherited = [], findings, not_compared, since } = plan
  return {
    ...emptyView,
    facts: planFacts(plan),
    dated: since !== undefined,
    changes,
    unmanaged,
    inherited,
    uncompared: Object.fromEntries(
      not_compared.map(entry => [entry.address, notComparedPointers(entry)])
    ),
    findings,
    unwatched: unwatchedRows(plan).slice(0, MAX_UNWATCHED_ROWS)
  }
}

/** The maximum number of rows of unwatched fields on a page; the JSON report contains all. */
const MAX_UNWATCHED_ROWS = 200

/** The waves with changes; empty if there is only the unnamed last wave, which implies no order. */
function wavesOf(plan: ExecutedPlan): View['waves'] {
  const waves = wavesWithChanges(plan)
  const [first] = waves
  return waves.length === 1 && first?.name === undefined ? [] : waves
}

function runView(run: RecordedRun): View {
  const { id, started, changes } = run
  const fleet = new FleetEncoder()
  encodeOutcomes(
    fleet,
    changes.map(({ outcome }) => outcome)
  )
  return {
    ...emptyView,
    name: id,
    verdict: recordVerdict(run),
    accounts: `Run ${id}, ${formatTime(started)}`,
    facts: runFacts(run),
    fleet: fleet.encode(0),
    waves: recordedWaves(run),
    changes: changes.map(({ change }) => change),
    outcomes: changes.map(
      ({ outcome, lostSecrets, timeline }): OutcomeDetails => ({
        ...outcomeData(outcome),
        events: timeline,
        ...(lostSecrets.length === 0 ? {} : { lostSecrets })
      })
    )
  }
}

/** The waves of a run, each with the sites of the changes that were attempted in it. */
function recordedWaves({ waves = [], changes }: RecordedRun): View['waves'] {
  const attempts = changes.flatMap(({ change, outcome, timeline }) => {
    const at = outcome.status === 'skipped' ? undefined : timeline[0]?.at
    return at === undefined ? [] : [{ site: change.site.name, at }]
  })
  // Waves do not overlap: a change belongs to the last wave that started before it.
  attempts.sort((a, b) => byCodeUnit(a.at, b.at))
  let next = 0
  return waves.map((wave, index) => {
    const end = waves[index + 1]?.started
    const sites = new Set<string>()
    for (let each = attempts[next]; each !== undefined; each = attempts[next]) {
      if (end !== undefined && each.at >= end) break
      if (each.at >= wave.started) sites.add(each.site)
      next += 1
    }
    return { ...wave, sites: [...sites] }
  })
}

const plannedStatus: Readonly<Record<WlanPlan['status'], CellStatus>> = {
  changed: 'none',
  unchanged: 'sync',
  blocked: 'blocked',
  unread: 'unread'
}

/**
 * Encodes all WLANs in a plan. Without verdicts, as in a saved plan, WLANs in sync are missing; returns their
 * number.
 */
function encodePlan(
  fleet: FleetEncoder,
  plan: ExecutedPlan,
  verdicts: readonly PlannedWlan[]
): number {
  const severities = new Map(plan.changes.map(change => [change.address, severityOf(change)]))
  const added = new Set<string>()
  for (const { address, status } of verdicts) {
    const severity = status === 'changed' ? severities.get(address) : undefined
    if (severity !== undefined) added.add(address)
    fleet.add(address, severity ?? plannedStatus[status])
  }
  for (const change of plan.changes) {
    if (!added.has(change.address)) fleet.set(addressPartsOf(change), severityOf(change))
  }
  for (const { address } of plan.not_compared) fleet.set(cellPositionOf(address), 'uncompared')
  for (const { site } of [...plan.unmanaged, ...(plan.inherited ?? [])]) fleet.addSite(site)
  for (const finding of plan.findings) encodeFinding(fleet, finding, severities)
  return verdicts.length > 0 ? 0 : Math.max(0, plan.summary.unchanged - plan.not_compared.length)
}

/** A WLAN or site that is not in the plan has a finding instead, also in saved plans. */
function encodeFinding(
  fleet: FleetEncoder,
  finding: Finding,
  changed: ReadonlyMap<string, CellStatus>
): void {
  const { address, code } = finding
  if (address === undefined || !isError(finding)) return
  if (code === 'SITE_NOT_READ') {
    // A saved plan does not contain the WLANs of such a site.
    if (fleet.addSite(address)) fleet.set({ site: address, key: '' }, 'unread')
  } else if (code !== 'UNDECLARED_CHANGED' && !isPolicyRefusal(finding) && !changed.has(address))
    fleet.set(cellPositionOf(address), 'blocked')
}

function encodeOutcomes(fleet: FleetEncoder, outcomes: readonly Outcome[]): void {
  for (const { address, status } of outcomes) fleet.set(cellPositionOf(address), status)
}

const style = styleOf({ colour: false, width: 80 })

const INCOMPLETE = 'WLANs that were not read or are blocked are not compared; see the findings.'
const PLAN_AGAIN = 'Run plan again: it shows the remaining changes, and apply sends only those.'

function planVerdict(
  kind: PlanReport['kind'],
  plan: Plan,
  command: PlanReport['command']
): ReportVerdict {
  const text = thousands(planSentence(kind, plan, style, command))
  if (formatMissing(plan) !== undefined) return { tone: 'bad', text, advice: INCOMPLETE }
  if ([...plan.findings, ...(plan.refusals ?? [])].some(isError)) return { tone: 'bad', text }
  const changes = allChanges(plan)
  if (changes.length === 0) return { tone: 'good', text }
  const isHarmful = changes.some(change => severityOf(change) !== 'none')
  return { tone: isHarmful ? 'warn' : 'note', text }
}

function outcomesVerdict(report: OutcomesReport): ReportVerdict {
  const { outcomes, plan, failedWave } = report
  const text = thousands(formatOutcomesVerdict(report, style))
  if (failedWave !== undefined)
    return { text, tone: 'bad', advice: `Failed: ${failedWave}. ${PLAN_AGAIN}` }
  const rating = rate(outcomes)
  return formatMissing(plan) === undefined ? { ...rating, text } : { ...rating, text, tone: 'bad' }
}

function recordVerdict({ command, changes, ended, confirmation }: RecordedRun): ReportVerdict {
  const outcomes = changes.map(({ outcome }) => outcome)
  const result = outcomes.length === 0 ? 'no changes' : formatStatusCounts(outcomes, style)
  const text = thousands(`${commandTitle(command)}: ${result}`)
  if (ended !== undefined) return { ...rate(outcomes), text }
  if (confirmation !== undefined && confirmation.ended === undefined) {
    return { tone: 'bad', text, advice: `The changes are ${UNCONFIRMED}.` }
  }
  return { tone: 'bad', text, advice: `${INCOMPLETE_RECORD} ${PLAN_AGAIN}` }
}

function rate(outcomes: readonly Outcome[]): Pick<ReportVerdict, 'tone' | 'advice'> {
  const { unknown, diverged, failed, stale, skipped, reverted } = tally(outcomes)
  if (unknown + diverged + failed > 0) return { tone: 'bad', advice: PLAN_AGAIN }
  return stale + skipped + reverted > 0 ? { tone: 'warn', advice: PLAN_AGAIN } : { tone: 'good' }
}

function findingsVerdict(report: FindingsReport): ReportVerdict {
  const text = thousands(findingsSentence(report, style))
  if (report.findings.some(isError)) return { tone: 'bad', text }
  const isCalm = report.findings.every(({ level }) => level === 'info')
  return { tone: isCalm ? 'good' : 'warn', text }
}

function planFacts(plan: ExecutedPlan): View['facts'] {
  const { base_url, created, tool, digest, since } = plan
  return present([
    ['Service', base_url],
    ['Created', formatTime(created)],
    ['Clients', clientsNote(plan)],
    ['Planned for', plan.at && formatTime(plan.at)],
    ['Covers', partNote(plan)],
    ['Snapshot', snapshotAge(plan)],
    ['Compared with the plan of', since && formatTime(since.created)],
    ['First seen now', since && plural(since.new_fields, 'field')],
    ['Not watched', unwatchedNote(plan)],
    ['Ignored', ignoredNote(plan)],
    ['Tool', tool],
    ['Digest', digest]
  ])
}

function runFacts(run: RecordedRun): View['facts'] {
  const { id, baseUrl, started, ended, tool, digest } = run
  return [
    ['Service', baseUrl],
    ['Run', id],
    ['Started', formatTime(started)],
    ['Ended', ended === undefined ? 'unknown' : formatTime(ended)],
    ['Tool', tool],
    ['Digest', digest]
  ]
}

function present(facts: readonly (readonly [string, string | undefined])[]): View['facts'] {
  return facts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]))
}

import { byCodeUnit } from '../../model/collections.ts'
import { outcomeData } from '../../model/outcome.ts'
import type { RecordedRun } from '../../model/record.ts'
import { shownTime } from '../age.ts'
import type {
  CarriedOut,
  FindingsReport,
  OutcomesReport,
  PlanReport,
  RecordReport,
  Report
} from '../report.ts'
import { busyWaves } from '../rollout.ts'
import { accounts } from '../text/verdict.ts'
import { thousands } from '../words.ts'
import type { PageData, Told, View } from './data.ts'
import { fillOutcomes, fillPlan } from './fill.ts'
import { FleetWriter } from './fleet.ts'
import {
  findingsVerdict,
  outcomesVerdict,
  planFacts,
  planVerdict,
  recordVerdict,
  runFacts
} from './verdicts.ts'

/** What of a report the page shows. */
export function pageData(report: Report): PageData {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return { views: [planView(report)] }
    case 'outcomes':
      return { views: [outcomesView(report)] }
    case 'findings':
      return { views: [findingsView(report)] }
    case 'record':
      return recordData(report)
  }
}

const nothing = {
  waves: [],
  changes: [],
  outcomes: [],
  unmanaged: [],
  uncompared: {},
  findings: []
}

function planView({ kind, plan, verdicts = [] }: PlanReport): View {
  const fleet = new FleetWriter()
  const unnamed = fillPlan(fleet, plan, verdicts)
  return {
    name: '',
    mode: kind,
    verdict: planVerdict(kind, plan),
    accounts: `${thousands(accounts(plan.summary))}; ${shownTime(plan.created)}`,
    facts: planFacts(plan),
    fleet: fleet.data(unnamed),
    waves: kind === 'plan' ? wavesOf(plan) : [],
    changes: plan.changes,
    outcomes: [],
    unmanaged: plan.unmanaged,
    uncompared: uncomparedIn(plan),
    findings: plan.findings
  }
}

/** The waves, where they tell an order: not, where all is in the last one, which has no name. */
function wavesOf(plan: CarriedOut): View['waves'] {
  const waves = busyWaves(plan)
  const [first] = waves
  return waves.length === 1 && first?.name === undefined ? [] : waves
}

function uncomparedIn({ not_compared }: CarriedOut): View['uncompared'] {
  return Object.fromEntries(not_compared.map(({ address, pointers }) => [address, pointers]))
}

function outcomesView(report: OutcomesReport): View {
  const { plan, outcomes, verdicts = [], moments } = report
  const fleet = new FleetWriter()
  const unnamed = fillPlan(fleet, plan, verdicts)
  fillOutcomes(fleet, outcomes)
  return {
    name: '',
    mode: 'outcomes',
    verdict: outcomesVerdict(report),
    accounts: thousands(accounts(plan.summary)),
    facts: planFacts(plan),
    fleet: fleet.data(unnamed),
    waves: wavesOf(plan),
    changes: plan.changes,
    outcomes: outcomes.map(
      (outcome): Told => ({
        ...outcomeData(outcome),
        moments: moments?.get(outcome.address) ?? []
      })
    ),
    unmanaged: plan.unmanaged,
    uncompared: uncomparedIn(plan),
    findings: plan.findings
  }
}

function recordData({ runs }: RecordReport): PageData {
  const [last, ...earlier] = runs.toReversed().map(runView)
  return { views: [last ?? emptyRecord, ...earlier] }
}

/** A record that nothing was written to. */
const emptyRecord: View = {
  ...nothing,
  name: '',
  mode: 'outcomes',
  verdict: { tone: 'note', text: 'The record holds no run' },
  accounts: '',
  facts: [],
  fleet: { columns: [], shapes: [], sites: [], unnamed: 0 }
}

function runView(run: RecordedRun): View {
  const fleet = new FleetWriter()
  const outcomes = run.changes.map(({ outcome }) => outcome)
  fillOutcomes(fleet, outcomes)
  return {
    ...nothing,
    name: run.id,
    mode: 'outcomes',
    verdict: recordVerdict(run),
    accounts: `Run ${run.id}, ${shownTime(run.started)}`,
    facts: runFacts(run),
    fleet: fleet.data(0),
    waves: wavesIn(run),
    changes: run.changes.map(({ change }) => change),
    outcomes: run.changes.map(
      ({ outcome, lostSecrets, moments }): Told => ({
        ...outcomeData(outcome),
        moments,
        ...(lostSecrets.length === 0 ? {} : { lost: lostSecrets })
      })
    )
  }
}

/** The waves of a run with the sites in which something was tried while they went on. */
function wavesIn({ waves = [], changes }: RecordedRun): View['waves'] {
  const tried = changes.flatMap(({ change, outcome, moments }) => {
    const at = outcome.status === 'skipped' ? undefined : moments[0]?.at
    return at === undefined ? [] : [{ site: change.site.name, at }]
  })
  // Waves follow each other: the last one that began before a change has it.
  tried.sort((a, b) => byCodeUnit(a.at, b.at))
  let from = 0
  return waves.map((wave, nth) => {
    const next = waves[nth + 1]?.started
    const sites = new Set<string>()
    for (let each = tried[from]; each !== undefined; each = tried[from]) {
      if (next !== undefined && each.at >= next) break
      if (each.at >= wave.started) sites.add(each.site)
      from += 1
    }
    return { ...wave, sites: [...sites] }
  })
}

function findingsView(report: FindingsReport): View {
  return {
    ...nothing,
    name: '',
    mode: 'findings',
    verdict: findingsVerdict(report),
    accounts: '',
    facts: [],
    fleet: new FleetWriter().data(0),
    findings: report.findings
  }
}

import { outcomeData } from '../../model/outcome.ts'
import type { RecordedRun } from '../../model/record.ts'
import { shownTime } from '../age.ts'
import { thousands } from '../markdown/code.ts'
import type { FindingsReport, OutcomesReport, PlanReport, RecordReport, Report } from '../report.ts'
import { accounts } from '../text-verdict.ts'
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
  changes: [],
  outcomes: [],
  unmanaged: [],
  uncompared: {},
  owners: {},
  findings: []
}

function planView({ kind, plan, verdicts = [] }: PlanReport): View {
  const fleet = new FleetWriter()
  fillPlan(fleet, plan, verdicts)
  return {
    name: '',
    mode: kind,
    verdict: planVerdict(kind, plan),
    accounts: thousands(accounts(plan.summary)),
    facts: planFacts(plan),
    fleet: fleet.data(plan.summary.unchanged),
    changes: plan.changes,
    outcomes: [],
    unmanaged: plan.unmanaged,
    uncompared: uncomparedIn(plan),
    owners: ownersIn(verdicts),
    findings: plan.findings
  }
}

function uncomparedIn({ not_compared }: OutcomesReport['plan']): View['uncompared'] {
  return Object.fromEntries(not_compared.map(({ address, pointers }) => [address, pointers]))
}

function ownersIn(verdicts: NonNullable<PlanReport['verdicts']>): View['owners'] {
  return Object.fromEntries(
    verdicts.flatMap(({ address, status, owner }) =>
      owner === undefined || status === 'unchanged' ? [] : [[address, owner]]
    )
  )
}

function outcomesView(report: OutcomesReport): View {
  const { plan, outcomes, verdicts = [] } = report
  const fleet = new FleetWriter()
  fillPlan(fleet, plan, verdicts)
  fillOutcomes(fleet, outcomes)
  return {
    name: '',
    mode: 'outcomes',
    verdict: outcomesVerdict(report),
    accounts: thousands(accounts(plan.summary)),
    facts: planFacts(plan),
    fleet: fleet.data(plan.summary.unchanged),
    changes: plan.changes,
    outcomes: outcomes.map(outcomeData),
    unmanaged: plan.unmanaged,
    uncompared: uncomparedIn(plan),
    owners: ownersIn(verdicts),
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
    changes: run.changes.map(({ change }) => change),
    outcomes: run.changes.map(
      ({ outcome, lostSecrets }): Told => ({
        ...outcomeData(outcome),
        ...(lostSecrets.length === 0 ? {} : { lost: lostSecrets })
      })
    )
  }
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

import type { FindingLevel } from '../../core/model/finding.ts'
import { type OutcomesData, outcomeData, tally } from '../../core/model/outcome.ts'
import type { RecordedRun } from '../../core/model/record.ts'
import { compact } from '../../core/values/collections.ts'
import type { FindingsReport, OutcomesReport, Report } from '../report.ts'

/** A report as data for JSON; secrets are written as references. */
export function reportData(report: Report): unknown {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return report.plan
    case 'outcomes':
      return outcomesData(report)
    case 'findings':
      return findingsData(report)
    case 'record':
      return {
        format: 'wlanctl-runs/1',
        summary: tally(report.runs.flatMap(({ changes }) => changes.map(({ outcome }) => outcome))),
        runs: report.runs.map(runData)
      }
  }
}

function outcomesData(report: OutcomesReport): OutcomesData {
  const { plan, outcomes, failedWave } = report
  // Existing findings are not related to the outcomes.
  const findings = plan.findings.filter(({ existing }) => !existing)
  const { shard, commit, tool, created, base_url, summary: planned } = plan
  return {
    format: 'wlanctl-outcomes/1',
    ...compact({ shard, commit }),
    tool,
    created,
    base_url,
    planned,
    summary: tally(outcomes),
    ...compact({ failed_wave: failedWave }),
    outcomes: outcomes.map(outcomeData),
    ...(findings.length > 0 && { findings })
  }
}

function runData(run: RecordedRun) {
  const { changes, waves, id, command, tool, baseUrl, digest, started, ended } = run
  return {
    run: id,
    command,
    tool,
    base_url: baseUrl,
    digest,
    started,
    ...compact({ ended }),
    summary: tally(changes.map(({ outcome }) => outcome)),
    ...compact({ waves }),
    outcomes: changes.map(({ change, lostSecrets, outcome, at }) => ({
      ...outcomeData(outcome),
      ...compact({ at }),
      ...(lostSecrets.length > 0 && { lost_secrets: lostSecrets }),
      change
    }))
  }
}

function findingsData(report: FindingsReport): unknown {
  const { findings, declared, read, imported, unwatched, tests } = report
  const count = (level: FindingLevel) => findings.filter(found => found.level === level).length
  const { files, secrets, waivers, secretValues: _, dryRun: __, ...numbers } = imported ?? {}
  const cases = tests?.map(test => ({
    name: test.name,
    status: test.findings.length > 0 ? 'failed' : 'passed',
    place: test.place
  }))
  const failed = cases?.filter(({ status }) => status === 'failed').length
  return {
    format: 'wlanctl-findings/1',
    summary: {
      errors: count('error'),
      warnings: count('warning'),
      ...declared,
      ...read,
      ...numbers,
      ...(tests && { tests: tests.length, failed })
    },
    ...compact({ tests: cases }),
    ...unwatched,
    ...(imported && compact({ files, waivers, secrets })),
    findings
  }
}

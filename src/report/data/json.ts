import type { Replay } from '../../core/history/replay.ts'
import { isError } from '../../core/model/finding.ts'
import { type OutcomesData, outcomeData, tally } from '../../core/model/outcome.ts'
import type { RecordedRun } from '../../core/model/record.ts'
import { compact } from '../../core/values/collections.ts'
import type { FindingsReport, OutcomesReport, Report, TestCaseResult } from '../report.ts'

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

function outcomesData({
  plan,
  outcomes,
  clients,
  judgements,
  failedWave
}: OutcomesReport): OutcomesData {
  // Existing findings are not related to the outcomes.
  const findings = plan.findings.filter(({ existing }) => !existing)
  const { shard, tool, created, base_url, summary: planned } = plan
  return {
    format: 'wlanctl-outcomes/1',
    ...compact({ shard }),
    tool,
    created,
    base_url,
    planned,
    summary: tally(outcomes),
    ...compact({ clients, judgements, failed_wave: failedWave }),
    outcomes: outcomes.map(outcomeData),
    ...(findings.length === 0 ? {} : { findings })
  }
}

function runData({
  changes,
  waves,
  confirmation,
  id,
  command,
  tool,
  baseUrl,
  digest,
  started,
  ended
}: RecordedRun) {
  return {
    run: id,
    command,
    tool,
    base_url: baseUrl,
    digest,
    started,
    ...compact({ ended }),
    summary: tally(changes.map(({ outcome }) => outcome)),
    ...compact({ waves, confirmation }),
    outcomes: changes.map(({ change, lostSecrets, outcome, at }) => ({
      ...outcomeData(outcome),
      ...compact({ at }),
      ...(lostSecrets.length === 0 ? {} : { lost_secrets: lostSecrets }),
      change
    }))
  }
}

function replayData({ affected, notJudged, ...summary }: Replay) {
  return { summary, runs: affected, not_judged: notJudged }
}

function isFailed({ findings }: TestCaseResult): boolean {
  return findings.length > 0
}

function findingsData(report: FindingsReport): unknown {
  const { findings, declared, read, imported, unwatched, replay, tests } = report
  const errors = findings.filter(isError).length
  const { files, secrets, profiles, waivers, secretValues: _, ...numbers } = imported ?? {}
  return {
    format: 'wlanctl-findings/1',
    summary: {
      errors,
      warnings: findings.filter(({ level }) => level === 'warning').length,
      ...declared,
      ...read,
      ...numbers,
      ...(tests && { tests: tests.length, failed: tests.filter(isFailed).length })
    },
    ...(tests && {
      tests: tests.map(test => ({
        name: test.name,
        status: isFailed(test) ? 'failed' : 'passed',
        place: test.place
      }))
    }),
    ...unwatched,
    ...(replay && { replay: replayData(replay) }),
    ...(imported && { files, ...(profiles && { profiles }), ...(waivers && { waivers }), secrets }),
    findings
  }
}

import { isError } from '../model/finding.ts'
import { type Outcome, tally } from '../model/outcome.ts'
import type { FindingsReport, OutcomesReport, Report } from './report.ts'

/** A report as JSON for programs; secrets write their reference. */
export function json(report: Report): string {
  return `${JSON.stringify(data(report), null, 2)}\n`
}

function data(report: Report): unknown {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return report.plan
    case 'outcomes':
      return outcomesData(report)
    case 'findings':
      return findingsData(report)
  }
}

function outcomesData({ plan, outcomes }: OutcomesReport): unknown {
  return {
    format: 'wlanctl-outcomes/1',
    summary: tally(outcomes),
    outcomes: outcomes.map(outcomeData),
    findings: plan.findings
  }
}

function outcomeData(outcome: Outcome): unknown {
  const { address, status, fields, reason, sideEffects, notVerifiable } = outcome
  return {
    address,
    status,
    ...(fields.length === 0 ? {} : { fields }),
    ...(reason === undefined ? {} : { reason }),
    ...(sideEffects.length === 0 ? {} : { side_effects: sideEffects }),
    ...(notVerifiable.length === 0 ? {} : { not_verifiable: notVerifiable })
  }
}

function findingsData({ findings, declared }: FindingsReport): unknown {
  const errors = findings.filter(isError).length
  return {
    format: 'wlanctl-findings/1',
    summary: { errors, warnings: findings.length - errors, ...declared },
    findings
  }
}

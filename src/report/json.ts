import { isError } from '../model/finding.ts'
import { type Outcome, tally } from '../model/outcome.ts'
import { COMMAND, UNPRINTABLE } from './escape.ts'
import type { FindingsReport, OutcomesReport, Report } from './report.ts'

/**
 * A report as JSON for programs; secrets write their reference. A CI log may show it: characters
 * that would do something there are written as escapes, which mean the same to a program.
 */
export function json(report: Report): string {
  const text = JSON.stringify(data(report), null, 2)
  return `${text.replace(UNPRINTABLE, escapeCharacter).replace(COMMAND, '#\\u0023')}\n`
}

/** The line breaks are ours: those of a text are escaped already. */
function escapeCharacter(character: string): string {
  if (character === '\n') return character
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
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
    ...(plan.findings.length === 0 ? {} : { findings: plan.findings })
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

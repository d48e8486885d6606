import { isError } from '../../core/model/finding.ts'
import { compact } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import { countFindings } from '../lint-findings.ts'
import type { Text } from '../render/document.ts'
import type { FindingsReport, RenderOptions, Report } from '../report.ts'
import { inCode } from '../unwatched.ts'
import { validationNotes } from '../validation-notes.ts'
import { findingsVerdict } from '../verdict.ts'
import { findingGroups, messageText } from './findings.ts'
import { outcomesOverview } from './outcomes.ts'
import type { Overview } from './overview.ts'
import { planOverview } from './plan.ts'
import { recordOverview } from './record.ts'

/** The facts of a result that every format sets. */
export function overviewOf(report: Report, options: Pick<RenderOptions, 'fleet'>): Overview {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return planOverview(report, options)
    case 'outcomes':
      return outcomesOverview(report, options)
    case 'record':
      return recordOverview(report, options)
    case 'findings':
      return findingsOverview(report)
  }
}

/** The overview of a validation, a snapshot or an import, which have no networks with states. */
function findingsOverview(report: FindingsReport): Overview {
  const { text, tone } = findingsVerdict(report)
  const { read, imported, tests } = report
  const comment = tests ? ('tests' as const) : (read ?? imported) && ('snapshot' as const)
  return {
    kind: 'findings',
    ...compact({ comment }),
    tone,
    headline: headlineOf(report) ?? text,
    verdict: text,
    coverage: validationNotes(report, inCode).map(messageText),
    states: [],
    notDeclared: 0,
    first: [],
    changes: [],
    findings: findingGroups(report.findings, report),
    sites: [],
    sections: [],
    next: [],
    origin: []
  }
}

function headlineOf({
  findings,
  declared,
  read,
  imported,
  tests
}: FindingsReport): Text | undefined {
  if ((read ?? imported ?? tests) !== undefined) return undefined
  const errors = countFindings(findings.filter(isError))
  if (errors > 0 || declared === undefined) return [`${plural(errors, 'error')} in the files`]
  return [
    `The files are valid: ${plural(declared.wlans, 'network')} at ${plural(declared.sites, 'site')}`
  ]
}

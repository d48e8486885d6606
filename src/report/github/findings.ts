import type { Finding } from '../../model/finding.ts'
import { isError } from '../../model/finding.ts'
import type { GroupedFindings } from '../group-findings.ts'
import type { FindingsReport, RenderOptions } from '../report.ts'
import { styleOf } from '../style.ts'
import { alikeFindings, findingBlocks, verdict, withoutIds } from '../text/findings.ts'
import { type Annotation, group } from './command.ts'
import { annotationLines } from './limit.ts'
import { named } from './location.ts'

/** The findings of the files: all of them in the log, the first ones at their lines, the verdict last. */
export function findingsGithub(report: FindingsReport, manner: RenderOptions): string {
  return [
    findingsGroup(report.findings, manner),
    annotationLines(findingAnnotations(report.findings)),
    `${verdict(report, styleOf(manner))}\n`
  ].join('')
}

/** All findings as text, in a fold of the log. */
export function findingsGroup(findings: readonly Finding[], manner: RenderOptions): string {
  const blocks = findingBlocks(findings, manner, styleOf(manner))
  return group(`Findings (${findings.length})`, blocks.join('\n'))
}

/** An annotation for each finding, one for those that say the same. */
export function findingAnnotations(findings: readonly Finding[]): Annotation[] {
  return alikeFindings(findings).map(annotationOf)
}

function annotationOf(found: GroupedFindings<Finding>): Annotation {
  const [{ code, message, hint, place, path, owner }] = found
  const addresses = found.flatMap(({ address }) => address ?? [])
  const about = path ?? named(addresses, code === 'SITE_NOT_READ' ? 'site' : 'WLAN')
  return {
    level: isError(found[0]) ? 'error' : 'warning',
    title: code,
    lines: [
      found.length > 1 && code === 'SITE_NOT_READ' ? withoutIds(message) : message,
      ...(hint === undefined ? [] : [hint]),
      ...(about === '' ? [] : [about]),
      ...(owner === undefined ? [] : [`owner ${owner}`])
    ],
    ...(place === undefined ? {} : { spot: place })
  }
}

import type { Finding } from '../../model/finding.ts'
import { isError } from '../../model/finding.ts'
import type { GroupedFindings } from '../group-findings.ts'
import { alikeFindings, shownPlace, withoutIds } from '../text/findings.ts'
import { code } from './code.ts'
import type { Row, Section } from './page.ts'
import { manyCell } from './where.ts'

/** The findings, those that say the same in one row; where there is no room, errors stay. */
export function findingsSection(
  findings: readonly Finding[],
  share: number,
  lead = '#### Findings'
): Section {
  return {
    lead: findings.length === 0 ? '' : lead,
    columns: ['', 'Where', 'What'],
    rows: alikeFindings(findings).map(row),
    noun: 'finding',
    share
  }
}

function row(group: GroupedFindings<Finding>): Row {
  const [found] = group
  const { code: name, message, hint } = found
  const said = name === 'SITE_NOT_READ' && group.length > 1 ? withoutIds(message) : message
  const advice = hint === undefined ? '' : `<br>→ ${code(hint)}`
  return {
    cells: [
      isError(found) ? '🔴&nbsp;error' : '🟡&nbsp;warning',
      whereCell(group),
      `${code(said)}${advice}<br><sub>${code(name)}</sub>`
    ],
    weight: group.length,
    rank: isError(found) ? 0 : 1
  }
}

function whereCell(group: GroupedFindings<Finding>): string {
  const [{ place, path, code: name, owner }] = group
  const addresses = group.flatMap(({ address }) => address ?? [])
  const about = path === undefined || group.length > 1 ? addresses : [path]
  return [
    ...(place === undefined ? [] : [code(shownPlace(place))]),
    ...(about.length === 0 ? [] : [manyCell(about, name === 'SITE_NOT_READ' ? 'site' : 'WLAN')]),
    ...(owner === undefined ? [] : [`owner ${code(owner)}`])
  ].join('<br>')
}

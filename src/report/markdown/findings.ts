import { type Finding, isError } from '../../model/finding.ts'
import type { Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { few, formatValue, thousands } from '../format-value.ts'
import {
  addressPartsOf,
  type GroupedFindings,
  groupFindings,
  splitAddress
} from '../group-findings.ts'
import { formatLocation, groupEqualFindings, maskIds } from '../text/findings.ts'
import { codeSpan, fieldSpan, manyCell, siteCell, wlanCell } from './cells.ts'
import type { Section, TableRow } from './page.ts'

/** The findings, those that say the same in one row; where there is no room, errors stay. */
export function findingsSection(
  findings: readonly Finding[],
  share: number,
  lead = '#### Findings'
): Section {
  return {
    lead: findings.length === 0 ? '' : lead,
    columns: ['', 'Where', 'What'],
    rows: groupEqualFindings(findings).map(row),
    noun: 'finding',
    share
  }
}

function row(group: GroupedFindings<Finding>): TableRow {
  const [found] = group
  const { code: name, message, hint } = found
  const said = name === 'SITE_NOT_READ' && group.length > 1 ? maskIds(message) : message
  const advice = hint === undefined ? '' : `<br>→ ${codeSpan(hint)}`
  return {
    cells: [
      isError(found) ? '🔴&nbsp;error' : '🟡&nbsp;warning',
      whereCell(group),
      `${codeSpan(said)}${advice}<br><sub>${codeSpan(name)}</sub>`
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
    ...(place === undefined ? [] : [codeSpan(formatLocation(place))]),
    ...(about.length === 0 ? [] : [manyCell(about, name === 'SITE_NOT_READ' ? 'site' : 'WLAN')]),
    ...(owner === undefined ? [] : [`owner ${codeSpan(owner)}`])
  ].join('<br>')
}

/** The pointers that one row names. */
const POINTERS = 20

/** The declared secrets that nobody could compare, of changed WLANs as of the others. */
export function notComparedSection({ changes, not_compared }: Plan): Section {
  const all = [
    ...changes.map(change => ({
      place: addressPartsOf(change),
      pointers: change.not_compared ?? []
    })),
    ...not_compared.map(({ address, pointers }) => ({ place: splitAddress(address), pointers }))
  ].filter(({ pointers }) => pointers.length > 0)
  const groups = groupFindings(all, ({ place, pointers }) => JSON.stringify([place.key, pointers]))
  return {
    lead: '',
    columns: ['Site', 'WLAN', 'Secrets that are not at hand, or that the service hides'],
    fold: `${thousands(plural(all.length, 'WLAN'))} with secrets that were not compared`,
    rows: groups.map(([first, ...others]) => {
      const places = [first.place, ...others.map(({ place }) => place)]
      const pointers = few(first.pointers.map(fieldSpan), POINTERS)
      return { cells: [siteCell(places), wlanCell(first.place), pointers], weight: places.length }
    }),
    noun: 'WLAN',
    share: 1 / 8
  }
}

/** The live WLANs that nobody declares; those of one name in one row. */
export function unmanagedSection({ unmanaged }: Plan): Section {
  const n = thousands(plural(unmanaged.length, 'WLAN'))
  const hasOwners = unmanaged.some(({ owner }) => owner !== undefined)
  return {
    lead: unmanaged.length === 0 ? '' : `#### Unmanaged: ${n} live and declared nowhere`,
    columns: ['Site', 'SSID', 'Id', ...(hasOwners ? ['Owner'] : [])],
    rows: groupFindings(unmanaged, ({ ssid, owner }) => JSON.stringify([ssid, owner])).map(
      group => ({
        cells: [
          manyCell(
            group.map(({ site }) => site),
            'WLAN'
          ),
          codeSpan(formatValue(group[0].ssid)),
          group.length === 1 ? codeSpan(group[0].id) : '',
          ...(hasOwners ? [group[0].owner === undefined ? '' : codeSpan(group[0].owner)] : [])
        ],
        weight: group.length
      })
    ),
    noun: 'WLAN',
    share: 1 / 8
  }
}

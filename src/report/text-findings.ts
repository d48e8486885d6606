import { type Finding, isError } from '../model/finding.ts'
import { count } from '../model/identity.ts'
import type { Place } from '../model/place.ts'
import { escapeText } from './escape.ts'
import type { FindingsReport, Manner } from './report.ts'
import { type Style, styleOf } from './style.ts'

/** The findings of the files, and what they declare. */
export function findingsText({ findings, declared }: FindingsReport, manner: Manner): string {
  const style = styleOf(manner)
  const blocks = findings.map(found => findingText(found, style))
  return [...blocks, verdict(findings, declared, style)].map(block => `${block}\n`).join('')
}

/**
 * One finding in two or three lines: where, what, and what to do.
 *
 *     sites/hq.yaml:12:5: error: unknown field "vlanid" [UNKNOWN_FIELD]
 *       wlans.guest.vlanid
 *       did you mean "vlan_id"?
 */
export function findingText(found: Finding, style: Style): string {
  const { level, code, message, hint, place, path, address } = found
  const where = place ? shownPlace(place) : address
  const level_ = isError(found) ? style.bad(level) : style.warn(level)
  const first = `${where === undefined ? '' : `${style.strong(escapeText(where))}: `}${level_}: ${escapeText(message)}`
  const about = path ?? (place === undefined ? undefined : address)
  return [
    `${first} ${style.faint(`[${code}]`)}`,
    ...(about === undefined ? [] : [`  ${style.faint(escapeText(about))}`]),
    ...(hint === undefined ? [] : [`  ${escapeText(hint)}`])
  ].join('\n')
}

/** `file:line:column`, as editors and terminals make it a link. */
export function shownPlace({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`
}

function verdict(
  findings: readonly Finding[],
  declared: FindingsReport['declared'],
  style: Style
): string {
  const errors = findings.filter(isError).length
  const warnings = findings.length - errors
  const of = warnings === 0 ? '' : `, ${count(warnings, 'warning')}`
  if (errors > 0 || declared === undefined) return style.bad(`${count(errors, 'error')}${of}`)
  return style.good(
    `Valid: ${count(declared.wlans, 'WLAN')} on ${count(declared.sites, 'site')}${of}`
  )
}

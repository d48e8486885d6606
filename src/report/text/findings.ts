import type { Location } from '../../model/finding.ts'
import { type Finding, isError } from '../../model/finding.ts'
import { plural } from '../../model/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { type GroupedFindings, groupFindings } from '../group-findings.ts'
import { wrap } from '../layout.ts'
import type { FindingsReport, RenderOptions } from '../report.ts'
import { cutValues, shownMessage } from '../shown.ts'
import { type Style, styleOf } from '../style.ts'
import { importedBlocks, importedVerdict } from './imported.ts'

/** The findings of the files, and what they declare. */
export function findingsText(report: FindingsReport, manner: RenderOptions): string {
  const style = styleOf(manner)
  const blocks = [
    ...findingBlocks(report.findings, manner, style),
    ...(report.imported ? importedBlocks(report.imported, style) : [])
  ]
  return [...blocks, verdict(report, style)].map(block => `${block}\n`).join('')
}

/**
 * The findings, each in two or three lines: where, what, and what to do. What is to be said of many
 * WLANs or sites alike is said once, with all of them.
 *
 *     sites/hq.yaml:12:5: error: unknown field "vlanid" [UNKNOWN_FIELD]
 *       wlans.guest.vlanid
 *       did you mean "vlan_id"?
 *     error: the site could not be read: 503 [SITE_NOT_READ]
 *       3 sites: store-aachen, store-bonn, store-kiel
 *       owner network team
 */
export function findingBlocks(
  findings: readonly Finding[],
  manner: RenderOptions,
  style: Style
): string[] {
  return alikeFindings(findings).map(group => blockOf(group, manner, style))
}

/** The findings, those together that say the same of different WLANs or sites. */
export function alikeFindings(findings: readonly Finding[]): GroupedFindings<Finding>[] {
  return groupFindings(findings, (found, at) =>
    found.address === undefined ? String(at) : matter(found)
  )
}

/** What a finding says, whichever WLAN or site it is about. */
function matter({ level, code, message, hint, place, path, owner }: Finding): string {
  const said = code === 'SITE_NOT_READ' ? withoutIds(message) : message
  return JSON.stringify([level, code, said, hint, place, path, owner])
}

/** The reason why a site could not be read names the request, and in it the site. */
export function withoutIds(text: string): string {
  return text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '…')
}

function blockOf(
  [found, ...others]: GroupedFindings<Finding>,
  manner: RenderOptions,
  style: Style
): string {
  const { code, hint, place, path, address } = found
  const addresses = [found, ...others].flatMap(each => each.address ?? [])
  if (others.length === 0) {
    const about = path ?? (place === undefined ? undefined : address)
    const where = place === undefined ? address : shownPlace(place)
    return block(found, where, about === undefined ? [] : [escapeText(about)], hint, style)
  }
  const noun = code === 'SITE_NOT_READ' ? 'site' : 'WLAN'
  const list = `${plural(addresses.length, noun)}: `
  const lines = wrap(addresses.map(escapeText), ', ', manner.width - 4)
  const where = place === undefined ? undefined : shownPlace(place)
  return block(
    { ...found, message: code === 'SITE_NOT_READ' ? withoutIds(found.message) : found.message },
    where,
    lines.length > 1 ? [list.trimEnd(), ...lines.map(line => `  ${line}`)] : [list + lines.join()],
    hint,
    style
  )
}

function block(
  found: Finding,
  where: string | undefined,
  about: readonly string[],
  hint: string | undefined,
  style: Style
): string {
  const level = isError(found) ? style.bad(found.level) : style.warn(found.level)
  const place = where === undefined ? '' : `${style.strong(escapeText(where))}: `
  const code = style.faint(`[${escapeInside(found.code)}]`)
  return [
    `${place}${level}: ${shownMessage(found.message)} ${code}`,
    ...about.map(line => `  ${style.faint(line)}`),
    ...(found.owner === undefined
      ? []
      : [`  ${style.faint(`owner ${escapeInside(found.owner)}`)}`]),
    ...(hint === undefined ? [] : [`  ${escapeText(cutValues(hint))}`])
  ].join('\n')
}

/** `file:line:column`, as editors and terminals make it a link; not escaped. */
export function shownPlace({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`
}

/** What the findings come to, in one line. */
export function verdict(report: FindingsReport, style: Style): string {
  const { findings, declared, read, imported } = report
  if (read !== undefined) return readVerdict(read, style)
  if (imported !== undefined) return importedVerdict(imported, style)
  const errors = findings.filter(isError).length
  const warnings = findings.length - errors
  const beside = warnings === 0 ? '' : `, ${plural(warnings, 'warning')}`
  if (errors > 0 || declared === undefined) return style.bad(`${plural(errors, 'error')}${beside}`)
  const sum = `${plural(declared.wlans, 'WLAN')} on ${plural(declared.sites, 'site')}`
  return (warnings === 0 ? style.good : style.warn)(`Valid: ${sum}${beside}`)
}

function readVerdict(
  { sites, sites_failed, wlans, requests }: NonNullable<FindingsReport['read']>,
  style: Style
): string {
  const failed = sites_failed === 0 ? '' : `; incomplete: ${plural(sites_failed, 'site')} not read`
  const sum = `${plural(wlans, 'WLAN')} on ${plural(sites - sites_failed, 'site')}`
  const snapshot = `Snapshot: ${sum}, secrets left out; ${plural(requests, 'request')}`
  return failed === '' ? style.good(snapshot) : snapshot + style.warn(failed)
}

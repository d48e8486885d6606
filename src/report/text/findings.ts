import { type Finding, isError } from '../../core/model/finding.ts'
import { formatLocation, formatNumber, plural } from '../../core/values/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { formatMessage, truncateValues } from '../format-value.ts'
import {
  addressesOf,
  codeOf,
  type GroupedFindings,
  groupEqualFindings,
  groupMessage,
  isAboutSite
} from '../group-findings.ts'
import { formatTable, type Style, styleOf, wrap } from '../layout.ts'
import {
  countFindings,
  isListedWithLint,
  type LintListing,
  lintSummary,
  listedFindings,
  waivedNote
} from '../lint-findings.ts'
import { excerptOf, MAX_EXCERPTS } from '../render/excerpt.ts'
import type { FindingsReport, ImportSummary, RenderOptions } from '../report.ts'
import { undeclaredNote, unwatchedText } from '../unwatched.ts'

/** The findings, the result of an import, and the verdict. */
export function findingsText(report: FindingsReport, options: RenderOptions): string {
  const style = styleOf(options)
  const blocks = [
    ...lintedBlocks(report, options, style),
    ...(options.verbose ? [unwatchedText(report.unwatched ?? {}, style)] : []),
    ...[undeclaredNote(report.unwatched) ?? []].flat().map(style.warn),
    ...(report.imported ? importedBlocks(report.imported, style) : [])
  ]
  return [...blocks.filter(block => block !== ''), formatFindingsVerdict(report, style)]
    .map(block => `${block}\n`)
    .join('')
}

/**
 * The findings, each in a few lines: location, message, an excerpt of the first ones, and hint. Equal findings of
 * several WLANs or sites are one block that lists them.
 *
 *     sites/hq.yaml:12:5: error: unknown field "vlanid" [UNKNOWN_FIELD]
 *       12 | vlanid: …
 *          | ^^^^^^
 *       wlans.guest.vlanid
 *       did you mean "vlan_id"?
 *     error: the site could not be read: 503 [SITE_NOT_READ]
 *       3 sites: store-aachen, store-bonn, store-kiel
 *       owner network team
 */
export function findingBlocks(
  findings: readonly Finding[],
  options: RenderOptions,
  style: Style
): string[] {
  const { lineAt, ...others } = options
  return groupEqualFindings(findings).map((group, at) =>
    blockOf(group, at < MAX_EXCERPTS ? options : others, style)
  )
}

/**
 * As `findingBlocks`, but findings of the linter are listed or counted as the report requires. `refusals` are
 * listed elsewhere, and those of the linter are counted.
 */
export function lintedBlocks(
  report: Pick<FindingsReport, 'findings' | 'lintLevel' | 'secretFindings'> &
    Pick<LintListing, 'kind'> & { readonly refusals?: readonly Finding[] | undefined },
  options: RenderOptions,
  style: Style
): string[] {
  const listing = { ...report, ...(options.verbose && { verbose: options.verbose }) }
  const findings = [...report.findings, ...(report.secretFindings ?? [])]
  const summary = lintSummary([...findings, ...(report.refusals ?? [])], listing)
  return [
    ...findingBlocks(listedFindings(findings, listing), options, style),
    ...[summary, waivedNote(findings, listing)].flatMap(line =>
      line === undefined ? [] : style.faint(line)
    )
  ]
}

/** A finding of the linter lists at most this many WLANs or sites, except with `--verbose`. */
const MAX_ADDRESSES = 10

function blockOf(
  [found, ...same]: GroupedFindings<Finding>,
  options: RenderOptions,
  style: Style
): string {
  const { place, path, address } = found
  const addresses = addressesOf([found, ...same])
  if (addresses.length <= 1) {
    const about = path ?? (place === undefined ? undefined : address)
    const where = place === undefined ? address : formatLocation(place)
    const lines = about === undefined ? [] : [escapeText(about)]
    return block(found, where, lines, options, style)
  }
  const noun = isAboutSite(found) ? 'site' : 'WLAN'
  const list = `${plural(addresses.length + (found.more ?? 0), noun)}: `
  const isLong = isListedWithLint(found) && options.verbose === undefined
  const most = isLong ? MAX_ADDRESSES : addresses.length
  const shown = [...addresses.slice(0, most).map(escapeText), ...others(addresses.length - most)]
  const lines = wrap(shown, ', ', options.width - 4)
  const where = place === undefined ? undefined : formatLocation(place)
  return block(
    { ...found, message: groupMessage([found, ...same]) },
    where,
    lines.length > 1 ? [list.trimEnd(), ...lines.map(line => `  ${line}`)] : [list + lines.join()],
    options,
    style
  )
}

function others(count: number): string[] {
  return count <= 0 ? [] : [`and ${formatNumber(count)} more (\`--verbose\` lists all)`]
}

function block(
  found: Finding,
  where: string | undefined,
  about: readonly string[],
  options: RenderOptions,
  style: Style
): string {
  const { hint } = found
  const level = levelStyle(found, style)(found.level)
  const place = where === undefined ? '' : `${style.strong(escapeText(where))}: `
  const code = style.faint(`[${escapeInside(codeOf(found))}]`)
  return [
    `${place}${level}: ${formatMessage(found.message)} ${code}`,
    ...excerptLines(found, options, style),
    ...about.map(line => `  ${style.faint(line)}`),
    ...(found.owner === undefined
      ? []
      : [`  ${style.faint(`owner ${escapeInside(found.owner)}`)}`]),
    ...(hint === undefined ? [] : [`  ${escapeText(truncateValues(hint))}`])
  ].join('\n')
}

function levelStyle({ level }: Finding, { bad, warn, faint }: Style): Style['bad'] {
  return { error: bad, warning: warn, info: faint }[level]
}

/** The source below a finding, with the number of its line. */
function excerptLines(found: Finding, { lineAt }: RenderOptions, style: Style): string[] {
  const line = found.place && lineAt?.(found.place)
  const excerpt = line === undefined ? undefined : excerptOf(found, line)
  if (excerpt === undefined) return []
  const number = String(found.place?.line)
  const bar = (gutter: string) => style.faint(`  ${gutter} |`)
  return [
    `${bar(number)} ${excerpt.code}`,
    `${bar(' '.repeat(number.length))} ${levelStyle(found, style)(excerpt.marks)}`
  ]
}

/** The result of a validation, snapshot or import in one line. */
export function formatFindingsVerdict(report: FindingsReport, style: Style): string {
  const { findings, declared, read, imported } = report
  if (read !== undefined) return readVerdict(read, style)
  if (imported !== undefined) return importedVerdict(imported, style)
  const errors = countFindings(findings.filter(isError))
  const warnings = countFindings(findings.filter(({ level }) => level === 'warning'))
  const suffix = warnings === 0 ? '' : `, ${plural(warnings, 'warning')}`
  if (errors > 0 || declared === undefined) return style.bad(`${plural(errors, 'error')}${suffix}`)
  const sum = `${plural(declared.wlans, 'WLAN')} on ${plural(declared.sites, 'site')}`
  return (warnings === 0 ? style.good : style.warn)(`Valid: ${sum}${suffix}`)
}

function readVerdict(
  { sites, sites_failed, wlans, requests }: NonNullable<FindingsReport['read']>,
  style: Style
): string {
  const sum = `${plural(wlans, 'WLAN')} on ${plural(sites - sites_failed, 'site')}`
  const snapshot = `Snapshot: ${sum}, without secrets; ${plural(requests, 'request')}`
  return sites_failed === 0 ? style.good(snapshot) : incomplete(sites_failed, style) + snapshot
}

/** The files that an import wrote, its profiles, and the secrets that the files refer to. */
function importedBlocks(imported: ImportSummary, style: Style): string[] {
  const { files, secrets, profiles = [], waivers, secretValues } = imported
  const values = secretValues === undefined ? [] : [`  ${escapeText(secretValues)}`]
  return [
    ...(profiles.length === 0
      ? []
      : [section('Profiles', profiles.length, profileLines(profiles), style)]),
    ...(files.length === 0 ? [] : [section('Written', files.length, filesTable(files), style)]),
    ...(waivers === undefined
      ? []
      : [section('Waivers', waivers.entries.length, waiverLines(waivers), style)]),
    ...(secrets.length === 0
      ? []
      : [
          section(
            'Secrets referenced by the files',
            secrets.length,
            [...secrets.map(secretLine), ...values],
            style
          )
        ])
  ]
}

/** Where the waivers are, or the entries to add. */
function waiverLines({ file, entries }: NonNullable<ImportSummary['waivers']>): readonly string[] {
  if (file === undefined) {
    const add = '  add them to `policy.waivers`, until the live networks are repaired:'
    return [add, ...entries.map(entry => `    - ${escapeText(entry)}`)]
  }
  const written = `${escapeText(file)} waives the lint errors of live networks for a while`
  return [`  ${written}: repair the networks, and remove the waivers`]
}

/** The result of an import in one line. */
function importedVerdict(imported: ImportSummary, style: Style): string {
  const { sites, sites_failed, wlans, secrets, requests } = imported
  if (sites_failed === sites) {
    const none =
      sites === 1 ? 'the site could not be read' : `none of ${plural(sites, 'site')} could be read`
    return style.bad(`Import: ${none}; nothing was written; ${plural(requests, 'request')}`)
  }
  const sum = `${plural(wlans, 'WLAN')} on ${plural(sites - sites_failed, 'site')}`
  const counts = `${plural(secrets.length, 'secret')}; ${plural(requests, 'request')}`
  const text = `Import: ${sum}, ${counts}${linesSaved(imported)}`
  return sites_failed === 0 ? style.good(text) : incomplete(sites_failed, style) + text
}

function incomplete(sitesFailed: number, style: Style): string {
  return style.warn(`Incomplete: ${plural(sitesFailed, 'site')} not read. `)
}

function section(title: string, n: number, lines: readonly string[], style: Style): string {
  return [style.strong(`${title} (${formatNumber(n)})`), ...lines, ''].join('\n')
}

function linesSaved({ lines }: ImportSummary): string {
  return lines === undefined
    ? ''
    : `; ${formatNumber(lines.factored)} lines instead of ${formatNumber(lines.plain)}`
}

/** `guest: 287 WLANs share 14 fields, 3 WLANs with overrides; saved 3,731 lines`, and its variables. */
function profileLines(profiles: NonNullable<ImportSummary['profiles']>): string[] {
  return profiles.flatMap(({ name, wlans, fields, variables, overridden, saved }) => {
    const overrides = overridden === 0 ? '' : `, ${plural(overridden, 'WLAN')} with overrides`
    const varies = variables.length === 0 ? [] : [`    varies: ${variables.join(', ')}`]
    const line = `${name}: ${plural(wlans, 'WLAN')} share ${plural(fields, 'field')}${overrides}`
    return [`  ${escapeText(line)}; saved ${formatNumber(saved)} lines`, ...varies.map(escapeText)]
  })
}

function filesTable(files: ImportSummary['files']): string[] {
  return formatTable(
    files.map(({ file }) => escapeText(file)),
    files.map(({ wlans, profiles }) =>
      profiles === undefined ? plural(wlans, 'WLAN') : plural(profiles, 'profile')
    )
  )
}

function secretLine({ name, hidden, uses }: ImportSummary['secrets'][0]): string {
  const places = uses === undefined ? '' : ` (${plural(uses, 'field')})`
  return `  ${escapeText(name)}${places}${hidden ? ' (hidden by the service)' : ''}`
}

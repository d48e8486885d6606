import type { Finding } from '../../core/model/finding.ts'
import { formatLocation, formatNumber, listFirst, plural } from '../../core/values/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { formatMessage, truncateValues } from '../format-value.ts'
import {
  addressesOf,
  codeOf,
  type GroupedFindings,
  groupEqualFindings,
  groupHint,
  groupMessage,
  isAboutSite
} from '../group-findings.ts'
import { formatTable, type Style, wrapText } from '../layout.ts'
import {
  isListedWithLint,
  type LintListing,
  lintSummary,
  listedFindings,
  waivedNote
} from '../lint-findings.ts'
import { unwatchedSection } from '../overview/sections.ts'
import { excerptOf, MAX_EXCERPTS } from '../render/excerpt.ts'
import { Terminal } from '../render/terminal.ts'
import type { FindingsReport, ImportSummary, RenderOptions } from '../report.ts'
import { validationNotes } from '../validation-notes.ts'
import { findingsVerdict } from '../verdict.ts'

/** The findings, the result of an import, and the verdict. */
export function findingsText(report: FindingsReport, options: RenderOptions): string {
  const terminal = new Terminal(options)
  const { style } = terminal
  const blocks = [
    ...lintedBlocks(report, options, style),
    ...(options.verbose
      ? unwatchedSection(report.unwatched ?? {}).flatMap(section => terminal.section(section))
      : []),
    ...validationNotes(report).flatMap(note => wrapText(style.warn(note), options.width)),
    ...(report.imported ? importedBlocks(report.imported, style) : [])
  ]
  const { text, tone } = findingsVerdict(report)
  const verdict = terminal.lines(text).map(line => terminal.tone(tone)(line))
  return [...blocks.filter(block => block !== ''), ...verdict].map(block => `${block}\n`).join('')
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
      line === undefined ? [] : wrapText(style.faint(line), options.width)
    )
  ]
}

/** A finding that is no error, or one of the linter, lists at most this many WLANs or sites, except with `--verbose`. */
const MAX_ADDRESSES = 3

function blockOf(group: GroupedFindings<Finding>, options: RenderOptions, style: Style): string {
  const { width, verbose } = options
  const [found] = group
  const { path, address, more = 0 } = found
  const addresses = addressesOf(group)
  const message = groupMessage(group)
  const hint = groupHint(group)
  const owners = [...new Set(group.flatMap(({ owner }) => owner ?? []))]
  const places = [...new Set(group.flatMap(({ place }) => (place ? formatLocation(place) : [])))]
  const [place] = places
  const isSingle = group.length === 1 && addresses.length <= 1
  const list = (texts: readonly string[], noun: string, count = texts.length) => {
    const isLong = (found.level !== 'error' || isListedWithLint(found)) && verbose === undefined
    const most = isLong ? MAX_ADDRESSES : texts.length
    const rest = texts.length - most
    const shown = [
      ...texts.slice(0, most).map(escapeText),
      ...(rest > 0 ? [`and ${formatNumber(rest)} more (\`--verbose\` lists all)`] : [])
    ]
    return texts.length === 0 ? [] : [`${plural(count, noun)}: ${shown.join(', ')}`]
  }
  const about = isSingle
    ? [path ?? (place === undefined ? [] : (address ?? []))].flat().map(escapeText)
    : [
        ...list(addresses, isAboutSite(found) ? 'site' : 'WLAN', addresses.length + more),
        ...(places.length > 1 ? list(places, 'place') : [])
      ]
  const where = isSingle ? (place ?? address) : places.length === 1 ? place : undefined
  const level = levelStyle(found, style)(found.level)
  const start = where === undefined ? '' : `${style.strong(escapeText(where))}: `
  const code = style.faint(`[${escapeInside(codeOf(found))}]`)
  const below = (text: string) => wrapText(text, width, '  ')
  return [
    ...wrapText(`${start}${level}: ${formatMessage(message)} ${code}`, width, '', '  '),
    ...(where === undefined ? [] : excerptLines({ ...found, message }, options, style)),
    ...about.flatMap(line => below(style.faint(line))),
    ...(owners.length === 0
      ? []
      : below(style.faint(`owner ${listFirst(owners.map(escapeInside), 3)}`))),
    ...(hint === undefined ? [] : below(escapeText(truncateValues(hint))))
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

function section(title: string, n: number, lines: readonly string[], style: Style): string {
  return [style.strong(`${title} (${formatNumber(n)})`), ...lines, ''].join('\n')
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
    files.map(({ file, wlans, profiles }) => [
      escapeText(file),
      profiles === undefined ? plural(wlans, 'WLAN') : plural(profiles, 'profile')
    ])
  )
}

function secretLine({ name, hidden, uses }: ImportSummary['secrets'][0]): string {
  const places = uses === undefined ? '' : ` (${plural(uses, 'field')})`
  return `  ${escapeText(name)}${places}${hidden ? ' (hidden by the service)' : ''}`
}

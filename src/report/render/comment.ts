import type { Location } from '../../core/model/finding.ts'
import { present } from '../../core/values/collections.ts'
import { formatLocation, formatNumber, listFirst, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { lineText } from '../fields/field-changes.ts'
import { lastModified } from '../overview/changes.ts'
import { countOf, findingsWith, findingTitle } from '../overview/findings.ts'
import {
  type ChangeGroup,
  type FieldRow,
  type FindingGroup,
  type FindingStatus,
  furtherAlarms,
  isVerdictSaid,
  type Overview,
  type OverviewKind
} from '../overview/overview.ts'
import { stateTones } from '../overview/states.ts'
import type { RenderOptions } from '../report.ts'
import { messageText } from '../wording/message.ts'
import { code, danger, type Inline, muted, strong, type Text, type Tone } from './document.ts'
import { codeSpan, fold, Markdown, prose } from './markdown.ts'
import {
  alert,
  bytes,
  COMMENT_BYTES,
  marker,
  page,
  paragraphs,
  type Section,
  type TableRow
} from './size-limit.ts'

const signs: Readonly<Record<Tone, string>> = { bad: '🔴', warn: '🟠', note: '🔵', good: '🟢' }

/** Where the full report is, if a comment is truncated. */
const fullReports: Readonly<Partial<Record<OverviewKind, string>>> = {
  drift:
    'Full report: run `wlanctl drift --report json=drift.json`, then `wlanctl show drift.json`.',
  plan: 'Full report: `wlanctl show plan.json`, with the plan saved by this run.',
  apply: 'Full report: `wlanctl show record.jsonl`, with the record of this run.',
  revert: 'Full report: `wlanctl show record.jsonl`, with the record of this run.',
  record: 'Full report: `wlanctl show record.jsonl`.',
  findings: 'Full report: run `wlanctl validate` in a checkout.'
}

/**
 * An overview as a comment of at most `COMMENT_BYTES`: a heading, a callout with what is worst, the changes in a table,
 * worst first, and all else behind it. One about a plan is replaced if its files have errors.
 */
export function commentOf(overview: Overview, { fleet, source, verbose }: RenderOptions): string {
  const { kind, comment, sections, origin, digest } = overview
  const markdown = new Markdown(source)
  const head = `${marker(comment ?? (kind === 'findings' ? 'plan' : kind), fleet)}\n${headOf(overview, markdown)}`
  const tables = [
    changeSection(overview, markdown),
    ...findingSections(overview, ['refused', 'left-out', 'needed', 'new', 'removed'], markdown),
    ...sections
      .filter(({ isDetail }) => !isDetail || verbose)
      .map(section => (kind === 'plan' ? { ...section, isFolded: true as const } : section))
      .flatMap(section => markdown.sections(section, kind === 'audit' ? 1 / 2 : 1 / 8)),
    ...findingSections(overview, verbose ? ['known', 'note'] : ['known'], markdown)
  ]
  const made = origin && markdown.inline(origin)
  const facts = present(made, digest !== undefined && `Digest ${codeSpan(digest)}`)
  const foot = (lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n<sub>${lines.join('<br>')}</sub>\n`
  const whole = page(head, tables, Number.POSITIVE_INFINITY, foot(facts))
  if (bytes(whole) <= COMMENT_BYTES) return whole
  const full = comment === undefined && fullReports[kind]
  return page(head, tables, COMMENT_BYTES, foot(present(...facts, full)))
}

/**
 * What the run says: one heading, one callout with the worst and with what no row of the changes shows, one paragraph
 * with the rest of the verdict.
 */
function headOf(overview: Overview, markdown: Markdown): string {
  const { kind, tone, headline, verdict, coverage, first } = overview
  const title = markdown.inline(headline)
  const alarm = furtherAlarms(overview)
    .map(text => markdown.inline([danger(text)]))
    .join(' ')
  const result = markdown.inline(verdict)
  const worst = first.filter(
    ({ state, isChange }, at) => state !== 'not-read' && (at === 0 || !isChange)
  )
  const lines = worst.map(({ text, sites, count, effect, command, purpose }, at) => {
    const names = sites.map(codeSpan).join(', ')
    const rest = count > sites.length ? ` and ${formatNumber(count - sites.length)} more` : ''
    const isNew = kind !== 'plan' && worst.findIndex(each => each.command === command) === at
    return present(
      markdown.inline([strong(...text)]),
      count > 1 && ` (${names}${rest})`,
      effect && `; ${markdown.inline(effect)}`,
      isNew && command && `<br>→ ${codeSpan(command)}${purpose ? ` (${purpose})` : ''}`
    ).join('')
  })
  const facts = present(
    !isVerdictSaid(overview) && !['', title, `**${title}**`].includes(result) && result,
    ...coverage.map(sentence => markdown.inline(sentence).trimEnd())
  )
  const callout = present(...lines, alarm)
  return paragraphs(
    `### ${signs[tone]} ${title}`,
    callout.length === 0 ? '' : alert(tone, callout.join('<br>')),
    facts.join('<br>')
  )
}

function changeSection(overview: Overview, markdown: Markdown): Section {
  const { kind, isRun, changes } = overview
  const values = isRun ? 'Result' : kind === 'drift' ? 'Live → declared' : 'Before → after'
  return {
    lead: '',
    columns: ['What', 'Where', values],
    rows: changes.map(group => changeRow(group, overview, markdown)),
    noun: isRun ? 'outcome' : 'change',
    share: 1
  }
}

/** A row shows at most this many fields outside of a fold, and in it. */
const SHOWN = 2
const FOLDED = 40

function changeRow(group: ChangeGroup, { kind, isRun }: Overview, markdown: Markdown): TableRow {
  const isDrift = kind === 'drift'
  const { state, title, networks, fields, effect, notes, results = [] } = group
  const what = isRun
    ? `${signs[stateTones[state]]}&nbsp;${state} ${markdown.inline(title)}`
    : markdown.inline([strong(...title)])
  const about = present(effect, ...notes).map(note => markdown.inline([muted(note)]))
  const modified = isDrift ? lastModified(networks) : undefined
  const edited = modified && `<sub>last modified ${prose(formatTime(modified))}</sub>`
  const declaration = isRun ? undefined : declarationOf(group)
  const lineOf = (field: FieldRow) => fieldLine(field, markdown, declaration?.file)
  const shown = results.length > 1 ? [] : fields.slice(0, SHOWN)
  const rest = fields.slice(shown.length)
  const folded = present(
    ...rest.slice(0, FOLDED).map(lineOf),
    rest.length > FOLDED && `and ${plural(rest.length - FOLDED, 'more field')}`
  )
  const more = plural(rest.length, shown.length === 0 ? 'field' : 'more field')
  return {
    cells: [
      present(what, ...about, edited).join('<br>'),
      whereCell(group, declaration, markdown),
      present(
        ...results.map(line => markdown.inline(line)),
        ...shown.map(lineOf),
        rest.length > 0 && fold(more, folded.join('<br>'))
      ).join('<br>')
    ],
    weight: networks.length
  }
}

/** The site, or the number of sites with a fold of their names; the line of the declaration. */
function whereCell(
  { networks }: ChangeGroup,
  place: Location | undefined,
  markdown: Markdown
): string {
  const names = networks.map(({ site }) => site)
  const [only = '', ...others] = names
  const sites =
    others.length === 0 ? codeSpan(only) : namesFold(plural(names.length, 'site'), names)
  if (place === undefined) return sites
  return `${sites}${sites.endsWith('>') ? '' : '<br>'}<sub>declared in ${placeLink(lineText(place), place, markdown)}</sub>`
}

/** The first place of the values if one file has all of them, otherwise that of the declaration that all networks share. */
function declarationOf({ networks, fields }: ChangeGroup): Location | undefined {
  const [value, ...others] = fields.map(({ place }) => place)
  if (value !== undefined && others.every(place => place?.file === value.file)) return value
  const places = new Set(networks.map(({ origin }) => origin && lineText(origin)))
  return places.size === 1 ? networks[0]?.origin : undefined
}

function placeLink(text: string, place: Location, markdown: Markdown): string {
  return markdown.inline([{ kind: 'link', text: [code(text)], to: { place } }])
}

const MAX_NAMES = 20

function namesFold(title: string, names: readonly string[]): string {
  return fold(`<b>${title}</b>`, listFirst(names.map(codeSpan), MAX_NAMES))
}

/** `file` is that of the declaration, which the row names. */
function fieldLine(
  { name, value, lines, isDowngrade, place, cause }: FieldRow,
  markdown: Markdown,
  file: string | undefined
): string {
  const at = place && (place.file === file ? `line ${place.line}` : lineText(place))
  const details = present(cause, place && at && placeLink(at, place, markdown)).join(', ')
  const isLong = lines === undefined || lines.length > MAX_PARTS
  // The line has the source of a secret, whose long name would not fit on a telephone.
  const short = place === undefined ? value : value.filter(part => !isMuted(part))
  const values: readonly Text[] = isLong ? [short] : lines
  return present(
    `${codeSpan(name)}: ${values.map(line => markdown.inline(line)).join('<br>')}`,
    isDowngrade && ' **downgrade**',
    details && ` <sub>${details}</sub>`
  ).join('')
}

function isMuted(part: Inline): boolean {
  return typeof part === 'object' && part.kind === 'muted'
}

/** A value with more parts is truncated to one line. */
const MAX_PARTS = 8

const levels = { error: '🔴&nbsp;error', warning: '🟡&nbsp;warning', info: '⚪&nbsp;info' } as const

const folded: readonly FindingStatus[] = ['known', 'note']

/** The findings of some statuses; outside of a fold, a plan has only those that refuse it, and a run none: its plan had them. */
function findingSections(
  overview: Overview,
  statuses: readonly FindingStatus[],
  markdown: Markdown
): Section[] {
  return statuses.flatMap(status => {
    const groups = findingsWith(overview, status)
    const title = `${findingTitle(status, overview)} (${formatNumber(countOf(groups))})`
    const isPlanned = overview.kind === 'plan' || overview.isRun === true
    const isFolded = folded.includes(status) || (isPlanned && status !== 'refused')
    const only = overview.kind === 'findings' && status === 'new'
    return groups.length === 0
      ? []
      : {
          lead: isFolded || only ? '' : `#### ${title}`,
          ...(isFolded && { fold: title }),
          columns: [],
          rows: groups.map(group => findingItem(group, markdown)),
          noun: 'finding',
          share: only ? 1 : 1 / 4
        }
  })
}

function findingItem(group: FindingGroup, markdown: Markdown): TableRow {
  const { level, code, message, hint, addresses, where, places, path, count } = group
  const [place] = places
  const more = places.length > 1 ? ` and ${formatNumber(places.length - 1)} more` : ''
  const about = present(
    codeSpan(code),
    place && placeLink(formatLocation(place), place, markdown) + more,
    addresses.length > 0 && where.isWhole && markdown.inline(where.text),
    path !== undefined && addresses.length === 0 && codeSpan(path)
  )
  const lines = present(
    `${levels[level]}: ${markdown.inline(messageText(message))}`,
    hint !== undefined && `→ ${markdown.inline(messageText(hint))}`,
    `<sub>${about.join(' · ')}</sub>${addresses.length > 0 && !where.isWhole ? namesFold(markdown.inline(where.text), where.places) : ''}`
  )
  return { cells: [lines.join('<br>')], weight: count }
}

import { formatLocation, formatNumber, listFirst, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { lineText } from '../fields/field-changes.ts'
import { lastModified } from '../overview/changes.ts'
import { countOf, findingsWith, findingTitle, messageText } from '../overview/findings.ts'
import type {
  ChangeGroup,
  FieldRow,
  FindingGroup,
  FindingStatus,
  Overview,
  OverviewKind
} from '../overview/overview.ts'
import type { RenderOptions } from '../report.ts'
import type { Text, Tone } from './document.ts'
import { codeSpan, fold, Markdown } from './markdown.ts'
import { alert, marker, page, paragraphs, type Section, type TableRow } from './page.ts'

const signs: Readonly<Record<Tone, string>> = { bad: '🔴', warn: '🟠', note: '🔵', good: '🟢' }

/** Where the full report is; a truncated drift comment says how to make one. */
const fullReports: Readonly<Partial<Record<OverviewKind, string>>> = {
  plan: 'Full report: `wlanctl show plan.json`, with the plan saved by this run.',
  apply: 'Full report: `wlanctl show record.jsonl`, with the record of this run.',
  revert: 'Full report: `wlanctl show record.jsonl`, with the record of this run.',
  record: 'Full report: `wlanctl show record.jsonl`.',
  findings: 'Full report: run `wlanctl validate` in a checkout.'
}

const DRIFT_REPORT =
  'Full report: run `wlanctl drift --report json=drift.json`, then `wlanctl show drift.json`.'

/**
 * An overview as a comment of at most `limit` bytes: a heading, a callout with what is worst, the changes in a table,
 * worst first, and all else behind it. One about a plan is replaced if its files have errors.
 */
export function commentOf(
  overview: Overview,
  { fleet, source, verbose }: RenderOptions,
  limit: number
): string {
  const { kind, comment, sections, origin, digest } = overview
  const markdown = new Markdown(source)
  const head = `${marker(comment ?? (kind === 'findings' ? 'plan' : kind), fleet)}\n${headOf(overview, markdown)}`
  const tables = [
    ...findingSections(overview, ['weakened'], markdown),
    changeSection(overview, markdown),
    ...findingSections(overview, ['refused', 'left-out', 'needed', 'new', 'removed'], markdown),
    ...sections
      .filter(({ isDetail }) => !isDetail || verbose)
      .map(section =>
        markdown.section(section, kind === 'record' || kind === 'audit' ? 1 / 2 : 1 / 8)
      ),
    ...findingSections(overview, verbose ? ['known', 'note'] : ['known'], markdown)
  ]
  const foot = (full: string | undefined) => {
    const lines = [
      ...(origin === undefined ? [] : [markdown.inline(origin)]),
      ...(digest === undefined ? [] : [`Digest ${codeSpan(digest)}`]),
      ...(full ? [full] : [])
    ]
    return lines.length === 0 ? '' : `\n<sub>${lines.join('<br>')}</sub>\n`
  }
  if (kind !== 'drift') {
    return page(head, tables, limit, foot(comment === undefined ? fullReports[kind] : undefined))
  }
  const whole = page(head, tables, limit, foot(undefined))
  const isWhole = whole === page(head, tables, Number.POSITIVE_INFINITY, foot(undefined))
  return isWhole ? whole : page(head, tables, limit, foot(DRIFT_REPORT))
}

/** What is worst, and what the run says: one heading, one callout, one paragraph. */
function headOf(
  { kind, tone, headline, verdict, totals, coverage, states, first }: Overview,
  markdown: Markdown
): string {
  const title = markdown.inline(headline)
  const result = markdown.inline(verdict)
  const lines = first.map(({ text, sites, count, effect, command }) => {
    const named =
      count > 1
        ? ` (${listFirst(sites.map(codeSpan), sites.length)}${count > sites.length ? ' and more' : ''})`
        : ''
    const people = effect === undefined ? '' : `; ${effect}`
    const fix = command === undefined || kind === 'plan' ? '' : `<br>${codeSpan(command)}`
    return `${markdown.inline([{ kind: 'strong', text }])}${named}${people}${fix}`
  })
  const counts = states.map(({ count, label }) => `${formatNumber(count)} ${label}`).join(' · ')
  const facts = [
    ...(result === title ? [] : [result]),
    ...(counts === '' ? [] : [`Networks: ${counts}`]),
    ...coverage.map(sentence => markdown.inline(sentence).trimEnd()),
    ...(totals === undefined ? [] : [`<sub>${totals}</sub>`])
  ]
  return paragraphs(
    `### ${signs[tone]} ${title}`,
    lines.length === 0 ? '' : alert(tone, lines.join('<br>')),
    facts.join('<br>')
  )
}

/** The changes or outcomes as one table of three columns. */
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
  const { state, title, networks, fields, effect, notes, owners, results = [] } = group
  const what = isRun
    ? `${runSigns[state] ?? ''}${state} ${markdown.inline(title)}`
    : markdown.inline([{ kind: 'strong', text: title }])
  const about = [...(effect === undefined ? [] : [effect]), ...notes].map(note =>
    markdown.inline([{ kind: 'muted', text: [note] }])
  )
  const modified = isDrift ? lastModified(networks) : undefined
  const edited =
    modified === undefined ? [] : [`<sub>last modified ${codeSpan(formatTime(modified))}</sub>`]
  const owner =
    owners.length === 0 ? [] : [`<sub>owner ${listFirst(owners.map(codeSpan), 2)}</sub>`]
  const shown = isRun ? [] : fields.slice(0, SHOWN)
  const rest = fields.slice(shown.length)
  const folded = [
    ...rest.slice(0, FOLDED).map(field => fieldLine(field, markdown)),
    ...(rest.length > FOLDED ? [`and ${plural(rest.length - FOLDED, 'more field')}`] : [])
  ]
  const more = shown.length === 0 ? plural(rest.length, 'field') : plural(rest.length, 'more field')
  return {
    cells: [
      [what, ...about, ...owner, ...edited].join('<br>'),
      whereCell(group, markdown),
      [
        ...results.map(line => markdown.inline(line)),
        ...shown.map(field => fieldLine(field, markdown)),
        ...(rest.length === 0 ? [] : [fold(more, folded.join('<br>'))])
      ].join('<br>')
    ],
    weight: networks.length
  }
}

const runSigns: Readonly<Partial<Record<ChangeGroup['state'], string>>> = {
  unknown: '🔴&nbsp;',
  diverged: '🔴&nbsp;',
  failed: '🔴&nbsp;',
  stale: '🟡&nbsp;',
  reverted: '🟡&nbsp;',
  skipped: '🟡&nbsp;',
  waiting: '🕒&nbsp;',
  applied: '🟢&nbsp;',
  'as-declared': '🟢&nbsp;'
}

/** The site, or the number of sites with a fold of their names; the line of the declaration, if all share it. */
function whereCell({ networks }: ChangeGroup, markdown: Markdown): string {
  const [first] = networks
  const sites = namesCell(
    networks.map(({ site }) => site),
    'site'
  )
  const places = new Set(networks.map(({ origin }) => origin && lineText(origin)))
  const place = places.size === 1 ? first?.origin : undefined
  if (place === undefined) return sites
  const link = markdown.inline([
    { kind: 'link', text: [{ kind: 'code', text: lineText(place) }], to: { place } }
  ])
  return `${sites}<br><sub>declared in ${link}</sub>`
}

/** A fold lists at most this many names. */
const MAX_NAMES = 20

/** A single name, or the number of names with a fold of them. */
function namesCell(names: readonly string[], noun: string): string {
  const [name = '', ...others] = names
  if (others.length === 0) return codeSpan(name)
  return fold(`<b>${plural(names.length, noun)}</b>`, listFirst(names.map(codeSpan), MAX_NAMES))
}

function fieldLine(
  { name, value, lines, isDowngrade, place, cause, since }: FieldRow,
  markdown: Markdown
): string {
  const details = [
    ...(cause === undefined ? [] : [cause]),
    ...(place === undefined ? [] : [codeSpan(lineText(place))]),
    ...(since === undefined
      ? []
      : [since === null ? '**first seen now**' : `since ${codeSpan(formatTime(since))}`])
  ]
  const values: readonly Text[] = lines === undefined || lines.length > MAX_PARTS ? [value] : lines
  return [
    `${codeSpan(name)}: ${values.map(line => markdown.inline(line)).join('<br>')}`,
    isDowngrade ? ' **downgrade**' : '',
    details.length === 0 ? '' : ` <sub>${details.join(', ')}</sub>`
  ].join('')
}

/** A value with more parts is truncated to one line. */
const MAX_PARTS = 8

const levels = { error: '🔴&nbsp;error', warning: '🟡&nbsp;warning', info: '⚪&nbsp;info' } as const

/** The findings of these statuses, a table each. */
function findingSections(
  overview: Overview,
  statuses: readonly FindingStatus[],
  markdown: Markdown
): Section[] {
  const by = overview.kind === 'revert' ? 'revert' : 'apply'
  return statuses.flatMap(status => {
    const groups = findingsWith(overview, status)
    const title = `${findingTitle(status, by)} (${formatNumber(countOf(groups))})`
    const isFolded = status === 'known' || status === 'note'
    const only = overview.kind === 'findings' && status === 'new'
    return groups.length === 0
      ? []
      : {
          lead: isFolded || only ? '' : `#### ${title}`,
          ...(isFolded && { fold: title }),
          // A telephone shows the first two columns.
          columns: ['', 'Finding', 'Where'],
          rows: groups.map(group => findingRow(group, markdown)),
          noun: 'finding',
          share: only ? 1 : 1 / 4
        }
  })
}

function findingRow(group: FindingGroup, markdown: Markdown): TableRow {
  const { level, code, message, hint, addresses, noun, places, path, owners, count } = group
  const [place] = places
  const more = places.length - 1
  const where = [
    ...(place === undefined
      ? []
      : [
          markdown.inline([
            { kind: 'link', text: [{ kind: 'code', text: formatLocation(place) }], to: { place } }
          ]) + (more > 0 ? ` and ${formatNumber(more)} more` : '')
        ]),
    ...(addresses.length === 0 ? [] : [namesCell(addresses, noun)]),
    ...(path === undefined || addresses.length > 0 ? [] : [codeSpan(path)]),
    ...(owners.length === 0 ? [] : [`<sub>owner ${listFirst(owners.map(codeSpan), 2)}</sub>`])
  ]
  const advice = hint === undefined ? '' : `<br>→ ${markdown.inline(messageText(hint))}`
  return {
    cells: [
      levels[level],
      `${markdown.inline(messageText(message))}${advice}<br><sub>${codeSpan(code)}</sub>`,
      where.join('<br>')
    ],
    weight: count
  }
}

import type { Location } from '../../core/model/finding.ts'
import { compact } from '../../core/values/collections.ts'
import { formatLocation, plural } from '../../core/values/text.ts'
import {
  type Block,
  code,
  type Inline,
  placeAddress,
  type Section,
  type Table,
  type Text
} from '../render/document.ts'
import { html, joined, type Markup, type Part } from './markup.ts'

/** The address of the working directory's files, for links to places; absent if it is unknown. */
export type Source = string | undefined

export function inlineParts(text: Text, source: Source): Part[] {
  return text.map(part => inlinePart(part, source))
}

function inlinePart(part: Inline, source: Source): Part {
  if (typeof part === 'string') return unbroken(part)
  switch (part.kind) {
    case 'name':
      return unbroken(part.text)
    case 'code':
      return html`<code>${breakable(part.text)}</code>`
    case 'strong':
      return html`<strong>${inlineParts(part.text, source)}</strong>`
    case 'muted':
      return html`<span class="faint">${inlineParts(part.text, source)}</span>`
    case 'danger':
      return html`<strong class="less">${inlineParts(part.text, source)}</strong>`
    case 'change': {
      const mark = part.isDanger && html` class="less"`
      return html`<del>${part.before}</del> → <ins${mark}>${part.after}</ins>`
    }
    case 'link': {
      const text = inlineParts(part.text, source)
      if ('section' in part.to) return html`<a href="#${part.to.section}">${text}</a>`
      const address = placeAddress(part.to.place, source)
      return address === undefined ? text : html`<a href="${address}">${text}</a>`
    }
  }
}

const MAX_UNBROKEN = 24

/** The name of a variable breaks between its words. */
function breakable(text: string): Part {
  return text.length > MAX_UNBROKEN ? joined(text.split('_'), html`_<wbr>`) : text
}

/** Text whose `Wi-Fi` never breaks at its hyphen. */
function unbroken(text: string): Part {
  const parts = text.split('Wi-Fi')
  return parts.length === 1 ? text : joined(parts, html`<span class="word">Wi-Fi</span>`)
}

/** A place in a file, with a link to its line if the address of the files is known. */
export function placeLink(place: Location, source: Source): Part {
  return inlinePart({ kind: 'link', text: [code(formatLocation(place))], to: { place } }, source)
}

function blockParts(blocks: readonly Block[], source: Source): Part[] {
  return blocks.map(block => blockPart(block, source))
}

function blockPart(block: Block, source: Source): Part {
  switch (block.kind) {
    case 'paragraph':
      return html`<p>${inlineParts(block.text, source)}</p>`
    case 'callout':
      return html`<p class="call">${inlineParts(block.text, source)}</p>`
    case 'table':
      return tableOf(block, source)
  }
}

const LISTED = 20

function tableOf({ columns, rows, isNamed }: Table, source: Source): Markup {
  const shown = rows.map(({ cells }) =>
    cells.map(lines =>
      lines.length === 1
        ? inlineParts(lines[0] ?? [], source)
        : lines.map(line => html`<div>${inlineParts(line, source)}</div>`)
    )
  )
  const rest = shown.slice(LISTED)
  const table = dataTable(columns, shown.slice(0, LISTED), isNamed)
  if (rest.length === 0) return table
  return html`${table}${fold(plural(rest.length, 'more row'), dataTable(columns, rest, isNamed))}`
}

/** The number of columns from which a table scrolls sideways; a row of a smaller one is a block on a narrow screen. */
const MIN_WIDE = 6

/** `isNamed`: its columns mean nothing without their names. */
export function dataTable(
  columns: readonly string[],
  rows: readonly (readonly Part[])[],
  isNamed = false
): Markup {
  const isWide = isNamed || columns.length >= MIN_WIDE
  const label = columns.filter(name => name !== '').join(', ')
  const region = html`tabindex="0" role="region" aria-label="Table: ${label}"`
  return html`
    <div class="wide" ${isWide && region}>
      <table class="${isWide ? '' : 'cards'}">
        <thead><tr>${columns.map(name => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>
          ${rows.map(row => html`<tr>${row.map(tableCell)}</tr>`)}
        </tbody>
      </table>
    </div>`
}

/** A cell; the first one of a row is its header, unless it repeats the one above and is empty. */
function tableCell(cell: Part, column: number): Markup {
  const content = html`${cell}`
  return column === 0 && content.text !== ''
    ? html`<th scope="row">${content}</th>`
    : html`<td>${content}</td>`
}

/** The words of a command for a POSIX shell, with their quotes; an option and its value are one. */
const WORD = /(?:--[\w-]+ (?=[^\s-]))?(?:'[^']*'|\\.|[^\s'])+/g

/** A command, to which the script adds a button that copies it; its lines break between words only. */
export function commandLine(command: string, purpose?: string): Markup {
  const words = (command.match(WORD) ?? []).map(word =>
    /[-\s]/.test(word) ? html`<span>${word}</span>` : word
  )
  return html`
    <div class="command">
      <code>${joined(words, ' ')}</code>
      ${purpose !== undefined && html`<span class="faint small">${purpose}</span>`}
    </div>`
}

/** A section of a document as a section of the page; its tables are folded if a reader has to ask for them. */
export function sectionOf(section: Section, source: Source): PageSection {
  const { id, title, count, noun, isFolded, isUnlisted, blocks } = section
  const tables = isFolded ? blocks.filter(({ kind }) => kind === 'table') : []
  const body = [
    ...blockParts(
      blocks.filter(block => !tables.includes(block)),
      source
    ),
    tables.length > 0 &&
      fold(count === undefined ? 'Show' : plural(count, noun), blockParts(tables, source))
  ]
  return { id, title, ...compact({ count, isUnlisted }), body }
}

export interface PageSection {
  readonly id: string
  readonly title: string
  readonly count?: number
  /** True for a section on the first screen, which needs no entry. */
  readonly isUnlisted?: true
  readonly body: Part
}

/** Content that a reader opens; the script opens it for what the search finds. */
export function fold(title: string, body: Part): Markup {
  return html`<details class="fold"><summary>${title}</summary>${body}</details>`
}

/** A list of items, with those after the first ones in a fold: `43 more sites`. */
export function foldedRows(items: readonly Markup[], noun: string, most = LISTED): Part {
  const first = items.slice(0, most)
  const rest = items.slice(most)
  return [
    first.length > 0 && html`<ul class="rows">${first}</ul>`,
    rest.length > 0 && fold(plural(rest.length, noun), html`<ul class="rows">${rest}</ul>`)
  ]
}

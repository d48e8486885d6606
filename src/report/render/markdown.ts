import { formatNumber, truncate } from '../../core/values/text.ts'
import { escapeCode } from '../escape.ts'
import {
  type Block,
  type Section as DocumentSection,
  type Inline,
  placeAddress,
  type Table,
  type Text
} from './document.ts'
import { alert, type Section, type TableRow } from './size-limit.ts'

/** Longer texts are truncated; the full report shows them completely. */
const MAX_SPAN_LENGTH = 200

/** Untrusted text as a code span. Inside it, Markdown, HTML, mentions, links and images have no effect. */
export function codeSpan(text: string): string {
  // Escaping never shortens a text, so it is truncated first.
  const inside = truncate(escapeCode(text.slice(0, MAX_SPAN_LENGTH + 2)), MAX_SPAN_LENGTH)
  if (inside === '') return '_empty_'
  const fence = '`'.repeat(longestRun(inside) + 1)
  // Markdown strips one space from both ends, unless the span contains only spaces.
  const pad = /^`|`$|^ .*[^ ].* $/.test(inside) ? ' ' : ''
  return fence + pad + inside + pad + fence
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
}

/** A word that has no effect in Markdown, wherever it stands: no syntax, no address, no emoji, no hash of a commit, no issue (`GH-26`). */
const HARMLESS =
  /^["'(]*(?!www\.)(?![\da-f]{7,}["'),.;:!?]*$)(?!.*\bgh-\d)(?!.*\/\/)\.?[\p{L}\p{N}/−+=→…-][\p{L}\p{N}.,'’/%+…=-]*["'),.;:!?]*$|^[%,.;:?()]*$|^\d\d:\d\d(?::\d\d)?$|^\d{4}-\d\d-\d\dT[\d:.]+Z:?$/iu

/** Text whose harmless words are set as they are, and all others as code. It may hold text of others. */
export function prose(text: string): string {
  const parts: { isCode: boolean; words: string[] }[] = []
  for (const word of text.split(' ')) {
    const isCode = !HARMLESS.test(word)
    const last = parts.at(-1)
    if (last?.isCode === isCode) last.words.push(word)
    else parts.push({ isCode, words: [word] })
  }
  return parts
    .map(({ isCode, words }) => (isCode ? codeInMarks(words.join(' ')) : words.join(' ')))
    .join(' ')
}

/** A code span without the punctuation around it: (`a_b`); */
function codeInMarks(text: string): string {
  const marks = text.includes('(', 1)
    ? /^(["']*)(.+?)([",.;:]*)$/s
    : /^(["'(]*)(.+?)(["'),.;:?]*)$/s
  const [, before = '', inside = text, after = ''] = marks.exec(text) ?? []
  return before + codeSpan(inside) + after
}

/** Texts in place of a value, which are not from the service. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(['(unset)', '(secret)'])

function valueSpan(text: string): string {
  return PLACEHOLDERS.has(text) ? text : codeSpan(text)
}

/** Sets the parts of a document as Markdown. `source` is the address of the files, to link their lines. */
export class Markdown {
  readonly #source: string | undefined

  constructor(source: string | undefined) {
    this.#source = source
  }

  inline(text: Text): string {
    // Two code spans side by side would be one.
    return text.reduce((line: string, part) => {
      const next = this.#part(part)
      return line.endsWith('`') && next.startsWith('`') ? `${line} ${next}` : line + next
    }, '')
  }

  #part(part: Inline): string {
    if (typeof part === 'string') return prose(part)
    switch (part.kind) {
      case 'name':
      case 'code':
        return codeSpan(part.text)
      case 'strong':
      case 'danger':
        return bold(this.inline(part.text))
      case 'muted':
        return `<sub>${this.inline(part.text)}</sub>`
      case 'link':
        return 'place' in part.to ? this.#link(part.text, part.to.place) : ''
      case 'change': {
        const after = valueSpan(part.after)
        return `${valueSpan(part.before)} → ${part.isDanger ? bold(after) : after}`
      }
    }
  }

  #link(text: Text, place: Parameters<typeof placeAddress>[0]): string {
    const address = placeAddress(place, this.#source)
    const shown = this.inline(text)
    return address === undefined ? shown : `[${shown}](${address})`
  }

  /** A section as tables that may be truncated; its other blocks stand above the first one. */
  sections(section: DocumentSection, share: number): Section[] {
    const { title, count, noun, isFolded, blocks } = section
    const heading = count === undefined ? title : `${title} (${formatNumber(count)})`
    const [first, ...more] = blocks.filter(block => block.kind === 'table')
    const texts = blocks.flatMap(block => (block.kind === 'table' ? [] : this.#block(block)))
    const lead = [...(isFolded ? [] : [`#### ${prose(heading)}`]), ...texts].join('\n\n')
    const sectionOf = (above: string, table?: Table): Section => ({
      lead: above,
      ...(isFolded && { fold: heading }),
      columns: table?.columns ?? [],
      rows: (table?.rows ?? []).map(
        ({ cells, weight = 1 }): TableRow => ({
          cells: cells.map(lines => lines.map(line => this.inline(line)).join('<br>')),
          weight
        })
      ),
      noun,
      share
    })
    return [sectionOf(lead, first), ...more.map(table => sectionOf('', table))]
  }

  #block({ kind, text }: Exclude<Block, Table>): string {
    const shown = this.inline(text)
    return kind === 'callout' ? alert('bad', shown) : shown
  }
}

/** Emphasis ends right behind a word, so blanks stay outside. */
function bold(text: string): string {
  return text.replace(/^( *)(.*?)( *)$/, (whole, before: string, inside: string, after: string) =>
    inside === '' ? whole : `${before}**${inside}**${after}`
  )
}

export function fold(summary: string, inside: string): string {
  return `<details><summary>${summary}</summary>${inside}</details>`
}

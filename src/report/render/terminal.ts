import { formatNumber } from '../../core/values/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { formatTable, type Style, styleOf, wrapText } from '../layout.ts'
import type { RenderOptions } from '../report.ts'
import type { Block, Inline, Section, Table, Text, Tone } from './document.ts'

/** Sets the parts of a document for a terminal or a log: escaped, in colour, and wrapped between words. */
export class Terminal {
  readonly style: Style
  readonly width: number

  constructor(options: RenderOptions) {
    this.style = styleOf(options)
    this.width = options.width
  }

  inline(text: Text): string {
    const [first = '', ...others] = text
    const start = typeof first === 'string' ? escapeText(first) : this.#part(first)
    return start + others.map(part => this.#part(part)).join('')
  }

  #part(part: Inline): string {
    if (typeof part === 'string') return escapeInside(part)
    const { style } = this
    switch (part.kind) {
      case 'name':
      case 'code':
        return escapeInside(part.text)
      case 'strong':
        return style.strong(this.inline(part.text))
      case 'muted':
        return style.faint(this.inline(part.text))
      case 'danger':
        return style.bad(this.inline(part.text))
      case 'link':
        return 'section' in part.to ? '' : this.inline(part.text)
      case 'change': {
        const after = (part.isDanger ? style.bad : style.good)(escapeInside(part.after))
        return `${this.before(part.before)} → ${after}`
      }
    }
  }

  before(text: string): string {
    return (text === '(unset)' ? this.style.faint : this.style.bad)(escapeInside(text))
  }

  /** The lines of a text, the first behind `first`, the others behind `indent`. */
  lines(text: Text, first = '', indent = first): string[] {
    return this.wrapped(this.inline(text).trimEnd(), first, indent)
  }

  /** The lines of a text that is escaped. */
  wrapped(text: string, first = '', indent = first): string[] {
    return wrapText(text, this.width, first, indent)
  }

  tone(tone: Tone | undefined): (text: string) => string {
    const { bad, warn, good } = this.style
    return { bad, warn, good, note: (text: string) => text }[tone ?? 'note']
  }

  heading({ title, count, tone }: Pick<Section, 'title' | 'count' | 'tone'>): string[] {
    const counted = count === undefined ? title : `${title} (${formatNumber(count)})`
    return wrapText(escapeText(counted), this.width).map(line =>
      this.tone(tone)(this.style.strong(line))
    )
  }

  section(section: Section): string[] {
    return [...this.heading(section), ...section.blocks.flatMap(block => this.block(block))]
  }

  block(block: Block): string[] {
    switch (block.kind) {
      case 'paragraph':
        return this.lines(block.text, '  ')
      case 'callout':
        return this.lines(block.text, '  ').map(this.style.bad)
      case 'table':
        return this.table(block)
    }
  }

  /** A table without its empty columns: see `formatTable`. */
  table({ columns, rows, isNamed }: Table, indent = '  '): string[] {
    const cells = rows.map(row =>
      row.cells.map((lines, at) =>
        lines.map(line => this.tone(at === 0 ? row.tone : 'note')(this.inline(line)))
      )
    )
    const used = columns.map((_, at) => cells.some(row => row[at]?.some(line => line !== '')))
    const shown = cells.map(row => row.filter((_, at) => used[at]))
    const names = columns.filter((_, at) => isNamed && used[at])
    const faint = names.map(name => this.style.faint(escapeText(name)))
    return formatTable(shown, this.width, indent, faint)
  }
}

import { plural } from '../../core/values/text.ts'
import { html, type Markup, type Part } from './markup.ts'

/** A section with an entry in the bar. */
export interface PageSection {
  readonly id: string
  readonly title: string
  /** The number of its items, in the bar. */
  readonly count?: number
  /** True for a section on the first screen, which needs no entry. */
  readonly isUnlisted?: true
  readonly body: Part
}

/** Content that a reader opens; the script opens it for what the search finds. */
export function fold(title: string, body: Part): Markup {
  return html`<details class="fold"><summary>${title}</summary>${body}</details>`
}

/** A list of items, with those after the first `listed` in a fold: `43 more sites`. */
export function foldedRows(items: readonly Markup[], listed: number, noun: string): Part {
  const first = items.slice(0, listed)
  const rest = items.slice(listed)
  return [
    first.length > 0 && html`<ul class="rows">${first}</ul>`,
    rest.length > 0 && fold(plural(rest.length, noun), html`<ul class="rows">${rest}</ul>`)
  ]
}

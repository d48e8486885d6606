import { page } from '#page'
import { formatNumber, plural } from '../../core/values/text.ts'
import { html, type Markup, type Part } from './markup.ts'

/** The content of a page. */
export interface Shell {
  /** The command and its headline, for the tab of the browser. */
  readonly title: string
  /** The headline, and how much it is about. */
  readonly head: Part
  readonly sections: readonly PageSection[]
  /** When and by what the data was read. */
  readonly stamp: Part
  /** Further origin of the data. */
  readonly foot: Part
}

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

/**
 * A complete page in one file, which needs no network, server or other file, and no script to be read. Its content security
 * policy blocks all requests, and any script or style other than those of the page, which it identifies by hash.
 */
export function htmlPage({ title, head, sections, stamp, foot }: Shell): string {
  const policy = [
    "default-src 'none'",
    `script-src '${page.scriptHash}'`,
    `style-src '${page.styleHash}'`,
    "img-src 'none'",
    "base-uri 'none'",
    "form-action 'none'"
  ]
  const start = html`
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <meta name="generator" content="wlanctl">
    <title>${title} – wlanctl</title>`
  const body = html`
    <a class="skip" href="#main">Skip to content</a>
    <header class="bar">
      <b>wlanctl</b>
      <nav class="quiet" aria-label="Sections">
        <a href="#main">Now</a>
        ${sections.map(({ id, title, count, isUnlisted }) => {
          const number = count !== undefined && html` <b>${formatNumber(count)}</b>`
          return !isUnlisted && html`<a href="#${id}">${title.split(':')[0]}${number}</a>`
        })}
      </nav>
      <small class="faint">${stamp}</small>
    </header>
    <main id="main" tabindex="-1">
      ${head}
      ${sections.map(
        ({ id, title, body }) => html`
          <section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`
      )}
    </main>
    ${html`${foot}`.text !== '' && html`<footer class="faint small">${foot}</footer>`}`
  return [
    `<!doctype html><html lang="en"><head>${start.text}<style>${page.style}</style></head>`,
    `<body>${body.text}<script>${page.script}</script></body></html>\n`
  ].join('')
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

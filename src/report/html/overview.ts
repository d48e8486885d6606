import { page } from '#page'
import { present } from '../../core/values/collections.ts'
import { capitalised, formatNumber, plural } from '../../core/values/text.ts'
import {
  alarmsOf,
  furtherAlarms,
  isPlan,
  isVerdictSaid,
  type Overview,
  type Problem,
  verdictLine
} from '../overview/overview.ts'
import { textOf } from '../render/document.ts'
import type { NextStep, RenderOptions } from '../report.ts'
import { commandLine, inlineParts, type PageSection, sectionOf } from './blocks.ts'
import { changesSections } from './changes.ts'
import { findingsSections, refusalSections } from './findings.ts'
import { html, joined, type Markup, type Part } from './markup.ts'
import { sitesSections } from './sites.ts'
import { statesBar, swatch } from './states.ts'
import { type Context, Targets } from './targets.ts'

/**
 * An overview as one HTML file, which needs no network, server or other file, and no script to be read: that searches,
 * copies and saves. Its content security policy blocks all requests, and any script or style other than those of the page,
 * which it identifies by hash. `source`: the address of the working directory's files, for links to lines.
 */
export function overviewHtml(
  overview: Overview,
  { source, next = [] }: Pick<RenderOptions, 'source' | 'next'>
): string {
  const { kind, headline, coverage, unread, sections, origin, made, digest } = overview
  const summary = summaryOf(overview)
  const isAlarm = alarmsOf(overview).length > 0
  const foot = present<Part>(
    origin && inlineParts(origin, source),
    digest !== undefined && html`Digest <code>${digest}</code>`
  )
  const context = { overview, source, targets: new Targets(overview) }
  const parts: readonly PageSection[] = [
    ...firstSections(context),
    ...nextSections(next),
    ...refusalSections(context),
    ...sitesSections(context),
    ...changesSections(context),
    ...findingsSections(context),
    ...sections.map(section => sectionOf(section, source))
  ]
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
    <title>${capitalised(kind)}: ${textOf(headline)} – wlanctl</title>`
  const body = html`
    <a class="skip" href="#main">Skip to content</a>
    <header class="bar">
      <b>wlanctl</b>
      <nav class="quiet" aria-label="Sections">
        <a href="#main">Now</a>
        ${parts.map(({ id, title, count, isUnlisted }) => {
          const number = Boolean(count) && html` <b>${formatNumber(count ?? 0)}</b>`
          return !isUnlisted && html`<a href="#${id}">${title.split(':')[0]}${number}</a>`
        })}
      </nav>
      <small class="faint">${made}</small>
    </header>
    <main id="main" tabindex="-1">
      <h1>${inlineParts(headline, source)}</h1>
      ${unread !== undefined && html`<p class="coverage">${inlineParts(unread, source)}</p>`}
      ${coverage.map(text => html`<p class="coverage">${inlineParts(text, source)}</p>`)}
      ${statesBar(overview)}
      ${summary !== '' && html`<p class="${isAlarm ? 'less' : 'faint small'}">${summary}</p>`}
      ${parts.map(sectionMarkup)}
    </main>
    ${foot.length > 0 && html`<footer class="faint small">${foot.map(part => html`<div>${part}</div>`)}</footer>`}`
  return [
    `<!doctype html><html lang="en"><head>${start.text}<style>${page.style}</style></head>`,
    `<body>${body.text}<script>${page.script}</script></body></html>\n`
  ].join('')
}

/** What the headline, the coverage and the states do not say. */
function summaryOf(overview: Overview): string {
  const { kind, isRun, headline } = overview
  if (isRun || kind === 'revert') return furtherAlarms(overview).join(' ')
  if (isVerdictSaid(overview)) return furtherAlarms({ ...overview, incomplete: '' }).join(' ')
  const text = textOf(verdictLine(overview))
  return text === textOf(headline) ? '' : text
}

function sectionMarkup({ id, title, body }: PageSection): Markup {
  return html`
    <section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`
}

function firstSections(context: Context): PageSection[] {
  const { first, kind } = context.overview
  if (first.length === 0) return []
  const items = first.map(problem => problemItem(problem, context))
  const isDone = kind === 'diff' || isPlan(context.overview)
  const title = isDone ? 'What matters most' : 'Do this first'
  const body = html`<ol class="first">${items}</ol>`
  return [{ id: 'first', title, isUnlisted: true, body }]
}

function problemItem(problem: Problem, { targets, source }: Context): Markup {
  const { state, text, sites, count, effect, command, purpose } = problem
  const [site] = sites
  const title = inlineParts(text, source)
  const rest = count - sites.length
  const links = joined(
    sites.map(each => targets.link(each)),
    ' · '
  )
  return html`
    <li>
      <div>
        <h3>${swatch(state)}${count === 1 && site !== undefined ? targets.link(site, title) : title}</h3>
        ${count > 1 && html`<p>${links}${rest > 0 && ` and ${plural(rest, 'more site')}`}</p>`}
      </div>
      ${effect !== undefined && html`<p class="faint small">${inlineParts(effect, source)}</p>`}
      ${command !== undefined && commandLine(command, purpose)}
    </li>`
}

function nextSections(next: readonly NextStep[]): PageSection[] {
  if (next.length === 0) return []
  const body = next.map(([command, purpose]) => commandLine(command, purpose))
  return [{ id: 'next', title: 'Next', isUnlisted: true, body }]
}

import { page } from '#page'
import {
  type GroupCounts,
  type Judgement,
  type Verdict,
  verdictSentence
} from '../../core/model/judgement.ts'
import { capitalised, formatNumber, plural } from '../../core/values/text.ts'
import type { Overview, Problem } from '../overview/overview.ts'
import { waveName } from '../overview/sections.ts'
import { textOf } from '../render/document.ts'
import type { NextStep, RenderOptions } from '../report.ts'
import { commandLine, inlineParts, sectionOf } from './blocks.ts'
import { changesSections } from './changes.ts'
import { findingsSections, refusalSections } from './findings.ts'
import { html, joined, type Markup } from './markup.ts'
import type { PageSection } from './shell.ts'
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
  const { kind, headline, verdict, totals, coverage, sections, origin = [], digest } = overview
  const context = { overview, source, targets: new Targets(overview) }
  const own = sections.map(
    (section, at): PageSection => ({
      ...sectionOf({ ...section, ...(kind === 'record' && { isFolded: true }) }, source),
      // A bar has no room for each run.
      ...(kind === 'record' && at > 0 && { isUnlisted: true })
    })
  )
  const parts: readonly PageSection[] = [
    ...firstSections(context),
    ...nextSections(next),
    ...judgementSections(overview.judgements),
    ...refusalSections(context),
    ...sitesSections(context),
    ...changesSections(context),
    ...findingsSections(context),
    ...own
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
          const number = count !== undefined && html` <b>${formatNumber(count)}</b>`
          return !isUnlisted && html`<a href="#${id}">${title.split(':')[0]}${number}</a>`
        })}
      </nav>
      <small class="faint">${inlineParts(origin, source)}</small>
    </header>
    <main id="main" tabindex="-1">
      <h1>${inlineParts(headline, source)}</h1>
      ${coverage.map(text => html`<p class="coverage">${inlineParts(text, source)}</p>`)}
      ${statesBar(overview)}
      <p class="faint small">${textOf(verdict)}. ${totals}</p>
      ${parts.map(sectionMarkup)}
    </main>
    ${digest !== undefined && html`<footer class="faint small"><span>Digest <code>${digest}</code></span></footer>`}`
  return [
    `<!doctype html><html lang="en"><head>${start.text}<style>${page.style}</style></head>`,
    `<body>${body.text}<script>${page.script}</script></body></html>\n`
  ].join('')
}

function sectionMarkup({ id, title, body }: PageSection): Markup {
  return html`
    <section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`
}

function firstSections(context: Context): PageSection[] {
  const { first, kind } = context.overview
  if (first.length === 0) return []
  const items = first.map(problem => problemItem(problem, context))
  const title = kind === 'diff' ? 'What matters most' : 'Do this first'
  const body = html`<ol class="first">${items}</ol>`
  return [{ id: 'first', title, isUnlisted: true, body }]
}

function problemItem(problem: Problem, { targets, source }: Context): Markup {
  const { state, text, sites, count, effect, command } = problem
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
      ${effect !== undefined && html`<p class="faint small">${effect}</p>`}
      ${command !== undefined && commandLine({ command })}
    </li>`
}

function nextSections(next: readonly NextStep[]): PageSection[] {
  if (next.length === 0) return []
  const body = next.map(([command, purpose]) => commandLine({ command, purpose }))
  return [{ id: 'next', title: 'Next', isUnlisted: true, body }]
}

/** The view box of a picture in SVG units; a bar of 100 % is half as wide. */
const [WIDTH, BAR, GAP] = [400, 14, 4]

const states = { worse: 'failed', good: 'applied', not_judged: 'unknown' } as const

const LEGEND =
  'Above, the changed sites; below, those that still wait. The wide bar is before the wave, the narrow one after.'

/** The judged waves: for each metric, what became of the changed and of the waiting sites, with 100 % as before. */
function judgementSections(judgements: readonly Judgement[] = []): PageSection[] {
  const pictures = judgements.flatMap(({ wave, metrics }) =>
    Object.entries(metrics).map(([name, verdict]) =>
      picture(textOf([waveName({ name: wave })]), name, verdict)
    )
  )
  if (pictures.length === 0) return []
  const body = html`<p class="small">${LEGEND}</p>${pictures}`
  return [{ id: 'judged', title: 'Judged waves', count: pictures.length, body }]
}

function picture(title: string, name: string, verdict: Verdict): Markup {
  const { changed, waiting, result } = verdict
  const label = `${title}: ${verdictSentence(name, verdict)}`
  const bars = [bar(changed, states[result], 0)]
  if (waiting.sites > 0) bars.push(bar(waiting, 'waiting', BAR + GAP))
  return html`
    <figure class="judged">
      <svg role="img" aria-label="${label}" viewBox="0 0 ${WIDTH} ${bars.length * (BAR + GAP) - GAP}">
        ${bars}
      </svg>
      <figcaption class="small">${label}</figcaption>
    </figure>`
}

/** A bar for before, and a narrower one in front of it for after; more than twice as much is cut off. */
function bar({ before, after }: GroupCounts, state: string, y: number): Markup {
  const width = before === 0 ? 0 : Math.min(2, after / before) * (WIDTH / 2)
  return html`
    <rect class="ground" y="${y}" width="${before === 0 ? 0 : WIDTH / 2}" height="${BAR}"/>
    <rect class="s ${state}" y="${y + 3}" width="${width.toFixed(1)}" height="${BAR - 6}"/>`
}

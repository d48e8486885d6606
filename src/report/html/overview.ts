import { plural } from '../../core/values/text.ts'
import type { Overview, OverviewKind, Problem } from '../overview/overview.ts'
import { textOf } from '../render/document.ts'
import { commandLine, inlineParts, type Source, sectionOf } from './blocks.ts'
import { changesSections } from './changes.ts'
import { findingsSections, refusalSections } from './findings.ts'
import { judgementSections } from './judgements.ts'
import { html, joined, type Markup } from './markup.ts'
import { htmlPage, type PageSection } from './shell.ts'
import { sitesSections } from './sites.ts'
import { statesBar, swatch } from './states.ts'
import { type Context, Targets } from './targets.ts'

const titles: Readonly<Record<OverviewKind, string>> = {
  plan: 'Plan',
  drift: 'Drift',
  apply: 'Apply',
  revert: 'Revert',
  audit: 'Audit',
  record: 'Record',
  history: 'History',
  diff: 'Diff',
  findings: 'Findings'
}

/**
 * An overview as one HTML file, whose content needs no script: that searches, copies and saves. `source`: the address of the
 * working directory's files, for links to lines.
 */
export function overviewHtml(overview: Overview, source: Source): string {
  const { kind, headline, coverage, sections, origin = [], digest } = overview
  const context = { overview, source, targets: new Targets(overview) }
  return htmlPage({
    title: `${titles[kind]}: ${textOf(headline)}`,
    head: [
      html`<h1>${inlineParts(headline, source)}</h1>`,
      coverage.map(text => html`<p class="coverage">${inlineParts(text, source)}</p>`),
      statesBar(overview),
      resultLine(overview)
    ],
    sections: [
      ...firstSections(context),
      ...nextSections(overview),
      ...judgementSections(overview.judgements),
      ...refusalSections(context),
      ...sitesSections(context),
      ...changesSections(context),
      ...findingsSections(context),
      ...sections.map(section => ({
        ...sectionOf(section, source),
        // A bar has no room for each day.
        ...(kind === 'history' && !section.leads && { isUnlisted: true as const })
      }))
    ],
    stamp: inlineParts(origin, source),
    foot: digest !== undefined && html`<span>Digest <code>${digest}</code></span>`
  })
}

/** The result as the exit code says it, and the counts. */
function resultLine({ verdict, totals }: Overview): Markup {
  return html`<p class="faint small">${textOf(verdict)}. ${totals}</p>`
}

function firstSections(context: Context): PageSection[] {
  const { first, kind } = context.overview
  if (first.length === 0) return []
  const items = first.map(problem => problemItem(problem, context))
  const title = kind === 'diff' || kind === 'history' ? 'What matters most' : 'Do this first'
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

function nextSections({ next }: Overview): PageSection[] {
  if (next.length === 0) return []
  return [{ id: 'next', title: 'Next', isUnlisted: true, body: next.map(commandLine) }]
}

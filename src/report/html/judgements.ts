import {
  formatGrowth,
  formatResult,
  type GroupCounts,
  type Judgement,
  type Verdict
} from '../../core/model/judgement.ts'
import { plural } from '../../core/values/text.ts'
import { waveName } from '../overview/sections.ts'
import { textOf } from '../render/inline.ts'
import { html, type Markup } from './markup.ts'
import type { PageSection } from './shell.ts'

/** The view box of a picture in SVG units; a bar of 100 % is half as wide. */
const [WIDTH, BAR, GAP] = [400, 14, 4]

const states = { worse: 'failed', good: 'as-declared', not_judged: 'unknown' } as const

/** The judged waves: for each metric, what became of the changed and of the waiting sites, with 100 % as before. */
export function judgementSections(judgements: readonly Judgement[] = []): PageSection[] {
  const pictures = judgements.flatMap(({ wave, metrics }) =>
    Object.entries(metrics).map(([name, verdict]) =>
      picture(`${textOf([waveName({ name: wave })])}, ${name}`, verdict)
    )
  )
  if (pictures.length === 0) return []
  return [{ id: 'judged', title: 'Judged waves', count: pictures.length, body: pictures }]
}

function picture(title: string, verdict: Verdict): Markup {
  const { changed, waiting } = verdict
  const label = `${title}: ${formatGrowth(changed)} at ${plural(changed.sites, 'changed site')}, ${formatGrowth(waiting)} at ${plural(waiting.sites, 'waiting site')}: ${formatResult(verdict)}`
  return html`
    <figure class="judged">
      <svg role="img" aria-label="${label}" viewBox="0 0 ${WIDTH} ${2 * BAR + GAP}">
        ${bar(changed, states[verdict.result], 0)}
        ${bar(waiting, 'waiting', BAR + GAP)}
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

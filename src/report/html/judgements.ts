import {
  type GroupCounts,
  type Judgement,
  type Verdict,
  verdictSentence
} from '../../core/model/judgement.ts'
import { waveName } from '../overview/sections.ts'
import { textOf } from '../render/document.ts'
import { html, type Markup } from './markup.ts'
import type { PageSection } from './shell.ts'

/** The view box of a picture in SVG units; a bar of 100 % is half as wide. */
const [WIDTH, BAR, GAP] = [400, 14, 4]

const states = { worse: 'failed', good: 'applied', not_judged: 'unknown' } as const

const LEGEND =
  'Above, the changed sites; below, those that still wait. The wide bar is before the wave, the narrow one after.'

/** The judged waves: for each metric, what became of the changed and of the waiting sites, with 100 % as before. */
export function judgementSections(judgements: readonly Judgement[] = []): PageSection[] {
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

import type { Plan } from '../../model/plan.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { type Style, widest, wrap } from '../layout.ts'
import type { OutcomesReport, RenderOptions } from '../report.ts'
import {
  formatWaveSize,
  REST,
  type WaveWithChanges,
  waveOutcomes,
  wavesWithChanges
} from '../rollout.ts'

/**
 * In which order the sites of a plan are changed; nothing where there is no order.
 *
 *     Rollout: 2 waves, each of them checked before the next one begins
 *       canary  2 changes on 1 site: hq
 *       (rest)  29 changes on 29 sites: store-001, store-002, store-003 and 26 more
 */
export function rolloutSection(plan: Plan, options: RenderOptions, style: Style): string {
  const waves = wavesWithChanges(plan)
  const [first, ...others] = waves
  if (first === undefined) return ''
  if (others.length === 0) {
    return first.name === undefined ? '' : `Rollout: all in the wave ${escapeInside(first.name)}`
  }
  return [style.strong(rolloutTitle(waves)), ...rolloutLines(waves, options)].join('\n')
}

export function rolloutTitle({ length }: readonly WaveWithChanges[]): string {
  return `Rollout: ${length} waves, each of them checked before the next one begins`
}

/** A line for each wave, with as many of its sites as there is room for. */
export function rolloutLines(
  waves: readonly WaveWithChanges[],
  { width }: RenderOptions
): string[] {
  const names = waves.map(waveName)
  const column = widest(names)
  return waves.map((wave, at) => {
    const head = `  ${(names[at] ?? '').padEnd(column)}  ${formatWaveSize(wave)}`
    return head + listed(wave.sites, width - head.length)
  })
}

/** A wave names at most so many sites, however wide the line may be. */
const NAMED = 30

/** The name of a wave in a line of text. */
export function waveName({ name }: Pick<WaveWithChanges, 'name'>): string {
  return name === undefined ? `(${REST})` : escapeText(name)
}

function listed(sites: readonly string[], room: number): string {
  let [names, text] = ['', '']
  for (const [at, site] of sites.slice(0, NAMED).entries()) {
    const left = sites.length - at - 1
    names += `${at === 0 ? ': ' : ', '}${escapeInside(site)}`
    const next = left === 0 ? names : `${names} and ${left} more`
    if (next.length > room) return text
    text = next
  }
  return text
}

/**
 * What became of the waves of a run, and which of them was not good; nothing where there is none.
 *
 *     Rollout: canary 1 diverged; (rest) 29 skipped
 *     Failed: wave canary: hq/guest is diverged
 */
export function rolloutNotes(
  { plan, outcomes, failedWave }: OutcomesReport,
  { width }: RenderOptions,
  style: Style
): string[] {
  const ends = waveOutcomes(plan, outcomes).map(wave => `${waveName(wave)} ${wave.told}`)
  const [first = '', ...others] = ends
  return [
    ...(ends.length < 2 ? [] : wrap([`Rollout: ${first}`, ...others], '; ', width)),
    ...(failedWave === undefined ? [] : [style.bad(`Failed: ${escapeInside(failedWave)}`)])
  ]
}

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
 * The waves of a plan with their sites; empty without a rollout.
 *
 *     Rollout: 2 waves, each checked before the next starts
 *       canary  2 changes on 1 site: hq
 *       (rest)  29 changes on 29 sites: store-001, store-002, store-003 and 26 more
 */
export function rolloutSection(plan: Plan, options: RenderOptions, style: Style): string {
  const waves = wavesWithChanges(plan)
  const [first, ...others] = waves
  if (first === undefined) return ''
  if (others.length === 0) {
    return first.name === undefined
      ? ''
      : `Rollout: all changes in wave ${escapeInside(first.name)}`
  }
  return [style.strong(rolloutTitle(waves)), ...rolloutLines(waves, options)].join('\n')
}

export function rolloutTitle({ length }: readonly WaveWithChanges[]): string {
  return `Rollout: ${length} waves, each checked before the next starts`
}

/** A line for each wave, with as many of its sites as fit. */
export function rolloutLines(
  waves: readonly WaveWithChanges[],
  { width }: RenderOptions
): string[] {
  const names = waves.map(waveName)
  const column = widest(names)
  return waves.map((wave, at) => {
    const head = `  ${(names[at] ?? '').padEnd(column)}  ${formatWaveSize(wave)}`
    return head + listSites(wave.sites, width - head.length)
  })
}

/** The maximum number of sites in a line, regardless of its width. */
const MAX_NAMES = 30

/** The name of a wave in a line of text. */
export function waveName({ name }: Pick<WaveWithChanges, 'name'>): string {
  return name === undefined ? `(${REST})` : escapeText(name)
}

function listSites(sites: readonly string[], width: number): string {
  let [names, text] = ['', '']
  for (const [at, site] of sites.slice(0, MAX_NAMES).entries()) {
    const left = sites.length - at - 1
    names += `${at === 0 ? ': ' : ', '}${escapeInside(site)}`
    const next = left === 0 ? names : `${names} and ${left} more`
    if (next.length > width) return text
    text = next
  }
  return text
}

/**
 * The outcomes of a run by wave, and the failed wave; empty without a rollout.
 *
 *     Rollout: canary 1 diverged; (rest) 29 skipped
 *     Failed: wave canary: hq/guest is diverged
 */
export function rolloutNotes(
  { plan, outcomes, failedWave }: OutcomesReport,
  { width }: RenderOptions,
  style: Style
): string[] {
  const ends = waveOutcomes(plan, outcomes).map(wave => `${waveName(wave)} ${wave.counts}`)
  const [first = '', ...others] = ends
  return [
    ...(ends.length < 2 ? [] : wrap([`Rollout: ${first}`, ...others], '; ', width)),
    ...(failedWave === undefined ? [] : [style.bad(`Failed: ${escapeInside(failedWave)}`)])
  ]
}

import type { Plan } from '../../model/plan.ts'
import type { RecordedWave } from '../../model/record.ts'
import { listFirst, plural } from '../../model/text.ts'
import { thousands } from '../format-value.ts'
import { formatWaveSize, REST, waveOutcomes, wavesWithChanges } from '../rollout.ts'
import { codeSpan } from './cells.ts'

/** The most waves shown, and the most sites of each: the head of a page is never cut. */
const MAX_WAVES = 8
const MAX_SITES = 3

/**
 * The waves of a plan with their sites, on one line; empty without a rollout.
 *
 *     **Rollout**: `canary` (2 changes on 1 site: `hq`) → _rest_ (29 changes on 29 sites: …)
 */
export function rolloutLine(plan: Plan): string[] {
  const waves = wavesWithChanges(plan)
  const [first] = waves
  if (first === undefined || (waves.length === 1 && first.name === undefined)) return []
  const texts = waves.map(wave => {
    const sites = listFirst(wave.sites.map(codeSpan), MAX_SITES)
    return `${waveLabel(wave)} (${thousands(formatWaveSize(wave))}: ${sites})`
  })
  return [rolloutText(texts)]
}

/** The outcomes of a run by wave, on one line; empty with fewer than two waves. */
export function waveOutcomesLine(...run: Parameters<typeof waveOutcomes>): string[] {
  const results = waveOutcomes(...run)
  if (results.length < 2) return []
  return [rolloutText(results.map(wave => `${waveLabel(wave)}: ${thousands(wave.counts)}`))]
}

/** The waves of a recorded run, on one line. */
export function wavesLine(waves: readonly RecordedWave[] = []): string[] {
  if (waves.length === 0) return []
  const texts = waves.map(wave => {
    const problem = wave.problem === undefined ? '' : `, failed: ${codeSpan(wave.problem)}`
    return `${waveLabel(wave)} (${thousands(plural(wave.changes, 'change'))}${problem})`
  })
  return [rolloutText(texts)]
}

function waveLabel({ name }: { readonly name?: string }): string {
  return name === undefined ? `_${REST}_` : codeSpan(name)
}

function rolloutText(texts: readonly string[]): string {
  const rest = texts.length - MAX_WAVES
  const more = rest > 0 ? [plural(rest, 'more wave')] : []
  return `**Rollout**: ${[...texts.slice(0, MAX_WAVES), ...more].join(' → ')}`
}

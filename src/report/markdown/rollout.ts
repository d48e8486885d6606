import type { Plan } from '../../model/plan.ts'
import type { RecordedWave } from '../../model/record.ts'
import { plural } from '../../model/text.ts'
import { busyWaves, endsOfWaves, extentOf, REST } from '../rollout.ts'
import { few, thousands } from '../words.ts'
import { code } from './code.ts'

/** So many waves are told, each with so many of its sites: the head of a page is never cut. */
const WAVES = 8
const NAMED = 3

/**
 * In which order the sites of a plan are changed, on one line; nothing where there is no order.
 *
 *     **Rollout**: `canary` (2 changes on 1 site: `hq`) → _rest_ (29 changes on 29 sites: …)
 */
export function rolloutLine(plan: Plan): string[] {
  const waves = busyWaves(plan)
  const [first] = waves
  if (first === undefined || (waves.length === 1 && first.name === undefined)) return []
  const told = waves.map(wave => {
    const sites = few(wave.sites.map(code), NAMED)
    return `${nameOf(wave)} (${thousands(extentOf(wave))}: ${sites})`
  })
  return [inARow(told)]
}

/** What became of the waves of a run, on one line; nothing where there was one only. */
export function endsLine(...told: Parameters<typeof endsOfWaves>): string[] {
  const ends = endsOfWaves(...told)
  if (ends.length < 2) return []
  return [inARow(ends.map(wave => `${nameOf(wave)}: ${thousands(wave.told)}`))]
}

/** The waves of a recorded run, on one line. */
export function wavesLine(waves: readonly RecordedWave[] = []): string[] {
  if (waves.length === 0) return []
  const told = waves.map(wave => {
    const problem = wave.problem === undefined ? '' : `, and then ${code(wave.problem)}`
    return `${nameOf(wave)} (${thousands(plural(wave.changes, 'change'))}${problem})`
  })
  return [inARow(told)]
}

function nameOf({ name }: { readonly name?: string }): string {
  return name === undefined ? `_${REST}_` : code(name)
}

function inARow(told: readonly string[]): string {
  const rest = told.length - WAVES
  const more = rest > 0 ? [plural(rest, 'more wave')] : []
  return `**Rollout**: ${[...told.slice(0, WAVES), ...more].join(' → ')}`
}

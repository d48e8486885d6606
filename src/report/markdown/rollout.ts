import { count } from '../../model/identity.ts'
import type { Plan } from '../../model/plan.ts'
import { busyWaves, extentOf, REST } from '../rollout.ts'
import { code, few, thousands } from './code.ts'

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
  const rest = waves.length - WAVES
  const told = waves.slice(0, WAVES).map(wave => {
    const name = wave.name === undefined ? `_${REST}_` : code(wave.name)
    return `${name} (${thousands(extentOf(wave))}: ${few(wave.sites.map(code), NAMED)})`
  })
  return [`**Rollout**: ${[...told, ...(rest > 0 ? [count(rest, 'more wave')] : [])].join(' → ')}`]
}

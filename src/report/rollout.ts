import { count } from '../model/identity.ts'
import { type Outcome, statuses, tally } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'
import type { Wave } from '../model/rollout.ts'

/** A wave of a plan that has something to do. */
export interface BusyWave extends Wave {
  /** How many changes its sites have. */
  readonly changes: number
}

/** What the wave of the sites that no declared wave holds is called. */
export const REST = 'rest'

/** The waves of a plan that have something to do, in their order; none where it has no rollout. */
export function busyWaves({
  rollout = [],
  changes
}: Pick<Plan, 'rollout' | 'changes'>): BusyWave[] {
  const bySite = new Map<string, number>()
  for (const { site } of changes) bySite.set(site.name, (bySite.get(site.name) ?? 0) + 1)
  return rollout
    .map(wave => ({ ...wave, sites: wave.sites.filter(site => bySite.has(site)) }))
    .map(wave => ({
      ...wave,
      changes: wave.sites.reduce((sum, site) => sum + (bySite.get(site) ?? 0), 0)
    }))
    .filter(wave => wave.changes > 0)
}

/** How much a wave does, e.g. `3 changes on 2 sites`. */
export function extentOf({ changes, sites }: BusyWave): string {
  return `${count(changes, 'change')} on ${count(sites.length, 'site')}`
}

/** What became of each wave with a change, e.g. `1 diverged`; none where there is no rollout. */
export function endsOfWaves(
  { rollout = [], changes }: Pick<Plan, 'rollout' | 'changes'>,
  outcomes: readonly Outcome[]
) {
  const sites = new Map(changes.map(({ address, site }) => [address, site.name]))
  return rollout.flatMap(({ name, sites: held }) => {
    const own = new Set(held)
    const counts = tally(outcomes.filter(({ address }) => own.has(sites.get(address) ?? '')))
    const ends = statuses.filter(status => counts[status] > 0)
    if (ends.length === 0) return []
    const told = ends.map(status => `${counts[status]} ${status}`).join(', ')
    return { ...(name === undefined ? {} : { name }), told }
  })
}

import type { Wave } from '../model/desired.ts'
import { type Outcome, statuses, tally } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import { groupFindings } from './group-findings.ts'

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
  return `${plural(changes, 'change')} on ${plural(sites.length, 'site')}`
}

/** What became of each wave with a change, e.g. `1 diverged`; none where there is no rollout. */
export function endsOfWaves(
  { rollout = [], changes }: Pick<Plan, 'rollout' | 'changes'>,
  outcomes: readonly Outcome[]
) {
  const sites = new Map(changes.map(({ address, site }) => [address, site.name]))
  const bySite = groupFindings(outcomes, ({ address }) => sites.get(address) ?? '')
  const tallies = new Map(
    bySite.map(group => [sites.get(group[0].address) ?? '', tally(group)] as const)
  )
  return rollout.flatMap(({ name, sites: held }) => {
    const counts = [...new Set(held)].flatMap(site => tallies.get(site) ?? [])
    const told = statuses
      .map(status => [status, counts.reduce((sum, each) => sum + each[status], 0)] as const)
      .flatMap(([status, n]) => (n === 0 ? [] : [`${n} ${status}`]))
      .join(', ')
    if (told === '') return []
    return { ...(name === undefined ? {} : { name }), told }
  })
}

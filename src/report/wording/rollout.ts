import type { Wave } from '../../core/model/desired.ts'
import { type Outcome, statuses, tally } from '../../core/model/outcome.ts'
import type { Plan } from '../../core/model/plan.ts'
import { compact, groupBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'

interface WaveWithChanges extends Wave {
  readonly changes: number
}

/** The name of the wave with the sites in no declared wave. */
export const REST = 'rest'

/** The names of the waves, in order; undefined without a rollout. */
export function waveNames(rollout?: readonly Wave[]): readonly string[] | undefined {
  return rollout?.map(({ name = REST }) => name)
}

/** The waves of a plan that have changes, in order; empty without a rollout. */
export function wavesWithChanges({
  rollout = [],
  changes
}: Pick<Plan, 'rollout' | 'changes'>): WaveWithChanges[] {
  const bySite = groupBy(changes, ({ site }) => site.name)
  return rollout.flatMap(wave => {
    const sites = wave.sites.filter(site => bySite.has(site))
    if (sites.length === 0) return []
    const size = sites.reduce((total, site) => total + (bySite.get(site)?.length ?? 0), 0)
    return [{ ...wave, sites, changes: size }]
  })
}

export function formatWaveSize({ changes, sites }: WaveWithChanges): string {
  return `${plural(changes, 'change')} on ${plural(sites.length, 'site')}`
}

/** The number of outcomes by status of each wave with changes: `1 diverged`; empty without a rollout. */
export function waveOutcomes(
  { rollout = [], changes }: Pick<Plan, 'rollout' | 'changes'>,
  outcomes: readonly Outcome[]
) {
  const siteOf = new Map(changes.map(({ address, site }) => [address, site.name]))
  const bySite = groupBy(outcomes, ({ address }) => siteOf.get(address) ?? '')
  return rollout.flatMap(({ name, sites }) => {
    const tallied = tally([...new Set(sites)].flatMap(site => bySite.get(site) ?? []))
    const counts = statuses.flatMap(status =>
      tallied[status] === 0 ? [] : `${formatNumber(tallied[status])} ${status}`
    )
    return counts.length === 0 ? [] : [{ ...compact({ name }), counts: counts.join(', ') }]
  })
}

export function rolloutTitle({ length }: readonly WaveWithChanges[]): string {
  return `Rollout: ${length} waves, each checked before the next starts`
}

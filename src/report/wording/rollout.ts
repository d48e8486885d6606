import type { Wave } from '../../core/model/desired.ts'
import { type Outcome, statuses, tally } from '../../core/model/outcome.ts'
import type { Plan } from '../../core/model/plan.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { groupFindings } from '../group-findings.ts'

interface WaveWithChanges extends Wave {
  /** The number of changes on its sites. */
  readonly changes: number
  /** The number of clients at these sites; absent if no site has a number. */
  readonly clients?: number
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
  changes,
  clients
}: Pick<Plan, 'rollout' | 'changes' | 'clients'>): WaveWithChanges[] {
  const clientsAt = (site: string) =>
    clients && Object.hasOwn(clients.by_site, site) ? (clients.by_site[site] ?? 0) : 0
  const bySite = new Map<string, number>()
  for (const { site } of changes) bySite.set(site.name, (bySite.get(site.name) ?? 0) + 1)
  return rollout
    .map(wave => ({ ...wave, sites: wave.sites.filter(site => bySite.has(site)) }))
    .map(wave => ({
      ...wave,
      changes: wave.sites.reduce((sum, site) => sum + (bySite.get(site) ?? 0), 0),
      ...(clients && { clients: wave.sites.reduce((sum, site) => sum + clientsAt(site), 0) })
    }))
    .filter(wave => wave.changes > 0)
}

/** The size of a wave: `3 changes on 2 sites`. */
export function formatWaveSize({ changes, sites, clients }: WaveWithChanges): string {
  const people = clients === undefined ? '' : ` with ${plural(clients, 'client')}`
  return `${plural(changes, 'change')} on ${plural(sites.length, 'site')}${people}`
}

/** The number of outcomes by status of each wave with changes: `1 diverged`; empty without a rollout. */
export function waveOutcomes(
  { rollout = [], changes }: Pick<Plan, 'rollout' | 'changes'>,
  outcomes: readonly Outcome[]
) {
  const sites = new Map(changes.map(({ address, site }) => [address, site.name]))
  const bySite = groupFindings(outcomes, ({ address }) => sites.get(address) ?? '')
  const tallies = new Map(
    bySite.map(group => [sites.get(group[0].address) ?? '', tally(group)] as const)
  )
  return rollout.flatMap(({ name, sites: sitesOfWave }) => {
    const tallied = [...new Set(sitesOfWave)].flatMap(site => tallies.get(site) ?? [])
    const counts = statuses
      .map(status => [status, tallied.reduce((sum, each) => sum + each[status], 0)] as const)
      .flatMap(([status, n]) => (n === 0 ? [] : [`${formatNumber(n)} ${status}`]))
      .join(', ')
    if (counts === '') return []
    return { ...(name === undefined ? {} : { name }), counts }
  })
}

export function rolloutTitle({ length }: readonly WaveWithChanges[]): string {
  return `Rollout: ${length} waves, each checked before the next starts`
}

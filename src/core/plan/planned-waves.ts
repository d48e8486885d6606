import type { DesiredSite, Site, Wave } from '../model/desired.ts'
import type { Outcome } from '../model/outcome.ts'
import type { PlannedChange, WlanPlan } from '../model/plan.ts'
import { byCodeUnit, compact, groupsBy } from '../values/collections.ts'

/** The waves, restricted to these sites; the unnamed wave only if it has any. */
export function rolloutOf(waves: readonly Wave[], sites: readonly string[]): Wave[] {
  const named = new Set(sites)
  return waves
    .map(wave => ({ ...wave, sites: wave.sites.filter(site => named.has(site)).sort(byCodeUnit) }))
    .filter(({ name, sites }) => name !== undefined || sites.length > 0)
}

/** Merges the waves of several parts of a fleet; each part has all named waves. */
export function mergeRollouts(rollouts: readonly (readonly Wave[])[]): Wave[] {
  const waves = groupsBy(rollouts.flat(), ({ name }) => name)
  return waves.map(same => ({
    ...same[0],
    sites: same.flatMap(({ sites }) => sites).sort(byCodeUnit)
  }))
}

/** A wave of a run: its sites are changed before those of the next wave. */
export interface PlannedWave {
  readonly name?: string
  readonly sites: readonly Site[]
  readonly changes: readonly PlannedChange[]
  /** True if it is checked even if nothing has to change: an earlier run sent its changes, and did not check them. */
  readonly isRechecked?: true
  /** The reason why later waves must not start, regardless of the outcomes: `hq/guest is blocked`. */
  readonly obstacle?: string
}

/**
 * Splits a run into its waves, in order; waves without sites in the run are omitted. Each change is in
 * exactly one wave. Without a rollout there is one wave. `obstacles` contains, by address, the state of WLANs
 * that the run cannot change, such as `blocked`.
 */
export function plannedWaves(
  rollout: readonly Wave[] | undefined,
  sites: readonly DesiredSite[],
  changes: readonly PlannedChange[],
  obstacles: ReadonlyMap<string, string> = new Map()
): PlannedWave[] {
  if (rollout === undefined) return [{ sites, changes }]
  const covered = new Map(sites.map(site => [site.name, site]))
  return rollout.flatMap(({ name, sites: names }) => {
    const held = names.flatMap(site => covered.get(site) ?? [])
    if (held.length === 0) return []
    const ids = new Set(held.map(({ id }) => id))
    const obstacle = obstacleIn(held, obstacles)
    return {
      ...compact({ name }),
      sites: held,
      changes: changes.filter(({ change }) => ids.has(change.site.id)),
      ...compact({ obstacle })
    }
  })
}

/** The reasons why later waves cannot start, by address: WLANs without a plan, and changes without approval. */
export function obstaclesIn(
  wlanPlans: readonly WlanPlan[],
  decided: readonly Outcome[]
): Map<string, string> {
  const words = { blocked: 'blocked', unread: 'not read' }
  return new Map([
    ...wlanPlans.flatMap(({ address, status }): [string, string][] =>
      status === 'blocked' || status === 'unread' ? [[address, words[status]]] : []
    ),
    ...decided.flatMap(({ address, status }): [string, string][] =>
      status === 'stale' ? [[address, status]] : []
    )
  ])
}

function obstacleIn(
  sites: readonly DesiredSite[],
  obstacles: ReadonlyMap<string, string>
): string | undefined {
  if (obstacles.size === 0) return undefined
  const addresses = sites.flatMap(({ wlans }) => wlans.map(({ address }) => address))
  const stuck = addresses.filter(address => obstacles.has(address))
  const [first] = stuck
  if (first === undefined) return undefined
  const more = stuck.length === 1 ? '' : ` (${stuck.length} WLANs in total)`
  return `${first} is ${obstacles.get(first)}${more}`
}

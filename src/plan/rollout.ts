import { byCodeUnit } from '../model/collections.ts'
import type { DesiredSite, Site, Wave } from '../model/desired.ts'
import type { PlannedChange } from '../model/plan.ts'

/** The waves with those of their sites that are named here; one without a name is there if it has any. */
export function rolloutOf(waves: readonly Wave[], sites: readonly string[]): Wave[] {
  const named = new Set(sites)
  return waves
    .map(wave => ({ ...wave, sites: wave.sites.filter(site => named.has(site)).sort(byCodeUnit) }))
    .filter(({ name, sites }) => name !== undefined || sites.length > 0)
}

/** The same waves, out of those of several parts of a fleet: each part has all that have a name. */
export function mergeRollouts(rollouts: readonly (readonly Wave[])[]): Wave[] {
  const waves = new Map<string | undefined, Wave>()
  const [first = []] = rollouts
  const others = rollouts.flat().filter(({ name }) => name === undefined)
  for (const wave of [...first.filter(({ name }) => name !== undefined), ...others]) {
    const { name } = wave
    const same = rollouts.flat().filter(each => each.name === name)
    waves.set(name, { ...wave, sites: same.flatMap(({ sites }) => sites).sort(byCodeUnit) })
  }
  return [...waves.values()]
}

/** A part of a run: its sites are changed before those of the next part. */
export interface PlannedWave {
  /** Absent where no wave was declared for these sites. */
  readonly name?: string
  /** All of its sites that the run covers. */
  readonly sites: readonly Site[]
  readonly changes: readonly PlannedChange[]
  /** What stands in the way of later waves, whatever becomes of the changes: `hq/guest is blocked`. */
  readonly obstacle?: string
}

/**
 * Parts a run into its waves, in their order; those of which the run covers no site are left out. Each
 * change is in one of them. Without a rollout all is one wave. `obstacles` says, by address, of WLANs
 * that the run cannot make as declared what they are.
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
      ...(name === undefined ? {} : { name }),
      sites: held,
      changes: changes.filter(({ change }) => ids.has(change.site.id)),
      ...(obstacle === undefined ? {} : { obstacle })
    }
  })
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
  const more = stuck.length === 1 ? '' : ` (${stuck.length} WLANs in all)`
  return `${first} is ${obstacles.get(first)}${more}`
}

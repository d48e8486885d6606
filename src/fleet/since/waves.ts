import type { Wave } from '../../core/model/desired.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { Findings } from '../findings.ts'
import { assignWaves } from '../policy/waves.ts'
import type { FleetSite } from '../sites.ts'
import type { Base } from './base.ts'
import { siteKey } from './same.ts'

/**
 * The waves of the base with the sites that it assigns to them, whatever their names are now, so that a change does not
 * choose which sites it reaches first. Sites that are new come last.
 */
export function wavesAtBase(
  { policy, sites: then }: Base,
  sites: readonly FleetSite[]
): readonly Wave[] {
  const keys = new Map(then.map(site => [site.name, siteKey(site)]))
  const left = new Map(sites.map(site => [siteKey(site), site.name]))
  const take = (name: string) => {
    const key = keys.get(name) ?? ''
    const taken = left.get(key)
    left.delete(key)
    return taken ?? []
  }
  const named = assignWaves(policy.waves, then, new Findings())
    .filter(({ name }) => name !== undefined)
    .map(wave => ({ ...wave, sites: wave.sites.flatMap(take).sort(byCodeUnit) }))
  return left.size === 0 ? named : [...named, { sites: [...left.values()].sort(byCodeUnit) }]
}

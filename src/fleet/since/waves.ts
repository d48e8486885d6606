import type { Wave } from '../../core/model/desired.ts'
import { finding } from '../../core/model/finding.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { Findings } from '../findings.ts'
import { assignWaves } from '../policy/waves.ts'
import type { FleetSite } from '../sites.ts'
import type { Base } from './base.ts'
import { siteKey } from './same.ts'

/**
 * Moves each site whose wave differs from the base to the last wave, so that a pull request which renames a
 * site or edits the waves cannot choose the sites that change first. Sites are compared by id.
 */
export function settleWaves(
  waves: readonly Wave[],
  sites: readonly FleetSite[],
  base: Base,
  findings: Findings
): readonly Wave[] {
  const { policy, wrong } = base
  if (wrong.hasError || policy.waves.length === 0) return waves
  const then = placesIn(assignWaves(policy.waves, base.sites, new Findings()), base.sites)
  const now = placesIn(waves, sites)
  const isReordered = commonNames(waves, policy.waves) !== commonNames(policy.waves, waves)
  const moved = sites.filter(site => {
    const [is, was] = [now.get(siteKey(site)), then.get(siteKey(site))]
    if (is === undefined || was === undefined || is.index === was.index) return false
    return isReordered || is.name !== was.name
  })
  if (moved.length === 0) return waves
  const names = moved.map(({ name }) => name)
  findings.push(finding('WAVE_CHANGED', {}, names, base.name))
  return moveLast(waves, new Set(names))
}

/** The names of waves that others have, too, as one text. */
function commonNames(waves: readonly Pick<Wave, 'name'>[], others: typeof waves): string {
  const common = new Set(others.map(({ name }) => name))
  return JSON.stringify(waves.flatMap(({ name }) => (name && common.has(name) ? name : [])))
}

interface WavePlace {
  readonly index: number
  readonly name: string | undefined
}

/** The wave of each site, by the site's id in lower case. */
function placesIn(
  waves: readonly Wave[],
  sites: readonly FleetSite[]
): ReadonlyMap<string, WavePlace> {
  const keys = new Map(sites.map(site => [site.name, siteKey(site)]))
  return new Map(
    waves.flatMap(({ name, sites: names }, index) =>
      names.map(site => [keys.get(site) ?? '', { index, name }] as const)
    )
  )
}

/** Moves these sites to a last wave without a name. */
function moveLast(waves: readonly Wave[], moved: ReadonlySet<string>): Wave[] {
  const named = waves.filter(({ name }) => name !== undefined)
  const others = waves.flatMap(({ name, sites }) => (name === undefined ? sites : []))
  const last = [...new Set([...others, ...moved])].sort(byCodeUnit)
  return [
    ...named.map(wave => ({ ...wave, sites: wave.sites.filter(site => !moved.has(site)) })),
    { sites: last }
  ]
}

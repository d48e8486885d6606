import { byCodeUnit } from '../model/identity.ts'
import type { Change } from '../model/plan.ts'
import type { Wave } from '../model/rollout.ts'

/** The waves with those of their sites that would be changed; one without a name is there if it has any. */
export function rolloutOf(waves: readonly Wave[], changes: readonly Change[]): Wave[] {
  const waveOf = new Map(waves.flatMap(wave => wave.sites.map(site => [site, wave] as const)))
  const changed = new Map<Wave | undefined, Set<string>>()
  for (const { site } of changes) {
    const wave = waveOf.get(site.name)
    changed.set(wave, (changed.get(wave) ?? new Set()).add(site.name))
  }
  return waves
    .map(wave => ({ ...wave, sites: [...(changed.get(wave) ?? [])].sort(byCodeUnit) }))
    .filter(({ name, sites }) => name !== undefined || sites.length > 0)
}

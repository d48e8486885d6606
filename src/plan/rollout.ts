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

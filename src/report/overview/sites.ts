import { byCodeUnit } from '../../core/values/collections.ts'
import type { NetworkRow, SiteRow } from './overview.ts'
import { byState, worstState } from './states.ts'

/** A site in the state of its worst network, or not read if there is a reason for that. Its networks are sorted, the worst first. */
export function siteRow(
  name: string,
  networks: readonly NetworkRow[],
  about: Partial<Pick<SiteRow, 'group' | 'owner' | 'clean' | 'reason'>> = {}
): SiteRow {
  const states = networks.map(({ state }) => state)
  return {
    name,
    group: '',
    ...about,
    state: worstState(about.reason === undefined ? states : [...states, 'not-read']),
    networks: networks.toSorted((a, b) => byState(a, b) || byCodeUnit(a.key, b.key))
  }
}

/** Orders sites, the worst first. */
export function bySiteState(a: SiteRow, b: SiteRow): number {
  return byState(a, b) || byCodeUnit(a.name, b.name)
}

import { byCodeUnit, groupBy } from '../../core/values/collections.ts'
import type { NetworkRow, SiteRow } from './overview.ts'
import { byState, worstState } from './states.ts'

/**
 * The sites of networks, the worst first, each in the state of its worst network, or not read if there is a reason for
 * that. `others` have no network to show.
 */
export function siteRows(
  networks: readonly { readonly site: string; readonly row: NetworkRow }[],
  about: (
    site: string
  ) => Partial<Pick<SiteRow, 'group' | 'owner' | 'clean' | 'reason'>> = () => ({}),
  others: Iterable<string> = []
): SiteRow[] {
  const bySite = groupBy(networks, ({ site }) => site)
  return [...new Set([...bySite.keys(), ...others])]
    .map((name): SiteRow => {
      const facts = about(name)
      const rows = (bySite.get(name) ?? [])
        .map(({ row }) => row)
        .sort((a, b) => byState(a, b) || byCodeUnit(a.key, b.key))
      const states = rows.map(({ state }) => state)
      const state = worstState(facts.reason === undefined ? states : [...states, 'not-read'])
      return { name, group: '', ...facts, state, networks: rows }
    })
    .sort((a, b) => byState(a, b) || byCodeUnit(a.name, b.name))
}

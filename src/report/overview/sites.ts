import { dangerRank } from '../../core/model/danger.ts'
import type { Wave } from '../../core/model/desired.ts'
import type { Finding } from '../../core/model/finding.ts'
import { byCodeUnit, compact, groupBy } from '../../core/values/collections.ts'
import { textOf } from '../render/document.ts'
import type { SitePlan } from '../report.ts'
import type { ChangedNetwork, ChangeGroup, NetworkRow, SiteRow } from './overview.ts'
import { byState, worstState } from './states.ts'
import type { Networks } from './where.ts'

/** A network with the name of its site. */
interface PlacedRow {
  readonly site: string
  readonly row: NetworkRow
}

/** The networks of changes or outcomes, with what else is known of each. */
export function changedRows(
  changes: readonly ChangeGroup[],
  about: (
    network: ChangedNetwork,
    change: ChangeGroup
  ) => Partial<Pick<NetworkRow, 'commands' | 'timeline'>> = () => ({})
): PlacedRow[] {
  return changes.flatMap(change => {
    const { key, state, networks, results } = change
    return networks.map(network => {
      const { address, site, ssid } = network
      const name = results === undefined ? textOf(change.title.slice(0, 1)) : ssid
      const row = {
        address,
        key,
        name,
        state,
        change,
        network,
        commands: [],
        ...about(network, change)
      }
      return { site, row }
    })
  })
}

/** Orders names as people do: store 2 before store 10. */
const natural = new Intl.Collator('en', { numeric: true })

/**
 * The sites of networks, the worst first, each in the state of its worst network, or not read if there is a reason for
 * that. `others` have no network to show.
 */
export function siteRows(
  networks: readonly PlacedRow[],
  about: (site: string) => Partial<Pick<SiteRow, 'group' | 'clean' | 'reason'>> = () => ({}),
  others: Iterable<string> = []
): SiteRow[] {
  const bySite = groupBy(networks, ({ site }) => site)
  return [...new Set([...bySite.keys(), ...others])]
    .map((name): SiteRow => {
      const facts = about(name)
      const rows = (bySite.get(name) ?? [])
        .map(({ row }) => row)
        .sort((a, b) => byState(a, b) || byLeft(a, b) || byCodeUnit(a.key, b.key))
      const states = rows.map(({ state }) => state)
      const state = worstState(facts.reason === undefined ? states : [...states, 'not-read'])
      return { name, group: '', ...facts, state, networks: rows }
    })
    .sort((a, b) => {
      const [rowA, rowB] = [a.networks[0], b.networks[0]]
      const byName = natural.compare(a.name, b.name) || byCodeUnit(a.name, b.name)
      return byState(a, b) || byLeft(rowA, rowB) || byName
    })
}

/** After a run, orders networks in the same state: first what it left in the worst danger. */
function byLeft(a: NetworkRow | undefined, b: NetworkRow | undefined): number {
  return dangerRank(a?.change?.left) - dangerRank(b?.change?.left)
}

/**
 * The sites of a plan or its run: those of `rows`, with the networks that are blocked, and the sites that are as declared
 * or were not read. A plan from a file names only those with a change or a finding.
 */
export function planSites(
  {
    findings,
    planned = [],
    networks
  }: {
    readonly findings: readonly Finding[]
    readonly planned?: readonly SitePlan[] | undefined
    readonly networks: Networks
  },
  rows: readonly PlacedRow[],
  groupOf: (site: string) => string | undefined,
  commandsOn: (address: string) => NetworkRow['commands'] = () => []
): SiteRow[] {
  const known = new Set(rows.map(({ row }) => row.address))
  const rowsAt = groupBy(rows, ({ site }) => site)
  const cleanAt = new Map(
    planned.map(({ site: { name }, declared, wlanPlans, unchanged }) => {
      // What was approved and is now as declared, or differs in fields that no file declares, has a row.
      const shown = new Set(rowsAt.get(name)?.map(({ row }) => row.address))
      const managed = declared.filter(wlan => !wlan.excluded && shown.has(wlan.address))
      const others = wlanPlans.filter(
        wlan => wlan.status !== 'unchanged' && shown.has(wlan.address)
      )
      return [name, unchanged - (managed.length - others.length)]
    })
  )
  const errors = findings.filter(({ level }) => level === 'error')
  const reasons = new Map(errors.map(({ address = '', message }) => [address, message]))
  const blocked = planned
    .flatMap(({ wlanPlans }) => wlanPlans)
    .filter(({ address, status }) => status === 'blocked' && !known.has(address))
  const unread = findings.filter(({ code }) => code === 'SITE_NOT_READ')
  const unreadAt = new Map(unread.map(({ address = '', message }) => [address, message]))
  return siteRows(
    [
      ...rows,
      ...blocked.map(({ address }) => {
        const { site, ...about } = networks.at(address)
        const own = { address, ...about, state: 'blocked' } as const
        const commands = commandsOn(address)
        return { site, row: { ...own, commands, ...compact({ reason: reasons.get(address) }) } }
      })
    ],
    name =>
      compact({
        group: groupOf(name),
        reason: unreadAt.get(name),
        clean: planned.length === 0 ? undefined : (cleanAt.get(name) ?? 0)
      }),
    [...[...cleanAt].flatMap(([name, count]) => (count > 0 ? name : [])), ...unreadAt.keys()]
  )
}

/** The name of the wave with the sites in no declared wave. */
export const REST = 'rest'

/** The names of the waves, in order; undefined without a rollout. */
export function waveNames(rollout?: readonly Wave[]): readonly string[] | undefined {
  return rollout?.map(({ name = REST }) => name)
}

/** The wave of each site, empty for one without a change; undefined unless a declared wave has a changed site. */
export function waveOfSites(
  rollout: readonly Wave[] = [],
  changed: Iterable<string>
): (site: string) => string | undefined {
  const isChanged = new Set(changed)
  const isDeclared = rollout.some(
    ({ name, sites }) => name !== undefined && sites.some(site => isChanged.has(site))
  )
  if (!isDeclared) return () => undefined
  const waves = new Map(
    rollout.flatMap(({ name = REST, sites }) => sites.map(site => [site, name] as const))
  )
  return site => waves.get(site) ?? ''
}

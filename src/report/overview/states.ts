import type { Outcome } from '../../core/model/outcome.ts'
import type { ShownChange } from '../../core/model/plan.ts'
import { fieldsOf } from '../fields/field-changes.ts'
import { type Tone, tones } from '../render/document.ts'
import type { ChangeKind } from '../wording/effects.ts'
import { dangerWords } from './danger-words.ts'
import { type NetworkState, networkStates } from './network-states.ts'
import type { OverviewKind, StateCount } from './overview.ts'

/** The fields that decide which network clients are in, and which servers they use. */
const PLACEMENT =
  /^\/(?:ssid|interface|vlan_|dynamic_vlan|mxtunnel|wxtunnel|auth_servers$|acct_servers|coa_servers|radsec|mist_nac|dns_server_rewrite)/

/** In what way a network with these changed fields is not where it should be: after its name, and in a clause. */
export function placementWords(names: readonly string[]): {
  readonly is: string
  readonly with: string
} {
  if (names.includes('ssid')) return { is: ' has another name', with: ' with another name' }
  if (names.some(name => /vlan/.test(name)))
    return { is: ' is in another VLAN', with: ' in another VLAN' }
  return names.some(name => name.includes('servers'))
    ? { is: ' uses other servers', with: ' with other servers' }
    : { is: ' is in another network', with: ' in another network' }
}

/** 0 for the worst state. */
export function stateRank(state: NetworkState): number {
  return networkStates.indexOf(state)
}

/** Orders what has a state, the worst first. */
export function byState(
  a: { readonly state: NetworkState },
  b: { readonly state: NetworkState }
): number {
  return stateRank(a.state) - stateRank(b.state)
}

/** The number of networks in each state; a row without a count is one network. */
export function tallyStates(
  rows: Iterable<{ readonly state: NetworkState; readonly count?: number }>
): Map<NetworkState, number> {
  const counts = new Map<NetworkState, number>()
  for (const { state, count = 1 } of rows) counts.set(state, (counts.get(state) ?? 0) + count)
  return counts
}

/** The weight of a state for the colour of what is in it. */
export const stateTones: Readonly<Record<NetworkState, Tone>> = {
  off: 'bad',
  'cut-off': 'bad',
  open: 'bad',
  'less-secure': 'warn',
  wrong: 'warn',
  unknown: 'bad',
  diverged: 'bad',
  failed: 'bad',
  stale: 'warn',
  skipped: 'warn',
  refused: 'warn',
  differs: 'note',
  blocked: 'bad',
  'not-read': 'bad',
  waiting: 'note',
  applied: 'good',
  'as-declared': 'good'
}

/** The worst tone of the states that occur, and of other facts. */
export function worstTone(
  counts: ReadonlyMap<NetworkState, number>,
  ...others: readonly Tone[]
): Tone {
  const found = [...counts].flatMap(([state, count]) => (count > 0 ? stateTones[state] : []))
  return tones.find(tone => [...found, ...others].includes(tone)) ?? 'good'
}

export function worstState(states: Iterable<NetworkState>): NetworkState {
  let worst: NetworkState = 'as-declared'
  for (const state of states) if (stateRank(state) < stateRank(worst)) worst = state
  return worst
}

/** The state of a changed network: in a drift report now, otherwise after the change. */
export function changeState(kind: ChangeKind, change: ShownChange): NetworkState {
  const states = (change.dangers ?? []).map(each => dangerWords[each.kind].state)
  const isMoved = kind === 'drift' && fieldsOf(change).some(({ path }) => PLACEMENT.test(path))
  return worstState([...states, isMoved ? 'wrong' : 'differs'])
}

/** The label of so many networks in a state: `differs` in a drift report, `to change` in a plan. */
export function stateLabel(kind: OverviewKind, state: NetworkState, count = 1): string {
  if ((kind === 'plan' || kind === 'revert') && state === 'differs') return 'to change'
  if (state === 'wrong' && kind !== 'drift') return 'at risk'
  if (kind === 'diff' && state === 'differs') return 'changed'
  if (kind === 'audit' && state === 'as-declared') return 'as at most sites'
  if (kind === 'revert' && state === 'as-declared') return 'as before'
  return state === 'differs' && count !== 1 ? 'differ' : state.replaceAll('-', ' ')
}

export function countStates(kind: OverviewKind, counts: ReadonlyMap<NetworkState, number>) {
  return networkStates.flatMap((state): StateCount[] => {
    const count = counts.get(state) ?? 0
    return count === 0 ? [] : [{ state, label: stateLabel(kind, state, count), count }]
  })
}

export function outcomeState({ status }: Pick<Outcome, 'status'>): NetworkState {
  if (status === 'deferred') return 'waiting'
  return status === 'unchanged' ? 'as-declared' : status
}

/** The status of the outcomes in a state; the name of any other state. */
export function statusOfState(state: NetworkState): string {
  if (state === 'waiting') return 'deferred'
  return state === 'as-declared' ? 'unchanged' : state
}

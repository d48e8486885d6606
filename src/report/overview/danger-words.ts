import type { DangerKind } from '../../core/model/danger.ts'
import type { ChangeKind } from '../wording/effects.ts'
import type { NetworkState } from './network-states.ts'

/** What people read of a danger. */
interface DangerWords {
  readonly state: NetworkState
  /** After the name of a network: in a drift report, in a plan, and of an edit by others. */
  readonly verbs: Readonly<Record<ChangeKind, string>>
  /** What several sites do, what one does, and what stands before and behind the name of the network. */
  readonly clause: readonly [many: string, one: string, before: string, behind: string]
  /** What changes do: what stands before and behind the name of the network. */
  readonly action: readonly [before: string, behind: string]
}

function words(
  state: NetworkState,
  [drift, diff, plan = drift]: readonly [drift: string, diff: string, plan?: string],
  clause: DangerWords['clause'],
  action: DangerWords['action']
): DangerWords {
  return { state, verbs: { drift, plan, diff }, clause, action }
}

export const dangerWords: Readonly<Record<DangerKind, DangerWords>> = {
  open: words(
    'open',
    [' is open to anybody', ' became open to anybody', ' becomes open to anybody'],
    ['have', 'has', 'an open ', ' network'],
    ['open ', '']
  ),
  'no-login': words(
    'open',
    [
      ' lets people in without the login',
      ' let people in without a login',
      ' lets people in without a login'
    ],
    ['let', 'lets', 'people into ', ' without the login'],
    ['let people into ', ' without a login']
  ),
  off: words(
    'off',
    [' is switched off', ' was switched off'],
    ['have', 'has', 'no ', ' Wi-Fi'],
    ['switch off ', '']
  ),
  'partly-off': words(
    'cut-off',
    [
      ' is off at some access points, bands or times',
      ' left some access points, bands or times',
      ' leaves some access points, bands or times'
    ],
    ['have', 'has', 'no ', ' Wi-Fi in parts or at times'],
    ['take ', ' off some access points, bands or times']
  ),
  renamed: words(
    'cut-off',
    [' has another name', ' got another name', ' gets another name'],
    ['have', 'has', '', ' with another name'],
    ['rename ', '']
  ),
  'other-key': words(
    'cut-off',
    [' has another key', ' got another key', ' gets another key'],
    ['have', 'has', '', ' with another key'],
    ['give ', ' another key']
  ),
  'cut-off': words(
    'cut-off',
    [' shuts its clients out', ' shut its clients out'],
    ['shut', 'shuts', 'the clients of ', ' out'],
    ['shut the clients of ', ' out']
  ),
  'shared-vlan': words(
    'less-secure',
    [
      ' has guests and staff in one VLAN',
      ' put guests and staff into one VLAN',
      ' puts guests and staff into one VLAN'
    ],
    ['have', 'has', 'guests and staff in one VLAN (', ')'],
    ['put guests and staff into one VLAN (', ')']
  ),
  'public-server': words(
    'less-secure',
    [' sends logins to a public address', ' sent logins to a public address'],
    ['send', 'sends', 'logins of ', ' to a public address'],
    ['send logins of ', ' to a public address']
  ),
  'weaker-encryption': words(
    'less-secure',
    [' has weaker encryption', ' got weaker encryption', ' gets weaker encryption'],
    ['have', 'has', 'a less secure ', ' network'],
    ['weaken the encryption of ', '']
  ),
  'not-isolated': words(
    'less-secure',
    [' lets its clients reach each other', ' let its clients reach each other'],
    ['let', 'lets', 'clients of ', ' reach each other'],
    ['let clients of ', ' reach each other']
  ),
  'less-secure': words(
    'less-secure',
    [' is less secure', ' became less secure', ' becomes less secure'],
    ['have', 'has', 'a less secure ', ' network'],
    ['lower the security of ', '']
  ),
  elsewhere: words(
    'wrong',
    [
      ' sends names, logins or records to other servers',
      ' sent names, logins or records to other servers'
    ],
    ['send', 'sends', 'logins or names of ', ' elsewhere'],
    ['send names, logins or records of ', ' to other servers']
  ),
  refused: words(
    'wrong',
    [
      ' keeps out clients that should get in',
      ' may have kept some clients out',
      ' may keep some clients out'
    ],
    ['keep', 'keeps', 'clients out of ', ''],
    ['keep some clients out of ', '']
  )
}

/** `is still open to anybody`: what follows the name of a network whose danger a run has left. */
export function stillText(danger: DangerKind): string {
  const is = dangerWords[danger].verbs.drift.startsWith(IS) ? ' is' : ''
  return `${is} ${stillLabel(danger)}`
}

/** `still open to anybody`: the same beside its name. */
export function stillLabel(danger: DangerKind): string {
  const verb = dangerWords[danger].verbs.drift
  return `still ${verb.slice(verb.startsWith(IS) ? IS.length : 1)}`
}

const IS = ' is '

/** True for a danger that no command to copy declares. */
export function weakensSecurity(danger: DangerKind | undefined): boolean {
  return danger !== undefined && ['open', 'less-secure'].includes(dangerWords[danger].state)
}

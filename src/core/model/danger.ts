import type { Pointer } from '../values/pointer.ts'
import type { Value } from '../values/value.ts'

/**
 * What a change exposes people to, or an edit of the live WLAN until the drift is fixed, in descending order of severity.
 *
 * | danger              | the WLAN                                                            |
 * |---------------------|---------------------------------------------------------------------|
 * | `open`              | is not encrypted, so that anybody can join and listen               |
 * | `no-login`          | lets people in without a login that it had, or that is declared     |
 * | `off`               | is sent by no access point                                          |
 * | `partly-off`        | is off the air at some access points, bands or times                |
 * | `renamed`           | has another name, which clients do not know                         |
 * | `other-key`         | has another key, which clients do not have                          |
 * | `cut-off`           | shuts its clients out for another reason                            |
 * | `shared-vlan`       | puts guests into VLAN 1, or guests and staff into one VLAN          |
 * | `public-server`     | sends logins to a public address                                    |
 * | `weaker-encryption` | is encrypted, but weaker                                            |
 * | `not-isolated`      | lets clients reach each other                                       |
 * | `less-secure`       | is less secure in another way                                       |
 * | `elsewhere`         | sends names, logins or records to other servers                     |
 * | `refused`           | may keep out some clients                                           |
 */
export const dangerKinds = [
  'open',
  'no-login',
  'off',
  'partly-off',
  'renamed',
  'other-key',
  'cut-off',
  'shared-vlan',
  'public-server',
  'weaker-encryption',
  'not-isolated',
  'less-secure',
  'elsewhere',
  'refused'
] as const

export type DangerKind = (typeof dangerKinds)[number]

/** The dangers that broken rules of the linter are by themselves, by the id of the rule. */
export const ruleDangers: Readonly<Record<string, DangerKind>> = {
  'open-without-login': 'open',
  'open-without-isolation': 'not-isolated',
  'guest-in-staff-vlan': 'shared-vlan'
}

/** The dangers that values are which only few sites have, by field. */
const valueDangers: readonly (readonly [field: Pointer, value: Value, danger: DangerKind])[] = [
  ['/enabled', false, 'off'],
  ['/auth/type', 'open', 'open'],
  ['/isolation', false, 'not-isolated'],
  ['/l2_isolation', false, 'not-isolated']
]

export function dangerOfValue(field: Pointer, value: Value): DangerKind | undefined {
  return valueDangers.find(each => each[0] === field && each[1] === value)?.[2]
}

/** A danger of a WLAN, and the changed field that causes it. */
export interface Danger {
  readonly kind: DangerKind
  readonly pointer: Pointer
}

/** 0 for the worst danger; the highest rank without one. */
export function dangerRank(kind: DangerKind | undefined): number {
  return kind === undefined ? dangerKinds.length : dangerKinds.indexOf(kind)
}

import type { Pointer } from '../values/pointer.ts'

/**
 * What an edit of the live WLAN exposes people to until the drift is fixed, in descending order of severity.
 *
 * | danger              | the live WLAN                                                       |
 * |---------------------|---------------------------------------------------------------------|
 * | `off`               | is sent by no access point                                          |
 * | `partly-off`        | is off the air at some access points, bands or times                |
 * | `open`              | is not encrypted, so that anybody can join and listen               |
 * | `no-login`          | lets people in without the declared login                           |
 * | `elsewhere`         | sends names, logins or records to servers that are not declared     |
 * | `other-key`         | has another key                                                     |
 * | `refused`           | keeps out clients that the declaration lets in                      |
 * | `weaker-encryption` | is encrypted, but weaker                                            |
 * | `not-isolated`      | lets clients reach each other                                       |
 * | `less-secure`       | is less secure in another way                                       |
 */
export const dangerKinds = [
  'off',
  'partly-off',
  'open',
  'no-login',
  'elsewhere',
  'other-key',
  'refused',
  'weaker-encryption',
  'not-isolated',
  'less-secure'
] as const

export type DangerKind = (typeof dangerKinds)[number]

/** A danger of a live WLAN, and the changed field that causes it. */
export interface Danger {
  readonly kind: DangerKind
  readonly pointer: Pointer
}

/** 0 for the worst danger; the highest rank without one. */
export function dangerRank(kind: DangerKind | undefined): number {
  return kind === undefined ? dangerKinds.length : dangerKinds.indexOf(kind)
}

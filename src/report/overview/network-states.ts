/**
 * The states of a network, worst first. Each network of a result is in exactly one of them, and each count of a
 * screen is made from them.
 *
 * | state          | in `drift` and `audit`: now                                | in `plan`: after the change        |
 * |----------------|------------------------------------------------------------|------------------------------------|
 * | `open`         | anybody gets in: no key, no login                          | the same                           |
 * | `off`          | no access point sends it                                   | the same                           |
 * | `cut-off`      | clients are shut out, or at some places, bands or times    | the same                           |
 * | `less-secure`  | clients reach each other, weaker encryption and so on      | a change lowers its security       |
 * | `wrong`        | another VLAN, RADIUS or DNS; clients that should get in    | other servers; some clients out    |
 * | `skipped`      | –                                                          | its network is protected           |
 * | `refused`      | –                                                          | `apply` would refuse the change    |
 * | `differs`      | all else                                                   | changes                            |
 * | `blocked`      | its declaration and the live network do not fit together   | the same                           |
 * | `not-read`     | its site could not be read                                 | the same                           |
 * | `waiting`      | its change waits for a window or the end of a freeze       | the same                           |
 * | `as-declared`  | in `audit`: as at most sites                               | as declared                        |
 *
 * A run has the states of its outcomes (`Status`): `unknown` to `applied`, of which `deferred` is `waiting` and
 * `unchanged` is `as-declared`.
 */
export const networkStates = [
  'open',
  'off',
  'cut-off',
  'less-secure',
  'wrong',
  'unknown',
  'diverged',
  'failed',
  'stale',
  'skipped',
  'refused',
  'differs',
  'blocked',
  'not-read',
  'waiting',
  'applied',
  'as-declared'
] as const

export type NetworkState = (typeof networkStates)[number]

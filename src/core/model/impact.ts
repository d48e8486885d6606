/**
 * The effects of a change on clients, in ascending order.
 *
 * | impact        | effect                                                          |
 * |---------------|-----------------------------------------------------------------|
 * | `none`        | clients notice nothing                                          |
 * | `guest-login` | connected clients stay; new guests may be unable to log in      |
 * | `reconnect`   | all clients disconnect and reconnect automatically              |
 * | `some`        | some clients cannot connect until the network or their settings change |
 * | `outage`      | most or all clients cannot connect until the network or their settings change |
 */
export const impacts = ['none', 'guest-login', 'reconnect', 'some', 'outage'] as const

export type ImpactClass = (typeof impacts)[number]

export type Impact = Exclude<ImpactClass, 'none'>

export const impactNouns: Readonly<Record<Impact, string>> = {
  outage: 'outage',
  reconnect: 'reconnect',
  some: 'partial outage',
  'guest-login': 'guest-login interruption'
}

/** The classes of a change, ascending; `none` if it has no effect on clients. */
export function classesOf(change: {
  readonly impact?: Impact
  readonly impacts?: readonly Impact[]
}): readonly ImpactClass[] {
  return change.impacts ?? [change.impact ?? 'none']
}

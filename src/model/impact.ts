/**
 * The effects of a change on clients, in ascending order.
 *
 * | impact        | effect                                                          |
 * |---------------|-----------------------------------------------------------------|
 * | `none`        | clients notice nothing                                          |
 * | `guest-login` | connected clients stay; new guests may be unable to log in      |
 * | `some`        | some clients cannot connect                                     |
 * | `reconnect`   | all clients disconnect and reconnect automatically              |
 * | `outage`      | most or all clients cannot connect until the network or their settings change |
 */
export const impacts = ['none', 'guest-login', 'some', 'reconnect', 'outage'] as const

/** The class of a change by its effect on clients. */
export type ImpactClass = (typeof impacts)[number]

/** The effect of a change on clients, if it has one. */
export type Impact = Exclude<ImpactClass, 'none'>

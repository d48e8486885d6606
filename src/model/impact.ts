/**
 * The effects of a change on clients, rising.
 *
 * | impact        | what happens                                                    |
 * |---------------|-----------------------------------------------------------------|
 * | `none`        | clients notice nothing                                          |
 * | `guest-login` | connected clients stay; new guests may be unable to log in      |
 * | `some`        | some clients stay out                                           |
 * | `reconnect`   | all clients disconnect and come back by themselves              |
 * | `outage`      | all or most clients stay out until the network or they change   |
 */
export const impacts = ['none', 'guest-login', 'some', 'reconnect', 'outage'] as const

/** The class of a change by its effect on clients. */
export type ImpactClass = (typeof impacts)[number]

/** The effect of a change on clients, where it has one. */
export type Impact = Exclude<ImpactClass, 'none'>

import { type Answer, html, type Reply, refusal, tooMany, whole } from '../http/answers.ts'

/** What goes wrong with a call: it decides whether that is carried out, and what comes back. */
export type Fault = (carryOut: () => Answer) => Reply

/**
 * What can go wrong between a client and the service.
 *
 * | kind             | the client sees                  | carried out | it stands for            |
 * |------------------|----------------------------------|-------------|--------------------------|
 * | `429`            | 429 with `Retry-After`           | no          | the hourly limit         |
 * | `500`, `503`     | the status, `{"detail": …}`      | no          | the service in trouble   |
 * | `502`, `504`     | the status, an HTML page         | no          | a proxy before it        |
 * | `504-landed`     | 504, an HTML page                | yes         | a proxy out of patience  |
 * | `reset`          | the connection reset             | no          | a dying front end        |
 * | `reset-landed`   | the connection reset             | yes         | the same, a moment later |
 * | `timeout`        | nothing, until it goes away      | no          | a firewall, an overload  |
 * | `timeout-landed` | nothing, until it goes away      | yes         | the same, a moment later |
 * | `cut`            | 200 and the first half of a body | yes         | a connection that breaks |
 * | `html`           | 200 and an HTML page             | no          | a captive portal         |
 */
export const faultKinds = [
  '429',
  '500',
  '502',
  '503',
  '504',
  '504-landed',
  'reset',
  'reset-landed',
  'timeout',
  'timeout-landed',
  'cut',
  'html'
] as const

export type FaultKind = (typeof faultKinds)[number]

const reset: Fault = () => ({ delivery: 'reset' })
const silence: Fault = () => ({ delivery: 'silence' })
const gatewayTimeout = instead(html(504, '504 Gateway Time-out'))

const faults: Readonly<Record<Exclude<FaultKind, '429'>, Fault>> = {
  '500': instead(refusal(500, 'Internal server error.')),
  '502': instead(html(502, '502 Bad Gateway')),
  '503': instead(refusal(503, 'Service unavailable.')),
  '504': gatewayTimeout,
  '504-landed': landed(gatewayTimeout),
  reset,
  'reset-landed': landed(reset),
  timeout: silence,
  'timeout-landed': landed(silence),
  cut: carryOut => ({ delivery: 'cut', answer: carryOut() }),
  html: instead(html(200, 'Welcome to our guest network'))
}

/** The fault of a kind; `retryAfter` is what a 429 demands, in seconds. */
export function faultOf(kind: FaultKind, retryAfter: number): Fault {
  return kind === '429' ? instead(tooMany(retryAfter)) : faults[kind]
}

/** The fault that answers this, and does not carry out the call. */
export function instead(answer: Answer): Fault {
  return () => whole(answer)
}

/** The same fault, after the call was carried out. */
export function landed(fault: Fault): Fault {
  return carryOut => {
    carryOut()
    return fault(carryOut)
  }
}

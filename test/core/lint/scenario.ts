import type { LintLevel } from '../../../src/core/lint/rule.ts'
import type { LintSite, LintWlan } from '../../../src/core/lint/view.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Value, ValueObject } from '../../../src/core/values/value.ts'

/** A fleet, and the expected level of the worst finding of the rule; by default that of the rule. */
export interface Scenario {
  readonly sites: readonly (readonly LintWlan[])[]
  readonly level?: LintLevel
}

/** Fleets that violate a rule, and similar fleets that do not. */
export interface RuleScenarios {
  readonly breaks: readonly Scenario[]
  readonly passes: readonly Scenario[]
}

/** Rules by id. */
export type Scenarios = Readonly<Record<string, RuleScenarios>>

/** A secret that every scenario keeps out of its findings. */
export const CANARY = 'hush-Zq7-and-more'

/** A live secret. */
export const secret = (value = CANARY) => Secret.live(value)

/** A live secret that the service hides. */
export const hidden = Secret.live('********')

/** A declared secret with a value. */
export const resolvedSecret = (value = CANARY, name = 'WLAN_SECRET_KEY') =>
  new Secret({ $env: name }, value)

/** A declared secret whose reference is not resolved. */
export const unresolved = new Secret({ $env: 'WLAN_SECRET_KEY' }, undefined)

/** A record of a service that shows secrets: an absent secret is not set. */
const recordOf = (fields: ValueObject): ValueObject => ({
  ssid: 'Net',
  portal_api_secret: secret('hush-of-the-portal'),
  ...fields
})

const one = (wlan: LintWlan): Scenario => ({ sites: [[wlan]] })

/** A live WLAN that is not declared. */
export const live = (fields: ValueObject) => one({ name: 'net', live: recordOf(fields) })

/** A declared WLAN whose live record was not read. */
export const declared = (fields: ValueObject) => one({ name: 'net', declared: fields })

/** A declared WLAN and its live record. */
export const both = (fields: ValueObject, before: ValueObject = {}) =>
  one({ name: 'net', declared: fields, live: recordOf(before) })

/** The WLANs of several scenarios on one site. */
export const site = (...scenarios: readonly Scenario[]): Scenario => ({
  sites: [
    scenarios.flatMap(({ sites }) => sites.flat()).map((wlan, n) => ({ ...wlan, name: `net-${n}` }))
  ]
})

/** The sites of several scenarios. */
export const fleet = (...scenarios: readonly Scenario[]): Scenario => ({
  sites: scenarios.flatMap(({ sites }) => sites)
})

export const at = (level: LintLevel, scenario: Scenario): Scenario => ({ ...scenario, level })

/** The sites with names and ids. */
export function sitesOf({ sites }: Scenario): LintSite[] {
  return sites.map((wlans, n) => ({ id: `site-${n}`, name: `store-${n}`, wlans }))
}

/** An object with one member at each path: `auth.type`. */
export function fields(members: Readonly<Record<string, Value>>): ValueObject {
  const object: Record<string, Value> = {}
  for (const [path, value] of Object.entries(members)) {
    const names = path.split('.')
    let inner = object
    for (const name of names.slice(0, -1)) {
      inner[name] ??= {}
      inner = inner[name] as Record<string, Value>
    }
    inner[names.at(-1) ?? ''] = value
  }
  return object
}

export const server = { host: '10.0.0.5', port: 1812, secret: secret('hush-of-all-radius') }
export const psk = { 'auth.type': 'psk', 'auth.psk': secret() }
export const eap = { 'auth.type': 'eap', auth_servers: [server] }

/** The fields of a network that breaks no rule. */
export const corp: ValueObject = fields({
  'auth.type': 'eap',
  auth_servers: [server],
  ssid: 'Corp',
  portal_api_secret: secret('hush-of-the-portal')
})

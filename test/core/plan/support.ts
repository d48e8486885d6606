import { defaultPolicy } from '../../../src/core/model/defaults.ts'
import type { DesiredSite, DesiredWlan, Policy } from '../../../src/core/model/desired.ts'
import type { LiveSite, LiveWlan } from '../../../src/core/model/live.ts'
import type { Change } from '../../../src/core/model/plan.ts'
import { type PlanContext, planWlan } from '../../../src/core/plan/plan.ts'
import { type Field, wlanField } from '../../../src/core/schema/field.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import { isObject, type Value, type ValueObject } from '../../../src/core/values/value.ts'
import { HQ, nth } from '../../support/ids.ts'

export { nth }

export const SITE = { id: HQ, name: 'hq' }

/** A declared secret with its value, or one that this run could not resolve. */
export function env(value?: string, name = 'PSK'): Secret {
  return new Secret({ $env: `WLAN_SECRET_${name}` }, value)
}

/** A live WLAN from JSON text, as the client parses it: secret fields become `Secret` values. */
export function liveFrom(json: string): LiveWlan {
  const record = valueIn(JSON.parse(json), wlanField)
  if (!isObject(record)) throw new Error('a WLAN is an object')
  return { id: String(record['id']), ssid: String(record['ssid'] ?? ''), record, readAt: 0 }
}

function valueIn(json: unknown, field: Field): Value {
  if (Array.isArray(json)) return json.map(item => valueIn(item, field.item()))
  if (typeof json === 'object' && json !== null) {
    const entries = Object.entries(json)
    return Object.fromEntries(
      entries.map(([name, below]) => [name, valueIn(below, field.member(name))])
    )
  }
  if (typeof json === 'string') return field.secret ? Secret.live(json) : json
  return typeof json === 'number' || typeof json === 'boolean' ? json : null
}

/** The record of one live WLAN; `fields` is JSON with plaintext secrets. */
export function record(fields: object, id = nth(1)): ValueObject {
  return live(fields, id).record
}

/** One live WLAN. */
export function live(fields: object, id = nth(1)): LiveWlan {
  return liveFrom(JSON.stringify({ id, site_id: SITE.id, ssid: 'Corp', ...fields }))
}

/** A declaration of the WLAN that `live` gives, unless the fields say otherwise. */
export function wlan(fields: ValueObject, rest: Partial<DesiredWlan> = {}): DesiredWlan {
  const key = rest.key ?? 'corp'
  const place = { file: 'sites/hq.yaml', line: 3, column: 3 }
  const address = `${SITE.name}/${key}`
  return { address, key, fields: { ssid: 'Corp', ...fields }, place, file: place.file, ...rest }
}

/** The change of a WLAN that a site declares with these fields, and has with those. */
export function plannedChange(fields: object, found: object, site = SITE): Change {
  const declared = { ...wlan(fields as ValueObject), address: `${site.name}/corp` }
  const plan = planWlan(site, declared, live(found))
  if (plan.status !== 'changed') throw new Error(`expected a change, got ${plan.status}`)
  return plan.change
}

export function desiredSite(wlans: readonly DesiredWlan[], site = SITE): DesiredSite {
  return { ...site, wlans }
}

export function liveSite(wlans: readonly LiveWlan[], site = SITE): LiveSite {
  return { site, wlans }
}

/** The context of a plan without findings and options. */
export function context(policy: Partial<Policy> = {}): PlanContext {
  return {
    tool: 'wlanctl/0.1.0',
    created: '2026-11-20T10:00:00Z',
    baseUrl: 'https://api.example.net',
    policy: { ...defaultPolicy, ...policy },
    findings: [],
    requests: 1
  }
}

/** A value as JSON: secrets by their reference. */
export function shown(value: Value | readonly unknown[] | undefined): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

/** A value with revealed secrets, to distinguish them; unknown ones are marked. */
export function revealed(value: unknown): unknown {
  if (value instanceof Secret) return { secret: value.known ? value.reveal() : null }
  if (Array.isArray(value)) return value.map(revealed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revealed(member)]))
}

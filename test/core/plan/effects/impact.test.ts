import { describe, expect, test } from 'vitest'
import { diff } from '../../../../src/core/diff/diff.ts'
import { type Effects, effectsOf } from '../../../../src/core/plan/effects/effects.ts'
import { Secret } from '../../../../src/core/values/secret.ts'
import type { Value, ValueObject } from '../../../../src/core/values/value.ts'
import { readTable } from '../../table.ts'
import { env, record } from '../support.ts'

/** The effects of a declaration on a live record. */
function effects(live: object, declared: ValueObject): Effects {
  const before = record(live)
  const { patch, secrets } = diff(declared, before)
  return effectsOf(patch, before, secrets)
}

/** All classes of an effect, ascending, then `risk` and `radio`: `reconnect some risk`. */
function textOf({ impact, impacts, authentication_risk, resets_radio }: Effects): string {
  const flags = [authentication_risk && 'risk', resets_radio && 'radio']
  return [...(impacts ?? [impact]), ...flags].filter(part => part).join(' ')
}

/** A change in a context, with its effect and that of the change back. */
type Row = readonly [
  what: string,
  context: object,
  from: ValueObject,
  to: ValueObject,
  forth: string,
  back?: string
]

type Context = readonly [what: string, context: object]

const {
  users,
  others,
  settings,
  ...rowsByKind
}: Record<string, readonly Row[]> & {
  readonly users: readonly Context[]
  readonly others: readonly Context[]
  readonly settings: readonly (readonly [from: ValueObject, to: ValueObject])[]
} = readTable('impact.txt', import.meta.url)

const withSettings = (contexts: readonly Context[], effect: string) =>
  contexts.flatMap(([what, context]) =>
    settings.map(
      ([from, to]): Row => [`${Object.keys(from)} with ${what}`, context, from, to, effect]
    )
  )

const rows = [
  ...Object.values(rowsByKind).flat(),
  ...withSettings(users, 'some risk'),
  ...withSettings(others, '')
]

/** The record of a context with other fields; nested objects are merged. */
function merged(context: object, fields: object): object {
  const entries = Object.entries(fields).map(([name, value]) => {
    const outer = (context as Readonly<Record<string, unknown>>)[name]
    const isObject = (each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
    return [name, isObject(outer) && isObject(value) ? { ...(outer as object), ...value } : value]
  })
  return JSON.parse(JSON.stringify({ ...context, ...Object.fromEntries(entries) }, plaintext))
}

/** Live records contain secrets in plaintext. */
function plaintext(this: unknown, key: string, value: unknown): unknown {
  const own = (this as Readonly<Record<string, unknown>>)[key]
  return own instanceof Secret ? own.reveal() : value
}

const changes = rows.flatMap(([what, context, from, to, forth, back = forth]) => [
  [`${what}, forth`, merged(context, from), to, forth] as const,
  [`${what}, back`, merged(context, to), from, back] as const
])

test('the table has at least 135 rows', () => expect(rows.length).toBeGreaterThan(135))

test('a changed secret counts even with another changed member of its server', () => {
  const before = record({
    auth: { type: 'eap' },
    acct_servers: [{ host: 'a', secret: 'x' }],
    ...listed('x', 1)
  })
  const declared = listed(env('y'), 2)
  const { patch, secrets } = diff(declared, before)
  const { impact, authentication_risk } = effectsOf(patch, before, secrets)
  expect({ impact, authentication_risk }).toEqual({ impact: 'some', authentication_risk: true })
  const acct = { acct_servers: [{ host: 'a', secret: env('y') }] }
  const accounting = diff(acct, before)
  expect(effectsOf(accounting.patch, before, accounting.secrets).impact).toBeUndefined()
  expect(effectsOf(patch, before, { '/auth_servers/0/secret': 'same' }).impact).toBe('some')
})

function listed(secret: Value, keywrap: number): ValueObject {
  return { auth_servers: [{ host: 'a', secret, port: keywrap }] }
}

describe('the effect of', () => {
  test.each(changes)('%s', (_, live, declared, effect) => {
    expect(textOf(effects(live, declared))).toBe(effect)
  })

  test('switching a WLAN on does not depend on its other fields', () => {
    const declared = { enabled: true, ssid: 'b' }
    expect(textOf(effects({ enabled: false, ssid: 'a' }, declared))).toBe('radio')
  })

  test('a removed block', () => {
    const live = { auth: { type: 'psk' }, dynamic_psk: { enabled: true } }
    expect(textOf(effects(live, { dynamic_psk: null }))).toBe('outage')
  })
})

const tunnelled = (id: string) => ({ interface: 'mxtunnel', mxtunnel_id: id })
const vlans = (id: Value) => ({
  auth: { type: 'eap' },
  dynamic_vlan: { enabled: true, default_vlan_id: id }
})

test.each<[what: string, live: object, declared: ValueObject, effect: string]>([
  ['both, to 5 GHz', { band: 'both' }, { bands: ['5'] }, 'outage'],
  ['both, to both', { band: 'both' }, { bands: ['5', '24'] }, ''],
  ['both, to all', { band: 'both', bands: [] }, { bands: ['24', '5', '6'] }, 'radio'],
  ['5 GHz, to 2.4 GHz', { band: '5', bands: null }, { bands: ['24'] }, 'outage radio'],
  ['5 GHz, to both', { band: '5' }, { bands: ['24', '5'] }, 'radio'],
  ['a band that nobody knows', { band: '60' }, { bands: ['5'] }, ''],
  ['a variable', { band: '{{band}}' }, { bands: ['5'] }, ''],
  ['its newer name beside it', { band: '24', bands: ['5'] }, { bands: ['24'] }, 'outage radio'],
  ['a tunnel, to another', tunnelled('a'), { mxtunnel_ids: ['b'] }, 'reconnect'],
  ['a tunnel, to the same', tunnelled('a'), { mxtunnel_ids: ['a'] }, ''],
  ['a VLAN, to another', vlans('30'), { dynamic_vlan: { default_vlan_ids: [31] } }, 'reconnect'],
  ['a VLAN, to the same', vlans('30'), { dynamic_vlan: { default_vlan_ids: [30] } }, '']
])('the effect of a value under an older name: %s', (_, live, declared, effect) => {
  expect(textOf(effects(live, declared))).toBe(effect)
})

describe('several changed fields', () => {
  test('have the impact of the worst one', () => {
    const live = { dtim: 1, ssid: 'a', hide_ssid: false }
    expect(effects(live, { dtim: 2, ssid: 'b', hide_ssid: true }).impact).toBe('outage')
    expect(effects(live, { dtim: 2, ssid: 'b' })).toMatchObject({
      impact: 'outage',
      impacts: ['reconnect', 'outage'],
      impact_fields: ['/ssid']
    })
    expect(effects(live, { dtim: 2, bands: ['24', '5'] })).toMatchObject({ impact: 'outage' })
    expect(effects(live, { dtim: 2, hide_ssid: true }).impact).toBe('some')
    expect(effects(live, { dtim: 2 }).impacts).toBeUndefined()
  })
})

test('the context of a change has the switches with other than default values, and no other field', () => {
  const live = { vlan_enabled: true, vlan_id: 1, isolation: true, ssid: 'a' }
  expect(effects(live, { vlan_id: 2 }).context).toEqual({ '/vlan_enabled': true })
})

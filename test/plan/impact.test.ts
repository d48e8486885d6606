import { describe, expect, test } from 'vitest'
import type { ValueObject } from '../../src/model/value.ts'
import { diff } from '../../src/plan/diff.ts'
import { impactOf } from '../../src/plan/impact.ts'
import { env, record } from './support.ts'

/** The impact of bringing a live record to what is declared. */
function impact(live: object, declared: ValueObject) {
  return impactOf(diff(declared, record(live)).patch)
}

describe('an impact', () => {
  test.each<[what: string, live: object, declared: ValueObject, impact: string | undefined]>([
    ['of nothing', {}, {}, undefined],
    ['of a limit', { wlan_limit_up: 1 }, { wlan_limit_up: 2 }, undefined],
    ['of a field nobody knows', { brand: 1 }, { brand: 2 }, undefined],
    ['of the SSID', { ssid: 'a' }, { ssid: 'b' }, 'outage'],
    ['of the VLAN', { vlan_id: 1 }, { vlan_id: 2 }, 'reconnect'],
    ['of the PSK', { auth: { psk: 'a' } }, { auth: { psk: env('b') } }, 'reconnect'],
    ['of authentication as a whole', {}, { auth: { type: 'eap' } }, 'reconnect'],
    [
      'of authentication that goes',
      { dynamic_psk: { enabled: true } },
      { dynamic_psk: null },
      'reconnect'
    ],
    [
      'of a RADIUS server',
      { auth_servers: [{ host: 'a' }] },
      { auth_servers: [{ host: 'b' }] },
      'reconnect'
    ],
    [
      'of an accounting server',
      { acct_servers: [{ host: 'a' }] },
      { acct_servers: [{ host: 'b' }] },
      undefined
    ],
    [
      'deep in the rates',
      { rateset: { 24: { ht: 'a' } } },
      { rateset: { 24: { ht: 'b' } } },
      'reconnect'
    ],
    [
      'of the hours on the air',
      { schedule: { hours: { mon: '' } } },
      { schedule: { hours: { mon: '09:00-17:00' } } },
      'outage'
    ],
    [
      'of portal texts',
      { portal: { smsMessageFormat: 'a' } },
      { portal: { smsMessageFormat: 'b' } },
      undefined
    ],
    ['of the portal', { portal: { enabled: false } }, { portal: { enabled: true } }, 'reconnect'],
    ['of the portal in a new object', {}, { portal: { enabled: true } }, 'reconnect'],
    ['of a portal that goes', { portal: { enabled: true } }, { portal: null }, 'reconnect'],
    ['of an empty object that comes', { portal: 'x' }, { portal: {} }, undefined],
    ['of the worst of several', { vlan_id: 1, ssid: 'a' }, { vlan_id: 2, ssid: 'b' }, 'outage'],
    [
      'of the worst, whatever its place',
      { band: '5', vlan_id: 1 },
      { band: '24', vlan_id: 2 },
      'outage'
    ]
  ])('%s', (_, live, declared, expected) => {
    expect(impact(live, declared)).toBe(expected)
  })
})

describe('an impact in one direction only', () => {
  test.each<[what: string, live: object, declared: ValueObject, impact: string | undefined]>([
    ['turning off', { enabled: true }, { enabled: false }, 'outage'],
    ['turning off what did not say so', {}, { enabled: false }, 'outage'],
    ['turning on', { enabled: false }, { enabled: true }, undefined],
    ['removing a band', { bands: ['24', '5'] }, { bands: ['5'] }, 'outage'],
    ['exchanging a band', { bands: ['24'] }, { bands: ['5'] }, 'outage'],
    ['adding a band', { bands: ['5'] }, { bands: ['5', '6'] }, undefined],
    ['naming the first access points', { ap_ids: null }, { ap_ids: ['a'] }, 'outage'],
    ['naming the first access points where there was no list', {}, { ap_ids: ['a'] }, 'outage'],
    ['naming more access points', { ap_ids: ['a'] }, { ap_ids: ['b', 'a'] }, undefined],
    ['naming none any more', { wxtag_ids: ['a'] }, { wxtag_ids: [] }, undefined],
    ['a list that was none', { wxtag_ids: 'a' }, { wxtag_ids: ['a'] }, undefined]
  ])('%s', (_, live, declared, expected) => {
    expect(impact(live, declared)).toBe(expected)
  })
})

test('a saved patch, its secrets references, has the same impact', () => {
  const patch = [{ op: 'replace', path: '/auth/psk', value: { $env: 'WLAN_SECRET_PSK' } }] as const
  expect(impactOf(patch)).toBe('reconnect')
})

test('what goes hurts as what comes', () => {
  expect(impactOf([{ op: 'remove', path: '/vlan_id' }])).toBe('reconnect')
  expect(impactOf([{ op: 'remove', path: '/wlan_limit_up' }])).toBeUndefined()
  expect(impactOf([{ op: 'remove', path: '/enabled' }])).toBeUndefined()
})

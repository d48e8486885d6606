import { expect, it, test } from 'vitest'
import { Pairs } from '../../../src/core/model/pairs.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'

const declared = { ssid: 'Guest' }
const withSecret = { auth: { psk: new Secret({ $env: 'WLAN_SECRET_GUEST' }, 'key-number-0') } }
const record = (more: ValueObject = {}) => ({ id: '1', ssid: 'Guest', bands: ['24'], ...more })
const keyed = (text: string) => record({ auth: { psk: Secret.live(text) } })

/** Whether a WLAN in the second state shares its results with one in the first. */
test.each<[what: string, a: ValueObject, b: ValueObject, isShared: boolean, fields?: ValueObject]>([
  ['the same state', record(), record(), true],
  ['another id and other times', record(), record({ id: '2' }), true],
  ['another value', record(), record({ bands: ['5'] }), false],
  ['a member more', record(), record({ dtim: 2 }), false],
  ['an id of a part', record({ a: { id: '1' } }), record({ a: { id: '2' } }), false],
  ['another key', keyed('key-number-1'), keyed('key-number-2'), true],
  ['another key to compare', keyed('key-number-1'), keyed('key-number-2'), false, withSecret],
  ['the same key to compare', keyed('key-number-1'), keyed('key-number-1'), true, withSecret],
  ['a hidden key', keyed('key-number-1'), keyed('********'), false],
  ['no key', keyed('key-number-1'), keyed(''), false],
  ['a key with a variable', keyed('key-number-1'), keyed('key-{{site}}'), false]
])('%s', (_, a, b, isShared, fields = declared) => {
  const pairs = new Pairs()
  pairs.pairOf({ fields }, a, true)
  const pair = pairs.pairOf({ fields }, a, true)
  expect(pair).toBeDefined()
  expect(pairs.pairOf({ fields }, b, true) === pair).toBe(isShared)
})

it('what WLANs of one template share depends on no field in which they differ', () => {
  const pairs = new Pairs()
  const template = { varying: new Set(['vlan_id']) }
  const states = [{}, {}, { bands: ['5'] }, { bands: [] }, { dtim: 2 }]
  const [, , one, other, apart] = states.map(state =>
    pairs.pairOf({ fields: { ...declared }, template }, record(state), true)
  )
  expect([...(one?.varying ?? [])]).toEqual(expect.arrayContaining(['vlan_id', 'bands']))
  expect(one?.shared('a', () => 1)).toBe(1)
  expect(other?.shared('a', () => 2)).toBe(1)
  expect(other?.result('a', () => 2)).toBe(2)
  expect(apart).toBeUndefined()
})

it('a response that shows secrets shares nothing with one that shows none', () => {
  const pairs = new Pairs()
  const [, shown, hidden] = [true, true, false].map(each =>
    pairs.pairOf({ fields: declared }, record(), each)
  )
  expect(shown).toBeDefined()
  expect(hidden).not.toBe(shown)
})

it('WLANs that the base declares differently share nothing', () => {
  const pairs = new Pairs()
  const [base, other] = [{ dtim: 1 }, { dtim: 1 }]
  const [, one, same, apart, unchanged] = [base, base, base, other, undefined].map(each =>
    pairs.pairOf({ fields: declared }, record(), true, each)
  )
  expect(one).toBeDefined()
  expect(same).toBe(one)
  expect(new Set([one, apart, unchanged]).size).toBe(3)
})

it('keeps no state of a declaration that occurs once', () => {
  expect(new Pairs().pairOf({ fields: declared }, record(), true)).toBeUndefined()
})

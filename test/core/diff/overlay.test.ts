import { expect, test } from 'vitest'
import { overlay } from '../../../src/core/diff/overlay.ts'
import { wlanField } from '../../../src/core/schema/field.ts'
import type { Value, ValueObject } from '../../../src/core/values/value.ts'
import { env, record, revealed, shown } from '../plan/support.ts'
import { readTable } from '../table.ts'

/** The overlay of a declared top-level field on the live one. */
function laid(name: string, live: unknown, declared: Value) {
  const before = live === undefined ? undefined : record({ [name]: live })[name]
  return overlay(wlanField.member(name), before, declared)
}

type Row = readonly [what: string, field: string, live: unknown, declared: Value, sent: unknown]

test.each(readTable<readonly Row[]>('overlay.txt', import.meta.url))(
  '%s',
  (_, field, live, declared, sent) => {
    expect(revealed(laid(field, live ?? undefined, declared))).toEqual(sent)
  }
)

test('undeclared members named `__proto__` are kept', () => {
  const live: ValueObject = JSON.parse('{"__proto__": {"polluted": 1}, "class": "a"}')
  const after = overlay(wlanField.member('qos'), live, { class: 'b' })
  expect(JSON.stringify(after)).toBe('{"__proto__":{"polluted":1},"class":"b"}')
  expect(Object.getPrototypeOf(after)).toBe(Object.prototype)
  expect('polluted' in {}).toBe(false)
})

test('declared secrets are sent by their own references, and live ones as they are', () => {
  const live = [
    { host: 'a', secret: 'of a' },
    { host: 'b', secret: 'of b' }
  ]
  const servers = laid('auth_servers', live, [{ host: 'b', secret: env('of b') }, { host: 'a' }])
  expect(shown(servers)).toMatchObject([
    { secret: { $env: 'WLAN_SECRET_PSK' } },
    { secret: { $live: true } }
  ])
  const auth = laid('auth', { keys: ['key1'], key_idx: 1 }, { keys: [env('key1')], key_idx: 2 })
  expect(shown(auth)).toEqual({ keys: [{ $env: 'WLAN_SECRET_PSK' }], key_idx: 2 })
})

test('both sides are left unchanged', () => {
  const live = Object.freeze({ type: 'psk', keys: Object.freeze(['a']) })
  const declared = Object.freeze({ type: 'open', keys: Object.freeze([]) })
  expect(overlay(wlanField.member('auth'), live, declared)).toEqual({ type: 'open', keys: [] })
  expect(live).toEqual({ type: 'psk', keys: ['a'] })
})

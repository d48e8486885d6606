import { describe, expect, test } from 'vitest'
import { composeBody } from '../../../src/core/diff/body.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { live, liveFrom, record, revealed, shown } from '../plan/support.ts'
import { readTable } from '../table.ts'

const where = { address: 'hq/corp' }

function bodyOf(declared: ValueObject, before: object, fields: readonly string[]) {
  const composed = composeBody(declared, record(before), fields, where)
  if ('finding' in composed) throw new Error(composed.finding.code)
  return composed.body
}

const nulls: readonly [what: string, declared: ValueObject, before: object, body: object][] =
  readTable('body.txt', import.meta.url)

describe('the body', () => {
  test('has the listed fields alone', () => {
    const declared = { dtim: 2, vlan_id: 5, ssid: 'New' }
    expect(bodyOf(declared, { dtim: 1, vlan_id: 5, x: 1 }, ['dtim'])).toEqual({ dtim: 2 })
  })

  test('has each field complete', () => {
    const before = { auth: { type: 'psk', psk: 'hush', keys: ['k'], x: { y: 1 } }, dtim: 1 }
    const body = bodyOf({ auth: { owe: 'disabled' } }, before, ['auth'])
    expect(revealed(body)).toEqual({
      auth: {
        type: 'psk',
        psk: { secret: 'hush' },
        keys: [{ secret: 'k' }],
        owe: 'disabled',
        x: { y: 1 }
      }
    })
    expect(shown(body)).toMatchObject({ auth: { psk: { $live: true } } })
  })

  test('has its members in a fixed order', () => {
    const body = bodyOf({ auth: { type: 'open', owe: 'x' } }, { auth: { x: 1, arp: 2 } }, ['auth'])
    expect(JSON.stringify(body)).toBe('{"auth":{"arp":2,"owe":"x","type":"open","x":1}}')
  })

  test('keeps members with names of the prototype', () => {
    const { record: before } = live(
      JSON.parse('{"qos":{"__proto__":{"a":1},"constructor":2,"class":"a"}}')
    )
    const composed = composeBody({ qos: { class: 'b' } }, before, ['qos'], where)
    expect(JSON.stringify(composed)).toBe(
      '{"body":{"qos":{"__proto__":{"a":1},"class":"b","constructor":2}},"hidden":[]}'
    )
  })
})

test.each(nulls)('an update omits nulls of the service %s', (_, declared, before, expected) => {
  expect(revealed(bodyOf(declared, before, Object.keys(declared)))).toEqual(expected)
})

describe('an unsafe number', () => {
  /** As text, since JavaScript cannot represent an unsafe number. */
  const qosWith = (x: string) => liveFrom(`{"qos": {"x": ${x}, "class": "a"}}`).record

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '1e300',
    '1e400',
    '[[{"deep": 9007199254740992}]]'
  ])('%s is not sent back', text => {
    const before = qosWith(text)
    const composed = composeBody({ qos: { class: 'b' } }, before, ['qos'], where)
    expect(composed).toMatchObject({ finding: { code: 'NUMBER_NOT_KEPT', address: 'hq/corp' } })
  })

  test.each(['9007199254740991', '0.1', '-1.5e10', '0'])('%s is sent back', text => {
    const before = qosWith(text)
    expect(composeBody({ qos: { class: 'b' } }, before, ['qos'], where)).toHaveProperty('body')
  })

  test('is allowed in a field that is not sent, and in a declared member', () => {
    expect(bodyOf({ dtim: 2 }, { qos: { x: 2 ** 53 }, dtim: 1 }, ['dtim'])).toEqual({ dtim: 2 })
    expect(bodyOf({ qos: { x: 1 } }, { qos: { x: 2 ** 53 } }, ['qos'])).toEqual({ qos: { x: 1 } })
  })
})

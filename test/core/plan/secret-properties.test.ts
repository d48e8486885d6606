import fc, { type Arbitrary } from 'fast-check'
import { expect, test } from 'vitest'
import { composeBody } from '../../../src/core/diff/body.ts'
import { diff } from '../../../src/core/diff/diff.ts'
import { type Field, wlanField } from '../../../src/core/schema/field.ts'
import type { Pointer } from '../../../src/core/values/pointer.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import {
  isList,
  isObject,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../../../src/core/values/value.ts'
import { type WlanCase, wlanCases } from '../../support/wlans.ts'
import { revealed } from './support.ts'

/** Checks the body of each case, and that enough cases have a body. */
function forAllBodies(
  cases: Arbitrary<WlanCase>,
  check: (body: ValueObject, made: WlanCase, hidden: readonly Pointer[]) => void
): void {
  let [tried, bodies] = [0, 0]
  fc.assert(
    fc.property(cases, made => {
      tried += 1
      const { patch } = diff(made.declared, made.live)
      const fields = [...new Set(patch.map(({ path }) => path.split('/')[1] ?? ''))]
      const composed = composeBody(made.declared, made.live, fields, {})
      if ('finding' in composed || fields.length === 0) return
      bodies += 1
      check(composed.body, made, composed.hidden)
    })
  )
  expect(bodies).toBeGreaterThan(tried / 10)
}

/** Cases with masks at any path, in secret and other fields. */
const masked = fc
  .tuple(wlanCases({ hidden: true }), fc.array(fc.nat(5), { minLength: 1, maxLength: 40 }))
  .map(([{ live, declared }, dice]) => {
    let thrown = 0
    const hit = () => dice[thrown++ % dice.length] === 0
    return { live: hiding(live, hit) as ValueObject, declared }
  })

function hiding(value: Value, hit: () => boolean): Value {
  if (typeof value === 'string') return hit() ? '********' : value
  if (isList(value)) return value.map(each => hiding(each, hit))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, below]) => [name, hiding(below, hit)] as const)
  const unknown = hit() ? [['x_idp', { token: 'te*****23' }] as const] : []
  return Object.fromEntries([...members, ...unknown])
}

test('a body has no mask, wherever the record has one, and names each hidden secret in it', () => {
  forAllBodies(masked, (body, _, hidden) => {
    expect(JSON.stringify(revealed(body))).not.toMatch(/\*{4}/)
    for (const at of hidden) expect(hiddenIn(valueAt(body, at) ?? null)).toHaveLength(1)
    expect(hiddenIn(body)).toHaveLength(hidden.length)
  })
})

test('a body has every secret of its fields, except those with another declared value', () => {
  forAllBodies(wlanCases(), (body, { live, declared }) => {
    for (const [name, sent] of Object.entries(body)) {
      expect(lost(wlanField.member(name), live[name], sent, declared[name])).toEqual([])
    }
  })
})

test('no server without a secret replaces one that has it', () => {
  forAllBodies(wlanCases({ hidden: true }), (body, { live, declared }) => {
    for (const name of ['auth_servers', 'acct_servers', 'coa_servers']) {
      const [sent, before, wanted] = [body, live, declared].map(record => elementsOf(record[name]))
      if (!before?.some(server => isSecret(server['secret']))) continue
      const key = wlanField.member(name).key ?? ''
      const known = before.map(server => server[key])
      const staying = (sent ?? []).map(server => server[key])
      const leaving = before.filter(server => !staying.includes(server[key]))
      if (!leaving.some(server => isSecret(server['secret']))) continue
      for (const [place, server] of (sent ?? []).entries()) {
        if (known.includes(server[key]) || Object.hasOwn(wanted?.[place] ?? {}, 'secret')) continue
        expect(isSecret(server['secret'])).toBe(true)
      }
    }
  })
})

/** The live secrets that are not sent although no declaration removes them; an independent implementation. */
function lost(
  field: Field,
  live: Value | undefined,
  sent: Value | undefined,
  declared: Value | undefined
): Secret[] {
  if (live instanceof Secret) {
    const kept =
      declared !== undefined || live.empty || (sent instanceof Secret && live.equals(sent))
    return kept ? [] : [live]
  }
  if (isList(live)) return lostOfList(field, live, sent, declared)
  if (!isObject(live) || !(declared === undefined || isObject(declared))) return []
  if (declared !== undefined && field.compare === 'whole') return []
  return Object.keys(live).flatMap(name =>
    lost(field.member(name), live[name], partOf(sent, name), partOf(declared, name))
  )
}

function lostOfList(
  field: Field,
  live: readonly Value[],
  sent: Value | undefined,
  declared: Value | undefined
): Secret[] {
  const { key } = field
  return live.flatMap((element, place) => {
    const after = isList(sent) ? sent : []
    if (declared === undefined) return lost(field.item(), element, after[place], undefined)
    if (!isList(declared) || key === undefined) return []
    const found = declared.findIndex(
      other => partOf(other, key) !== undefined && partOf(other, key) === partOf(element, key)
    )
    return found === -1 ? [] : lost(field.item(), element, after[found], declared[found])
  })
}

/** The masked secrets, except those that a run could not resolve. */
function hiddenIn(value: Value): Secret[] {
  if (value instanceof Secret) return '$live' in value.reference && !value.known ? [value] : []
  if (isList(value)) return value.flatMap(hiddenIn)
  return isObject(value) ? Object.values(value).flatMap(hiddenIn) : []
}

function partOf(value: Value | undefined, name: string): Value | undefined {
  return isObject(value) ? member(value, name) : undefined
}

function elementsOf(list: Value | undefined): readonly ValueObject[] {
  return isList(list) ? list.filter(isObject) : []
}

function isSecret(value: Value | undefined): boolean {
  return value instanceof Secret && !value.empty
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StateChange } from '../../../src/core/model/estate-diff.ts'
import type { LiveSite } from '../../../src/core/model/live.ts'
import type { PatchOperation } from '../../../src/core/model/plan.ts'
import { siteChanges } from '../../../src/core/plan/estate-diff.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { wlanValue } from '../../../src/service/live.ts'
import { nth } from '../../support/ids.ts'
import { legalRecord } from '../../support/legal-records.ts'
import { runs } from '../../support/properties.ts'

const site = { id: nth(1), name: 'hq' }

function state(...records: readonly object[]): LiveSite {
  return {
    site,
    wlans: records.map((json, n) => {
      const record = wlanValue({ id: nth(n + 10), ...json }) as ValueObject
      return { id: String(record['id']), ssid: String(record['ssid']), record, readAt: 0 }
    })
  }
}

/** The fields of the changes with their values before and after; a patch does not test the value of a secret. */
function fieldsOf(changes: readonly StateChange[]) {
  return changes.flatMap(change => {
    if (change.kind !== 'changed') return []
    const tests = new Map(change.patch.map(step => [step.op === 'test' ? step.path : '', step]))
    return change.patch.flatMap(step => {
      if (step.op === 'test') return []
      const before = step.op === 'add' ? undefined : valueIn(tests.get(step.path), SECRET)
      return [[step.path, before, valueIn(step)] as const]
    })
  })
}

function valueIn(step: PatchOperation | undefined, otherwise: unknown = undefined): unknown {
  if (step === undefined || !('value' in step)) return otherwise
  return step.value instanceof Secret ? SECRET : step.value
}

const SECRET = '(secret)'

/** A network whose secrets the token sees. */
const shown = { portal: { enabled: true, password: 'let-me-in' } }
const corp = { ssid: 'Corp', auth: { type: 'psk', psk: 'correct-horse' }, vlan_id: 20 }

describe('the changes of a site', () => {
  it.each([
    ['a value', corp, { ...corp, vlan_id: 30 }, [['/vlan_id', 20, 30]]],
    ['a new field', corp, { ...corp, isolation: true }, [['/isolation', undefined, true]]],
    ['a field that went', corp, { ssid: 'Corp', auth: corp.auth }, [['/vlan_id', 20, undefined]]],
    ['a default that appears', corp, { ...corp, isolation: false }, []],
    ['a default that disappears', { ...corp, isolation: false }, corp, []],
    ['the time of a save', { ...corp, modified_time: 1 }, { ...corp, modified_time: 2 }, []],
    [
      'a secret that went',
      { ...corp, ...shown },
      { ...corp, ...shown, auth: { type: 'open' } },
      [
        ['/auth/psk', SECRET, undefined],
        ['/auth/type', 'psk', 'open']
      ]
    ],
    [
      'a secret that came',
      { ...corp, ...shown, auth: { type: 'open', psk: '' } },
      { ...corp, ...shown },
      [
        ['/auth/psk', '', SECRET],
        ['/auth/type', 'open', 'psk']
      ]
    ],
    [
      'a secret that the token may not see, since it sees no other',
      corp,
      { ...corp, auth: { type: 'psk' } },
      []
    ],
    ['the value of a secret', corp, { ...corp, auth: { type: 'psk', psk: 'other-horse' } }, []],
    [
      'a secret that a token does not see',
      corp,
      { ...corp, auth: { type: 'psk', psk: '****' } },
      []
    ],
    ['a name', corp, { ...corp, ssid: 'Office' }, [['/ssid', 'Corp', 'Office']]]
  ])('%s', (_, before, after, expected) => {
    const changes = siteChanges(state(before), state(after))
    expect(fieldsOf(changes)).toEqual(expected)
  })

  it('say what they did to people, and what got weaker', () => {
    const [change] = siteChanges(state(corp), state({ ...corp, auth: { type: 'open' } }))
    expect(change).toMatchObject({
      address: 'hq/Corp',
      impact: 'outage',
      downgrades: expect.arrayContaining(['/auth/type'])
    })
  })

  it.each([
    ['added', [corp], [corp, { ssid: 'Open', auth: { type: 'open' } }], ['hq/Open', 'open']],
    ['removed', [corp, { ssid: 'Open' }], [corp], ['hq/Open', 'open']]
  ])('a network that was %s', (kind, before, after, [address, network]) => {
    expect(siteChanges(state(...before), state(...after))).toMatchObject([
      { kind, address, network }
    ])
  })

  it('of a site that only one state has are its networks', () => {
    expect(siteChanges(undefined, state(corp))).toMatchObject([{ kind: 'added' }])
    expect(siteChanges(state(corp), undefined)).toMatchObject([{ kind: 'removed' }])
    expect(siteChanges(undefined, undefined)).toEqual([])
  })

  it('name networks of one SSID by their ids', () => {
    const twice = state(corp, { ...corp, vlan_id: 5 })
    const changes = siteChanges(twice, state({ ...corp, vlan_id: 9 }, { ...corp, vlan_id: 5 }))
    expect(changes).toMatchObject([{ address: `hq/Corp (${nth(10)})` }])
  })

  it('are none between equal states, and the same fields there and back', () => {
    const records = fc.tuple(legalRecord(nth(10), 'Corp'), legalRecord(nth(10), 'Corp'))
    fc.assert(
      fc.property(records, ([one, other]) => {
        expect(siteChanges(state(one), state(one))).toEqual([])
        const pointers = (from: object, to: object) =>
          fieldsOf(siteChanges(state(from), state(to))).map(([pointer]) => pointer)
        expect(pointers(one, other).sort()).toEqual(pointers(other, one).sort())
      }),
      runs()
    )
  })
})

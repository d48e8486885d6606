import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StateChange } from '../../../src/core/model/estate-diff.ts'
import type { LiveSite } from '../../../src/core/model/live.ts'
import type { PatchOperation } from '../../../src/core/model/plan.ts'
import { siteChanges } from '../../../src/core/plan/estate-diff.ts'
import { wlanField } from '../../../src/core/schema/field.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { wlanValue } from '../../../src/service/live.ts'
import { nth } from '../../support/ids.ts'
import { legalRecord } from '../../support/legal-records.ts'
import { runs } from '../../support/properties.ts'
import { readTable } from '../table.ts'

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

const corp = { ssid: 'Corp', auth: { type: 'psk', psk: 'correct-horse' }, vlan_id: 20 }

type Row = readonly [what: string, before: object, after: object, changes: readonly unknown[][]]

const rows = readTable<readonly Row[]>('estate-diff.txt', import.meta.url)

function network(fields: object): object {
  const members = Object.entries({ ...corp, ...fields }).filter(([, value]) => value !== null)
  return Object.fromEntries(members)
}

describe('the changes of a site', () => {
  it.each(rows)('%s', (_, before, after, expected) => {
    const changes = siteChanges(state(network(before)), state(network(after)))
    expect(fieldsOf(changes)).toEqual(expected.map(each => each.map(value => value ?? undefined)))
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
    // Ten fields differ at most: the effects of all fields take 0.1 s.
    const record = legalRecord(nth(10), 'Corp')
    const names = fc.subarray([...wlanField.memberNames()], { minLength: 1, maxLength: 10 })
    const records = fc.tuple(record, record, names).map(([one, other, names]) => {
      const members = Object.entries(other).filter(([name]) => names.includes(name))
      return [one, { ...one, ...Object.fromEntries(members) }] as const
    })
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

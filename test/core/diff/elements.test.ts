import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { elementsOf } from '../../../src/core/diff/elements.ts'
import type { Value, ValueObject } from '../../../src/core/values/value.ts'
import { env, nth, plannedChange } from '../plan/support.ts'
import { readTable } from '../table.ts'

const server = (host: string, port: Value = 1812, secret?: Value): ValueObject => ({
  host,
  port,
  ...(secret === undefined ? {} : { secret })
})

const hosts = (...names: readonly string[]) => names.map(name => server(name))

type Servers = readonly (string | ValueObject)[]
const rows = readTable<
  readonly (readonly [what: string, declared: Servers, live: Servers, changes: object])[]
>('elements.txt', import.meta.url)

describe('lists are compared element by element', () => {
  test.each(rows)('%s', (_, ...[declared, found, expected]) => {
    const [is, was] = [declared, found].map(list =>
      list.map(each => (typeof each === 'string' ? server(each) : each))
    )
    const { elements } = plannedChange({ radsec: { servers: is } }, { radsec: { servers: was } })
    expect(elements).toEqual({ '/radsec/servers': expected })
  })

  it('all elements are new if live has no list', () => {
    expect(
      plannedChange({ radsec: { servers: hosts('a') } }, { radsec: { idle: 1 } }).elements
    ).toEqual({
      '/radsec/servers': { added: [{ element: 'a', value: { port: 1812 } }] }
    })
  })

  it('VLANs are compared by number in any form', () => {
    const change = plannedChange({ vlan_ids: [10, 30] }, { vlan_ids: '10, 20' })
    expect(change.elements).toEqual({
      '/vlan_ids': { added: [{ element: '30' }], removed: ['20'] }
    })
  })

  it('maps are compared by name', () => {
    const [declared, found] = [{ vlans: { '10': 'a', '30': 'c' } }, { vlans: { '10': 'b' } }]
    const change = plannedChange({ dynamic_vlan: declared }, { dynamic_vlan: found })
    expect(change.elements).toEqual({
      '/dynamic_vlan/vlans': {
        added: [{ element: '30', value: 'c' }],
        changed: [{ element: '10', fields: [{ path: '', before: 'b', after: 'a' }] }]
      }
    })
  })

  test.each([
    ['of names', { ap_ids: [nth(1)] }, { ap_ids: [nth(2)] }],
    [
      'whose elements lack the key',
      { radsec: { servers: [{ port: 1 }] } },
      { radsec: { servers: [server('a')] } }
    ]
  ])('a list %s is compared as one value', (_, declared, found) => {
    expect(plannedChange(declared, found).elements).toBeUndefined()
  })

  it('secrets are not part of an element', () => {
    const change = plannedChange(
      { auth_servers: [server('a', 1813, env('new-secret')), server('b', 1812, env('other'))] },
      { auth_servers: [server('a', 1812, 'old-secret')] }
    )
    expect(change.elements).toEqual({
      '/auth_servers': {
        added: [{ element: 'b', value: { port: 1812 } }],
        changed: [{ element: 'a', fields: [{ path: '/port', before: 1812, after: 1813 }] }]
      }
    })
  })

  it('removed and added elements turn one list of servers into any other', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 6 })
    fc.assert(
      fc.property(names, names, (was, is) => {
        const patch = [
          { op: 'test', path: '/acct_servers', value: hosts(...was) },
          { op: 'replace', path: '/acct_servers', value: hosts(...is) }
        ] as const
        const { added = [], removed = [], order } = elementsOf(patch)?.['/acct_servers'] ?? {}
        const left = numbered(was).filter(name => !removed.includes(name))
        const names = [...left, ...added.map(({ element }) => element)]
        expect(names.toSorted()).toEqual(numbered(is).toSorted())
        if (order !== undefined) expect(order).toEqual(numbered(is))
        else expect(numbered(is).filter(name => left.includes(name))).toEqual(left)
      })
    )
  })
})

function numbered(names: readonly string[]): string[] {
  return names.map((name, at) => {
    const nth = names.slice(0, at + 1).filter(each => each === name).length
    return nth === 1 ? name : `${name} #${nth}`
  })
}

import { describe, expect, it } from 'vitest'
import { nth } from '../../support/ids.ts'
import { tablesIn } from '../../support/tables.ts'
import { adopted } from './adopted.ts'

const WLANS = `profiles:
  base: { dtim: 2, auth: { type: psk, psk: { $env: WLAN_SECRET_PSK } } }

wlans:
  guest:
    $extends: base
    ssid: Guest   # never rename
    vlan_id: { $var: vlan, $default: 40 }
    isolation: true
`

/** The live fields of each store that differs, by the number of the store. */
type LiveFields = Readonly<Record<number, object>>

const usual = {
  ssid: 'Guest',
  dtim: 2,
  vlan_id: 40,
  isolation: true,
  auth: { type: 'psk', psk: 'a' }
}

/** Adopts the live values of three stores, `a` to `c`. */
async function adoptedIn(text: string, live: LiveFields) {
  const records = [0, 1, 2].map((at): [string, object[]] => [
    nth(at),
    [{ ...usual, ...live[at], id: nth(20 + at), site_id: nth(at) }]
  ])
  const made = await adopted(new Map([['stores.yaml', text]]), new Map(records))
  const after = made.after.get('stores.yaml') ?? ''
  return { adoption: made.adoption, head: after.replace(WLANS, ''), after }
}

const store = (at: number, more = '') => `  - { id: ${nth(at)}, name: ${'abc'[at]}${more} }`
const others = `${store(1)}\n${store(2)}\n\n`

interface Row {
  readonly first: string
  readonly live: object
  readonly then: string
}

describe('a drifted field of one store of a list', () => {
  const tables = tablesIn<Readonly<Record<string, Row>>>(import.meta.dirname, 'overrides.yaml')

  it.each(Object.entries(tables))('%s', async (_, { first, live, then }) => {
    const firstIs = (text: string) => `sites:\n${text.replace('ID', nth(0))}\n${others}`
    const { head, adoption } = await adoptedIn(`${firstIs(first)}${WLANS}`, { 0: live })
    expect(head).toBe(firstIs(then))
    expect(adoption.left).toEqual([])
  })

  it.each([undefined, null])('writes the default where live has %s', async isolation => {
    const { head } = await adoptedIn(`sites:\n${store(0)}\n${others}${WLANS}`, {
      0: { isolation }
    })
    expect(head).toContain(store(0, ', wlans: { guest: { isolation: false } }'))
  })

  it('names the override, and keeps Windows line ends', async () => {
    const text = `sites:\n${store(0)}\n${others}${WLANS}`.replaceAll('\n', '\r\n')
    const { after, adoption } = await adoptedIn(text, {
      0: { dtim: 3, isolation: false, vlan_id: 4093 }
    })
    expect(adoption.adopted.map(({ layer }) => layer)).toEqual(
      Array(3).fill('the override of a/guest')
    )
    expect(after).not.toMatch(/[^\r]\n/)
  })

  it('keeps a variable of a group, which other stores read', async () => {
    const text = `groups: { south: { vars: { vlan: 40 } } }
sites:
${store(0, ', groups: [south]')}
${store(1, ', groups: [south]')}
${store(2)}

${WLANS}`
    const { after } = await adoptedIn(text, { 0: { vlan_id: 41 } })
    expect(after).toBe(
      text.replace('groups: [south] }', 'groups: [south], wlans: { guest: { vlan_id: 41 } } }')
    )
    const both = await adoptedIn(text, { 0: { vlan_id: 41 }, 1: { vlan_id: 41 } })
    expect(both.after).toBe(text.replace('vlan: 40', 'vlan: 41'))
  })

  it('does not bring back what the override unsets', async () => {
    const unset = store(0, ', wlans: { guest: { $unset: [dtim] } }')
    const { after, adoption } = await adoptedIn(`sites:\n${unset}\n${others}${WLANS}`, {
      0: { dtim: 3 },
      1: { dtim: 3 },
      2: { dtim: 3 }
    })
    expect(adoption.adopted.map(({ address }) => address)).toEqual(['b/guest', 'c/guest'])
    expect(after).toContain(unset)
  })
})

describe('a field that drifted at every store of a list', () => {
  const text = `sites:\n${store(0)}\n${others}${WLANS}`
  const everywhere = (fields: object) => ({ 0: fields, 1: fields, 2: fields })

  it('is written to the block they share', async () => {
    const { after } = await adoptedIn(text, everywhere({ isolation: false, dtim: 3 }))
    expect(after).toBe(text.replace('isolation: true\n', 'isolation: false\n    dtim: 3\n'))
  })
})

import { describe, expect, it } from 'vitest'
import { child, type Pointer, steps } from '../../src/model/pointer.ts'
import { isObject, type Value, type ValueObject, valueAt } from '../../src/model/value.ts'
import { planSite } from '../../src/plan/plan.ts'
import { compareUndeclared } from '../../src/plan/undeclared.ts'
import { fieldAt } from '../../src/schema/field.ts'
import { isUsed, readFrom } from '../../src/schema/in-use.ts'
import { wlanErrors } from '../../src/schema/validate.ts'
import { nth } from '../support/ids.ts'
import { membersOf, type Shape, wlanShape } from '../support/wlan-shapes.ts'
import { liveSite } from './estates.ts'
import { desiredOf, imported } from './import.ts'

type Fields = Readonly<Record<string, unknown>>

const servers = { auth_servers: [{ host: '10.0.0.1', port: 1812, secret: 'a-radius-secret' }] }
const key = { psk: 'a-long-enough-key' }

const kinds: Readonly<Record<string, Fields>> = {
  open: { auth: { type: 'open' } },
  owe: { auth: { type: 'open', owe: 'required' } },
  wep: { auth: { type: 'wep', keys: ['0123456789'] } },
  psk: { auth: { type: 'psk', ...key }, vlan_enabled: true, vlan_id: 20 },
  'WPA3 personal': { auth: { type: 'psk', pairwise: ['wpa3'], ...key }, isolation: true },
  'keys of users': { auth: { type: 'psk' }, dynamic_psk: { enabled: true, source: 'cloud_psks' } },
  '802.1X': {
    auth: { type: 'eap' },
    ...servers,
    dynamic_vlan: { enabled: true, type: 'standard', vlans: { 10: 'staff' } }
  },
  '192-bit': { auth: { type: 'eap192', pairwise: ['wpa3'] }, ...servers },
  'MAC authentication': { auth: { type: 'open', enable_mac_auth: true }, ...servers },
  portal: { auth: { type: 'open' }, portal: { enabled: true, auth: 'multi', sms_enabled: true } },
  'external portal': {
    auth: { type: 'open' },
    portal: { enabled: true, auth: 'external', external_portal_url: 'https://a.example/' },
    ...servers
  },
  scheduled: {
    auth: { type: 'psk', ...key },
    schedule: { enabled: true, hours: { mon: '09:00-17:00', sun: '' } },
    dns_server_rewrite: { enabled: true, radius_groups: { staff: '10.0.0.53' } },
    ...{ vlan_enabled: true, vlan_pooling: true, vlan_ids: [10, 20], interface: 'all' }
  }
}

/** Every field of a block at its default, as the console of the service writes it. */
function defaults(shape: Shape): unknown {
  if (shape.kind === 'object') {
    const members = [...membersOf(shape)].filter(([, { field }]) => !field.deprecated)
    return Object.fromEntries(members.map(([name, member]) => [name, defaults(member)]))
  }
  const { default: usual } = shape.field
  return usual ?? (shape.kind === 'boolean' ? false : shape.kind === 'list' ? [] : null)
}

function merged(a: unknown, b: unknown): unknown {
  if (!isObject(a as Value) || !isObject(b as Value)) return b
  const [below, above] = [a as Fields, b as Fields]
  const members = Object.entries(above).map(([name, value]) => [name, merged(below[name], value)])
  return { ...below, ...Object.fromEntries(members) }
}

const id = { id: nth(1), site_id: nth(0), ssid: 'Corp' }

const recordOf = (kind: Fields) => merged(merged(defaults(wlanShape), kind), id) as Fields

/** Fields of one of these values are edited by hand to the first one that is legal and another one. */
const candidates: readonly unknown[] = [
  ...[true, false, 1, 5, 11, 30, 120, 700, 3600],
  ...['Guests', '10.0.0.9', '10.0.0.0/24', 'https://b.example/x', 'a@b.example', '01:00-02:00'],
  ...['another-long-key', nth(7), 'ffff', '0'.repeat(32), '20', 'example.net'],
  ...[[30], ['30'], ['example.net'], ['0.0.0.0/0'], [nth(8)], ['24'], ['wpa1-tkip'], ['a b']],
  ...[[{ host: '6.6.6.6', secret: 'b' }], [{ ip: '6.6.6.6', secret: 'b' }], { a: '6.6.6.6' }]
]

/** Each writable field below a shape, members of maps with free keys and of absent blocks included. */
function leaves(shape: Shape, at: Pointer): (readonly [Pointer, Shape])[] {
  if (shape.kind !== 'object') return [[at, shape]]
  return [...membersOf(shape)].flatMap(([name, member]) => leaves(member, child(at, name)))
}

function edited(record: Fields, at: Pointer, value: unknown): Fields {
  const change = steps(at).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  return merged(record, change) as Fields
}

/** The record with another legal value at a pointer; undefined if no candidate is one. */
function editAt(record: Fields, at: Pointer, { field, ...shape }: Shape): Fields | undefined {
  const chosen = 'choices' in shape ? shape.choices : []
  const was = JSON.stringify(valueAt(record as ValueObject, at) ?? field.default ?? null)
  for (const value of [...chosen, ...chosen.map(choice => [choice]), ...candidates]) {
    if (JSON.stringify(value) === was) continue
    const made = edited(record, at, value)
    const errors = wlanErrors(made as Value as ValueObject)
    if (!errors.some(({ pointer }) => pointer.startsWith(at))) return made
  }
  return undefined
}

const site = { id: nth(0), name: 'hq' }

// The client replaces secrets in place.
const liveOf = (record: Fields) => liveSite(site, [structuredClone(record)])

async function importOf(record: Fields) {
  const made = imported(liveOf(record))
  const [declared] = (await desiredOf(new Map([['hq.yaml', made.text]]), made.secrets)).sites
  if (declared === undefined) throw new Error(made.text)
  /** What drift finds in a live record; nothing if it is as declared. */
  return (after: Fields): string[] => {
    const live = liveOf(after)
    const { status } = planSite(declared, live).wlanPlans[0] ?? {}
    const { findings } = compareUndeclared(declared, live, { unwatched: 'drift' })
    return [...(status === 'unchanged' ? [] : [String(status)]), ...findings.map(f => f.message)]
  }
}

describe.each(Object.entries(kinds))('a full record after an import: %s', (_, kind) => {
  it('is no drift, and each edit by hand of a field in use is', async () => {
    const record = recordOf(kind)
    const found = await importOf(record)
    expect(found(record)).toEqual([])
    const all = leaves(wlanShape, '').filter(([at]) => !fieldAt(at).deprecated)
    const unseen: Pointer[] = []
    let edits = 0
    for (const [at, shape] of all) {
      const after = editAt(record, at, shape)
      if (after === undefined) continue
      if (!isUsed(at, readFrom(after as Value)) && !isUsed(at, readFrom(record as Value))) continue
      edits += 1
      if (found(after).length === 0) unseen.push(at)
    }
    expect({ unseen }).toEqual({ unseen: [] })
    expect(edits).toBeGreaterThan(60)
  })
})

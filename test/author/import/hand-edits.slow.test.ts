import { describe, expect, it } from 'vitest'
import { compareUndeclared } from '../../../src/core/plan/undeclared/undeclared-drift.ts'
import { fieldAt } from '../../../src/core/schema/field.ts'
import { isUsed, readFrom } from '../../../src/core/schema/in-use.ts'
import { wlanErrors } from '../../../src/core/schema/validate.ts'
import { child, type Pointer, steps } from '../../../src/core/values/pointer.ts'
import {
  isEmpty,
  isObject,
  type Value,
  type ValueObject,
  valueAt
} from '../../../src/core/values/value.ts'
import { nth } from '../../support/ids.ts'
import { membersOf, type Shape, wlanShape } from '../../support/wlan-shapes.ts'
import { liveSite } from './estates.ts'
import { desiredOf, imported, plansOf, textsOf, writtenFleet } from './import.ts'

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

/** Fields of one of these values are edited by hand to those that are legal and other ones. */
const candidates: readonly unknown[] = [
  ...[true, false, 1, 5, 11, 30, 120, 700, 3600, -70, -75, -80],
  ...['Guests', '10.0.0.9', '10.0.0.0/24', 'https://b.example/x', 'a@b.example', '01:00-02:00'],
  ...['another-long-key', nth(7), 'ffff', '0'.repeat(32), '20', 'example.net'],
  ...[[30], ['30'], ['example.net'], ['0.0.0.0/0'], [nth(8)], ['24'], ['wpa1-tkip'], ['a b']],
  ...['6.6.6.6', '6.6.6.7', '6.6.6.8'].flatMap(host => [
    ...[host, `${host}/32`, `https://${host}/`, [host], [`${host}/32`], { a: host }],
    ...[[{ host, secret: 'b' }], [{ ip: host, secret: 'b' }], [{ host }]]
  ]),
  ...[1, 2, 3].flatMap(n => [
    ...[`0${n}:00-20:00`, `${n}a-long-enough-key`, `${n}@b.example`, nth(20 + n), `${40 + n}`],
    ...[[nth(20 + n)], [40 + n], [`${40 + n}`], [`a${n}.example`], `a${n}.example`, { 1: `a${n}` }],
    ...[[`${n}@b.example`], [`${n}${n}:00-22:00`], `${n}a`.repeat(16), [`${n}a`.repeat(5)]]
  ])
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

/** A field is edited to at most this many values. */
const MAX_EDITS = 5

const legal = new Map<Pointer, unknown[]>()

/** The values that the schema accepts at a pointer. */
function legalAt(at: Pointer, shape: Shape): readonly unknown[] {
  const known = legal.get(at)
  if (known !== undefined) return known
  const chosen = 'choices' in shape ? shape.choices : []
  const each = shape.kind === 'list' && 'choices' in shape.each ? shape.each.choices : []
  const lists = each.flatMap((choice, at) => [[choice], each.slice(0, at + 1)])
  const found = [...chosen, ...lists, ...candidates, null, '', []].filter(value => {
    const errors = wlanErrors(edited({ ssid: 'Corp' }, at, value) as Value as ValueObject)
    return !errors.some(({ pointer }) => pointer.startsWith(at))
  })
  legal.set(at, found)
  return found
}

/** The record with each of several other legal values at a pointer. */
function editsAt(record: Fields, at: Pointer, shape: Shape): Fields[] {
  const { field } = shape
  const was = valueAt(record as ValueObject, at)
  const isOther = (value: unknown) =>
    !isEqual(value, was ?? field.default ?? null) &&
    !(
      field.compare === 'ignore-case' && isEqual(`${value}`.toLowerCase(), `${was}`.toLowerCase())
    ) &&
    // An empty secret may be hidden, and an empty field may have its default.
    !(isEmpty(value as Value) && (field.holdsSecret || isEmpty(was) || isEqual(was, field.default)))
  const others = legalAt(at, shape).filter(isOther)
  return others.slice(0, MAX_EDITS).map(value => edited(record, at, value))
}

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const site = { id: nth(0), name: 'hq' }

// The client replaces secrets in place.
const liveOf = (record: Fields) => liveSite(site, [structuredClone(record)])

async function importOf(record: Fields) {
  const made = await writtenFleet([imported(liveOf(record))], false)
  const desired = await desiredOf(textsOf(made), made.secrets)
  const [declared] = desired.sites
  if (declared === undefined) throw new Error('the file has no site')
  /** What drift finds in a live record; nothing if it is as declared. */
  return (after: Fields): string[] => {
    const live = liveOf(after)
    const [{ status } = { status: 'unread' }] = plansOf(desired, [live])
    const { findings } = compareUndeclared(declared, live, { unwatched: 'drift' })
    return [...(status === 'unchanged' ? [] : [status]), ...findings.map(f => f.message)]
  }
}

describe.each(Object.entries(kinds))('a full record after an import: %s', (_, kind) => {
  it('is no drift, and each edit by hand of a field in use is', async () => {
    const record = recordOf(kind)
    const found = await importOf(record)
    expect(found(record)).toEqual([])
    const all = leaves(wlanShape, '').filter(([at]) => !fieldAt(at).deprecated)
    const unseen: string[] = []
    const few: string[] = []
    let edits = 0
    for (const [at, shape] of all) {
      const isInUse = (fields: Fields) => isUsed(at, readFrom(fields as Value))
      const made = editsAt(record, at, shape).filter(after => isInUse(after) || isInUse(record))
      if (made.length === 0) continue
      edits += 1
      const isChoice = shape.kind === 'boolean' || 'choices' in shape
      if (!isChoice && made.length < 3) few.push(`${at}: ${made.length}`)
      for (const after of made) {
        const value = JSON.stringify(valueAt(after as Value as ValueObject, at))
        if (found(after).length === 0) unseen.push(`${at}: ${value}`)
      }
    }
    expect({ unseen }).toEqual({ unseen: [] })
    expect({ few }).toEqual({ few: [] })
    expect(edits).toBeGreaterThan(60)
  })
})

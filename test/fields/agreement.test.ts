import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wlanField } from '../../src/fields/field.ts'
import { partsOf, root, type SchemaNode } from '../../src/fields/schema.ts'
import { wlanErrors } from '../../src/fields/validate.ts'
import type { Value } from '../../src/model/value.ts'
import { readSchema, strictAjv } from '../schemas/schemas.ts'
import { membersOf, type Shape, wlanShape } from '../support/wlan-shapes.ts'

const ajv = strictAjv().compile(readSchema('wlan.schema.json'))
const uuid = '4ac1dcf4-9d8b-4211-95c4-057819f0862b'

const anything = fc.constantFrom<Value[]>(null, true, 7, 1.5, '', 'x', [], {}, ['x'], { a: 1 })
const numbers = [-1, 0, 1, 5, 60, 64, 4094, 4095, 65_535, 65_536, 999_000, 999_001, 1.5]
const texts = [
  '',
  'x',
  '20',
  '4095',
  '10, 20',
  '10,,20',
  '{{x}}',
  uuid,
  '09:00-17:00',
  '😀'.repeat(32)
]
const strangers = ['x_new', 'toString', 'constructor', '__proto__']

/** A value for this field, right or nearly so. */
function valueFor(shape: Shape): Arbitrary<Value> {
  return fc.oneof({ weight: 1, arbitrary: anything }, { weight: 6, arbitrary: likelyFor(shape) })
}

function likelyFor(shape: Shape): Arbitrary<Value> {
  switch (shape.kind) {
    case 'object':
      return membersFrom(membersOf(shape))
    case 'map':
      return fc.dictionary(fc.constantFrom('a', '10', 'x/y~z'), valueFor(shape.each), {
        maxKeys: 2
      })
    case 'list':
      return fc.array(valueFor(shape.each), { maxLength: 3 })
    case 'boolean':
      return fc.boolean()
    case 'number':
      return fc.constantFrom<Value[]>(...numbers)
    case 'text':
      return fc.constantFrom<Value[]>(...texts, ...numbers, ...shape.choices)
  }
}

function membersFrom(members: ReadonlyMap<string, Shape>): Arbitrary<Value> {
  return fc.subarray([...members.keys(), ...strangers], { maxLength: 5 }).chain(names => {
    const values = names.map(name => {
      const shape = members.get(name)
      return shape === undefined ? anything : valueFor(shape)
    })
    return fc
      .tuple(...values)
      .map(all => Object.fromEntries(names.map((name, n) => [name, all[n] ?? null])))
  })
}

const ssid: Shape = { kind: 'text', field: wlanField.member('ssid'), choices: ['a'.repeat(33)] }
const wlans = membersFrom(new Map([...membersOf(wlanShape), ['ssid', ssid]]))

/** Where the schema is not fulfilled; of an unknown member, the object that has it. */
function placesOf(wlan: Value): string[] {
  return wlanErrors(wlan).flatMap(({ kind, pointer }) => {
    if (kind === 'read-only' || kind === 'deprecated') return []
    return kind === 'unknown-field' ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer
  })
}

describe('the check of a WLAN and ajv', () => {
  it('find something wrong in the same WLANs, at the same places', () => {
    fc.assert(
      fc.property(wlans, wlan => {
        const fits = ajv(wlan)
        const complaints = (ajv.errors ?? []).map(({ instancePath }) => instancePath)
        const places = placesOf(wlan)
        expect(places.length === 0).toBe(fits)
        for (const place of places) expect(complaints).toContain(place)
        // Where there are alternatives, ajv complains of what is around the place, too.
        for (const complaint of complaints) {
          expect(places.some(place => `${place}/`.startsWith(`${complaint}/`))).toBe(true)
        }
      }),
      { numRuns: 2000 }
    )
  })
})

describe('the schema of a WLAN', () => {
  const nodes = [
    ...nodesIn(root),
    ...Object.values(readSchema('wlan.schema.json')['$defs'] as object).flatMap(nodesIn)
  ]

  it('uses no keyword that the check does not know', () => {
    const known = new Set([
      ...[
        '$ref',
        'anyOf',
        'type',
        'enum',
        'minimum',
        'maximum',
        'minLength',
        'maxLength',
        'pattern'
      ],
      ...['properties', 'additionalProperties', 'required', 'items', 'x-wlanctl', '$defs'],
      ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'deprecated', 'readOnly']
    ])
    const used = new Set(nodes.flatMap(node => Object.keys(node)))
    expect([...used].filter(keyword => !known.has(keyword))).toEqual([])
  })

  it('has a type, a reference or alternatives in every node, and one of them only', () => {
    for (const node of nodes) {
      const ways = [node.type, node.$ref, node.anyOf].filter(way => way !== undefined)
      expect(ways, JSON.stringify(node)).toHaveLength(1)
    }
  })

  it('has no two alternatives for one type', () => {
    for (const node of nodes) {
      const types = partsOf(node).flatMap(part => part.type ?? [])
      expect(new Set(types).size, JSON.stringify(node)).toBe(types.length)
      expect(types.includes('integer') && types.includes('number')).toBe(false)
    }
  })
})

function nodesIn(node: SchemaNode): SchemaNode[] {
  const below = [
    ...Object.values(node.properties ?? {}),
    ...(node.anyOf ?? []),
    ...(node.items === undefined ? [] : [node.items]),
    ...(typeof node.additionalProperties === 'object' ? [node.additionalProperties] : [])
  ]
  return [node, ...below.flatMap(nodesIn)]
}

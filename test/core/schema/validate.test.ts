import { describe, expect, it } from 'vitest'
import { documentedFields } from '../../../src/core/schema/documentation.ts'
import { type SchemaError, wlanErrors } from '../../../src/core/schema/validate.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Value } from '../../../src/core/values/value.ts'

const cases: readonly [what: string, wlan: Value, errors: readonly SchemaError[]][] = [
  ['no error', { ssid: 'Guest', vlan_id: '20', dynamic_psk: null }, []],
  [
    'a type where one is allowed',
    { hide_ssid: 'yes' },
    [{ kind: 'type', pointer: '/hide_ssid', allowed: ['boolean'] }]
  ],
  [
    'a type, and no word of the values it might have had',
    { apply_to: 4 },
    [{ kind: 'type', pointer: '/apply_to', allowed: ['string'] }]
  ],
  [
    'a type where one of several is allowed',
    { wlan_limit_up: true },
    [{ kind: 'type', pointer: '/wlan_limit_up', allowed: ['integer', 'string'] }]
  ],
  [
    'a type in alternatives of alternatives',
    { vlan_id: [] },
    [{ kind: 'type', pointer: '/vlan_id', allowed: ['integer', 'string', 'null'] }]
  ],
  [
    'a type where null is allowed',
    { dynamic_psk: true },
    [{ kind: 'type', pointer: '/dynamic_psk', allowed: ['object', 'null'] }]
  ],
  [
    'an element in the alternative that fits',
    { vlan_ids: [10, 5000] },
    [{ kind: 'range', pointer: '/vlan_ids/1', minimum: 1, maximum: 4094, unit: undefined }]
  ],
  [
    'an entry in the alternative that fits',
    { portal: { sponsors: { 'a@example.org': 1 } } },
    [{ kind: 'type', pointer: '/portal/sponsors/a@example.org', allowed: ['string'] }]
  ],
  [
    'a range with its unit',
    { max_idletime: 5 },
    [{ kind: 'range', pointer: '/max_idletime', minimum: 60, maximum: 86_400, unit: 'seconds' }]
  ],
  [
    'a range in the alternative that fits',
    { client_limit_up: 1_000_000 },
    [{ kind: 'range', pointer: '/client_limit_up', minimum: 0, maximum: 999_000, unit: 'kbps' }]
  ],
  [
    'an unknown value of an enum, null aside',
    { rateset: { 5: { template: 'fast' } } },
    [
      {
        kind: 'enum',
        pointer: '/rateset/5/template',
        allowed: ['compatible', 'custom', 'high-density', 'legacy-only', 'no-legacy']
      }
    ]
  ],
  [
    'a pattern, in words',
    { vlan_id: 'guest' },
    [{ kind: 'pattern', pointer: '/vlan_id', shape: '1 to 4094, or a variable {{name}}' }]
  ],
  ['a text too short', { ssid: '' }, [{ kind: 'length', pointer: '/ssid', minimum: 1 }]],
  [
    'a server without an address',
    { auth_servers: [{ host: '' }], radsec: { servers: [{ host: '' }] } },
    [
      { kind: 'length', pointer: '/auth_servers/0/host', minimum: 1 },
      { kind: 'length', pointer: '/radsec/servers/0/host', minimum: 1 }
    ]
  ],
  [
    'a roaming consortium that is not hexadecimal',
    { hotspot20: { rcoi: ['5A03BA0000', 'XYZ'] } },
    [
      {
        kind: 'pattern',
        pointer: '/hotspot20/rcoi/1',
        shape: 'a roaming consortium identifier of 6 to 30 hexadecimal digits'
      }
    ]
  ],
  [
    'a text too long',
    { ssid: 'x'.repeat(33) },
    [{ kind: 'length', pointer: '/ssid', maximum: 32 }]
  ],
  [
    'an unknown member, at its own place',
    { qos: { clas: 'voice' } },
    [
      {
        kind: 'unknown-field',
        pointer: '/qos/clas',
        name: 'clas',
        known: ['class', 'overwrite']
      }
    ]
  ],
  [
    'an unknown member whose name has to be escaped',
    { qos: { 'a/b~c': 1 } },
    [
      {
        kind: 'unknown-field',
        pointer: '/qos/a~1b~0c',
        name: 'a/b~c',
        known: ['class', 'overwrite']
      }
    ]
  ],
  [
    'an element that cannot be identified',
    { auth_servers: [{ host: 'a' }, { port: 1812 }] },
    [{ kind: 'missing-field', pointer: '/auth_servers/1', name: 'host' }]
  ],
  ['a read-only field', { modified_time: 1 }, [{ kind: 'read-only', pointer: '/modified_time' }]],
  [
    'what is deprecated, at any depth',
    { band: '24', dynamic_vlan: { default_vlan_id: 1 } },
    [
      { kind: 'deprecated', pointer: '/band' },
      { kind: 'deprecated', pointer: '/dynamic_vlan/default_vlan_id' }
    ]
  ]
]

describe('wlanErrors', () => {
  it.each(cases)('reports %s', (_, wlan, errors) => {
    expect(wlanErrors(wlan)).toEqual(errors)
  })

  it('reports all errors', () => {
    const kinds = wlanErrors({ ssid: 1, auth: { typ: 'x', type: 'x' }, id: 'x' }).map(e => e.kind)
    expect(kinds.sort()).toEqual(['enum', 'pattern', 'read-only', 'type', 'unknown-field'])
  })

  it.each(['constructor', '__proto__', 'toString'])('rejects the field %s', name => {
    const wlan: Value = Object.fromEntries([[name, 1]])
    expect(wlanErrors(wlan)).toMatchObject([{ kind: 'unknown-field', name }])
  })

  it('checks the position of a secret, but not its value', () => {
    const psk = new Secret({ $env: 'WLAN_SECRET_PSK' }, 'short')
    const unresolved = new Secret({ $file: 'radius' }, undefined)
    expect(
      wlanErrors({ auth: { psk }, auth_servers: [{ host: 'a', secret: unresolved }] })
    ).toEqual([])
    expect(wlanErrors({ auth: { pks: psk } })).toMatchObject([
      { kind: 'unknown-field', name: 'pks' }
    ])
  })

  it('contains no value, which may be a plaintext secret', () => {
    const value = 'pä55w0rd'
    const wlan = {
      auth: { psk: value, type: value, keys: { value } },
      ssid: [value],
      bands: [value]
    }
    const errors = wlanErrors(wlan)
    expect(errors).not.toEqual([])
    expect(JSON.stringify(errors)).not.toContain(value)
  })
})

describe('a text with a variable of the service', () => {
  it.each<[wlan: Value]>([
    [{ coa_servers: [{ ip: '{{net}}.10', port: '{{p}}' }] }],
    [{ app_qos: { others: [{ src_subnet: '{{g}}/24', dst_subnet: '{{g}}/{{cidr}}' }] } }],
    [{ portal_allowed_subnets: ['{{net}}.0/24'] }],
    [{ app_limit: { apps: { netflix: '{{x}}' }, wxtag_ids: { '{{tag}}': '{{x}}' } } }],
    [{ radsec: { servers: [{ host: '{{h}}', port: '{{p}}' }], mxcluster_ids: ['{{c}}'] } }],
    [{ mxtunnel_ids: ['{{t}}'], ap_ids: ['{{ap}}'], bands: ['{{b}}'] }],
    [{ vlan_id: '{{base}}0', vlan_ids: ['1{{x}}', 20] }],
    [{ bonjour: { additional_vlan_ids: '10,2{{x}}' } }],
    [{ dynamic_vlan: { default_vlan_ids: ['{{a}}-{{b}}'], vlans: { '{{staff}}': 'staff' } } }],
    [{ mist_nac: { source_ip: '{{net}}.1', coa_port: '{{p}}' }, dtim: '{{d}}' }],
    [{ ssid: '{{the_name_of_the_brand_in_the_region}}-guest' }]
  ])('is valid in %j', wlan => {
    expect(wlanErrors(wlan)).toEqual([])
  })

  it.each<[wlan: Value, pointer: string]>([
    [{ enabled: '{{on}}' }, '/enabled'],
    [{ roam_mode: '{{mode}}' }, '/roam_mode'],
    [{ auth: { type: '{{type}}' } }, '/auth/type'],
    [{ auth: { psk: 'a{{b}}' } }, '/auth/psk'],
    [{ mxtunnel_ids: '{{ids}}' }, '/mxtunnel_ids'],
    [{ coa_servers: '{{servers}}' }, '/coa_servers'],
    [{ dtim: '{{d}' }, '/dtim'],
    [{ coa_servers: [{ ip: 'net.10' }] }, '/coa_servers/0/ip']
  ])('is no excuse in %j', (wlan, pointer) => {
    expect(wlanErrors(wlan)).toMatchObject([{ pointer }])
  })

  const declarable = documentedFields()
    .flat()
    .filter(({ field: { secret, readOnly, deprecated } }) => !secret && !readOnly && !deprecated)
  const scalars = declarable.filter(({ node }) => {
    const types = [node, ...(node.anyOf ?? [])].flatMap(({ type = [] }) => type)
    const isText = types.some(type => ['integer', 'number', 'string'].includes(type))
    return isText && node.enum === undefined && !/^(?:array|object)$/.test(String(types))
  })

  it.each(scalars)('is valid in $path', ({ path }) => {
    const inner = path.split('.').reduceRight<Value>((value, step) => {
      const name = step.replace('[]', '').replace('{key}', '{{key}}')
      return { [name]: step.endsWith('[]') ? [value] : value }
    }, 'a{{b}}c')
    const errors = wlanErrors(inner).filter(({ kind }) => kind !== 'missing-field')
    expect(errors).toEqual([])
  })
})

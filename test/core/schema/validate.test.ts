import { describe, expect, it } from 'vitest'
import { documentedFields } from '../../../src/core/schema/documentation.ts'
import { type SchemaError, wlanErrors } from '../../../src/core/schema/validate.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Value } from '../../../src/core/values/value.ts'
import { readTable } from '../table.ts'

const cases = readTable<
  readonly (readonly [what: string, wlan: Value, errors: readonly SchemaError[]])[]
>('validate.txt', import.meta.url)

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

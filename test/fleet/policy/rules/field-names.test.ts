import { describe, expect, it } from 'vitest'
import { HQ_ALONE, load } from '../../fleet.ts'

/** The codes, locations and messages of the findings of a rule with this `require`. */
async function found(require: string, policy = ''): Promise<string[]> {
  const { findings } = await load({
    'p.yaml': `policy:\n  rules:\n    - { name: r, message: m, require: ${require} }\n${policy}`,
    'hq.yaml': HQ_ALONE
  })
  return findings.map(({ code, level, path, hint }) => `${level} ${code} ${path}: ${hint}`)
}

const at = 'error RULE_FIELD_UNKNOWN policy.rules[0].require.'

describe('a field name in a rule that does not exist', () => {
  it.each([
    ['{ properties: { vlanid: true } }', 'properties.vlanid: did you mean "vlan_id"?'],
    ['{ required: [isolaton] }', 'required[0]: did you mean "isolation"?'],
    [
      '{ properties: { auth: { required: [typ] } } }',
      'properties.auth.required[0]: did you mean "type"?'
    ],
    ['{ not: { anyOf: [{ required: [dtm] }] } }', 'not.anyOf[0].required[0]: did you mean "dtim"?'],
    [
      '{ properties: { auth_servers: { items: { required: [hots] } } } }',
      'properties.auth_servers.items.required[0]: did you mean "host"?'
    ],
    ['{ dependentRequired: { ssid: [dtm] } }', 'dependentRequired.ssid[0]: did you mean "dtim"?'],
    [
      '{ $defs: { d: { required: [dtm] } }, allOf: [{ $ref: "#/$defs/d" }] }',
      '$defs.d.required[0]: did you mean "dtim"?'
    ],
    [
      '{ properties: { $site: { required: [nam] } } }',
      'properties.$site.required[0]: did you mean "name"?'
    ],
    [
      '{ properties: { $live: { required: [dtm] } } }',
      'properties.$live.required[0]: did you mean "dtim"?'
    ],
    ['{ required: [psk] }', 'required[0]: "psk" belongs under "auth"'],
    [
      '{ properties: { $live: { required: [psk] } } }',
      'properties.$live.required[0]: "psk" belongs under "auth"'
    ],
    [
      '{ properties: { auth: { required: [auth_servers] } } }',
      'properties.auth.required[0]: "auth_servers" belongs at the root of the WLAN'
    ],
    [
      '{ properties: { auth_servers: { items: { required: [psk] } } } }',
      'properties.auth_servers.items.required[0]: "psk" belongs under "auth"'
    ],
    ['{ required: [vlan] }', 'required[0]: did you mean "vlan_id"?'],
    ['{ required: [$sites] }', 'required[0]: did you mean "$site"?'],
    [
      '{ required: [xyzzy_plugh] }',
      'required[0]: correct the name, or set `policy.unknown_fields: warn`'
    ]
  ])('%s is an error with the nearest known one', async (require, expected) => {
    expect(await found(require)).toEqual([at + expected])
  })

  it('is a warning with `unknown_fields: warn`', async () => {
    const [line] = await found('{ required: [vlanid] }', '  unknown_fields: warn\n')
    expect(line).toMatch(/^warning RULE_FIELD_UNKNOWN/)
  })

  it('is an error with `unknown_fields: warn`, too, if it belongs elsewhere', async () => {
    const [line] = await found('{ required: [psk] }', '  unknown_fields: warn\n')
    expect(line).toMatch(/^error RULE_FIELD_UNKNOWN/)
  })

  it('has no hint to set the existing value', async () => {
    const [line] = await found('{ required: [xyzzy_plugh] }', '  unknown_fields: warn\n')
    expect(line).toMatch(/^warning RULE_FIELD_UNKNOWN .*: correct the name/)
    expect(line).not.toContain('unknown_fields')
  })

  it.each([
    '{ properties: { $site: { properties: { vars: { required: [anything] } } } } }',
    '{ properties: { $site: { properties: { groups: { contains: { const: south } } } } } }',
    '{ properties: { $live: { required: [ssid] } } }',
    '{ properties: { portal: { properties: { enabled: true } } }, required: [bands] }',
    '{ patternProperties: { "^x": true } }'
  ])('is not suggested from %s', async require => {
    expect(await found(require)).toEqual([])
  })
})

import { describe, expect, it, test } from 'vitest'
import type { RuleSubject } from '../../../../src/core/model/fleet-rules.ts'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { HQ, indent, lines, load, loaded } from '../../fleet.ts'

const policy = (rule: string) => ({
  'p.yaml': `policy:\n  rules:\n    - { name: r, message: m, ${rule} }\n`
})

async function found(rule: string, wlan: string): Promise<string[]> {
  const files = { ...policy(rule), 'hq.yaml': `${HQ}  w:\n${indent(`${wlan}\n`)}` }
  return lines((await load(files)).findings)
}

describe('a rule of conditions', () => {
  test.each([
    [
      'require: ["auth.type!=open"]',
      'ssid: a\nauth: { type: open }',
      ['8:19 RULE wlans.w.auth.type']
    ],
    [
      'require: "auth.type!=open"',
      'ssid: a\nauth: { type: open }',
      ['8:19 RULE wlans.w.auth.type']
    ],
    ['require: ["auth.type!=open"]', 'ssid: a\nauth: { type: psk }', []],
    [
      'when: ["ssid~Corp*"], require: [isolation]',
      'ssid: Corp1\nisolation: false',
      ['8:16 RULE wlans.w.isolation']
    ],
    ['when: ["ssid~Corp*"], require: { required: [dtim] }', 'ssid: Corp1', ['6:3 RULE wlans.w']],
    [
      'when: { required: [ssid] }, require: ["vlan_id>100"]',
      'ssid: a\nvlan_id: "20"',
      ['8:14 RULE wlans.w.vlan_id']
    ],
    [
      'require: ["auth.pairwise=[wpa3]"]',
      'ssid: a\nauth: { pairwise: [wpa2-ccmp] }',
      ['8:23 RULE wlans.w.auth.pairwise']
    ],
    ['require: ["site=hq", "security=open"]', 'ssid: a\nauth: { type: wep }', ['6:3 RULE wlans.w']],
    ['require: ["site~store-*"]', 'ssid: a', ['6:3 RULE wlans.w']],
    ['require: ["groups=stores"]', 'ssid: a', ['6:3 RULE wlans.w']]
  ])('%s judges %j', async (rule, wlan, expected) => {
    expect(await found(rule, wlan)).toEqual(expected.map(each => `hq.yaml:${each}`))
  })

  test.each([
    ['an undeclared field', '["auth.type!=open", "!isolation", dtim]', 'ssid: a'],
    ['a variable of the service', '["vlan_id=20", "vlan_id!=30"]', 'ssid: a\nvlan_id: "{{v}}"']
  ])('is not broken by %s', async (_what, require, wlan) => {
    expect(await found(`require: ${require}`, wlan)).toEqual([])
  })

  test.each([
    [
      '["auth.typ=open"]',
      'RULE_FIELD_UNKNOWN policy.rules[0].require[0]: did you mean "auth.type"?'
    ],
    ['["auth.type=opne"]', 'RULE_INVALID policy.rules[0].require[0]: one of '],
    ['["auth.type="]', 'RULE_INVALID policy.rules[0].require[0]: '],
    ['[auth]', 'RULE_INVALID policy.rules[0].require[0]: name one of its fields'],
    ['["wlan=guest"]', 'RULE_INVALID policy.rules[0].require[0]: use `ssid`'],
    ['[]', 'RULE_INVALID policy.rules[0].require: '],
    ['5', 'WRONG_TYPE policy.rules[0].require: '],
    ['[5]', 'WRONG_TYPE policy.rules[0].require[0]: ']
  ])('is invalid with `require: %s`', async (require, expected) => {
    const { findings } = await load({
      ...policy(`require: ${require}`),
      'hq.yaml': `${HQ}  w: { ssid: a, auth: { type: open } }\n`
    })
    expect(findings.map(({ code, path, hint = '' }) => `${code} ${path}: ${hint}`)).toEqual([
      expect.stringContaining(expected)
    ])
  })
})

describe('on a live WLAN, a rule of conditions', () => {
  async function judged(require: string, after: ValueObject, before: ValueObject, shows = true) {
    const files = {
      ...policy(`require: ${require}`),
      'hq.yaml': `${HQ}  w: { ssid: a }\n`
    }
    const { sites, rules } = await loaded(files, { rulesOver: 'live' })
    const [one] = sites
    const subject = (fields: ValueObject): RuleSubject => ({
      ...{ fields, live: fields, site: { id: one?.id ?? '', name: 'hq' } },
      showsSecrets: () => shows
    })
    const broken = rules?.evaluateLive(subject(after), subject(before), 'managed') ?? []
    return broken.map(({ pointer, existing }) => `${pointer}${existing ? ' (existing)' : ''}`)
  }

  it('reads documented defaults for absent fields', async () => {
    expect(await judged('["!isolation", "auth.type=open"]', {}, {})).toEqual([])
    expect(await judged('[isolation]', {}, { isolation: true })).toEqual(['/isolation'])
  })

  it('is broken before, too, unless a number gets further from its range', async () => {
    expect(await judged('["vlan_id<100"]', { vlan_id: 150 }, { vlan_id: 160 })).toEqual([
      '/vlan_id (existing)'
    ])
    expect(await judged('["vlan_id<100"]', { vlan_id: 170 }, { vlan_id: 160 })).toEqual([
      '/vlan_id'
    ])
  })

  it('is not broken by a secret that the service may hide', async () => {
    const psk = { auth: { type: 'psk' } }
    expect(await judged('[auth.psk]', psk, psk, false)).toEqual([])
    expect(await judged('[auth.psk]', psk, psk)).toEqual(['/auth/psk (existing)'])
  })
})

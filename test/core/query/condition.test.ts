import { describe, expect, it } from 'vitest'
import { parseCondition, problemIn } from '../../../src/core/query/condition.ts'
import type { Subject } from '../../../src/core/query/field.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'

function subject(fields: ValueObject, about: Partial<Subject> = {}): Subject {
  return { site: 'hq', wlan: 'guest', fields, ...about }
}

function parsed(text: string) {
  const condition = parseCondition(text)
  if ('problem' in condition) throw new Error(condition.problem)
  return condition
}

const meets = (text: string, fields: ValueObject, about?: Partial<Subject>) =>
  parsed(text).isMet(subject(fields, about))

/** The problem of a condition over these WLANs, with its hint. */
function problemOf(text: string, ...records: readonly ValueObject[]): string | undefined {
  const condition = parseCondition(text)
  const found =
    'problem' in condition
      ? condition
      : problemIn(
          [condition],
          records.map(each => subject(each))
        )
  return found && [found.problem, found.hint ?? []].flat().join(' | ')
}

const psk = { auth: { type: 'psk', psk: new Secret({ $live: true }, 'correct horse') } }
const servers = {
  auth_servers: [
    { host: '10.0.0.1', port: 1812, secret: new Secret({ $env: 'RADIUS' }, undefined) },
    { host: '10.0.0.2' }
  ]
}

describe('a condition', () => {
  it.each<readonly [text: string, fields: ValueObject, isMet: boolean]>([
    // equality, with the documented default of an absent field
    ['auth.type=psk', psk, true],
    ['auth.type=open', {}, true],
    ['auth.type!=open', {}, false],
    ['/auth/type=psk', psk, true],
    [' auth.type = psk ', psk, true],
    ['enabled=true', {}, true],
    ['enabled=true', { enabled: false }, false],
    ['dtim=2', {}, true],
    ['vlan_id=20', { vlan_id: '20' }, true],
    ['vlan_id="20"', { vlan_id: 20 }, true],
    ['vlan_id=null', {}, true],
    ['vlan_id={{vlan}}', { vlan_id: '{{vlan}}' }, true],
    ['ssid=100', { ssid: '100' }, true],
    ['ssid="true"', { ssid: 'true' }, true],
    ['ssid=" Guest"', { ssid: ' Guest' }, true],
    ['ssid=\'a "b"\'', { ssid: 'a "b"' }, true],
    ['ssid="a \\"b\\" \\\\"', { ssid: 'a "b" \\' }, true],
    ['ssid=a=b', { ssid: 'a=b' }, true],
    ['ssid=""', {}, true],
    ['ssid=corp', { ssid: 'Corp' }, false],
    ['roam_mode=okc', { roam_mode: 'OKC' }, true],
    // lists: as a whole, or one element
    ['auth.pairwise=[wpa3]', { auth: { pairwise: ['wpa3'] } }, true],
    ['auth.pairwise=[wpa3]', { auth: { pairwise: ['wpa3', 'wpa2-ccmp'] } }, false],
    ['auth.pairwise=[wpa3, wpa2-ccmp]', { auth: { pairwise: ['wpa2-ccmp', 'wpa3'] } }, true],
    ['auth.pairwise=["wpa2-ccmp"]', {}, true],
    ['auth.pairwise=wpa3', { auth: { pairwise: ['wpa3', 'wpa2-ccmp'] } }, true],
    ['auth.pairwise!=wpa3', { auth: { pairwise: ['wpa3', 'wpa2-ccmp'] } }, false],
    ['bands=5', {}, true],
    ['vlan_ids=[20,10]', { vlan_ids: '10,20' }, true],
    ['vlan_ids=20', { vlan_ids: '10, 20' }, true],
    // elements of a list of objects
    ['auth_servers.host=10.0.0.2', servers, true],
    ['auth_servers[].host=10.0.0.2', servers, true],
    ['auth_servers[0].host=10.0.0.2', servers, false],
    ['auth_servers.host!=10.0.0.2', servers, false],
    // ranges
    ['vlan_id>100', { vlan_id: 101 }, true],
    ['vlan_id>100', { vlan_id: '101' }, true],
    ['vlan_id>100', { vlan_id: 100 }, false],
    ['vlan_id>=100', { vlan_id: 100 }, true],
    ['vlan_id<=100', { vlan_id: 100 }, true],
    ['vlan_id>100', {}, false],
    ['vlan_id>1', { vlan_id: '{{vlan}}' }, false],
    ['vlan_ids>15', { vlan_ids: '10,20' }, true],
    // globs
    ['ssid~Guest*', { ssid: 'Guest Wi-Fi' }, true],
    ['ssid~Guest*', { ssid: 'Corp' }, false],
    ['ssid!~Guest*', { ssid: 'Corp' }, true],
    ['ssid!~Guest*', {}, true],
    ['ssid~"* *"', { ssid: 'Guest Wi-Fi' }, true],
    ['auth.pairwise~wpa2-*', {}, true],
    // presence
    ['isolation', { isolation: true }, true],
    ['!isolation', {}, true],
    ['enabled', {}, true],
    ['vlan_id', { vlan_id: 20 }, true],
    ['!vlan_id', {}, true],
    ['auth_servers', servers, true],
    // secrets: only their presence
    ['auth.psk', psk, true],
    ['!auth.psk', psk, false],
    ['auth_servers.secret', servers, true],
    ['auth.psk', { auth: { psk: new Secret({ $env: 'PSK' }, undefined) } }, true],
    ['auth.psk', { auth: { psk: new Secret({ $live: true }, '') } }, false],
    // a secret in another field is equal to nothing, and like nothing
    ['ssid=hidden', { ssid: new Secret({ $env: 'A' }, 'hidden') }, false],
    ['ssid~*', { ssid: new Secret({ $env: 'A' }, 'hidden') }, false],
    ['mxtunnel_name=[a]', { mxtunnel_name: [new Secret({ $env: 'A' }, 'a')] }, false],
    ['mxtunnel_name~*', { mxtunnel_name: [new Secret({ $env: 'A' }, 'a')] }, false],
    // fields that the schema lacks
    ['new_mode=fast', { new_mode: 'fast' }, true],
    ['new_mode>3', { new_mode: 4 }, true],
    ['__proto__', {}, false],
    ['constructor.name=Object', {}, false],
    // facts
    ['security=open', {}, true],
    ['security=psk (wpa3)', { auth: { type: 'psk', pairwise: ['wpa3'] } }, true],
    ['security~open*', { auth: { owe: 'required' } }, true],
    ['vlan=20', { vlan_enabled: true, vlan_id: 20 }, true],
    ['vlan=20', { vlan_id: 20 }, false],
    ['vlan=untagged', { vlan_id: 20 }, true],
    ['vlan>15', { vlan_enabled: true, vlan_pooling: true, vlan_ids: [10, 20] }, true]
  ])('%s of %j is %j', (text, fields, isMet) => {
    expect(meets(text, fields)).toBe(isMet)
  })

  it.each<readonly [text: string, about: Partial<Subject>, isMet: boolean]>([
    ['site=hq', {}, true],
    ['wlan=guest', {}, true],
    ['wlan', { wlan: undefined }, false],
    ['!groups', {}, true],
    ['groups=stores', { groups: ['stores', 'north'] }, true],
    // Neither is certain where the service may hide the secret.
    ['auth.psk', { hidesSecrets: true }, false],
    ['!auth.psk', { hidesSecrets: true }, false]
  ])('%s of a WLAN with %j is %j', (text, about, isMet) => {
    expect(meets(text, {}, about)).toBe(isMet)
  })
})

describe('a problem', () => {
  it.each<readonly [text: string, problem: string]>([
    [
      '',
      'the condition is empty | such as auth.type=open, !isolation, vlan_id>100 or "ssid~Guest*"'
    ],
    ['=open', '"=open": expected a field, an operator and a value | such as'],
    ['!isolation=true', '"!isolation=true": expected a field, an operator and a value | such as'],
    ['a b', '"a b": expected a field, an operator and a value | such as'],
    ['ssid=', '"ssid=": expected a value after the operator; "" is the empty text'],
    ['ssid="Guest', '"ssid=\\"Guest": the quote " is not closed'],
    ['ssid="a" b', '"ssid=\\"a\\" b": unexpected text after the value'],
    ['auth.pairwise=[wpa3', '"auth.pairwise=[wpa3": the bracket is not closed'],
    ['vlan_id>abc', '"vlan_id>abc": expected a number after `>`'],
    ['vlan_id>"5"', '"vlan_id>\\"5\\"": expected a number after `>`'],
    ['ssid>5', '"ssid>5": ssid is not a number, so `>` cannot compare it'],
    ['dtim=two', '"dtim=two": expected a number for dtim'],
    ['isolation=yes', '"isolation=yes": expected true or false for isolation'],
    ['ssid=[a]', '"ssid=[a]": expected a single value for ssid'],
    ['ssid~[a]', '"ssid~[a]": expected a glob, got a list'],
    ['portal', '"portal": portal is an object | name one of its fields, such as portal.'],
    ['ssdi=Guest', 'unknown field "ssdi" | did you mean ssid?'],
    ['auth.typ=open', 'unknown field "auth.typ" | did you mean auth.type?'],
    ['psk', 'unknown field "psk" | did you mean auth.psk?'],
    ['auth.auth_servers', 'unknown field "auth.auth_servers" | did you mean auth_servers?'],
    ['encryption=wpa2', 'unknown field "encryption" | did you mean auth.pairwise?'],
    ['auth.pairwise=wpa2', 'auth.pairwise has no value "wpa2" | did you mean wpa2-ccmp?'],
    ['enabeld', 'unknown field "enabeld" | did you mean enabled?'],
    ['__proto__', 'unknown field "__proto__" | `wlanctl schema wlan` lists the fields'],
    [
      'auth.type=opne',
      '"auth.type=opne": auth.type has no value "opne" | one of eap, eap192, open'
    ],
    ['bands=[5,7]', '"bands=[5,7]": bands has no value "7" | one of']
  ])('of %j is %j', (text, problem) => {
    expect(problemOf(text)).toContain(problem)
  })

  it.each(['=', '!=', '~', '!~', '<', '>'])('is the comparison of a secret by %s', operator => {
    for (const field of ['auth.psk', 'auth.keys', 'auth_servers.secret', 'new_psk', 'a.token.b']) {
      expect(problemOf(`${field}${operator}hunter2`)).toContain(
        `a secret is never compared, because the rows would reveal it | \`${field}\` and \`!${field}\``
      )
    }
  })

  it('of a field or a value is none if a WLAN has it', () => {
    expect(problemOf('new_mode=fast', {}, { new_mode: 'slow' })).toBeUndefined()
    expect(problemOf('auth.type=wpa4', psk, { auth: { type: 'wpa4' } })).toBeUndefined()
    expect(problemOf('auth.type!=wpa4', { auth: { type: 'wpa4' } })).toBeUndefined()
    expect(problemOf('auth.type!=wpa4', psk)).toContain('has no value "wpa4"')
  })
})

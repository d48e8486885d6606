import { describe, expect, test } from 'vitest'
import { composeBody } from '../../../src/core/diff/body.ts'
import { type Value, type ValueObject, valueAt } from '../../../src/core/values/value.ts'
import { env, live, liveFrom, record, revealed, shown } from '../plan/support.ts'

const where = { address: 'hq/corp' }

function compose(declared: ValueObject, before: object, fields: readonly string[]) {
  return composeBody(declared, record(before), fields, where)
}

function bodyOf(declared: ValueObject, before: object, fields: readonly string[]) {
  const composed = compose(declared, before, fields)
  if ('finding' in composed) throw new Error(composed.finding.code)
  return composed.body
}

/** The code of the finding or note, and what its hint names; undefined if the body has all values. */
function refusal(declared: ValueObject, before: object, fields: readonly string[]) {
  const composed = compose(declared, before, fields)
  if ('body' in composed) {
    const [hidden] = composed.hidden
    if (hidden === undefined) return undefined
    expect(shown(valueAt(composed.body, hidden))).toEqual({ $live: true })
    return ['SECRET_HIDDEN', hidden]
  }
  const { code, message, hint } = composed.finding
  return [code, hint?.match(/\/[\w/]+/)?.[0] ?? message.match(/"(\w+)"/)?.[1]]
}

describe('the body', () => {
  test('has the listed fields alone', () => {
    const declared = { dtim: 2, vlan_id: 5, ssid: 'New' }
    expect(bodyOf(declared, { dtim: 1, vlan_id: 5, x: 1 }, ['dtim'])).toEqual({ dtim: 2 })
  })

  test('has each field complete', () => {
    const before = { auth: { type: 'psk', psk: 'hush', keys: ['k'], x: { y: 1 } }, dtim: 1 }
    const body = bodyOf({ auth: { owe: 'disabled' } }, before, ['auth'])
    expect(revealed(body)).toEqual({
      auth: {
        type: 'psk',
        psk: { secret: 'hush' },
        keys: [{ secret: 'k' }],
        owe: 'disabled',
        x: { y: 1 }
      }
    })
    expect(shown(body)).toMatchObject({ auth: { psk: { $live: true } } })
  })

  test('has its members in a fixed order', () => {
    const body = bodyOf({ auth: { type: 'open', owe: 'x' } }, { auth: { x: 1, arp: 2 } }, ['auth'])
    expect(JSON.stringify(body)).toBe('{"auth":{"arp":2,"owe":"x","type":"open","x":1}}')
  })

  test('keeps members with names of the prototype', () => {
    const { record: before } = live(
      JSON.parse('{"qos":{"__proto__":{"a":1},"constructor":2,"class":"a"}}')
    )
    const composed = composeBody({ qos: { class: 'b' } }, before, ['qos'], where)
    expect(JSON.stringify(composed)).toBe(
      '{"body":{"qos":{"__proto__":{"a":1},"class":"b","constructor":2}},"hidden":[]}'
    )
  })
})

describe('an update omits nulls of the service', () => {
  const portal = { enabled: true, auth: 'none', privacy: null, sms_provider: null }
  test.each<[what: string, declared: ValueObject, before: object, body: object]>([
    [
      'beside a changed member',
      { portal: { auth: 'sso' } },
      { portal },
      { portal: { auth: 'sso', enabled: true } }
    ],
    [
      'in a list of objects',
      { coa_servers: [{ ip: '10.0.0.1', port: 3800 }] },
      { coa_servers: [{ ip: '10.0.0.1', port: 3799, secret: 'of-coa', new_field: [{ a: null }] }] },
      {
        coa_servers: [{ ip: '10.0.0.1', port: 3800, secret: { secret: 'of-coa' }, new_field: [{}] }]
      }
    ],
    [
      'in an undeclared member',
      { hotspot20: { enabled: true } },
      { hotspot20: { enabled: false, new_field: { a: null, b: { c: null, d: 0 } } } },
      { hotspot20: { enabled: true, new_field: { b: { d: 0 } } } }
    ],
    [
      'in an entry of a map',
      { bonjour: { enabled: true } },
      { bonjour: { enabled: false, services: { airplay: { scope: null, disable_local: true } } } },
      { bonjour: { enabled: true, services: { airplay: { disable_local: true } } } }
    ],
    [
      'unless it is an entry of a map itself',
      { app_limit: { enabled: true } },
      { app_limit: { enabled: false, apps: { netflix: null } } },
      { app_limit: { enabled: true, apps: { netflix: null } } }
    ],
    [
      'and declared ones that remove a member of a map',
      { schedule: { hours: { sun: null } }, rateset: { 5: null } },
      {
        schedule: { hours: { mon: '', sun: '', tue: null } },
        rateset: { 5: { min_rssi: 0 }, 6: {} }
      },
      { schedule: { hours: { mon: '' } }, rateset: { 6: {} } }
    ],
    [
      'but a declared null is sent, and a declared default instead of null',
      { portal: { auth: 'sso', sms_provider: null, privacy: true } },
      { portal },
      { portal: { auth: 'sso', enabled: true, privacy: true, sms_provider: null } }
    ]
  ])('%s', (_, declared, before, expected) => {
    expect(revealed(bodyOf(declared, before, Object.keys(declared)))).toEqual(expected)
  })
})

describe('a masked secret that the body would include', () => {
  const psk = '/auth/psk'
  const secret = '/auth_servers/1/secret'
  const added = { host: 'c', secret: env('y') }
  test.each<[what: string, declared: Value, before: object, pointer: string | undefined]>([
    ['masked', { owe: 'x' }, { type: 'psk', psk: '********' }, psk],
    ['partly masked', { owe: 'x' }, { type: 'psk', psk: 'te*****23' }, psk],
    ['masked, and needed by nothing', { owe: 'x' }, { type: 'open', psk: '********' }, psk],
    ['a masked key', { owe: 'x' }, { type: 'wep', keys: ['a', '*****'] }, '/auth/keys/1'],
    ['empty, where the type needs it', { owe: 'x' }, { type: 'psk', psk: '' }, psk],
    ['null, where the type needs it', { owe: 'x' }, { type: 'psk', psk: null }, psk],
    ['absent, where the type needs it', { owe: 'x' }, { type: 'psk' }, psk],
    ['absent, where another type needs it', { owe: 'x' }, { type: 'psk-wpa2-tkip' }, psk],
    ['absent, where the live type uses another key', { type: 'psk' }, { type: 'psk-tkip' }, psk],
    ['absent, where the live type uses none', { type: 'psk' }, { type: 'open' }, undefined],
    ['keys that are empty', { owe: 'x' }, { type: 'wep', keys: ['', null] }, '/auth/keys'],
    ['keys that are absent', { owe: 'x' }, { type: 'wep' }, '/auth/keys'],
    [
      'declared as none, where the type needs it',
      { owe: 'x', psk: null },
      { type: 'psk', psk: '****' },
      psk
    ],
    ['but is declared', { owe: 'x', psk: env('hush') }, { type: 'psk', psk: '****' }, undefined],
    ['but is declared, and not resolved', { owe: 'x', psk: env() }, { type: 'psk' }, undefined],
    [
      'but is declared as none',
      { type: 'open', psk: null },
      { type: 'psk', psk: '****' },
      undefined
    ],
    ['empty, where nothing needs it', { owe: 'x' }, { type: 'open', psk: '' }, undefined],
    [
      'absent, since the keys are elsewhere',
      { owe: 'x' },
      { type: 'psk', multi_psk_only: true },
      undefined
    ],
    ['one of four keys empty', { owe: 'x' }, { type: 'wep', keys: ['a', '', null] }, undefined]
  ])('in auth: %s', (_, auth, before, pointer) => {
    const expected = pointer === undefined ? undefined : ['SECRET_HIDDEN', pointer]
    expect(refusal({ auth }, { auth: before }, ['auth'])).toEqual(expected)
  })

  test.each<[what: string, secrets: object, declared: Value, pointer: string | undefined]>([
    ['masked', { secret: '****' }, [added, { host: 'a' }], secret],
    ['empty', { secret: '' }, [added, { host: 'a' }], secret],
    ['absent', {}, [added, { host: 'a' }], secret],
    [
      'but is declared',
      { secret: '****' },
      [
        { host: 'c', secret: env('y') },
        { host: 'a', secret: env('x') }
      ],
      undefined
    ],
    ['but its server goes', { secret: '****' }, [{ host: 'c', secret: env('y') }], undefined],
    [
      'of a key wrap',
      { secret: 'x', keywrap_kek: '****' },
      [added, { host: 'a' }],
      '/auth_servers/1/keywrap_kek'
    ]
  ])('in a RADIUS server: %s', (_, secrets, servers, pointer) => {
    const before = { auth: { type: 'eap' }, auth_servers: [{ host: 'a', ...secrets }] }
    const expected = pointer === undefined ? undefined : ['SECRET_HIDDEN', pointer]
    expect(refusal({ auth_servers: servers }, before, ['auth_servers'])).toEqual(expected)
  })

  test.each([
    ['RadSec needs none', { auth: { type: 'eap' }, radsec: { enabled: true } }],
    ['access assurance takes their place', { auth: { type: 'eap' }, mist_nac: { enabled: true } }]
  ])('in a RADIUS server may be absent if %s', (_, before) => {
    const servers = { auth_servers: [{ host: 'a', port: 1 }] }
    const declared = { auth_servers: [{ host: 'a', port: 2 }] }
    expect(refusal(declared, { ...before, ...servers }, ['auth_servers'])).toBeUndefined()
  })

  test.each([
    ['is on in the service', { dynamic_psk: { enabled: true } }, {}, undefined],
    ['is off in the service', { dynamic_psk: { enabled: false } }, {}, 'SECRET_HIDDEN'],
    ['is turned on with it', {}, { dynamic_psk: { enabled: true } }, undefined],
    [
      'is turned off with it',
      { dynamic_psk: { enabled: true } },
      { dynamic_psk: { enabled: false } },
      'SECRET_HIDDEN'
    ]
  ])('is not required if dynamic PSK %s', (_, before, declared, code) => {
    const fields = ['auth', ...Object.keys(declared)]
    const auth = { auth: { type: 'psk' } }
    expect(refusal({ auth: { owe: 'x' }, ...declared }, { ...auth, ...before }, fields)?.[0]).toBe(
      code
    )
  })

  test('does not matter in a field that is not sent', () => {
    const before = { auth: { type: 'psk', psk: '****' }, portal: { password: '****' }, dtim: 1 }
    expect(bodyOf({ dtim: 2 }, before, ['dtim'])).toEqual({ dtim: 2 })
  })

  test('is found at any depth of an unknown structure', () => {
    const before = { portal: { password: '****', enabled: false } }
    expect(refusal({ portal: { enabled: true } }, before, ['portal'])).toEqual([
      'SECRET_HIDDEN',
      '/portal/password'
    ])
  })
})

describe('an unsafe number', () => {
  /** As text, since JavaScript cannot represent an unsafe number. */
  const qosWith = (x: string) => liveFrom(`{"qos": {"x": ${x}, "class": "a"}}`).record

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '1e300',
    '1e400',
    '[[{"deep": 9007199254740992}]]'
  ])('%s is not sent back', text => {
    const before = qosWith(text)
    const composed = composeBody({ qos: { class: 'b' } }, before, ['qos'], where)
    expect(composed).toMatchObject({ finding: { code: 'NUMBER_NOT_KEPT', address: 'hq/corp' } })
  })

  test.each(['9007199254740991', '0.1', '-1.5e10', '0'])('%s is sent back', text => {
    const before = qosWith(text)
    expect(composeBody({ qos: { class: 'b' } }, before, ['qos'], where)).toHaveProperty('body')
  })

  test('is allowed in a field that is not sent, and in a declared member', () => {
    expect(bodyOf({ dtim: 2 }, { qos: { x: 2 ** 53 }, dtim: 1 }, ['dtim'])).toEqual({ dtim: 2 })
    expect(bodyOf({ qos: { x: 1 } }, { qos: { x: 2 ** 53 } }, ['qos'])).toEqual({ qos: { x: 1 } })
  })
})

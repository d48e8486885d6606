import { describe, expect, test } from 'vitest'
import { diff } from '../../../src/core/diff/diff.ts'
import { plausibleStates } from '../../../src/core/diff/secret-states.ts'
import type { LiveWlan } from '../../../src/core/model/live.ts'
import { planSite } from '../../../src/core/plan/plan.ts'
import type { Secret } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { withoutSecrets, withRedactedSecrets } from '../../../src/files/redacted-secrets.ts'
import { desiredSite, env, live, liveSite, nth, record, wlan } from '../plan/support.ts'

const statesOf = (declared: ValueObject, found: object) => diff(declared, record(found)).secrets

const shown = { portal_api_secret: 'shown-in-clear' }

describe('the state of a declared secret', () => {
  const declared = env('declared-key')
  test.each<[string, object, Secret, string | undefined]>([
    ['live has it', { password: 'declared-key' }, declared, undefined],
    ['live has another', { password: 'other-key' }, declared, 'changed'],
    ['live is empty, another is shown', { password: '' }, declared, 'set'],
    ['live is null, another is shown', { password: null }, declared, 'set'],
    ['live lacks it, another is shown', {}, declared, 'set'],
    ['live is a mask', { password: '********' }, declared, 'unknown'],
    ['live is partly a mask', { password: 'ab*****cd' }, declared, 'unknown'],
    ['live is no text', { password: 5 }, declared, 'unknown'],
    ['the reference is unavailable', { password: 'other-key' }, env(), 'unknown'],
    ['the reference is unavailable, live is empty', { password: '' }, env(), 'unknown']
  ])('%s', (_, airwatch, secret, state) => {
    const secrets = statesOf({ airwatch: { password: secret } }, { airwatch, ...shown })
    expect(secrets).toEqual(state && { '/airwatch/password': state })
  })

  test.each([
    [{ airwatch: { password: '' } }],
    [{ airwatch: {} }],
    [{}],
    [{ airwatch: { password: '' }, auth: { psk: '********' } }],
    [{ airwatch: { password: '' }, auth: { psk: '' } }],
    [{ airwatch: { password: '' }, x_unheard_of: { token: 'of an unknown field' } }]
  ])('is unknown if live has none and shows none: %j', found => {
    const { patch, notCompared } = diff({ airwatch: { password: declared } }, record(found))
    expect(patch).toEqual([])
    expect(notCompared).toEqual(['/airwatch/password'])
  })

  test.each<[ValueObject, object]>([
    [{ airwatch: { api_key: env('k') } }, { airwatch: { api_key: '' } }],
    [{ airwatch: { password: env('k') } }, {}],
    [{ portal: { password: env('k') } }, { portal: { enabled: true } }],
    [{ portal: { facebook_client_secret: env('k') } }, { portal: null }],
    [{ dynamic_psk: { default_psk: env('some-key') } }, { dynamic_psk: { default_psk: '' } }],
    [{ auth: { psk: env('some-key') } }, { auth: { type: 'psk', psk: null } }],
    [{ auth: { keys: [env('0123456789')] } }, { auth: { keys: [] } }]
  ])('is `set` if live has none, and is sent: %j', (fields, found) => {
    const { patch, secrets, notCompared } = diff(fields, record({ ...found, ...shown }))
    expect(Object.values(secrets ?? {})).toEqual(['set'])
    expect(notCompared).toEqual([])
    expect(patch.length).toBeGreaterThan(0)
  })

  test('of an empty declaration is `same` if live has none, else `changed`', () => {
    expect(statesOf({ auth: { psk: null } }, { auth: { psk: '' }, ...shown })).toBeUndefined()
    expect(statesOf({ auth: { psk: null } }, { auth: { psk: 'live-key' } })).toEqual({
      '/auth/psk': 'changed'
    })
    expect(statesOf({ auth: { psk: null } }, { auth: { psk: '****' } })).toEqual({
      '/auth/psk': 'unknown'
    })
  })

  test.each(['', null, {}])('a saved plan keeps the state of one that is declared as %j', empty => {
    const declared = wlan({ dynamic_psk: { source: 'radius', default_psk: empty } })
    const found = live({ dynamic_psk: { source: 'local', default_psk: 'another-key' } })
    const { wlanPlans } = planSite(desiredSite([declared]), liveSite([found]))
    const changes = wlanPlans.flatMap(made => (made.status === 'changed' ? made.change : []))
    const [states] = changes.map(({ secrets }) => secrets)
    expect(states).toEqual({ '/dynamic_psk/default_psk': 'changed' })
    expect(changes.map(plausibleStates)).toEqual([states])
  })

  test('is listed if it is `same` and its field is sent', () => {
    const fields = { auth: { type: 'psk', psk: env('live-key') }, airwatch: { password: env('p') } }
    const found = { auth: { type: 'open', psk: 'live-key' }, airwatch: { password: 'p' } }
    expect(statesOf(fields, found)).toEqual({ '/auth/psk': 'same' })
  })

  test('is `unset` for an empty one if another WLAN of the list shows a secret', () => {
    const fields = { portal: { password: env('k') } }
    const bare = live({ portal: { password: '' } })
    const other = live({ ssid: 'Other', auth: { psk: 'shown-key' } }, nth(2))
    const planOf = (wlans: readonly LiveWlan[]) =>
      planSite(desiredSite([wlan(fields)]), liveSite(wlans)).wlanPlans[0]
    expect(planOf([bare])).toMatchObject({ status: 'unchanged', notCompared: ['/portal/password'] })
    expect(planOf([bare, other])).toMatchObject({
      status: 'changed',
      secretsShown: true,
      change: { secrets: { '/portal/password': 'set' } }
    })
  })

  test('in a snapshot distinguishes shown from unset secrets', () => {
    const found = record({ auth: { psk: 'shown' }, portal: { password: '' } })
    const stored = withRedactedSecrets(JSON.parse(JSON.stringify(withoutSecrets(found))))
    const declared = { auth: { psk: env('shown') }, portal: { password: env('k') } }
    expect(diff(declared, stored).secrets).toEqual({
      '/auth/psk': 'unknown',
      '/portal/password': 'set'
    })
  })
})

describe('secrets in lists', () => {
  const server = (host: string, secret: string | null) => ({ host, secret })
  const declared = (host: string, secret: string) => ({ host, secret: env(secret) })

  test('have separate states', () => {
    const found = { auth_servers: [server('10.0.0.1', 'one'), server('10.0.0.2', 'two')] }
    const servers = [declared('10.0.0.1', 'one'), declared('10.0.0.2', 'new')]
    const { patch, secrets } = diff({ auth_servers: servers }, record(found))
    expect(patch.map(({ op, path }) => `${op} ${path}`)).toEqual([
      'test /auth_servers',
      'replace /auth_servers'
    ])
    expect(secrets).toEqual({
      '/auth_servers/0/secret': 'same',
      '/auth_servers/1/secret': 'changed'
    })
  })

  test('belong to the live element with the same key; a new element has none', () => {
    const found = { auth_servers: [server('10.0.0.1', 'one'), server('10.0.0.2', '****')] }
    const servers = [
      declared('10.0.0.3', 'three'),
      declared('10.0.0.2', 'two'),
      declared('10.0.0.1', 'one')
    ]
    expect(statesOf({ auth_servers: servers }, found)).toEqual({
      '/auth_servers/0/secret': 'set',
      '/auth_servers/1/secret': 'unknown',
      '/auth_servers/2/secret': 'same'
    })
  })

  test('are compared by position if two elements have the same key', () => {
    const found = { auth_servers: [server('10.0.0.1', 'one'), server('10.0.0.1', 'two')] }
    const servers = [declared('10.0.0.1', 'two'), declared('10.0.0.1', 'one')]
    expect(statesOf({ auth_servers: servers }, found)).toEqual({
      '/auth_servers/0/secret': 'changed',
      '/auth_servers/1/secret': 'changed'
    })
  })

  test('may be hidden if the list of secrets is empty', () => {
    const keys = { auth: { keys: [env('0123456789'), env('0123456780')] } }
    expect(diff(keys, record({ auth: { keys: [] } }))).toMatchObject({
      patch: [],
      notCompared: ['/auth/keys/0', '/auth/keys/1']
    })
  })

  test('are sent on request if they are unknown', () => {
    const found = record({ auth: { psk: '****' }, auth_servers: [server('10.0.0.1', '****')] })
    const fields = { auth: { psk: env('key') }, auth_servers: [declared('10.0.0.1', 'one')] }
    const send = new Set(['/auth/psk', '/auth_servers/0/secret'])
    const { patch, secrets, notCompared } = diff(fields, found, { send })
    expect(patch.filter(({ op }) => op !== 'test').map(({ path }) => path)).toEqual([
      '/auth/psk',
      '/auth_servers'
    ])
    expect(secrets).toEqual({ '/auth/psk': 'rotates', '/auth_servers/0/secret': 'rotates' })
    expect(notCompared).toEqual([])
  })
})

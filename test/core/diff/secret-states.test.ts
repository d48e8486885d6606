import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diff } from '../../../src/core/diff/diff.ts'
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
    [{ airwatch: { password: '' }, auth: { psk: '********' } }],
    [{ airwatch: { password: '' }, x_unheard_of: { token: 'of an unknown field' } }]
  ])('is unknown if live has none and shows none: %j', found => {
    const { patch, notCompared } = diff({ airwatch: { password: declared } }, record(found))
    expect(patch).toEqual([])
    expect(notCompared).toEqual(['/airwatch/password'])
  })

  test.each<[ValueObject, object]>([
    [{ portal: { password: env('k') } }, { portal: { enabled: true } }],
    [{ portal: { facebook_client_secret: env('k') } }, { portal: null }],
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
  })

  test('is listed if it is `same` and its field is sent', () => {
    const fields = { auth: { type: 'psk', psk: env('live-key') }, airwatch: { password: env('p') } }
    const found = { auth: { type: 'open', psk: 'live-key' }, airwatch: { password: 'p' } }
    expect(statesOf(fields, found)).toEqual({ '/auth/psk': 'same' })
    const variable = (type: string) => ({ auth: { type, psk: '{{key}}' } })
    expect(statesOf(variable('psk'), variable('open'))).toEqual({ '/auth/psk': 'same' })
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

  test.each([
    ['a new element of a list has none, whatever is hidden', [server('10.0.0.2', '****')], 'set'],
    ['without a list, they may be hidden', undefined, 'unknown']
  ])('%s', (_, auth_servers, state) => {
    const servers = [declared('10.0.0.3', 'three')]
    expect(statesOf({ auth_servers: servers }, { auth_servers })).toEqual({
      '/auth_servers/0/secret': state
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

describe('random records', () => {
  /** The live value of a secret: the declared one, another one, a mask, or none. */
  const kinds = ['same', 'other', 'empty', 'absent', 'null', 'mask', 'number'] as const
  type Kind = (typeof kinds)[number]

  const texts: Readonly<Record<Kind, unknown>> = {
    same: 'declared',
    other: 'another',
    empty: '',
    absent: undefined,
    null: null,
    mask: '********',
    number: 7
  }

  const pointers = [
    '/auth/psk',
    '/portal/password',
    '/airwatch/api_key',
    '/dynamic_psk/default_psk',
    '/auth_servers/0/secret',
    '/auth_servers/1/secret'
  ] as const

  const slots = fc.tuple(
    ...pointers.map(() => fc.record({ kind: fc.constantFrom(...kinds), isKnown: fc.boolean() }))
  )

  const cases = fc.record({ slots, isOtherShown: fc.boolean(), isTurned: fc.boolean() })

  const expected = (kind: Kind, isKnown: boolean, isShown: boolean): string => {
    if (!isKnown || kind === 'mask' || kind === 'number') return 'unknown'
    if (kind === 'same') return 'same'
    if (kind === 'other') return 'changed'
    return isShown ? 'set' : 'unknown'
  }

  /** A record with secrets at these pointers. */
  const recordOf = (secrets: readonly unknown[]) => {
    const [psk, password, api_key, default_psk, one, two] = secrets
    const servers = [
      { host: '10.0.0.1', secret: one },
      { host: '10.0.0.2', secret: two }
    ]
    return {
      auth: { psk },
      portal: { password },
      airwatch: { api_key },
      dynamic_psk: { default_psk },
      auth_servers: servers
    }
  }

  test('have the states of their masks, empty strings and absent members', () => {
    fc.assert(
      fc.property(cases, ({ slots: made, isOtherShown, isTurned }) => {
        const found = recordOf(made.map(({ kind }) => texts[kind]))
        if (isTurned) found.auth_servers.reverse()
        const other = live({ ssid: 'Other', auth: { psk: isOtherShown ? 'shown' : '' } }, nth(2))
        const fields = recordOf(
          made.map(({ isKnown }) => env(isKnown ? 'declared' : undefined))
        ) as ValueObject
        const site = liveSite([live(found), other])
        const [plan] = planSite(desiredSite([wlan(fields)]), site).wlanPlans
        const isShown = isOtherShown || made.some(({ kind }) => kind === 'same' || kind === 'other')
        const states = made.map(({ kind, isKnown }) => expected(kind, isKnown, isShown))
        const differs = states.map(state => state === 'changed' || state === 'set')
        const isInList = (at: string) => at.startsWith('/auth_servers')
        const sendsList = isTurned || differs.some((is, at) => is && isInList(pointers[at] ?? ''))
        const wanted = pointers.flatMap((pointer, at) => {
          const isSent = isInList(pointer) ? sendsList : differs[at]
          return states[at] !== 'same' || isSent ? [[pointer, states[at]]] : []
        })
        const isChanged = isTurned || differs.includes(true)
        expect(plan?.status).toBe(isChanged ? 'changed' : 'unchanged')
        if (plan?.status === 'changed') {
          expect(Object.entries(plan.change.secrets ?? {}).sort()).toEqual(wanted.sort())
          const sent = Object.keys(plan.change.request.body)
          const fieldsSent = wanted.map(([pointer = '']) => pointer.split('/')[1] ?? '')
          expect(fieldsSent).toEqual(expect.arrayContaining(sent))
        }
        const unknown = pointers.filter((_, at) => states[at] === 'unknown')
        const open =
          plan?.status === 'changed'
            ? plan.change.not_compared
            : plan?.status === 'unchanged' && plan.notCompared
        expect([...(open || [])].sort()).toEqual([...unknown].sort())
        expect(JSON.stringify(plan)).not.toMatch(/"(?:declared|another)"/)
      })
    )
  })
})

import { describe, expect, test } from 'vitest'
import { composeBody } from '../../../src/core/diff/body.ts'
import { type Value, type ValueObject, valueAt } from '../../../src/core/values/value.ts'
import { env, record, revealed } from '../plan/support.ts'
import { readTable } from '../table.ts'

/** The code of the finding or note, and its secret; undefined if the body has all values. */
function refusal(declared: ValueObject, live: object) {
  const composed = composeBody(declared, record(live), Object.keys(declared), {})
  if ('body' in composed) {
    const [hidden] = composed.hidden
    if (hidden === undefined) return undefined
    expect(revealed(valueAt(composed.body, hidden))).toEqual({ secret: null })
    return `SECRET_HIDDEN ${hidden}`
  }
  const { code, message } = composed.finding
  return `${code} /${/\w+(?:\.\w+)+/.exec(message)?.[0].replaceAll('.', '/')}`
}

const missing = (pointer: string) => `SECRET_MISSING ${pointer}`
const lost = (pointer: string) => `SECRET_LOST ${pointer}`
const hidden = (pointer: string) => `SECRET_HIDDEN ${pointer}`

type Row<A, B> = readonly [what: string, a: A, b: B, refused?: string]

const {
  servers,
  ...others
}: Record<string, readonly Row<ValueObject, object>[]> & {
  readonly servers: readonly Row<object[], Value[]>[]
} = readTable('endangered-secret.txt', import.meta.url)

/** The row with its last member, which may be absent. */
const complete = <A, B>([what, a, b, refused]: Row<A, B>) => [what, a, b, refused] as const

describe.each(Object.entries(others))('an update with %s', (_, rows) => {
  test.each(rows.map(complete))('%s', (_, declared, live, refused) => {
    expect(refusal(declared, live)).toBe(refused)
  })
})

describe('a new server in a list', () => {
  test.each(servers.map(complete))('requires its secret: %s', (_, live, declared, refused) => {
    expect(refusal({ auth_servers: declared }, { auth_servers: live })).toBe(refused)
  })

  test('requires it with 802.1X, whatever the others show', () => {
    const live = { auth: { type: 'eap' }, auth_servers: [{ host: 'a' }] }
    expect(refusal({ auth_servers: [{ host: 'c' }] }, live)).toBe(lost('/auth_servers/0/secret'))
  })

  test.each([
    ['acct_servers', 'host'],
    ['coa_servers', 'ip']
  ])('requires it in %s, too', (name, key) => {
    const live = { [name]: [{ [key]: 'a', secret: 'of a' }] }
    expect(refusal({ [name]: [{ [key]: 'c' }] }, live)).toBe(lost(`/${name}/0/secret`))
  })

  test('requires the keys of a key wrap only if it has one', () => {
    const wrapped = { keywrap_enabled: true, keywrap_kek: 'x', keywrap_mack: 'y' }
    const live = { auth_servers: [{ host: 'a', port: 1812, secret: 'of a', ...wrapped }] }
    const declared = { host: 'c', secret: env('new') }
    const keys = { keywrap_kek: env('kek'), keywrap_mack: env('mack') }
    const servers = (server: ValueObject) => refusal({ auth_servers: [server] }, live)
    expect(servers(declared)).toBeUndefined()
    expect(servers({ ...declared, keywrap_enabled: true })).toBe(
      lost('/auth_servers/0/keywrap_kek')
    )
    expect(servers({ ...declared, keywrap_enabled: true, ...keys })).toBeUndefined()
  })
})

describe('a server without a secret', () => {
  test.each([
    ['auth_servers', 'host'],
    ['acct_servers', 'host'],
    ['coa_servers', 'ip']
  ])('is rejected in %s, both new and live', (name, key) => {
    const pointer = `/${name}/0/secret`
    const shown = { auth: { psk: 'shown' } }
    const bare = { [key]: 'a', port: 1 }
    expect(refusal({ [name]: [bare] }, shown)).toBe(missing(pointer))
    expect(refusal({ [name]: [bare] }, {})).toBe(missing(pointer))
    const live = { [name]: [{ [key]: 'a', port: 2, secret: '' }] }
    expect(refusal({ [name]: [bare] }, { ...live, ...shown })).toBe(missing(pointer))
    // The response shows no secret: it may mask this one as well.
    expect(refusal({ [name]: [bare] }, live)).toBe(hidden(pointer))
    expect(refusal({ [name]: [{ ...bare, secret: '' }] }, live)).toBe(missing(pointer))
    for (const replacement of ['radsec', 'mist_nac']) {
      const on = { [replacement]: { enabled: true } }
      expect(refusal({ [name]: [bare] }, { ...live, ...shown, ...on })).toBeUndefined()
    }
    const variable = { ...bare, secret: '{{radius_secret}}' }
    expect(refusal({ [name]: [variable] }, { ...live, ...shown })).toBeUndefined()
    expect(refusal({ dtim: 2 }, { ...live, ...shown })).toBeUndefined()
  })
})

describe('servers with the same name', () => {
  const twice = [
    { host: 'a', port: 1812, secret: 'first' },
    { host: 'a', port: 1645, secret: 'second' }
  ]

  test.each([
    ['the first one changed', [1813, 1645], ['first', 'second']],
    ['the second one changed', [1812, 1646], ['first', 'second']],
    ['another order, the first one changed', [1645, 1813], ['second', 'first']],
    ['another order, the second one changed', [1646, 1812], ['second', 'first']]
  ])('keep their own secrets: %s', (_, ports, secrets) => {
    const declared = { auth_servers: ports.map(port => ({ host: 'a', port })) }
    const composed = composeBody(declared, record({ auth_servers: twice }), ['auth_servers'], {})
    expect(revealed(composed)).toMatchObject({
      body: { auth_servers: secrets.map(secret => ({ secret: { secret } })) }
    })
  })
})

const { masks, doubtful } = readTable<Record<'masks' | 'doubtful', string[]>>(
  '../values/secret.txt',
  import.meta.url
)

describe('a mask', () => {
  // A single asterisk may be a wildcard.
  test.each(masks.filter(mask => mask !== '*'))('%j is never written back', mask => {
    const psk = { auth: { type: 'psk', psk: mask } }
    expect(refusal({ auth: { pairwise: ['wpa3'] } }, psk)).toBe(hidden('/auth/psk'))
    const servers = { auth_servers: [{ host: 'a', port: 1812, secret: mask }] }
    const declared = { auth_servers: [{ host: 'a', port: 1645 }] }
    expect(refusal(declared, servers)).toBe(hidden('/auth_servers/0/secret'))
    const unknown = { auth: { type: 'open', unheard_of: { value: mask } } }
    expect(refusal({ auth: { pairwise: ['wpa3'] } }, unknown)).toBe(
      hidden('/auth/unheard_of/value')
    )
  })

  test.each(doubtful)('a live %j is never written back, a declared one is sent', value => {
    const psk = { auth: { type: 'psk', psk: value } }
    expect(refusal({ auth: { pairwise: ['wpa3'] } }, psk)).toBe(hidden('/auth/psk'))
    expect(refusal({ auth: { psk: env(value) } }, psk)).toBe(undefined)
    expect(refusal({ auth: { psk: env('another-one') } }, psk)).toBe(undefined)
  })

  test.each(['aaaaaaab', '1111111111', '{{password}}'])('%j is a secret', value => {
    expect(refusal({ auth: { pairwise: ['wpa3'] } }, { auth: { type: 'psk', psk: value } })).toBe(
      undefined
    )
  })
})

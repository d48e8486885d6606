import { describe, expect, test } from 'vitest'
import type { Finding, FindingCode } from '../../../src/core/model/finding.ts'
import type { Change, Plan } from '../../../src/core/model/plan.ts'
import { type DigestedPlan, digestOf, withDigests } from '../../../src/core/plan/digest.ts'
import { withValueAt } from '../../../src/core/values/draft.ts'
import type { Pointer } from '../../../src/core/values/pointer.ts'
import type { Value, ValueObject } from '../../../src/core/values/value.ts'
import { planOf } from '../../report/plans.ts'
import { env, nth, SITE } from './support.ts'

const URL = 'https://api.example.net'

const change: Change = {
  address: 'hq/corp',
  site: SITE,
  wlan: { id: nth(10), ssid: 'Corp' },
  origin: { file: 'sites/hq.yaml', line: 3, column: 3 },
  impact: 'reconnect',
  patch: [
    { op: 'test', path: '/auth/type', value: 'open' },
    { op: 'replace', path: '/auth/type', value: 'psk' },
    { op: 'replace', path: '/auth/psk', value: env('hush') }
  ],
  request: {
    method: 'PUT',
    path: `/api/v1/sites/${SITE.id}/wlans/${nth(10)}`,
    body: { auth: { psk: env('hush'), type: 'psk' } }
  }
}

const digest = (changes: readonly Change[], parts: Partial<DigestedPlan> = {}) =>
  digestOf({ base_url: URL, changes, ...parts })

/** The change with another value at a pointer. */
const edited = (pointer: Pointer, value: unknown) =>
  withValueAt(change as unknown as ValueObject, pointer, value as Value) as unknown as Change

const { patch } = change
const [, , secret] = patch

describe('two equal changes', () => {
  test.each<[what: string, other: Change]>([
    ['under another address', edited('/address', 'hq/other')],
    ['at a site with another name', edited('/site/name', 'x')],
    ['at a site whose id is in another case', edited('/site/id', SITE.id.toUpperCase())],
    ['of a WLAN whose id is in another case', edited('/wlan/id', nth(10).toUpperCase())],
    ['of a WLAN with another SSID', edited('/wlan/ssid', '')],
    ['from another place', edited('/origin/file', 'x.yaml')],
    [
      'with its members in another order',
      edited('/request/body/auth', { type: 'psk', psk: env('hush') })
    ],
    ['with another value behind the reference', edited('/request/body/auth/psk', env('other'))],
    ['after saving', JSON.parse(JSON.stringify(change))],
    ['with its operations in another order', edited('/patch', [secret, ...patch.slice(0, 2)])],
    ['where the default is absent live', edited('/patch', patch.slice(1))]
  ])('%s', (_, other) => {
    expect(digest([other])).toBe(digest([change]))
  })
})

describe('two different changes', () => {
  const wasEap = { op: 'test', path: '/auth/type', value: 'eap' }
  test.each<[what: string, other: Change]>([
    ['at another site', edited('/site/id', nth(1))],
    ['of another WLAN', edited('/wlan/id', nth(1))],
    ['with one operation less', edited('/patch', patch.slice(0, 2))],
    ['against another live value', edited('/patch', [wasEap, ...patch.slice(1)])],
    [
      'with another reference',
      edited('/patch', [...patch.slice(0, 2), { ...secret, value: env('hush', 'X') }])
    ],
    ['with another body', edited('/request/body', { auth: { type: 'psk' } })]
  ])('%s', (_, other) => {
    expect(digest([other])).not.toBe(digest([change]))
  })
})

describe('a digest', () => {
  /** The digest of a plan with these members. */
  const digestWith = (parts: Partial<DigestedPlan>) => digest([change], parts)
  const different = (digests: readonly string[]) =>
    expect(new Set(digests).size).toBe(digests.length)

  test('covers the service, the changes and their number', () => {
    const digests = [
      digest([change]),
      digestWith({ base_url: 'https://other.example.net' }),
      digest([]),
      digest([change, change])
    ]
    different(digests)
    for (const each of digests) expect(each).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  test('covers the secrets that could not be compared, their references, and the waves', () => {
    const [pointer, references] = ['/auth/psk', { '/auth/psk': env('hush').reference }]
    const other = { '/auth/psk': env('hush', 'X').reference }
    const open = { address: 'hq/guest', pointers: [pointer] }
    different([
      digest([change]),
      digest([{ ...change, not_compared: [pointer] }]),
      digest([{ ...change, not_compared: [pointer], references }]),
      digest([{ ...change, not_compared: [pointer], references: other }]),
      digestWith({ not_compared: [open] }),
      digestWith({ not_compared: [{ ...open, references }] }),
      digestWith({ not_compared: [{ ...open, references: other }] }),
      digestWith({ not_compared: [{ ...open, address: 'hq/iot' }] }),
      digestWith({ rollout: [{ name: 'canary', sites: ['hq'] }, { sites: [] }] }),
      digestWith({ rollout: [{ name: 'canary', sites: [] }, { sites: ['hq'] }] }),
      digestWith({ rollout: [{ name: 'pilots', sites: ['hq'] }, { sites: [] }] })
    ])
  })

  test('covers the states of secrets in any order', () => {
    const withStates = (secrets: Change['secrets']) => digest([{ ...change, secrets }] as Change[])
    const digests = [
      digest([change]),
      withStates({ '/auth/psk': 'changed' }),
      withStates({ '/auth/psk': 'set' }),
      withStates({ '/auth/psk': 'rotates' }),
      withStates({ '/auth/keys/0': 'changed' }),
      withStates({ '/auth/psk': 'changed', '/portal/password': 'same' })
    ]
    different(digests)
    expect(withStates({ '/portal/password': 'same', '/auth/psk': 'changed' })).toBe(digests.at(-1))
  })

  test('covers the effects, and the live values that they depend on', () => {
    different([
      digest([change]),
      digest([{ ...change, context: { '/enabled': false } }]),
      digest([{ ...change, context: { '/enabled': false, '/portal/enabled': true } }]),
      digest([{ ...change, impact: 'outage' }]),
      digest([{ ...change, resets_radio: true }]),
      digest([{ ...change, downgrade_levels: { '/auth/type': 'high' } }]),
      digest([{ ...change, dangers: [{ kind: 'off', pointer: '/auth/type' }] }])
    ])
  })

  test('covers each WLAN that is blocked, refused or deferred, with its code', () => {
    const about = (code: FindingCode, address = 'hq/guest'): Finding => ({
      level: 'error',
      code,
      address,
      message: ''
    })
    const { address: _, ...unnamed } = about('PROTECTED')
    different([
      digest([change]),
      digestWith({ findings: [about('WLAN_NOT_FOUND')] }),
      digestWith({ findings: [about('WLAN_NOT_FOUND', 'hq/iot')] }),
      digestWith({ findings: [about('SECRET_HIDDEN')] }),
      digestWith({ refusals: [about('PROTECTED')] }),
      digestWith({ refusals: [{ ...unnamed, addresses: ['hq/guest', 'hq/iot'] }] }),
      digestWith({ refusals: [{ ...unnamed, code: 'DOWNGRADE_REFUSED' }] }),
      digestWith({ deferred: [{ address: 'hq/guest', windows: ['nights'] }] }),
      digestWith({ deferred: [{ address: 'hq/guest', freeze: 'Christmas' }] }),
      digestWith({ deferred: [{ address: 'hq/iot', freeze: 'Christmas' }] })
    ])
  })

  test('covers no limit, no warning, no message, no order of findings and no end of a wait', () => {
    const found = (code: FindingCode, more: Partial<Finding> = {}): Finding => ({
      level: 'error',
      code,
      message: 'x',
      ...more
    })
    const [first, second] = ['hq/a', 'hq/b'].map(address => found('WLAN_NOT_FOUND', { address }))
    const blocked = digestWith({ findings: [first, second] as Finding[] })
    expect([
      digestWith({ refusals: [found('OVER_MAX_CHANGES')] }),
      digestWith({ findings: [found('DOWNGRADE', { level: 'warning', address: 'hq/a' })] }),
      digestWith({ not_compared: [], rollout: [], findings: [], refusals: [], deferred: [] })
    ]).toEqual([digest([change]), digest([change]), digest([change])])
    expect(digestWith({ findings: [second, first] as Finding[] })).toBe(blocked)
    const [waits, until] = [{ address: 'hq/guest', windows: ['nights'] }, '2026-11-23T21:00:00Z']
    expect(digestWith({ deferred: [{ ...waits, until }] })).toBe(digestWith({ deferred: [waits] }))
    expect(digestWith({ findings: [{ ...first, message: 'y' }, second] as Finding[] })).toBe(
      blocked
    )
  })

  test('is made of those of the sites where something would be done', () => {
    const shop = { id: nth(2), name: 'hq/annex' }
    const idle = { id: nth(3), name: 'idle' }
    const open = { address: 'hq/annex/guest', pointers: ['/auth/psk'] }
    const sites = [idle, SITE, shop]
    const planWith = (parts: Partial<Plan>) =>
      withDigests({ ...planOf([change], { base_url: URL }), sites, ...parts })
    const digestsIn = (plan: Plan) => plan.sites.map(each => each.digest)
    const [nothing, first] = digestsIn(planWith({}))
    const both = planWith({ not_compared: [open] })
    const [, , second] = digestsIn(both)
    expect(digestsIn(planWith({}))).toEqual([nothing, first, nothing])
    expect(digestsIn(both)).toEqual([nothing, first, second])
    expect(new Set([nothing, first, second])).toHaveProperty('size', 3)
    expect(planWith({ sites: [SITE] }).digest).toBe(planWith({}).digest)
    const { sites: read } = planWith({ sites: [SITE, { ...idle, unread: 2 }] })
    expect(read).toEqual([
      { ...SITE, digest: first },
      { ...idle, unread: 2 }
    ])
  })

  test('is stable for the same bytes across machines and versions', () => {
    expect(digest([change])).toBe(
      'sha256:bc597177ed5ac9ac9f5cd5015663782631419db28286b6ec8b6704bfd5449d5e'
    )
  })
})

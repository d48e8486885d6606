import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/model/plan.ts'
import { changeContent, digestOf } from '../../src/plan/digest.ts'
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

describe('two equal changes', () => {
  test.each<[what: string, other: Change]>([
    ['under another address', { ...change, address: 'hq/other' }],
    ['at a site with another name', { ...change, site: { ...SITE, name: 'x' } }],
    [
      'at a site whose id is in another case',
      { ...change, site: { ...SITE, id: SITE.id.toUpperCase() } }
    ],
    [
      'of a WLAN whose id is in another case',
      { ...change, wlan: { id: nth(10).toUpperCase(), ssid: '' } }
    ],
    ['from another place', { ...change, origin: { file: 'x.yaml', line: 1, column: 1 } }],
    ['with another impact', { ...change, impact: 'outage' }],
    [
      'with its members in another order',
      {
        ...change,
        request: { ...change.request, body: { auth: { type: 'psk', psk: env('hush') } } }
      }
    ],
    [
      'with another value behind the reference',
      {
        ...change,
        request: { ...change.request, body: { auth: { psk: env('other'), type: 'psk' } } }
      }
    ],
    ['after saving', JSON.parse(JSON.stringify(change))]
  ])('%s', (_, other) => {
    expect(changeContent(other)).toBe(changeContent(change))
    expect(digestOf(URL, [other])).toBe(digestOf(URL, [change]))
  })
})

describe('two different changes', () => {
  const { request, patch } = change
  test.each<[what: string, other: Change]>([
    ['at another site', { ...change, site: { ...SITE, id: nth(1) } }],
    ['of another WLAN', { ...change, wlan: { ...change.wlan, id: nth(1) } }],
    ['with one operation less', { ...change, patch: patch.slice(1) }],
    ['with operations in another order', { ...change, patch: patch.toReversed() }],
    [
      'against another live value',
      { ...change, patch: [{ op: 'test', path: '/auth/type', value: 'eap' }, ...patch.slice(1)] }
    ],
    [
      'with another reference',
      {
        ...change,
        patch: [...patch.slice(0, 2), { op: 'replace', path: '/auth/psk', value: env('hush', 'X') }]
      }
    ],
    ['with another body', { ...change, request: { ...request, body: { auth: { type: 'psk' } } } }]
  ])('%s', (_, other) => {
    expect(changeContent(other)).not.toBe(changeContent(change))
    expect(digestOf(URL, [other])).not.toBe(digestOf(URL, [change]))
  })
})

describe('a digest', () => {
  test('covers the service, the changes and their number', () => {
    const digests = [
      digestOf(URL, [change]),
      digestOf('https://other.example.net', [change]),
      digestOf(URL, []),
      digestOf(URL, [change, change])
    ]
    expect(new Set(digests).size).toBe(4)
    for (const digest of digests) expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  test('covers the secrets that could not be compared, their references, and the waves', () => {
    const [pointer, references] = ['/auth/psk', { '/auth/psk': env('hush').reference }]
    const other = { '/auth/psk': env('hush', 'X').reference }
    const open = { address: 'hq/guest', pointers: [pointer] }
    const waves = [{ name: 'canary', sites: ['hq'] }, { sites: [] }]
    const digests = [
      digestOf(URL, [change]),
      digestOf(URL, [{ ...change, not_compared: [pointer] }]),
      digestOf(URL, [{ ...change, not_compared: [pointer], references }]),
      digestOf(URL, [{ ...change, not_compared: [pointer], references: other }]),
      digestOf(URL, [change], { not_compared: [open] }),
      digestOf(URL, [change], { not_compared: [{ ...open, references }] }),
      digestOf(URL, [change], { not_compared: [{ ...open, references: other }] }),
      digestOf(URL, [change], { not_compared: [{ ...open, address: 'hq/iot' }] }),
      digestOf(URL, [change], { rollout: waves }),
      digestOf(URL, [change], { rollout: [{ name: 'canary', sites: [] }, { sites: ['hq'] }] }),
      digestOf(URL, [change], { rollout: [{ name: 'pilots', sites: ['hq'] }, { sites: [] }] })
    ]
    expect(new Set(digests).size).toBe(digests.length)
  })

  test('covers the states of secrets in any order; without them it equals that of an earlier version', () => {
    const digestWith = (secrets: Change['secrets']) =>
      digestOf(URL, [{ ...change, secrets }] as Change[])
    const digests = [
      digestOf(URL, [change]),
      digestWith({ '/auth/psk': 'changed' }),
      digestWith({ '/auth/psk': 'set' }),
      digestWith({ '/auth/psk': 'rotates' }),
      digestWith({ '/auth/keys/0': 'changed' }),
      digestWith({ '/auth/psk': 'changed', '/portal/password': 'same' })
    ]
    expect(new Set(digests).size).toBe(digests.length)
    expect(digestWith(undefined)).toBe(digests[0])
    expect(digestWith({ '/portal/password': 'same', '/auth/psk': 'changed' })).toBe(digests.at(-1))
  })

  test('is stable for the same bytes across machines and versions', () => {
    expect(digestOf(URL, [change])).toBe(
      'sha256:5bbadba53359dc990e7e144beec49813acbc376b6858465ded3ee532fbbab185'
    )
  })
})

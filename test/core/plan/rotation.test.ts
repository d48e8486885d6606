import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { DesiredSite, DesiredWlan } from '../../../src/core/model/desired.ts'
import type { Outcome } from '../../../src/core/model/outcome.ts'
import type { Change } from '../../../src/core/model/plan.ts'
import type { RecordedRun } from '../../../src/core/model/record.ts'
import {
  secretsToSend,
  sentSecretsIn,
  withoutSentSecrets,
  withRotations
} from '../../../src/core/plan/rotation.ts'
import { Secret, type SecretReference } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { runs } from '../../support/properties.ts'
import { desiredSite, wlan } from './support.ts'

const secret = (reference: SecretReference) => new Secret(reference, undefined)
const env = (name: string, $version?: number) =>
  secret($version === undefined ? { $env: name } : { $env: name, $version })
const file = (name: string) => secret({ $file: name })
const plain = secret({ $plaintext: true })

/** A site whose only WLAN declares these fields, and others in the base. */
function site(fields: ValueObject, fieldsAtBase?: ValueObject): DesiredSite {
  const declared: DesiredWlan = wlan(fields, { key: 'guest', address: 'hq/guest' })
  const since = { changed: [], removed: [], ...(fieldsAtBase && { fieldsAtBase }) }
  const sinceBase = { revision: 'main', wlans: new Map([[declared.key, since]]), removed: [] }
  return { ...desiredSite([declared]), sinceBase }
}

function rotationsOf(declared: DesiredSite): object {
  const sites = withRotations([declared])
  return Object.fromEntries(sites[0]?.wlans[0]?.rotations ?? [])
}

const psk = (value: Secret) => ({ auth: { psk: value } })

describe('the files request a secret', () => {
  test.each<[what: string, before: Secret, now: Secret, cause?: 'version' | 'reference']>([
    ['version 2 → 3', env('A', 2), env('A', 3), 'version'],
    ['none → version 1', env('A'), env('A', 1), 'version'],
    ['version 1 → none', env('A', 1), env('A')],
    ['the same', env('A', 1), env('A', 1)],
    ['A → B', env('A'), env('B'), 'reference'],
    ['$env → $file', env('A'), file('A'), 'reference'],
    ['plaintext → A', plain, env('A')],
    ['A → plaintext', env('A'), plain]
  ])('%s', (_, before, now, cause?) => {
    expect(rotationsOf(site(psk(now), psk(before)))).toEqual(
      cause === undefined ? {} : { '/auth/psk': { cause, from: before.reference } }
    )
  })

  it('by a version only if the base declares no secret', () => {
    expect(rotationsOf(site(psk(env('A', 1)), { ssid: 'x' }))).toEqual({
      '/auth/psk': { cause: 'version' }
    })
    expect(rotationsOf(site(psk(env('A')), { ssid: 'x' }))).toEqual({})
  })

  it('not for a WLAN that the base does not declare', () => {
    expect(rotationsOf(site(psk(env('A', 1))))).toEqual({})
  })

  it('not for a WLAN that is not selected', () => {
    const { wlans, ...declared } = site(psk(env('A', 2)), psk(env('A', 1)))
    const excluded = wlans.map(each => ({ ...each, excluded: true as const }))
    expect(rotationsOf({ ...declared, wlans: excluded })).toEqual({})
  })

  it('in a list, by the key of its elements', () => {
    const servers = (...list: readonly [string, Secret][]) => ({
      auth_servers: list.map(([host, value]) => ({ host, secret: value }))
    })
    const before = servers(['a', env('A', 1)], ['b', env('B', 1)])
    const now = servers(['b', env('B', 1)], ['a', env('A', 2)], ['c', env('C')])
    expect(rotationsOf(site(now, before))).toEqual({
      '/auth_servers/1/secret': { cause: 'version', from: { $env: 'A', $version: 1 } }
    })
  })
})

test.each<[string, object, boolean]>([
  ['a mask', { auth: { psk: Secret.live('********') } }, true],
  ['nothing', {}, true],
  ['an empty text', { auth: { psk: Secret.live('') } }, true],
  ['a value', { auth: { psk: Secret.live('planted-live') } }, false],
  ['a value that a snapshot did not keep', { auth: { psk: Secret.redacted() } }, false]
])('a live secret that is %s is sent: %s', (_, live, isSent) => {
  const rotations = new Map([['/auth/psk', { cause: 'version' as const }]])
  expect(secretsToSend({ rotations }, live as ValueObject).has('/auth/psk')).toBe(isSent)
})

describe('the applied versions of a record', () => {
  const run = (sent: Secret, status: Outcome['status'] = 'applied', baseUrl = 'https://a') =>
    ({
      baseUrl,
      changes: [
        {
          change: {
            address: 'hq/guest',
            request: { body: psk(sent) }
          } as unknown as Change,
          outcome: { address: 'hq/guest', status }
        }
      ]
    }) as unknown as RecordedRun

  const left = (now: Secret, before: Secret, ...recorded: readonly RecordedRun[]) => {
    const sites = withRotations([site(psk(now), psk(before))])
    const rest = withoutSentSecrets(sites, sentSecretsIn(recorded, 'https://a'))
    return rest[0]?.wlans[0]?.rotations?.size ?? 0
  }

  test.each<[what: string, left: number, now: Secret, ...recorded: RecordedRun[]]>([
    ['the version', 0, env('A', 2), run(env('A', 2))],
    ['the version, and a later one', 0, env('A', 2), run(env('A', 2)), run(env('A', 3))],
    ['another version', 1, env('A', 2), run(env('A', 1))],
    ['a failure', 1, env('A', 2), run(env('A', 2), 'failed')],
    ['an unknown outcome', 1, env('A', 2), run(env('A', 2), 'unknown')],
    ['another service', 1, env('A', 2), run(env('A', 2), 'applied', 'https://b')],
    ['the name', 0, env('B'), run(env('B'))],
    ['the name, and a later one', 1, env('B'), run(env('B')), run(env('A'))]
  ])('with %s: %i remaining', (_, count, now, ...recorded) => {
    expect(left(now, env('A', 1), ...recorded)).toBe(count)
  })

  it('are never applied twice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }), versions => {
        const recorded: RecordedRun[] = []
        let before = env('A')
        for (const version of versions) {
          const now = env('A', version)
          if (left(now, before, ...recorded) > 0) {
            recorded.push(run(now))
          }
          before = now
        }
        const applied = recorded.map(({ changes }) =>
          JSON.stringify(changes[0]?.change.request.body)
        )
        expect(new Set(applied).size).toBe(applied.length)
      }),
      runs(20)
    )
  })
})

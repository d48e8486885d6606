import { afterEach, describe, expect, it } from 'vitest'
import { isMask } from '../../src/core/values/secret.ts'
import { isList, isObject } from '../../src/core/values/value.ts'
import { type Random, randomInt, seededRandom } from '../../src/simulator/fleet/random.ts'
import type { Json, WlanRecord } from '../../src/simulator/json.ts'
import { type SecretMasking, secretMaskings } from '../../src/simulator/switches.ts'
import { setStage } from '../run/apply/support.ts'
import { desiredSite, env } from '../support/desired.ts'
import { secretsIn } from '../support/secrets.ts'
import { site, wlans } from './canaries/secrets.ts'
import { expectUnpolluted } from './unpolluted.ts'

afterEach(expectUnpolluted)

/** Declarations for each kind of WLAN of the campaigns; with all secrets, or without. */
const declarations = {
  key: [
    { vlan_id: 12 },
    { auth: { pairwise: ['wpa3'] } },
    { auth: { psk: env('NEW', 'new-declared-key') } },
    { auth: { type: 'psk', anticlog_threshold: 20 }, hide_ssid: true },
    { auth: { type: 'open' } }
  ],
  corp: [
    { auth_servers: [{ host: '10.0.0.1', port: 1645 }] },
    { auth_servers: [{ host: '10.0.0.3', port: 1646, secret: env('S', 'new-server-secret') }] },
    { auth_servers: [{ host: '10.0.0.9', port: 1 }, { host: '10.0.0.2' }] },
    { auth_servers_timeout: 7 },
    { auth: { eap_reauth: true } }
  ],
  portal: [
    { portal: { expire: 99 } },
    { portal: { amazon_client_secret: env('A', 'new-amazon-secret'), forward: true } },
    { portal_api_secret: env('P', 'new-api-secret') },
    { portal: { enabled: false }, dtim: 3 }
  ]
}

type Declaration = Parameters<typeof desiredSite>[1][string]

function declared(random: Random) {
  const pick = (list: readonly Declaration[]) => list[randomInt(random, list.length)] ?? {}
  const entries = wlans
    .filter(({ ssid }) => ssid !== 'things')
    .map(({ id, ssid }) => {
      const kind = ssid === 'corp' || ssid === 'portal' ? ssid : 'key'
      return [ssid, { id, ...pick(declarations[kind]), ...pick([{}, { vlan_id: 13 }]) }] as const
    })
  return desiredSite(site, Object.fromEntries(entries))
}

/** Every string in a value. */
function texts(value: Json): string[] {
  if (isList(value)) return value.flatMap(texts)
  if (isObject(value)) return Object.values(value).flatMap(texts)
  return typeof value === 'string' ? [value] : []
}

const fresh = ['new-declared-key', 'new-server-secret', 'new-amazon-secret', 'new-api-secret']

/** The required secrets of a record: former ones, or declared ones. */
function secretsOf(record: WlanRecord): string[] {
  return secretsIn([{ ...site, wlans: [record] }])
}

/** The number of required secrets: as before, except for servers that are no longer declared. */
function needed(before: WlanRecord, after: WlanRecord): number {
  const servers = after['auth_servers']
  return isList(servers) ? servers.length : secretsOf(before).length
}

/** If the service omits secrets, it is unknown whether a portal has one; an open network requires no key. */
function isBeyondKnowing(hiding: SecretMasking, { ssid, auth = null }: WlanRecord): boolean {
  const isOpen = isObject(auth) && auth['type'] === 'open'
  return (ssid === 'portal' || isOpen) && (hiding === 'empty' || hiding === 'absent')
}

describe.each(secretMaskings)('with secrets hidden by the service: %s', hiddenSecrets => {
  it('no update contains a mask or loses a live secret', async () => {
    let writes = 0
    for (let seed = 1; seed <= 25; seed += 1) {
      const switches = { hiddenSecrets, normalise: seed % 3 === 0, merge: seed % 7 === 0 }
      const { simulator, plan, apply } = await setStage({ sites: [site], seed, switches })
      await apply(await plan(declared(seededRandom('hidden', seed))), { verifyTimeout: 0 })
      for (const { before, body, after } of simulator.history) {
        expect(texts(body).filter(isMask)).toEqual([])
        const secrets = secretsOf(after)
        const allowed = [...secretsOf(before), ...fresh]
        expect(secrets.filter(secret => !allowed.includes(secret))).toEqual([])
        if (isBeyondKnowing(hiddenSecrets, after)) continue
        expect(secrets).toHaveLength(needed(before, after))
        writes += 1
      }
      expectUnpolluted()
    }
    expect(writes).toBeGreaterThan(20)
  })
})

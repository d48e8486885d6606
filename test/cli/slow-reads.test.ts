import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { GUEST, HQ } from '../support/ids.ts'
import { folder, wlanctl } from '../support/program.ts'
import { serve } from '../support/server.ts'

/** Longer than a read may be old when an update is sent, in milliseconds. */
const SLOW = 1_200

interface Slowness {
  readonly list?: number
  readonly read?: number
  /** The first update is answered with an error, and not stored. */
  readonly failsOnce?: true
}

/**
 * A service that reads the WLAN when a request arrives, and answers later. Somebody rotates its key just after each of the first
 * reads of a kind that is slow.
 */
async function slowService({ list = 0, read = 0, failsOnce }: Slowness) {
  let record: Record<string, unknown> = {
    ...{ id: GUEST, site_id: HQ, ssid: 'Guest', vlan_id: 20 },
    auth: { type: 'psk', psk: 'key-number-0', pairwise: ['wpa2-ccmp'] }
  }
  let rotations = 0
  let refusals = failsOnce ? 1 : 0
  const puts: string[] = []
  const rotate = () => {
    rotations += 1
    record = { ...record, auth: { ...(record['auth'] as object), psk: `key-number-${rotations}` } }
  }
  const server = await serve(({ method, path, body }, response) => {
    const reply = (status: number, json: unknown, delay = 0) => {
      const text = JSON.stringify(json)
      setTimeout(
        () => response.writeHead(status, { 'content-type': 'application/json' }).end(text),
        delay
      )
    }
    if (method === 'PUT') {
      if (refusals > 0) {
        refusals -= 1
        reply(503, {})
        return
      }
      puts.push(body)
      record = { ...record, ...JSON.parse(body) }
      reply(200, {})
      return
    }
    const delay = path.endsWith('/wlans') ? list : read
    reply(200, path.endsWith('/wlans') ? [record] : record, delay)
    if (delay > 0 && rotations < 3) setTimeout(rotate, 50)
  })
  onTestFinished(() => server.close())
  return {
    server,
    puts,
    key: () => (record['auth'] as { psk: string }).psk,
    rotations: () => rotations
  }
}

test.each<[what: string, slowness: Slowness, status: string]>([
  ['a list', { list: SLOW }, 'applied'],
  ['each read', { list: SLOW, read: SLOW }, 'failed'],
  ['each read after an error', { read: SLOW, failsOnce: true }, 'failed']
])('of %s that is answered late, no old value is sent', async (_, slowness, status) => {
  const { server, puts, key, rotations } = await slowService(slowness)
  const cwd = folder()
  mkdirSync(join(cwd, 'fleet'))
  writeFileSync(
    join(cwd, 'fleet/hq.yaml'),
    `site: { id: ${HQ}, name: hq }\nwlans:\n  guest: { ssid: Guest, auth: { type: psk, pairwise: [wpa2-ccmp, wpa3] } }\n`
  )
  const env = { WLANCTL_BASE_URL: server.url, WLANCTL_API_TOKEN: 'token' }
  const words = 'apply fleet --yes --max-attempts 2 --format json --verify-timeout 0'.split(' ')
  const { code, stdout } = await wlanctl(words, { cwd, env })
  const { outcomes } = JSON.parse(stdout)
  expect(outcomes).toMatchObject([{ status }])
  expect(code).toBe(status === 'applied' ? 0 : 5)
  expect(rotations()).toBeGreaterThan(0)
  // Whatever was sent, the last key that somebody set is there.
  expect(key()).toBe(`key-number-${rotations()}`)
  if (status === 'failed') {
    expect(puts).toEqual([])
    expect(outcomes[0].reason).toContain('answers slowly')
  }
})

import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/core/values/secret.ts'
import { detailOf, truncateLine } from '../../../src/service/http/error-message.ts'
import { retryAfter } from '../../../src/service/http/retry.ts'
import { json } from '../../support/server.ts'
import { apiError, clients, SITE, scripted, WLAN } from '../support.ts'

describe('an error message of the service', () => {
  test.each<[string, string | undefined]>([
    ['{"detail":"no such thing"}', 'no such thing'],
    ['{"detail":{"vlan_id":["too large","odd"]}}', 'vlan_id: too large; odd'],
    ['{"vlan_id":["must be 1-4094"],"ssid":"too long"}', 'vlan_id: must be 1-4094; ssid: too long'],
    ['["first",{"detail":"second"},3]', 'first; second; 3'],
    ['"in short"', 'in short'],
    ['{"id":"x"}', 'id: x'],
    ['no JSON at all', 'no JSON at all'],
    [
      '<html><head><title>502 Bad\nGateway</title></head><body>x',
      'an HTML page, "502 Bad\nGateway"'
    ],
    ['<!doctype html><p>secret things', 'an HTML page'],
    ['<title>', 'an HTML page'],
    ['', undefined],
    [' \n', undefined],
    ['null', undefined],
    ['{}', undefined],
    ['[]', undefined],
    ['{"detail":""}', undefined],
    ['{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}', 'a: a: a: a: …'],
    ['{"__proto__":{"detail":"x"}}', '__proto__: x']
  ])('%s', (body, said) => {
    expect(detailOf(body)).toBe(said)
  })

  test('is searched to a limited depth and width', () => {
    expect(detailOf('['.repeat(1e5) + ']'.repeat(1e5))).toBe('…')
    expect(detailOf(JSON.stringify(Array(1e5).fill('x')))?.length).toBeLessThan(100)
  })

  test.each([
    ['a\n b\t\tc ', 'a b c'],
    ['x'.repeat(1024), 'x'.repeat(1024)],
    ['x'.repeat(1025), `${'x'.repeat(1021)}…`],
    ['é'.repeat(1000), `${'é'.repeat(510)}…`],
    ['📶'.repeat(1000), `${'📶'.repeat(255)}…`]
  ])('is truncated to 1 KB on one line', (text, short) => {
    expect(truncateLine(text)).toBe(short)
    expect(Buffer.byteLength(truncateLine(text))).toBeLessThanOrEqual(1024)
  })
})

describe('an ApiError', () => {
  const met = 'the-key-of-another-wlan'
  const declared = new Secret({ $env: 'WLAN_SECRET_X' }, 'declared-and-never-sent')
  const record = {
    id: WLAN,
    auth: { type: 'psk', psk: 'the-old-live-key' },
    auth_servers: [{ host: 'a', secret: met }]
  }

  test.each<[string, (client: ReturnType<typeof clients>) => Promise<unknown>]>([
    ['list', ({ writer }) => writer.listWlans(SITE)],
    ['read', ({ writer }) => writer.readWlan(SITE, WLAN)]
  ])('contains no secret that the run has read before, in a %s', async (what, read) => {
    const server = await scripted(json(what === 'list' ? [record] : record))
    const client = clients(server.url, { secrets: () => [declared] })
    await read(client)
    server.script(json({ detail: [JSON.stringify(record), declared.reveal()] }, {}, 400))
    const { message } = await apiError(client.writer.readWlan(SITE, WLAN))
    expect(message).toMatch(/"psk":"\(secret\)".*"secret":"\(secret\)".*; \(secret\)$/)
    expect(message).not.toMatch(/the-old|another|declared/)
  })

  test('names the method, the path, the status and the message', async () => {
    const server = await scripted(json({ page: ['must be 1-4094'] }, {}, 400))
    const error = await apiError(clients(server.url).writer.readWlan(SITE, WLAN))
    expect(error.message).toBe(
      `GET /api/v1/sites/${SITE.id}/wlans/${WLAN}: 400: page: must be 1-4094`
    )
  })

  test('names of the answer to an update only the fields, since it may encode a secret', async () => {
    const hex = Buffer.from('the-sent-key').toString('hex')
    const detail = `invalid auth.psk ${hex}, vlan_id and auth are odd`
    const server = await scripted(json({ detail }, {}, 400))
    const error = await apiError(clients(server.url).writer.updateWlan(SITE, WLAN, {}))
    expect(error.message).toBe(
      `PUT /api/v1/sites/${SITE.id}/wlans/${WLAN}: 400: auth, psk, vlan_id`
    )
  })
})

describe('Retry-After', () => {
  const date = 'Fri, 20 Nov 2026 10:00:00 GMT'

  test.each<[string | undefined, number | undefined]>([
    ['30', 30],
    [' 30 ', 30],
    ['0', 0],
    ['1.5', 1.5],
    ['Fri, 20 Nov 2026 10:01:30 GMT', 90],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 604_800],
    ['Fri, 20 Nov 2026 10:00:00 GMT', 0],
    ['Fri, 20 Nov 2026 09:59:59 GMT', undefined],
    ['-30', undefined],
    ['', undefined],
    ['  ', undefined],
    ['soon', undefined],
    ['30 seconds', undefined],
    ['0x10', undefined],
    ['1e3', undefined],
    ['2026-11-20T10:01:00Z', undefined],
    [undefined, undefined]
  ])('%j is a delay of %j s', (header, seconds) => {
    expect(retryAfter(header, date)).toBe(seconds)
  })

  test.each([undefined, '', 'today'])('as a date needs a valid Date header, not %j', now => {
    expect(retryAfter('Fri, 20 Nov 2026 10:01:30 GMT', now)).toBeUndefined()
    expect(retryAfter('30', now)).toBe(30)
  })
})

import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/core/values/secret.ts'
import { Transport } from '../../src/service/http/transport.ts'
import { encodeBody } from '../../src/service/operation.ts'
import { json, type Script } from '../support/server.ts'
import { clients, connectionTo, nth, SITE, scripted, TOKEN, WLAN } from './support.ts'

const wlansPath = `/api/v1/sites/${SITE.id}/wlans`
const wlanPath = `${wlansPath}/${WLAN}`

/** A service with one WLAN. */
const service: Script = (arrival, response) => {
  const record = { id: WLAN, ssid: 'Corp', site_id: SITE.id }
  const answer = arrival.path === wlansPath ? json([record]) : json(record)
  answer(arrival, response)
}

describe('the requests of a client', () => {
  test('are the five methods of the interface', async () => {
    const server = await scripted(service)
    const { reader, writer, tokens } = clients(server.url)
    await reader.listWlans(SITE)
    await reader.readWlan(SITE, WLAN)
    await writer.updateWlan(SITE, WLAN, { ssid: 'Corp 2' })
    server.script(json([{ key: 'abcdefghijklmnopqrstuvwxyz' }]))
    await tokens.list()
    await tokens.create()
    await tokens.create('ci')
    expect(server.arrivals.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', wlansPath, ''],
      ['GET', wlanPath, ''],
      ['PUT', wlanPath, '{"ssid":"Corp 2"}'],
      ['GET', '/api/v1/self/apitokens', ''],
      ['POST', '/api/v1/self/apitokens', '{}'],
      ['POST', '/api/v1/self/apitokens', '{"name":"ci"}']
    ])
    expect([reader.requests, writer.requests]).toEqual([2, 1])
  })

  test('carry the token and the content type, and ask for no compression', async () => {
    const server = await scripted(service)
    const { reader, writer } = clients(server.url)
    await reader.listWlans(SITE)
    await writer.updateWlan(SITE, WLAN, {})
    for (const { headers } of server.arrivals) {
      expect(headers).toMatchObject({
        authorization: `Token ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'wlanctl/test'
      })
      expect(headers).not.toHaveProperty('accept-encoding')
    }
  })

  test('keep the path prefix of the base URL', async () => {
    const server = await scripted(json([]))
    await clients(`${server.url}/gateway/wifi`).reader.listWlans(SITE)
    expect(server.arrivals[0]?.path).toBe(`/gateway/wifi${wlansPath}`)
  })

  test('reuse connections, and never exceed the concurrency limit', async () => {
    const server = await scripted((arrival, response) => {
      setTimeout(service, 5, arrival, response)
    })
    const { reader } = clients(server.url, { parallelism: 3 })
    await Promise.all(Array.from({ length: 20 }, () => reader.listWlans(SITE)))
    expect(server.arrivals).toHaveLength(20)
    expect(server.busiest).toBe(3)
    expect(server.connections).toBe(3)
  })

  test.each(['../../self', '..', '', 'x', `urn:uuid:${WLAN}`, `${WLAN}\n`, `${WLAN}/..`])(
    'never put the id %j into a path',
    async id => {
      const server = await scripted(service)
      const { reader, writer } = clients(server.url)
      await expect(reader.readWlan(SITE, id)).rejects.toThrow('must be a UUID')
      await expect(reader.listWlans({ id, name: 'x' })).rejects.toThrow('must be a UUID')
      await expect(writer.updateWlan(SITE, id, {})).rejects.toThrow('must be a UUID')
      expect(server.arrivals).toEqual([])
    }
  )
})

describe('a read-only client', () => {
  test('has no writing method on its prototype', async () => {
    const server = await scripted(service)
    const transport = new Transport(connectionTo(server.url), ['list WLANs', 'read WLAN'])
    const body = encodeBody({ ssid: 'x' })
    const writing = [
      { name: 'update WLAN', siteId: SITE.id, wlanId: WLAN, body },
      { name: 'create token', body }
    ] as const
    for (const operation of writing) {
      await expect(transport.send(operation, () => 'sent')).rejects.toThrow('without the right')
    }
    await transport.close()
    expect(server.arrivals).toEqual([])
  })
})

describe('an update', () => {
  test('with an unknown secret is not sent', async () => {
    const server = await scripted(service)
    const psk = new Secret({ $live: true }, undefined)
    const update = clients(server.url).writer.updateWlan(SITE, WLAN, { auth: { psk } })
    await expect(update).rejects.toThrow('unknown secret')
    expect(server.arrivals).toEqual([])
  })

  test.each([
    ['another WLAN', json({ id: nth(99) })],
    ['an empty object', json({})]
  ])('does not rely on the response: %s', async (_, script) => {
    const server = await scripted(script)
    await clients(server.url).writer.updateWlan(SITE, WLAN, { ssid: 'x' })
    expect(server.arrivals).toHaveLength(1)
  })
})

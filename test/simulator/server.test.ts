import { describe, expect, it } from 'vitest'
import { DEMO_TOKEN, startSimulator } from '../../src/simulator/server.ts'
import { CORP, CORP_PATH, corp, HQ, simulate, TOKENS, UNKNOWN_ID, WLANS } from './simulate.ts'

describe('every operation has its response', () => {
  const rows: readonly [method: string, path: string, body: string | undefined, status: number][] =
    [
      ['GET', WLANS, undefined, 200],
      ['GET', CORP_PATH, undefined, 200],
      ['PUT', CORP_PATH, '{"ssid":"New"}', 200],
      ['PUT', CORP_PATH, '{}', 200],
      ['GET', TOKENS, undefined, 200],
      ['POST', TOKENS, undefined, 200],
      ['POST', TOKENS, '{"name":"ci"}', 200],
      ['OPTIONS', TOKENS, undefined, 200],
      ['OPTIONS', WLANS, undefined, 200],
      ['POST', WLANS, '{"ssid":"New"}', 405],
      ['DELETE', CORP_PATH, undefined, 405],
      ['DELETE', TOKENS, undefined, 405],
      ['GET', '/', undefined, 404],
      ['GET', '/api/v1/self', undefined, 404],
      ['GET', `/api/v1/sites/${UNKNOWN_ID}/wlans`, undefined, 404],
      ['GET', `/api/v1/sites/${UNKNOWN_ID}/wlans/${CORP}`, undefined, 404],
      ['GET', `${WLANS}/${UNKNOWN_ID}`, undefined, 404],
      ['GET', `${WLANS}/%2f`, undefined, 404],
      ['PUT', `${WLANS}/${UNKNOWN_ID}`, '{"ssid":"New"}', 404],
      ['PUT', CORP_PATH, undefined, 400],
      ['PUT', CORP_PATH, '{"ssid":"New",}', 400],
      ['PUT', CORP_PATH, '[]', 400],
      ['POST', TOKENS, '[]', 400]
    ]
  it.each(rows)('%s %s %s: %i', async (method, path, body, status) => {
    const { simulator, send } = await simulate()
    expect(await send(method, path, body)).toMatchObject({ status })
    expect(simulator.requests).toMatchObject([{ method, path, status }])
    const stored = method === 'PUT' && status === 200
    expect(simulator.history).toHaveLength(stored ? 1 : 0)
  })
})

it('lists the allowed methods', async () => {
  const { send } = await simulate()
  for (const method of ['OPTIONS', 'DELETE']) {
    const { headers } = await send(method, CORP_PATH)
    expect(headers.get('allow')).toBe('GET, PUT, OPTIONS')
  }
})

it('accepts ids in either case', async () => {
  const { get } = await simulate()
  const path = `/api/v1/sites/${HQ.toUpperCase()}/wlans/${CORP.toUpperCase()}`
  expect((await get(path)).body).toEqual(corp)
})

it('logs every request with its body', async () => {
  const { simulator, get, put, send } = await simulate()
  await get(`${WLANS}?page=1`)
  await put(CORP_PATH, { ssid: 'New' })
  await send('PUT', CORP_PATH, 'not json')
  const [list, update, wrong] = simulator.requests
  expect(list).toMatchObject({ method: 'GET', path: `${WLANS}?page=1`, status: 200 })
  expect(list).not.toHaveProperty('body')
  expect(update?.body).toEqual({ ssid: 'New' })
  expect(wrong).toMatchObject({ body: 'not json', status: 400 })
  expect(list?.headers.authorization).toBe(`Token ${DEMO_TOKEN}`)
})

it('closes with open connections and pending requests', async () => {
  const simulator = await startSimulator({
    sites: [{ id: HQ, name: 'hq', wlans: [corp] }],
    switches: { fail: [{ kind: 'timeout' }] }
  })
  const headers = { authorization: `Token ${simulator.token}` }
  const waiting = fetch(simulator.url + WLANS, { headers }).then(
    () => 'answered',
    () => 'ended'
  )
  await expect.poll(() => simulator.faults.timeout).toBe(1)
  await simulator.close()
  expect(await waiting).toBe('ended')
  await expect(fetch(simulator.url + WLANS)).rejects.toThrow()
})

it('rejects where it cannot listen', async () => {
  const { simulator } = await simulate()
  const port = Number(new URL(simulator.url).port)
  await expect(startSimulator({ sites: [], port })).rejects.toThrow('EADDRINUSE')
})

it('throws if a test names an unknown WLAN', async () => {
  const { simulator } = await simulate()
  expect(() => simulator.record(HQ, UNKNOWN_ID)).toThrow(UNKNOWN_ID)
  expect(() => simulator.edit(HQ, UNKNOWN_ID, {})).toThrow(UNKNOWN_ID)
  expect(() => simulator.remove(UNKNOWN_ID, CORP)).toThrow(CORP)
})

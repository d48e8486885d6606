import { describe, expect, it } from 'vitest'
import { type FailRule, type FaultKind, faultKinds } from '../../src/simulator/faults.ts'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { CORP, CORP_PATH, GUEST_PATH, HQ, simulate, WLANS } from './simulate.ts'

const sites = generateFleet({ sites: 150, wlans: 0, seed: 1 })
const faults = { '503': 0.2, '429': 0.1 }

/** The status of two calls for each site, in the order of the sites. */
async function fates(seed: number, order: 'forth' | 'back', count = sites.length) {
  const { simulator, get } = await simulate({ sites, seed, switches: { faults } })
  const statuses = new Map<string, number[]>()
  const ids = sites.slice(0, count).map(site => site.id)
  for (const id of order === 'forth' ? ids : ids.toReversed()) {
    const path = `/api/v1/sites/${id}/wlans`
    statuses.set(id, [(await get(path)).status, (await get(path)).status])
  }
  return { all: ids.flatMap(id => statuses.get(id) ?? []), counts: simulator.faults }
}

it('fails the same requests for the same seed, in any order', async () => {
  const [once, again, other] = [
    await fates(1, 'forth', 30),
    await fates(1, 'back', 30),
    await fates(2, 'forth', 30)
  ]
  expect(again).toEqual(once)
  expect(other.all).not.toEqual(once.all)
})

it('injects random faults at about their rate, and counts them', async () => {
  const { all, counts } = await fates(3, 'forth')
  const times = (status: number) => all.filter(each => each === status).length
  expect(counts).toMatchObject({ '503': times(503), '429': times(429), reset: 0, answer: 0 })
  expect(times(503)).toBeGreaterThan(35)
  expect(times(503)).toBeLessThan(85)
  expect(times(429)).toBeGreaterThan(12)
  expect(times(429)).toBeLessThan(50)
  expect(times(200)).toBe(all.length - times(503) - times(429))
})

/** The requests of every row. */
const calls: readonly (readonly [method: string, path: string])[] = [
  ['GET', WLANS],
  ['GET', CORP_PATH],
  ['PUT', CORP_PATH],
  ['GET', CORP_PATH],
  ['GET', `${WLANS}?page=2`],
  ['GET', GUEST_PATH]
]

const kind = '503'
const rows: readonly [what: string, rules: readonly FailRule[], statuses: readonly number[]][] = [
  ['none', [], [200, 200, 200, 200, 200, 200]],
  ['one shot', [{ kind }], [503, 200, 200, 200, 200, 200]],
  ['three times', [{ kind, times: 3 }], [503, 503, 503, 200, 200, 200]],
  ['standing', [{ kind, times: 'always' }], [503, 503, 503, 503, 503, 503]],
  ['by method', [{ kind, method: 'PUT' }], [200, 200, 503, 200, 200, 200]],
  ['by path', [{ kind, path: CORP, times: 9 }], [200, 503, 503, 503, 200, 200]],
  ['by query', [{ kind, path: 'page=' }], [200, 200, 200, 200, 503, 200]],
  ['by pattern', [{ kind, path: /wlans$/g }], [503, 200, 200, 200, 200, 200]],
  [
    'the second GET',
    [{ kind, method: 'GET', path: CORP, skip: 1 }],
    [200, 200, 200, 503, 200, 200]
  ],
  ['all but two', [{ kind, skip: 2, times: 'always' }], [200, 200, 503, 503, 503, 503]],
  ['in their order', [{ kind, times: 2 }, { kind: '500' }], [503, 503, 500, 200, 200, 200]]
]

describe('rules', () => {
  it.each(rows)('%s', async (_, fail, statuses) => {
    const { simulator, send } = await simulate({ switches: { fail } })
    const answered: number[] = []
    for (const [method, path] of calls) {
      const body = method === 'PUT' ? '{"ssid":"New"}' : undefined
      answered.push((await send(method, path, body)).status)
    }
    expect(answered).toEqual(statuses)
    const struck = statuses.filter(status => status >= 500).length
    const { faults } = simulator
    expect(faults['503'] + faults['500']).toBe(struck)
  })

  it('count from the time they are set', async () => {
    const { simulator, get } = await simulate({ switches: { fail: [{ kind }] } })
    for (const _ of [1, 2]) {
      expect(await get(WLANS)).toMatchObject({ status: 503 })
      expect(await get(WLANS)).toMatchObject({ status: 200 })
      simulator.set({ fail: [{ kind }] })
    }
    simulator.set({ latency: 0 })
    expect(await get(WLANS)).toMatchObject({ status: 503 })
  })

  it('do not apply to rejected requests', async () => {
    const { simulator, send } = await simulate({ switches: { fail: [{ kind }] } })
    await send('GET', WLANS, undefined, {})
    await send('DELETE', CORP_PATH)
    await send('GET', '/elsewhere')
    expect(simulator.faults[kind]).toBe(0)
  })

  it('respond as configured, with or without executing the request', async () => {
    const fail: FailRule[] = [
      { answer: { status: 204 } },
      { answer: { status: 200, body: 'null', landed: true } },
      { answer: { status: 418, headers: { 'x-tea': 'yes' }, body: new Uint8Array([0xff, 0x41]) } }
    ]
    const { simulator, put } = await simulate({ switches: { fail } })
    expect(await put(CORP_PATH, { ssid: 'A' })).toMatchObject({ status: 204, body: '' })
    expect(simulator.history).toHaveLength(0)
    expect(await put(CORP_PATH, { ssid: 'B' })).toMatchObject({ status: 200, body: null })
    expect(simulator.history).toHaveLength(1)
    const tea = await put(CORP_PATH, { ssid: 'C' })
    expect(tea).toMatchObject({ status: 418, body: '\ufffdA' })
    expect(tea.headers.get('x-tea')).toBe('yes')
    expect(simulator.faults.answer).toBe(3)
  })
})

/** The effect of each fault on a client: a status and a type, or the error of the connection. */
const seen: Readonly<Record<FaultKind, string>> = {
  '429': '429 application/json',
  '500': '500 application/json',
  '502': '502 text/html; charset=utf-8',
  '503': '503 application/json',
  '504': '504 text/html; charset=utf-8',
  '504-landed': '504 text/html; charset=utf-8',
  reset: 'ECONNRESET',
  'reset-landed': 'ECONNRESET',
  timeout: 'TimeoutError',
  'timeout-landed': 'TimeoutError',
  cut: 'UND_ERR_SOCKET',
  html: '200 text/html; charset=utf-8'
}

const landing: readonly FaultKind[] = ['504-landed', 'reset-landed', 'timeout-landed', 'cut']

async function put(url: string, token: string): Promise<string> {
  const response = await fetch(url + CORP_PATH, {
    method: 'PUT',
    headers: { authorization: `Token ${token}` },
    body: '{"ssid":"New"}',
    signal: AbortSignal.timeout(1000)
  })
  await response.text()
  return `${response.status} ${response.headers.get('content-type')}`
}

function end(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } }
  return cause?.code ?? name
}

describe.each(faultKinds)('%s', kind => {
  it.each(['by rule', 'by chance'])('%s: is logged, stored or not, and counted', async way => {
    const switches = way === 'by rule' ? { fail: [{ kind }] } : { faults: { [kind]: 1 } }
    const { simulator } = await simulate({ switches })
    expect(await put(simulator.url, simulator.token).catch(end)).toBe(seen[kind])
    const landed = landing.includes(kind)
    expect(simulator.record(HQ, CORP).ssid).toBe(landed ? 'New' : 'Corp')
    expect(simulator.history).toHaveLength(landed ? 1 : 0)
    const counted = Object.entries(simulator.faults).filter(([, times]) => times > 0)
    expect(counted).toEqual([[kind, 1]])
    const [request] = simulator.requests
    expect(request?.status).toBe(
      Number(/^\d+/.exec(seen[kind])?.[0] ?? Number.NaN) || (kind === 'cut' ? 200 : undefined)
    )
  })
})

it('a 429 has the Retry-After of the switch retryAfter', async () => {
  const { get } = await simulate({ switches: { fail: [{ kind: '429' }], retryAfter: 798 } })
  expect((await get(CORP_PATH)).headers.get('retry-after')).toBe('798')
})

import { describe, expect, it } from 'vitest'
import type { RetryPolicy } from '../../../src/service/http/retry.ts'
import { manualClock } from '../../support/clock.ts'
import { type Arrival, json, type Script } from '../../support/server.ts'
import { apiError, clients, SITE, scripted, WLAN } from '../support.ts'

const list = json([{ id: WLAN, ssid: 'Corp' }])
const refused = json({ detail: 'Invalid token.' }, {}, 401)

function limited(seconds: number): Script {
  return json({ detail: 'Request limit exceeded.' }, { 'retry-after': String(seconds) }, 429)
}

/** The token of a request. */
function tokenOf({ headers }: Arrival): string {
  return headers.authorization?.replace('Token ', '') ?? ''
}

/** A client with the tokens `a`, `b` and `c`, and a server with a sequence of responses for each. */
async function stage(
  answers: Readonly<Record<string, readonly Script[]>>,
  changes: Partial<RetryPolicy> = {}
) {
  const asked: Record<string, number> = {}
  const server = await scripted((arrival, response) => {
    const token = tokenOf(arrival)
    const turn = asked[token] ?? 0
    asked[token] = turn + 1
    const own = answers[token] ?? []
    const script = own[Math.min(turn, own.length - 1)] ?? list
    script(arrival, response)
  })
  const clock = manualClock()
  const waits: Date[] = []
  const out: string[] = []
  const retryPolicy = {
    maxAttempts: 3,
    maxWait: 60,
    clock,
    random: () => 0.5,
    onWait: (until: Date) => waits.push(until),
    onRefused: (token: string) => out.push(token),
    ...changes
  }
  const tokens = ['a', 'b', 'c']
  const { reader, writer } = clients(server.url, { retryPolicy, tokens, parallelism: 1 })
  const used = () => server.arrivals.map(tokenOf).join('')
  return { reader, writer, clock, waits, out, used, server }
}

describe('several tokens', () => {
  it('are used in turn', async () => {
    const { reader, used, waits } = await stage({})
    for (let n = 0; n < 7; n += 1) await reader.listWlans(SITE)
    expect(used()).toBe('abcabca')
    expect(waits).toEqual([])
  })

  it('continue while one is blocked, and use it again when its limit resets', async () => {
    const { reader, used, waits, clock } = await stage({ b: [limited(798), list] })
    for (let n = 0; n < 4; n += 1) await reader.listWlans(SITE)
    expect(used()).toBe('abcac')
    expect(waits).toEqual([])
    clock.advance(798_000)
    for (let n = 0; n < 3; n += 1) await reader.listWlans(SITE)
    expect(used().slice(5)).toBe('bac')
  })

  it('that are all blocked wait for the first reset', async () => {
    const { reader, used, waits, clock } = await stage({
      a: [limited(50), list],
      b: [limited(20), list],
      c: [limited(40), list]
    })
    await reader.listWlans(SITE)
    expect(used()).toBe('abcb')
    expect(Math.max(...clock.pauses)).toBeCloseTo(20_000, -4)
    expect(waits).toHaveLength(1)
  })

  it('that are all blocked longer than the run may wait end the run with the reset time', async () => {
    const { reader, used, server } = await stage({
      a: [limited(900)],
      b: [limited(798)],
      c: [limited(3600)]
    })
    const error = await apiError(reader.listWlans(SITE))
    expect(error).toMatchObject({ problem: { status: 429, retryAt: expect.any(Date) } })
    expect(error.hint).toMatch(/^retry after .* \(in 798 s\)/)
    expect(await apiError(reader.readWlan(SITE, WLAN))).toBe(error)
    expect(used()).toBe('abc')
    expect(server.arrivals).toHaveLength(3)
  })

  it('count no attempt if another token repeats the request', async () => {
    const { reader, used } = await stage({ a: [limited(9)], b: [limited(9)] }, { maxAttempts: 1 })
    await reader.listWlans(SITE)
    expect(used()).toBe('abc')
  })

  it('that get 429 without Retry-After are not retried endlessly', async () => {
    const { reader, used } = await stage({ a: [limited(0)], b: [limited(0)], c: [limited(0)] })
    expect((await apiError(reader.listWlans(SITE))).problem).toMatchObject({ status: 429 })
    expect(used()).toBe('abcab')
  })

  it('continue without a rejected token, identified by its position', async () => {
    const { reader, used, out } = await stage({ b: [refused] })
    for (let n = 0; n < 4; n += 1) await reader.listWlans(SITE)
    expect(used()).toBe('abcac')
    expect(out).toEqual(['token 2 of 3'])
  })

  it('continue if one is rejected while the others are blocked', async () => {
    const { reader, used, clock } = await stage({
      a: [limited(30), list],
      b: [limited(40), list],
      c: [refused]
    })
    await reader.listWlans(SITE)
    expect(used()).toBe('abca')
    expect(Math.max(...clock.pauses)).toBeCloseTo(30_000, -4)
  })

  it('that are all rejected send nothing else', async () => {
    const { reader, used, out } = await stage({ a: [refused], b: [refused], c: [refused] })
    const error = await apiError(reader.listWlans(SITE))
    expect(error).toMatchObject({ problem: { status: 401 } })
    expect(await apiError(reader.listWlans(SITE))).toBe(error)
    expect(used()).toBe('abc')
    expect(out).toEqual(['token 1 of 3', 'token 2 of 3'])
  })

  it('send an update with the next token if one is denied', async () => {
    const updated = json({ id: WLAN })
    const { writer, used, server } = await stage({ a: [refused], b: [limited(30)], c: [updated] })
    await writer.updateWlan(SITE, WLAN, { vlan_id: 20 })
    expect(used()).toBe('abc')
    expect(server.arrivals.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT'])
  })

  it('without a permission are identified by their position', async () => {
    const { reader } = await stage({ a: [json({ detail: 'no' }, {}, 403)] })
    const { hint } = await apiError(reader.listWlans(SITE))
    expect(hint).toContain('token 1 of 3 has no right to this')
  })

  it('appear in no error, whichever of them the service repeats', async () => {
    const words = json({ detail: 'Token token-of-alice, then token-of-bob' }, {}, 400)
    const server = await scripted(words)
    const tokens = ['token-of-alice', 'token-of-bob']
    const { reader } = clients(server.url, { tokens })
    const { message } = await apiError(reader.listWlans(SITE))
    expect(message).toContain('Token (secret), then (secret)')
  })
})

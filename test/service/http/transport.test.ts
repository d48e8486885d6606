import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/service/http/error.ts'
import type { RetryPolicy } from '../../../src/service/http/retry.ts'
import { manualClock } from '../../run/apply/support.ts'
import { json, type Script } from '../../support/server.ts'
import { clients, inTurn, SITE, scripted, WLAN } from '../support.ts'

const record = json({ id: WLAN, ssid: 'Corp' })
const list = json([{ id: WLAN, ssid: 'Corp' }])

/** A client with retries, its clock, and a server with a sequence of responses. */
async function stage(answers: readonly Script[], changes: Partial<RetryPolicy> = {}) {
  const server = await scripted(inTurn(...answers))
  const clock = manualClock()
  const waits: Date[] = []
  const retryPolicy = {
    maxAttempts: 4,
    maxWait: 60,
    clock,
    random: () => 0.5,
    onWait: (until: Date) => waits.push(until),
    ...changes
  }
  return { server, clock, waits, ...clients(server.url, { retryPolicy }) }
}

const status = (code: number, headers = {}) => json({ detail: 'no' }, headers, code)
const reset: Script = (_, response) => response.destroy()

describe('a read', () => {
  it.each([
    ['503', status(503)],
    ['a reset', reset]
  ])('is repeated after %s', async (_, failure) => {
    const { reader, server, clock } = await stage([failure, failure, record])
    expect((await reader.readWlan(SITE, WLAN)).ssid).toBe('Corp')
    expect(server.arrivals).toHaveLength(3)
    expect(clock.pauses.slice(0, 2)).toEqual([125, 250])
  })

  it('that waits for a retry fails as interrupted, not with its last error', async () => {
    const clock = { ...manualClock(), sleep: async () => false }
    const { reader, server } = await stage([status(503), record], { clock })
    const error = await reader.readWlan(SITE, WLAN).catch(thrown => thrown)
    expect(error).toMatchObject({ problem: { kind: 'aborted', sent: 'no' } })
    expect(server.arrivals).toHaveLength(1)
  })

  it('fails after the last attempt', async () => {
    const { reader, server } = await stage([status(503)])
    await expect(reader.readWlan(SITE, WLAN)).rejects.toThrow('503')
    expect(server.arrivals).toHaveLength(4)
  })
})

describe('an update', () => {
  const update = { vlan_id: 20 }

  it('is repeated only if the service did not process it', async () => {
    const { writer, server } = await stage([status(429), record])
    await writer.updateWlan(SITE, WLAN, update)
    expect(server.arrivals.map(({ body }) => body)).toEqual(['{"vlan_id":20}', '{"vlan_id":20}'])
  })

  it.each([
    ['500', status(500)],
    ['a reset', reset]
  ])('is not repeated after %s', async (_, failure) => {
    const { writer, server } = await stage([failure, record])
    await expect(writer.updateWlan(SITE, WLAN, update)).rejects.toThrow(ApiError)
    expect(server.arrivals).toHaveLength(1)
  })

  it('that waits is not sent after an interrupt', async () => {
    const interrupted = new AbortController()
    const { writer, server } = await stage([status(429, { 'retry-after': '30' }), record], {
      interrupted: interrupted.signal,
      clock: {
        ...manualClock(),
        sleep: async () => {
          interrupted.abort()
          return false
        }
      }
    })
    await expect(writer.updateWlan(SITE, WLAN, update)).rejects.toThrow(ApiError)
    expect(server.arrivals).toHaveLength(1)
  })
})

it('a list that waits is not requested after an interrupt', async () => {
  const interrupted = new AbortController()
  const sleep = async () => {
    interrupted.abort()
    return false
  }
  const { reader, server } = await stage([status(429, { 'retry-after': '30' }), list], {
    interrupted: interrupted.signal,
    clock: { ...manualClock(), sleep }
  })
  const error = await reader.listWlans(SITE).catch(thrown => thrown)
  expect(error).toMatchObject({ problem: { kind: 'aborted', sent: 'no' } })
  await expect(reader.listWlans(SITE)).rejects.toThrow('interrupted')
  expect(server.arrivals).toHaveLength(1)
})

it('a response that cannot be decoded blocks no other response', async () => {
  const ids = Array.from({ length: 30 }, (_, n) => WLAN.replace(/..$/, String(n + 10)))
  const server = await scripted((arrival, response) => {
    const id = arrival.path.split('/').at(-1) ?? ''
    json(ids.indexOf(id) % 3 === 0 ? [] : { id, ssid: id })(arrival, response)
  })
  const { reader } = clients(server.url, { parallelism: 8 })
  const settled = await Promise.allSettled(ids.map(id => reader.readWlan(SITE, id)))
  const states = settled.map(({ status: state }) => state)
  expect(states).toEqual(ids.map((_, at) => (at % 3 === 0 ? 'rejected' : 'fulfilled')))
})

describe('a rate limit', () => {
  it('delays every request until its reset', async () => {
    const { reader, clock, waits } = await stage([status(429, { 'retry-after': '42' }), list])
    await Promise.all([reader.listWlans(SITE), reader.listWlans(SITE), reader.listWlans(SITE)])
    // The clock runs between the response and the delay, longer on a busy machine.
    const longest = Math.max(...clock.pauses)
    expect(longest).toBeGreaterThan(41_000)
    expect(longest).toBeLessThanOrEqual(42_000)
    expect(waits.length).toBeGreaterThan(0)
  })

  it('equal to the longest allowed wait is waited for', async () => {
    const { reader, clock } = await stage([status(429, { 'retry-after': '60' }), list])
    await reader.listWlans(SITE)
    expect(clock.pauses.map(Math.round)).toContain(60_000)
  })

  it('above the longest allowed wait ends the run with the reset time', async () => {
    const { reader, server, clock } = await stage([status(429, { 'retry-after': '798' }), list])
    const error = await reader.listWlans(SITE).catch(thrown => thrown)
    expect(error).toMatchObject({ problem: { status: 429, retryAt: expect.any(Date) } })
    expect(error.hint).toMatch(/^retry after \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(in 798 s\)/)
    await expect(reader.readWlan(SITE, WLAN)).rejects.toBe(error)
    expect(server.arrivals).toHaveLength(1)
    expect(clock.pauses).toEqual([])
  })
})

describe('the retry budget of a run', () => {
  it('covers every active request', async () => {
    const hiccup = Array.from({ length: 200 }, () => status(503))
    const { server, clock } = await stage([...hiccup, list])
    const retryPolicy = { maxAttempts: 100, maxWait: 60, clock, random: () => 0.5 }
    const { reader } = clients(server.url, { parallelism: 200, retryPolicy })
    const sites = hiccup.map(() => reader.listWlans(SITE))
    expect(await Promise.all(sites)).toHaveLength(200)
  })

  it('ends the retries if the service stays down', async () => {
    const { reader, server } = await stage([status(503)])
    for (let n = 0; n < 60; n += 1) await reader.listWlans(SITE).catch(() => undefined)
    // 100 retries, and 60 first requests.
    expect(server.arrivals.length).toBeLessThanOrEqual(161)
    expect(server.arrivals.length).toBeGreaterThan(150)
  })
})

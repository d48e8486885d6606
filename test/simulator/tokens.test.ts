import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/simulator/json.ts'
import { DEMO_TOKEN } from '../../src/simulator/server.ts'
import { manualClock } from '../support/clock.ts'
import { simulate, TOKENS, WLANS } from './simulate.ts'

const record = (name: string, key: Json) => ({
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  name,
  key,
  created_by: expect.any(String),
  created_time: 1_800_000_000,
  last_used: null
})

it('creates a token that is valid at once, and returns its key once', async () => {
  const { send, get } = await simulate({ clock: manualClock() })
  const { body } = await send('POST', TOKENS, '{"name":"ci"}')
  expect(body).toEqual(record('ci', expect.stringMatching(/^\w{96}$/)))
  const { key } = body as { key: string }
  const short = `${key.slice(0, 4)}...${key.slice(-4)}`
  expect((await get(TOKENS)).body).toMatchObject([
    { key: `demo...${DEMO_TOKEN.slice(-4)}` },
    record('ci', short)
  ])
  const headers = { authorization: `Token ${key}` }
  expect(await send('GET', WLANS, undefined, headers)).toMatchObject({ status: 200 })
  expect((await get(TOKENS)).body).toMatchObject([{}, { last_used: 1_800_000_000 }])
})

it('responds with an array of one with the switch tokenAsList', async () => {
  const { send } = await simulate({ clock: manualClock(), switches: { tokenAsList: true } })
  const { body } = await send('POST', TOKENS)
  expect(body).toEqual([record('', expect.any(String))])
})

it('creates the same tokens for the same seed', async () => {
  const keys = await Promise.all(
    [1, 1, 2].map(async seed => {
      const { send } = await simulate({ seed })
      return ((await send('POST', TOKENS)).body as { key: string }).key
    })
  )
  expect(keys[0]).toBe(keys[1])
  expect(keys[0]).not.toBe(keys[2])
})

const rows: readonly [
  what: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  status: number
][] = [
  ['its token', 'GET', WLANS, { authorization: 'Token right' }, 200],
  ['nothing', 'GET', WLANS, {}, 401],
  ['another token', 'GET', WLANS, { authorization: 'Token wrong' }, 401],
  ['another word', 'GET', WLANS, { authorization: 'Bearer right' }, 401],
  ['the word in lower case', 'GET', WLANS, { authorization: 'token right' }, 401],
  ['two tokens', 'GET', WLANS, { authorization: 'Token right right' }, 401]
]

describe('a request for the tokens', () => {
  it.each(rows)('%s (%s %s)', async (_, method, path, headers, status) => {
    const { send } = await simulate({ token: 'right' })
    const answer = await send(method, path, undefined, headers)
    expect(answer.status).toBe(status)
    if (status !== 200) expect(answer.body).toEqual({ detail: expect.any(String) })
  })
})

import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { RestClient } from '../../src/ci/client.ts'
import type { Failure } from '../../src/core/model/failure.ts'
import { type Arrival, json, serve } from '../support/server.ts'

const TOKEN = 'planted-token-of-the-forge'

/** A client of a server that gives these answers, the last of them for ever. */
async function clientOf(...answers: readonly ((at: Arrival, to: ServerResponse) => void)[]) {
  let next = 0
  const server = await serve((arrival, response) => {
    const answer = answers[Math.min(next, answers.length - 1)]
    next += 1
    answer?.(arrival, response)
  })
  onTestFinished(() => server.close())
  const process = { env: {}, signal: new AbortController().signal, pause: 1 }
  const api = { forge: 'GitHub', url: server.url, repository: '/repos/a/b', headers: {} }
  const client = new RestClient(process, { ...api, token: TOKEN })
  return { server, client, sent: () => server.arrivals.length }
}

const status = (code: number, headers: Record<string, string> = {}, body: unknown = {}) =>
  json(body, headers, code)
const good = json({ ok: true })
const hangUp = (_: Arrival, response: ServerResponse) => response.destroy()
const inSeconds = (seconds: number) => `${Math.floor(Date.now() / 1000) + seconds}`
const usedUp = (reset: string) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })
const said = { message: `no ${TOKEN}` }
const missing = { 'x-accepted-github-permissions': 'issues=write' }
const usedUpNow = { 'x-ratelimit-remaining': '0' }
const SECONDARY = { message: 'You have exceeded a secondary rate limit' }

test.each<[string, number, ReturnType<typeof status>]>([
  ['an error of the forge four times', 4, status(502)],
  ['no answer four times', 4, hangUp],
  ['a rate limit three times', 3, status(429, { 'retry-after': '2' })],
  ['a limit of GitHub until it ends', 3, status(403, usedUp(inSeconds(9)))],
  ['a secondary limit of GitHub', 3, status(403, {}, SECONDARY)],
  ['a rate limit of an hour once', 1, status(429, { 'retry-after': '3600' })],
  ['a missing permission once', 1, status(403)],
  ['what is not there once', 1, status(404)],
  ['a redirect once', 1, status(302, { location: 'https://example.com' })],
  ['what is not JSON once', 1, (_, response) => response.end('<html>')]
])('asks after %s', async (_, times, answer) => {
  const { client, sent } = await clientOf(answer)
  await expect(client.send('GET', '/x')).rejects.toThrow()
  expect(sent()).toBe(times)
})

test.each([[status(502)], [status(429)], [hangUp]])('goes on after %o', async answer => {
  const { client, sent } = await clientOf(answer, good)
  expect(await client.send('POST', '/x', { a: 1 })).toEqual({ ok: true })
  expect(sent()).toBe(2)
})

test.each<[string, string, string | undefined, ReturnType<typeof status>]>([
  [
    'a reason, but not the token',
    ' with 422: message: no (secret)',
    undefined,
    status(422, {}, said)
  ],
  ['a wrong token', ' with 401', 'has expired', status(401)],
  ['a missing permission', ' with 403', 'lacks a permission (issues=write)', status(403, missing)],
  ['a rate limit', ' with 429', 'again in 3600 s', status(429, { 'retry-after': '3600' })],
  ['a rate limit without an end', ' with 429', 'again in 60 s', status(429)],
  ['a limit that is used up', ' with 429', 'again in 60 s', status(429, usedUpNow)],
  ['no answer', ': no response from', undefined, hangUp]
])('says of %s', async (_, message, hint, answer) => {
  const { client } = await clientOf(answer)
  const failure = (await client.send('GET', '/x').catch(error => error)) as Failure
  expect(failure.message).toContain(`GET /repos/a/b/x${message}`)
  expect(failure.exitCode).toBe(1)
  if (hint === undefined) expect(failure.hint ?? '').toBe('')
  else expect(failure.hint).toContain(hint)
})

test('follows pages of its own host only', async () => {
  const { client, server, sent } = await clientOf(good)
  const all = async () => {
    const found: object[] = []
    for await (const each of client.list('/x', { state: 'open' })) found.push(each)
    return found
  }
  const page = (next: string) => json([{ n: 1 }], { link: `<${next}>; rel="next"` })
  server.script((arrival, response) => {
    const isFirst = !arrival.path.startsWith('/other')
    const answer = isFirst ? page(`${server.url}/other`) : json({ total: 1, items: [{ n: 2 }] })
    answer(arrival, response)
  })
  expect(await all()).toEqual([{ n: 1 }, { n: 2 }])
  expect(server.arrivals[0]?.path).toBe('/repos/a/b/x?per_page=100&state=open')
  server.script(page(`${server.url}/x`))
  expect(await all()).toHaveLength(10)
  const before = sent()
  server.script(page('https://example.com/x'))
  await expect(all()).rejects.toThrow('refers to another host (example.com)')
  expect(sent()).toBe(before + 1)
})

test('downloads from the storage without the token', async () => {
  const storage = await serve((_, response) => response.end('archive'))
  onTestFinished(() => storage.close())
  const { client, server } = await clientOf(status(302, { location: `${storage.url}/1?sig=s` }))
  expect((await client.download('/zip')).toString()).toBe('archive')
  expect(server.arrivals[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  expect(storage.arrivals[0]?.headers.authorization).toBeUndefined()
  server.script(status(302, { location: 'http://example.com/1' }))
  await expect(client.download('/zip')).rejects.toThrow('not https')
})

test('is not opened for an address that is not https', () => {
  const process = { env: {}, signal: new AbortController().signal, pause: 1 }
  const api = { forge: 'GitHub', repository: '', headers: {}, token: TOKEN }
  for (const url of ['http://example.com', 'x'])
    expect(() => new RestClient(process, { ...api, url })).toThrow('the address of GitHub')
})

test('ends its waits with the run', async () => {
  const { server } = await clientOf(status(429, { 'retry-after': '60' }))
  const run = new AbortController()
  const process = { env: {}, signal: run.signal, pause: 1000 }
  const api = { forge: 'GitHub', url: server.url, repository: '', headers: {}, token: undefined }
  const asked = new RestClient(process, api).send('GET', '/x')
  setTimeout(() => run.abort(), 50)
  await expect(asked).rejects.toMatchObject({ exitCode: 130 })
})

import { expect, it } from 'vitest'
import { arena, fleetOf, isFirst } from './arena.ts'
import { type Answer, guest, reply } from './service.ts'
import { all } from './survive.ts'

const quick = '--format json --timeout 2 --max-attempts 2 --max-wait 2'

/** Hostile values of Retry-After. */
const waits = [
  'Retry-After: 99999999999999999999',
  'Retry-After: 8640000000000',
  'Retry-After: 8640000000001',
  'Retry-After: 1e400',
  'Retry-After: 2147483648',
  'Retry-After: -1',
  'Retry-After: 0',
  'Retry-After: 0.0000001',
  'Retry-After: 0x7fffffff',
  'Retry-After:',
  'Retry-After: NaN',
  'Retry-After: Infinity',
  'Retry-After: Fri, 31 Dec 9999 23:59:59 GMT',
  'Retry-After: Sat, 13 Sep 275760 00:00:01 GMT',
  'Retry-After: Thu, 01 Jan 1970 00:00:00 GMT',
  `Retry-After: ${'9'.repeat(8000)}`,
  'Retry-After: 1\r\nRetry-After: 99999999999999999999'
]

function outcomesIn(stdout: string): number {
  const { summary }: { summary: Record<string, number> } = JSON.parse(stdout)
  return Object.values(summary).reduce((sum, count) => sum + count, 0)
}

const table = Object.fromEntries(waits.map(header => [header, header]))

it.each([429, 503])('Retry-After of an update, with %i', async status => {
  await all(table, async header => {
    const answer = reply(status, { detail: 'slow down' }, [header])
    const { run, service } = await arena(({ method }) => (method === 'PUT' ? answer : undefined))
    const line = `apply fleet --yes ${quick} --verify-timeout 1 --record record.jsonl`
    const { stdout } = await run(line, { codes: [5] })
    expect(outcomesIn(stdout)).toBe(2)
    expect(service.count('PUT')).toBeLessThanOrEqual(4)
  })
})

it('Retry-After of a list', async () => {
  await all(table, async header => {
    const { run, service } = await arena(request =>
      isFirst(request) ? reply(429, { detail: 'slow down' }, [header]) : undefined
    )
    const { stdout } = await run(`plan fleet ${quick}`, { codes: [5] })
    expect(JSON.parse(stdout).summary.sites).toBe(2)
    expect(service.requests.filter(isFirst).length).toBeLessThanOrEqual(2)
  })
})

it('Retry-After, shown as progress in text', async () => {
  await all(table, async header => {
    const { run } = await arena(({ method }) =>
      method === 'PUT' ? reply(429, { detail: 'slow down' }, [header]) : undefined
    )
    const line = 'apply fleet --yes --verbose --max-attempts 2 --max-wait 1 --verify-timeout 1'
    await run(line, { codes: [5] })
  })
})

/** Responses to every update. */
const endless: Readonly<Record<string, Answer>> = {
  '429, wait 1 s': reply(429, { detail: 'slow down' }, ['Retry-After: 1']),
  '429, wait 0 s': reply(429, { detail: 'slow down' }, ['Retry-After: 0']),
  '429': reply(429),
  '503': reply(503),
  '500 in HTML': reply(500, '<h1>Oops</h1>'),
  '200 without an object': reply(200, 'null'),
  '204': 'HTTP/1.1 204 No Content\r\n\r\n',
  'no response': 'hang up'
}

it('an update that is never accepted is sent at most six times', async () => {
  await all(endless, async answer => {
    const { run, service, write } = await arena(({ method }) =>
      method === 'PUT' ? answer : undefined
    )
    write('fleet/sites.yaml', fleetOf(1))
    await run('apply fleet --yes --format json --verify-timeout 1', { codes: [5] })
    expect(service.count('PUT')).toBeLessThanOrEqual(6)
  })
})

/** Raw responses to the list of one site; other headers are valid. */
const good = JSON.stringify([guest(0)])
const framed: Readonly<Record<string, string>> = {
  'a length beyond any number': `HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n${good}`,
  'a negative length': `HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n${good}`,
  'two lengths': `HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n${good}`,
  'a length and chunks': `HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n${good}`,
  'a chunk of no number': `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n${good}`,
  'a chunk beyond any number': `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'f'.repeat(64)}\r\n${good}`,
  'a header of 1 MiB': reply(200, good, [`x-long: ${'a'.repeat(1024 * 1024)}`]),
  '100,000 headers': reply(
    200,
    good,
    Array.from({ length: 100_000 }, (_, n) => `x-${n}: 1`)
  ),
  'a header with a NUL': reply(200, good, ['x-nul: a\0b']),
  'a header without a colon': reply(200, good, ['no colon']),
  'an encoding': reply(200, good, ['content-encoding: gzip']),
  'a redirect to itself': reply(302, '', ['location: /']),
  'a redirect elsewhere': reply(307, '', ['location: http://127.0.0.1:9/']),
  'another type': good.replace(
    /^/,
    'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9\r\n\r\n'
  ),
  'no HTTP': 'SSH-2.0-OpenSSH_9.6\r\n\r\n',
  'nothing but line breaks': '\r\n'.repeat(10_000),
  'HTTP 0.9': good
}

it('an invalid HTTP response does not stop the other sites from being reported', async () => {
  await all(framed, async answer => {
    const { run } = await arena(request => (isFirst(request) ? answer : undefined))
    const { stdout } = await run(`plan fleet ${quick}`, { codes: [5] })
    expect(JSON.parse(stdout).summary).toMatchObject({ sites: 2, sites_failed: 1, changed: 1 })
  })
})

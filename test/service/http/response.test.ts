import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ApiProblem } from '../../../src/service/http/error.ts'
import { json, raw, type Script } from '../../support/server.ts'
import { apiError, clients, SITE, scripted, WLAN } from '../support.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const HTML = { 'content-type': 'text/html' }
const MIB = 1024 * 1024

/** The result for each response to a list request. */
const answers: readonly (readonly [what: string, script: Script, problem: ApiProblem['kind']])[] = [
  ['an empty 200', raw('', JSON_TYPE), 'invalid-response'],
  ['200 without a type', raw('[]'), 'invalid-response'],
  ['a captive portal', raw('<html><title>Log in</title></html>', HTML), 'invalid-response'],
  ['JSON that is called text', raw('[]', { 'content-type': 'text/plain' }), 'invalid-response'],
  [
    'JSON that is called jsonp',
    raw('[]', { 'content-type': 'application/jsonp' }),
    'invalid-response'
  ],
  ['null', json(null), 'invalid-content'],
  ['an object', json({}), 'invalid-content'],
  ['an object like a list', json({ length: 0 }), 'invalid-content'],
  ['a list of null', json([null]), 'invalid-content'],
  ['a list of lists', json([[]]), 'invalid-content'],
  ['a list of empty objects', json([{}]), 'invalid-content'],
  ['truncated JSON', raw('[{"id":', JSON_TYPE), 'invalid-response'],
  ['JSON with trailing text', raw('[] []', JSON_TYPE), 'invalid-response'],
  ['invalid UTF-8', raw(Buffer.from('["\xff"]', 'latin1'), JSON_TYPE), 'invalid-response'],
  ['JSON a million deep', raw('['.repeat(1e6) + ']'.repeat(1e6), JSON_TYPE), 'invalid-content'],
  ['objects a million deep', raw('{"a":'.repeat(1e6), JSON_TYPE), 'invalid-content'],
  ['gzip', raw(gzipSync('[]'), { ...JSON_TYPE, 'content-encoding': 'gzip' }), 'invalid-content'],
  ['plain JSON called brotli', json([], { 'content-encoding': 'br' }), 'invalid-content'],
  ['204', raw('', {}, 204), 'invalid-response'],
  ['206', json([], {}, 206), 'invalid-response'],
  ['300', json([], {}, 300), 'redirect'],
  ['304', raw('', {}, 304), 'redirect'],
  ['302 without a location', raw('', {}, 302), 'redirect'],
  ['400', json({ detail: 'no' }, {}, 400), 'status'],
  ['404 with an id', json({ id: SITE.id }, {}, 404), 'status'],
  ['500 without a body', raw('', {}, 500), 'status'],
  ['502 of a proxy', raw('<html>Bad Gateway</html>', HTML, 502), 'status'],
  ['an unknown status', json([], {}, 799), 'status'],
  ['17 MiB', raw(Buffer.alloc(17 * MIB, 0x20), JSON_TYPE), 'invalid-content'],
  ['a body longer than its length', overlong, 'invalid-content'],
  ['a truncated body', truncated, 'invalid-response'],
  ['truncated chunks', truncatedChunks, 'invalid-response'],
  ['a reset', (_, response) => response.socket?.resetAndDestroy(), 'network'],
  ['a hang-up', (_, response) => response.socket?.destroy(), 'network'],
  ['no HTTP', (_, response) => response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'), 'invalid-response'],
  ['headers without end', endlessHeaders, 'invalid-response']
]

function truncated(_: unknown, response: Parameters<Script>[1]): void {
  response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' })
  response.write('[]', () => response.socket?.destroy())
}

function truncatedChunks(_: unknown, response: Parameters<Script>[1]): void {
  response.writeHead(200, JSON_TYPE)
  response.write('[]', () => response.socket?.destroy())
}

/** More than 16 MiB of chunks, without a header for the total. */
function overlong(_: unknown, response: Parameters<Script>[1]): void {
  response.writeHead(200, JSON_TYPE)
  const chunk = Buffer.alloc(MIB, 0x20)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    response.once('drain', more)
  }
  more()
}

function endlessHeaders(_: unknown, response: Parameters<Script>[1]): void {
  response.socket?.write(`HTTP/1.1 200 OK\r\n${'x-more: and more\r\n'.repeat(5000)}`)
}

describe('an invalid list of WLANs', () => {
  test.each(answers)('%s', async (_, script, kind) => {
    const server = await scripted(script)
    const { reader } = clients(server.url)
    const error = await apiError(reader.listWlans(SITE))
    expect(error.problem.kind).toBe(kind)
    expect(error.exitCode).toBe(1)
    expect(error.message).toContain(`GET /api/v1/sites/${SITE.id}/wlans: `)
    expect(reader.requests).toBe(1)
    server.script(json([]))
    expect(await reader.listWlans(SITE)).toEqual({ site: SITE, wlans: [] })
  })

  test.each([
    ['null', json(null), 'invalid-content'],
    ['a list', json([]), 'invalid-content'],
    ['202', json({}, {}, 202), 'invalid-response'],
    ['HTML', raw('<html></html>', HTML), 'invalid-response']
  ])('an invalid response to an update: %s', async (_, script, kind) => {
    const server = await scripted(script)
    const error = await apiError(clients(server.url).writer.updateWlan(SITE, WLAN, {}))
    expect(error.problem).toEqual({ kind })
  })
})

test.each(['application/json', 'application/json; charset=utf-8', 'application/problem+json'])(
  'JSON is described as %s',
  async type => {
    const server = await scripted(raw('\ufeff[]', { 'content-type': type }))
    expect((await clients(server.url).reader.listWlans(SITE)).wlans).toEqual([])
  }
)

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    '%i is not followed, and the error names the host',
    async status => {
      const other = await scripted(json([]))
      const location = `${other.url}/steal?it=1`
      const server = await scripted(raw('', { location }, status))
      const { writer } = clients(server.url)
      const asked = [writer.listWlans(SITE), writer.updateWlan(SITE, WLAN, { ssid: 'x' })]
      for (const error of await Promise.all(asked.map(apiError))) {
        expect(error.problem).toEqual({ kind: 'redirect' })
        expect(error.message).toContain(`127.0.0.1:${other.port}`)
        expect(error.message).not.toContain('steal')
      }
      expect(other.arrivals).toEqual([])
    }
  )

  test.each([
    ['//evil.example/x', 'to the host evil.example'],
    ['https://Evil.Example/x//y', 'to the host Evil.Example'],
    ['https://me:hunter2@evil.example:8443/', 'to the host evil.example:8443'],
    ['/login', 'to the same host'],
    ['', 'to the same host'],
    ['https://', 'to an invalid address']
  ])('the message for the location %j: %s', async (location, said) => {
    const server = await scripted(raw('', { location }, 302))
    const { message } = await apiError(clients(server.url).reader.listWlans(SITE))
    expect(message.endsWith(said)).toBe(true)
  })
})

describe('a status', () => {
  test('is reported even if its body hangs', async () => {
    const server = await scripted((_, response) => {
      response.writeHead(503, JSON_TYPE).write('{')
    })
    const { problem } = await apiError(clients(server.url).reader.listWlans(SITE))
    expect(problem).toEqual({ kind: 'status', status: 503 })
  })

  test('with a body of any size reads only its beginning', async () => {
    const server = await scripted((arrival, response) => {
      response.statusCode = 500
      response.setHeader('content-type', 'text/plain')
      raw(Buffer.alloc(8 * MIB, 0x61), {}, 500)(arrival, response)
    })
    const error = await apiError(clients(server.url).reader.listWlans(SITE))
    expect(error.message.endsWith(': 500')).toBe(true)
  })
})

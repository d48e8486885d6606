import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { selfSigned } from '../support/certificate.ts'
import { json, raw, type Script, serve } from '../support/server.ts'
import { stage } from '../support/stage.ts'

const elsewhere: Script = (_, response) =>
  void response.writeHead(302, { location: 'https://login.example.com/x?token=1' }).end()

describe('a proxy of the environment', () => {
  /** Starts a proxy that connects every host to one port, or to none. */
  async function proxyTo(port?: number) {
    const asked: (readonly [host: string | undefined, as: string | undefined])[] = []
    const proxy = createServer().on('connect', (request, socket) => {
      asked.push([request.url, request.headers['proxy-authorization']])
      if (port === undefined) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      const there = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      return socket.pipe(there).pipe(socket)
    })
    await new Promise<void>(listening => proxy.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void proxy.close())
    return { asked, host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }
  }

  const service = { WLANCTL_BASE_URL: 'https://service.invalid' }

  it('is used, and its password is redacted', async () => {
    const { runBuilt, write } = await stage()
    const tls = selfSigned('service.invalid')
    const server = await serve(json([]), tls)
    onTestFinished(server.close)
    const { asked, host } = await proxyTo(server.port)
    const url = `http://user:hunter2@${host}`
    const trusted = { NODE_EXTRA_CA_CERTS: write('ca.pem', tls.cert) }
    // Node reads the certificates only when it starts.
    const output = await runBuilt('plan fleet', { ...service, ...trusted, HTTPS_PROXY: url })
    expect(output).toMatchObject({ code: 5, stdout: expect.stringContaining('WLAN_NOT_FOUND') })
    expect(output.stdout + output.stderr).not.toContain('hunter2')
    const user = `Basic ${Buffer.from('user:hunter2').toString('base64')}`
    expect(asked).toEqual([['service.invalid:443', user]])
    expect(server.arrivals).toMatchObject([
      { method: 'GET', headers: { authorization: expect.stringMatching(/^Token /) } }
    ])
  })

  it('that rejects the request is named, and is no internal error', async () => {
    const { run } = await stage()
    const { host } = await proxyTo()
    const env = { ...service, HTTPS_PROXY: `http://${host}` }
    const output = await run('plan fleet --max-attempts 1', env)
    expect(output).toMatchObject({ code: 5, stdout: expect.stringContaining('the proxy refuses') })
    expect(output.stderr).not.toContain('bug')
  })
})

describe('several tokens', () => {
  const tokens = 'token-of-alice,token-of-bob'

  it('continue without a rejected one, identified by its position', async () => {
    const { run, simulator } = await stage({ token: tokens })
    const change = { WLANCTL_API_TOKEN: `token-of-mallory,${tokens}` }
    const { code, stderr } = await run('apply fleet --yes', change)
    expect(stderr).toContain('the service rejected token 1 of 3; continuing without it')
    expect(code).toBe(0)
    expect(stderr).not.toContain('token-of')
    expect(simulator.requests.filter(({ status }) => status === 401)).toHaveLength(1)
  })
})

describe('an address without the service', () => {
  it.each<[string, Script, string]>([
    [
      'an HTML page',
      raw('<html>Welcome</html>', { 'content-type': 'text/html' }),
      'unexpected response: expected the content type of JSON'
    ],
    [
      'an HTML page, with a hint',
      raw('<html>Welcome</html>', { 'content-type': 'text/html; charset=utf-8' }),
      'this is a web page, as of a captive portal'
    ],
    ['a redirect', elsewhere, 'which is not followed: to the host login.example.com'],
    ['an invalid token', raw('{"detail":"Invalid token."}', {}, 401), '401']
  ])('%s: reported once, and nothing is written', async (_, script, message) => {
    const server = await serve(script)
    onTestFinished(() => server.close())
    const { run } = await stage()
    const once = `--max-attempts 1 --base-url ${server.url}`
    const { code, stdout, stderr } = await run(`apply fleet --yes ${once}`)
    expect(stdout).toContain('1 site not read')
    expect(code).toBe(5)
    expect(stderr).toContain(message)
    expect(server.arrivals.map(({ method }) => method)).toEqual(['GET'])
    const listed = await run(`token list ${once}`)
    expect(listed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
  })
})

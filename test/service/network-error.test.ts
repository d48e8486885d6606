import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/core/model/failure.ts'
import { proxySettings } from '../../src/service/http/connection.ts'
import { networkError } from '../../src/service/http/http-connection.ts'
import { selfSigned } from '../support/certificate.ts'
import { json } from '../support/server.ts'
import { apiError, clients, connectionTo, SITE, scripted, TOKEN, WLAN } from './support.ts'

describe('an unreachable host', () => {
  test('is reported if nothing listens', async () => {
    const server = await scripted(json([]))
    await server.close()
    const error = await apiError(clients(server.url).writer.updateWlan(SITE, WLAN, {}))
    expect(error.problem).toEqual({ kind: 'network', code: 'ECONNREFUSED', sent: 'no' })
    expect(error.message).toContain(`127.0.0.1:${server.port}: connection refused`)
    expect(error.hint).toContain('--base-url')
  })

  test('is reported if its certificate is not trusted, and gets no token', async () => {
    const server = await scripted(json([]), selfSigned())
    const error = await apiError(clients(server.url).reader.listWlans(SITE))
    expect(error.problem).toEqual({
      kind: 'network',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      sent: 'no'
    })
    expect(error.hint).toContain('NODE_EXTRA_CA_CERTS')
    expect(server.arrivals).toEqual([])
  })

  test('gets no token either if the environment of the process turns the verification off', async () => {
    const variable = 'NODE_TLS_REJECT_UNAUTHORIZED'
    const before = process.env[variable]
    process.env[variable] = '0'
    onTestFinished(() => {
      if (before === undefined) delete process.env[variable]
      else process.env[variable] = before
    })
    const server = await scripted(json([]), selfSigned())
    const error = await apiError(clients(server.url).reader.listWlans(SITE))
    expect(error.problem).toMatchObject({ kind: 'network', sent: 'no' })
    expect(server.arrivals).toEqual([])
  })

  test('is reported if it does not use TLS', async () => {
    const server = await scripted(json([]))
    const { reader } = clients(server.url.replace('http:', 'https:'))
    const error = await apiError(reader.listWlans(SITE))
    expect(error.problem.kind).toBe('network')
    expect(error.message).toContain('it does not use TLS')
    expect(server.arrivals).toEqual([])
  })

  test('that closes the connection after the request may have processed it', async () => {
    const server = await scripted((_, response) => response.socket?.destroy())
    const error = await apiError(clients(server.url).writer.updateWlan(SITE, WLAN, {}))
    expect(error.problem).toMatchObject({ kind: 'network', sent: 'perhaps' })
    expect(server.arrivals).toHaveLength(1)
  })
})

describe('a network error', () => {
  const coded = (code: string, members: object = {}) =>
    Object.assign(new Error('token in it'), { code, ...members })
  const refused = coded('ECONNREFUSED', { syscall: 'connect' })

  test.each([
    [coded('ENOTFOUND', { syscall: 'getaddrinfo' }), 'no'],
    [refused, 'no'],
    [Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' }), 'no'],
    [coded('EHOSTUNREACH', { syscall: 'connect' }), 'no'],
    [coded('ETIMEDOUT', { syscall: 'connect' }), 'no'],
    [coded('UND_ERR_CONNECT_TIMEOUT'), 'no'],
    [coded('CERT_HAS_EXPIRED'), 'no'],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'no'],
    [coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'no'],
    [coded('UND_ERR_PRX_TLS'), 'no'],
    [coded('EHOSTUNREACH', { syscall: 'write' }), 'perhaps'],
    [coded('ETIMEDOUT', { syscall: 'read' }), 'perhaps'],
    [coded('ECONNRESET', { syscall: 'read' }), 'perhaps'],
    [coded('EPIPE', { syscall: 'write' }), 'perhaps'],
    [coded('UND_ERR_SOCKET'), 'perhaps'],
    [coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'perhaps'],
    [coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'perhaps'],
    [coded('E_NOBODY_KNOWS'), 'perhaps']
  ])('%s has a message of wlanctl', (thrown, sent) => {
    const fault = networkError(thrown, 'api.example.com', false)
    expect(fault.problem).toEqual({ kind: 'network', code: thrown.code, sent })
    expect(fault.message).toMatch(/^no response from api\.example\.com: .+ \([A-Z\d_]+\)$/)
    expect(fault.message).not.toContain('token')
  })

  test.each([
    [new Error('token in it'), 'network'],
    [new TypeError('token in it'), 'network'],
    [coded('UND_ERR_INVALID_ARG'), 'network'],
    [coded('UND_ERR_NOT_SUPPORTED'), 'network'],
    [coded('ERR_INVALID_ARG_TYPE'), 'network'],
    ['token', 'network'],
    [undefined, 'network'],
    [coded('ERR_ASSERTION'), 'invalid-response'],
    [coded('HPE_INVALID_CONSTANT'), 'invalid-response'],
    [coded('UND_ERR_HEADERS_OVERFLOW'), 'invalid-response']
  ])('fails its request, whatever the error is: %s', (thrown, kind) => {
    const fault = networkError(thrown, 'api.example.com', false)
    expect(fault.problem.kind).toBe(kind)
    expect(fault.message).not.toContain('token')
  })

  test('names the proxy if there is one', () => {
    expect(networkError(refused, 'x', true).details.hint).toContain('HTTPS_PROXY')
    expect(networkError(refused, 'x', false).details.hint).not.toContain('HTTPS_PROXY')
  })
})

describe('a proxy', () => {
  /** A proxy with this response to CONNECT; returns its address and the request heads. */
  async function proxy(answer: string) {
    const seen: (readonly [string | undefined, string | undefined])[] = []
    const server = createServer()
    server.on('connect', (request, socket) => {
      seen.push([request.url, request.headers['proxy-authorization']])
      socket.end(answer)
    })
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    return { seen, address: `127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  test('of the environment is used for an https host, and its password is redacted', async () => {
    const { seen, address } = await proxy('HTTP/1.1 407 No\r\n\r\n')
    const env = { HTTPS_PROXY: `http://user:hunter2@${address}` }
    const { reader } = clients('https://service.invalid', { env })
    const error = await apiError(reader.listWlans(SITE))
    expect(seen).toEqual([
      ['service.invalid:443', `Basic ${Buffer.from('user:hunter2').toString('base64')}`]
    ])
    expect(error.problem).toMatchObject({ kind: 'network', sent: 'no' })
    expect(error.message).toContain('407')
    expect(error.message + error.hint).not.toMatch(/hunter2|Basic/)
    expect(JSON.stringify(seen)).not.toContain(TOKEN)
  })

  test('is not used for localhost', async () => {
    const { seen, address } = await proxy('HTTP/1.1 407 No\r\n\r\n')
    const url = `http://${address}`
    const env = { HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url }
    const server = await scripted(json([]))
    await clients(server.url, { env }).reader.listWlans(SITE)
    expect(server.arrivals).toHaveLength(1)
    expect(seen).toEqual([])
  })

  const none = { httpProxy: '', httpsProxy: '', noProxy: '' }
  const set = 'http://proxy.example.com:3128'

  test.each<[Record<string, string>, object]>([
    [{}, none],
    [{ HTTPS_PROXY: set }, { ...none, httpsProxy: set }],
    [
      { https_proxy: set, HTTPS_PROXY: 'http://other' },
      { ...none, httpsProxy: set }
    ],
    [{ https_proxy: '', HTTPS_PROXY: set }, none],
    [{ HTTPS_PROXY: 'proxy.example.com:3128' }, { ...none, httpsProxy: set }],
    [{ HTTP_PROXY: set, ALL_PROXY: set }, none],
    [
      { HTTPS_PROXY: set, NO_PROXY: 'a, .b' },
      { ...none, httpsProxy: set, noProxy: 'a, .b' }
    ]
  ])('is read from %j', (env, settings) => {
    expect(proxySettings(connectionTo('https://api.example.com', { env }))).toEqual(settings)
  })

  test.each([
    'socks5://hunter2@x',
    'http://',
    'http://u:hunter2%@x',
    'hunter2 x',
    'file:///hunter2',
    'http://u:hunter2@x/path',
    'http://u:hunter2@x?hunter2',
    'http://u:hunter2@x/#hunter2'
  ])('%s is rejected by the name of its variable, without its value', address => {
    for (const variable of ['HTTPS_PROXY', 'https_proxy']) {
      const opening = () => clients('https://api.example.com', { env: { [variable]: address } })
      expect(opening).toThrow(Failure)
      expect(opening).toThrow(new RegExp(`^${variable} `))
      expect(opening).not.toThrow(/hunter2/)
    }
  })
})

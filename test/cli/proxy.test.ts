import { createServer, type Server } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { HQ } from '../simulator/simulate.ts'
import { selfSigned } from '../support/certificate.ts'
import { stage } from '../support/stage.ts'

const HOST = 'wlan.example'

async function listening(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

it('reaches the service through a proxy, whose password it does not show', async () => {
  const { key, cert } = selfSigned(HOST)
  const heads: unknown[] = []
  const service = await listening(
    createSecure({ key, cert }, (request, response) => {
      heads.push([request.headers.host, request.headers.authorization])
      const live = [{ id: '7d6f1c5e-0000-4000-8000-000000000001', site_id: HQ, ssid: 'Corp' }]
      response.setHeader('content-type', 'application/json').end(JSON.stringify(live))
    })
  )
  const proxy = createServer()
  proxy.on('connect', (request, socket) => {
    heads.push([request.url, request.headers['proxy-authorization']])
    const onward = connect(service, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    for (const side of [socket, onward]) side.on('error', () => undefined)
  })
  const port = await listening(proxy)
  const { run, write } = await stage()
  const { code, stdout, stderr } = await run('plan fleet --wlan corp', {
    WLANCTL_BASE_URL: `https://${HOST}`,
    HTTPS_PROXY: `http://user:hunter2@127.0.0.1:${port}`,
    NODE_EXTRA_CA_CERTS: write('ca.pem', cert)
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('Plan: 1 WLAN to change')
  expect(stdout + stderr).not.toContain('hunter2')
  expect(heads).toEqual([
    [`${HOST}:443`, `Basic ${Buffer.from('user:hunter2').toString('base64')}`],
    [HOST, expect.stringMatching(/^Token /)]
  ])
})

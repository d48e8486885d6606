import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A service that sends any bytes, as a TCP server: Node's HTTP servers cannot send invalid HTTP. */

export interface Request {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** The bytes of a response, `'hang up'` to close the connection, or undefined for a healthy response. */
export type Answer = string | Buffer | undefined

export interface Service {
  readonly url: string
  readonly requests: readonly Request[]
  /** The number of requests with a method. */
  count(method: string): number
}

/** A response with a body, which is encoded as JSON unless it is a string. */
export function reply(
  status: number | string,
  body: unknown = {},
  headers: readonly string[] = []
): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const lines = [
    `HTTP/1.1 ${status} Answer`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers
  ]
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}

/** The id of the nth site, or of its WLAN. */
export const siteId = (n: number) => `4ac1dcf4-0000-4000-8000-${hex(n)}`
export const wlanId = (n: number) => `7d6f1c5e-0000-4000-8000-${hex(n)}`

const hex = (n: number) => n.toString(16).padStart(12, '0')

/** The live WLAN of the nth site. */
export function guest(n: number): Record<string, unknown> {
  return { id: wlanId(n), site_id: siteId(n), ssid: 'Guest', enabled: true, vlan_id: 10 }
}

/** Serves one WLAN, `guest`, on every site, unless `answer` overrides it. */
export async function hostile(answer: (request: Request) => Answer): Promise<Service> {
  const requests: Request[] = []
  const changed = new Map<string, object>()
  const healthy = ({ method, path, body }: Request): string => {
    const [, , , , site = '', , wlan] = path.split('?')[0]?.split('/') ?? []
    const n = Number.parseInt(site.slice(-12), 16)
    if (method === 'PUT') changed.set(site, { ...changed.get(site), ...JSON.parse(body) })
    const live = { ...guest(n), ...changed.get(site) }
    return reply(200, wlan === undefined ? [live] : live)
  }
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    onRequest(socket, request => {
      requests.push(request)
      const bytes = answer(request) ?? healthy(request)
      if (bytes === 'hang up') socket.destroy()
      else socket.write(bytes)
    })
  })
  const sockets = new Set<Socket>()
  server.on('connection', socket => sockets.add(socket))
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    count: method => requests.filter(request => request.method === method).length
  }
}

/** Calls back for each request of a connection, with its body. */
function onRequest(socket: Socket, take: (request: Request) => void): void {
  let read = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    read += text
    for (;;) {
      const end = read.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = read.slice(0, end)
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
      if (read.length < end + 4 + length) return
      const body = read.slice(end + 4, end + 4 + length)
      read = read.slice(end + 4 + length)
      const [method = '', path = ''] = head.split(' ')
      take({ method, path, body })
    }
  })
}

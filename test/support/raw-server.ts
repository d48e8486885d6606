import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RawServer {
  readonly url: string
  /** The request lines so far, e.g. `GET /api/v1/…`. */
  readonly asked: readonly string[]
}

/** The raw response to a request; the connection is closed after it. */
export type RawScript = (request: string, nth: number) => string

/** A server for this test that sends the bytes of the script, valid HTTP or not. */
export async function rawServer(script: RawScript): Promise<RawServer> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    let text = ''
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      if (!isComplete(text)) return
      const [line = ''] = text.split(' HTTP/1.1')
      text = ''
      asked.push(line)
      socket.end(script(line, asked.length), 'latin1')
    })
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** A response with this status line, these headers and a body of matching length. */
export function rawResponse(
  status: string,
  headers: Readonly<Record<string, string>>,
  body: string
): string {
  const all = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`
}

function isComplete(request: string): boolean {
  const [head = '', ...body] = request.split('\r\n\r\n')
  if (body.length === 0) return false
  const length = /content-length: (\d+)/i.exec(head)?.[1] ?? '0'
  return body.join('\r\n\r\n').length >= Number(length)
}

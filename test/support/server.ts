import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** A request as it arrived. */
export interface Arrival {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Responds to a request; a response that is not ended hangs. */
export type Script = (arrival: Arrival, response: ServerResponse) => void

export interface ScriptedServer {
  readonly url: string
  readonly port: number
  /** All requests so far. */
  readonly arrivals: readonly Arrival[]
  /** The number of accepted TCP connections. */
  readonly connections: number
  /** The maximum number of concurrent requests. */
  readonly busiest: number
  /** Replaces the script. */
  script(script: Script): void
  close(): Promise<void>
}

/** Starts a scripted server on a free loopback port, which logs its requests. */
export async function serve(
  first: Script,
  tls?: { readonly key: string; readonly cert: string }
): Promise<ScriptedServer> {
  const arrivals: Arrival[] = []
  let script = first
  let connections = 0
  let busy = 0
  let busiest = 0
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    busy += 1
    busiest = Math.max(busy, busiest)
    response.on('close', () => {
      busy -= 1
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const arrival = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
    arrivals.push(arrival)
    script(arrival, response)
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch(() => response.destroy())
  }
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    arrivals,
    get connections() {
      return connections
    },
    get busiest() {
      return busiest
    },
    script(next) {
      script = next
    },
    close: () =>
      new Promise(closed => {
        server.close(() => closed())
        server.closeAllConnections()
      })
  }
}

/** A script that responds with JSON. */
export function json(value: unknown, headers: Record<string, string> = {}, status = 200): Script {
  return raw(JSON.stringify(value), { 'content-type': 'application/json', ...headers }, status)
}

/** A script that responds with raw bytes. */
export function raw(
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  status = 200
): Script {
  return (_, response) => {
    response.writeHead(status, headers).end(body)
  }
}

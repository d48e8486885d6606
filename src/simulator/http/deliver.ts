import type { ServerResponse } from 'node:http'
import type { Reply } from './answers.ts'

/** Puts a reply on the wire, or does to the connection what a fault does to it. */
export function deliver(response: ServerResponse, reply: Reply): void {
  switch (reply.delivery) {
    case 'whole':
    case 'cut': {
      const { status, headers, body } = reply.answer
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      response.writeHead(status, { 'content-length': bytes.length, ...headers })
      if (reply.delivery === 'whole') response.end(bytes)
      else response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
      return
    }
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'silence':
      return
  }
}

import type { IncomingMessage } from 'node:http'
import type { Call } from './call.ts'

/** Reads a request. Rejects if the client goes away before its body has come. */
export async function receive(request: IncomingMessage): Promise<Call> {
  const { method = 'GET', url: target = '/', headers } = request
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark))
  return { method, path, query, target, headers, text: await textOf(request) }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

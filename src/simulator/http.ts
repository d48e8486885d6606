import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { isJsonObject, type Json, type JsonObject, parseJson } from './json.ts'

/** An HTTP answer before it is put on the wire. */
export interface SimulatedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Bytes where a test wants an answer that is not UTF-8. */
  readonly body: string | Uint8Array
}

/** What becomes of a call: an answer, whole or cut in the middle; a reset; or nothing, ever. */
export type Delivery =
  | { readonly delivery: 'whole' | 'cut'; readonly answer: SimulatedResponse }
  | { readonly delivery: 'reset' | 'silence' }

export function deliverWhole(answer: SimulatedResponse): Delivery {
  return { delivery: 'whole', answer }
}

type Headers = SimulatedResponse['headers']

export function jsonResponse(
  status: number,
  value: Json,
  headers: Headers = {}
): SimulatedResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value)
  }
}

/** The service's success is 200 throughout, creation included. */
export function okResponse(value: Json, headers?: Headers): SimulatedResponse {
  return jsonResponse(200, value, headers)
}

/** The documented error body of 400, 401, 403 and 429. */
export function errorResponse(
  status: number,
  detail: string,
  headers?: Headers
): SimulatedResponse {
  return jsonResponse(status, { detail }, headers)
}

/** The documented body of a 404, which is unlike all others: one member `id` and no `detail`. */
export function notFoundResponse(id: string): SimulatedResponse {
  return jsonResponse(404, { id })
}

/** Complaints about single fields, in the form that the service's framework gives them. */
export function fieldErrorsResponse(problems: Readonly<Record<string, string>>): SimulatedResponse {
  return jsonResponse(
    400,
    Object.fromEntries(Object.entries(problems).map(([field, problem]) => [field, [problem]]))
  )
}

/** Too many requests, with the seconds to wait. */
export function rateLimitResponse(seconds: number): SimulatedResponse {
  return errorResponse(429, 'Request limit exceeded.', { 'retry-after': String(seconds) })
}

/** Another place to ask, as a proxy or a login page gives it. */
export function redirectResponse(location: string): SimulatedResponse {
  return { status: 302, headers: { location }, body: '' }
}

/** A page that is not the service's: what a proxy or a captive portal answers. */
export function htmlResponse(status: number, title: string): SimulatedResponse {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  }
}

/** A request as it came in, its body read to the end. */
export interface SimulatedRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path and query, as sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** The body's text; empty where there was none. */
  readonly body: string
}

/** The JSON object in a call's body, or the 400 that the service answers instead. */
export function parseBody(
  call: SimulatedRequest
): { readonly body: JsonObject } | { readonly refused: SimulatedResponse } {
  const body = parseJson(call.body)
  if (body === undefined) return { refused: errorResponse(400, 'JSON parse error') }
  if (!isJsonObject(body)) return { refused: errorResponse(400, 'Expected a JSON object.') }
  return { body }
}

/** Reads a request. Rejects if the client goes away before its body has come. */
export async function readRequest(request: IncomingMessage): Promise<SimulatedRequest> {
  const { method = 'GET', url: target = '/', headers } = request
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark))
  return { method, path, query, target, headers, body: await readBody(request) }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Puts a reply on the wire, or does to the connection what a fault does to it. */
export function sendDelivery(response: ServerResponse, reply: Delivery): void {
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

/** The service's page where nothing else is asked, and the most that may be asked. */
export const DEFAULT_PAGE_SIZE = 100
const MAX_PAGE_SIZE = 1000

/** The part of a list that a request asks for. */
export interface ListPage<T> {
  readonly items: readonly T[]
  readonly headers: SimulatedResponse['headers']
}

/**
 * Cuts a list as the service does: `page` counts from 1, `limit` goes up to 1,000 and larger ones
 * are taken as 1,000. The `X-Page-*` headers are there where a page was asked for or where the list
 * is longer than one; a page beyond the end is empty. A number that is none is a 400.
 */
export function paginate<T>(
  list: readonly T[],
  query: URLSearchParams,
  pageSize: number
): ListPage<T> | SimulatedResponse {
  const page = positiveInteger(query.get('page') ?? '1')
  const asked = positiveInteger(query.get('limit') ?? String(pageSize))
  if (page === undefined) return errorResponse(400, 'page must be a positive integer')
  if (asked === undefined) return errorResponse(400, 'limit must be a positive integer')
  const limit = Math.min(asked, MAX_PAGE_SIZE)
  if (list.length <= limit && query.size === 0) return { items: list, headers: {} }
  return {
    items: list.slice((page - 1) * limit, page * limit),
    headers: {
      'x-page-limit': String(limit),
      'x-page-page': String(page),
      'x-page-total': String(list.length)
    }
  }
}

function positiveInteger(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

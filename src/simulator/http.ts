import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { isObject } from '../core/values/value.ts'
import { type Json, type JsonObject, tryParseJson } from './json.ts'

export interface SimulatedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Bytes for a response that is not UTF-8. */
  readonly body: string | Uint8Array
}

/** The delivery to the client: a response, complete or truncated; a connection reset; or nothing at all. */
export type Delivery =
  | { readonly delivery: 'whole' | 'cut'; readonly response: SimulatedResponse }
  | { readonly delivery: 'reset' | 'no-response' }

export function deliverWhole(response: SimulatedResponse): Delivery {
  return { delivery: 'whole', response }
}

type Headers = SimulatedResponse['headers']

function jsonResponse(status: number, value: Json, headers: Headers = {}): SimulatedResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value)
  }
}

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

/** The documented body of a 404, which differs from all others: one member `id` and no `detail`. */
export function notFoundResponse(id: string): SimulatedResponse {
  return jsonResponse(404, { id })
}

/** Errors of single fields, in the format of the service's framework. */
export function fieldErrorsResponse(problems: Readonly<Record<string, string>>): SimulatedResponse {
  return jsonResponse(
    400,
    Object.fromEntries(Object.entries(problems).map(([field, problem]) => [field, [problem]]))
  )
}

export function rateLimitResponse(seconds: number): SimulatedResponse {
  return errorResponse(429, 'Request limit exceeded.', { 'retry-after': String(seconds) })
}

export function redirectResponse(location: string): SimulatedResponse {
  return { status: 302, headers: { location }, body: '' }
}

export function htmlResponse(status: number, title: string): SimulatedResponse {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  }
}

export interface SimulatedRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path and query, as sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The JSON object in a request's body, or the service's 400 response. */
export function parseBody(
  request: SimulatedRequest
): { readonly body: JsonObject } | { readonly refused: SimulatedResponse } {
  const body = tryParseJson(request.body)
  if (body === undefined) return { refused: errorResponse(400, 'JSON parse error') }
  if (!isObject(body)) return { refused: errorResponse(400, 'Expected a JSON object.') }
  return { body }
}

/** Reads a request. Rejects if the client disconnects before the end of the body. */
export async function readRequest(request: IncomingMessage): Promise<SimulatedRequest> {
  const { method = 'GET', url: target = '/', headers } = request
  const queryStart = target.indexOf('?')
  const path = queryStart < 0 ? target : target.slice(0, queryStart)
  const query = new URLSearchParams(queryStart < 0 ? '' : target.slice(queryStart))
  return { method, path, query, target, headers, body: await readBody(request) }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

export function sendDelivery(response: ServerResponse, delivery: Delivery): void {
  switch (delivery.delivery) {
    case 'whole':
    case 'cut': {
      const { status, headers, body } = delivery.response
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      response.writeHead(status, { 'content-length': bytes.length, ...headers })
      if (delivery.delivery === 'whole') response.end(bytes)
      else response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
      return
    }
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'no-response':
      return
  }
}

/** The service's page size for requests without `limit`, and the maximum `limit`. */
export const DEFAULT_PAGE_SIZE = 100
const MAX_PAGE_SIZE = 1000

/**
 * A page of a list, as the service returns it: `page` counts from 1, and a `limit` above 1,000 counts as 1,000. The
 * `X-Page-*` headers are present if the request has a query or the list exceeds one page; a page beyond
 * the end is empty. An invalid number is a 400.
 */
export function pageResponse(
  list: readonly JsonObject[],
  query: URLSearchParams,
  pageSize: number,
  show: (record: JsonObject) => JsonObject = record => record
): SimulatedResponse {
  const page = positiveInteger(query.get('page') ?? '1')
  const requested = positiveInteger(query.get('limit') ?? String(pageSize))
  if (page === undefined) return errorResponse(400, 'page must be a positive integer')
  if (requested === undefined) return errorResponse(400, 'limit must be a positive integer')
  const limit = Math.min(requested, MAX_PAGE_SIZE)
  if (list.length <= limit && query.size === 0) return okResponse(list.map(show))
  return okResponse(list.slice((page - 1) * limit, page * limit).map(show), {
    'x-page-limit': String(limit),
    'x-page-page': String(page),
    'x-page-total': String(list.length)
  })
}

function positiveInteger(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

export type Route =
  | { readonly kind: 'tokens' }
  | { readonly kind: 'sites'; readonly org: string }
  | { readonly kind: 'wlans'; readonly site: string }
  | { readonly kind: 'wlan'; readonly site: string; readonly wlan: string }

const routes: readonly {
  readonly kind: Route['kind']
  readonly path: RegExp
  readonly methods: readonly string[]
}[] = [
  { kind: 'tokens', path: /^\/api\/v1\/self\/apitokens$/, methods: ['GET', 'POST'] },
  { kind: 'sites', path: /^\/api\/v1\/orgs\/(?<org>[^/]+)\/sites$/, methods: ['GET'] },
  { kind: 'wlans', path: /^\/api\/v1\/sites\/(?<site>[^/]+)\/wlans$/, methods: ['GET'] },
  {
    kind: 'wlan',
    path: /^\/api\/v1\/sites\/(?<site>[^/]+)\/wlans\/(?<wlan>[^/]+)$/,
    methods: ['GET', 'PUT']
  }
]

export function matchRoute(path: string): Route | undefined {
  for (const { kind, path: pattern } of routes) {
    const found = pattern.exec(path)
    if (found !== null) return { kind, ...found.groups } as Route
  }
  return undefined
}

export function checkMethod(route: Route, method: string): SimulatedResponse | undefined {
  const own = routes.find(({ kind }) => kind === route.kind)?.methods ?? []
  const allowed = [...own, 'OPTIONS']
  const headers = { allow: allowed.join(', ') }
  if (method === 'OPTIONS') return jsonResponse(200, {}, headers)
  if (allowed.includes(method)) return undefined
  return errorResponse(405, `Method "${method}" not allowed.`, headers)
}

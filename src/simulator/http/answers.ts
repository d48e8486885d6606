import type { Json } from '../json.ts'

/** An HTTP answer before it is put on the wire. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Bytes where a test wants an answer that is not UTF-8. */
  readonly body: string | Uint8Array
}

/** What becomes of a call: an answer, whole or cut in the middle; a reset; or nothing, ever. */
export type Reply =
  | { readonly delivery: 'whole' | 'cut'; readonly answer: Answer }
  | { readonly delivery: 'reset' | 'silence' }

export function whole(answer: Answer): Reply {
  return { delivery: 'whole', answer }
}

type Headers = Answer['headers']

export function json(status: number, value: Json, headers: Headers = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value)
  }
}

/** The service's success is 200 throughout, creation included. */
export function ok(value: Json, headers?: Headers): Answer {
  return json(200, value, headers)
}

/** The documented error body of 400, 401, 403 and 429. */
export function refusal(status: number, detail: string, headers?: Headers): Answer {
  return json(status, { detail }, headers)
}

/** The documented body of a 404, which is unlike all others: one member `id` and no `detail`. */
export function notFound(id: string): Answer {
  return json(404, { id })
}

/** Complaints about single fields, in the form that the service's framework gives them. */
export function fieldErrors(problems: Readonly<Record<string, string>>): Answer {
  return json(
    400,
    Object.fromEntries(Object.entries(problems).map(([field, problem]) => [field, [problem]]))
  )
}

/** Too many requests, with the seconds to wait. */
export function tooMany(seconds: number): Answer {
  return refusal(429, 'Request limit exceeded.', { 'retry-after': String(seconds) })
}

/** Another place to ask, as a proxy or a login page gives it. */
export function redirect(location: string): Answer {
  return { status: 302, headers: { location }, body: '' }
}

/** A page that is not the service's: what a proxy or a captive portal answers. */
export function html(status: number, title: string): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  }
}

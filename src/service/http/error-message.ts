import { isFieldName } from '../../core/schema/field.ts'
import type { HttpRequest } from '../operation.ts'
import { ApiError, type TransportError } from './error.ts'

/**
 * The `ApiError` of a request: method, path, reason, and the truncated and redacted text of the service. Of the answer to
 * an update only the names of fields are kept: it may hold the sent secrets in any form.
 * `token` names one of several tokens.
 */
export function describeError(
  { problem, message, details }: TransportError,
  { method, path }: HttpRequest,
  redact: (text: string) => string,
  token: string | undefined
): ApiError {
  const { detail = '', hint } = details
  const isOfUpdate = method === 'PUT' && problem.kind !== 'redirect'
  const text = isOfUpdate ? fieldNamesIn(detail) : truncateLine(redact(detail))
  const status = problem.kind === 'status' ? problem.status : 0
  return new ApiError(
    problem,
    [`${method} ${path}`, message, ...(text === '' ? [] : [text])].join(': '),
    hintFor(status, { method }, token) ?? hint
  )
}

function fieldNamesIn(text: string): string {
  return [...new Set(text.match(/[\w-]+/g))].filter(isFieldName).join(', ')
}

const hints: Readonly<Record<number, string>> = {
  400: 'the service rejects a value: correct the field that it names',
  401: 'the service does not accept the token: check WLANCTL_API_TOKEN or --token-file',
  403: 'the token has no right to this: use one with access to the site',
  404: 'the service has no such site or WLAN, or hides it from this token: check the id and --base-url',
  409: 'the service reports a conflict, perhaps with another edit: plan again',
  429: 'the token is at its rate limit: run it later, use several tokens, or raise --max-wait'
}

const SERVER_ERROR = 'the service has a problem: run it again later'

/** For a 403 response to an update, since the WLAN was read before. */
const READ_ONLY = 'the token can read but not write: use a token with write access'

export function hintFor(
  status: number,
  { method }: Pick<HttpRequest, 'method'>,
  token?: string
): string | undefined {
  if (status >= 500) return SERVER_ERROR
  if (status !== 403) return hints[status]
  const isUpdate = method === 'PUT'
  if (token === undefined) return isUpdate ? READ_ONLY : hints[403]
  const missing = isUpdate ? 'can read but not write' : 'has no right to this'
  return `${token} ${missing}; all of them need the same rights`
}

/** The members or items of an error body that are read, and its levels. */
const MAX_PARTS = 20
const MAX_DEPTH = 4

/**
 * The text of an error body as one string; undefined if it is empty. The API does not specify the form of
 * errors, so any body is accepted.
 *
 * | body                                  | text                      |
 * |---------------------------------------|---------------------------|
 * | `{"detail": "no such thing"}`         | `no such thing`           |
 * | `{"vlan_id": ["too large", "odd"]}`   | `vlan_id: too large; odd` |
 * | `["first", "second"]`                 | `first; second`           |
 * | an HTML page                          | `an HTML page, "<title>"` |
 * | any other text                        | the text itself           |
 */
export function detailOf(body: string): string | undefined {
  const text = isHtml(body) ? htmlTitle(body) : (jsonText(body) ?? body)
  return text.trim() === '' ? undefined : text
}

/** The text on one line, truncated to `bytes` bytes of UTF-8. */
export function truncateLine(text: string, bytes = 1024): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const encoded = new TextEncoder().encode(line)
  if (encoded.length <= bytes) return line
  const ellipsis = '…'
  // In stream mode the decoder holds back an incomplete character at the end.
  const start = new TextDecoder().decode(encoded.subarray(0, bytes - 3), { stream: true })
  return start + ellipsis
}

function isHtml(text: string): boolean {
  return /^\s*</.test(text)
}

function htmlTitle(html: string): string {
  const title = /<title[^<>]{0,200}>([^<]{1,500})<\/title/i.exec(html.slice(0, 10_000))?.[1]
  return title === undefined ? 'an HTML page' : `an HTML page, "${title.trim()}"`
}

function jsonText(text: string): string | undefined {
  try {
    return textOf(JSON.parse(text), MAX_DEPTH)
  } catch {
    return undefined
  }
}

function textOf(json: unknown, depth: number): string {
  if (json === null) return ''
  if (typeof json !== 'object') return String(json)
  if (depth === 0) return '…'
  if (Array.isArray(json)) {
    return joinTexts(json.slice(0, MAX_PARTS).map(item => textOf(item, depth - 1)))
  }
  const members = Object.entries(json)
  const detail = members.find(([name]) => name === 'detail')?.[1]
  if (detail !== undefined) return textOf(detail, depth - 1)
  return joinTexts(
    members.slice(0, MAX_PARTS).map(([name, inner]) => `${name}: ${textOf(inner, depth - 1)}`)
  )
}

function joinTexts(parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('; ')
}

import { invalidContent, invalidResponse, TransportError } from './error.ts'
import { detailOf } from './error-message.ts'
import { retryAfter } from './retry.ts'

export interface ApiResponse {
  /**
   * Decoded on each access, and not validated; the caller may modify it. Throws a `TransportError`
   * if the body is not JSON.
   */
  readonly json: unknown
  readonly bytes: number
  /** The approximate number of values in its JSON. */
  readonly values: number
  /** The time at which its request was sent, in milliseconds of the run's clock. */
  readonly sentAt: number
  /** A header by its lower-case name; undefined if it is absent. Repeated headers are joined with commas. */
  header(name: string): string | undefined
  /** Adds a secret of the response to redact from all errors of the run. */
  readonly addSecret: (secret: string) => void
}

export interface ResponseHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface RawResponse extends ResponseHead {
  readonly body?: Uint8Array
}

export interface BodyLimits {
  readonly bytes: number
  /** The timeout of the body in seconds; absent if only the timeout of the request applies. */
  readonly seconds?: number
  /** True if the response is valid even if its body exceeds the limits. */
  readonly optional: boolean
}

export const MEBIBYTE = 1024 * 1024
const MAX_BODY = 16 * MEBIBYTE
const MAX_ERROR_BODY = MEBIBYTE / 16
/** The timeout of an error's body in seconds: the status matters more. */
const ERROR_BODY_TIMEOUT = 2

/**
 * The limits of the body after this head. Throws a `TransportError` if it is not a head of the service:
 * success is 200 with JSON and nothing else. The page of a captive portal or proxy is an error, never an
 * empty result.
 */
export function bodyLimits(head: ResponseHead): BodyLimits {
  const { status } = head
  if (status >= 400) {
    const isPlain = head.headers['content-encoding'] === undefined
    return { bytes: isPlain ? MAX_ERROR_BODY : 0, seconds: ERROR_BODY_TIMEOUT, optional: true }
  }
  if (status >= 300) {
    throw new TransportError({ kind: 'redirect' }, `${status}: a redirect, which is not followed`, {
      detail: `to ${redirectTarget(headerOf(head, 'location'))}`,
      hint: 'give the address of the service itself as base address'
    })
  }
  if (status !== 200) throw invalidResponse(`expected status 200, got ${status}`)
  checkContentType(head)
  return { bytes: MAX_BODY, optional: false }
}

export function readResponse(
  response: RawResponse,
  sentAt: number,
  addSecret: ApiResponse['addSecret']
): ApiResponse {
  const { status, body } = response
  const header = (name: string) => headerOf(response, name)
  if (status === 200) return new JsonResponse(body, { sentAt, header, addSecret })
  const seconds = retryAfter(header('retry-after'), header('date'))
  throw new TransportError(
    { kind: 'status', status, ...(seconds === undefined ? {} : { retryAfter: seconds }) },
    String(status),
    { detail: body && detailOf(new TextDecoder().decode(body)) }
  )
}

class JsonResponse implements ApiResponse {
  readonly sentAt: number
  readonly header: ApiResponse['header']
  readonly addSecret: ApiResponse['addSecret']
  readonly #body: Uint8Array | undefined

  constructor(
    body: Uint8Array | undefined,
    { sentAt, header, addSecret }: Pick<ApiResponse, 'sentAt' | 'header' | 'addSecret'>
  ) {
    this.#body = body
    this.sentAt = sentAt
    this.header = header
    this.addSecret = addSecret
  }

  get json(): unknown {
    return parseJson(this.#body)
  }

  get bytes(): number {
    return this.#body?.length ?? 0
  }

  get values(): number {
    return this.#body === undefined ? 0 : countValues(this.#body)
  }
}

/** The values in one response: parsed values take far more memory than their text. */
export const MAX_VALUES = 500_000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws errors of its own, because messages of the parser would quote the response. */
function parseJson(bytes: Uint8Array | undefined): unknown {
  // A value takes at least two bytes, so most responses are too short to exceed the limit.
  const mayExceed = bytes !== undefined && bytes.length > 2 * MAX_VALUES
  if (mayExceed && countValues(bytes) > MAX_VALUES) {
    throw invalidContent(`more than ${MAX_VALUES} values`)
  }
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalidResponse('not valid JSON in UTF-8')
  }
}

const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = Buffer.from('"\\,[{')

function countValues(bytes: Uint8Array): number {
  let count = 1
  let inString = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) inString = !inString
    else if (!inString) count += byte === COMMA || byte === LIST || byte === OBJECT ? 1 : 0
    else if (byte === BACKSLASH) at += 1
  }
  return count
}

function checkContentType(head: ResponseHead): void {
  const encoding = headerOf(head, 'content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw invalidContent('expected no compression')
  const type = headerOf(head, 'content-type') ?? ''
  if (/^application\/(?:[\w.-]+\+)?json\s*(?:;[^,]*)?$/i.test(type)) return
  const isPage = /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type)
  throw invalidResponse('expected the content type of JSON', {
    detail: type === '' ? 'none' : type,
    hint: isPage ? PAGE_HINT : undefined
  })
}

const PAGE_HINT =
  'this is a web page, as of a captive portal, a proxy or another server: check the base address and the network'

/** A header by its lower-case name; undefined if it is absent. Repeated headers are joined with commas. */
export function headerOf({ headers }: ResponseHead, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return Array.isArray(value) ? value.join(', ') : value
}

function redirectTarget(location = ''): string {
  const sameHost = 'https://same-host.invalid'
  if (!URL.canParse(location, sameHost)) return 'an invalid address'
  const url = new URL(location, sameHost)
  if (url.origin === sameHost) return 'the same host'
  // As it is written: a URL has its host in lower case, in which no secret is found.
  const [, host = url.host] = /\/\/(?:[^/?#@]*@)?([^/?#]+)/.exec(location) ?? []
  return `the host ${host}`
}

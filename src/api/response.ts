import { invalidResponse, TransportError } from './error.ts'
import { detailOf } from './error-detail.ts'
import { countValues, parseJson } from './json-limits.ts'
import { retryAfter } from './retry-after.ts'

/** A complete answer 200 with what should be JSON. */
export interface ApiResponse {
  /**
   * Decoded each time, but not looked at: anything JSON can hold. Throws a `Fault` if it is no JSON. Who
   * reads it may take it over.
   */
  readonly json: unknown
  readonly bytes: number
  /** How many values its JSON holds, about. */
  readonly values: number
  /** When it was asked for, in milliseconds of the monotonic clock (`performance.now`). */
  readonly askedAt: number
  /** A header by its lower-case name; undefined if it is absent. Repeated ones are joined by commas. */
  header(name: string): string | undefined
  /** To be told of each secret that is found in it: no error of the run repeats one. */
  readonly addSecret: (secret: string) => void
}

/** The beginning of a response: names of headers are in lower case. */
export interface ResponseHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A response; without a body if it is an error whose body is not worth reading. */
export interface RawResponse extends ResponseHead {
  readonly body?: Uint8Array
}

/** How much of a body is read. */
export interface BodyLimits {
  readonly bytes: number
  /** How long it may take; as long as the whole request where absent. */
  readonly seconds?: number
  /** True if the response counts without a body that does not keep to them. */
  readonly dispensable: boolean
}

export const MEBIBYTE = 1024 * 1024
const LONGEST_ANSWER = 16 * MEBIBYTE
const LONGEST_ERROR = MEBIBYTE / 16
/** Seconds the body of an error may take: the status is what matters. */
const ERROR_TIME = 2

/**
 * How much of the body that belongs to this head is read. Throws a `Fault` if it is the head of no answer:
 * success is 200 with JSON and nothing else. A captive portal and a proxy's page are faults, never an
 * empty result.
 */
export function bodyLimits(head: ResponseHead): BodyLimits {
  const { status } = head
  if (status >= 400) {
    const isPlain = head.headers['content-encoding'] === undefined
    return { bytes: isPlain ? LONGEST_ERROR : 0, seconds: ERROR_TIME, dispensable: true }
  }
  if (status >= 300) {
    throw new TransportError({ kind: 'redirect' }, `${status}: a redirect, which is not followed`, {
      detail: `to ${hostOf(headerOf(head, 'location'))}`,
      hint: 'give the address of the service itself as base address'
    })
  }
  if (status !== 200) throw invalidResponse(`status ${status}, where 200 is the only success`)
  checkType(head)
  return { bytes: LONGEST_ANSWER, dispensable: false }
}

/** The answer that a response is. Throws a `Fault` for an error. */
export function readAnswer(
  response: RawResponse,
  askedAt: number,
  meet: ApiResponse['addSecret']
): ApiResponse {
  const { status, body } = response
  const header = (name: string) => headerOf(response, name)
  if (status === 200) return new Whole(body, { askedAt, header, addSecret: meet })
  const wait = retryAfter(header('retry-after'), header('date'))
  throw new TransportError(
    { kind: 'status', status, ...(wait === undefined ? {} : { retryAfter: wait }) },
    String(status),
    { detail: body && detailOf(new TextDecoder().decode(body)) }
  )
}

class Whole implements ApiResponse {
  readonly askedAt: number
  readonly header: ApiResponse['header']
  readonly addSecret: ApiResponse['addSecret']
  readonly #body: Uint8Array | undefined

  constructor(
    body: Uint8Array | undefined,
    { askedAt, header, addSecret: meet }: Pick<ApiResponse, 'askedAt' | 'header' | 'addSecret'>
  ) {
    this.#body = body
    this.askedAt = askedAt
    this.header = header
    this.addSecret = meet
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

function checkType(head: ResponseHead): void {
  const encoding = headerOf(head, 'content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw invalidResponse('compressed, though nobody asked for it')
  const type = headerOf(head, 'content-type') ?? ''
  if (/^application\/(?:[\w.-]+\+)?json\s*(?:;[^,]*)?$/i.test(type)) return
  throw invalidResponse('not JSON, by its content type', type === '' ? 'none' : type)
}

function headerOf({ headers }: ResponseHead, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return Array.isArray(value) ? value.join(', ') : value
}

/** The host a `Location` points to: it may be absolute, relative, or no address at all. */
function hostOf(location = ''): string {
  const here = 'https://here.invalid'
  if (!URL.canParse(location, here)) return 'nowhere'
  const url = new URL(location, here)
  return url.origin === here ? 'the same host' : `the host ${url.host}`
}

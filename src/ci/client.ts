import { exit, Failure, wrongInput } from '../core/model/failure.ts'
import { tool } from '../core/model/tool.ts'
import type { Environment } from '../core/values/environment.ts'
import { clockUntil } from '../service/http/clock.ts'
import { isLoopback } from '../service/http/connection.ts'
import { TransportError } from '../service/http/error.ts'
import { detailOf, truncateLine } from '../service/http/error-message.ts'
import { type BoundedFetch, boundedFetch } from '../service/http/fetch.ts'
import { headerOf, type RawResponse } from '../service/http/response.ts'
import { retryAfter } from '../service/http/retry.ts'
import { Redactor } from '../service/redactor.ts'
import { MAX_DOWNLOAD, MAX_PAGES } from './forge.ts'
import { ForgeError, unexpected } from './forge-json.ts'

export interface ForgeProcess {
  readonly env: Environment
  readonly signal: AbortSignal
  /** The unit of the pauses before retries and between writes, in milliseconds. */
  readonly pause: number
}

export interface Api {
  readonly forge: string
  /** Without a slash at its end. */
  readonly url: string
  readonly repository: string
  readonly token: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

type Request = Parameters<BoundedFetch>[1] & { readonly url: URL }
type Method = Request['method']

export type Values = Readonly<Record<string, unknown>>

/** The seconds until a request fails. */
const TIMEOUT = 60

/** The longest wait for a rate limit, in seconds. */
const MAX_WAIT = 120

/** Bytes of UTF-8 of the forge's reason in a message. */
const MAX_REASON = 300

/**
 * A client of GitHub or GitLab, whose interfaces share their conventions: JSON, statuses, and pages by `Link` headers. It
 * retries what a repetition can fix, waits for rate limits, and spaces writes. Its errors are `ForgeError`s without the
 * token, which goes to the origin of the interface only.
 */
export class RestClient {
  readonly #process: ForgeProcess
  readonly #api: Api
  readonly #fetch: BoundedFetch
  readonly #redactor = new Redactor()
  #hasWritten = false

  /** Throws a `Failure` (exit 3) if the connection would be insecure. `fetch`: that of another client of this process. */
  constructor(process: ForgeProcess, api: Api, fetch?: BoundedFetch) {
    const { forge, url } = api
    if (!URL.canParse(url)) throw wrongInput(`the address of ${forge} is not a URL`)
    if (!url.startsWith('https://') && !isLoopback(url)) {
      throw wrongInput(`the address of ${forge} is not https: others could read the token`)
    }
    this.#process = process
    this.#api = api
    this.#fetch = fetch ?? boundedFetch({ ...process, baseUrl: url, timeout: TIMEOUT })
    this.#redactor.addSecret(api.token ?? '')
  }

  /** Requests a path below the repository, or a URL of the interface; returns the JSON of the response. */
  async send(method: Method, path: string, values?: Values): Promise<unknown> {
    return jsonOf(await this.#answer(this.#request(method, path, values)))
  }

  /** The entries of a list, of at most `MAX_PAGES` pages. */
  async *list(path: string, query?: Values): AsyncGenerator<object> {
    let request = this.#request('GET', path, { per_page: 100, ...query })
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const response = await this.#answer(request)
      const json = jsonOf(response)
      // GitHub has some lists inside of an object.
      const entries = Array.isArray(json) ? json : Object.values(Object(json)).find(Array.isArray)
      if (entries === undefined) throw unexpected(`a list at ${path}`)
      for (const entry of entries) {
        if (typeof entry !== 'object' || entry === null) throw unexpected(`objects at ${path}`)
        yield entry
      }
      const [, next] = /<([^>]*)>; *rel="next"/.exec(headerOf(response, 'link') ?? '') ?? []
      if (next === undefined) return
      request = this.#request('GET', next)
    }
  }

  /**
   * Downloads a file into memory. The forge may refer to storage at any host, which does not get
   * the token. Throws a `Failure` (exit 3) for a file that is too large.
   */
  async download(path: string): Promise<Buffer> {
    const { forge, url: base } = this.#api
    const answer = await this.#answer(this.#request('GET', path), MAX_DOWNLOAD)
    if (answer.status < 300) return Buffer.from(answer.body ?? [])
    const { href, origin } = new URL(headerOf(answer, 'location') ?? '', base)
    const api = { forge: `the storage of ${forge}`, url: origin, repository: '', headers: {} }
    const storage = new RestClient(this.#process, { ...api, token: undefined }, this.#fetch)
    const stored = await storage.#answer(storage.#request('GET', href), MAX_DOWNLOAD)
    return Buffer.from(stored.body ?? [])
  }

  #request(method: Method, path: string, values: Values = {}): Request {
    const { forge, url: base, repository, token, headers: own } = this.#api
    const url = new URL(path.startsWith('/') ? base + repository + path : path)
    if (url.origin !== new URL(base).origin) {
      throw new ForgeError(`${forge} refers to another host (${url.host}): not followed`)
    }
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const headers = { ...own, ...authorization, 'user-agent': tool.name }
    if (method === 'GET') {
      for (const [name, value] of Object.entries(values)) url.searchParams.set(name, `${value}`)
      return { method, url, headers }
    }
    const type = { 'content-type': 'application/json' }
    return { method, url, headers: { ...headers, ...type }, body: JSON.stringify(values) }
  }

  /** Sends a request until it succeeds, or until another attempt would not help. A download may be a redirect. */
  async #answer(request: Request, maxBytes?: number): Promise<RawResponse> {
    const { pause, signal } = this.#process
    const operation = this.#operation(request)
    const isWrite = request.method !== 'GET'
    // GitHub asks for a second between writes.
    let pauses: number | undefined = isWrite && this.#hasWritten ? 1 : 0
    this.#hasWritten ||= isWrite
    for (let attempt = 1; ; attempt += 1) {
      const isAborted = pauses > 0 && !(await clockUntil(signal).sleep(pauses * pause))
      if (isAborted) throw interrupted()
      let failure: Failure
      try {
        const response = await this.#fetch(request.url.href, { ...request, maxBytes })
        const isRedirect = maxBytes !== undefined && headerOf(response, 'location') !== undefined
        if (response.status < (isRedirect ? 400 : 300)) return response
        const { status } = response
        const message = `answered ${operation} with ${status}`
        failure = this.#error(message, detailOf(textOf(response)) ?? '', hintOf(response), status)
        pauses = pausesAfter(response, attempt)
      } catch (thrown) {
        if (!(thrown instanceof TransportError)) throw thrown
        const { problem, message } = thrown
        if (problem.kind === 'aborted') throw interrupted()
        if (problem.kind === 'invalid-content') {
          throw maxBytes ? wrongInput(message) : new ForgeError(`${this.#api.forge}: ${message}`)
        }
        failure = this.#error(`did not answer ${operation}`, message, thrown.details.hint)
        pauses = backoff(attempt)
      }
      if (pauses === undefined) throw failure
    }
  }

  #operation({ method, url }: Request): string {
    const { url: base } = this.#api
    const address = url.origin + url.pathname
    return `${method} ${address.startsWith(base) ? address.slice(base.length) : address}`
  }

  #error(message: string, reason: string, hint?: string, status?: number): Failure {
    const shown = truncateLine(this.#redactor.redact(reason), MAX_REASON)
    const all = [`${this.#api.forge} ${message}`, shown].filter(Boolean).join(': ')
    return new ForgeError(all, hint, status)
  }
}

const interrupted = () => new Failure(exit.interrupted, 'interrupted')

function textOf({ body }: RawResponse): string {
  return new TextDecoder().decode(body)
}

function jsonOf(response: RawResponse): unknown {
  const text = textOf(response)
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    throw unexpected('JSON')
  }
}

/** The pauses before another attempt; undefined if it would not help. */
function pausesAfter(response: RawResponse, attempt: number): number | undefined {
  const { status } = response
  const wait = rateLimitOf(response)
  if (wait !== undefined) return attempt <= 2 && wait <= MAX_WAIT ? wait : undefined
  return status >= 500 || status === 408 ? backoff(attempt) : undefined
}

/** The seconds to wait after a failed attempt; undefined after the last one. */
function backoff(attempt: number): number | undefined {
  return attempt <= 3 ? attempt ** 2 : undefined
}

/** In seconds, where the forge does not say when: GitHub asks for a minute, and GitLab counts by the minute. */
const DEFAULT_WAIT = 60

/** The seconds until a rate limit ends; undefined for any other response. At GitHub, a limit is a 403, too. */
function rateLimitOf(response: RawResponse): number | undefined {
  const { status } = response
  const header = (name: string) => headerOf(response, name)
  const isUsedUp = header('x-ratelimit-remaining') === '0'
  const isLimit = status === 403 && (isUsedUp || /secondary rate/i.test(textOf(response)))
  if (status !== 429 && !isLimit) return undefined
  const left = Math.ceil(Number(header('x-ratelimit-reset')) - Date.now() / 1000)
  const isKnown = isUsedUp && !Number.isNaN(left)
  const asked = retryAfter(header('retry-after'), header('date'))
  return asked ?? (isKnown ? Math.max(1, left) : DEFAULT_WAIT)
}

function hintOf(response: RawResponse): string | undefined {
  const wait = rateLimitOf(response)
  if (wait !== undefined) return `its rate limit is reached: run the job again in ${wait} s`
  if (response.status === 401) return 'the token is wrong or has expired'
  if (response.status !== 403) return undefined
  const needed = headerOf(response, 'x-accepted-github-permissions')
  return `the token lacks a permission${needed === undefined ? '' : ` (${needed})`}`
}

export function needed(env: Environment, name: string): string {
  const value = env[name]
  if (value) return value
  throw wrongInput(`${name} is not set, which the forge sets in every job`)
}

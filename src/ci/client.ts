import { buffer as bytesOf } from 'node:stream/consumers'
import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import Bottleneck from 'bottleneck/light.js'
import { exit, Failure, reasonOf, wrongInput } from '../core/model/failure.ts'
import { tool } from '../core/model/tool.ts'
import type { Environment } from '../core/values/environment.ts'
import { isLoopback } from '../service/http/connection.ts'
import { TransportError } from '../service/http/error.ts'
import { detailOf, truncateLine } from '../service/http/error-message.ts'
import { type BoundedFetch, boundedFetch } from '../service/http/fetch.ts'
import { Redactor } from '../service/redactor.ts'
import { MAX_DOWNLOAD, MAX_PAGES } from './forge.ts'

export class ForgeError extends Failure {
  /** The status of the response; undefined if there was none. */
  readonly answered: number | undefined

  constructor(message: string, hint?: string, answered?: number) {
    super(exit.failed, message, hint)
    this.name = 'ForgeError'
    this.answered = answered
  }
}

export interface ForgeProcess {
  readonly env: Environment
  readonly signal: AbortSignal
  /** The unit of the pauses before retries and between writes, in milliseconds. */
  readonly pause: number
}

export interface Api extends ForgeProcess {
  readonly forge: string
  readonly url: string
  readonly token: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** One for all requests, because each listens to the signal of the process. */
  readonly fetch: BoundedFetch
}

/** The interface of a forge. Throws a `Failure` (exit 3) if the connection would be insecure. */
export function connect(process: ForgeProcess, api: Omit<Api, keyof ForgeProcess | 'fetch'>): Api {
  const { env, signal } = process
  if (!URL.canParse(api.url)) throw wrongInput(`the address of ${api.forge} is not a URL`)
  checkProtocol(api.forge, api.url)
  const fetch = boundedFetch({ baseUrl: api.url, env, signal, timeout: TIMEOUT })
  return { ...process, ...api, fetch }
}

/** Octokit's error of a request; without a response, the connection failed. */
interface RequestError extends Error {
  readonly status: number
  readonly request: { readonly method: string; readonly url: string; request?: object }
  readonly response?:
    | { readonly headers: Readonly<Record<string, unknown>>; readonly data: unknown }
    | undefined
}

const TIMEOUT = 60

/** The longest wait for a rate limit, in seconds. */
const MAX_WAIT = 120

const RestClient = Octokit.plugin(retryAfter, retry, throttling, paginateRest)

export type Client = InstanceType<typeof RestClient>

/**
 * A client of GitHub or GitLab, whose interfaces share their conventions: JSON, statuses, and pages by `Link` headers.
 * It retries what a repetition can fix, waits for rate limits, and spaces writes. Its errors are `ForgeError`s
 * without the token, which goes to the origin of the interface only.
 */
export function restClient(api: Api): Client {
  const { pause, token } = api
  const { origin } = new URL(api.url)
  const redactor = new Redactor()
  if (token !== undefined) redactor.addSecret(token)
  const quiet = () => undefined
  const client = new RestClient({
    baseUrl: api.url,
    userAgent: tool.name,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    request: { fetch: fetchOf(api), log: { warn: quiet }, redirect: 'manual' },
    retry: { retryAfterBaseValue: pause, doNotRetry: FINAL },
    throttle: {
      // GitHub asks for a second between writes, and more if they notify people.
      write: new Bottleneck.Group({ maxConcurrent: 1, minTime: pause }),
      notifications: new Bottleneck.Group({ maxConcurrent: 1, minTime: 3 * pause }),
      retryAfterBaseValue: pause,
      onRateLimit: mayWait,
      onSecondaryRateLimit: mayWait
    }
  })
  client.hook.before('request', options => {
    const url = new URL(options.url, api.url)
    if (url.origin !== origin) {
      throw new ForgeError(`${api.forge} refers to another host (${url.host}): not followed`)
    }
    Object.assign(options.headers, api.headers)
    if (token !== undefined) options.headers.authorization = `Bearer ${token}`
  })
  client.hook.after('request', ({ data, status }, { method, url }) => {
    if (typeof data !== 'string' || data === '' || status >= 300) return
    throw new ForgeError(`unexpected response to ${method} ${url}: expected JSON`)
  })
  client.hook.error('request', error => {
    const redact = (text: string) => truncateLine(redactor.redact(text), MAX_REASON)
    throw error instanceof Failure ? error : describe(error, api, redact)
  })
  return client
}

/** Statuses that a repetition does not change; `retryAfter` and the plugin for rate limits handle 429. */
const FINAL = [400, 401, 403, 404, 405, 406, 409, 410, 413, 422, 429, 451]

function mayWait(seconds: number, _: object, __: object, retries: number): boolean {
  return retries < 2 && seconds <= MAX_WAIT
}

/** A plugin: obeys `Retry-After` of a 429, apart from GitHub's own limits, which `throttling` knows. */
function retryAfter(octokit: Octokit): object {
  octokit.hook.error('request', error => {
    if ('response' in error && error.status === 429 && !isOfGitHub(error)) {
      const seconds = Number(error.response?.headers['retry-after']) || 1
      const retries = seconds <= MAX_WAIT ? 2 : 0
      error.request.request = { ...error.request.request, retries, retryAfter: seconds }
    }
    throw error
  })
  return {}
}

function isOfGitHub(error: RequestError): boolean {
  return (
    error.response?.headers['x-ratelimit-limit'] !== undefined || /secondary/i.test(error.message)
  )
}

function fetchOf({ fetch }: Api, maxBytes?: number) {
  return (url: string, options?: Parameters<BoundedFetch>[1]) =>
    fetch(url, options, maxBytes).catch(withoutRetry)
}

/** Octokit retries after any error of a connection that does not have this name. */
function withoutRetry(thrown: unknown): never {
  const kind = thrown instanceof TransportError ? thrown.problem.kind : undefined
  const isFinal = kind === 'invalid-content' || kind === 'aborted'
  throw isFinal ? Object.assign(thrown as Error, { name: 'AbortError' }) : thrown
}

/** The maximum length of the reason of a forge in a message, in bytes of UTF-8. */
const MAX_REASON = 300

/** The error of a request with the forge's own reason. */
function describe(error: Error, api: Api, redact: (text: string) => string): Failure {
  const cause = error instanceof TransportError ? error : error.cause
  if (cause instanceof Failure) return cause
  if (!('request' in error)) {
    if (!(cause instanceof TransportError)) throw error
    if (cause.problem.kind === 'aborted') return new Failure(exit.interrupted, 'interrupted')
    return new ForgeError(`${api.forge}: ${cause.message}`)
  }
  const { request, response, status } = error as RequestError
  const operation = `${request.method} ${pathOf(request.url, api.url)}`
  if (response === undefined) {
    const { hint } = cause instanceof TransportError ? cause.details : {}
    const reason = redact(reasonOf(cause ?? error))
    return new ForgeError(`${api.forge} did not answer ${operation}: ${reason}`, hint)
  }
  const { data } = response
  const reason = redact(
    detailOf(typeof data === 'string' ? data : JSON.stringify(data ?? '')) ?? ''
  )
  const message = `${api.forge} answered ${operation} with ${status}${reason === '' ? '' : `: ${reason}`}`
  return new ForgeError(message, hintOf(status, response.headers), status)
}

function pathOf(url: string, apiUrl: string): string {
  const { href, origin, pathname } = new URL(url)
  return href.startsWith(apiUrl) ? href.slice(apiUrl.length).replace(/\?.*/, '') : origin + pathname
}

function hintOf(status: number, headers: Readonly<Record<string, unknown>>): string | undefined {
  const wait = Number(headers['retry-after'])
  if (status === 429 || headers['x-ratelimit-remaining'] === '0') {
    return `its rate limit is reached${wait > 0 ? `: run the job again in ${wait} s` : ''}`
  }
  if (status === 401) return 'the token is wrong or has expired'
  if (status !== 403) return undefined
  const needed = headers['x-accepted-github-permissions']
  return `the token lacks a permission${typeof needed === 'string' ? ` (${needed})` : ''}`
}

/** Throws a `Failure` (exit 3) unless the address uses https or is a loopback address. */
function checkProtocol(forge: string, url: string): void {
  if (url.startsWith('https://') || isLoopback(url)) return
  throw wrongInput(`the address of ${forge} is not https: others could read the token`)
}

/** The entries of a list, of at most `MAX_PAGES` pages. */
export async function* pagesOf(
  client: Client,
  url: string,
  parameters: object
): AsyncGenerator<object> {
  const asked = { method: 'GET', url, per_page: 100, ...parameters } as const
  const list = client.paginate.iterator<unknown>(asked)[Symbol.asyncIterator]()
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await list.next().catch(error => {
      // The plugin expects a list, or an object with one.
      throw error instanceof TypeError ? unexpected(`a list at ${url}`) : error
    })
    if (page.done) return
    const { data } = page.value
    if (!Array.isArray(data)) throw unexpected(`a list at ${url}`)
    for (const entry of data) {
      if (typeof entry !== 'object' || entry === null) throw unexpected(`objects at ${url}`)
      yield entry
    }
  }
}

const unexpected = (expected: string) =>
  new ForgeError(`unexpected response of the forge: expected ${expected}`)

/** A member of a response by its path, such as `head.sha`; undefined if there is none. */
function memberAt(response: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => {
    const isObject = typeof value === 'object' && value !== null
    return isObject && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  }, response)
}

/** A text, number or boolean of a response as a text; undefined if it is absent, null or anything else. */
export function maybeText(response: unknown, path: string): string | undefined {
  const value = memberAt(response, path)
  return value === null || ['object', 'undefined'].includes(typeof value) ? undefined : `${value}`
}

/** As `maybeText`. Throws a `ForgeError` if there is none. */
export function textAt(response: unknown, path: string): string {
  const text = maybeText(response, path)
  if (text === undefined) throw unexpected(`a text as ${path}`)
  return text
}

/** A time of a response. Throws a `ForgeError` for anything else. */
export function dateAt(response: unknown, path: string): Date {
  const date = new Date(textAt(response, path))
  if (Number.isNaN(date.getTime())) throw unexpected(`a time as ${path}`)
  return date
}

/** The result, or undefined if the forge answers that there is no such thing (404, 410). */
export async function ifFound<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result
  } catch (error) {
    if (error instanceof ForgeError && (error.answered === 404 || error.answered === 410)) return
    throw error
  }
}

/**
 * Downloads an artifact into memory. The forge may refer to its storage, at any host, which does not get
 * the token.
 */
export async function download(
  client: Client,
  api: Api,
  route: string,
  parameters: object
): Promise<Buffer> {
  const request = { fetch: fetchOf(api, MAX_DOWNLOAD), parseSuccessResponseBody: false }
  const { data, headers, status } = await client.request(route, { ...parameters, request })
  if (status < 300) return bytesOf(data as AsyncIterable<Uint8Array>)
  const { href: url, origin } = new URL(headers.location ?? '', api.url)
  const forge = `the storage of ${api.forge}`
  checkProtocol(forge, url)
  const storage = restClient({ ...api, forge, url: origin, token: undefined, headers: {} })
  const answer = await storage.request({ method: 'GET', url, headers: {}, request })
  return bytesOf(answer.data as AsyncIterable<Uint8Array>)
}

export function needed(env: Environment, name: string): string {
  const value = env[name]
  if (value) return value
  throw wrongInput(`${name} is not set, which the forge sets in every job`)
}

import { EnvHttpProxyAgent } from 'undici'
import { Timeout } from './clock.ts'
import { type Connection, checkTls, proxySettings } from './connection.ts'
import { invalidContent, TransportError } from './error.ts'
import { dispatcherOptions, dispatchRequest, networkError } from './http-connection.ts'
import { MEBIBYTE } from './response.ts'

interface FetchOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type BoundedFetch = (
  url: string,
  options?: FetchOptions,
  maxBytes?: number
) => Promise<Response>

/**
 * A `fetch` for clients of other services: by the proxy settings and with the TLS rules of a `Connection`, within its
 * timeout, and with a body in memory of at most `maxBytes`, by default 16 MiB. It never follows a redirect, which would take the headers
 * along. Throws a `TransportError`, and a `Failure` if the connection would be insecure.
 */
export function boundedFetch({
  baseUrl,
  env,
  timeout,
  signal
}: Pick<Connection, 'baseUrl' | 'env' | 'timeout' | 'signal'>): BoundedFetch {
  checkTls(env)
  const proxies = proxySettings({ baseUrl, env })
  const dispatcher = new EnvHttpProxyAgent({ ...proxies, ...dispatcherOptions })
  const limit = new Timeout(timeout, signal)
  return async (url, { method = 'GET', headers = {}, body } = {}, maxBytes = 16 * MEBIBYTE) => {
    limit.throwIfAborted()
    const { origin, host, pathname, search } = new URL(url)
    const request = { origin, path: pathname + search, method, headers, body: body ?? null }
    const work = dispatchRequest(dispatcher, request, head => {
      if (Number(head.headers['content-length']) > maxBytes) throw invalidContent('too long')
      return { bytes: maxBytes, optional: false }
    })
    try {
      const { status, headers, body } = await limit.limit(work)
      const isEmpty = status === 204 || status === 205 || status === 304
      const response = new Response(isEmpty ? null : new Uint8Array(body ?? []), {
        status,
        headers: Object.entries(headers).flatMap(([name, value = []]) =>
          [value].flat().map((each): [string, string] => [name, each])
        )
      })
      return Object.defineProperty(response, 'url', { value: url })
    } catch (thrown) {
      if (thrown instanceof TransportError) throw thrown
      throw networkError(thrown, host, proxies.httpsProxy !== '')
    }
  }
}

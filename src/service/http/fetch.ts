import { EnvHttpProxyAgent } from 'undici'
import { Timeout } from './clock.ts'
import { type Connection, checkTls, proxySettings } from './connection.ts'
import { invalidContent, TransportError } from './error.ts'
import { dispatcherOptions, dispatchRequest, networkError } from './http-connection.ts'
import { MEBIBYTE, type RawResponse } from './response.ts'

interface FetchOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Default: 16 MiB. */
  readonly maxBytes?: number | undefined
}

export type BoundedFetch = (url: string, options: FetchOptions) => Promise<RawResponse>

/**
 * A `fetch` for clients of other services: by the proxy settings and with the TLS rules of a `Connection`, within its
 * timeout, and with a body in memory. It never follows a redirect, which would take the headers along. Throws a
 * `TransportError`, and a `Failure` if the connection would be insecure.
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
  return async (url, { method, headers, body = null, maxBytes = 16 * MEBIBYTE }) => {
    limit.throwIfAborted()
    const { origin, host, pathname, search } = new URL(url)
    const request = { origin, path: pathname + search, method, headers, body }
    const work = dispatchRequest(dispatcher, request, head => {
      if (Number(head.headers['content-length']) > maxBytes) throw invalidContent('too long')
      return { bytes: maxBytes, optional: false }
    })
    try {
      return await limit.limit(work)
    } catch (thrown) {
      if (thrown instanceof TransportError) throw thrown
      throw networkError(thrown, host, proxies.httpsProxy !== '')
    }
  }
}

import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import { type Connection, checkBaseUrl, checkTls } from './connection.ts'
import { secretsOfCredentials } from './credentials.ts'
import { dispatchRequest } from './dispatch.ts'
import { ApiError, TransportError } from './error.ts'
import { inShort } from './error-detail.ts'
import { hintFor } from './hints.ts'
import { networkFault } from './network-error.ts'
import type { HttpRequest } from './operation.ts'
import { type ProxySettings, proxySettings } from './proxy.ts'
import { Redactor } from './redactor.ts'
import type { RawResponse } from './response.ts'
import type { Cancellable } from './timeout.ts'
import type { PooledToken } from './token-pool.ts'

/** Seconds to wait for a connection. */
const CONNECT_TIME = 10

/** What the requests of a connection go over. */
export interface HttpConnection {
  /** One request, one response: nothing is followed, retried or decoded. It fails with a `Fault`, always. */
  exchange(asked: HttpRequest, caller: PooledToken): Cancellable<RawResponse>
  /** Takes note of a secret: no error of the run repeats it. */
  readonly meet: (secret: string) => void
  /** The same of all that the run declares; resolves when that is known. */
  meetDeclared(): Promise<void>
  /** The `ApiError` behind what was thrown; the thrown itself if it is a bug. */
  explain(thrown: unknown, asked: HttpRequest, caller: PooledToken | undefined): unknown
  close(): Promise<void>
}

/** Opens it; throws a `Failure` if it would not be safe. */
export function connect(connection: Connection): HttpConnection {
  checkTls(connection.env)
  const url = new URL(checkBaseUrl(connection.baseUrl))
  const prefix = url.pathname.replace(/\/$/, '')
  const { credentials, userAgent } = connection
  const headers = { ...contentHeaders, 'user-agent': userAgent }
  const known = new Redactor()
  for (const secret of secretsOfCredentials(credentials)) known.addSecret(secret)
  let declared = connection.secrets
  const proxies = proxySettings(connection)
  const dispatcher = openDispatcher(url.origin, connection, proxies)
  const failed = (thrown: unknown): never => {
    const proxied = proxies.httpsProxy !== ''
    throw thrown instanceof TransportError ? thrown : networkFault(thrown, url.host, proxied)
  }
  return {
    exchange({ method, path, body }, caller) {
      const { done, stop } = dispatchRequest(dispatcher, {
        origin: url.origin,
        path: prefix + path,
        method,
        headers: { ...caller.headers, ...headers },
        body: body?.text ?? null
      })
      return { done: done.catch(failed), stop }
    },
    meet: secret => known.addSecret(secret),
    async meetDeclared() {
      for (const secret of (await declared?.()) ?? []) {
        if (secret.known) known.addSecret(secret.reveal())
      }
      declared = undefined
    },
    explain(thrown, asked, caller) {
      if (!(thrown instanceof TransportError)) return thrown
      for (const secret of asked.body?.secrets ?? []) known.addSecret(secret)
      const { problem } = thrown
      const status = problem.kind === 'status' ? problem.status : 0
      const hint = hintFor(status, asked, credentials, caller?.name)
      return apiError(thrown, asked, text => known.redact(text), hint)
    },
    close: () => dispatcher.destroy()
  }
}

/** No limit here is undici's: the deadline of a request covers its whole time. */
function openDispatcher(
  origin: string,
  { parallelism }: Connection,
  proxies: ProxySettings
): Dispatcher {
  const options = {
    connections: parallelism,
    pipelining: 1,
    connect: { timeout: CONNECT_TIME * 1000 },
    headersTimeout: 0,
    bodyTimeout: 0
  }
  // An agent asks for every request anew which way it goes.
  return proxies.httpsProxy === ''
    ? new Pool(origin, options)
    : new EnvHttpProxyAgent({ ...proxies, ...options })
}

const contentHeaders = { 'content-type': 'application/json', accept: 'application/json' }

/** Tells a fault of its request; the service's words go in short and without secrets. */
function apiError(
  fault: TransportError,
  asked: HttpRequest,
  redact: (text: string) => string,
  ownHint: string | undefined
): ApiError {
  const { detail, hint } = fault.remarks
  const said = detail === undefined ? [] : [inShort(redact(detail))]
  const message = [`${asked.method} ${asked.path}`, fault.message, ...said].join(': ')
  return new ApiError(fault.problem, message, ownHint ?? hint)
}

import { setMaxListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { type Connection, checkBaseUrl, checkTls } from '../connection.ts'
import { refusalHint, secretsIn } from '../credentials.ts'
import { ApiError, Fault } from '../error.ts'
import { type Answer, readAnswer } from './answer.ts'
import { type Caller, Callers } from './callers.ts'
import { interrupted, within } from './deadline.ts'
import { inShort } from './detail.ts'
import { networkFault } from './network.ts'
import { type HttpRequest, type Operation, requestOf } from './operation.ts'
import { type ProxySettings, proxySettings } from './proxy.ts'
import { KnownSecrets } from './redact.ts'
import { retrying } from './retry.ts'
import { slots } from './slots.ts'

/**
 * Asks the service once and decodes what it answers. Rejects with an `ApiError`; a `Fault` that
 * `decode` throws becomes one. Anything else it rejects with is a bug.
 */
export type Send = <T>(operation: Operation, decode: (answer: Answer) => T) => Promise<T>

export interface Transport {
  readonly send: Send
  /** HTTP requests made so far. */
  readonly requests: number
  /** Closes every connection; what is under way fails. */
  close(): Promise<void>
}

/** Seconds to wait for a connection. */
const CONNECT_TIME = 10

/**
 * Opens the way to the service for the allowed operations and no other. It connects when the first
 * request is sent. Throws a `Failure` if the connection would not be safe.
 */
export function openTransport(
  connection: Connection,
  allowed: readonly Operation['name'][]
): Transport {
  const { patience, signal, timeout } = connection
  const line = openLine(connection)
  const turn = slots(connection.parallelism)
  const callers = new Callers(connection.credentials, patience)
  let requests = 0

  const attempt = async (asked: HttpRequest, caller: Caller, stop: AbortSignal) => {
    requests += 1
    const askedAt = performance.now()
    return readAnswer(await line.exchange(asked, caller, stop), askedAt, line.meet)
  }

  const once: Send = async (operation, decode) => {
    if (!allowed.includes(operation.name)) {
      throw new Error(`this client was opened without the right to: ${operation.name}`)
    }
    const asked = requestOf(operation)
    const held = operation.name === 'update WLAN' ? patience?.interrupted : undefined
    let caller: Caller | undefined
    try {
      return await turn(async () => {
        const asking = held?.aborted ? undefined : await callers.next(held)
        if (asking === undefined) throw interrupted('no')
        if (operation.name === 'update WLAN' && operation.isFresh?.() === false) throw tooLate()
        caller = asking
        const work = async (stop: AbortSignal) => decode(await attempt(asked, asking, stop))
        return await within(timeout, signal, work)
      })
    } catch (thrown) {
      const error = line.explain(thrown, asked, caller)
      throw caller && error instanceof ApiError ? callers.heed(caller, error) : error
    }
  }

  return {
    send: patience ? retrying(once, callers, patience, connection.parallelism) : once,
    get requests() {
      return requests
    },
    close: line.close
  }
}

/** The fault of an update whose turn came too late. */
function tooLate(): Fault {
  return new Fault({ kind: 'held', sent: 'no' }, 'not sent, as it had to wait for too long')
}

/** What the requests of a connection go over. */
interface Line {
  /** One request, one response: nothing is followed, retried or decoded. */
  exchange(asked: HttpRequest, caller: Caller, stop: AbortSignal): Promise<Dispatcher.ResponseData>
  /** Takes note of a secret: no error of the run repeats it. */
  readonly meet: (secret: string) => void
  /** The `ApiError` behind what was thrown; the thrown itself if it is a bug. */
  explain(thrown: unknown, asked: HttpRequest, caller: Caller | undefined): unknown
  close(): Promise<void>
}

function openLine(connection: Connection): Line {
  checkTls(connection.env)
  const url = new URL(checkBaseUrl(connection.baseUrl))
  const prefix = url.pathname.replace(/\/$/, '')
  const { credentials, userAgent } = connection
  const headers = { ...contentHeaders, 'user-agent': userAgent }
  const known = new KnownSecrets()
  for (const secret of secretsIn(credentials)) known.meet(secret)
  let declared = connection.secrets
  const meetDeclared = () => {
    for (const secret of declared?.() ?? []) if (secret.known) known.meet(secret.reveal())
    declared = undefined
  }
  const proxies = proxySettings(connection)
  const dispatcher = openDispatcher(connection, proxies)
  // Every request under way listens, and Node takes more than ten listeners for a leak.
  if (connection.signal !== undefined) setMaxListeners(0, connection.signal)
  return {
    exchange: ({ method, path, body }, caller, signal) =>
      dispatcher.request({
        origin: url.origin,
        path: prefix + path,
        method,
        headers: { ...caller.headers, ...headers },
        body: body?.text ?? null,
        signal
      }),
    meet: secret => known.meet(secret),
    explain(thrown, asked, caller) {
      const proxied = proxies.httpsProxy !== ''
      const fault = thrown instanceof Fault ? thrown : networkFault(thrown, url.host, proxied)
      if (fault === undefined) return thrown
      for (const secret of asked.body?.secrets ?? []) known.meet(secret)
      meetDeclared()
      const { problem } = fault
      const status = problem.kind === 'status' ? problem.status : 0
      const hint = refusalHint(credentials, status, caller?.name)
      return apiError(fault, asked, text => known.redact(text), hint)
    },
    close: () => dispatcher.destroy()
  }
}

// undici parses HTTP in WebAssembly. V8 goes on optimising that in the background, and Node does not
// exit before it is done: 50 ms at the end of every short run, and no gain in a long one.
setFlagsFromString('--liftoff-only')

/** No limit here is undici's: the deadline of a request covers its whole time. */
function openDispatcher({ parallelism }: Connection, proxies: ProxySettings): Dispatcher {
  return new EnvHttpProxyAgent({
    ...proxies,
    connections: parallelism,
    pipelining: 1,
    connect: { timeout: CONNECT_TIME * 1000 },
    headersTimeout: 0,
    bodyTimeout: 0
  })
}

const contentHeaders = { 'content-type': 'application/json', accept: 'application/json' }

/** Tells a fault of its request; the service's words go in short and without secrets. */
function apiError(
  fault: Fault,
  asked: HttpRequest,
  redact: (text: string) => string,
  ownHint: string | undefined
): ApiError {
  const { detail, hint } = fault.remarks
  const said = detail === undefined ? [] : [inShort(redact(detail))]
  const message = [`${asked.method} ${asked.path}`, fault.message, ...said].join(': ')
  return new ApiError(fault.problem, message, ownHint ?? hint)
}

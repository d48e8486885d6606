import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '../model/failure.ts'
import type { FaultCounts } from './faults.ts'
import {
  type Delivery,
  deliverWhole,
  errorResponse,
  readRequest,
  type SimulatedRequest,
  sendDelivery
} from './http.ts'
import { type Json, parseJson, type WlanRecord } from './json.ts'
import { SimulatedService } from './service.ts'
import type { SimulatedSite, StoredPut } from './store.ts'
import type { Switches } from './switches.ts'
import type { Now, SimulatedSession } from './tokens.ts'

/** The token that is valid where the caller names no other. */
export const DEMO_TOKEN = 'demo-token-of-the-embedded-service'

export interface SimulatorOptions {
  readonly sites: readonly SimulatedSite[]
  /** The tokens it accepts, separated by commas. Default: `DEMO_TOKEN`. */
  readonly token?: string
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Default: 0, any free one. */
  readonly port?: number
  readonly switches?: Partial<Switches>
  /** Decides what chance decides: faults by rate, and created tokens. Default: 1. */
  readonly seed?: number
  /** A login session, which may create tokens. Default: there is none. */
  readonly session?: SimulatedSession
  /** Default: the machine's. */
  readonly clock?: Now
}

/** The embedded service, listening. */
export interface Simulator {
  /** Without a slash at the end. */
  readonly url: string
  /** All that it accepts at the start, as a client takes them: separated by commas. */
  readonly token: string
  /** Every request, in the order they came in. */
  readonly requests: readonly LoggedRequest[]
  /** Every PUT that was stored, whatever its client was told. */
  readonly history: readonly StoredPut[]
  /** How many faults of each kind were injected. */
  readonly faults: FaultCounts
  /** The record as it is stored, secrets in clear. Throws where there is none. */
  record(siteId: string, wlanId: string): WlanRecord
  /** Somebody edits fields in the console; an undefined one is taken away. */
  edit(siteId: string, wlanId: string, fields: Readonly<Record<string, Json | undefined>>): void
  /** Somebody deletes the WLAN in the console. */
  remove(siteId: string, wlanId: string): void
  set(switches: Partial<Switches>): void
  /** Stops listening and ends every connection, those that wait for an answer too. */
  close(): Promise<void>
}

/** Starts the embedded service. Rejects if the address cannot be listened on. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, token = DEMO_TOKEN, clock = Date.now, session } = options
  const { sites, seed = 1, switches = {} } = options
  const service = new SimulatedService({
    sites,
    tokens: token.split(','),
    seed,
    clock,
    session,
    switches
  })
  const log = new RequestLog(clock)
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    serve(service, log, request, response).catch(() => response.destroy())
  })
  await listen(server, host, port)
  return {
    url: urlOf(server),
    token,
    requests: log.requests,
    history: service.store.history,
    faults: service.faults,
    record: (siteId, wlanId) => service.store.record(siteId, wlanId),
    edit: (siteId, wlanId, fields) => service.store.edit(siteId, wlanId, fields),
    remove: (siteId, wlanId) => service.store.remove(siteId, wlanId),
    set: changed => service.setSwitches(changed),
    close: () => close(server)
  }
}

/** Rejects if the client goes away before its request has come in. */
async function serve(
  service: SimulatedService,
  log: RequestLog,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  const call = await readRequest(request)
  const entry = log.append(call)
  const { latency } = service.switches
  if (latency > 0) await sleep(latency, undefined, { ref: false })
  const reply = handleSafely(service, call)
  if ('answer' in reply) entry.status = reply.answer.status
  sendDelivery(response, reply)
}

/** A mistake of ours shows itself in the answer, where a test sees it. */
function handleSafely(service: SimulatedService, call: SimulatedRequest): Delivery {
  try {
    return service.handle(call)
  } catch (error) {
    return deliverWhole(errorResponse(500, `bug in the simulator: ${reasonOf(error)}`))
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** A request that came in. It holds secrets, the token among them: not for any output. */
export interface LoggedRequest {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as JSON, or its text where it is none; absent where there was no body. */
  readonly body?: Json
  /** What was answered; absent as long as nothing was, and where nothing ever is. */
  readonly status?: number
}

/** The requests of a run, in the order they came in. */
export class RequestLog {
  readonly requests: LoggedRequest[] = []
  readonly #clock: Now

  constructor(clock: Now) {
    this.#clock = clock
  }

  /** Notes a request; the caller adds the status to the entry it gets. */
  append(call: SimulatedRequest): { status?: number } {
    const { method, target: path, headers, body: text } = call
    const body = text === '' ? {} : { body: parseJson(text) ?? text }
    const entry: LoggedRequest = { at: this.#clock(), method, path, headers, ...body }
    this.requests.push(entry)
    return entry
  }
}

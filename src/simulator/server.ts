import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '../core/model/failure.ts'
import type { FaultCounts } from './faults.ts'
import {
  type Delivery,
  deliverWhole,
  errorResponse,
  readRequest,
  type SimulatedRequest,
  sendDelivery
} from './http.ts'
import { type Json, tryParseJson, type WlanRecord } from './json.ts'
import { SimulatedService, type SimulatedServiceOptions } from './service.ts'
import type { SimulatedSite, StoredPut } from './store.ts'
import type { Switches } from './switches.ts'

/** The default token. */
export const DEMO_TOKEN = 'demo-token-4c1f9b7e'

/** Defaults: the seed 1, the system clock, and no switch. */
export interface SimulatorOptions
  extends Partial<Omit<SimulatedServiceOptions, 'sites' | 'tokens'>> {
  readonly sites: readonly SimulatedSite[]
  /** The accepted tokens, separated by commas. Default: `DEMO_TOKEN`. */
  readonly token?: string
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Default: 0, any free port. */
  readonly port?: number
}

/** The running embedded service. */
export interface Simulator {
  /** Without a slash at the end. */
  readonly url: string
  /** The tokens accepted at the start, separated by commas. */
  readonly token: string
  /** Every request, in order of arrival. */
  readonly requests: readonly LoggedRequest[]
  /** Every stored PUT, even if the client did not receive its response. */
  readonly history: readonly StoredPut[]
  /** The number of injected faults by kind. */
  readonly faults: FaultCounts
  /** The stored record with plaintext secrets. Throws for an unknown WLAN. */
  record(siteId: string, wlanId: string): WlanRecord
  /** Edits fields, as another client would; an undefined field is removed. */
  edit(siteId: string, wlanId: string, fields: Readonly<Record<string, Json | undefined>>): void
  /** Deletes the WLAN, as another client would. */
  remove(siteId: string, wlanId: string): void
  set(switches: Partial<Switches>): void
  /** Stops listening and closes every connection, including pending requests. */
  close(): Promise<void>
}

/** Starts the embedded service. Rejects if it cannot listen on the address. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, token = DEMO_TOKEN, ...given } = options
  const { clock = Date.now } = given
  const service = new SimulatedService({
    seed: 1,
    switches: {},
    ...given,
    clock,
    tokens: token.split(',')
  })
  const requests: LoggedRequest[] = []
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    serve(service, request, response, received => {
      const entry = loggedRequest(received, clock())
      requests.push(entry)
      return entry
    }).catch(() => response.destroy())
  })
  await listen(server, host, port)
  return {
    url: urlOf(server),
    token,
    requests,
    history: service.store.history,
    faults: service.faults,
    record: (siteId, wlanId) => service.store.record(siteId, wlanId),
    edit: (siteId, wlanId, fields) => service.store.edit(siteId, wlanId, fields),
    remove: (siteId, wlanId) => service.store.remove(siteId, wlanId),
    set: changed => service.setSwitches(changed),
    close: () => close(server)
  }
}

/** Rejects if the client disconnects before the end of its request. */
async function serve(
  service: SimulatedService,
  request: IncomingMessage,
  response: ServerResponse,
  log: (request: SimulatedRequest) => { status?: number }
): Promise<void> {
  const received = await readRequest(request)
  const entry = log(received)
  const { latency } = service.switches
  if (latency > 0) await sleep(latency, undefined, { ref: false })
  const delivery = handleSafely(service, received)
  if ('response' in delivery) entry.status = delivery.response.status
  sendDelivery(response, delivery)
}

function handleSafely(service: SimulatedService, request: SimulatedRequest): Delivery {
  try {
    return service.handle(request)
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

/** A received request. It contains secrets, including the token: never print it. */
export interface LoggedRequest {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as JSON, or as text if it is not JSON; absent for an empty body. */
  readonly body?: Json
  /** The status of the response; absent until there is one. */
  readonly status?: number
}

function loggedRequest(
  { method, target: path, headers, body: text }: SimulatedRequest,
  at: number
): LoggedRequest {
  const body = text === '' ? {} : { body: tryParseJson(text) ?? text }
  return { at, method, path, headers, ...body }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '../model/failure.ts'
import type { FaultCounts } from './faults/faults.ts'
import { type Reply, refusal, whole } from './http/answers.ts'
import type { Session } from './http/authorise.ts'
import type { Call } from './http/call.ts'
import { deliver } from './http/deliver.ts'
import { type LoggedRequest, RequestLog } from './http/log.ts'
import { receive } from './http/receive.ts'
import type { Json, WlanRecord } from './json.ts'
import { Service } from './service/service.ts'
import type { SimulatedSite, Write } from './service/store.ts'
import type { Clock } from './service/tokens.ts'
import type { Switches } from './switches.ts'

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
  readonly session?: Session
  /** Default: the machine's. */
  readonly clock?: Clock
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
  readonly history: readonly Write[]
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
  const service = new Service({ sites, tokens: token.split(','), seed, clock, session, switches })
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
    record: (siteId, wlanId) => service.store.known(siteId, wlanId),
    edit: (siteId, wlanId, fields) => service.store.edit(siteId, wlanId, fields),
    remove: (siteId, wlanId) => service.store.remove(siteId, wlanId),
    set: changed => service.set(changed),
    close: () => close(server)
  }
}

/** Rejects if the client goes away before its request has come in. */
async function serve(
  service: Service,
  log: RequestLog,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  const call = await receive(request)
  const entry = log.arrived(call)
  const { latency } = service.switches
  if (latency > 0) await sleep(latency, undefined, { ref: false })
  const reply = replyOf(service, call)
  if ('answer' in reply) entry.status = reply.answer.status
  deliver(response, reply)
}

/** A mistake of ours shows itself in the answer, where a test sees it. */
function replyOf(service: Service, call: Call): Reply {
  try {
    return service.reply(call)
  } catch (error) {
    return whole(refusal(500, `bug in the simulator: ${reasonOf(error)}`))
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

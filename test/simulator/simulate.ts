import { onTestFinished } from 'vitest'
import type { Json, WlanRecord } from '../../src/simulator/json.ts'
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator
} from '../../src/simulator/server.ts'
import { CORP, GUEST, HQ, UNKNOWN_ID } from '../support/ids.ts'

export { CORP, GUEST, HQ, UNKNOWN_ID }

export const corp: WlanRecord = {
  id: CORP,
  ssid: 'Corp',
  site_id: HQ,
  org_id: '11111111-1111-4111-8111-111111111111',
  created_time: 1000,
  modified_time: 2000,
  enabled: true,
  vlan_id: 20,
  limit_bcast: false,
  auth: { type: 'eap', pairwise: ['wpa3', 'wpa2-ccmp'] },
  auth_servers: [
    { host: '10.0.0.1', port: 1812, secret: 'radius-one' },
    { host: '10.0.0.2', port: '1812', secret: 'radius-two' }
  ]
}

export const guest: WlanRecord = {
  id: GUEST,
  ssid: 'Guest',
  site_id: HQ,
  modified_time: 2000,
  auth: { type: 'psk', psk: 'test-psk-123' },
  portal: { enabled: true, password: 'seesam', expire: 480 }
}

/** A response: the status, the headers and the body as JSON, or as text if it is not JSON. */
interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export interface SimulatorFixture {
  readonly simulator: Simulator
  send(
    method: string,
    path: string,
    body?: string,
    headers?: Record<string, string>
  ): Promise<ReceivedResponse>
  get(path: string): Promise<ReceivedResponse>
  put(path: string, body: Json): Promise<ReceivedResponse>
}

export const TOKENS = '/api/v1/self/apitokens'
export const WLANS = `/api/v1/sites/${HQ}/wlans`
export const CORP_PATH = `${WLANS}/${CORP}`
export const GUEST_PATH = `${WLANS}/${GUEST}`

/** A simulator with one site, closed after the test, and an authorised client for it. */
export async function simulate(options: Partial<SimulatorOptions> = {}): Promise<SimulatorFixture> {
  const sites = [{ id: HQ, name: 'hq', wlans: [corp, guest] }]
  const simulator = await startSimulator({ sites, ...options })
  onTestFinished(() => simulator.close())
  const send: SimulatorFixture['send'] = async (method, path, body, headers) => {
    const response = await fetch(simulator.url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
      headers: headers ?? { authorization: `Token ${simulator.token}` },
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: jsonOrText(text) }
  }
  return {
    simulator,
    send,
    get: path => send('GET', path),
    put: (path, body) => send('PUT', path, JSON.stringify(body))
  }
}

function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

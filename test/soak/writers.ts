import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../src/core/values/value.ts'
import { type Random, randomInt } from '../../src/simulator/fleet/random.ts'
import type { Json, JsonObject } from '../../src/simulator/json.ts'
import type { LoggedRequest, Simulator } from '../../src/simulator/server.ts'
import { Collector, type Ended, wlanctl } from '../support/program.ts'
import type { CampaignSetup } from './campaign.ts'
import type { Fleet } from './fleet.ts'
import { type Fields, leaves, type Write, type Writer } from './ledger.ts'
import type { RunReport } from './statements.ts'

const ssids = ['Corp', 'Guest', 'IoT', 'Staff', 'Voice', 'Scanners', 'Printers', 'BYOD', 'Signage']

/** The same fields for each SSID. */
const forAll = (fields: JsonObject) =>
  Object.fromEntries([...ssids, 'Events'].map(ssid => [ssid, fields]))

/** Two declarations of different members of the same objects. */
export const members = {
  first: forAll({
    vlan_id: { $var: 'vlan' },
    auth: { enable_mac_auth: true },
    qos: { class: 'video' },
    rateset: { '24': { min_rssi: -70 } }
  }),
  second: forAll({ auth: { private_wlan: true }, rateset: { '5': { min_rssi: -65 } } })
}

/**
 * Edits by hand: undeclared fields, undeclared members of declared objects, declared fields, and the former
 * values of all of them.
 */
const edits: readonly ((
  record: JsonObject,
  value: number,
  former: JsonObject
) => Readonly<Record<string, Json | undefined>>)[] = [
  (_, value) => ({ client_limit_up: value }),
  ({ auth }, value) => ({ auth: { ...object(auth), psk: `rotated-by-hand-${value}` } }),
  ({ auth }, value) => ({ auth: { ...object(auth), anticlog_threshold: 16 + (value % 16) } }),
  ({ rateset }, value) => ({
    rateset: { ...object(rateset), '5': { template: 'no-legacy', min_rssi: -60 - (value % 9) } }
  }),
  (_, value) => ({ vlan_id: 3000 + value }),
  ({ qos }) => ({ qos: { ...object(qos), class: 'background' } }),
  (_, __, { vlan_id, auth, qos, rateset }) => ({ vlan_id, auth, qos, rateset })
]

function object(value: unknown): JsonObject {
  return isObject(value as JsonObject) ? (value as JsonObject) : {}
}

/** Edits random WLANs by hand at random moments between the plan and the end of a run; returns the edits. */
export async function editUntil(
  ended: Promise<unknown>,
  { fleet, simulator }: CampaignSetup,
  token: string,
  random: Random
): Promise<Write[]> {
  const cases = [...fleet.cases.values()]
  const writes: Write[] = []
  const over = ended.then(() => true)
  const isPlanned = () => {
    const lists = listsOf(simulator, token).filter(({ status }) => status !== undefined)
    return lists.length === fleet.sites.length
  }
  while (!isPlanned() && !(await Promise.race([over, sleep(1)])));
  while (!(await Promise.race([over, sleep(randomInt(random, 300))]))) {
    const victim = cases[randomInt(random, cases.length)]
    const edit = edits[randomInt(random, edits.length)]
    if (victim === undefined || edit === undefined) continue
    const { site, wlan } = victim
    const before = simulator.record(site, wlan)
    simulator.edit(site, wlan, edit(before, randomInt(random, 999), victim.before))
    writes.push({ wlan, by: 'hand', at: Date.now(), before, after: simulator.record(site, wlan) })
  }
  return writes
}

/** Runs a command in this process. With `answerAfter` (ms), it asks and somebody types yes. */
export function runHere(
  argv: readonly string[],
  { simulator }: CampaignSetup,
  { cwd, token, answerAfter }: { cwd: string; token: string; answerAfter?: number }
): Promise<Ended> {
  const env = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: token, TMPDIR: cwd }
  const options =
    '--quiet --format json --max-changes all --verify-timeout 2 --allow-downgrade'.split(' ')
  if (answerAfter === undefined) return wlanctl([...argv, ...options, '--yes'], { cwd, env })
  const stdin = Object.assign(Readable.from(yesAfter(answerAfter)), { isTTY: true })
  const stderr = Object.assign(new Collector(), { isTTY: true, columns: 100 })
  return wlanctl([...argv, ...options], { cwd, env }, { stdin, stderr })
}

async function* yesAfter(milliseconds: number): AsyncGenerator<string> {
  await sleep(milliseconds)
  yield 'yes\n'
}

/** The writer of a run that applied a fleet. */
export function writerOf(fleet: Fleet, setup: CampaignSetup, token: string, ended: Ended): Writer {
  const { outcomes } = JSON.parse(ended.stdout) as RunReport
  const sites = new Map([...fleet.cases.values()].map(({ wlan, site }) => [wlan, site]))
  const lists = listsOf(setup.simulator, token)
  const plannedAt = (wlan: string) =>
    lists.find(({ path }) => path.includes(sites.get(wlan) ?? '-'))?.at ?? Number.POSITIVE_INFINITY
  const declared = Array.from(fleet.cases, ([address, { wlan, declared }]) => {
    return [wlan, { address, fields: leaves(declared) }] as const
  })
  return { token, declared: new Map(declared), plannedAt, outcomes }
}

/** The requests of a run that list the WLANs of a site. */
function listsOf({ requests }: Simulator, token: string): LoggedRequest[] {
  return requests.filter(
    ({ method, headers, path }) =>
      method === 'GET' && headers.authorization === `Token ${token}` && /\/wlans(\?|$)/.test(path)
  )
}

/** The writer of a `revert` of that run: its declared fields are the former ones. */
export function reverterOf(fleet: Fleet, writer: Writer, token: string, ended: Ended): Writer {
  const { outcomes } = JSON.parse(ended.stdout) as RunReport
  const declared = Array.from(fleet.cases, ([address, { wlan, before, declared }]) => {
    const old = leaves(before)
    const fields: Fields = new Map([...leaves(declared).keys()].map(at => [at, old.get(at)]))
    return [wlan, { address, fields }] as const
  })
  return { ...writer, token, undoes: writer.token, declared: new Map(declared), outcomes }
}

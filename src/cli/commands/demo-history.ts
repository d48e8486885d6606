import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type ExitCode, exit, Failure } from '../../core/model/failure.ts'
import type { Simulator } from '../../simulator/server.ts'
import type { SimulatedSite } from '../../simulator/store.ts'
import { gitIn } from '../files/git.ts'
import type { Io } from '../terminal/io.ts'

const NIGHTS = 90
const STORES = 12
const DAY = 86_400_000

/** Names the RFC 4122 ids of the demo: a site `1nn`, its networks `2nn` and `3nn`. */
function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

function storeOf(number: number): string {
  return `store-${String(number).padStart(3, '0')}`
}

/** Twelve stores, each with a network for the tills and one for guests, as the files declare them. */
export function stores(): readonly SimulatedSite[] {
  return Array.from({ length: STORES }, (_, at) => ({
    id: idOf(101 + at),
    name: storeOf(at + 1),
    wlans: [
      { id: idOf(201 + at), ssid: 'Tills', enabled: true, vlan_enabled: true, vlan_id: 50 },
      {
        ...{ id: idOf(301 + at), ssid: 'Guest', enabled: true, vlan_enabled: true, vlan_id: 30 },
        isolation: true
      }
    ].map(wlan => ({ ...wlan, auth: { type: 'eap', pairwise: ['wpa2-ccmp'] } }))
  }))
}

/** What the files declare on a night, and what people do by hand. */
interface Night {
  readonly guestVlan?: number
  /** A change in the web console: the number of the store, the first id of its networks, the fields. */
  readonly edit?: readonly [
    store: number,
    network: 201 | 301,
    fields: Parameters<Simulator['edit']>[2]
  ]
  /** True if the pipeline applies the files on this night. */
  readonly applies?: true
}

const contest = (night: number): [number, Night][] => [
  [night, { edit: [7, 301, { vlan_id: 66 }] }],
  [night + 1, { applies: true }]
]

/** Two rollouts, three edits of fields that no file declares, and a store that undoes what the files declare. */
const nights: ReadonlyMap<number, Night> = new Map([
  [12, { guestVlan: 31, applies: true }],
  [23, { edit: [4, 301, { isolation: false }] }],
  [41, { edit: [9, 201, { hide_ssid: true }] }],
  [44, { guestVlan: 32, applies: true }],
  ...contest(52),
  ...contest(58),
  ...contest(64),
  [77, { edit: [11, 301, { schedule: { enabled: true, hours: { sun: '09:00-10:00' } } }] }]
])

type Run = (io: Io) => Promise<ExitCode>

/**
 * Plays the nights up to yesterday: a drift check each night keeps a snapshot in `estate`, which Git gets as commits of those
 * nights; applies leave records in `records`. Throws a `Failure` if git is not installed, or a command fails.
 */
export async function playNights(
  simulator: Simulator,
  folder: string,
  run: Run,
  io: Io
): Promise<void> {
  const git = gitIn(folder, io)
  await git(['init', '--quiet', '--template=', '--initial-branch=main'])
  const began = Math.floor(io.now().getTime() / DAY - NIGHTS) * DAY + DAY / 6
  let guestVlan = 30
  let before: ReadonlyMap<string, string> = new Map()
  const commits: string[] = []
  await mkdir(join(folder, 'records'))
  for (let night = 0; night < NIGHTS; night += 1) {
    const happens = nights.get(night) ?? {}
    const at = new Date(began + night * DAY)
    const call = (...argv: readonly string[]) => runQuietly(run, { ...io, now: () => at, argv })
    if (happens.edit !== undefined) {
      const [store, network, fields] = happens.edit
      simulator.edit(idOf(100 + store), idOf(network + store - 1), fields)
    }
    guestVlan = happens.guestVlan ?? guestVlan
    await writeFile(join(folder, 'fleet.yaml'), fleetOf(guestVlan))
    if (happens.applies) {
      const record = join('records', `${night}.jsonl`)
      await call('apply', '--yes', '--record', record)
    }
    await call('snapshot', '--into', 'estate')
    const after = await filesIn(join(folder, 'estate'))
    commits.push(commitOf(before, after, at))
    before = after
  }
  const { code, reason } = await git(['fast-import', '--quiet'], commits.join(''))
  if (code !== 0) throw new Failure(exit.failed, `git fast-import: ${reason}`)
}

/** Runs a command of a night without its output, and with a signal of its own, which collects no listeners over the nights. */
async function runQuietly(run: Run, io: Io): Promise<void> {
  const nowhere = () => new Writable({ write: (_, __, done) => done() })
  const interrupted = AbortSignal.any([io.interrupted])
  const code = await run({ ...io, stdout: nowhere(), stderr: nowhere(), interrupted })
  io.interrupted.throwIfAborted()
  if (code !== exit.done) throw new Failure(exit.failed, `\`${io.argv.join(' ')}\` failed`)
}

function fleetOf(guestVlan: number): string {
  const sites = stores().map(({ id, name }) => `  - { id: ${id}, name: ${name} }\n`)
  return `policy: { max_change_percent: 100 }
sites:
${sites.join('')}wlans:
  tills: { ssid: Tills, vlan_id: 50 }
  guest: { ssid: Guest, vlan_id: ${guestVlan} }
`
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder)
  const texts = names.map(async name => [name, await readFile(join(folder, name), 'utf8')] as const)
  return new Map(await Promise.all(texts))
}

/** A commit for `git fast-import`, or nothing if no file differs. */
function commitOf(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  at: Date
): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const changed = [...after].filter(([name, text]) => before.get(name) !== text)
  if (changed.length === 0) return ''
  return [
    `commit refs/heads/main\ncommitter wlanctl <demo@localhost> ${at.getTime() / 1000} +0000\n`,
    data(`Snapshot of ${at.toISOString().slice(0, 10)}`),
    ...changed.map(([name, text]) => `M 100644 inline estate/${name}\n${data(text)}`)
  ].join('')
}

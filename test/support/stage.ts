import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Simulator, SimulatorOptions } from '../../src/simulator/server.ts'
import { HQ, simulate } from '../simulator/simulate.ts'
import {
  type Edges,
  type Ended,
  folder,
  type Running,
  runBuilt,
  type Started,
  start,
  startBuilt,
  startOnScreen,
  startOnTerminal,
  wlanctl
} from './program.ts'

/** The secret that the fleet refers to; no output may contain it. */
export const PSK = 'planted-psk-of-the-lobby'

/** A fleet for the site of `simulate()`: `corp` differs in two fields, `guest` in its secret. */
export const FLEET = `site: { id: ${HQ}, name: hq }
wlans:
  corp:
    ssid: Corp
    vlan_id: 21
    enabled: false
  guest:
    ssid: Guest
    auth: { psk: { $env: WLAN_SECRET_GUEST } }
`

/** The file of the site of `simulate()` with these WLANs, in YAML. */
export function hqFile(wlans: string): string {
  return `site: { id: ${HQ}, name: hq }\nwlans: ${wlans}\n`
}

/** Resolves when every earlier read is too old to write. */
export function afterASecond(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 1_001))
}

/** A folder with a fleet, a matching service, and the program. */
export interface Stage {
  readonly cwd: string
  readonly simulator: Simulator
  /** The base URL, token and secret: the environment of the program, unless a test removes them. */
  readonly env: Readonly<Record<string, string>>
  /** Runs a command in this process; `change` is merged into the environment. */
  run(line: string, change?: Changes, edges?: Edges): Promise<Ended>
  /** Starts a command in this process, to interrupt it. */
  start(line: string, change?: Changes): Started
  /** Starts a command in this process on a terminal, to answer its questions. */
  startOnScreen(line: string, change?: Changes, columns?: number): Started
  /** Runs the built program to its end, in its own process. */
  runBuilt(line: string, change?: Changes): Promise<Ended>
  startBuilt(line: string, change?: Changes): Running
  startOnTerminal(line: string, change?: Changes, columns?: number): Running
  /** Writes a file below the folder and returns its path. */
  write(file: string, text: string, mode?: number): string
  read(file: string): string
  /** The requests so far, in short: `GET`, `PUT`, `POST`. */
  methods(): string[]
}

/** Variables to set, or to remove. */
type Changes = Readonly<Record<string, string | undefined>>

/** Sets up the stage, which is removed after the test. */
export async function stage(options: Partial<SimulatorOptions> = {}): Promise<Stage> {
  const cwd = folder()
  const { simulator } = await simulate(options)
  const env = {
    WLANCTL_BASE_URL: simulator.url,
    WLANCTL_API_TOKEN: simulator.token,
    WLAN_SECRET_GUEST: PSK
  }
  const options_ = (change: Changes = {}) => ({ cwd, env: withChanges(env, change) })
  const made: Stage = {
    cwd,
    simulator,
    env,
    run: (line, change, edges) => wlanctl(words(line), options_(change), edges),
    start: (line, change) => start(words(line), options_(change)),
    startOnScreen: (line, change, columns) => startOnScreen(words(line), options_(change), columns),
    runBuilt: (line, change) => runBuilt(words(line), options_(change)),
    startBuilt: (line, change) => startBuilt(words(line), options_(change)),
    startOnTerminal: (line, change, columns) =>
      startOnTerminal(words(line), options_(change), columns),
    write(file, text, mode = 0o644) {
      const path = join(cwd, file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      chmodSync(path, mode)
      return path
    },
    read: file => readFileSync(join(cwd, file), 'utf8'),
    methods: () => simulator.requests.map(({ method }) => method)
  }
  made.write('fleet/hq.yaml', FLEET)
  return made
}

function words(line: string): string[] {
  return line === '' ? [] : line.split(' ')
}

function withChanges(env: Readonly<Record<string, string>>, change: Changes) {
  const entries = Object.entries({ ...env, ...change })
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
}

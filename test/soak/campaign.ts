import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { FaultRates } from '../../src/simulator/faults.ts'
import { type Random, randomInt, seededRandom } from '../../src/simulator/fleet/random.ts'
import type { Json, JsonObject } from '../../src/simulator/json.ts'
import { DEMO_TOKEN, type Simulator, startSimulator } from '../../src/simulator/server.ts'
import type { Switches } from '../../src/simulator/switches.ts'
import { type Ended, folder, type Running, startBuilt } from '../support/program.ts'
import { secrets, UNDECLARED } from './declarations.ts'
import { type Fleet, type FleetSize, makeFleet } from './fleet.ts'

/** The edits of another user, by WLAN. */
export type Edits = ReadonlyMap<string, Readonly<Record<string, Json>>>

/** A fleet, a service that contains it, and a folder with the files that declare it. */
export interface CampaignSetup {
  readonly fleet: Fleet
  readonly simulator: Simulator
  readonly cwd: string
  start(options: string): Running
  run(options: string): Promise<Ended>
}

export interface CampaignOptions extends FleetSize {
  readonly switches: Partial<Switches>
  /** The declaration of each SSID. */
  readonly declared?: Readonly<Record<string, JsonObject>>
  /** The accepted tokens, separated by commas. */
  readonly token?: string
}

/** Sets up a campaign, which is removed after the test. */
export async function setUpCampaign({
  switches,
  declared,
  token = DEMO_TOKEN,
  ...size
}: CampaignOptions): Promise<CampaignSetup> {
  const { seed, hidden } = size
  const fleet = makeFleet(size, declared)
  const hiddenSecrets = hidden ? 'masked' : 'no'
  const simulator = await startSimulator({
    sites: fleet.sites,
    seed,
    token,
    switches: { hiddenSecrets, ...switches }
  })
  onTestFinished(() => simulator.close())
  const cwd = fleetFolder(fleet)
  const env = {
    WLANCTL_BASE_URL: simulator.url,
    WLANCTL_API_TOKEN: simulator.token,
    TMPDIR: cwd,
    ...secrets
  }
  const begin: CampaignSetup['start'] = options =>
    startBuilt(`apply --yes --quiet --max-changes all --format json ${options}`.trim().split(' '), {
      cwd,
      env
    })
  return { fleet, simulator, cwd, start: begin, run: options => begin(options).ended }
}

/** A new folder with the files of a fleet. */
export function fleetFolder({ files }: Fleet, policy: JsonObject = {}): string {
  const cwd = folder()
  for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text)
  // Random values violate rules of the linter, which these tests are not about.
  const unlinted = { policy: { lint: { level: 'off' }, ...policy } }
  writeFileSync(join(cwd, 'policy.yaml'), JSON.stringify(unlinted))
  return cwd
}

/** The rate of each fault for a total rate; 429s are rare, as they cost time. */
export function faultRates(rate: number, rateLimits: number): FaultRates {
  const shares = {
    '500': 4,
    '502': 3,
    '503': 4,
    '504': 3,
    '504-landed': 2.5,
    reset: 3,
    'reset-landed': 2.5,
    timeout: 1,
    'timeout-landed': 1,
    cut: 3,
    html: 3
  }
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0)
  const others = Object.entries(shares).map(([kind, share]) => [
    kind,
    ((rate - rateLimits) * share) / total
  ])
  return { '429': rateLimits, ...Object.fromEntries(others) }
}

/** Edits undeclared fields of random WLANs every few milliseconds until it is stopped. */
export function startEditor(
  setup: CampaignSetup,
  random: Random
): { readonly edits: Edits; stop(): void } {
  const cases = [...setup.fleet.cases.values()]
  const edits = new Map<string, Record<string, Json>>()
  const timer = setInterval(() => {
    const victim = cases[randomInt(random, cases.length)]
    if (victim === undefined) return
    const fields = {
      [UNDECLARED[randomInt(random, UNDECLARED.length)] ?? '']: 1 + randomInt(random, 999)
    }
    setup.simulator.edit(victim.site, victim.wlan, fields)
    edits.set(victim.wlan, { ...edits.get(victim.wlan), ...fields })
  }, 10)
  return { edits, stop: () => clearInterval(timer) }
}

/** Applies the fleet once while another user edits it. */
export async function campaign(
  setup: CampaignSetup,
  options: string,
  seed: number
): Promise<{ readonly ended: Ended; readonly edits: Edits }> {
  const editor = startEditor(setup, seededRandom('somebody', seed))
  const ended = await setup.run(options)
  editor.stop()
  return { ended, edits: editor.edits }
}

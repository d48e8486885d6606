import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, JsonObject } from '../../src/simulator/json.ts'
import type { Switches } from '../../src/simulator/switches.ts'

/**
 * The type of a scenario's `expected.json`. The other files are `live.json`, the seed of the simulator;
 * `fleet/`, the YAML files; and `secrets/` if a scenario needs it.
 */
export interface Scenario {
  /** A summary in one sentence. */
  readonly story: string
  /** The environment of every command, in addition to the base URL and the token. */
  readonly env?: Readonly<Record<string, string>>
  /** The switches of the service. */
  readonly switches?: Partial<Switches>
  readonly steps: readonly Step[]
  /** Fields of records after the last step, by WLAN: `<site>/<SSID in live.json>`. */
  readonly live?: Readonly<Record<string, JsonObject>>
}

export type Step = CommandStep | EditStep

/** A command and its expected effects. Effects that a step omits are not checked. */
export interface CommandStep {
  /** The arguments of `wlanctl`, separated by spaces. */
  readonly command: string
  readonly exit: number
  /** Each must be in the output, in this order. */
  readonly stdout?: readonly string[]
  readonly stderr?: readonly string[]
  /** None of these may be in the output. */
  readonly never?: readonly string[]
  /** Members of the JSON on stdout, for `--format json`. */
  readonly json?: JsonObject
  /**
   * Every request of the step, in order, named by site and by the SSID in `live.json`: `GET hq` lists
   * a site, `GET hq/Corp` reads a WLAN, `PUT hq/Corp` updates it.
   */
  readonly requests?: readonly string[]
  /** The body of every PUT of the step, in order; exactly these members and no other. */
  readonly bodies?: readonly Json[]
}

/** Another user edits a WLAN, or the service changes its switches. */
export interface EditStep {
  readonly edit?: Readonly<Record<string, JsonObject>>
  readonly switches?: Partial<Switches>
}

export function readScenario(folder: string): Scenario {
  return JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Scenario
}

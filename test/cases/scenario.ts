import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, JsonObject } from '../../src/simulator/json.ts'
import type { Switches } from '../../src/simulator/switches.ts'

/**
 * What a scenario's `expected.json` says. Beside it are `live.json`, the simulator's seed, and
 * `fleet/`, the YAML files; `secrets/`, where a scenario needs some.
 */
export interface Scenario {
  /** What happens, in one sentence. */
  readonly story: string
  /** The environment of every command, beside the address and the token. */
  readonly env?: Readonly<Record<string, string>>
  /** How the service behaves from the start. */
  readonly switches?: Partial<Switches>
  readonly steps: readonly Step[]
  /** Fields that records have in the end, by WLAN: `<site>/<SSID in live.json>`. */
  readonly live?: Readonly<Record<string, JsonObject>>
}

export type Step = CommandStep | EditStep

/** A command and what it must do. What a step does not mention is not looked at. */
export interface CommandStep {
  /** The words after `wlanctl`, parted by blanks. */
  readonly command: string
  readonly exit: number
  /** Each must be in the output, in this order. */
  readonly stdout?: readonly string[]
  readonly stderr?: readonly string[]
  /** None of these may be in any output. */
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

/** Somebody edits a WLAN by hand, or the service changes its manners. */
export interface EditStep {
  readonly edit?: Readonly<Record<string, JsonObject>>
  readonly switches?: Partial<Switches>
}

export function readScenario(folder: string): Scenario {
  return JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Scenario
}

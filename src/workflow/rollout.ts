import type { Command } from 'commander'
import { clockUntil } from '../api/clock.ts'
import type { ApplyOptions } from '../apply/apply.ts'
import { credentialsOf } from '../cli/connection.ts'
import { EnvOption } from '../cli/environment.ts'
import { type Io, writeLine } from '../cli/io.ts'
import {
  integerBetween,
  type ReportOptions,
  type SecretFlags,
  type ServiceOptions
} from '../cli/options.ts'
import type { Outcome } from '../model/outcome.ts'
import type { WlanPlan } from '../model/plan.ts'
import type { PlannedWave } from '../plan/rollout.ts'
import { escapeInside } from '../report/escape.ts'

/** What a run does between the waves of its rollout. */
export interface RolloutOptions {
  /** Seconds. */
  readonly pause: number
  /** A command for the shell. */
  readonly check?: string
  /** Seconds. */
  readonly checkTimeout: number
}

export function addRolloutOptions(command: Command): Command {
  return command
    .addOption(
      new EnvOption('--pause <seconds>', 'how long to wait after each wave', 'WLANCTL_PAUSE')
        .argParser(integerBetween(0, 86_400))
        .default(0)
    )
    .addOption(
      new EnvOption(
        '--check <command>',
        'goes on after a wave only if this succeeds',
        'WLANCTL_CHECK'
      )
    )
    .addOption(
      new EnvOption(
        '--check-timeout <seconds>',
        'how long the check may take',
        'WLANCTL_CHECK_TIMEOUT'
      )
        .argParser(integerBetween(1, 86_400))
        .default(300)
    )
}

/** What is asked, and waited for, between two waves. */
export type RolloutHooks = Pick<ApplyOptions, 'check' | 'pause'>

/** Every wave is good, and the next one follows at once. */
export const noHooks: RolloutHooks = { check: async () => undefined, pause: async () => undefined }

type GateOptions = RolloutOptions &
  Pick<ReportOptions, 'quiet'> &
  Pick<SecretFlags, 'secretPrefix'> &
  Pick<ServiceOptions, 'tokenFile'>

/**
 * `inWaves` is false where there is one wave only, of all sites. The token file is read now, so that a
 * file that disappears during the run does not stop it, and no check gets a token of the run.
 */
export async function rolloutHooks(
  options: GateOptions,
  inWaves: boolean,
  io: Io
): Promise<RolloutHooks> {
  const { pause, check: command, checkTimeout, secretPrefix, tokenFile } = options
  const tokens = command === undefined ? [] : await tokensOf(options, io)
  const tell = async (text: string) => {
    if (!options.quiet) await writeLine(io, `wlanctl: ${text}`)
  }
  return {
    async check(wave) {
      if (command === undefined) return undefined
      const { runCheck } = await import('../cli/check-command.ts')
      await tell(inWaves ? `checking ${titleOf(wave)}` : 'checking what was applied')
      const credentials = { secretPrefix, tokens, ...(tokenFile !== undefined && { tokenFile }) }
      return runCheck({ command, timeout: checkTimeout * 1000, ...credentials }, wave, io)
    },
    async pause(wave, next) {
      if (pause === 0) return
      const until = new Date(io.now().getTime() + pause * 1000).toISOString().slice(11, 19)
      await tell(`${titleOf(wave)} is good; going on with ${titleOf(next)} at ${until} UTC`)
      await clockUntil(io.interrupted).sleep(pause * 1000)
    }
  }
}

async function tokensOf(options: GateOptions, io: Io): Promise<readonly string[]> {
  const credentials = await credentialsOf(options, io)
  return 'tokens' in credentials ? credentials.tokens : []
}

/**
 * What stands in the way of later waves, whatever is sent: WLANs that could not be planned, and changes
 * that are not what was approved. By address, in words.
 */
export function obstaclesIn(
  verdicts: readonly WlanPlan[],
  decided: readonly Outcome[]
): Map<string, string> {
  const words = { blocked: 'blocked', unread: 'not read' }
  return new Map([
    ...verdicts.flatMap(({ address, status }): [string, string][] =>
      status === 'blocked' || status === 'unread' ? [[address, words[status]]] : []
    ),
    ...decided.flatMap(({ address, status }): [string, string][] =>
      status === 'stale' ? [[address, status]] : []
    )
  ])
}

function titleOf({ name }: PlannedWave): string {
  return name === undefined ? 'the last wave' : `the wave ${escapeInside(name)}`
}

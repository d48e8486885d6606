import type { Command } from 'commander'
import { clockUntil } from '../../api/clock.ts'
import type { ApplyOptions } from '../../apply/apply.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Verdict } from '../../model/plan.ts'
import type { PlannedWave } from '../../plan/rollout.ts'
import { escapeInside } from '../../report/escape.ts'
import { type Io, say } from '../io.ts'
import { credentialsOf } from '../reading/connection.ts'
import {
  type ReportOptions,
  type SecretOptions,
  type ServiceOptions,
  whole
} from '../words/options.ts'
import { Setting } from '../words/setting.ts'

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
      new Setting('--pause <seconds>', 'how long to wait after each wave', 'WLANCTL_PAUSE')
        .argParser(whole(0, 86_400))
        .default(0)
    )
    .addOption(
      new Setting(
        '--check <command>',
        'goes on after a wave only if this succeeds',
        'WLANCTL_CHECK'
      )
    )
    .addOption(
      new Setting(
        '--check-timeout <seconds>',
        'how long the check may take',
        'WLANCTL_CHECK_TIMEOUT'
      )
        .argParser(whole(1, 86_400))
        .default(300)
    )
}

/** What is asked, and waited for, between two waves. */
export type Gates = Pick<ApplyOptions, 'check' | 'pause'>

/** Every wave is good, and the next one follows at once. */
export const openGates: Gates = { check: async () => undefined, pause: async () => undefined }

type GateOptions = RolloutOptions &
  Pick<ReportOptions, 'quiet'> &
  Pick<SecretOptions, 'secretPrefix'> &
  Pick<ServiceOptions, 'tokenFile'>

/**
 * `inWaves` is false where there is one wave only, of all sites. The token file is read now, so that a
 * file that disappears during the run does not stop it, and no check gets a token of the run.
 */
export async function gatesOf(options: GateOptions, inWaves: boolean, io: Io): Promise<Gates> {
  const { pause, check: command, checkTimeout, secretPrefix, tokenFile } = options
  const tokens = command === undefined ? [] : await tokensOf(options, io)
  const tell = async (text: string) => {
    if (!options.quiet) await say(io, `wlanctl: ${text}`)
  }
  return {
    async check(wave) {
      if (command === undefined) return undefined
      const { runCheck } = await import('./check.ts')
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
  verdicts: readonly Verdict[],
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

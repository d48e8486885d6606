import { clockUntil } from '../api/clock.ts'
import type { ApplyOptions } from '../apply/apply.ts'
import type { Outcome } from '../model/outcome.ts'
import type { WlanPlan } from '../model/plan.ts'
import type { PlannedWave } from '../plan/rollout.ts'
import { escapeInside } from '../report/escape.ts'
import type { WorkflowHost } from './host.ts'

/** What runs between two waves: `check` returns why a wave is not good, if it is not. */
export type RolloutHooks = Pick<ApplyOptions, 'check' | 'pause'>

/** Every wave is good, and the next one follows at once. */
export const noHooks: RolloutHooks = { check: async () => undefined, pause: async () => undefined }

export interface RolloutSettings {
  /** Seconds between two waves. */
  readonly pause: number
  /** Runs the command of `--check` after a wave; absent if there is none. */
  readonly runCheck: RolloutHooks['check'] | undefined
  /** False for a single wave of all sites. */
  readonly inWaves: boolean
}

export function rolloutHooks(
  { pause, runCheck, inWaves }: RolloutSettings,
  host: WorkflowHost
): RolloutHooks {
  return {
    async check(wave) {
      if (runCheck === undefined) return undefined
      const subject = inWaves ? titleOf(wave) : 'the applied changes'
      await host.printNotice(`wlanctl: checking ${subject}`)
      return runCheck(wave)
    },
    async pause(wave, next) {
      if (pause === 0) return
      const until = new Date(host.now().getTime() + pause * 1000).toISOString().slice(11, 19)
      const following = `continuing with ${titleOf(next)} at ${until} UTC`
      await host.printNotice(`wlanctl: ${titleOf(wave)} is good; ${following}`)
      await clockUntil(host.interrupted).sleep(pause * 1000)
    }
  }
}

/** Why later waves cannot start, by address: WLANs without a plan, and changes without approval. */
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

import { type Desired, type RolloutPolicy, waveTitle } from '../core/model/desired.ts'
import { obstaclesIn, type PlannedWave, plannedWaves } from '../core/plan/planned-waves.ts'
import { formatTimeOfDay } from '../core/values/time.ts'
import { clockUntil } from '../service/http/clock.ts'
import type { ApplyOptions } from './apply/apply.ts'
import type { ApprovedChanges } from './approve.ts'
import type { RunContext } from './context.ts'
import type { PlanResult } from './make-plan.ts'

export interface Rollout {
  readonly waves: readonly PlannedWave[]
  readonly hooks: RolloutHooks
}

/** Splits the approved changes into waves; the health check and the pause follow each wave. */
export function planRollout(
  { rollout, sites, policy }: Pick<Desired, 'rollout' | 'sites' | 'policy'>,
  { planned }: Pick<PlanResult, 'planned'>,
  { changes, decided }: ApprovedChanges,
  settings: RolloutSettings,
  run: RunContext
): Rollout {
  const wlanPlans = planned.flatMap(site => site.wlanPlans)
  const waves = plannedWaves(rollout, sites, changes, obstaclesIn(wlanPlans, decided))
  const all = { ...settings, ...policy.rollout, inWaves: rollout !== undefined }
  return { waves, hooks: hooksOf(all, run) }
}

export interface RolloutSettings {
  /** The health check after a wave. Returns why the wave failed, or undefined if it succeeded. */
  readonly check?: RolloutHooks['check'] | undefined
}

/** `inWaves` is false if all sites are in a single wave. */
type RunSettings = RolloutSettings & RolloutPolicy & { readonly inWaves: boolean }

/** Runs between two waves: `check` returns why a wave failed, or undefined if it succeeded. */
export type RolloutHooks = Pick<ApplyOptions, 'check' | 'pause' | 'before'>

/** Every wave succeeds, and the next one starts at once. */
export const noHooks: RolloutHooks = { check: async () => undefined, pause: async () => undefined }

function hooksOf({ pause, check, inWaves }: RunSettings, run: RunContext): RolloutHooks {
  return {
    async check(wave) {
      if (check === undefined) return undefined
      const subject = inWaves ? `the ${waveTitle(wave.name)}` : 'the applied changes'
      await run.on({ type: 'notice', text: `checking ${subject}` })
      return check(wave)
    },
    async pause(wave, next) {
      if (pause === 0) return
      const following = `continuing with the ${waveTitle(next.name)} at ${timeIn(pause, run)}`
      await run.on({ type: 'notice', text: `the ${waveTitle(wave.name)} is good; ${following}` })
      await clockUntil(run.interrupted).sleep(pause * 1000)
    }
  }
}

function timeIn(seconds: number, { now }: RunContext): string {
  return formatTimeOfDay(new Date(now().getTime() + seconds * 1000))
}

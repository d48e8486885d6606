import type { Desired, RolloutPolicy } from '../core/model/desired.ts'
import { obstaclesIn, type PlannedWave, plannedWaves, waveTitle } from '../core/plan/rollout.ts'
import { compact } from '../core/values/collections.ts'
import { plural } from '../core/values/text.ts'
import { formatTimeOfDay } from '../core/values/time.ts'
import { clockUntil } from '../service/http/clock.ts'
import type { ApplyOptions } from './apply/apply.ts'
import type { Guards } from './apply/rollout-guard.ts'
import type { ApprovedChanges } from './approve.ts'
import type { RunContext } from './context.ts'
import type { PlanResult } from './make-plan.ts'
import type { Pacing } from './pacing.ts'

/** The waves of a run, in order, and what happens after each of them. */
export interface Rollout {
  readonly waves: readonly PlannedWave[]
  readonly hooks: RolloutHooks
  readonly guards: Guards
}

/**
 * Splits the approved changes into the waves of the fleet. The hold, the health check and the pause follow each wave.
 * A failed wave is put back if the policy says so, and all changes unless they are confirmed with `confirm`.
 */
export function planRollout(
  { rollout, sites, policy }: Pick<Desired, 'rollout' | 'sites' | 'policy'>,
  { verdicts }: Pick<PlanResult, 'verdicts'>,
  { changes, decided }: ApprovedChanges,
  settings: RolloutSettings,
  run: RunContext
): Rollout {
  const obstacles = new Map([...(settings.obstacles ?? []), ...obstaclesIn(verdicts, decided)])
  const waves = plannedWaves(rollout, sites, changes, obstacles)
  const all = { ...settings, ...policy.rollout, inWaves: rollout !== undefined }
  return { waves, hooks: hooksOf(all, run), guards: guardsOf(all, run) }
}

/** What a run does after a wave in addition to the policy; by default, nothing. */
export interface RolloutSettings {
  /** The health check after a wave. Returns why the wave failed, or undefined if it succeeded. */
  readonly check?: RolloutHooks['check'] | undefined
  /** When waves may start, and whether they are good. */
  readonly pacing?: Pacing | undefined
  /** Asks after the last wave whether to keep all changes; they are put back unless they are confirmed. */
  readonly confirm?: Guards['confirm'] | undefined
  /** The state of further WLANs, by address, that keeps the waves after their own from starting. */
  readonly obstacles?: ReadonlyMap<string, string> | undefined
}

/** `inWaves`: false if all sites are in a single wave. */
type RunSettings = RolloutSettings & RolloutPolicy & { readonly inWaves: boolean }

/** Runs between two waves: `check` returns why a wave failed, or undefined if it succeeded. */
export type RolloutHooks = Pick<ApplyOptions, 'check' | 'pause' | 'pacing'>

/** Every wave succeeds, and the next one starts at once. */
export const noHooks: RolloutHooks = { check: async () => undefined, pause: async () => undefined }

function hooksOf({ pause, check, pacing, inWaves }: RunSettings, run: RunContext): RolloutHooks {
  return {
    ...compact({ pacing }),
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

function guardsOf(settings: RunSettings, run: RunContext): Guards {
  const { hold, revertOnFailure, confirm } = settings
  return {
    ...(hold > 0 && { hold: { seconds: hold, wait: wave => waitHold(wave, hold, settings, run) } }),
    ...compact({ revertOnFailure, confirm }),
    onPutBack: (why, changes) => {
      void run.on({ type: 'notice', text: `putting back ${plural(changes, 'change')}: ${why}` })
    },
    abortSignal: run.abortSignal
  }
}

/** Waits after a wave and displays progress; resolves with false if it is interrupted. */
async function waitHold(
  wave: PlannedWave,
  seconds: number,
  { inWaves }: RunSettings,
  run: RunContext
): Promise<boolean> {
  const subject = inWaves ? `the ${waveTitle(wave.name)} is` : 'the changes are'
  const until = timeIn(seconds, run)
  await run.on({ type: 'notice', text: `${subject} applied; reading the WLANs again at ${until}` })
  const clock = clockUntil(run.interrupted)
  const start = clock.now()
  const task = {
    doing: 'holding, seconds',
    total: seconds,
    reader: { waitUntil: undefined },
    answered: () => Math.floor((clock.now() - start) / 1000)
  }
  await run.on({ type: 'started', task })
  try {
    return await clock.sleep(seconds * 1000)
  } finally {
    await run.on({ type: 'ended' })
  }
}

function timeIn(seconds: number, { now }: RunContext): string {
  return formatTimeOfDay(new Date(now().getTime() + seconds * 1000))
}

import type { Desired, RolloutPolicy } from '../core/model/desired.ts'
import { obstaclesIn, type PlannedWave, plannedWaves } from '../core/plan/rollout.ts'
import { plural } from '../core/values/text.ts'
import { formatTimeOfDay } from '../core/values/time.ts'
import { clockUntil } from '../service/http/clock.ts'
import type { ApplyOptions } from './apply/apply.ts'
import type { Guards } from './apply/rollout-guard.ts'
import type { ApprovedChanges } from './approve.ts'
import type { RunContext } from './context.ts'
import type { PlanResult } from './make-plan.ts'

/** The waves of a run, in order, and what happens after each of them. */
export interface Rollout {
  readonly waves: readonly PlannedWave[]
  readonly hooks: RolloutHooks
  readonly guards: Guards
}

/**
 * Splits the approved changes into the waves of the fleet. The hold, the health check and the pause follow each wave.
 * A failed wave is put back if the policy says so, and all changes unless they are confirmed with `confirmWithin`.
 */
export function planRollout(
  { rollout, sites, policy }: Pick<Desired, 'rollout' | 'sites' | 'policy'>,
  { verdicts }: Pick<PlanResult, 'verdicts'>,
  { changes, decided }: ApprovedChanges,
  settings: RolloutSettings,
  run: RunContext
): Rollout {
  const waves = plannedWaves(rollout, sites, changes, obstaclesIn(verdicts, decided))
  const all = { ...settings, ...policy.rollout, inWaves: rollout !== undefined }
  return { waves, hooks: hooksOf(all, run), guards: guardsOf(all, run) }
}

/** The settings of the command line for the time after a wave, in seconds. */
export interface RolloutSettings {
  /** Runs the health check (`--check`) after a wave; undefined if there is none. */
  readonly runCheck: RolloutHooks['check'] | undefined
  /** The time after the last wave to confirm all changes; they are put back unless they are confirmed. */
  readonly confirmWithin?: number
  /** Asks whether to keep this number of changes. Returns why not, or undefined if they are confirmed. */
  readonly askToKeep: (changes: number, seconds: number) => Promise<string | undefined>
}

/** `inWaves`: false if all sites are in a single wave. */
type RunSettings = RolloutSettings & RolloutPolicy & { readonly inWaves: boolean }

/** Runs between two waves: `check` returns why a wave failed, or undefined if it succeeded. */
export type RolloutHooks = Pick<ApplyOptions, 'check' | 'pause'>

/** Every wave succeeds, and the next one starts at once. */
export const noHooks: RolloutHooks = { check: async () => undefined, pause: async () => undefined }

function hooksOf({ pause, runCheck, inWaves }: RunSettings, run: RunContext): RolloutHooks {
  return {
    async check(wave) {
      if (runCheck === undefined) return undefined
      const subject = inWaves ? titleOf(wave) : 'the applied changes'
      await run.on({ type: 'notice', text: `checking ${subject}` })
      return runCheck(wave)
    },
    async pause(wave, next) {
      if (pause === 0) return
      const following = `continuing with ${titleOf(next)} at ${timeIn(pause, run)}`
      await run.on({ type: 'notice', text: `${titleOf(wave)} is good; ${following}` })
      await clockUntil(run.interrupted).sleep(pause * 1000)
    }
  }
}

function guardsOf(settings: RunSettings, run: RunContext): Guards {
  const { hold, revertOnFailure, confirmWithin: seconds, askToKeep } = settings
  return {
    ...(hold > 0 && {
      hold: { seconds: hold, wait: wave => waitHold(wave, hold, settings, run) }
    }),
    revertOnFailure,
    ...(seconds !== undefined && {
      confirm: { seconds, ask: changes => askToKeep(changes, seconds) }
    }),
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
  const subject = inWaves ? `${titleOf(wave)} is` : 'the changes are'
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

function titleOf({ name }: PlannedWave): string {
  return name === undefined ? 'the last wave' : `the wave ${name}`
}

function timeIn(seconds: number, { now }: RunContext): string {
  return formatTimeOfDay(new Date(now().getTime() + seconds * 1000))
}

import { clockUntil } from '../api/clock.ts'
import type { ApplyOptions } from '../apply/apply.ts'
import type { Guards } from '../apply/rollout-guard.ts'
import { compact } from '../model/collections.ts'
import type { Desired, RolloutPolicy } from '../model/desired.ts'
import { plural } from '../model/text.ts'
import { formatTimeOfDay } from '../model/time.ts'
import { obstaclesIn, type PlannedWave, plannedWaves } from '../plan/rollout.ts'
import { escapeInside } from '../report/escape.ts'
import type { ApprovedChanges } from './approve.ts'
import type { WorkflowHost } from './host.ts'
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
  host: WorkflowHost
): Rollout {
  const waves = plannedWaves(rollout, sites, changes, obstaclesIn(verdicts, decided))
  const run = { ...settings, ...policy.rollout, inWaves: rollout !== undefined }
  return { waves, hooks: hooksOf(run, host), guards: guardsOf(run, host) }
}

/** The settings of the command line for the time after a wave, in seconds. */
export interface RolloutSettings {
  /** Runs the health check (`--check`) after a wave; undefined if there is none. */
  readonly runCheck: RolloutHooks['check'] | undefined
  readonly confirmWithin?: number
  readonly confirmFile?: string
}

/** `inWaves`: false if all sites are in a single wave. */
type RunSettings = RolloutSettings & RolloutPolicy & { readonly inWaves: boolean }

/** Runs between two waves: `check` returns why a wave failed, or undefined if it succeeded. */
export type RolloutHooks = Pick<ApplyOptions, 'check' | 'pause'>

/** Every wave succeeds, and the next one starts at once. */
export const noHooks: RolloutHooks = { check: async () => undefined, pause: async () => undefined }

function hooksOf({ pause, runCheck, inWaves }: RunSettings, host: WorkflowHost): RolloutHooks {
  return {
    async check(wave) {
      if (runCheck === undefined) return undefined
      const subject = inWaves ? titleOf(wave) : 'the applied changes'
      await host.printNotice(`wlanctl: checking ${subject}`)
      return runCheck(wave)
    },
    async pause(wave, next) {
      if (pause === 0) return
      const following = `continuing with ${titleOf(next)} at ${timeIn(pause, host)}`
      await host.printNotice(`wlanctl: ${titleOf(wave)} is good; ${following}`)
      await clockUntil(host.interrupted).sleep(pause * 1000)
    }
  }
}

function guardsOf(settings: RunSettings, host: WorkflowHost): Guards {
  const { hold, revertOnFailure, confirmWithin: seconds } = settings
  return {
    ...(hold > 0 && {
      hold: { seconds: hold, wait: wave => waitHold(wave, hold, settings, host) }
    }),
    revertOnFailure,
    ...(seconds !== undefined && {
      confirm: { seconds, ask: changes => askToKeep(changes, seconds, settings, host) }
    }),
    onPutBack: (why, changes) => {
      const these = plural(changes, 'change')
      void host.printNotice(`wlanctl: putting back ${these}: ${escapeInside(why)}`)
    },
    abortSignal: host.abortSignal
  }
}

/** Waits after a wave and displays progress; resolves with false if it is interrupted. */
async function waitHold(
  wave: PlannedWave,
  seconds: number,
  { inWaves }: RunSettings,
  host: WorkflowHost
): Promise<boolean> {
  const subject = inWaves ? `${titleOf(wave)} is` : 'the changes are'
  const until = timeIn(seconds, host)
  await host.printNotice(`wlanctl: ${subject} applied; reading the WLANs again at ${until}`)
  const clock = clockUntil(host.interrupted)
  const start = clock.now()
  const progress = host.startProgress({
    doing: 'holding, seconds',
    total: seconds,
    reader: { waitUntil: undefined },
    answered: () => Math.floor((clock.now() - start) / 1000)
  })
  try {
    return await clock.sleep(seconds * 1000)
  } finally {
    progress.end()
  }
}

/** Asks whether to keep the changes. Returns why not, or undefined if they are confirmed. */
async function askToKeep(
  changes: number,
  seconds: number,
  { confirmFile: file }: RunSettings,
  host: WorkflowHost
): Promise<string | undefined> {
  const until = timeIn(seconds, host)
  const these = changes === 1 ? 'this change' : `these ${plural(changes, 'change')}`
  const question = `Keep ${these}? Unless confirmed by ${until}, all is put back.`
  const answer = await host.awaitConfirmation({ question, seconds, ...compact({ file }) })
  switch (answer) {
    case 'yes':
      return undefined
    case 'no':
      return 'not confirmed'
    case 'expired':
      return `not confirmed within ${seconds} s`
    case 'interrupted':
      return 'interrupted before the changes were confirmed'
  }
}

function titleOf({ name }: PlannedWave): string {
  return name === undefined ? 'the last wave' : `the wave ${escapeInside(name)}`
}

function timeIn(seconds: number, { now }: WorkflowHost): string {
  return formatTimeOfDay(new Date(now().getTime() + seconds * 1000))
}

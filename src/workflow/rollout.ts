import { clockUntil } from '../api/clock.ts'
import type { ApplyOptions } from '../apply/apply.ts'
import type { Guards } from '../apply/rollout-guard.ts'
import { compact } from '../model/collections.ts'
import type { Outcome } from '../model/outcome.ts'
import type { WlanPlan } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import { formatTimeOfDay } from '../model/time.ts'
import type { PlannedWave } from '../plan/rollout.ts'
import { escapeInside } from '../report/escape.ts'
import type { WorkflowHost } from './host.ts'

/** Runs between two waves: `check` returns why a wave failed, or undefined if it succeeded. */
export type RolloutHooks = Pick<ApplyOptions, 'check' | 'pause'>

/** Every wave succeeds, and the next one starts at once. */
export const noHooks: RolloutHooks = { check: async () => undefined, pause: async () => undefined }

export interface RolloutSettings {
  /** Seconds between two waves. */
  readonly pause: number
  /** Runs the health check (`--check`) after a wave; undefined if there is none. */
  readonly runCheck: RolloutHooks['check'] | undefined
  /** False if all sites are in a single wave. */
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

/** The settings for holds, rollback and confirmation. */
export interface GuardSettings {
  /**
   * Seconds to wait after a wave before its WLANs are read again; undefined or 0: they are not read again.
   */
  readonly hold: number | undefined
  readonly revertOnFailure?: true
  /** In seconds. */
  readonly confirmWithin?: number
  readonly confirmFile?: string
  /** False if all sites are in a single wave. */
  readonly inWaves: boolean
}

/** The guards of a run. */
export function guardsOf(settings: GuardSettings, host: WorkflowHost): Guards {
  const { hold = 0, revertOnFailure = false, confirmWithin: seconds } = settings
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
  { inWaves }: GuardSettings,
  host: WorkflowHost
): Promise<boolean> {
  const subject = inWaves ? `${titleOf(wave)} is` : 'the changes are'
  const until = formatTimeOfDay(new Date(host.now().getTime() + seconds * 1000))
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
  { confirmFile: file }: GuardSettings,
  host: WorkflowHost
): Promise<string | undefined> {
  const until = formatTimeOfDay(new Date(host.now().getTime() + seconds * 1000))
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

/**
 * The reasons why later waves cannot start, by address: WLANs without a plan, and changes without approval.
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

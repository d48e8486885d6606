import { onTestFinished } from 'vitest'
import type { DesiredSite } from '../../../src/core/model/desired.ts'
import type { Outcome } from '../../../src/core/model/outcome.ts'
import type { PlannedChange } from '../../../src/core/model/plan.ts'
import { planSite } from '../../../src/core/plan/plan.ts'
import type { PlannedWave } from '../../../src/core/plan/planned-waves.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { type ApplyOptions, type ApplyResult, applyChanges } from '../../../src/run/apply/apply.ts'
import type { Recorder, RecordSink } from '../../../src/run/record/recorder.ts'
import { openWriter, type Writer } from '../../../src/service/client.ts'
import type { Connection } from '../../../src/service/http/connection.ts'
import type { RetryPolicy } from '../../../src/service/http/retry.ts'
import type { Json } from '../../../src/simulator/json.ts'
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator
} from '../../../src/simulator/server.ts'
import { CORP, corp, GUEST, guest, HQ } from '../../simulator/simulate.ts'
import { type ManualClock, manualClock } from '../../support/clock.ts'
import { desiredSite } from '../../support/desired.ts'
import { frontOf } from '../../support/front.ts'
import type { Arrival } from '../../support/server.ts'

export { manualClock }

/** Longer than a read may be old when an update is sent, in milliseconds. */
export const LONG = 1_001

/** A service, a client of it, and a shared clock. */
export interface Stage {
  readonly simulator: Simulator
  readonly writer: Writer
  readonly clock: ManualClock
  /** The plan for these WLANs, from one list request per site. */
  plan(...sites: readonly DesiredSite[]): Promise<PlannedChange[]>
  apply(
    changes: readonly PlannedChange[],
    options?: Partial<ApplyOptions>
  ): Promise<readonly Outcome[]>
  applyWaves(waves: readonly PlannedWave[], options?: Partial<ApplyOptions>): Promise<ApplyResult>
}

/**
 * Sets up the stage: the site `hq` with the WLANs `Corp` and `Guest`, unless the options say otherwise.
 * The second parameter overrides the options of a client that sends each request once.
 */
export async function setStage(
  options: Partial<SimulatorOptions> = {},
  {
    clock = manualClock(),
    retries,
    beforeAnswer,
    ...changes
  }: Pick<Partial<Connection>, 'timeout' | 'signal'> & {
    readonly clock?: ManualClock
    readonly retries?: Partial<RetryPolicy>
    /** Called while an answer of the service is on its way. */
    readonly beforeAnswer?: (arrival: Arrival) => void
  } = {}
): Promise<Stage> {
  const sites = [{ id: HQ, name: 'hq', wlans: [corp, guest] }]
  const simulator = await startSimulator({
    sites,
    clock,
    ...options
  })
  const writer = openWriter({
    baseUrl: beforeAnswer ? await frontOf(simulator, beforeAnswer) : simulator.url,
    tokens: [simulator.token],
    parallelism: 8,
    timeout: 20,
    userAgent: 'wlanctl/test',
    env: {},
    retryPolicy: { maxAttempts: 1, maxWait: 60, clock, random: () => 0.5, ...retries },
    ...changes
  })
  onTestFinished(async () => {
    await writer.close()
    await simulator.close()
  })
  const made: Stage = {
    simulator,
    writer,
    clock,
    async plan(...sites) {
      const planned = await Promise.all(
        sites.map(async site => planSite(site, await writer.listWlans(site)))
      )
      return planned
        .flatMap(({ wlanPlans: verdicts }) => verdicts)
        .filter(verdict => verdict.status === 'changed')
    },
    apply: async (changes, changed) =>
      (await made.applyWaves([{ sites: [], changes }], changed)).outcomes,
    applyWaves: (waves, changed) =>
      applyChanges(waves, {
        writer,
        clock,
        verifyTimeout: 30_000,
        maxAttempts: 1,
        random: () => 0.5,
        parallelism: 4,
        interrupted: new AbortController().signal,
        onWave: () => () => undefined,
        onOutcome: () => undefined,
        check: async () => undefined,
        pause: async () => undefined,
        recorder: noRecorder,
        ...changed
      })
  }
  return made
}

/** The site of the stage with its declared WLANs. */
export function hq(wlans: { readonly corp?: ValueObject; readonly guest?: ValueObject }) {
  return desiredSite(
    { id: HQ, name: 'hq' },
    {
      ...(wlans.corp === undefined ? {} : { corp: { id: CORP, ...wlans.corp } }),
      ...(wlans.guest === undefined ? {} : { guest: { id: GUEST, ...wlans.guest } })
    }
  )
}

/** The requests after the first `from`: method and last part of the path. */
export function asked({ requests }: Simulator, from = 0): string[] {
  return requests.slice(from).map(({ method, path }) => `${method} ${nameOf(path)}`)
}

/** The bodies of the updates, in order of arrival. */
export function sent({ requests }: Simulator): (Json | undefined)[] {
  return requests.filter(({ method }) => method === 'PUT').map(({ body }) => body)
}

function nameOf(path: string): string {
  const last = path.split('/').at(-1) ?? ''
  return last === CORP ? 'corp' : last === GUEST ? 'guest' : last
}

/** The only outcome. */
export function only(outcomes: readonly Outcome[]): Outcome {
  const [first, ...others] = outcomes
  if (first === undefined || others.length > 0) throw new Error(`${outcomes.length} outcomes`)
  return first
}

/** The statuses in order: `applied skipped`. */
export function statuses(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ status }) => status).join(' ')
}

/** An id for the nth object of a kind (a digit). */
export function idOf(kind: number, n: number): string {
  return `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}

/** The facts of a recorded run, at a fixed time. */
export const recordFacts = {
  run: '0a1b2c3d',
  tool: 'wlanctl/0.1.0',
  command: 'apply',
  base_url: 'https://api.example.com',
  digest: `sha256:${'1'.repeat(64)}`,
  now: () => new Date('2026-11-20T10:00:00.000Z')
} as const

export const noRecorder: Recorder = {
  failure: undefined,
  record: () => undefined,
  starting: async () => undefined
}

/** A record in memory, with this capacity in lines. */
export function memorySink(most = Number.POSITIVE_INFINITY) {
  const texts: string[] = []
  const sink: RecordSink = {
    append(text) {
      if (texts.length >= most) throw new Error('ENOSPC: no space left on device, write')
      texts.push(text)
    },
    flush: async () => undefined
  }
  return { sink, text: () => texts.join('') }
}

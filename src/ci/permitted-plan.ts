import type { Desired } from '../core/model/desired.ts'
import type { Outcome, Status } from '../core/model/outcome.ts'
import { compact } from '../core/values/collections.ts'
import { outcome } from '../run/apply/outcome.ts'
import type { RunContext } from '../run/context.ts'
import type { ExecutePlanInput } from '../run/execute-plan.ts'
import type { PlanResult } from '../run/make-plan.ts'
import { planRollout, type RolloutHooks } from '../run/rollout.ts'
import type { Case, Execution } from './permissions.ts'

export type PermittedPlan = ExecutePlanInput & Pick<PlanResult, 'planned' | 'groups'>

export interface Difference {
  readonly address: string
  /** True if a merge since the run before changed it. */
  readonly isSince: boolean
}

export interface Judged {
  readonly cases: readonly Case[]
  /** The WLANs that differ apart from the permissions. */
  readonly rest: readonly Difference[]
}

export interface Permitted extends Judged {
  readonly plan: PermittedPlan
  readonly execution: Execution
}

/** The place of the wave of a site. */
export type WaveOf = (site: { readonly name: string } | undefined) => number

export function waveIn({ rollout = [] }: Pick<Desired, 'rollout'>): WaveOf {
  const places = rollout.flatMap(({ sites }, at) => sites.map(site => [site, at] as const))
  const waves = new Map(places)
  return site => waves.get(site?.name ?? '') ?? 0
}

interface ExecutionRun {
  readonly check: RolloutHooks['check'] | undefined
  readonly beforeWave: () => Promise<void>
  readonly context: RunContext
}

/** The plan to execute, and what happens to its waves and changes: filled while it is executed. `files`: those whose waves hold. */
export function permittedPlan(
  { cases, rest }: Judged,
  made: PlanResult,
  files: Desired,
  { check, beforeWave, context }: ExecutionRun
): Permitted {
  const decided = decidedOutcomes(cases, rest)
  const outcomes = new Map<string, Outcome>()
  const ends = new Map<number, 'begun' | 'passed' | 'failed'>()
  const obstacles = [...decided.values()].filter(({ status }) => status === 'stale')
  const approved = { changes: made.changes, kept: [], decided: obstacles }
  const rollout = planRollout(files, { planned: [] }, approved, { check }, context)
  const waveOf = waveIn(files)
  const sent = cases.filter(({ end }) => end === undefined)
  const busy = new Set(sent.map(({ wave }) => wave))
  const hooks: RolloutHooks = {
    ...rollout.hooks,
    async before({ sites }) {
      await beforeWave()
      if (!context.interrupted.aborted) ends.set(waveOf(sites[0]), 'begun')
    },
    async check(wave) {
      const problem = await rollout.hooks.check(wave)
      ends.set(waveOf(wave.sites[0]), problem === undefined ? 'passed' : 'failed')
      return problem
    }
  }
  const changing = new Set(made.changes.map(({ address }) => address))
  const plan: PermittedPlan = {
    command: 'apply',
    ...made,
    kept: [],
    decided: [...decided.values()].filter(({ address }) => !changing.has(address)),
    ...{ policy: files.policy, managed: files.managed, hooks },
    waves: rollout.waves.map(wave =>
      busy.has(waveOf(wave.sites[0])) ? { ...wave, isRechecked: true as const } : wave
    ),
    deferral: change => {
      // The calendars of the pull requests that change it.
      const checks = sent.filter(({ permission }) => permission.address === change.address)
      return checks.map(({ waits }) => waits?.(change)).find(wait => wait !== undefined)
    },
    annotate(each) {
      outcomes.set(each.address, each)
      return worse(each, decided.get(each.address))
    }
  }
  const inWaves = files.rollout !== undefined
  return { cases, rest, plan, execution: { waves: ends, outcomes, inWaves } }
}

/** Statuses in descending order of severity. */
const ranks: readonly Status[] = [
  ...(['diverged', 'failed', 'stale', 'unknown', 'skipped'] as const),
  ...(['deferred', 'applied', 'unchanged'] as const)
]

function worse(one: Outcome, other: Outcome | undefined): Outcome {
  return other && ranks.indexOf(other.status) < ranks.indexOf(one.status) ? other : one
}

const UNPLANNED = 'no plan of a merged pull request permits this change'
const DRIFT = 'no merge changed it since the run before: the drift check reports it'

function decidedOutcomes(
  cases: readonly Case[],
  rest: readonly Difference[]
): ReadonlyMap<string, Outcome> {
  const all = [
    ...cases.map(({ permission, end }) => {
      if (end === undefined) return outcome(permission, 'unchanged')
      const { status, why, until } = end
      const reason = `#${permission.pull}: ${why}`
      return outcome(permission, status, { reason, ...compact({ until }) })
    }),
    ...rest.map(each => {
      const reason = each.isSince ? UNPLANNED : DRIFT
      return outcome(each, 'skipped', { reason })
    })
  ]
  const found = new Map<string, Outcome>()
  for (const each of all) found.set(each.address, worse(found.get(each.address) ?? each, each))
  return found
}

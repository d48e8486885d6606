import { formatMinute } from '../core/model/calendar.ts'
import type { Desired, JudgePolicy, RolloutPolicy } from '../core/model/desired.ts'
import {
  type Judgement,
  judgementSentences,
  type MeasuredSite,
  type Measurement,
  type SiteMetrics
} from '../core/model/judgement.ts'
import type { Change } from '../core/model/plan.ts'
import { judgeWave } from '../core/plan/judge.ts'
import { type PlannedWave, waveTitle } from '../core/plan/rollout.ts'
import { compact } from '../core/values/collections.ts'
import { formatDuration, formatTimestamp } from '../core/values/time.ts'
import { clockUntil } from '../service/http/clock.ts'
import type { RunContext } from './context.ts'
import type { Progress } from './record/progress.ts'
import type { Recorder } from './record/recorder.ts'

/** The question to the metrics command. */
export interface MetricsQuestion {
  readonly phase: Measurement['phase']
  /** The name of the wave; null for the last one. */
  readonly wave: string | null
  /** The time of the wanted metrics, UTC. */
  readonly at: string
  readonly sites: readonly Omit<MeasuredSite, 'metrics'>[]
}

/** The metrics of the sites that have some, by id in lower case; or the reason why there are none. */
export type MetricsAnswer = ReadonlyMap<string, SiteMetrics> | { readonly problem: string }

export type AskMetrics = (question: MetricsQuestion) => Promise<MetricsAnswer>

/** Why a wave does not start now, and when it may; or why it must not start at all. */
export type Gate =
  | { readonly reason: string; readonly until?: string }
  | { readonly problem: string }

/** When waves may start, and whether they are good. */
export type Pacing = Pick<RolloutPacing, 'gate' | 'begins' | 'ends'>

type Metering = Pick<Recorder, 'record'>

/** The last wave that changed sites, in this run or in an earlier one. */
export type DoneWave = Pick<Progress, 'wave' | 'ended' | 'before' | 'judgement'>

interface PacingInput extends Pick<Desired, 'rollout' | 'calendar'> {
  readonly policy: Pick<RolloutPolicy, 'soak' | 'judge'>
  /** Absent without `--metrics-command`. */
  readonly ask?: AskMetrics | undefined
  /** The rollout that this run continues. */
  readonly progress?: Progress | undefined
  /** True if only a scheduled apply judges a wave of `progress`: this run may cover a part of the fleet. */
  readonly isJudgedLater?: boolean
}

/** The instants of a time of day around an instant, in milliseconds, in one time zone. */
type DailyAt = (time: string, instant: number, zone: string) => readonly number[]

/** The pacing of a rollout: soak and judge. Loads the code for time zones only if needed. */
export async function pacingOf(input: PacingInput, run: RunContext): Promise<RolloutPacing> {
  const isTimed = input.policy.judge?.at !== undefined
  const { dailyAt = () => [] } = isTimed ? await import('../fleet/time/zone.ts') : {}
  return new RolloutPacing(input, run, dailyAt)
}

const NO_COMMAND = 'there is no --metrics-command'

/** See `pacingOf`. */
export class RolloutPacing {
  readonly #input: PacingInput
  readonly #run: RunContext
  readonly #dailyAt: DailyAt
  #last: DoneWave | undefined
  /** The judgement that this run made: it makes no other one of the wave. */
  #judged: Judgement | undefined
  /** True if the wave that is judged worse at a gate was changed by an earlier run. */
  blamesEarlierRun = false

  constructor(input: PacingInput, run: RunContext, dailyAt: DailyAt) {
    this.#input = input
    this.#run = run
    this.#dailyAt = dailyAt
    this.#last = input.progress
  }

  /** When a wave may start or be judged before it; undefined if that is now. Asks nothing. */
  wait(wave: string | undefined): Gate | undefined {
    const { soak, judge } = this.#input.policy
    const last = this.#last
    if (last === undefined || !this.#isAfter(wave, last.wave)) return undefined
    const now = this.#run.now().getTime()
    const soaked = Date.parse(last.ended) + soak * 1000
    if (now < soaked)
      return waiting(`the ${waveTitle(last.wave)} soaks for ${formatDuration(soak)}`, soaked)
    if (judge === undefined || passes(last.judgement, judge)) return undefined
    const due = this.#due(last, judge)
    if (this.#input.isJudgedLater && last === this.#input.progress && now >= due)
      return {
        reason: `the ${waveTitle(last.wave)} is not judged yet; a scheduled apply judges it`
      }
    if (now >= due && (last.judgement === undefined || last.judgement !== this.#judged))
      return undefined
    return this.#unjudged(last, due)
  }

  /** Undefined if the wave may start. May ask for metrics, to judge the wave before it. */
  async gate({ name }: PlannedWave, recorder: Metering): Promise<Gate | undefined> {
    const waits = this.wait(name)
    if (waits !== undefined) return waits
    const { judge } = this.#input.policy
    const last = this.#last
    if (last === undefined || judge === undefined || !this.#isAfter(name, last.wave))
      return undefined
    if (passes(last.judgement, judge)) return undefined
    const problem = await this.#judge(last, judge, recorder)
    if (problem === undefined) return this.wait(name)
    this.blamesEarlierRun = last === this.#input.progress
    return { problem: `${waveTitle(last.wave)}: ${problem}` }
  }

  /** Measures the sites before the first change of a wave; `later` are the waves after it. */
  async begins(
    { name, changes }: PlannedWave,
    later: readonly PlannedWave[],
    recorder: Metering
  ): Promise<void> {
    const { progress, policy } = this.#input
    const started = formatTimestamp(this.#run.now())
    // An earlier run may have changed a part of the wave.
    const known = progress !== undefined && progress.wave === name ? progress.before : undefined
    this.#last = { ...compact({ wave: name }), ended: started }
    if (policy.judge === undefined) return
    const own = changes.map(({ change }) => change)
    const others = later.flatMap(wave => wave.changes.map(({ change }) => change))
    const sites = [...measuredSites(own, 'changed'), ...measuredSites(others, 'waiting')]
    const of = policy.judge.at === undefined ? started : this.#lastDaily(policy.judge.at, sites)
    const before =
      known ?? (await this.#measure({ ...compact({ wave: name }), phase: 'before', of, sites }))
    recorder.record({ step: 'measured', ...before })
    this.#last = { ...this.#last, before }
  }

  /** Judges a wave whose changes succeeded, unless that is due at a time of day. Returns why it failed. */
  async ends({ name, changes }: PlannedWave, recorder: Metering): Promise<string | undefined> {
    if (changes.length === 0) return undefined
    const { judge } = this.#input.policy
    const ended = this.#run.now().toISOString()
    const last = { ...this.#last, ...compact({ wave: name }), ended }
    this.#last = last
    if (judge === undefined) return undefined
    const isLast = !last.before?.sites.some(({ role }) => role === 'waiting')
    if (judge.at !== undefined && !isLast) return undefined
    // Without counts from before the wave, there is nothing to wait for.
    if (judge.at === undefined && last.before?.problem === undefined) {
      const clock = clockUntil(this.#run.interrupted)
      const at = formatMinute(formatTimestamp(new Date(Date.parse(ended) + judge.after * 1000)))
      await this.#tell(`the ${waveTitle(last.wave)} is applied; judging it at ${at}`)
      if (judge.after > 0 && !(await clock.sleep(judge.after * 1000))) return undefined
    }
    const problem = await this.#judge(last, judge, recorder)
    // The record ends the wave here, and its soak begins.
    this.#last = { ...this.#last, ended: this.#run.now().toISOString() }
    return problem
  }

  #unjudged(last: DoneWave, due: number): Gate {
    const { judgement } = last
    const why = judgement && `not judged: ${judgementSentences(judgement).join('; ')}`
    return waiting(`the ${waveTitle(last.wave)} is ${why ?? 'not judged yet'}`, due)
  }

  /** Measures and judges a wave. Returns why it failed. */
  async #judge(
    last: DoneWave,
    judge: JudgePolicy,
    recorder: Metering
  ): Promise<string | undefined> {
    const { wave, before } = last
    const asked = before && {
      ...compact({ wave }),
      phase: 'after' as const,
      of: formatTimestamp(this.#run.now()),
      sites: this.#still(before.sites)
    }
    const after = asked && before.problem === undefined ? await this.#measure(asked) : undefined
    if (this.#run.interrupted.aborted) return undefined
    if (after !== undefined) recorder.record({ step: 'measured', ...after })
    const problem = before === undefined ? 'nothing was measured before the wave' : before.problem
    const verdict =
      before && after
        ? judgeWave(before, after, judge)
        : { result: 'not_judged' as const, metrics: {}, ...compact({ reason: problem }) }
    const judgement: Judgement = {
      ...compact({ wave }),
      at: this.#run.now().toISOString(),
      ...verdict,
      ...(judge.dryRun && { dry_run: true as const })
    }
    recorder.record({ step: 'judged', ...judgement })
    this.#judged = judgement
    this.#last = { ...last, judgement }
    const said = judgementSentences(judgement).join('; ')
    await this.#tell(`the ${waveTitle(last.wave)}: ${said}${judge.dryRun ? ' (dry run)' : ''}`)
    return verdict.result === 'worse' && !judge.dryRun ? said : undefined
  }

  async #measure(wanted: Measurement): Promise<Measurement> {
    const { ask } = this.#input
    const { wave = null, phase, of, sites } = wanted
    if (ask === undefined) return { ...wanted, problem: NO_COMMAND }
    const known = sites.map(({ metrics: _, ...site }) => site)
    const answer = await ask({ phase, wave, at: of, sites: known })
    if ('problem' in answer) return { ...wanted, sites: known, problem: answer.problem }
    const answered = known.map(site => ({
      ...site,
      ...compact({ metrics: answer.get(site.id.toLowerCase()) })
    }))
    return { ...wanted, sites: answered }
  }

  /** Without sites that left the fleet, and waiting ones that another run changed. */
  #still(sites: readonly MeasuredSite[]): readonly MeasuredSite[] {
    const { progress } = this.#input
    if (progress === undefined) return sites
    return sites.filter(({ id, role }) => {
      const key = id.toLowerCase()
      return progress.declared.has(key) && (role === 'changed' || !progress.changed.has(key))
    })
  }

  /** When a wave is judged first, or again: `after` the last time, or at the next `at` in every zone. */
  #due({ ended, judgement, before }: DoneWave, { after, at }: JudgePolicy): number {
    const earliest = Date.parse(judgement?.at ?? ended) + after * 1000
    if (at === undefined) return earliest
    const next = this.#zonesOf(before?.sites ?? []).map(
      zone => this.#dailyAt(at, earliest, zone).find(instant => instant >= earliest) ?? earliest
    )
    return Math.max(earliest, ...next)
  }

  /** The last time of day before now, in the zone of the sites where it was last. */
  #lastDaily(at: string, sites: readonly MeasuredSite[]): string {
    const now = this.#run.now().getTime()
    const last = this.#zonesOf(sites).map(
      zone => this.#dailyAt(at, now, zone).findLast(instant => instant <= now) ?? now
    )
    return formatTimestamp(new Date(last.length === 0 ? now : Math.max(...last)))
  }

  #zonesOf(sites: readonly MeasuredSite[]): string[] {
    const { calendar } = this.#input
    return [...new Set(sites.flatMap(({ id }) => calendar?.timezones.get(id.toLowerCase()) ?? []))]
  }

  #isAfter(wave: string | undefined, last: string | undefined): boolean {
    const names = (this.#input.rollout ?? []).map(({ name }) => name)
    return names.indexOf(wave) > names.indexOf(last)
  }

  async #tell(text: string): Promise<void> {
    await this.#run.on({ type: 'notice', text })
  }
}

/** True if the next wave may start after this judgement. */
function passes(judgement: Judgement | undefined, { unknown, dryRun }: JudgePolicy): boolean {
  if (judgement === undefined) return false
  const { result } = judgement
  return dryRun || result === 'good' || (result === 'not_judged' && unknown === 'continue')
}

function waiting(why: string, until: number): Gate {
  const time = formatTimestamp(new Date(until))
  return { reason: `${why}; waits until ${formatMinute(time)}`, until: time }
}

/** The sites of changes, in their order, with the live WLANs that change. */
export function measuredSites(
  changes: readonly Pick<Change, 'site' | 'wlan'>[],
  role: MeasuredSite['role']
): MeasuredSite[] {
  const sites = new Map<string, { readonly site: MeasuredSite; readonly wlans: string[] }>()
  for (const { site, wlan } of changes) {
    const { id, name } = site
    const known = sites.get(id)
    if (known !== undefined) known.wlans.push(wlan.id)
    else {
      const wlans = [wlan.id]
      sites.set(id, { site: { id, name, role, wlans }, wlans })
    }
  }
  return [...sites.values()].map(each => each.site)
}

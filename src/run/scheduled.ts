import { agrees, agreesBothWays } from '../core/diff/agree.ts'
import { changedPointers, diff } from '../core/diff/diff.ts'
import { matchSite } from '../core/diff/match.ts'
import type { ShownSecrets } from '../core/diff/secret-states.ts'
import type { DeferralCheck } from '../core/model/calendar.ts'
import {
  countManaged,
  type Desired,
  type DesiredSite,
  type DesiredWlan
} from '../core/model/desired.ts'
import { aboutWlan, type Finding, finding } from '../core/model/finding.ts'
import type { LiveSite, LiveWlan } from '../core/model/live.ts'
import type { Outcome } from '../core/model/outcome.ts'
import type { RecordedRun } from '../core/model/record.ts'
import { type PeriodBorder, pastBorders } from '../core/plan/periods.ts'
import { planWlan } from '../core/plan/plan.ts'
import { secretsToSend } from '../core/plan/rotation.ts'
import { fieldAt } from '../core/schema/field.ts'
import { secretsShownIn } from '../core/schema/shown-secrets.ts'
import { compact, groupBy } from '../core/values/collections.ts'
import type { Pointer } from '../core/values/pointer.ts'
import { Secret, type SecretReference } from '../core/values/secret.ts'
import { formatTimestamp } from '../core/values/time.ts'
import { mapValue, removeAt, type Value, valueAt } from '../core/values/value.ts'
import { deferralOf } from '../fleet/time/plan-times.ts'
import { approve } from './apply/approved-changes.ts'
import { deferredOutcome } from './apply/outcome.ts'
import type { PlanRequest } from './make-plan.ts'
import {
  endingOf,
  isWaiting,
  newestAt,
  type RecordedEvent,
  RecordedEvents,
  sendsDeclared,
  timeOf
} from './record/recorded-events.ts'
import type { RolloutSettings } from './rollout.ts'

/** What a scheduled apply may send. */
export interface Schedule extends Required<Pick<RolloutSettings, 'obstacles'>> {
  /** The sites with a WLAN that may be due; all other WLANs are excluded. The plan adds findings about what is withheld. */
  readonly desired: Desired
  readonly request: Required<Pick<PlanRequest, 'narrow' | 'declared'>>
  /** The outcomes of changes whose windows are shut, so that their sites are not read. */
  readonly waiting: readonly Outcome[]
}

export interface ScheduleContext {
  /** Runs on other services count for nothing. */
  readonly baseUrl: string
  readonly now: Date
  /** Resolves a secret of another time; by default none is known. */
  readonly resolve?: (reference: SecretReference) => Secret | undefined
}

/**
 * Narrows a fleet to what a scheduled apply may send, field by field. `runs` are those of all known records, in any
 * order; the newest one that changes a field decides about it.
 *
 * | the files and live differ, and the newest run with the field | sent                                          |
 * |--------------------------------------------------------------|-----------------------------------------------|
 * | there is none                                                | if a period of the field has begun or ended, and live holds what was declared before |
 * | deferred the change, and nothing stopped the run             | if the same change is derived again           |
 * | applied it                                                   | only after a later period border, as above: the rest is drift |
 * | left it failed, stale, skipped, … or was stopped; or reverted it | only after a later period border, as above |
 *
 * Everything else is a finding, except drift, which no plan approved either.
 */
export async function scheduleOf(
  desired: Desired,
  runs: readonly RecordedRun[],
  context: ScheduleContext
): Promise<Schedule> {
  const { isWhole: _, rollout, calendar, ...rest } = desired
  const deferral = await deferralOf(calendar, {}, () => context.now)
  const narrowing = new Narrowing(desired, runs, context, deferral)
  const states = new Map(
    desired.sites.flatMap(site => site.wlans.map(wlan => [wlan, narrowing.stateOf(site, wlan)]))
  )
  // A wave must not start before those that wait, so the run decides about them in order.
  const isOrdered = rollout !== undefined && [...states.values()].includes('due')
  const isDue = (wlan: DesiredWlan) => {
    const state = states.get(wlan)
    return state === 'due' || (isOrdered && typeof state === 'object')
  }
  const sites = desired.sites.flatMap(site => {
    const wlans = site.wlans.map(wlan =>
      isDue(wlan) ? wlan : { ...wlan, excluded: true as const }
    )
    return site.wlans.some(isDue) ? [{ ...site, wlans }] : []
  })
  const { findings, obstacles } = narrowing
  return {
    desired: { ...rest, ...compact({ rollout, calendar }), sites, findings },
    request: {
      narrow: (site, live) => narrowing.narrow(site, live),
      declared: countManaged(desired.sites)
    },
    waiting: isOrdered ? [] : [...states.values()].filter(state => typeof state === 'object'),
    obstacles
  }
}

/** `drift` is not sent either, but is no finding. */
type Decision = 'send' | 'drift' | { readonly reason: string }

const MOVED = 'live has neither the declared value nor the one before the period'

class Narrowing {
  readonly findings: Finding[]
  /** By address. */
  readonly obstacles = new Map<string, string>()
  readonly #rollout: Desired['rollout']
  readonly #events: RecordedEvents
  readonly #now: string
  readonly #resolve: NonNullable<ScheduleContext['resolve']>
  readonly #deferral: DeferralCheck | undefined

  constructor(
    { findings, rollout }: Desired,
    runs: readonly RecordedRun[],
    { baseUrl, now, resolve = () => undefined }: ScheduleContext,
    deferral: DeferralCheck | undefined
  ) {
    this.findings = [...findings]
    this.#rollout = rollout
    this.#events = new RecordedEvents(runs, baseUrl)
    this.#now = formatTimestamp(now)
    this.#resolve = resolve
    this.#deferral = deferral
  }

  /** Whether a change of a WLAN may be due; its outcome if it only waits for its window; undefined if there is none. */
  stateOf(site: DesiredSite, wlan: DesiredWlan): 'due' | Outcome | undefined {
    if (wlan.excluded) return undefined
    const events = this.#events.of(site, wlan.address)
    if (this.#mayCrossBorder(wlan, events)) return 'due'
    const waits = waitingIn(events).map(
      ({ recorded: { change } }) => deferredOutcome(change, this.#deferral) ?? ('due' as const)
    )
    if (waits.length === 0) this.#reportEnded(wlan, events)
    return waits.includes('due') ? 'due' : waits[0]
  }

  /** True if no run dealt with a border of a period yet. */
  #mayCrossBorder(wlan: DesiredWlan, events: readonly RecordedEvent[]): boolean {
    const borders = pastBorders(wlan, this.#now)
    const pointers = new Set(borders.flatMap(({ before, after }) => changedPointers(before, after)))
    return [...pointers].some(pointer => {
      const event = newestAt(events, pointer)
      const own = bordersOf(pointer, borders)
      return event === undefined || laterBorders(own, event, pointer, wlan).length > 0
    })
  }

  /** Reports the changes that a run left undone and that the files still declare. */
  #reportEnded(wlan: DesiredWlan, events: readonly RecordedEvent[]): void {
    const ended = [...new Set(events.flatMap(event => pathsOf(event)))].flatMap(pointer => {
      const event = newestAt(events, pointer)
      const reason = event && endingOf(event)
      if (event === undefined || reason === undefined) return []
      const isReverted = event.run.command === 'revert'
      return sendsDeclared(event, pointer, wlan) === isReverted ? [] : [{ pointer, reason }]
    })
    const borders = pastBorders(wlan, this.#now)
    const isOfPeriod = ended.some(({ pointer }) => bordersOf(pointer, borders).length > 0)
    this.#withhold(wlan, ended, isOfPeriod)
  }

  /** The site with the fields to send, and those that are live already. */
  narrow(site: DesiredSite, live: LiveSite): DesiredSite {
    const secretsShown = secretsShownIn(live.wlans.map(({ record }) => record))
    const wlans = [...matchSite(site, live)].map(([wlan, match]) =>
      wlan.excluded || !('live' in match)
        ? wlan
        : this.#narrowed(site, wlan, match.live, { secretsShown })
    )
    return { ...site, wlans }
  }

  #narrowed(
    site: DesiredSite,
    wlan: DesiredWlan,
    live: LiveWlan,
    shown: ShownSecrets
  ): DesiredWlan {
    const send = secretsToSend(wlan, live.record)
    const { patch } = diff(wlan.fields, live.record, { ...shown, send })
    const pointers = [...new Set(patch.map(({ path }) => path))]
    const events = this.#events.of(site, live.id)
    const borders = pastBorders(wlan, this.#now)
    const newest = groupBy(pointers, pointer => newestAt(events, pointer))
    const withheld: { readonly pointer: Pointer; readonly reason?: string }[] = []
    for (const [event, together] of newest) {
      const others = pointers.filter(pointer => !together.includes(pointer))
      const part = { ...wlan, fields: withoutFields(wlan, others) }
      const refusal =
        event && isWaiting(event) ? this.#refusalOf(event, site, part, live, shown) : undefined
      for (const pointer of together) {
        const decision = this.#decide(pointer, { wlan, live, borders, event, refusal })
        if (decision === 'drift') withheld.push({ pointer })
        else if (decision !== 'send') withheld.push({ pointer, ...decision })
      }
    }
    if (withheld.length === 0) return wlan
    this.#withhold(
      wlan,
      withheld.flatMap(({ pointer, reason }) => (reason === undefined ? [] : { pointer, reason })),
      true
    )
    const fields = withoutFields(
      wlan,
      withheld.map(({ pointer }) => pointer)
    )
    // Without its SSID it would match no live WLAN.
    return { ...wlan, id: live.id, fields }
  }

  /** Why a deferred change is no longer the one that the run was to send; undefined if it is. */
  #refusalOf(
    { run, recorded }: RecordedEvent,
    site: DesiredSite,
    part: DesiredWlan,
    live: LiveWlan,
    shown: ShownSecrets
  ): string | undefined {
    const planned = planWlan(site, part, live, shown)
    // What blocks the WLAN is a finding of the plan.
    if (planned.status !== 'changed') return undefined
    const { rollout = [] } = run
    const plan = { changes: [recorded.change], not_compared: [], rollout }
    const [outcome] = approve([planned], [plan], new Map(), { rollout: this.#rollout }).decided
    return outcome && `it waited in the run ${run.id}, and ${outcome.reason}`
  }

  #decide(pointer: Pointer, { wlan, live, borders, event, refusal }: FieldState): Decision {
    const own = bordersOf(pointer, borders)
    const isHeld = ({ before }: PeriodBorder) =>
      this.#holds(live, pointer, valueAt(before, pointer))
    if (event !== undefined && isWaiting(event)) {
      if (refusal === undefined) return 'send'
      const isLater = laterBorders(own, event, pointer, wlan).length > 0
      return isLater && own.some(isHeld) ? 'send' : { reason: refusal }
    }
    const later = event === undefined ? own : laterBorders(own, event, pointer, wlan)
    if (later.some(isHeld)) return 'send'
    if (later.length > 0) return { reason: MOVED }
    const reason = event && endingOf(event)
    return reason === undefined ? 'drift' : { reason }
  }

  /** True if a live field certainly holds a value that was declared; an undeclared field was at its default. */
  #holds({ record }: LiveWlan, pointer: Pointer, declared: Value | undefined): boolean {
    const [field, live] = [fieldAt(pointer), valueAt(record, pointer)]
    if (declared === undefined) return agrees(field, undefined, live ?? null, pointer)
    const comparison = { notCompared: [], secretsShown: secretsShownIn([record]) }
    const value = mapValue(declared, each =>
      each instanceof Secret
        ? (this.#resolve(each.reference) ?? new Secret(each.reference, undefined))
        : undefined
    )
    return agrees(field, live, value, pointer, comparison) && comparison.notCompared.length === 0
  }

  /** Adds a finding for each reason. An obstacle keeps the waves after that of the WLAN from starting. */
  #withhold(
    wlan: DesiredWlan,
    fields: readonly { readonly pointer: Pointer; readonly reason: string }[],
    isObstacle: boolean
  ): void {
    for (const [reason, together] of groupBy(fields, field => field.reason)) {
      const names = together.map(({ pointer }) => pointer).sort()
      this.findings.push(finding('NOT_SCHEDULED', aboutWlan(wlan), names, reason))
      if (isObstacle) this.obstacles.set(wlan.address, 'not sent by the scheduled apply')
    }
  }
}

interface FieldState {
  readonly wlan: DesiredWlan
  readonly live: LiveWlan
  readonly borders: readonly PeriodBorder[]
  /** The newest one that changes the field. */
  readonly event: RecordedEvent | undefined
  /** Why its change is no longer the deferred one. */
  readonly refusal: string | undefined
}

/** The waiting ones that no newer one replaces. */
function waitingIn(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.filter(
    event => isWaiting(event) && pathsOf(event).some(path => newestAt(events, path) === event)
  )
}

function pathsOf({ recorded }: RecordedEvent): Pointer[] {
  return recorded.change.patch.map(({ path }) => path)
}

/** The borders at which the declared value of a field changes. */
function bordersOf(pointer: Pointer, borders: readonly PeriodBorder[]): readonly PeriodBorder[] {
  const field = fieldAt(pointer)
  return borders.filter(
    ({ before, after }) => !agreesBothWays(field, valueAt(before, pointer), valueAt(after, pointer))
  )
}

/** The borders that an event did not deal with: a run that applied another value dealt with none. */
function laterBorders(
  borders: readonly PeriodBorder[],
  event: RecordedEvent,
  pointer: Pointer,
  wlan: DesiredWlan
): readonly PeriodBorder[] {
  const isWaitingFor = isWaiting(event)
  const isApplied = !isWaitingFor && endingOf(event) === undefined
  if (isApplied && !sendsDeclared(event, pointer, wlan)) return borders
  const since = isWaitingFor ? Date.parse(event.run.started) : timeOf(event)
  return borders.filter(({ at }) => Date.parse(at) > since)
}

function withoutFields({ fields }: DesiredWlan, pointers: readonly Pointer[]) {
  return pointers.reduce(removeAt, fields)
}

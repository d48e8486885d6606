import { type Match, matchSite } from '../diff/match.ts'
import { overlayWlan } from '../diff/overlay.ts'
import type { UpcomingEvent } from '../model/calendar.ts'
import type { DesiredSite, DesiredWlan } from '../model/desired.ts'
import type { Finding } from '../model/finding.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import type { PeriodPlan, Plan } from '../model/plan.ts'
import { byCodeUnit, compact, groupBy, sortBy } from '../values/collections.ts'
import { Secret } from '../values/secret.ts'
import { mapMembers, mapValue, member, type ValueObject } from '../values/value.ts'
import { type RefusalContext, refusalsOf } from './limits.ts'
import { type PlannedSite, wlanFindings } from './plan.ts'
import { savedRefusals } from './saved-refusals.ts'

/** A site as it is declared at a time, and its live WLANs as all changes before that time leave them. */
export interface SiteMoment {
  /** UTC. */
  readonly at: string
  readonly site: DesiredSite
  /** The declarations, with secrets that are equal if their references are. */
  readonly compared: DesiredSite
  readonly live: LiveSite
  /** The live WLANs of `compared`. */
  readonly matches: Map<DesiredWlan, Match>
  /** The same of `site`. */
  readonly declaredMatches: ReadonlyMap<DesiredWlan, Match>
}

/** The times after `now` (UTC) at which the WLANs of a site begin or end a period, sorted. */
function timesOf({ wlans }: DesiredSite, now: string): string[] {
  const times = wlans.flatMap(({ periods = [] }) =>
    periods.flatMap(({ from, until }) => [from, until])
  )
  return [...new Set(times)].filter(at => at > now).sort(byCodeUnit)
}

/** The site at each time after `now` at which a period begins or ends. */
export function* siteMoments(
  site: DesiredSite,
  live: LiveSite,
  now: string
): Generator<SiteMoment, void> {
  let before = live
  let matches = matchSite(withReferences(site), live)
  for (const at of timesOf(site, now)) {
    before = withChanges(before, matches)
    const declared = declaredAt(site, now, at)
    const compared = withReferences(declared)
    matches = matchSite(compared, before)
    const plain = new Map(declared.wlans.map(wlan => [wlan.address, wlan]))
    const declaredMatches = new Map(
      [...matches].map(([wlan, match]) => [plain.get(wlan.address) ?? wlan, match] as const)
    )
    yield { at, site: declared, compared, live: before, matches, declaredMatches }
  }
}

function declaredAt({ sinceBase: _, ...site }: DesiredSite, now: string, at: string): DesiredSite {
  return { ...site, wlans: site.wlans.map(wlan => ({ ...wlan, fields: fieldsAt(wlan, now, at) })) }
}

/** The fields that the last beginning or end of a period leaves. */
function fieldsAt(wlan: DesiredWlan, now: string, at: string): ValueObject {
  const past = statesOf(wlan).filter(({ time }) => time > now && time <= at)
  return past.at(-1)?.fields ?? wlan.fields
}

/** The declared fields of a WLAN from each beginning and end of its periods on, sorted. */
function statesOf({ periods = [] }: Pick<DesiredWlan, 'periods'>) {
  const states = periods.flatMap(({ from, until, begins, ends }) => [
    { time: from, fields: begins },
    { time: until, fields: ends }
  ])
  return sortBy(states, ({ time }) => time)
}

/** Secrets of other times are not resolved: each counts as known, and is equal to those with the same reference. */
function byReference(fields: ValueObject): ValueObject {
  const known = ({ reference }: Secret) =>
    '$plaintext' in reference ? undefined : new Secret(reference, JSON.stringify(reference))
  return mapMembers(fields, value =>
    mapValue(value, inner => (inner instanceof Secret ? known(inner) : undefined))
  )
}

function withReferences(site: DesiredSite): DesiredSite {
  const wlans = site.wlans.map(wlan => ({ ...wlan, fields: byReference(wlan.fields) }))
  return { ...site, wlans }
}

function withChanges(live: LiveSite, matches: ReadonlyMap<DesiredWlan, Match>): LiveSite {
  const declared = new Map(
    [...matches].flatMap(([wlan, match]) =>
      'live' in match && !wlan.excluded ? [[match.live, wlan.fields] as const] : []
    )
  )
  const changed = (wlan: LiveWlan): LiveWlan => {
    const fields = declared.get(wlan)
    if (fields === undefined) return wlan
    const record = overlayWlan(wlan.record, fields)
    const ssid = member(record, 'ssid')
    return { ...wlan, record, ssid: typeof ssid === 'string' ? ssid : wlan.ssid }
  }
  return { ...live, wlans: live.wlans.map(changed) }
}

/** What the periods of a time are planned with. */
export interface PeriodContext extends RefusalContext {
  /** The findings of the plan for now: the checks may repeat them. */
  readonly known: readonly Finding[]
}

/**
 * The plan of the WLANs whose periods begin or end at a time, without those of unread sites. `context.findings`:
 * those of the checks.
 */
export function planPeriod(
  at: string,
  events: readonly UpcomingEvent[],
  sites: readonly PlannedSite[],
  context: PeriodContext
): PeriodPlan {
  const { findings, known } = context
  const addresses = new Set(events.map(({ address }) => address))
  const wlanPlans = sortBy(
    sites.flatMap(site => site.wlanPlans.filter(({ address }) => addresses.has(address))),
    ({ address }) => address
  )
  const planned = wlanPlans.filter(wlanPlan => wlanPlan.status === 'changed')
  const changes = planned.map(({ change }) => change)
  const repeated = new Set(known.map(identity))
  const found = [
    ...wlanPlans.flatMap(wlanFindings),
    ...findings.filter(each => isNew(each) && !repeated.has(identity(each)))
  ]
  const read = new Set<string | undefined>(wlanPlans.map(({ address }) => address))
  const refusals = refusalsOf(planned, { ...context, findings: found })
  return {
    at,
    events: events.filter(({ address }) => read.has(address)),
    changes,
    ...(found.length > 0 && { findings: found }),
    ...(refusals.length > 0 && { refusals })
  }
}

function isNew({ existing, waived, level }: Finding): boolean {
  return !existing && waived === undefined && level !== 'info'
}

function identity({ code, address, message }: Finding): string {
  return JSON.stringify([code, address, message])
}

/** The periods of several parts of a plan, or of a saved one. Their refusals are computed again. */
export function mergePeriods(
  plan: Pick<Plan, 'summary' | 'limits'>,
  parts: readonly PeriodPlan[]
): PeriodPlan[] {
  const byTime = groupBy(
    sortBy(parts, ({ at }) => at),
    ({ at }) => at
  )
  return [...byTime].map(([at, all]) => {
    const events = sortBy(
      all.flatMap(period => period.events),
      ({ address = '' }) => address
    )
    const changes = sortBy(
      all.flatMap(period => period.changes),
      ({ address }) => address
    )
    const findings = all.flatMap(period => period.findings ?? [])
    const claims = all.flatMap(period => period.refusals ?? [])
    const { summary, limits } = plan
    const refusals = savedRefusals({ changes, findings, summary, ...compact({ limits }) }, claims)
    return {
      at,
      events,
      changes,
      ...(findings.length > 0 && { findings }),
      ...(refusals.length > 0 && { refusals })
    }
  })
}

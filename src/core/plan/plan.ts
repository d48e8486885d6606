import { composeBody, hiddenFinding, updatePath, withHidden } from '../diff/body.ts'
import { diff } from '../diff/diff.ts'
import { listElementNames } from '../diff/elements.ts'
import { matchSite, soughtSsids, undeclaredWlans } from '../diff/match.ts'
import type { ShownSecrets } from '../diff/secret-states.ts'
import type {
  Desired,
  DesiredSite,
  DesiredWlan,
  Part,
  Policy,
  Site,
  Wave
} from '../model/desired.ts'
import { aboutWlan, type Finding, finding } from '../model/finding.ts'
import {
  isInherited,
  type LiveSite,
  type LiveWlan,
  templateOf,
  type UnreadSite
} from '../model/live.ts'
import type { Pair } from '../model/pairs.ts'
import type {
  Against,
  Change,
  NotCompared,
  PatchOperation,
  Plan,
  PlannedChange,
  PlannedSite,
  PlanTimes,
  SecretReferences,
  Unmanaged,
  WlanPlan
} from '../model/plan.ts'
import { secretsShownAt, secretsShownIn } from '../schema/shown-secrets.ts'
import { compact, sortBy } from '../values/collections.ts'
import { type Pointer, topLevelField } from '../values/pointer.ts'
import { Secret } from '../values/secret.ts'
import { formatTimestamp } from '../values/time.ts'
import { sameId } from '../values/uuid.ts'
import { member, type ValueObject, valueAt } from '../values/value.ts'
import { withDigests } from './digest.ts'
import { type EffectOptions, effectsOf } from './effects/effects.ts'
import { surroundingsIn } from './effects/exposure.ts'
import { type Allowances, refusalsOf } from './guards.ts'
import { rolloutOf } from './planned-waves.ts'
import { rotationsIn, secretsToSend } from './rotation.ts'
import { causesOf, noLongerDeclared, removedFindings } from './since-base.ts'
import { listUndeclared, sortUnmanaged } from './undeclared/undeclared.ts'

/**
 * Plans one site: each declared WLAN against the live ones. Excluded WLANs still match their live WLANs, but
 * get no plan. With `isDrift` the changes have the dangers of the live WLANs. Pure, as all functions of `plan/`.
 */
export function planSite(
  site: DesiredSite,
  live: LiveSite,
  matches = matchSite(site, live),
  { isDrift = false }: Pick<EffectOptions, 'isDrift'> = {}
): PlannedSite {
  const secretsShown = secretsShownAt(live)
  const surroundings = surroundingsIn(site, live, matches)
  const wlanPlans = [...matches]
    .filter(([wlan]) => !wlan.excluded)
    .map(([declared, match]) => {
      if (!('live' in match)) return blocked(declared, match.finding)
      const wlan = isProtectedAtBase(site, match.live)
        ? { ...declared, protect: true as const }
        : declared
      const effects = { isDrift, surroundings: surroundings(declared, match.live) }
      return planWlan(site, wlan, match.live, { secretsShown, effects, pair: match.pair })
    })
  const undeclared = undeclaredWlans(matches, live)
  const removed = noLongerDeclared(site, matches, live)
  return {
    site: { id: site.id, name: site.name },
    declared: site.wlans,
    wlanPlans: wlanPlans.filter(isOpen),
    unchanged: wlanPlans.filter(({ status }) => status === 'unchanged').length,
    ...listUndeclared(site, undeclared),
    ...(removed.length > 0 && { noLongerDeclared: removed })
  }
}

/** True for a live WLAN that the base protects, whatever declares it now. */
function isProtectedAtBase({ sinceBase }: DesiredSite, { id, ssid }: LiveWlan): boolean {
  const kept = sinceBase?.protected ?? []
  return kept.some(wlan =>
    wlan.id === undefined ? soughtSsids(wlan).includes(ssid) : sameId(wlan.id, id)
  )
}

export function planUnread(site: DesiredSite, unread: UnreadSite): PlannedSite {
  const { id, name } = site
  const wlans = site.wlans.filter(wlan => !wlan.excluded)
  const wlanPlans = wlans.map(({ address }): WlanPlan => ({ status: 'unread', address }))
  const none = { unchanged: 0, unmanaged: [], unread }
  return { site: { id, name }, declared: site.wlans, wlanPlans, ...none }
}

/**
 * Plans one WLAN: the differences, the request, and the finding that blocks it. Without options, `live`
 * counts as a response of its own, and as the only network of its site.
 */
export function planWlan(
  site: Site & Pick<DesiredSite, 'sinceBase'>,
  wlan: DesiredWlan,
  live: LiveWlan,
  options: PlanOptions = {}
): WlanPlan {
  const { address } = wlan
  const { secretsShown = secretsShownIn([live.record]), pair } = options
  if (pair?.varying === undefined && pair?.result(planWlan, () => isUnchanged(wlan, live))) {
    return { status: 'unchanged', address, notCompared: [] }
  }
  const send = secretsToSend(wlan, live.record)
  const { patch, notCompared, secrets } = diff(wlan.fields, live.record, { ...options, send })
  const references = referencesAt(wlan.fields, notCompared)
  if (patch.length === 0) {
    const names = notCompared.length === 0 ? undefined : listElementNames(wlan.fields, notCompared)
    return {
      status: 'unchanged',
      address,
      notCompared,
      ...references,
      ...compact({ names })
    }
  }
  const fields = [...new Set(patch.map(({ path }) => topLevelField(path)))]
  if (isInherited(live.record)) {
    const template = templateOf(live.record)
    return blocked(wlan, finding('WLAN_INHERITED', aboutWlan(wlan), template, fields))
  }
  const composed = composeBody(wlan.fields, live.record, fields, aboutWlan(wlan), secretsShown)
  if ('finding' in composed) return blocked(wlan, composed.finding)
  const { body, hidden } = composed
  const change: Change = {
    address,
    site: { id: site.id, name: site.name },
    wlan: { id: live.id, ssid: live.ssid },
    origin: { ...wlan.place, file: wlan.file },
    ...effectsOf(patch, live.record, secrets, options.effects),
    patch: patch.map(operation => withHiddenSecrets(operation, hidden)),
    request: { method: 'PUT', path: updatePath(site, live), body },
    ...(notCompared.length === 0 ? {} : { not_compared: notCompared, ...references }),
    ...compact({
      secrets,
      rotations: rotationsIn(wlan, secrets),
      modified: modifiedAt(live.record),
      causes: causesOf(patch, wlan.key, site)
    })
  }
  const shown = { secretsShown: secretsShown(), ...(hidden.length > 0 && { hidden }) }
  return { status: 'changed', address, change, desired: wlan, live, ...shown }
}

interface PlanOptions extends ShownSecrets {
  readonly effects?: EffectOptions
  readonly pair?: Pair | undefined
}

function isUnchanged({ fields }: DesiredWlan, { record }: LiveWlan): boolean {
  const { patch, notCompared } = diff(fields, record)
  return patch.length === 0 && notCompared.length === 0
}

function withHiddenSecrets(operation: PatchOperation, hidden: readonly Pointer[]): PatchOperation {
  if (operation.op !== 'add' && operation.op !== 'replace') return operation
  return { ...operation, value: withHidden(operation.value, hidden, operation.path) }
}

/** The time of the last modification of a live WLAN, UTC; its record has seconds since 1970. */
function modifiedAt(record: ValueObject): string | undefined {
  const seconds = member(record, 'modified_time')
  if (typeof seconds !== 'number' || seconds <= 0 || seconds > MAX_SECONDS) return undefined
  return formatTimestamp(new Date(seconds * 1000))
}

/** The end of the year 9999: the ISO notation of a later time has more than four digits. */
const MAX_SECONDS = 253_402_300_799

export interface PlanContext {
  readonly tool: string
  /** The time of the plan, UTC, to the second. */
  readonly created: string
  readonly baseUrl: string
  /** The snapshot used as live state; absent if the service was read. */
  readonly against?: Against
  readonly part?: Part
  readonly commit?: string
  readonly policy: Policy
  readonly policyDigest?: string
  readonly rollout?: readonly Wave[] | undefined
  readonly findings: readonly Finding[]
  readonly ignoredFiles?: number
  readonly lintFindings?: readonly Finding[]
  readonly requests: number
  readonly allowances?: Allowances
  /** As in `Desired`; default: those of the plan. */
  readonly managed?: Desired['managed']
  /** The changes with their places; default: as the sites have them. */
  readonly changes?: readonly Change[]
  readonly times?: PlanTimes
}

export function changesOf(sites: readonly PlannedSite[]): PlannedChange[] {
  const wlanPlans = sites.flatMap(site => site.wlanPlans)
  return sortBy(
    wlanPlans.filter(wlanPlan => wlanPlan.status === 'changed'),
    ({ address }) => address
  )
}

export function assemble(sites: readonly PlannedSite[], context: PlanContext): Plan {
  const wlanPlans = sortBy(
    sites.flatMap(site => site.wlanPlans),
    ({ address }) => address
  )
  const sorted = sortBy(sites, ({ site }) => site.name)
  const unread = sorted.flatMap(site => site.unread ?? [])
  const { policy, rollout } = context
  const isListed = policy.unmanaged !== 'ignore'
  const unmanaged = isListed ? sortUnmanaged(sites.flatMap(site => site.unmanaged)) : []
  const inherited = isListed ? sortUnmanaged(sites.flatMap(site => site.inherited ?? [])) : []
  const planned = changesOf(sites)
  const { changes = planned.map(({ change }) => change) } = context
  const uncompared = wlanPlans.flatMap(notCompared)
  const waves = rollout && rolloutOf(rollout, sitesToApprove(sites))
  const unchanged = sites.reduce((sum, site) => sum + site.unchanged, 0)
  const wlans = unchanged + wlanPlans.filter(({ status }) => status !== 'unchanged').length
  const summary = {
    sites: sites.length,
    sites_failed: unread.length,
    wlans,
    changed: changes.length,
    unchanged,
    blocked: wlanPlans.filter(({ status }) => status === 'blocked').length,
    unmanaged: unmanaged.length,
    requests: context.requests
  }
  const findings = [
    ...context.findings.filter(({ code }) => code !== 'NO_LONGER_DECLARED'),
    ...removedFindings([
      ...context.findings,
      ...sites.flatMap(({ noLongerDeclared: removed = [] }) => removed)
    ]),
    ...liveFindings(wlanPlans, unread, unmanaged, policy),
    ...(context.lintFindings ?? [])
  ]
  const {
    part,
    commit,
    policyDigest,
    ignoredFiles,
    times,
    managed = [wlans],
    allowances = {}
  } = context
  const guarded = { policy, allowances, managed, findings, deferred: times?.deferred }
  const refusals = refusalsOf(planned, guarded)
  const plan: Omit<Plan, 'digest'> = {
    format: 'wlanctl-plan/1',
    tool: context.tool,
    created: context.created,
    base_url: context.baseUrl,
    ...(context.against && { against: context.against }),
    ...part,
    ...compact({ commit }),
    summary,
    sites: sorted.map(({ site, unread: missing, wlanPlans: planned }) => ({
      ...site,
      ...(missing && { unread: planned.length })
    })),
    ...(waves && { rollout: waves }),
    changes,
    not_compared: uncompared,
    unmanaged,
    ...(inherited.length === 0 ? {} : { inherited }),
    findings,
    ...compact({ policy_digest: policyDigest, ignored_files: ignoredFiles }),
    ...times,
    ...(refusals.length > 0 && { refusals })
  }
  return withDigests(plan)
}

/** False if there is nothing to say about the WLAN. */
function isOpen(wlanPlan: WlanPlan): boolean {
  return wlanPlan.status !== 'unchanged' || wlanPlan.notCompared.length > 0
}

/** The sites that need approval: with a change, or with a secret that could not be compared. */
function sitesToApprove(sites: readonly PlannedSite[]): string[] {
  const toApprove = ({ status }: WlanPlan) => status === 'changed' || status === 'unchanged'
  return sites.flatMap(({ site, wlanPlans }) => (wlanPlans.some(toApprove) ? site.name : []))
}

function notCompared(wlanPlan: WlanPlan): NotCompared[] {
  if (wlanPlan.status !== 'unchanged') return []
  const { address, notCompared: pointers, references, names } = wlanPlan
  return [{ address, pointers, ...(references && { references }), ...(names && { names }) }]
}

function referencesAt(
  declared: ValueObject,
  pointers: readonly Pointer[]
): { readonly references?: SecretReferences } {
  const entries = pointers.flatMap(pointer => {
    const value = valueAt(declared, pointer)
    return value instanceof Secret ? [[pointer, value.reference] as const] : []
  })
  return entries.length === 0 ? {} : { references: Object.fromEntries(entries) }
}

function liveFindings(
  wlanPlans: readonly WlanPlan[],
  unread: readonly UnreadSite[],
  unmanaged: readonly Unmanaged[],
  policy: Policy
): Finding[] {
  return [
    ...wlanPlans.flatMap(wlanFindings),
    ...unread.map(({ site, reason, hint }) =>
      finding('SITE_NOT_READ', { address: site.name }, reason, hint)
    ),
    ...(policy.unmanaged === 'error'
      ? unmanaged.map(({ site, ssid, id }) => finding('UNMANAGED', { address: site }, ssid, id))
      : [])
  ]
}

/** The findings that block a change or require approval. */
export function wlanFindings(wlanPlan: WlanPlan): Finding[] {
  if (wlanPlan.status === 'blocked') return [wlanPlan.finding]
  if (wlanPlan.status !== 'changed') return []
  const { desired, change, hidden = [] } = wlanPlan
  const { downgrades } = change
  const where = aboutWlan(desired)
  return [
    ...(downgrades === undefined ? [] : [finding('DOWNGRADE', where, downgrades)]),
    ...hidden.map(at => hiddenFinding([at], where))
  ]
}

function blocked({ address }: DesiredWlan, reason: Finding): WlanPlan {
  return { status: 'blocked', address, finding: reason }
}

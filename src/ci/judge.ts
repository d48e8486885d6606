import type { DeferralCheck } from '../core/model/calendar.ts'
import type { Desired, DesiredWlan } from '../core/model/desired.ts'
import { exit, Failure } from '../core/model/failure.ts'
import { type Finding, isError, isPolicyRefusal } from '../core/model/finding.ts'
import type { LiveSite, UnreadSite } from '../core/model/live.ts'
import type { Outcome, Status } from '../core/model/outcome.ts'
import type { PlannedChange } from '../core/model/plan.ts'
import { type Effects, effectsOf } from '../core/plan/effects/effects.ts'
import { escalationReason } from '../core/plan/effects/escalation.ts'
import type { Allowances } from '../core/plan/limits.ts'
import { append, compact, groupBy, groupsBy, lowest } from '../core/values/collections.ts'
import { overlap, type Pointer } from '../core/values/pointer.ts'
import { listFirst } from '../core/values/text.ts'
import { secretsIn, valueAt } from '../core/values/value.ts'
import { deferralOf } from '../fleet/time/plan-times.ts'
import { outcome } from '../run/apply/outcome.ts'
import type { RunContext } from '../run/context.ts'
import type { ExecutePlanInput } from '../run/execute-plan.ts'
import { makePlan, type PlanResult } from '../run/make-plan.ts'
import { readSitesAsTask } from '../run/read-sites.ts'
import { planRollout, type RolloutHooks } from '../run/rollout.ts'
import type { Reader } from '../service/client.ts'
import { factAt, fieldsAtBase, narrowTo, seenWlans } from './facts.ts'
import {
  type Decided,
  type Decision,
  type Execution,
  type OpenPermission,
  type Verdict,
  verdictOf,
  wlanKey
} from './permissions.ts'

/** What a run offers to the one that judges its permissions. */
export interface PermitRun {
  /** The fleet of the tip, compared with a base if one is given. Throws a `Failure` if either cannot be read. */
  readonly load: (base?: string) => Promise<Desired>
  readonly reader: Reader
  readonly parallelism: number
  readonly allowances: Allowances
  readonly context: RunContext
  readonly check: RolloutHooks['check'] | undefined
}

/** What `ci` decides within a command that it runs. */
export interface CiHooks {
  readonly narrow?: Parameters<typeof makePlan>[2]['narrow']
  /** For `plan`: called with what it made. */
  readonly planned?: (made: PlanResult) => void
  /** For `apply`: what to execute, in place of the approval by saved plans. */
  readonly permit?: (run: PermitRun) => Promise<PermittedPlan>
}

export type PermittedPlan = ExecutePlanInput & Pick<PlanResult, 'verdicts'>

/** What a run by hand allows to one pull request. */
export interface Consent extends Allowances {
  readonly pull: number
  readonly ignoreWindows?: true
}

export interface Judging {
  readonly candidates: readonly OpenPermission[]
  /** The tip of the run before, or the first parent of the tip: what changed since must be permitted. */
  readonly since: string
  readonly tip: string
  readonly consent: Consent | undefined
  /** Awaited before each wave; it may interrupt the run. */
  readonly beforeWave: () => Promise<void>
}

export interface Judged {
  readonly plan: PermittedPlan
  readonly decided: readonly Decided[]
  /** WLANs that differ though no merge since changed them. */
  readonly drift: readonly string[]
  /** WLANs that a merge since changed, and that nothing permits. */
  readonly unplanned: readonly string[]
  /** What was executed so far. */
  readonly execution: Execution
}

interface Case {
  readonly permission: OpenPermission
  decision: Decision
  readonly pointers?: readonly Pointer[]
  readonly change?: PlannedChange
  readonly waits?: DeferralCheck | undefined
}

const settled = (status: Status, why: string): Decision => ({ is: 'settled', status, why })

/** Judges each pull request alone, and makes one plan of what they permit. */
export async function judge(judging: Judging, given: PermitRun): Promise<Judged> {
  const run = { ...given, reader: cachedReader(given.reader), load: keepingLast(given.load) }
  const tip = await run.load()
  const cases: Case[] = []
  let found: Desired | undefined
  for (const permissions of groupsBy(judging.candidates, ({ pull }) => pull)) {
    const judged = await judgePull(permissions, judging, run)
    found ??= judged.base
    append(cases, judged.cases)
  }
  const first = found ?? tip
  const joint = await jointPlan(cases, tip, first, run)
  const places = (first.rollout ?? []).flatMap(({ sites }, at) =>
    sites.map(site => [site, at] as const)
  )
  const waves = new Map(places)
  deferLaterWaves(cases, waves)
  const rest = await otherDifferences(cases, judging, run)
  return execution({ cases, joint, waves, rest, first }, judging, run)
}

/** Loads a revision once if it is asked for twice in a row: the merge of a pull request is often the base of the next. */
function keepingLast(load: PermitRun['load']): PermitRun['load'] {
  let last: { readonly base: string | undefined; readonly loaded: Promise<Desired> } | undefined
  return base => {
    if (last === undefined || last.base !== base) last = { base, loaded: load(base) }
    return last.loaded
  }
}

/** Judges one pull request by the policy that its merge found and that of the tip. */
async function judgePull(
  permissions: readonly OpenPermission[],
  { tip, consent }: Judging,
  run: PermitRun
): Promise<{ readonly cases: Case[]; readonly base?: Desired }> {
  const [{ base: revision, merge, pull } = { base: '', merge: '', pull: 0 }] = permissions
  const all = (decision: Decision) => permissions.map(permission => ({ permission, decision }))
  const other = permissions.find(({ base_url }) => base_url !== run.reader.baseUrl)
  if (other) return { cases: all(settled('skipped', `it was planned for ${other.base_url}`)) }
  let base: Desired
  let atMerge: Desired | undefined
  try {
    base = await run.load(revision)
    atMerge = merge === tip ? undefined : await run.load(merge)
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exit.wrongInput) throw error
    return {
      cases: all(settled('skipped', `the files before its merge cannot be read: ${error.message}`))
    }
  }
  const own = consent?.pull === pull ? consent : undefined
  const byWlan = new Map(permissions.map(each => [wlanKey(each.site, each.wlan), each]))
  const verdicts = new Map<OpenPermission, { verdict: Verdict; wlan: DesiredWlan }>()
  const narrow = narrowTo((site, _, each) => {
    const permission = each && byWlan.get(wlanKey(site, each.live))
    if (each === undefined || permission === undefined) return undefined
    const then = fieldsAtBase(base, site.id, each.wlan)
    const merged = atMerge ? fieldsAtBase(atMerge, site.id, each.wlan) : each.wlan.fields
    const verdict = verdictOf(permission, at => factAt(each, at, { base: then, merge: merged }))
    verdicts.set(permission, { verdict, wlan: each.wlan })
    return verdict.is === 'send' ? verdict.pointers : undefined
  })
  const part = compact({ ...base, isWhole: undefined, sites: sitesOf(permissions, base) })
  const options = compact({ ignoreWindows: own?.ignoreWindows })
  const allowances = { ...run.allowances, ...own }
  const request = { parallelism: run.parallelism, narrow, allowances, ...options }
  const made = await makePlan(part, run.reader, request, run.context)
  const waits = await deferralOf(base.calendar, options, run.context.now)
  const unread = new Map((made.plan.unread ?? []).map(site => [site.id.toLowerCase(), site]))
  const refusal = refusalIn(made)
  const cases = permissions.map((permission): Case => {
    const found = verdicts.get(permission)
    const current = { ...permission, address: found?.wlan.address ?? permission.address }
    const as = (decision: Decision) => ({ permission: current, decision })
    if (found === undefined) {
      if (unread.has(permission.site.id.toLowerCase())) {
        return as({ is: 'open', why: 'its site was not read', isFault: true })
      }
      return as(settled('skipped', 'no live WLAN is declared as it was planned any more'))
    }
    const { verdict, wlan } = found
    if (!('pointers' in verdict)) return as(notSent[verdict.is])
    const { pointers } = verdict
    if (verdict.is === 'stale') {
      return as(settled('stale', `${listFirst(pointers, 3)} is no longer as planned`))
    }
    const lacking = pointers.flatMap(at => missingSecret(wlan, at) ?? [])
    if (lacking[0] !== undefined) return as(settled('skipped', `missing secret ${lacking[0]}`))
    if (verdict.is === 'unchanged') return as({ is: 'sent' })
    return { ...decideSend(current, wlan, made, refusal), pointers, waits }
  })
  return { cases, base }
}

function sitesOf(permissions: readonly Pick<OpenPermission, 'site'>[], { sites }: Desired) {
  const ids = new Set(permissions.map(({ site }) => site.id.toLowerCase()))
  return sites.filter(({ id }) => ids.has(id.toLowerCase()))
}

/** What becomes of a permission whose operations the files no longer ask for. */
const notSent = {
  other: settled('unchanged', 'its merge does not change this'),
  overwritten: settled('unchanged', 'a later merge declares another value'),
  part: settled('skipped', 'a later merge declares another value of a part of it')
} satisfies Partial<Record<Verdict['is'], Decision>>

/** The codes that a run by hand may allow: what they refuse waits. */
const liftable: ReadonlySet<string> = new Set([
  'OVER_MAX_CHANGES',
  'OVER_MAX_PERCENT',
  'OVER_MAX_IMPACT',
  'DOWNGRADE_REFUSED'
])

/** What refuses a plan; undefined if nothing does. `isLiftable`: only limits and downgrades, which a run by hand may allow. */
export function refusalIn({ plan, lint }: PlanResult) {
  const errors = [...(plan.refusals ?? []).filter(isError), ...secretRefusals(lint)]
  if (errors.length === 0) return undefined
  const messages = errors.map(({ message }) => message)
  const isLiftable = errors.every(({ code }) => liftable.has(code))
  return { isLiftable, why: listFirst(messages, 3) }
}

/** What depends on the values of secrets is never stored: it becomes a sentence without them. */
function secretRefusals({ secretFindings = [] }: PlanResult['lint']): Finding[] {
  const hint = 'depends on the values of secrets: `wlanctl plan` shows it on a terminal'
  const refusing = secretFindings.filter(isPolicyRefusal)
  return refusing.map(found => ({ ...found, message: `${found.code} ${hint}` }))
}

/** No plan can show the effects of secrets that it could not compare: their references are permitted. */
function effectsToShow({ operations }: OpenPermission, { change, live }: PlannedChange): Effects {
  const unknown = operations.flatMap(({ secrets = {} }) =>
    Object.entries(secrets).filter(([, state]) => state === 'unknown')
  )
  if (unknown.length === 0) return change
  const open = new Map(unknown)
  const patch = change.patch.filter(({ path }) => !open.has(path))
  return effectsOf(patch, live.record, { ...change.secrets, ...Object.fromEntries(open) })
}

/** The reference of a secret at a pointer that this run cannot resolve; undefined if there is none. */
function missingSecret({ fields }: DesiredWlan, at: Pointer): string | undefined {
  const found = [...secretsIn(valueAt(fields, at) ?? null)].find(secret => !secret.known)
  return found && JSON.stringify(found.reference)
}

/** Decides about a permission whose fields have to be sent. */
function decideSend(
  permission: OpenPermission,
  { address }: DesiredWlan,
  { plan, changes, verdicts }: PlanResult,
  refusal: ReturnType<typeof refusalIn>
): Pick<Case, 'permission' | 'decision' | 'change'> {
  const change = changes.find(each => each.address === address)
  if (change === undefined) {
    const verdict = verdicts.find(each => each.address === address)
    const why = verdict?.status === 'blocked' ? verdict.finding.message : 'it cannot be planned'
    return { permission, decision: settled('skipped', why) }
  }
  const deferral = plan.deferred?.find(each => each.address === address)
  const shown = effectsToShow(permission, change)
  const more = escalationReason(shown, [permission.effects], change.live.record)
  const decision = ((): Decision => {
    if (change.desired.protect) return settled('skipped', 'the WLAN is protected')
    if (refusal?.isLiftable) {
      return { is: 'open', why: `refused: ${refusal.why}; a run by hand may allow it` }
    }
    if (refusal) return settled('skipped', `refused: ${refusal.why}`)
    if (more !== undefined) return settled('stale', more)
    if (deferral === undefined) return { is: 'sent' }
    const { until } = deferral
    const why = deferral.freeze ? `the freeze: ${deferral.freeze}` : 'its window'
    return { is: 'open', why: `waits for ${why}`, ...compact({ until }) }
  })()
  return { permission, decision, change }
}

/** After a wave of a pull request that waits, its later waves wait, too: they must not start before their canary. */
function deferLaterWaves(cases: readonly Case[], waves: ReadonlyMap<string, number>): void {
  const waveOf = ({ permission }: Case) => waves.get(permission.site.name) ?? 0
  for (const own of groupBy(cases, ({ permission }) => permission.pull).values()) {
    const firstHeld = lowest(own.filter(({ decision }) => decision.is === 'open').map(waveOf))
    for (const each of own) {
      if (each.decision.is !== 'sent' || waveOf(each) <= firstHeld) continue
      each.decision = { is: 'open', why: 'an earlier wave of its pull request waits' }
    }
  }
}

/** One plan of all that is sent, judged as it leaves each WLAN. Takes out what the pull requests make dangerous together. */
async function jointPlan(
  cases: readonly Case[],
  tip: Desired,
  first: Desired,
  run: PermitRun
): Promise<PlanResult> {
  const { policy, managed, findings, rules, waivers } = tip
  const ofTip = { policy, managed, findings, rules, waivers }
  const none = { waiversAtBase: undefined, calendar: undefined, isWhole: undefined }
  const { parallelism, reader, context } = run
  for (;;) {
    const sent = cases.filter(({ decision, change }) => decision.is === 'sent' && change)
    const byWlan = groupBy(sent, ({ permission }) => wlanKey(permission.site, permission.wlan))
    const sites = sitesOf(
      sent.map(({ permission }) => permission),
      first
    )
    const judged = compact({ ...first, ...ofTip, ...none, sites })
    const allowances: Allowances = { maxChanges: 'all', allowDowngrade: ['*'] }
    const narrow = narrowTo((site, _, seen) => {
      const own = seen && byWlan.get(wlanKey(site, seen.live))
      return own?.flatMap(({ pointers = [] }) => pointers)
    })
    const request = { parallelism, narrow, allowances }
    const made = await makePlan(judged, reader, request, context)
    const dangers = dangersIn(made, byWlan)
    if (dangers.size === 0) return made
    for (const [each, why] of dangers) each.decision = settled('skipped', why)
  }
}

/** What the pull requests make dangerous together: broken rules, and effects that none of them has alone. */
function dangersIn(
  { plan, changes, lint }: PlanResult,
  byWlan: ReadonlyMap<string, readonly Case[]>
): ReadonlyMap<Case, string> {
  const dangers = new Map<Case, string>()
  const refusals = [...plan.findings.filter(isPolicyRefusal), ...secretRefusals(lint)]
  for (const { message, address, addresses } of refusals) {
    const named = addresses ?? (address === undefined ? undefined : [address])
    for (const each of [...byWlan.values()].flat()) {
      if (named === undefined || named.some(at => at.startsWith(each.permission.address))) {
        dangers.set(each, `refused together with other pull requests: ${message}`)
      }
    }
  }
  for (const { change, live } of changes) {
    const own = byWlan.get(wlanKey(change.site, change.wlan)) ?? []
    const alone = own.flatMap(each => (each.change ? each.change.change : []))
    const more = own.length > 1 ? escalationReason(change, alone, live.record) : undefined
    if (more === undefined) continue
    for (const each of own) dangers.set(each, `together with other pull requests, ${more}`)
  }
  return dangers
}

interface Difference {
  readonly address: string
  readonly isSince: boolean
}

/** The WLANs that differ apart from the permissions: since the run before, or by drift. Reads sites that changed since. */
async function otherDifferences(
  cases: readonly Case[],
  { since, tip, candidates }: Judging,
  run: PermitRun
): Promise<readonly Difference[]> {
  const fleet = await run.load(since === tip ? undefined : since)
  const known = groupBy(cases, ({ permission }) => wlanKey(permission.site, permission.wlan))
  const own = new Set(sitesOf(candidates, fleet))
  const sites = fleet.sites.filter(site => own.has(site) || (site.sinceBase?.wlans.size ?? 0) > 0)
  const visit = (site: Desired['sites'][number], live: LiveSite | UnreadSite): Difference[] => {
    if (!('wlans' in live)) return []
    const seen = seenWlans(site, live)
    const changedAt = (key: string) => site.sinceBase?.wlans.get(key)?.changed ?? []
    const missing = site.wlans.filter(
      wlan =>
        !wlan.excluded && changedAt(wlan.key).length > 0 && !seen.some(each => each.wlan === wlan)
    )
    const differing = seen.flatMap(({ wlan, differing: paths, live: found }) => {
      const permitted = (known.get(wlanKey(site, found)) ?? []).flatMap(
        ({ permission }) => permission.operations
      )
      const rest = paths.filter(path => !permitted.some(({ pointer }) => overlap(pointer, path)))
      const isSince = rest.some(path => changedAt(wlan.key).some(at => overlap(at, path)))
      return rest.length === 0 ? [] : { address: wlan.address, isSince }
    })
    const gone = missing.map(({ address }) => ({ address, isSince: true }))
    return [...differing, ...gone]
  }
  const { parallelism, reader, context } = run
  return (await readSitesAsTask(reader, sites, { parallelism, visit }, context)).flat()
}

interface Parts {
  readonly cases: readonly Case[]
  readonly joint: PlanResult
  readonly waves: ReadonlyMap<string, number>
  readonly rest: readonly Difference[]
  /** The files before the oldest merge, whose waves hold. */
  readonly first: Desired
}

/** The plan to execute, which reports what happens to the waves and changes. */
function execution(
  { cases, joint, waves, rest, first }: Parts,
  { beforeWave, candidates }: Judging,
  { check, context }: PermitRun
): Judged {
  const decided = cases.map(({ permission, decision }) => ({
    ...{ permission, decision },
    wave: waves.get(permission.site.name) ?? 0
  }))
  const sent = decided.filter(({ decision }) => decision.is === 'sent')
  const own = decidedOutcomes(decided, rest)
  const changing = new Set(joint.changes.map(({ address }) => address))
  const outcomes = new Map<string, Outcome>()
  const done = { passed: new Set<number>(), failed: new Set<number>(), begun: new Set<number>() }
  const obstacles = own.filter(({ status }) => status === 'stale')
  const approved = { changes: joint.changes, kept: [], decided: obstacles }
  const part = { ...first, sites: sitesOf(candidates, first) }
  const rollout = planRollout(part, { verdicts: [] }, approved, { check }, context)
  const placeOf = (wave: { readonly sites: readonly { readonly name: string }[] }) =>
    waves.get(wave.sites[0]?.name ?? '') ?? 0
  const busy = new Set(sent.map(({ wave }) => wave))
  const hooks: RolloutHooks = {
    ...rollout.hooks,
    async before(wave) {
      await beforeWave()
      if (!context.interrupted.aborted) done.begun.add(placeOf(wave))
    },
    async check(wave) {
      const problem = await rollout.hooks.check(wave)
      done[problem === undefined ? 'passed' : 'failed'].add(placeOf(wave))
      return problem
    }
  }
  const byAddress = new Map(own.map(each => [each.address, each]))
  const plan: PermittedPlan = {
    command: 'apply',
    ...joint,
    kept: [],
    decided: own.filter(({ address }) => !changing.has(address)),
    ...{ policy: first.policy, managed: first.managed, hooks },
    waves: rollout.waves.map(wave =>
      busy.has(placeOf(wave)) ? { ...wave, isRechecked: true as const } : wave
    ),
    deferral: deferralFor(cases),
    annotate(each) {
      outcomes.set(each.address, each)
      return worse(each, byAddress.get(each.address))
    }
  }
  return {
    plan,
    decided,
    drift: rest.filter(({ isSince }) => !isSince).map(({ address }) => address),
    unplanned: rest.filter(({ isSince }) => isSince).map(({ address }) => address),
    execution: { ...done, outcomes, inWaves: first.rollout !== undefined }
  }
}

/** The worst first. */
const ranks: readonly Status[] = [
  ...(['diverged', 'failed', 'stale', 'unknown', 'skipped'] as const),
  ...(['deferred', 'applied', 'unchanged'] as const)
]

function worse(one: Outcome, other: Outcome | undefined): Outcome {
  return other && ranks.indexOf(other.status) < ranks.indexOf(one.status) ? other : one
}

const UNPLANNED = 'no plan of a merged pull request permits this change'
const DRIFT = 'no merge changed it since the run before: the drift check reports it'

/** One outcome for each WLAN that is not sent, the worst of its pull requests. */
function decidedOutcomes(decided: readonly Decided[], rest: readonly Difference[]): Outcome[] {
  const all = decided.flatMap(({ permission, decision }) => {
    const { pull } = permission
    if (decision.is === 'sent') return outcome(permission, 'unchanged')
    const reason = `#${pull}: ${decision.why}`
    if (decision.is === 'settled') return outcome(permission, decision.status, { reason })
    return outcome(permission, 'deferred', { reason, ...compact({ until: decision.until }) })
  })
  const others = rest.map(({ address, isSince }) =>
    outcome({ address }, 'skipped', { reason: isSince ? UNPLANNED : DRIFT })
  )
  const groups = groupBy([...all, ...others], ({ address }) => address)
  return [...groups.values()].map(group => group.reduce((one, other) => worse(one, other)))
}

/** Asks the calendars of the pull requests that change a WLAN. */
function deferralFor(cases: readonly Case[]): DeferralCheck {
  const sent = cases.filter(({ decision }) => decision.is === 'sent')
  const byWlan = groupBy(sent, ({ permission }) => permission.address)
  return change => {
    for (const { waits } of byWlan.get(change.address) ?? []) {
      const wait = waits?.(change)
      if (wait !== undefined) return wait
    }
    return undefined
  }
}

/** A reader that lists each site once. */
function cachedReader(reader: Reader): Reader {
  const lists = new Map<string, Promise<LiveSite>>()
  const listWlans: Reader['listWlans'] = site => {
    const known = lists.get(site.id) ?? reader.listWlans(site)
    lists.set(site.id, known)
    // The site may have another name in another load of the fleet.
    return known.then(({ wlans }) => ({ site, wlans }))
  }
  return Object.assign(Object.create(reader), { listWlans })
}

import type { Desired, DesiredSite, DesiredWlan } from '../core/model/desired.ts'
import { exit, Failure } from '../core/model/failure.ts'
import { type Finding, isError } from '../core/model/finding.ts'
import type { LiveSite, UnreadSite } from '../core/model/live.ts'
import { changeKey, type PlannedChange } from '../core/model/plan.ts'
import { isPolicyRefusal } from '../core/model/refusals.ts'
import { effectsShown, escalationReason } from '../core/plan/effects/escalation.ts'
import type { Allowances } from '../core/plan/guards.ts'
import { append, compact, groupBy, groupsBy, lowest } from '../core/values/collections.ts'
import { overlap, type Pointer } from '../core/values/pointer.ts'
import { nameOfSecret } from '../core/values/secret.ts'
import { listFirst } from '../core/values/text.ts'
import { secretsIn, valueAt } from '../core/values/value.ts'
import { deferralOf } from '../fleet/time/plan-times.ts'
import type { RunContext } from '../run/context.ts'
import { makePlan, type PlanRequest, type PlanResult } from '../run/make-plan.ts'
import { readSitesAsTask } from '../run/read-sites.ts'
import type { RolloutHooks } from '../run/rollout.ts'
import type { Reader } from '../service/client.ts'
import { changedAt, factAt, fieldsAtBase, narrowTo, seenWlans } from './facts.ts'
import {
  type Case,
  type End,
  isOpen,
  type OpenPermission,
  open,
  settled,
  verdictOf
} from './permissions.ts'
import {
  type Difference,
  type Permitted,
  type PermittedPlan,
  permittedPlan,
  type WaveOf,
  waveIn
} from './permitted-plan.ts'

export interface PermitRun {
  /** The fleet of the tip, compared with a base if one is given. Throws a `Failure` if either cannot be read. */
  readonly load: (base?: string) => Promise<Desired>
  readonly reader: Reader
  readonly parallelism: number
  readonly allowances: Allowances
  readonly context: RunContext
  readonly check: RolloutHooks['check'] | undefined
}

export interface CiHooks {
  readonly narrow?: Parameters<typeof makePlan>[2]['narrow']
  readonly planned?: (made: PlanResult) => void
  /** For `plan`: the command that may allow what it refuses. */
  readonly allowing?: string
  readonly reported?: (headline: string) => void
  /** Called with the message of the error that ends the command; it may contain untrusted text, escaped. */
  readonly failed?: (message: string) => void
  /** For `apply`: what to execute, in place of the approval by saved plans. */
  readonly permit?: (run: PermitRun) => Promise<PermittedPlan>
}

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
  readonly beforeWave: () => Promise<void>
}

interface JudgedCase extends Case {
  end?: End | undefined
  /** The fields that are not live yet. */
  readonly pointers?: readonly Pointer[]
  readonly change?: PlannedChange | undefined
}

const isSent = ({ end }: Case) => end === undefined

function toSend(each: JudgedCase): readonly Pointer[] | undefined {
  return isSent(each) && each.pointers?.length ? each.pointers : undefined
}

/** Judges each pull request alone, and makes one plan of what they permit. */
export async function judge(judging: Judging, given: PermitRun): Promise<Permitted> {
  const { candidates, beforeWave } = judging
  const tip = await given.load()
  const load = keepingLast(async base => (base === judging.tip ? tip : given.load(base)))
  const run = { ...given, reader: cachedReader(given.reader), load }
  const cases: JudgedCase[] = []
  // The files before the oldest merge, whose waves hold.
  let first: Desired | undefined
  for (const permissions of groupsBy(candidates, ({ pull }) => pull)) {
    const files = await filesOf(permissions, run)
    if ('status' in files) {
      for (const permission of permissions) cases.push({ permission, wave: 0, end: files })
      continue
    }
    first ??= files.base
    append(cases, await judgePull(permissions, files, waveIn(first), judging, run))
  }
  first ??= tip
  const plan = await jointPlan(cases, tip, first, run)
  const rest = await otherDifferences(cases, judging, run)
  const files = { ...first, sites: sitesOf(candidates, first) }
  return permittedPlan({ cases, rest }, plan, files, { ...run, beforeWave })
}

/** Loads a revision once if it is asked for twice in a row: the merge of a pull request is often the base of the next. */
function keepingLast(load: PermitRun['load']): PermitRun['load'] {
  let last: { readonly base: string | undefined; readonly loaded: Promise<Desired> } | undefined
  return base => {
    if (last === undefined || last.base !== base) last = { base, loaded: load(base) }
    return last.loaded
  }
}

interface Files {
  readonly base: Desired
  readonly merge: Desired
}

async function filesOf(
  permissions: readonly OpenPermission[],
  { load, reader }: PermitRun
): Promise<Files | End> {
  const other = permissions.find(each => each.base_url !== reader.baseUrl)
  if (other) return settled('skipped', `it was planned for ${other.base_url}`)
  const [{ base, merge } = { base: '', merge: '' }] = permissions
  try {
    return { base: await load(base), merge: await load(merge) }
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exit.wrongInput) throw error
    return settled('skipped', `the files before its merge cannot be read: ${error.message}`)
  }
}

/** Judges one pull request by the policy that its merge found and that of the tip. */
async function judgePull(
  permissions: readonly OpenPermission[],
  { base, merge }: Files,
  waveOf: WaveOf,
  { consent }: Judging,
  run: PermitRun
): Promise<readonly JudgedCase[]> {
  const cases = new Map(
    permissions.map((permission): [string, JudgedCase] => {
      return [changeKey(permission), { permission, wave: waveOf(permission.site), end: GONE }]
    })
  )
  const choose: Choose = (site, wlan, seen) => {
    const key = seen && changeKey({ site, wlan: seen.live })
    const known = key && cases.get(key)
    if (!known) return undefined
    const [before, merged] = [base, merge].map(files => fieldsAtBase(files, site.id, wlan))
    const verdict = verdictOf(known.permission, at => factAt(seen, at, before, merged))
    const permission = { ...known.permission, address: wlan.address }
    const judged: JudgedCase = {
      ...{ permission, wave: waveOf(site) },
      ...('status' in verdict
        ? { end: verdict }
        : {
            pointers: verdict.isLive ? [] : verdict.pointers,
            end: endWithoutSecret(wlan, verdict.pointers)
          })
    }
    cases.set(key, judged)
    return toSend(judged)
  }
  const own = consent?.pull === permissions[0]?.pull ? consent : undefined
  const options = compact({ ignoreWindows: own?.ignoreWindows })
  const allowances = { ...run.allowances, ...own }
  const made = await planOf(base, permissions, { allowances, ...options }, choose, run)
  const waits = await deferralOf(base.calendar, options, run.context.now)
  const unread = new Set(made.plan.sites.filter(site => site.unread !== undefined).map(idOf))
  const judged = [...cases.values()].map((each): JudgedCase => {
    if (unread.has(idOf(each.permission.site))) return { ...each, end: UNREAD }
    if (toSend(each) === undefined) return each
    const change = made.changes.find(({ address }) => address === each.permission.address)
    return { ...each, waits, change, end: endOfSend(each.permission, change, made) }
  })
  // After a wave that waits, later waves wait, too: they must not start before their canary.
  const waiting = judged.filter(({ end }) => end && isOpen(end))
  const firstHeld = lowest(waiting.map(({ wave }) => wave))
  const held = open('an earlier wave of its pull request waits')
  return judged.map(each => (isSent(each) && each.wave > firstHeld ? { ...each, end: held } : each))
}

const UNREAD = open('its site was not read', { isFault: true })
const GONE = settled('skipped', 'no live WLAN is declared as it was planned any more')

type Choose = Parameters<typeof narrowTo>[0]

function planOf(
  files: Desired,
  permissions: readonly OpenPermission[],
  options: Pick<PlanRequest, 'allowances' | 'ignoreWindows'>,
  choose: Choose,
  { reader, parallelism, context }: PermitRun
): Promise<PlanResult> {
  const part = compact({ ...files, isWhole: undefined, sites: sitesOf(permissions, files) })
  return makePlan(part, reader, { parallelism, narrow: narrowTo(choose), ...options }, context)
}

function sitesOf(permissions: readonly Pick<OpenPermission, 'site'>[], { sites }: Desired) {
  const ids = new Set(permissions.map(({ site }) => idOf(site)))
  return sites.filter(site => ids.has(idOf(site)))
}

const idOf = ({ id }: { readonly id: string }) => id.toLowerCase()

/** The end of what has a reference of a secret that this run cannot resolve; undefined if it has none. */
function endWithoutSecret(wlan: DesiredWlan, pointers: readonly Pointer[]): End | undefined {
  const values = pointers.map(at => valueAt(wlan.fields, at) ?? null)
  const lacking = values.flatMap(value => [...secretsIn(value)]).find(({ known }) => !known)
  return lacking && settled('skipped', `missing secret ${nameOfSecret(lacking)}`)
}

/** The codes that a run by hand may allow: what they refuse waits. */
const liftable: ReadonlySet<string> = new Set([
  'OVER_MAX_CHANGES',
  'OVER_MAX_PERCENT',
  'OVER_MAX_IMPACT',
  'DOWNGRADE_REFUSED'
])

/** What refuses a plan; undefined if nothing does. `isLiftable`: only limits and downgrades, which a run by hand may allow. */
export function refusalIn({ plan, lint }: Pick<PlanResult, 'plan' | 'lint'>) {
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

function endOfSend(
  permission: OpenPermission,
  change: PlannedChange | undefined,
  made: PlanResult
): End | undefined {
  const isOwn = ({ address }: { readonly address: string }) => address === permission.address
  if (change === undefined) {
    const wlanPlan = made.planned.flatMap(site => site.wlanPlans).find(isOwn)
    const isBlocked = wlanPlan?.status === 'blocked'
    return settled('skipped', isBlocked ? wlanPlan.finding.message : 'it cannot be planned')
  }
  if (change.desired.protect) return settled('skipped', 'the WLAN is protected')
  const refusal = refusalIn(made)
  if (refusal?.isLiftable) return open(`refused: ${refusal.why}; a run by hand may allow it`)
  if (refusal) return settled('skipped', `refused: ${refusal.why}`)
  const unknown = permission.operations.flatMap(({ secrets = {} }) =>
    Object.keys(secrets).filter(at => secrets[at] === 'unknown')
  )
  const shown = effectsShown(change, unknown, path => unknown.includes(path))
  const more = escalationReason(shown, [permission.effects], change.live.record)
  if (more !== undefined) return settled('stale', more)
  const deferral = made.plan.deferred?.find(isOwn)
  if (deferral === undefined) return undefined
  const { until, freeze } = deferral
  return open(`waits for ${freeze ? `the freeze: ${freeze}` : 'its window'}`, { until })
}

/** One plan of all that is sent, judged as it leaves each WLAN. Takes out what the pull requests make dangerous together. */
async function jointPlan(
  cases: readonly JudgedCase[],
  tip: Desired,
  first: Desired,
  run: PermitRun
): Promise<PlanResult> {
  const { policy, managed, findings, rules, waivers } = tip
  const ofTip = { policy, managed, findings, rules, waivers }
  const files = compact({ ...first, ...ofTip, waiversAtBase: undefined, calendar: undefined })
  const allowances: Allowances = { maxChanges: 'all', allowDowngrade: ['*'] }
  for (;;) {
    const sent = cases.filter(each => toSend(each) !== undefined)
    const byWlan = groupBy(sent, ({ permission }) => changeKey(permission))
    const choose: Choose = (site, _, seen) => {
      const own = seen && byWlan.get(changeKey({ site, wlan: seen.live }))
      return own?.flatMap(each => toSend(each) ?? [])
    }
    const permissions = sent.map(({ permission }) => permission)
    const made = await planOf(files, permissions, { allowances }, choose, run)
    const dangers = dangersIn(made, sent)
    if (dangers.size === 0) return made
    for (const [each, why] of dangers) each.end = settled('skipped', why)
  }
}

/** What the pull requests make dangerous together: broken rules, and effects that none of them has alone. */
function dangersIn(
  { plan, changes, lint }: PlanResult,
  sent: readonly JudgedCase[]
): ReadonlyMap<JudgedCase, string> {
  const dangers = new Map<JudgedCase, string>()
  const refusals = [...plan.findings.filter(isPolicyRefusal), ...secretRefusals(lint)]
  for (const { message, address, addresses } of refusals) {
    const named = addresses ?? (address === undefined ? undefined : [address])
    for (const each of sent) {
      if (named === undefined || named.includes(each.permission.address)) {
        dangers.set(each, `refused together with other pull requests: ${message}`)
      }
    }
  }
  for (const { change, live } of changes) {
    const own = sent.filter(({ permission }) => permission.address === change.address)
    const alone = own.flatMap(each => (each.change ? each.change.change : []))
    const more = own.length > 1 ? escalationReason(change, alone, live.record) : undefined
    if (more === undefined) continue
    for (const each of own) dangers.set(each, `together with other pull requests, ${more}`)
  }
  return dangers
}

/** The WLANs that differ apart from the permissions: since the run before, or by drift. Reads sites that changed since. */
async function otherDifferences(
  cases: readonly JudgedCase[],
  { since, candidates }: Judging,
  { load, parallelism, reader, context }: PermitRun
): Promise<readonly Difference[]> {
  const fleet = await load(since)
  const known = groupBy(cases, ({ permission }) => changeKey(permission))
  const own = new Set(sitesOf(candidates, fleet))
  const sites = fleet.sites.filter(site => own.has(site) || (site.sinceBase?.wlans.size ?? 0) > 0)
  const visit = (site: DesiredSite, live: LiveSite | UnreadSite): Difference[] => {
    if (!('wlans' in live)) return []
    const seen = seenWlans(site, live)
    return site.wlans.flatMap(wlan => {
      if (wlan.excluded) return []
      const { address } = wlan
      const changed = changedAt(site, wlan)
      const found = seen.get(wlan)
      if (found === undefined) return changed.length > 0 ? { address, isSince: true } : []
      const permitted = known.get(changeKey({ site, wlan: found.live })) ?? []
      const pointers = permitted.flatMap(({ permission }) => permission.operations)
      const rest = found.differing.filter(
        path => !pointers.some(({ pointer }) => overlap(pointer, path))
      )
      const isSince = rest.some(path => changed.some(at => overlap(at, path)))
      return rest.length === 0 ? [] : { address, isSince }
    })
  }
  return (await readSitesAsTask(reader, sites, { parallelism, visit }, context)).flat()
}

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

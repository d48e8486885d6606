import type { Desired, Site } from '../core/model/desired.ts'
import type { Finding } from '../core/model/finding.ts'
import type { EarlierReport, EarlierSite, LiveSite } from '../core/model/live.ts'
import { type Change, changeKey, type Plan } from '../core/model/plan.ts'
import { planSite } from '../core/plan/plan.ts'
import { byCodeUnit, compact, sortBy } from '../core/values/collections.ts'
import { above, type Pointer } from '../core/values/pointer.ts'
import { refuseOtherService, type SavedForm } from './saved-file.ts'
import { intactPlan } from './saved-plan.ts'
import { intactSnapshot, type Snapshot, sitesIn, snapshotForm } from './snapshot.ts'

/** The differences that an earlier run found. */
export interface Evidence {
  /** The time at which the service was read, UTC. */
  readonly created: string
  readonly changes: readonly Change[]
  /** True if the file contains the time since which changes differ; a snapshot does not. */
  readonly isDated: boolean
  hasRead(siteId: string): boolean
  /** The live state of a site, from a snapshot; undefined for an unread site and for a plan. */
  stateOf(site: Site): LiveSite | undefined
  /** For `EarlierReport`; absent for a file that does not list what every site breaks. */
  readonly reports?: EarlierReport['reports']
}

/**
 * The differences in a file of an earlier run: a saved plan, such as the JSON report of `drift`, or a
 * snapshot, which is compared with the current declarations. Throws a `Failure` (exit 3) for any other file,
 * and for a file about another service. `name` is the name of the file, for messages.
 */
export function evidenceOf(
  { form, value }: { readonly form: SavedForm; readonly value: unknown },
  name: string,
  { desired, baseUrl, tool }: EvidenceContext
): Evidence {
  const saved = form === snapshotForm ? intactSnapshot(value, name) : intactPlan(value, name)
  const hint = 'give a file of an earlier run on this service'
  refuseOtherService(name, saved.base_url, baseUrl, hint)
  if ('sites' in saved) return evidenceIn(saved, desired)
  const created = saved.against?.created ?? saved.created
  const unread = new Set(saved.unread?.map(({ id }) => id.toLowerCase()))
  const hasRead = (siteId: string) => !unread.has(siteId.toLowerCase())
  const { changes } = saved
  // A plan lists the findings of changed sites only, and another version may have other rules.
  const isComparable = saved.command === 'drift' && saved.tool === tool
  const reports = isComparable ? reportsOf(saved.findings) : undefined
  const stateOf = () => undefined
  return { created, changes, isDated: true, hasRead, stateOf, ...compact({ reports }) }
}

/** The run that uses the evidence. */
export interface EvidenceContext {
  readonly desired: Desired
  readonly baseUrl: string
  /** The name and version of the program. */
  readonly tool: string
}

/** A finding that does not list all of its WLANs counts for every WLAN. */
function reportsOf(findings: readonly Finding[]): EarlierReport['reports'] {
  const known = new Map<string, Set<string> | 'all'>()
  for (const { rule, address, addresses = [], more } of findings) {
    const listed = rule === undefined ? 'all' : (known.get(rule) ?? new Set())
    if (rule === undefined || listed === 'all') continue
    for (const each of [...addresses, ...(address === undefined ? [] : [address])]) listed.add(each)
    known.set(rule, more === undefined ? listed : 'all')
  }
  return (rule, address) => {
    const listed = known.get(rule)
    return listed === 'all' || listed?.has(address) === true
  }
}

/** What the newest evidence that covers a site says of it; undefined if it says nothing. */
export function earlierSite(newestFirst: readonly Evidence[], site: Site): EarlierSite | undefined {
  const newest = newestFirst.find(({ hasRead }) => hasRead(site.id))
  if (newest === undefined) return undefined
  const { created, reports } = newest
  const live = newest.stateOf(site)
  if (live !== undefined) return { created, live }
  return reports && { created, reports }
}

function evidenceIn(snapshot: Snapshot, { sites }: Desired): Evidence {
  const read = sitesIn(snapshot)
  const changes = sites.flatMap(site => {
    const live = read(site)
    const wlanPlans = 'wlans' in live ? planSite(site, live).wlanPlans : []
    return wlanPlans.flatMap(wlanPlan => (wlanPlan.status === 'changed' ? wlanPlan.change : []))
  })
  const stateOf = (site: Site) => {
    const live = read(site)
    return 'wlans' in live ? live : undefined
  }
  const stored = new Set(snapshot.sites.map(({ id }) => id.toLowerCase()))
  const hasRead = (siteId: string) => stored.has(siteId.toLowerCase())
  return { created: snapshot.created, changes, isDated: false, hasRead, stateOf }
}

/**
 * Adds the age of each difference to the plan. The newest run that read a site provides its evidence: a field
 * that already differed then has differed since that run, or since the time in its evidence, which for a
 * snapshot comes from earlier runs; any other field differs since this plan.
 */
export function datePlan(plan: Plan, evidence: Evidence, ...older: readonly Evidence[]): Plan {
  const runs: KnownRun[] = []
  for (const run of sortBy([evidence, ...older], ({ created }) => created)) {
    const changes = run.isDated ? run.changes : run.changes.map(change => dateBy(runs, change))
    runs.unshift({ ...run, byKey: new Map(changes.map(change => [changeKey(change), change])) })
  }
  const [{ created: since } = evidence] = runs
  const dated = plan.changes.map(change => dateBy(runs, change))
  const newFields = dated.flatMap(({ first_seen = {}, ...change }) =>
    fieldsOf(change).filter(path => !Object.hasOwn(first_seen, path))
  )
  const { format, tool, created, base_url, against, ...rest } = plan
  return {
    format,
    tool,
    created,
    base_url,
    ...(against && { against }),
    since: { created: since, new_fields: newFields.length },
    ...rest,
    changes: dated
  }
}

interface KnownRun extends Evidence {
  /** Its changes with dates. */
  readonly byKey: ReadonlyMap<string, Change>
}

/** Dates a change by the newest run that read its site; `runs` are sorted from the newest to the oldest. */
function dateBy(runs: readonly KnownRun[], change: Change): Change {
  const run = runs.find(({ hasRead }) => hasRead(change.site.id))
  return dateChange(change, run?.byKey.get(changeKey(change)), run?.created ?? '')
}

function dateChange(change: Change, earlier: Change | undefined, created: string): Change {
  if (earlier === undefined) return change
  const times = new Map<Pointer, string>()
  const oldest = new Map<Pointer, string>()
  for (const path of fieldsOf(earlier)) {
    const time = earlier.first_seen?.[path] ?? created
    times.set(path, time)
    for (const at of [...above(path), path]) oldest.set(at, older(oldest.get(at), time))
  }
  const entries = fieldsOf(change).flatMap(path => {
    const inherited = above(path).flatMap(at => times.get(at) ?? [])
    const [time] = [...inherited, ...(oldest.has(path) ? [oldest.get(path) ?? ''] : [])].sort(
      byCodeUnit
    )
    return time === undefined ? [] : [[path, time] as const]
  })
  return entries.length === 0 ? change : { ...change, first_seen: Object.fromEntries(entries) }
}

function older(a: string | undefined, b: string): string {
  return a !== undefined && a < b ? a : b
}

function fieldsOf({ patch }: Pick<Change, 'patch'>): Pointer[] {
  return patch.filter(({ op }) => op !== 'test').map(({ path }) => path)
}

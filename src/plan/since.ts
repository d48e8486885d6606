import { byCodeUnit } from '../model/collections.ts'
import type { Desired } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import type { Change, Plan } from '../model/plan.ts'
import { above, type Pointer } from '../model/pointer.ts'
import { intactPlan } from './file.ts'
import { planSite } from './plan.ts'
import type { SavedForm } from './saved.ts'
import { intactSnapshot, type Snapshot, sitesIn, snapshotForm } from './snapshot.ts'

/** What there was to mend at an earlier time. */
export interface Evidence {
  /** When the service was read, UTC. */
  readonly created: string
  readonly changes: readonly Change[]
}

/**
 * Takes what an earlier run left, that is a saved plan, such as the JSON report of `drift`, or a snapshot, which
 * is held against what is declared now. Throws a `Failure` (exit 3) for anything else, and for what
 * another service had. `name` is the file's, for the message.
 */
export function evidenceOf(
  { form, value }: { readonly form: SavedForm; readonly value: unknown },
  name: string,
  { desired, baseUrl }: { readonly desired: Desired; readonly baseUrl: string }
): Evidence {
  const saved = form === snapshotForm ? intactSnapshot(value, name) : intactPlan(value, name)
  if (saved.base_url !== baseUrl) {
    throw new Failure(
      exit.wrongInput,
      `${name} is about ${saved.base_url}, and this run is for ${baseUrl}`,
      'give what an earlier run on this service left'
    )
  }
  if ('sites' in saved) return evidenceIn(saved, desired)
  return { created: saved.against?.created ?? saved.created, changes: saved.changes }
}

function evidenceIn(snapshot: Snapshot, { sites }: Desired): Evidence {
  const read = sitesIn(snapshot)
  const changes = sites.flatMap(site => {
    const live = read(site)
    const verdicts = 'wlans' in live ? planSite(site, live).verdicts : []
    return verdicts.flatMap(verdict => (verdict.status === 'changed' ? verdict.change : []))
  })
  return { created: snapshot.created, changes }
}

/**
 * The plan with what is known of the age of each difference. A field that differed then is known to
 * differ since then, or since the evidence of that time says; any other differs as of this plan.
 */
export function datePlan(plan: Plan, evidence: Evidence): Plan {
  const earlier = new Map(evidence.changes.map(change => [keyOf(change), change]))
  const dated = plan.changes.map(change =>
    dateChange(change, earlier.get(keyOf(change)), evidence.created)
  )
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
    since: { created: evidence.created, new_fields: newFields.length },
    ...rest,
    changes: dated
  }
}

function dateChange(change: Change, earlier: Change | undefined, created: string): Change {
  if (earlier === undefined) return change
  const times = new Map<Pointer, string>()
  /** The oldest time of all that is at a place or below it. */
  const oldest = new Map<Pointer, string>()
  for (const path of fieldsOf(earlier)) {
    const time = earlier.first_seen?.[path] ?? created
    times.set(path, time)
    for (const at of [...above(path), path]) oldest.set(at, older(oldest.get(at), time))
  }
  const entries = fieldsOf(change).flatMap(path => {
    const held = above(path).flatMap(at => times.get(at) ?? [])
    const [time] = [...held, ...(oldest.has(path) ? [oldest.get(path) ?? ''] : [])].sort(byCodeUnit)
    return time === undefined ? [] : [[path, time] as const]
  })
  return entries.length === 0 ? change : { ...change, first_seen: Object.fromEntries(entries) }
}

function older(a: string | undefined, b: string): string {
  return a !== undefined && a < b ? a : b
}

/** The fields that a change would mend. */
function fieldsOf({ patch }: Pick<Change, 'patch'>): Pointer[] {
  return patch.filter(({ op }) => op !== 'test').map(({ path }) => path)
}

function keyOf({ site, wlan }: Change): string {
  return `${site.id}/${wlan.id}`.toLowerCase()
}

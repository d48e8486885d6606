import { validateOutcomes } from '#forms'
import type { Part } from '../core/model/desired.ts'
import { wrongInput } from '../core/model/failure.ts'
import { byDanger, byPlace } from '../core/model/finding.ts'
import type { OutcomesData } from '../core/model/outcome.ts'
import { countUnwatched, type Plan, type PlanSummary, timedParts } from '../core/model/plan.ts'
import { fileLimits } from '../core/model/saved-file-limits.ts'
import { parseShard, type Shard } from '../core/model/shard.ts'
import { withDigests } from '../core/plan/digest.ts'
import { mergeRollouts } from '../core/plan/planned-waves.ts'
import { unwatchedParts } from '../core/plan/undeclared/undeclared.ts'
import { byCodeUnit, compact, sortBy } from '../core/values/collections.ts'
import { listFirst, plural } from '../core/values/text.ts'
import type { SavedForm } from './saved-file.ts'
import { assembleSnapshot, type Snapshot } from './snapshot.ts'

export interface Piece<Whole> {
  readonly name: string
  readonly value: Whole
}

/**
 * Merges the plans of all shards of a fleet: their lists one after the other, sorted, and the sums of their counts. Nothing
 * is judged again. Throws a `Failure` (exit 3) if the files are not the shards of one run.
 */
export function mergePlans(pieces: readonly Piece<Plan>[]): Plan {
  checkShards(pieces)
  const [{ value: first } = { value: undefined }] = pieces
  if (first?.shard === undefined && first !== undefined) return first
  checkSame(pieces, 'service', plan => plan.base_url)
  checkSame(pieces, 'program', plan => plan.tool)
  checkSame(pieces, 'commit', ({ commit = 'none' }) => commit)
  checkSame(pieces, 'command', ({ command }) => command ?? 'plan')
  checkSame(pieces, 'snapshot', ({ against }) => against?.digest ?? 'none')
  checkSame(pieces, 'policy', ({ policy_digest }) => policy_digest ?? 'none')
  checkSame(pieces, 'time', ({ at }) => at ?? 'now')
  checkSame(pieces, 'rollout', ({ rollout }) =>
    JSON.stringify(rollout?.flatMap(({ name }) => name ?? []) ?? null)
  )
  checkOnce(pieces, ({ sites }) => sites.map(({ id, name }) => [id.toLowerCase(), name]))
  const plans = sortBy(
    pieces.map(({ value }) => value),
    ({ shard = '' }) => shard
  )
  const { format, tool, command, commit, base_url, against, policy_digest, ignored_files } =
    plans[0] as Plan
  const joined = <Item>(
    listOf: (plan: Plan) => readonly Item[] | undefined,
    by: (item: Item) => string
  ) =>
    sortBy(
      plans.flatMap(plan => listOf(plan) ?? []),
      by
    )
  const address = (about: { readonly address: string }) => about.address
  const site = (about: { readonly site: string }) => about.site
  const changes = joined(plan => plan.changes, address)
  const deferred = joined(plan => plan.deferred, address)
  const findings = distinct(plans.flatMap(plan => plan.findings)).sort(
    (a, b) => byDanger(a, b) || byPlace(a, b)
  )
  const refusals = distinct(plans.flatMap(plan => plan.refusals ?? []))
  const inherited = joined(plan => plan.inherited, site)
  const plan: Omit<Plan, 'digest'> = {
    format,
    tool,
    ...compact({ command }),
    created: earliest(plans),
    base_url,
    ...compact({ against, commit }),
    summary: plans.map(plan => plan.summary).reduce(added),
    sites: joined(
      plan => plan.sites,
      ({ name }) => name
    ),
    ...(plans[0]?.rollout && { rollout: mergeRollouts(plans.map(({ rollout = [] }) => rollout)) }),
    changes,
    not_compared: joined(plan => plan.not_compared, address),
    unmanaged: joined(plan => plan.unmanaged, site),
    ...(inherited.length > 0 && { inherited }),
    findings,
    ...compact({ policy_digest, ignored_files }),
    ...(refusals.length > 0 && { refusals }),
    ...timedParts(plans[0]?.at, deferred),
    ...mergeUnwatched(plans)
  }
  return withDigests(plan)
}

/** The first of equal items, which every shard reports, such as findings about the files. */
function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map(item => [JSON.stringify(item), item])).values()]
}

function added(a: PlanSummary, b: PlanSummary): PlanSummary {
  const entries = Object.entries(a).map(([name, n]) => [name, n + b[name as keyof PlanSummary]])
  return Object.fromEntries(entries)
}

function earliest(values: readonly { readonly created: string }[]): string {
  return values.map(({ created }) => created).sort(byCodeUnit)[0] ?? ''
}

function mergeUnwatched(plans: readonly Plan[]): Pick<Plan, 'unwatched' | 'unwatched_total'> {
  const all = plans.flatMap(({ unwatched = [] }) => unwatched)
  const totals = plans.map(countUnwatched)
  return unwatchedParts(
    sortBy(all, ({ address }) => address),
    {
      fields: totals.reduce((sum, { fields }) => sum + fields, 0),
      wlans: totals.reduce((sum, { wlans }) => sum + wlans, 0)
    }
  )
}

export function mergeSnapshots(pieces: readonly Piece<Snapshot>[]): Snapshot {
  checkShards(pieces)
  checkSame(pieces, 'service', snapshot => snapshot.base_url)
  checkSame(pieces, 'program', snapshot => snapshot.tool)
  checkOnce(pieces, ({ sites }) => sites.map(({ id, name }) => [id.toLowerCase(), name]))
  const snapshots = pieces.map(({ value }) => value)
  const { tool, base_url } = snapshots[0] as Snapshot
  return assembleSnapshot(
    snapshots.flatMap(({ sites }) => sites),
    snapshots.flatMap(({ unread }) => unread),
    {
      tool,
      created: earliest(snapshots),
      base_url,
      requests: snapshots.reduce((sum, { summary }) => sum + summary.requests, 0)
    }
  )
}

export const outcomesForm: SavedForm = {
  format: 'wlanctl-outcomes/1',
  validate: validateOutcomes,
  limit: fileLimits.outcomes,
  hint: 'make it with `wlanctl apply --report json=FILE`'
}

/** Merges the outcomes of all shards; throws a `Failure` if one is missing. */
export function mergeOutcomes(pieces: readonly Piece<OutcomesData>[]) {
  checkShards(pieces)
  checkSame(pieces, 'service', ({ base_url }) => base_url)
  checkSame(pieces, 'program', ({ tool }) => tool)
  checkSame(pieces, 'commit', ({ commit = 'none' }) => commit)
  return joinOutcomes(pieces.map(({ value }) => value))
}

/** The outcomes, the failed waves with their reasons, and what the outcomes hold of the plan. */
export function joinOutcomes(values: readonly OutcomesData[]) {
  const { tool, base_url } = values[0] as OutcomesData
  const outcomes = values.flatMap(value => value.outcomes)
  const failedWaves = values.flatMap(value => value.failed_wave ?? [])
  const plan: Omit<Plan, 'digest'> = {
    format: 'wlanctl-plan/1',
    ...{ tool, created: earliest(values), base_url },
    summary: values.map(({ planned }) => planned).reduce(added),
    ...{ sites: [], changes: [], not_compared: [], unmanaged: [] },
    findings: distinct(values.flatMap(value => value.findings ?? [])).sort(byPlace)
  }
  return {
    plan,
    outcomes: sortBy(outcomes, ({ address }) => address),
    ...(failedWaves.length > 0 && { failedWave: [...new Set(failedWaves)].join('; ') })
  }
}

function checkSame<Whole>(
  pieces: readonly Piece<Whole>[],
  label: string,
  partOf: (value: Whole) => string
): void {
  const [first, ...others] = pieces
  const other = first && others.find(({ value }) => partOf(value) !== partOf(first.value))
  if (first === undefined || other === undefined) return
  throw wrongInput(
    `${first.name} and ${other.name} differ in their ${label}: ${partOf(first.value)} and ${partOf(other.value)}`,
    'merge only parts of the same run'
  )
}

function checkShards(pieces: readonly Piece<Part>[]): void {
  const [first, second] = pieces
  if (first === undefined || (second === undefined && first.value.shard === undefined)) return
  const whole = pieces.find(({ value }) => value.shard === undefined)
  if (whole !== undefined) {
    throw wrongInput(
      `${whole.name} is not a shard: it covers the whole fleet`,
      'merge shards with shards'
    )
  }
  const { of } = shardIn(first.value.shard)
  checkSame(pieces, 'number of shards', ({ shard }) => String(shardIn(shard).of))
  checkOnce(pieces, ({ shard = '' }) => [[shard, `the shard ${shard}`]])
  const given = new Set(pieces.map(({ value }) => value.shard))
  const all = Array.from({ length: of }, (_, n) => `${n + 1}/${of}`)
  const missing = all.filter(shard => !given.has(shard))
  if (missing.length === 0) return
  throw wrongInput(
    `${plural(missing.length, 'shard')} of ${of} ${missing.length === 1 ? 'is' : 'are'} missing: ${listFirst(missing, 20)}`,
    'give the file of every shard: without them the result is incomplete'
  )
}

/** The schema accepts all shards except for numbers above the count, such as `9/8`. */
function shardIn(text: string | undefined): Shard {
  const shard = parseShard(text ?? '')
  if (shard === undefined)
    throw wrongInput(`invalid shard ${text}`, 'the file was edited: plan again')
  return shard
}

/** Throws if a shard, site or WLAN is in two pieces. `entries` returns the key and name of each. */
export function checkOnce<Whole>(
  pieces: readonly Piece<Whole>[],
  entries: (value: Whole) => readonly (readonly [key: string, name: string])[]
): void {
  const seen = new Map<string, string>()
  for (const piece of pieces) {
    for (const [key, name] of entries(piece.value)) {
      const other = seen.get(key)
      if (other !== undefined) {
        throw wrongInput(`${name} is in ${other} and in ${piece.name}`, 'give each part once')
      }
      seen.set(key, piece.name)
    }
  }
}

import { validateOutcomes } from '#forms'
import { byCodeUnit } from '../../model/collections.ts'
import type { Part } from '../../model/desired.ts'
import { fileLimits } from '../../model/file-limits.ts'
import type { Finding } from '../../model/finding.ts'
import {
  type Outcome,
  type OutcomesData,
  type OutcomesPart,
  outcomeFrom
} from '../../model/outcome.ts'
import type { PlanSummary } from '../../model/plan.ts'
import type { SavedForm } from '../saved.ts'
import { mergeFindings } from './findings.ts'
import { checkSame, type Piece, unfit, wholeOf } from './parts.ts'

export const outcomesForm: SavedForm = {
  format: 'wlanctl-outcomes/1',
  validate: validateOutcomes,
  limit: fileLimits.outcomes,
  hint: 'make some with `wlanctl apply --shard I/N --report json=FILE`'
}

/** The outcomes of a shard. */
type ShardOutcomes = OutcomesData & OutcomesPart & Part

/** The outcomes of the whole, and what can be told of the plan they are of. */
export interface MergedOutcomes {
  /** Sorted by address. */
  readonly outcomes: readonly Outcome[]
  /** The waves that were not good, and why: each shard has its own. */
  readonly failedWave?: string
  readonly findings: readonly Finding[]
  readonly tool: string
  readonly created: string
  readonly base_url: string
  readonly planned: PlanSummary
}

/** The outcomes of the whole, out of those of its shards; throws a `Failure` if one is missing. */
export function mergeOutcomes(pieces: readonly Piece<OutcomesData>[]): MergedOutcomes {
  const shards = wholeOf(pieces.map(shardOf))
  checkSame(shards, 'service', ({ base_url }) => base_url)
  checkSame(shards, 'program', ({ tool }) => tool)
  const values = shards.map(({ value }) => value)
  const { tool, base_url } = values[0] as ShardOutcomes
  const outcomes = values.flatMap(value => value.outcomes).map(outcomeFrom)
  const failedWaves = values.flatMap(value => value.failed_wave ?? [])
  const findings = values.map(value => value.findings ?? [])
  const unread = findings.flat().filter(({ code }) => code === 'SITE_NOT_READ')
  return {
    outcomes: outcomes.sort((a, b) => byCodeUnit(a.address, b.address)),
    ...(failedWaves.length === 0 ? {} : { failedWave: [...new Set(failedWaves)].join('; ') }),
    findings: mergeFindings(
      findings,
      unread.sort((a, b) => byCodeUnit(a.address ?? '', b.address ?? ''))
    ),
    tool,
    created: values.map(({ created }) => created).sort(byCodeUnit)[0] ?? '',
    base_url,
    planned: values.map(({ planned }) => planned).reduce(added)
  }
}

function shardOf({ name, value }: Piece<OutcomesData>): Piece<ShardOutcomes> {
  const { shard, tool, created, base_url, planned } = value
  const isOfShard = shard && tool && created && base_url && planned
  if (isOfShard) return { name, value: { ...value, shard, tool, created, base_url, planned } }
  throw unfit(`${name} holds the outcomes of no shard`, 'they are whole by themselves')
}

function added(a: PlanSummary, b: PlanSummary): PlanSummary {
  const entries = Object.entries(a).map(([name, n]) => [name, n + b[name as keyof PlanSummary]])
  return Object.fromEntries(entries)
}

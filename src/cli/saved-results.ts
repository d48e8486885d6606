import { type ExitCode, exit, wrongInput } from '../core/model/failure.ts'
import type { OutcomesData } from '../core/model/outcome.ts'
import type { Plan } from '../core/model/plan.ts'
import type { RecordedRun } from '../core/model/record.ts'
import { fileLimits } from '../core/model/saved-file-limits.ts'
import { driftExit, outcomesExit, planExit } from '../core/plan/exit-codes.ts'
import { sortBy } from '../core/values/collections.ts'
import {
  checkOnce,
  joinOutcomes,
  mergeOutcomes,
  mergePlans,
  mergeSnapshots,
  outcomesForm,
  type Piece
} from '../files/merge.ts'
import { isRecord, parseSaved, readable, type SavedForm } from '../files/saved-file.ts'
import { formatPlan, intactPlan, planForm } from '../files/saved-plan.ts'
import {
  formatSnapshot,
  intactSnapshot,
  type Snapshot,
  snapshotForm,
  unreadFindings
} from '../files/snapshot.ts'
import { reportData } from '../report/data/json.ts'
import { escapeJson, jsonText } from '../report/escape.ts'
import { planReport, type Report } from '../report/report.ts'
import { parseRecord } from '../run/record/read.ts'
import { readInput } from './files/files.ts'
import { checkpoint } from './files/saved-files.ts'
import { readFolder } from './files/states.ts'
import type { Io } from './terminal/io.ts'

export interface SavedResult {
  readonly report: Report
  /** The members that come from the files unverified: all others are derived, or covered by a digest. */
  readonly unverified: string
  readonly code: ExitCode
  /** The text of the merged file. Throws a `Failure` (exit 3) if it cannot be merged or read back. */
  readonly merged: () => string
}

type Saved = Piece<unknown> & { readonly form: SavedForm }

/**
 * Reads saved results. Several plans, snapshots or outcomes are the parts of one run, and a missing part is an error;
 * several records are added up. With `asWhole` a single file must be complete, too. Throws a `Failure` (exit 3).
 */
export async function readSavedResults(
  files: readonly string[],
  asWhole: boolean,
  io: Io
): Promise<SavedResult> {
  const seen = new Set<string>()
  const twice = files.find(file => seen.size === seen.add(file).size)
  if (twice !== undefined) throw wrongInput(`${twice} is given more than once`)
  const records: Piece<readonly RecordedRun[]>[] = []
  const pieces: Saved[] = []
  let first: { readonly name: string; readonly kind: string } | undefined
  for (const name of files) {
    const folder = await readFolder(name, io)
    const text = folder === undefined ? await readInput(name, io.cwd, fileLimits.record) : ''
    await checkpoint(io)
    const record = isRecord(text)
    if (record) {
      records.push({ name, value: await parseRecord(text, name, () => checkpoint(io)) })
    } else {
      pieces.push({ name, ...(folder ? { form: snapshotForm, value: folder } : saved(text, name)) })
    }
    await checkpoint(io)
    const { name: kind } = record ? fileLimits.record : (pieces.at(-1) as Saved).form.limit
    first ??= { name, kind }
    if (kind === first.kind) continue
    throw wrongInput(
      `${first.name} is ${first.kind}, and ${name} is ${kind}`,
      'give files of one kind'
    )
  }
  const [piece, ...others] = pieces
  if (piece === undefined) return recordResult(records)
  return resultOf([piece, ...others], asWhole)
}

function saved(text: string, name: string): Omit<Saved, 'name'> {
  const { form, value } = parseSaved(text, name, planForm, snapshotForm, outcomesForm)
  return { form, value: form === snapshotForm ? intactSnapshot(value, name) : value }
}

function recordResult(records: readonly Piece<readonly RecordedRun[]>[]): SavedResult {
  checkOnce(records, runs => runs.map(({ id }) => [id, `the run ${id}`]))
  const runs = records.flatMap(({ value }) => value)
  return {
    report: {
      kind: 'record',
      runs: records.length > 1 ? sortBy(runs, ({ started }) => started) : runs
    },
    unverified: 'names, times and outcomes',
    code: exit.done,
    merged: () => {
      throw wrongInput(
        'records are not merged into a file',
        'append one to the other: `cat a.jsonl b.jsonl`'
      )
    }
  }
}

function resultOf(pieces: readonly [Saved, ...Saved[]], asWhole: boolean): SavedResult {
  const [{ form, name, value }] = pieces
  const isPart = !asWhole && pieces.length === 1
  if (form === planForm) {
    if (isPart) return planResult(intactPlan(value, name))
    const plans = pieces.map(each => ({ ...each, value: intactPlan(each.value, each.name) }))
    return planResult(mergePlans(plans))
  }
  if (form === snapshotForm) {
    const snapshots = pieces as readonly Piece<Snapshot>[]
    return snapshotResult(isPart ? (value as Snapshot) : mergeSnapshots(snapshots))
  }
  const outcomes = pieces as readonly Piece<OutcomesData>[]
  return outcomesResult(isPart ? joinOutcomes([value as OutcomesData]) : mergeOutcomes(outcomes))
}

function planResult(plan: Plan): SavedResult {
  return {
    report: planReport(plan),
    unverified:
      'names, places, causes of effects, elements of lists, findings and the number of unchanged WLANs',
    code: plan.command === 'drift' ? driftExit(plan) : planExit(plan, exit.done),
    merged: () => readable(escapeJson(formatPlan(plan)), planForm)
  }
}

function snapshotResult(snapshot: Snapshot): SavedResult {
  const { summary } = snapshot
  return {
    report: { kind: 'findings', findings: unreadFindings(snapshot), read: summary },
    unverified: 'sites and WLANs',
    code: summary.sites_failed > 0 ? exit.incomplete : exit.done,
    merged: () => readable(escapeJson(formatSnapshot(snapshot)), snapshotForm)
  }
}

function outcomesResult(merged: ReturnType<typeof joinOutcomes>): SavedResult {
  const report = { kind: 'outcomes', ...merged } as const
  return {
    report,
    unverified: 'outcomes and findings',
    code: outcomesExit(report),
    merged: () => readable(jsonText(reportData(report)), outcomesForm)
  }
}

import { type Command, Option } from 'commander'
import { compact } from '../../model/collections.ts'
import { type ExitCode, exit, Failure } from '../../model/failure.ts'
import type { OutcomesData } from '../../model/outcome.ts'
import type { Plan } from '../../model/plan.ts'
import { driftExit, outcomesExit, planExit } from '../../plan/exit-codes.ts'
import {
  type MergedOutcomes,
  mergeOutcomes,
  mergePlans,
  mergeSnapshots,
  outcomesForm
} from '../../plan/merge/merge.ts'
import type { Piece } from '../../plan/merge/parts.ts'
import type { RelationCheck } from '../../plan/merge/relations.ts'
import { refuseTooLarge, type SavedForm } from '../../plan/saved-file.ts'
import { formatPlan, intactPlan, planForm } from '../../plan/saved-plan.ts'
import {
  formatSnapshot,
  intactSnapshot,
  type Snapshot,
  snapshotForm,
  unreadFindings
} from '../../plan/snapshot.ts'
import { escapeJson } from '../../report/escape.ts'
import { renderJson } from '../../report/json.ts'
import { type OutcomesReport, planReport, type Report } from '../../report/report.ts'
import type { Context } from '../context.ts'
import { writeFileAtomic } from '../files/files.ts'
import { readSaved } from '../files/saved-files.ts'
import type { Io } from '../io.ts'
import { addExample, addReportOptions, groups, type ReportOptions } from '../options.ts'
import { writeReport, writeReportToStderr } from '../output.ts'

type Options = ReportOptions & { readonly out?: string }

export function define(command: Command, { io, ends }: Context): void {
  addReportOptions(
    command.argument('<file...>', 'the plans, snapshots or outcomes of several runs')
  )
    .addOption(
      new Option('--out <file>', 'save the merged file, in the format of its parts').helpGroup(
        groups.output
      )
    )
    .action(ends((files: string[], options: Options) => merge(files, options, io)))
  addExample(
    command,
    'wlanctl plan examples/retail --shard 1/2 --out 1.json',
    'wlanctl plan examples/retail --shard 2/2 --out 2.json',
    'wlanctl merge 1.json 2.json --out plan.json'
  )
}

/** Merges the parts of a run. A missing part is an error. */
async function merge(files: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const pieces = await read(files, io)
  const { report, saved, code, shown } = await mergePieces(pieces)
  refuseTooLarge(saved, pieces[0].form)
  if (options.out !== undefined) await writeFileAtomic(options.out, saved, io.cwd)
  const text = options.out === undefined ? shown : undefined
  await writeReport(report, options, io, text)
  if (text !== undefined && code !== exit.done) await writeReportToStderr(report, options, io)
  return code
}

/** A merged result. */
interface Merged {
  readonly report: Report
  /** The merged file in the format of its parts. */
  readonly saved: string
  /** The text for stdout instead of the report, without `--out`. */
  readonly shown?: string
  readonly code: ExitCode
}

type Saved = Piece<unknown> & { readonly form: SavedForm }

/** Reads the files, which must have the same format. */
async function read(files: readonly string[], io: Io): Promise<readonly [Saved, ...Saved[]]> {
  const seen = new Set<string>()
  const twice = files.find(file => seen.size === seen.add(file).size)
  if (twice !== undefined) throw new Failure(exit.wrongInput, `${twice} is given more than once`)
  const pieces: Saved[] = []
  for (const name of files) {
    pieces.push({ name, ...(await readSaved(name, io, planForm, snapshotForm, outcomesForm)) })
  }
  const [first, ...others] = pieces
  if (first === undefined) throw new Failure(exit.wrongInput, 'nothing to merge')
  const other = others.find(({ form }) => form !== first.form)
  if (other === undefined) return [first, ...others]
  throw new Failure(
    exit.wrongInput,
    `${first.name} is ${first.form.limit.name}, and ${other.name} is ${other.form.limit.name}`,
    'merge files of one kind'
  )
}

async function mergePieces(pieces: readonly [Saved, ...Saved[]]): Promise<Merged> {
  const [{ form }] = pieces
  if (form === planForm) {
    const plans = pieces.map(({ name, value }) => ({ name, value: intactPlan(value, name) }))
    const plan = mergePlans(plans, await relationCheckFor(plans))
    const saved = escapeJson(formatPlan(plan))
    const code = plan.command === 'drift' ? driftExit(plan) : planExit(plan, exit.done)
    return { report: planReport(plan), saved, code }
  }
  if (form === snapshotForm) {
    const read = pieces.map(({ name, value }) => ({ name, value: intactSnapshot(value, name) }))
    return mergedSnapshot(mergeSnapshots(read))
  }
  const outcomes = pieces.map(({ name, value }) => ({ name, value: value as OutcomesData }))
  const report = outcomesReport(mergeOutcomes(outcomes))
  return { report, saved: renderJson(report), code: outcomesExit(report) }
}

/** Loads the rules of the linter only if a plan contains relations. */
async function relationCheckFor(plans: readonly Piece<Plan>[]): Promise<RelationCheck> {
  if (plans.every(({ value }) => value.relations === undefined)) return () => []
  return (await import('../../checks/relations.ts')).checkRelations
}

function mergedSnapshot(snapshot: Snapshot): Merged {
  const { summary } = snapshot
  const saved = escapeJson(formatSnapshot(snapshot))
  const report = { kind: 'findings', findings: unreadFindings(snapshot), read: summary } as const
  const code = summary.sites_failed > 0 ? exit.incomplete : exit.done
  return { report, saved, shown: saved, code }
}

function outcomesReport(merged: MergedOutcomes): OutcomesReport {
  const { outcomes, failedWave, planned, clients, ...plan } = merged
  const nothing = { changes: [], not_compared: [], unmanaged: [] }
  const executed = { format: 'wlanctl-plan/1', ...plan, ...nothing, summary: planned } as const
  const failed = failedWave === undefined ? {} : { failedWave }
  return { kind: 'outcomes', plan: executed, outcomes, ...failed, ...compact({ clients }) }
}

import { type Command, Option } from 'commander'
import { type ExitCode, exit, Failure } from '../../model/failure.ts'
import type { OutcomesData } from '../../model/outcome.ts'
import { formatPlan, intactPlan, planForm } from '../../plan/file.ts'
import { type MergedOutcomes, mergeOutcomes, outcomesForm } from '../../plan/merge/outcomes.ts'
import type { Piece } from '../../plan/merge/parts.ts'
import { mergePlans } from '../../plan/merge/plans.ts'
import { mergeSnapshots } from '../../plan/merge/snapshots.ts'
import { refuseTooLarge, type SavedForm } from '../../plan/saved.ts'
import {
  formatSnapshot,
  intactSnapshot,
  type Snapshot,
  snapshotForm,
  unreadFindings
} from '../../plan/snapshot.ts'
import { escapeJson } from '../../report/escape.ts'
import { renderJson } from '../../report/json.ts'
import type { OutcomesReport, Report } from '../../report/report.ts'
import { outcomesExit, planExit } from '../exit-codes.ts'
import { checkTarget, writeFileAtomic } from '../files/files.ts'
import { readSaved } from '../files/saved-files.ts'
import type { Io } from '../io.ts'
import { addExample, addReportOptions, type ReportOptions } from '../options.ts'
import { writeReport, writeReportToStderr } from '../output.ts'
import type { Context } from '../program.ts'

type Options = ReportOptions & { readonly out?: string }

export function define(command: Command, { io, ends }: Context): void {
  addReportOptions(
    command.argument('<file...>', 'what the runs of a whole left: plans, snapshots or outcomes')
  )
    .addOption(new Option('--out <file>', 'save the whole in the form of its parts'))
    .action(ends((files: string[], options: Options) => merge(files, options, io)))
  addExample(
    command,
    'wlanctl plan examples/retail --shard 1/2 --out 1.json',
    'wlanctl plan examples/retail --shard 2/2 --out 2.json',
    'wlanctl merge 1.json 2.json --out plan.json'
  )
}

/** Makes the whole of its parts; that one of them is missing is an error, not a smaller whole. */
async function merge(files: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  if (options.out !== undefined) await checkTarget(options.out, io.cwd)
  const pieces = await read(files, io)
  const { report, saved, code, shown } = merged(pieces)
  refuseTooLarge(saved, pieces[0].form)
  if (options.out !== undefined) await writeFileAtomic(options.out, saved, io.cwd)
  const text = options.out === undefined ? shown : undefined
  await writeReport(report, options, io, text)
  if (text !== undefined && code !== exit.done) await writeReportToStderr(report, options, io)
  return code
}

/** A whole, in every way it can be told. */
interface Whole {
  readonly report: Report
  /** In the form of its parts. */
  readonly saved: string
  /** What goes to stdout where it is not saved, if that is not the report. */
  readonly shown?: string
  readonly code: ExitCode
}

type Saved = Piece<unknown> & { readonly form: SavedForm }

/** The files, all of one form. */
async function read(files: readonly string[], io: Io): Promise<readonly [Saved, ...Saved[]]> {
  const seen = new Set<string>()
  const twice = files.find(file => seen.size === seen.add(file).size)
  if (twice !== undefined) throw new Failure(exit.wrongInput, `${twice} is given twice`)
  const pieces: Saved[] = []
  for (const name of files) {
    pieces.push({ name, ...(await readSaved(name, io, planForm, snapshotForm, outcomesForm)) })
  }
  const [first, ...others] = pieces
  if (first === undefined) throw new Failure(exit.wrongInput, 'there is nothing to merge')
  const other = others.find(({ form }) => form !== first.form)
  if (other === undefined) return [first, ...others]
  throw new Failure(
    exit.wrongInput,
    `${first.name} is ${first.form.limit.name}, and ${other.name} is ${other.form.limit.name}`,
    'merge files of one kind'
  )
}

function merged(pieces: readonly [Saved, ...Saved[]]): Whole {
  const [{ form }] = pieces
  if (form === planForm) {
    const plan = mergePlans(
      pieces.map(({ name, value }) => ({ name, value: intactPlan(value, name) }))
    )
    const saved = escapeJson(formatPlan(plan))
    return { report: { kind: 'plan', plan }, saved, code: planExit(plan, exit.done) }
  }
  if (form === snapshotForm) {
    const read = pieces.map(({ name, value }) => ({ name, value: intactSnapshot(value, name) }))
    return wholeSnapshot(mergeSnapshots(read))
  }
  const outcomes = pieces.map(({ name, value }) => ({ name, value: value as OutcomesData }))
  const report = outcomesReport(mergeOutcomes(outcomes))
  return { report, saved: renderJson(report), code: outcomesExit(report) }
}

function wholeSnapshot(snapshot: Snapshot): Whole {
  const { summary } = snapshot
  const saved = escapeJson(formatSnapshot(snapshot))
  const report = { kind: 'findings', findings: unreadFindings(snapshot), read: summary } as const
  const code = summary.sites_failed > 0 ? exit.incomplete : exit.done
  return { report, saved, shown: saved, code }
}

function outcomesReport(merged: MergedOutcomes): OutcomesReport {
  const { outcomes, failedWave, planned, ...plan } = merged
  const nothing = { changes: [], not_compared: [], unmanaged: [] }
  const carriedOut = { format: 'wlanctl-plan/1', ...plan, ...nothing, summary: planned } as const
  const failed = failedWave === undefined ? {} : { failedWave }
  return { kind: 'outcomes', plan: carriedOut, outcomes, ...failed }
}

import { Argument, Option } from 'commander'
import { type ExitCode, exit } from '../../core/model/failure.ts'
import type { RecordedChange } from '../../core/model/record.ts'
import { listFirst } from '../../core/values/text.ts'
import { escapeText } from '../../report/escape.ts'
import type { NextStep, RecordReport, Report } from '../../report/report.ts'
import type { CommandRow } from '../command.ts'
import { writeFileAtomic } from '../files/files.ts'
import { checkpoint } from '../files/saved-files.ts'
import { groups, optionSets, type ReportOptions, under } from '../options.ts'
import { writeReport } from '../output.ts'
import { type Io, quoteForShell, writeLine } from '../terminal/io.ts'
import { printNextSteps } from '../terminal/next-steps.ts'

interface Options extends ReportOptions {
  readonly out?: string
}

export const command: CommandRow = {
  arguments: [
    new Argument(
      '<file...>',
      'plans, snapshots (files or folders), outcomes or records; several are merged: the shards of a run, or records'
    )
  ],
  options: [
    optionSets.report,
    under(groups.output, new Option('--out <file>', 'save the merged plan, snapshot or outcomes'))
  ],
  notes: `Several files, or one with --out, exit with the code of the run
that they are the parts of.`,
  examples: ['wlanctl plan examples/quickstart --out plan.json', 'wlanctl show plan.json'],
  run: ({ io }, files: readonly string[], options: Options) => show(files, options, io)
}

async function show(files: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const { out, quiet } = options
  const { readSavedResults } = await import('../saved-results.ts')
  const { report, unverified, code, merged } = await readSavedResults(files, out !== undefined, io)
  if (out !== undefined) await writeFileAtomic(out, merged(), io.cwd)
  await checkpoint(io)
  if (!quiet && out === undefined) {
    const names = listFirst(files.map(escapeText), 3)
    const places = report.kind === 'plan' || report.kind === 'drift'
    const from = files.length === 1 ? 'the file' : 'the files'
    const note = places ? '; places are relative to the fleet' : ''
    await writeLine(io, `wlanctl: ${names}: ${unverified} come from ${from} unverified${note}`)
  }
  const next = stepsAfter(report, out ?? files)
  await writeReport(report, options, io, { next })
  await printNextSteps(next, options, io)
  return files.length > 1 || out !== undefined ? code : exit.done
}

function stepsAfter(report: Report, files: string | readonly string[]): NextStep[] {
  const plan = ['wlanctl plan', 'shows the missing changes'] as const
  const missing = report.kind === 'record' && isIncomplete(report) ? [plan] : []
  const [file, ...others] = [files].flat()
  if (file === undefined || others.length > 0) return missing
  const name = quoteForShell(file)
  if (report.kind === 'findings' && report.read !== undefined) {
    return [
      [`wlanctl diff ${name}`, 'shows what changed since'],
      [`wlanctl list --against ${name}`, 'lists its WLANs']
    ]
  }
  if (report.kind === 'record')
    return [...missing, [`wlanctl revert ${name}`, 'undoes these runs, in the folder of the fleet']]
  const isApproved =
    report.kind === 'plan' && report.plan.changes.length > 0 && report.plan.refusals === undefined
  return isApproved
    ? [[`wlanctl apply --plan ${name}`, 'makes these changes, in the folder of the fleet']]
    : []
}

/** True if the latest run was killed or stopped, or did not apply or verify a change. */
function isIncomplete({ runs }: RecordReport): boolean {
  const last = runs.at(-1)
  const isOpen = ({ outcome: { status } }: RecordedChange) =>
    status !== 'applied' && status !== 'unchanged' && status !== 'deferred'
  if (last === undefined) return false
  return last.ended === undefined || last.problem !== undefined || last.changes.some(isOpen)
}

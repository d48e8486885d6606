import { type Command, InvalidArgumentError, Option } from 'commander'
import { adopt as adoptLive } from '../../adopt/adopt.ts'
import { differingNowhere } from '../../adopt/fields.ts'
import { openReader } from '../../api/client.ts'
import { readAgain } from '../../config/written.ts'
import type { Adoption } from '../../model/adoption.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import type { Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { adoptionJson, adoptionText } from '../../report/adoption.ts'
import { escapeText } from '../../report/escape.ts'
import { loadDesired, makePlan, type PlanResult, secretSourceOf } from '../../workflow/make-plan.ts'
import { requireTerminal } from '../../workflow/refusals.ts'
import { confirm } from '../confirm.ts'
import { connectionOf } from '../connection.ts'
import { NOTHING_WRITTEN, writeEdits, writePatch } from '../edited-files.ts'
import { checkTarget } from '../files/files.ts'
import { type Io, write, writeLine } from '../io.ts'
import {
  addExample,
  addFleetOptions,
  addOwnFormat,
  addSecretOptions,
  addServiceOptions,
  append,
  type PlanningOptions
} from '../options.ts'
import { renderOptionsFor, writeReportToStderr } from '../output.ts'
import type { Context } from '../program.ts'
import { printRequestSummary } from '../request-summary.ts'

interface Options extends PlanningOptions {
  readonly field: readonly string[]
  readonly layer: 'own' | 'profile'
  readonly yes?: true
  readonly dryRun?: true
  readonly out?: string
}

export function define(command: Command, { io, ends }: Context): void {
  addOwnFormat(addServiceOptions(addSecretOptions(addFleetOptions(command))))
    .addOption(
      new Option('--field <pointer>', 'only this field, e.g. /auth/type; repeatable')
        .argParser(pointer)
        .default([], 'all')
    )
    .addOption(
      new Option(
        '--layer <layer>',
        "where: `own` is nobody else's, `profile` is where the value is declared"
      )
        .choices(['own', 'profile'])
        .default('own')
    )
    .addOption(new Option('--yes', 'do not ask; needed where there is no terminal'))
    .addOption(
      new Option('--dry-run', 'show the diff, and write nothing').conflicts(['yes', 'out'])
    )
    .addOption(
      new Option(
        '--out <file>',
        'write a patch for `git apply`, and leave the files alone'
      ).conflicts('yes')
    )
    .action(ends((fleet: string, options: Options) => adopt(fleet, { ...options, report: [] }, io)))
  addExample(command, 'wlanctl adopt examples/quickstart --field /vlan_id --yes')
}

/** The other answer to drift: the files say what is live. Secrets are never adopted. */
async function adopt(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  if (options.out !== undefined) await checkTarget(options.out, io.cwd)
  const { plan, changes } = await readLive(fleet, options, io)
  const files = await readAgain(fleet, io.cwd)
  const adoption = await adoptLive({
    changes,
    sources: files.map(({ source }) => source),
    fields: options.field,
    shared: options.layer === 'profile',
    secrets: secretSourceOf(options, io).checking
  })
  if (!options.quiet) await tellUnmet(differingNowhere(changes, options.field), io)
  await show(adoption, plan, options, io)
  const { out, yes, dryRun } = options
  if (out !== undefined) await writePatch(out, adoption.files, files, io)
  else if (!dryRun && adoption.files.length > 0) {
    if (!yes) await getConsent(adoption, io)
    await writeEdits(adoption.files, files, io)
  }
  const { blocked, sites_failed } = plan.summary
  const complete = adoption.left.length + blocked + sites_failed === 0
  return complete ? exit.done : exit.incomplete
}

async function readLive(fleet: string, options: Options, io: Io): Promise<PlanResult> {
  const desired = await loadDesired(fleet, options, io)
  const reader = openReader(await connectionOf(options, io, io.interrupted, desired))
  try {
    const derived = await makePlan(desired, reader, options, io)
    await printRequestSummary({ ...derived.plan.summary, rest: 'by shards' }, options, io, reader)
    return derived
  } finally {
    await reader.close()
  }
}

/** A named field that differs nowhere is often a slip of the pen. */
async function tellUnmet(fields: readonly string[], io: Io): Promise<void> {
  if (fields.length === 0) return
  const named = fields.map(escapeText).join(', ')
  await writeLine(io, `wlanctl: no WLAN that was read differs in ${named}`)
}

async function show(adoption: Adoption, plan: Plan, options: Options, io: Io): Promise<void> {
  const { findings } = plan
  if (findings.length > 0) await writeReportToStderr({ kind: 'findings', findings }, options, io)
  const manner = renderOptionsFor(io.stdout, options, io)
  const json = options.format === 'json'
  await write(io, json ? adoptionJson(adoption) : adoptionText(adoption, manner))
}

/** The diff is shown before: also where nobody can answer. */
async function getConsent({ files }: Adoption, io: Io): Promise<void> {
  requireTerminal(io, 'adopt', NOTHING_WRITTEN)
  const these = files.length === 1 ? 'this file' : `these ${plural(files.length, 'file')}`
  await confirm({ question: `Write ${these}?`, done: 'adopted', refused: NOTHING_WRITTEN }, io)
}

function pointer(text: string, earlier: readonly string[]): readonly string[] {
  if (/^(?:\/(?:[^~/]|~[01])+)+$/.test(text)) return append(text, earlier)
  throw new InvalidArgumentError('It must be a JSON Pointer, e.g. /auth/type.')
}

import { type Command, InvalidArgumentError, Option } from 'commander'
import { adopt as adoptLive } from '../../adopt/adopt.ts'
import { fieldsWithoutDrift } from '../../adopt/fields.ts'
import { openReader } from '../../api/client.ts'
import { limits } from '../../config/limits.ts'
import { type ReadFile, readAgain } from '../../config/written.ts'
import type { Adoption, EditedFile } from '../../model/adoption.ts'
import { type ExitCode, exit, Failure } from '../../model/failure.ts'
import type { Plan } from '../../model/plan.ts'
import { applyEdits, plural } from '../../model/text.ts'
import { renderAdoptionJson, renderAdoptionText } from '../../report/command-results.ts'
import { patchOf } from '../../report/diff.ts'
import { escapeText } from '../../report/escape.ts'
import { readRegularFile } from '../../secrets/regular-file.ts'
import { loadDesired } from '../../workflow/load-desired.ts'
import { makePlan, type PlanResult } from '../../workflow/make-plan.ts'
import { connectionOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { checkTarget, writeFileAtomic } from '../files/files.ts'
import { confirm, hostOf, requireTerminal } from '../host.ts'
import { type Io, write, writeLine } from '../io.ts'
import { append } from '../option-values.ts'
import {
  addExample,
  addFleetOptions,
  addGroup,
  addSecretOptions,
  addServiceOptions,
  addTextOrJson,
  groups,
  type PlanningOptions,
  yesOption
} from '../options.ts'
import { renderOptionsFor, writeReportToStderr } from '../output.ts'
import { printRequestSummary } from '../request-summary.ts'
import { secretSourceOf } from '../secrets-command.ts'

interface Options extends PlanningOptions {
  readonly field: readonly string[]
  readonly layer: 'own' | 'profile'
  readonly yes?: true
  readonly dryRun?: true
  readonly out?: string
}

export function define(command: Command, { io, ends }: Context): void {
  addTextOrJson(addServiceOptions(addSecretOptions(addFleetOptions(command))))
  addGroup(
    command,
    groups.selection,
    new Option('--field <pointer>', 'only this field, e.g. /auth/type; repeatable')
      .argParser(pointer)
      .default([], 'all')
  )
  addGroup(
    command,
    groups.limits,
    yesOption(),
    new Option('--dry-run', 'print the diff, and write nothing').conflicts(['yes', 'out'])
  )
  addGroup(
    command,
    groups.output,
    new Option(
      '--layer <layer>',
      'where to write: `own` affects only this WLAN, `profile` is where the value is declared'
    )
      .choices(['own', 'profile'])
      .default('own'),
    new Option(
      '--out <file>',
      'write a patch for `git apply` instead of changing the files'
    ).conflicts('yes')
  ).action(ends((fleet: string, options: Options) => adopt(fleet, { ...options, report: [] }, io)))
  addExample(command, 'wlanctl adopt examples/quickstart --field /vlan_id --yes')
}

/** Resolves drift by changing the files to the live values. Never adopts secrets. */
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
  if (!options.quiet) await printUnmatchedFields(fieldsWithoutDrift(changes, options.field), io)
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
  const host = hostOf(options, io)
  const { desired } = await loadDesired(fleet, options, secretSourceOf(options, io), host)
  const reader = openReader(await connectionOf(options, io, io.interrupted, desired))
  try {
    const result = await makePlan(desired, reader, { ...options, lint: false }, host)
    await printRequestSummary({ ...result.plan.summary, rest: 'by shards' }, options, io, reader)
    return result
  } finally {
    await reader.close()
  }
}

/** A `--field` that differs nowhere is often a typo. */
async function printUnmatchedFields(fields: readonly string[], io: Io): Promise<void> {
  if (fields.length === 0) return
  const named = fields.map(escapeText).join(', ')
  await writeLine(io, `wlanctl: no WLAN that was read differs in ${named}`)
}

async function show(adoption: Adoption, plan: Plan, options: Options, io: Io): Promise<void> {
  const { findings } = plan
  if (findings.length > 0) await writeReportToStderr({ kind: 'findings', findings }, options, io)
  const renderOptions = renderOptionsFor(io.stdout, options, io)
  const json = options.format === 'json'
  await write(io, json ? renderAdoptionJson(adoption) : renderAdoptionText(adoption, renderOptions))
}

/** Called after the diff is printed, so that it is printed without a terminal, too. */
async function getConsent({ files }: Adoption, io: Io): Promise<void> {
  requireTerminal(io, 'adopt', NOTHING_WRITTEN)
  const these = files.length === 1 ? 'this file' : `these ${plural(files.length, 'file')}`
  await confirm({ question: `Write ${these}?`, done: 'adopted', refused: NOTHING_WRITTEN }, io)
}

function pointer(text: string, earlier: readonly string[]): readonly string[] {
  if (/^(?:\/(?:[^~/]|~[01])+)+$/.test(text)) return append(text, earlier)
  throw new InvalidArgumentError('Expected a JSON Pointer, e.g. /auth/type.')
}

/** An edited file with its path and its text, including the byte order mark. */
interface FileOnDisk extends EditedFile {
  readonly path: string
  readonly mode: number
}

const NOTHING_WRITTEN = 'nothing was written'

const BYTE_ORDER_MARK = '\ufeff'

/** Writes the files, each atomically. Throws before the first if one changed since it was read. */
async function writeEdits(
  edited: readonly EditedFile[],
  files: readonly ReadFile[],
  { cwd }: Pick<Io, 'cwd'>
): Promise<void> {
  const onDisk = await unchanged(edited, files, cwd)
  for (const { path, before, edits, mode } of onDisk) {
    await writeFileAtomic(path, applyEdits(before, edits), cwd, mode)
  }
}

/** Writes the edits as a patch instead of changing the files. */
async function writePatch(
  out: string,
  edited: readonly EditedFile[],
  files: readonly ReadFile[],
  { cwd }: Pick<Io, 'cwd'>
): Promise<void> {
  const patch = patchOf(await unchanged(edited, files, cwd))
  if ('text' in patch) return writeFileAtomic(out, patch.text, cwd)
  throw new Failure(
    exit.refused,
    `refused: ${out} would contain a possible plaintext secret (${patch.file}:${patch.line}); ${NOTHING_WRITTEN}`,
    'replace it by a reference, or adopt without --out'
  )
}

async function unchanged(
  edited: readonly EditedFile[],
  files: readonly ReadFile[],
  cwd: string
): Promise<FileOnDisk[]> {
  const paths = new Map(files.map(({ file, source }) => [source.file, file.path]))
  const onDisk: FileOnDisk[] = []
  for (const each of edited) {
    const path = paths.get(each.file) ?? each.file
    await checkTarget(path, cwd)
    const reading = readRegularFile(path, { most: limits.bytes, links: false })
    if (!('bytes' in reading)) throw changedOnDisk(each.file)
    const text = reading.bytes.toString('utf8')
    const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
    if (text !== mark + each.before) throw changedOnDisk(each.file)
    onDisk.push({ ...withMark(each, mark), path, mode: reading.mode & 0o777 })
  }
  return onDisk
}

/** The same edits in the text with its byte order mark. */
function withMark({ file, before, edits, hidden }: EditedFile, mark: string): EditedFile {
  const by = mark.length
  const moved = <S extends { start: number; end: number }>(stretch: S) => ({
    ...stretch,
    start: stretch.start + by,
    end: stretch.end + by
  })
  return { file, before: mark + before, edits: edits.map(moved), hidden: hidden.map(moved) }
}

function changedOnDisk(file: string): Failure {
  return new Failure(
    exit.refused,
    `${file} changed on disk while it was read; ${NOTHING_WRITTEN}`,
    'run the command again'
  )
}

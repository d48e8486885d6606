import type { EditedFile } from '../../core/model/adoption.ts'
import type { Desired } from '../../core/model/desired.ts'
import { exit, Failure } from '../../core/model/failure.ts'
import { isFresh } from '../../core/model/live.ts'
import { applyEdits, plural } from '../../core/values/text.ts'
import type { ReadFile } from '../../fleet/files/reread.ts'
import { limits } from '../../fleet/limits.ts'
import { readRegularFile } from '../../fleet/secrets/regular-file.ts'
import { patchOf } from '../../report/diff.ts'
import { escapeText } from '../../report/escape.ts'
import type { NextStep } from '../../report/report.ts'
import { checkStillLive, type SeenWlan } from '../../run/read-sites.ts'
import { clockUntil } from '../../service/http/clock.ts'
import { withReader } from '../connect.ts'
import type { ReportOptions, ServiceOptions } from '../options.ts'
import { confirm, requireTerminal } from '../terminal/confirm.ts'
import { type Io, quoteForShell, writeLines } from '../terminal/io.ts'
import { printNextSteps, withoutDryRun } from '../terminal/next-steps.ts'
import { checkTarget, writeFileAtomic } from './files.ts'

const NOTHING_WRITTEN = 'nothing was written'

export interface Editing {
  /** The live values that the edits were made from. */
  readonly shown: readonly SeenWlan[]
  readonly desired: Desired
  readonly next: NextStep
}

export interface EditingOptions extends ServiceOptions, Pick<ReportOptions, 'format' | 'quiet'> {
  readonly yes?: true
  readonly dryRun?: true
  readonly out?: string
}

/**
 * Writes edits that were shown, after a confirmation, or with `--out` as a patch. Throws a
 * `Failure` before the first file is written if one of them, or a live value, changed since it was
 * read.
 */
export async function offerEdits(
  edited: readonly EditedFile[],
  files: readonly ReadFile[],
  editing: Editing,
  options: EditingOptions,
  io: Io
): Promise<void> {
  const { yes, dryRun, out, format } = options
  const isWritten = !dryRun && edited.length > 0
  if (isWritten && out === undefined && !yes) await getConsent(edited, io)
  if (isWritten) await checkShown(editing, options, io)
  if (out !== undefined) await writePatch(out, edited, files, io)
  else if (isWritten) {
    await writeEdits(edited, files, io)
    const written = edited.map(({ file }) => escapeText(file)).join(', ')
    if (format !== 'json') await writeLines(io, `Written: ${written}\n`)
  }
  if (dryRun && edited.length > 0) {
    const step = [withoutDryRun(io.argv), 'writes these edits into the files'] as const
    await printNextSteps([step], options, io)
  }
  if (!isWritten) return
  const ofPatch = ['writes these edits into the files'] as const
  const step =
    out === undefined ? editing.next : ([`git apply ${quoteForShell(out)}`, ...ofPatch] as const)
  await printNextSteps([step], options, io)
}

async function checkShown(
  { shown, desired }: Editing,
  options: EditingOptions,
  io: Io
): Promise<void> {
  const now = clockUntil(io.abortSignal).now()
  const old = shown.filter(({ live }) => !isFresh(live, now))
  if (old.length === 0) return
  await withReader(options, io, desired, reader =>
    checkStillLive(old, reader, options.parallelism, NOTHING_WRITTEN)
  )
}

/** Asks for confirmation. The diff was printed before, so it is shown without a terminal, too. */
async function getConsent(files: readonly EditedFile[], io: Io): Promise<void> {
  requireTerminal(io, 'adopt', NOTHING_WRITTEN)
  const these = files.length === 1 ? 'this file' : `these ${plural(files.length, 'file')}`
  await confirm({ question: `Write ${these}?`, done: 'adopted', refused: NOTHING_WRITTEN }, io)
}

interface FileOnDisk extends EditedFile {
  readonly path: string
  readonly mode: number
}

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

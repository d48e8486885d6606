import { limits } from '../config/checks/limits.ts'
import type { ReadFile } from '../config/written.ts'
import type { EditedFile } from '../model/adoption.ts'
import { exit, Failure } from '../model/failure.ts'
import { applyEdits } from '../model/text.ts'
import { patchOf } from '../report/patch.ts'
import { readRegularFile } from '../secrets/regular-file.ts'
import { checkTarget, writeFileAtomic } from './files/files.ts'
import type { Io } from './io.ts'

/** An edited file with its path and its bytes, the byte order mark included. */
interface FileOnDisk extends EditedFile {
  readonly path: string
  readonly mode: number
}

export const NOTHING_WRITTEN = 'nothing was written'

const BYTE_ORDER_MARK = '\ufeff'

/** Writes each file as a whole, if all of them are still as they were read. */
export async function writeEdits(
  edited: readonly EditedFile[],
  files: readonly ReadFile[],
  { cwd }: Pick<Io, 'cwd'>
): Promise<void> {
  const onDisk = await unchanged(edited, files, cwd)
  for (const { path, before, edits, mode } of onDisk) {
    await writeFileAtomic(path, applyEdits(before, edits), cwd, mode)
  }
}

/** Writes the edits to a file of their own as a patch, and leaves the files as they are. */
export async function writePatch(
  out: string,
  edited: readonly EditedFile[],
  files: readonly ReadFile[],
  { cwd }: Pick<Io, 'cwd'>
): Promise<void> {
  const patch = patchOf(await unchanged(edited, files, cwd))
  if ('text' in patch) return writeFileAtomic(out, patch.text, cwd)
  throw new Failure(
    exit.refused,
    `refused: ${out} would show what may be a plaintext secret (${patch.file}:${patch.line}); ${NOTHING_WRITTEN}`,
    'put a reference in its place, or adopt without --out'
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
    if (!('bytes' in reading)) throw changedMeanwhile(each.file)
    const text = reading.bytes.toString('utf8')
    const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
    if (text !== mark + each.before) throw changedMeanwhile(each.file)
    onDisk.push({ ...shifted(each, mark), path, mode: reading.mode & 0o777 })
  }
  return onDisk
}

/** The same edits in the text with its byte order mark. */
function shifted({ file, before, edits, hidden }: EditedFile, mark: string): EditedFile {
  const by = mark.length
  const moved = <S extends { start: number; end: number }>(stretch: S) => ({
    ...stretch,
    start: stretch.start + by,
    end: stretch.end + by
  })
  return { file, before: mark + before, edits: edits.map(moved), hidden: hidden.map(moved) }
}

function changedMeanwhile(file: string): Failure {
  return new Failure(
    exit.refused,
    `${file} changed on disk meanwhile; ${NOTHING_WRITTEN}`,
    'run the command again'
  )
}

import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, Failure } from '../core/model/failure.ts'
import { type Job, textOf } from './command.ts'
import type { FileEdits, NewCommit } from './forge.ts'

/** The most text of one commit, in UTF-16 code units: the first snapshot of a large estate is several commits. */
const MAX_COMMIT = 8_000_000

/**
 * Commits the snapshot of a drift check to the branch of its fleet, as a snapshot folder: `wlanctl-live`, or
 * `wlanctl-live-NAME`. The files of a site that could not be read stay, and an equal snapshot is no commit. A branch that
 * cannot be kept is logged and fails nothing: the check has been reported.
 */
export async function commitSnapshot(job: Job): Promise<void> {
  const { forge, ours, results } = job
  const snapshot = join(results, 'snapshot.json')
  const isOfBranch = forge.run.branch === forge.run.defaultBranch
  if (!isOfBranch || (await textOf(snapshot)) === undefined) return
  const branch = ours.name === 'fleet' ? 'wlanctl-live' : `wlanctl-live-${ours.name}`
  try {
    await appendSnapshot(job, snapshot, branch)
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === exit.interrupted) throw error
    const hint = error.hint === undefined ? '' : ` (${error.hint})`
    await job.log(`${notKept(branch)}: ${error.message}${hint}`)
  }
}

function notKept(branch: string): string {
  return `the snapshot is not on the branch ${branch}`
}

async function appendSnapshot(job: Job, snapshot: string, branch: string): Promise<void> {
  const { forge, now, program, temporary } = job
  const folder = join(temporary, 'live')
  await mkdir(folder)
  const tip = await forge.tipOf(branch)
  if (tip !== undefined) await forge.downloadCommit(tip, isSiteFile, folder)
  const before = await filesIn(folder)
  const { code } = await program(['snapshot', '--against', snapshot, '--into', folder, '--quiet'])
  if (code !== exit.done && code !== exit.incomplete) {
    await job.log(notKept(branch))
    return
  }
  const edits = editsOf(before, await filesIn(folder))
  const start = tip === undefined ? await beginning(job) : { parent: tip, files: new Map() }
  const message = `Snapshot of ${now().toISOString().slice(0, 16)}Z`
  let commit: NewCommit = { branch, message, ...start, isFirst: tip === undefined }
  for (const files of partsOf(edits)) {
    const parent = await forge.append({ ...commit, files: new Map([...commit.files, ...files]) })
    commit = { branch, message, parent, isFirst: false, files: new Map() }
  }
}

/** Of a new branch: no parent, or the first commit of the repository, whose files the branch does not keep. */
async function beginning({ forge, git }: Job): Promise<Pick<NewCommit, 'parent' | 'files'>> {
  if (forge.hasOrphanBranches) return { parent: undefined, files: new Map() }
  const linesOf = async (...words: readonly string[]) => {
    const { code, stdout, reason } = await git(words)
    if (code !== 0) throw new Failure(exit.failed, `git ${words[0]}: ${reason}`)
    return stdout
      .toString()
      .split(/[\n\0]/)
      .filter(Boolean)
  }
  const parent = (await linesOf('rev-list', '--max-parents=0', 'HEAD')).at(-1) ?? ''
  const paths = await linesOf('ls-tree', '-r', '-z', '--name-only', parent)
  const files = new Map(paths.map(path => [path, { text: undefined, isNew: false }]))
  return { parent, files }
}

function isSiteFile(path: string): boolean {
  return /^[^/]+\.json$/.test(path)
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const name of await readdir(folder)) {
    files.set(name, await readFile(join(folder, name), 'utf8'))
  }
  return files
}

function editsOf(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>
): FileEdits {
  const edits = new Map<string, { text: string | undefined; isNew: boolean }>()
  for (const [name, text] of after) {
    if (before.get(name) !== text) edits.set(name, { text, isNew: !before.has(name) })
  }
  for (const name of before.keys()) {
    if (!after.has(name)) edits.set(name, { text: undefined, isNew: false })
  }
  return edits
}

function partsOf(edits: FileEdits): FileEdits[] {
  const parts: Map<string, { readonly text: string | undefined; readonly isNew: boolean }>[] = []
  let size = Number.POSITIVE_INFINITY
  for (const [path, edit] of edits) {
    const length = edit.text?.length ?? 0
    if (size + length > MAX_COMMIT) {
      parts.push(new Map())
      size = 0
    }
    parts.at(-1)?.set(path, edit)
    size += length
  }
  return parts
}

import { type Dirent, statSync } from 'node:fs'
import { readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { exit, Failure, wrongInput } from '../../core/model/failure.ts'
import type { LiveSite, UnreadSite } from '../../core/model/live.ts'
import { fileLimits, tooLarge } from '../../core/model/saved-file-limits.ts'
import { tool } from '../../core/model/tool.ts'
import { formatTimestamp } from '../../core/values/time.ts'
import { refuseOtherService } from '../../files/saved-file.ts'
import { intactSnapshot, type Snapshot, snapshotForm } from '../../files/snapshot.ts'
import {
  formatSiteFile,
  parseSiteFile,
  type SiteFile,
  siteFileNames,
  snapshotOfFiles
} from '../../files/snapshot-folder.ts'
import type { Io } from '../terminal/io.ts'
import { checkTarget, makeFolder, readInput, systemReason, temporaryFileIn } from './files.ts'
import { checkpoint, readSaved } from './saved-files.ts'

/** Reads a snapshot, or a folder with the time of its newest file. Throws a `Failure` (exit 3). */
export async function readState(name: string, io: Io): Promise<Snapshot> {
  const folder = await readFolder(name, io)
  return folder ?? intactSnapshot(await readSaved(name, io, snapshotForm), name)
}

export async function readFolder(name: string, io: Io): Promise<Snapshot | undefined> {
  if (!(await isFolder(name, io))) return undefined
  return snapshotIn(await openFolder(name, io), io)
}

export interface StatePair {
  readonly before: Snapshot
  readonly after: Snapshot
  /** The number of sites that both states lack, since their files are equal. */
  readonly equal: number
}

/**
 * Reads two states as `readState` does. Of two folders, it parses the files that differ, and one of
 * the others; with `asWhole` all. Throws a `Failure` (exit 3).
 */
export async function readStates(
  [before, after]: readonly [string, string],
  asWhole: boolean,
  io: Io
): Promise<StatePair> {
  if (asWhole || !(await isFolder(before, io)) || !(await isFolder(after, io))) {
    return { before: await readState(before, io), after: await readState(after, io), equal: 0 }
  }
  const [one, other] = [await openFolder(before, io), await openFolder(after, io)]
  const [, ...same] = await equalFiles(one, other, io)
  const equal = new Set(same)
  const rest = ({ files, ...folder }: Folder) =>
    snapshotIn({ ...folder, files: files.filter(file => !equal.has(file)) }, io)
  return { before: await rest(one), after: await rest(other), equal: equal.size }
}

async function equalFiles(one: Folder, other: Folder, io: Io): Promise<string[]> {
  const others = new Set(other.files)
  const equal: string[] = []
  for (const [at, file] of one.files.entries()) {
    if (others.has(file) && (await textIn(one, file, io)) === (await textIn(other, file, io))) {
      equal.push(file)
    }
    if (at % 100 === 99) await checkpoint(io)
  }
  return equal
}

async function isFolder(name: string, io: Io): Promise<boolean> {
  const found = await stat(resolve(io.cwd, name)).catch(() => undefined)
  return found?.isDirectory() === true
}

interface Folder {
  readonly name: string
  readonly created: string
  readonly files: readonly string[]
}

async function openFolder(name: string, io: Io): Promise<Folder> {
  const entries: Dirent[] = await readdir(resolve(io.cwd, name), { withFileTypes: true }).catch(
    error => {
      if (error.code === 'ENOENT') return []
      throw wrongInput(`${name} cannot be read: ${systemReason(error)}`)
    }
  )
  const sites = entries.filter(each => isSiteFileName(each.name))
  const link = sites.find(each => each.isSymbolicLink())
  if (link) throw wrongInput(`${join(name, link.name)} is a link, which is not followed`)
  const files = sites.map(each => each.name)
  const times = files.map(file => statSync(resolve(io.cwd, name, file)).mtimeMs)
  const newest = times.reduce((latest, time) => Math.max(latest, time), 0)
  return { name, files, created: formatTimestamp(new Date(newest)) }
}

function textIn({ name }: Folder, file: string, { cwd }: Io): Promise<string> {
  return readInput(join(name, file), cwd, fileLimits.snapshot)
}

async function snapshotIn(folder: Folder, io: Io): Promise<Snapshot> {
  const files: Omit<NamedSiteFile, 'text'>[] = []
  for await (const { baseUrl, site, name } of siteFilesIn(folder, io)) {
    files.push({ baseUrl, site, name })
  }
  return snapshotOfFiles(files, folder.name, { tool: tool.name, created: folder.created })
}

type NamedSiteFile = SiteFile & { readonly name: string; readonly text: string }

async function* siteFilesIn(folder: Folder, io: Io): AsyncGenerator<NamedSiteFile> {
  let bytes = 0
  for (const [at, file] of folder.files.entries()) {
    const text = await textIn(folder, file, io)
    bytes += text.length
    if (bytes > fileLimits.snapshotFolder.bytes) {
      throw wrongInput(`${folder.name}: ${tooLarge(bytes, fileLimits.snapshotFolder)}`)
    }
    const name = join(folder.name, file)
    yield { ...parseSiteFile(text, name), name, text }
    if (at % 100 === 99) await checkpoint(io)
  }
}

/** A folder of its own has other files, such as a README, but no JSON files of others; folders in it are not read. */
function isSiteFileName(name: string): boolean {
  return /^[^./][^/]*\.json$/.test(name)
}

const OWN_FOLDER = 'give each service a folder of its own'

interface FolderUpdate {
  readonly baseUrl: string
  readonly read: readonly (LiveSite | UnreadSite)[]
  /** False if the run was about some sites of the fleet: files of other sites are kept. */
  readonly isWhole: boolean
}

/**
 * Brings a snapshot folder up to date: a site that could not be read keeps its file, and one that left the fleet loses
 * it; a run that could not read anything leaves all as it is. Writes only files whose bytes change. Throws a `Failure` (exit 3) before it writes if the folder is of something else.
 */
export async function updateSnapshotFolder(
  folder: string,
  { baseUrl, read, isWhole }: FolderUpdate,
  io: Io
): Promise<{ readonly written: number; readonly removed: number }> {
  if (!read.some(live => 'wlans' in live)) return { written: 0, removed: 0 }
  const present: NamedSiteFile[] = []
  for await (const file of siteFilesIn(await openFolder(folder, io), io)) {
    refuseOtherService(file.name, file.baseUrl, baseUrl, OWN_FOLDER)
    present.push(file)
  }
  const texts = new Map<string, { readonly site: LiveSite['site']; readonly text: string }>()
  const asked = new Set(read.map(({ site }) => site.id.toLowerCase()))
  for (const { site, text } of present) {
    const id = site.id.toLowerCase()
    if (asked.has(id) || !isWhole) texts.set(id, { site, text })
  }
  for (const live of read) {
    if (!('wlans' in live)) continue
    texts.set(live.site.id.toLowerCase(), { site: live.site, text: formatSiteFile(live, baseUrl) })
  }
  const names = siteFileNames([...texts.values()].map(({ site }) => site))
  const wanted = new Map([...texts].map(([id, { text }]) => [names.get(id) ?? '', text]))
  const before = new Map(present.map(({ name, text }) => [basename(name), text]))
  const changed = [...wanted].filter(([name, text]) => before.get(name) !== text)
  const stale = [...before.keys()].filter(name => !wanted.has(name))
  await makeFolder(folder, io.cwd)
  try {
    if (changed.length > 0) await writeFiles(folder, changed, io)
    for (const name of stale) await unlink(join(resolve(io.cwd, folder), name))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(exit.failed, `${folder} could not be written: ${systemReason(error)}`)
  }
  return { written: changed.length, removed: stale.length }
}

/** Writes each file whole, or not: to flush each of thousands of files would take minutes. */
async function writeFiles(
  folder: string,
  files: readonly (readonly [name: string, text: string])[],
  io: Io
): Promise<void> {
  const target = resolve(io.cwd, folder)
  const temporary = temporaryFileIn(target)
  try {
    for (const [at, [name, text]] of files.entries()) {
      await checkTarget(join(folder, name), io.cwd)
      await writeFile(temporary, text)
      await rename(temporary, join(target, name))
      if (at % 100 === 99) await checkpoint(io)
    }
  } finally {
    await rm(temporary, { force: true })
  }
}

import { type Dirent, statSync } from 'node:fs'
import { readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type EstateEvent, eventsOf, type StateStep } from '../../core/history/events.ts'
import { type EstateHistory, summaryOf } from '../../core/history/history.ts'
import { exit, Failure, wrongInput } from '../../core/model/failure.ts'
import { fileLimits, tooLarge } from '../../core/model/file-limits.ts'
import type { HistorySummary } from '../../core/model/history.ts'
import type { LiveSite, UnreadSite } from '../../core/model/live.ts'
import { tool } from '../../core/model/tool.ts'
import { formatTimestamp } from '../../core/values/time.ts'
import { sameId } from '../../core/values/uuid.ts'
import { refuseOtherService, type SavedForm } from '../../files/saved-file.ts'
import {
  intactSnapshot,
  refuseOtherOrganization,
  type Snapshot,
  snapshotForm
} from '../../files/snapshot.ts'
import {
  formatSiteFile,
  liveSiteOf,
  parseSiteFile,
  type SiteFile,
  siteFileNames,
  snapshotOfFiles
} from '../../files/snapshot-folder.ts'
import { blobId } from '../../fleet/since/revision.ts'
import type { Io } from '../terminal/io.ts'
import { checkTarget, makeFolder, readInput, systemReason } from './files.ts'
import { type FolderRevision, folderAt, historyOf, pathInRepository } from './git.ts'
import { makeTemporaryFolder, removeLeftovers } from './leftovers.ts'
import { checkpoint, readSaved } from './saved-files.ts'

/**
 * Reads a state of an estate: the file of a snapshot, a snapshot folder, or such a folder in Git (`REV:DIR`). The time of a
 * folder is that of its newest file, or of the commit. Throws a `Failure` (exit 3).
 */
export async function readState(name: string, io: Io): Promise<Snapshot> {
  return intactSnapshot((await readSavedOrState(name, io, snapshotForm)).value, name)
}

/** As `readSaved`; a folder, or one in Git, is a snapshot. */
export async function readSavedOrState(
  name: string,
  io: Io,
  ...forms: readonly [SavedForm, ...SavedForm[]]
): ReturnType<typeof readSaved> {
  return (await readFolder(name, io)) ?? readSaved(name, io, ...forms)
}

/** A snapshot folder, or one in Git, as a saved snapshot; undefined if it is neither. */
export async function readFolder(
  name: string,
  io: Io
): Promise<Awaited<ReturnType<typeof readSaved>> | undefined> {
  const folder = await openFolder(name, io)
  return folder && { form: snapshotForm, value: await snapshotIn(folder, io) }
}

/** Two states to compare. */
export interface StatePair {
  readonly before: Snapshot
  readonly after: Snapshot
  /** The number of sites that both states lack, since their files are equal. */
  readonly equal: number
}

/**
 * Reads two states as `readState` does. Of two folders, it parses the files that differ, and one of the others; with
 * `asWhole` all. Throws a `Failure` (exit 3).
 */
export async function readStates(
  [before, after]: readonly [string, string],
  asWhole: boolean,
  io: Io
): Promise<StatePair> {
  const [one, other] = [await openFolder(before, io), await openFolder(after, io)]
  if (asWhole || one === undefined || other === undefined) {
    const read = async (folder: FolderRevision | undefined, name: string) =>
      folder === undefined ? readState(name, io) : snapshotIn(folder, io)
    return { before: await read(one, before), after: await read(other, after), equal: 0 }
  }
  const [, ...same] = [...one.files].flatMap(([file, id]) =>
    other.files.get(file) === id ? file : []
  )
  const equal = new Set(same)
  const rest = (folder: FolderRevision) =>
    snapshotIn(
      { ...folder, files: new Map([...folder.files].filter(([at]) => !equal.has(at))) },
      io
    )
  return { before: await rest(one), after: await rest(other), equal: equal.size }
}

/** The site files of a snapshot folder, on the disk or in Git (`REV:DIR`); undefined if it is neither. */
async function openFolder(name: string, io: Io): Promise<FolderRevision | undefined> {
  const found = await stat(resolve(io.cwd, name)).catch(() => undefined)
  if (found?.isDirectory()) return folderOnDisk(name, io)
  const at = found === undefined ? revisionIn(name) : undefined
  if (at === undefined) return undefined
  const folder = await folderAt(at.revision, at.folder, io)
  return { ...folder, files: new Map([...folder.files].filter(([path]) => isSiteFileName(path))) }
}

/** A folder with the ids that its files would have in Git. Its files are read again when they are parsed. */
async function folderOnDisk(name: string, io: Io): Promise<FolderRevision> {
  const entries: Dirent[] = await readdir(resolve(io.cwd, name), { withFileTypes: true }).catch(
    error => {
      if (error.code === 'ENOENT') return []
      throw wrongInput(`${name} cannot be read: ${systemReason(error)}`)
    }
  )
  const files = new Map<string, string>()
  const texts = new Map<string, () => Promise<string>>()
  let newest = 0
  for (const entry of entries.filter(each => isSiteFileName(each.name))) {
    const file = join(name, entry.name)
    if (entry.isSymbolicLink()) throw wrongInput(`${file} is a link, which is not followed`)
    const read = () => readInput(file, io.cwd, fileLimits.snapshot)
    const id = blobId(await read(), SHA1)
    files.set(entry.name, id)
    texts.set(id, read)
    newest = Math.max(newest, statSync(resolve(io.cwd, file)).mtimeMs)
    if (files.size % 100 === 0) await checkpoint(io)
  }
  return {
    name,
    files,
    created: formatTimestamp(new Date(newest)),
    read: async ids =>
      new Map(
        await Promise.all(
          ids.map(async id => [id, Buffer.from((await texts.get(id)?.()) ?? '')] as const)
        )
      )
  }
}

/** The length of an object id in a repository of the default format. */
const SHA1 = 40

/** The parts of `REV:DIR`, where REV may have colons in braces: `live@{2026-11-20 10:00}:estate`. */
export function revisionIn(name: string) {
  const [, revision, folder] = /^((?:[^:{]|\{[^}]*\})+):(.*)$/s.exec(name) ?? []
  return revision === undefined || folder === undefined ? undefined : { revision, folder }
}

async function snapshotIn(folder: FolderRevision, io: Io) {
  const files: Omit<NamedSiteFile, 'text'>[] = []
  for await (const { baseUrl, site, name } of siteFilesIn(folder, io)) {
    files.push({ baseUrl, site, name })
  }
  return snapshotOfFiles(files, folder.name, { tool: tool.name, created: folder.created })
}

type NamedSiteFile = SiteFile & { readonly name: string; readonly text: string }

/** The number of site files whose texts are in memory at once. */
const MAX_TEXTS = 500

/** The files of a snapshot folder. Throws a `Failure` (exit 3) for any other JSON file. */
async function* siteFilesIn(
  { name: folder, files, read }: FolderRevision,
  io: Io
): AsyncGenerator<NamedSiteFile> {
  const entries = [...files]
  let bytes = 0
  for (let start = 0; start < entries.length; start += MAX_TEXTS) {
    const batch = entries.slice(start, start + MAX_TEXTS)
    const contents = await read(batch.map(([, id]) => id))
    for (const [path, id] of batch) {
      const text = contents.get(id)?.toString('utf8') ?? ''
      bytes += text.length
      if (bytes > fileLimits.snapshotFolder.bytes) {
        throw wrongInput(`${folder}: ${tooLarge(bytes, fileLimits.snapshotFolder)}`)
      }
      const name = join(folder, path)
      yield { ...parseSiteFile(text, name), name, text }
    }
    await checkpoint(io)
  }
}

/** A folder of its own has other files, such as a README, but no JSON files of others; folders in it are not read. */
function isSiteFileName(name: string): boolean {
  return /^[^./][^/]*\.json$/.test(name)
}

type FolderFacts = Omit<EstateHistory, 'changes' | 'events' | 'contested'>

/** The number of commits whose files are in memory at once. */
const BATCH = 20

/**
 * Reads the history of a snapshot folder, or of `REV:DIR`, from Git; `visit` gets the steps, the oldest first. The first
 * commit is no step: what was before it is unknown. Throws a `Failure` (exit 3).
 */
export async function readHistory(
  name: string,
  visit: (step: StateStep, previous: string) => void,
  io: Io
): Promise<FolderFacts> {
  const found = await stat(resolve(io.cwd, name)).catch(() => undefined)
  const at = found === undefined ? revisionIn(name) : undefined
  if (at === undefined && found?.isDirectory() !== true) {
    throw wrongInput(`${name} is not a folder`, 'give a snapshot folder in Git, or `REV:DIR`')
  }
  const folder = at === undefined ? name : pathInRepository(name, at.folder)
  const history = await historyOf(folder, at?.revision, io)
  const commits = history.commits
    .map(commit => ({ ...commit, files: commit.files.filter(file => isSiteFileName(file.name)) }))
    .filter(({ files }) => files.length > 0)
  const [first, ...others] = commits
  if (first === undefined) {
    throw wrongInput(
      `Git has no snapshot in ${name}`,
      'commit what `wlanctl snapshot --into DIR` writes'
    )
  }
  const unreadable: string[] = []
  let previous = first.time
  let service: string | undefined
  for (let start = 0; start < others.length; start += BATCH) {
    const batch = others.slice(start, start + BATCH)
    const ids = batch.flatMap(({ files }) =>
      files.flatMap(({ before, after }) => [before, after].filter(id => id !== undefined))
    )
    const contents = await history.read([...new Set(ids)])
    for (const { id: commit, time, files } of batch) {
      const read = (side: 'before' | 'after') =>
        files.flatMap(file => {
          const content = file[side] === undefined ? undefined : contents.get(file[side])
          return content === undefined ? [] : [siteIn(content, file.name)]
        })
      const [before, after] = [read('before'), read('after')]
      unreadable.push(...namesIn(after).map(file => `${file} at ${commit.slice(0, 10)}`))
      service = refuseOtherEstate(`${name} at ${commit.slice(0, 10)}`, service, before, after)
      visit({ time, commit, ...knownSites(before, after) }, previous)
      previous = time
    }
    await checkpoint(io)
  }
  const { isShallow } = history
  return { began: first.time, ended: previous, states: others.length, isShallow, unreadable }
}

/** The numbers of a history, and the contested fields, of the sites with these ids in lower case. */
export async function readSummary(
  name: string,
  ids: ReadonlySet<string>,
  io: Io
): Promise<HistorySummary> {
  const events: EstateEvent[] = []
  const visit = (step: StateStep) =>
    events.push(...eventsOf(step).filter(({ siteId }) => ids.has(siteId.toLowerCase())))
  return summaryOf(await readHistory(name, visit, io), events)
}

const OWN_FOLDER = 'give each service a folder of its own'

type KnownSite = LiveSite & Pick<SiteFile, 'baseUrl'>

/**
 * Throws a `Failure` (exit 3) if the files of a commit are of another service or organization than those before it.
 * Returns the service.
 */
function refuseOtherEstate(
  at: string,
  service: string | undefined,
  before: readonly (KnownSite | string)[],
  after: readonly (KnownSite | string)[]
): string | undefined {
  const [earlier, later] = [sitesIn(before), sitesIn(after)]
  const known = service ?? [...earlier, ...later][0]?.baseUrl
  const other = later.find(({ baseUrl }) => baseUrl !== known)
  if (other !== undefined) {
    throw wrongInput(
      `${at} is about ${other.baseUrl}, and an earlier commit about ${known}`,
      OWN_FOLDER
    )
  }
  const byId = new Map(earlier.map(live => [live.site.id.toLowerCase(), live]))
  for (const live of later) {
    const was = byId.get(live.site.id.toLowerCase())
    if (was !== undefined) refuseOtherOrganization(at, live, was)
  }
  return known
}

/** The site of a file, or its name if wlanctl did not write it in this form. */
function siteIn(content: Buffer, name: string): KnownSite | string {
  try {
    const file = parseSiteFile(content.toString('utf8'), name)
    return { ...liveSiteOf(file), baseUrl: file.baseUrl }
  } catch (error) {
    if (error instanceof Failure) return name
    throw error
  }
}

/** The sites of both sides. With a file that cannot be read, only those of both: others may be in that file. */
function knownSites(
  before: readonly (LiveSite | string)[],
  after: readonly (LiveSite | string)[]
): Pick<StateStep, 'before' | 'after'> {
  const [earlier, later] = [sitesIn(before), sitesIn(after)]
  if (namesIn(before).length + namesIn(after).length === 0) return { before: earlier, after: later }
  const isIn = (sites: readonly LiveSite[]) => (live: LiveSite) =>
    sites.some(({ site }) => sameId(site.id, live.site.id))
  return { before: earlier.filter(isIn(later)), after: later.filter(isIn(earlier)) }
}

function sitesIn<S extends LiveSite>(files: readonly (S | string)[]): S[] {
  return files.filter(file => typeof file !== 'string')
}

function namesIn(files: readonly (LiveSite | string)[]): string[] {
  return files.filter(file => typeof file === 'string')
}

/** What a run read, for a snapshot folder. */
export interface FolderUpdate {
  readonly baseUrl: string
  readonly read: readonly (LiveSite | UnreadSite)[]
  /** False if the run was about some sites of the fleet: files of other sites are kept. */
  readonly isWhole: boolean
}

/** The number of files that were written or removed. */
export interface FolderChanges {
  readonly written: number
  readonly removed: number
}

/**
 * Brings a snapshot folder up to date: a site that could not be read keeps its file, and one that left the fleet loses
 * it; a run that could not read anything leaves all as it is. Writes only files whose bytes change. Throws a `Failure` (exit 3) before it writes if the folder is of something else.
 */
export async function updateSnapshotFolder(
  folder: string,
  { baseUrl, read, isWhole }: FolderUpdate,
  io: Io
): Promise<FolderChanges> {
  if (!read.some(live => 'wlans' in live)) return { written: 0, removed: 0 }
  const present: NamedSiteFile[] = []
  for await (const file of siteFilesIn(await folderOnDisk(folder, io), io)) {
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
  await removeLeftovers(target)
  const { folder: temporary, file } = await makeTemporaryFolder(target)
  try {
    for (const [at, [name, text]] of files.entries()) {
      await checkTarget(join(folder, name), io.cwd)
      await writeFile(file, text)
      await rename(file, join(target, name))
      if (at % 100 === 99) await checkpoint(io)
    }
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

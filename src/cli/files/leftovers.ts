import type { Stats } from 'node:fs'
import { lstat, mkdtemp, readdir, rmdir, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { geteuid, kill, pid } from 'node:process'
import { append } from '../../core/values/collections.ts'

/** The prefix of all temporary folders; six letters and digits follow. */
const PREFIX = '.wlanctl-tmp-'
const NAME = /^\.wlanctl-tmp-[A-Za-z0-9]{6}$/

/** In milliseconds. No run waits longer than a day before it writes to a reserved file. */
const HOUR = 60 * 60_000
const DAY = 24 * HOUR

const MAX_FOLDERS = 10_000

/**
 * Creates a temporary folder next to the file to write, and returns the path for the text in it. The folder
 * is hidden, so that no fleet reads it, and its name matches `.wlanctl-tmp-XXXXXX`; the name of the file in
 * it identifies the process.
 */
export async function makeTemporaryFolder(
  folder: string
): Promise<{ folder: string; file: string }> {
  const created = await mkdtemp(join(folder, PREFIX))
  return { folder: created, file: join(created, `${pid}-${hostSlug()}`) }
}

/** Folders that this process has cleaned, because an import writes thousands of files to one folder. */
const swept = new Set<string>()

/**
 * Removes leftovers of killed runs from a folder if they are certainly ours, by owner, name and content, and
 * stale: their process on this machine has ended, or they are a day old (an hour, if empty). Never throws:
 * leftovers that cannot be removed stay.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  if (swept.has(folder)) return
  swept.add(folder)
  for (const path of await leftoversIn(folder)) {
    for (const name of await readdir(path).catch(() => [])) {
      await unlink(join(path, name)).catch(() => undefined)
    }
    await rmdir(path).catch(() => undefined)
  }
}

/** The stale temporary folders in a folder and, up to a limit, below it. */
export async function leftoversBelow(root: string): Promise<string[]> {
  const found: string[] = []
  const folders = [root]
  for (let at = 0; at < folders.length; at += 1) {
    const folder = folders[at] ?? root
    append(found, await leftoversIn(folder))
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const isSearched = entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name)
      if (isSearched && folders.length < MAX_FOLDERS) folders.push(join(folder, entry.name))
    }
  }
  return found
}

/** The stale temporary folders directly in a folder. */
export async function leftoversIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter(name => NAME.test(name))
  const stale: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    if (await isStale(path)) stale.push(path)
  }
  return stale
}

async function isStale(path: string): Promise<boolean> {
  const stat = await lstat(path).catch(() => undefined)
  if (stat === undefined || !stat.isDirectory() || !isOurs(stat)) return false
  const names = await readdir(path).catch(() => undefined)
  if (names === undefined || names.length > 1) return false
  const [name] = names
  if (name === undefined) return isOlder(stat, HOUR)
  const file = await lstat(join(path, name)).catch(() => undefined)
  const [, process = '', host] = /^(\d{1,10})-([\w-]{0,64})$/.exec(name) ?? []
  if (file === undefined || !file.isFile() || !isOurs(file) || process === '') return false
  const isGone = host === hostSlug() && !isAlive(Number(process))
  return isGone || isOlder(file, DAY)
}

/** True for files of this user. Without users, as on Windows, it is always true. */
function isOurs({ uid }: Stats): boolean {
  return uid === (geteuid?.() ?? uid)
}

function isOlder({ mtimeMs }: Stats, age: number): boolean {
  return Date.now() - mtimeMs > age
}

/** True if a process with this number exists; it may be a different one by now. */
function isAlive(process: number): boolean {
  try {
    kill(process, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Several machines may share a folder, and a process id is valid on one of them only. */
function hostSlug(): string {
  return hostname()
    .replace(/[^\w-]/g, '-')
    .slice(0, 64)
}

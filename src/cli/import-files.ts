import { rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ImportedSecret } from '../import/secrets.ts'
import {
  type ImportedFile,
  type Pause,
  SiteFileWriter,
  writeSiteFiles
} from '../import/site-files.ts'
import type { RequestedImport, RequestedSite } from '../import/site-requests.ts'
import { exit, Failure } from '../model/failure.ts'
import { type Finding, finding } from '../model/finding.ts'
import type { ImportSummary } from '../report/report.ts'
import { checkNew, makeFolder, writeFileAtomic } from './files/files.ts'

/** Where an import writes to. */
interface Target {
  readonly out: string
  readonly secretsOut?: string
  readonly secretPrefix: string
  readonly force?: true
  readonly cwd: string
}

/** What an import wrote, and its findings. */
export interface Written extends Pick<ImportSummary, 'profiles' | 'lines'> {
  readonly files: readonly Omit<ImportedFile, 'text'>[]
  readonly secrets: readonly ImportedSecret[]
  readonly findings: readonly Finding[]
}

/** Receives the imported sites in the order of their requests. */
export interface Destination {
  take(site: RequestedImport): void
  /** Ends early; returns how many files are written. */
  abandon(): Promise<number>
  /** Writes what is left; rejects with a `Failure` if something could not be written. */
  end(): Promise<Written>
}

/**
 * A file for each site, written while others are still read. All of their places are looked at
 * before: rejects with a `Failure` (exit 3) if one of them is taken.
 */
export async function ownFiles(
  requested: readonly RequestedSite[],
  target: Target
): Promise<Destination> {
  await checkPlaces(
    requested.map(({ slug }) => `${slug}.yaml`),
    target
  )
  const plain = new SiteFileWriter(target.secretPrefix)
  const writing = new Writing(target)
  const files: Omit<ImportedFile, 'text'>[] = []
  return {
    take(site) {
      const file = plain.write(site)
      writing.add(file)
      files.push({ file: file.file, wlans: file.wlans })
    },
    abandon: () => writing.abandon(),
    async end() {
      await writing.end()
      return { files, secrets: plain.secrets, findings: [] }
    }
  }
}

/** Files in layers, which are known when all sites are; or one for each, where layers do not help. */
export async function layeredFiles(target: Target, pause: Pause): Promise<Destination> {
  await checkPlaces([], target)
  const sites: RequestedImport[] = []
  const writing = new Writing(target)
  return {
    take: site => void sites.push(site),
    abandon: () => writing.abandon(),
    async end() {
      const { files, ...written } = await inLayers(sites, target, pause)
      await checkPlaces(
        files.map(({ file }) => file),
        target
      )
      for (const file of files) {
        await pause()
        writing.add(file)
      }
      await writing.end()
      return { ...written, files: files.map(({ text: _, ...file }) => file) }
    }
  }
}

async function inLayers(
  sites: readonly RequestedImport[],
  { secretPrefix }: Target,
  pause: Pause
): Promise<Omit<Written, 'files'> & { readonly files: readonly ImportedFile[] }> {
  if (sites.length === 0) return { files: [], secrets: [], findings: [] }
  const { factor } = await import('../import/factor/factor.ts')
  const plain = await writeSiteFiles(sites, secretPrefix, pause)
  const made = await factor(sites, plain.files, secretPrefix, pause)
  if ('files' in made) return { ...made, findings: [] }
  return { ...plain, findings: [finding('IMPORT_NOT_FACTORED', {}, made.reason)] }
}

/** Throws a `Failure` if a file cannot be written, or is there already; leaves nothing behind. */
async function checkPlaces(
  files: readonly string[],
  { out, secretsOut, force, cwd }: Target
): Promise<void> {
  const folder = new OutFolder(out, cwd)
  try {
    await folder.make()
    const all = files.map(file => join(out, file))
    if (secretsOut !== undefined) all.push(secretsOut)
    if (new Set(all.map(file => resolve(cwd, file))).size < all.length) {
      throw new Failure(exit.wrongInput, `${secretsOut} is also the file of a site`)
    }
    await checkNew(all, force === true, cwd)
  } finally {
    await folder.removeEmpty()
  }
}

/** Files that are written at the same time: each waits for the disk. */
const LANES = 8

/** Writes files side by side; after one that could not be written no other is begun. */
class Writing {
  readonly #target: Target
  readonly #folder: OutFolder
  #lanes: Promise<void>[] = []
  #added = 0
  #written = 0
  #failures: unknown[] = []

  constructor(target: Target) {
    this.#target = target
    this.#folder = new OutFolder(target.out, target.cwd)
  }

  add(file: ImportedFile): void {
    if (this.#lanes.length === 0) {
      const begin = this.#folder.make().catch(error => void this.#failures.push(error))
      this.#lanes = Array.from({ length: LANES }, () => begin)
    }
    const lane = this.#added % LANES
    const before = this.#lanes[lane] ?? Promise.resolve()
    this.#added += 1
    this.#lanes[lane] = before
      .then(() => this.#write(file))
      .catch(error => void this.#failures.push(error))
  }

  async #write({ file, text }: ImportedFile): Promise<void> {
    const { out, cwd } = this.#target
    if (this.#failures.length > 0) return
    await writeFileAtomic(join(out, file), text, cwd)
    this.#written += 1
  }

  /** Rejects with the first error if a file could not be written. */
  async end(): Promise<void> {
    await Promise.all(this.#lanes)
    if (this.#failures.length > 0) throw this.#failures[0]
  }

  /** Gives how many files are written; without one, no folder stays. */
  async abandon(): Promise<number> {
    await Promise.all(this.#lanes)
    await this.#folder.removeEmpty()
    return this.#written
  }
}

/** The folder that files are written to; a run that writes none of them leaves no folder behind. */
export class OutFolder {
  readonly #folder: string
  readonly #cwd: string
  /** Those that were not there before, the innermost first. */
  #made: readonly string[] = []

  constructor(folder: string, cwd: string) {
    this.#folder = folder
    this.#cwd = cwd
  }

  /** Makes it, and those that it is in. Throws a `Failure` if that cannot be. */
  async make(): Promise<void> {
    this.#made = [...(await missing(resolve(this.#cwd, this.#folder))), ...this.#made]
    await makeFolder(this.#folder, this.#cwd)
  }

  /** Removes what was made, as far as nothing is in it. */
  async removeEmpty(): Promise<void> {
    for (const folder of this.#made) await rmdir(folder).catch(() => undefined)
    this.#made = []
  }
}

async function missing(path: string): Promise<string[]> {
  const isThere = (await stat(path).catch(() => undefined)) !== undefined
  if (isThere || dirname(path) === path) return []
  return [path, ...(await missing(dirname(path)))]
}

/** Signals wait for so long at most, in milliseconds. */
const SLICE = 20

/** Lets the event loop turn after each slice of time, so that a signal can abort this one. */
export function pauseUntil(stop: AbortSignal): Pause {
  let last = performance.now()
  return async () => {
    stop.throwIfAborted()
    if (performance.now() - last < SLICE) return
    await setImmediate()
    last = performance.now()
    stop.throwIfAborted()
  }
}

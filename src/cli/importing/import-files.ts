import { join, resolve } from 'node:path'
import type { File } from '../../import/file.ts'
import { PlainFiles, plainFiles, type SitePair } from '../../import/plain.ts'
import type { RequestedSite } from '../../import/request.ts'
import type { ImportedSecret } from '../../import/secrets.ts'
import { exit, Failure } from '../../model/failure.ts'
import { type Finding, finding } from '../../model/finding.ts'
import type { Imported } from '../../report/report.ts'
import { checkNew, makeFolder, writeWhole } from '../files/files.ts'

/** Where an import writes to. */
interface Target {
  readonly out: string
  readonly secretsOut?: string
  readonly secretPrefix: string
  readonly force?: true
  readonly cwd: string
}

/** What an import wrote, and what is to be said of it. */
export interface Written extends Pick<Imported, 'profiles' | 'lines'> {
  readonly files: readonly Omit<File, 'text'>[]
  readonly secrets: readonly ImportedSecret[]
  readonly findings: readonly Finding[]
}

/** Takes what is read, site after site in the order in which they were asked for. */
export interface Destination {
  take(site: SitePair): void
  /** Ends before all is read, and tells how many files are there already. */
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
  const plain = new PlainFiles(target.secretPrefix)
  const writing = new Writing(target)
  const files: Omit<File, 'text'>[] = []
  return {
    take(site) {
      const file = plain.file(site)
      writing.add(file)
      files.push({ file: file.file, wlans: file.wlans })
    },
    async abandon() {
      await writing.end()
      return files.length
    },
    async end() {
      await writing.end()
      return { files, secrets: plain.secrets, findings: [] }
    }
  }
}

/** Files in layers, which are known when all sites are; or one for each, where layers do not help. */
export async function layeredFiles(target: Target): Promise<Destination> {
  await checkPlaces([], target)
  const sites: SitePair[] = []
  return {
    take: site => void sites.push(site),
    abandon: async () => 0,
    async end() {
      const { files, ...written } = await inLayers(sites, target)
      await checkPlaces(
        files.map(({ file }) => file),
        target
      )
      const writing = new Writing(target)
      for (const file of files) writing.add(file)
      await writing.end()
      return { ...written, files: files.map(({ text: _, ...file }) => file) }
    }
  }
}

async function inLayers(
  sites: readonly SitePair[],
  { secretPrefix }: Target
): Promise<Omit<Written, 'files'> & { readonly files: readonly File[] }> {
  const { factor } = await import('../../import/factor/factor.ts')
  const plain = plainFiles(sites, secretPrefix)
  const made = await factor(sites, plain.files, secretPrefix)
  if ('files' in made) return { ...made, findings: [] }
  return { ...plain, findings: [finding('IMPORT_NOT_FACTORED', {}, made.reason)] }
}

async function checkPlaces(
  files: readonly string[],
  { out, secretsOut, force, cwd }: Target
): Promise<void> {
  await makeFolder(out, cwd)
  const all = files.map(file => join(out, file))
  if (secretsOut !== undefined) all.push(secretsOut)
  if (new Set(all.map(file => resolve(cwd, file))).size < all.length) {
    throw new Failure(exit.wrongInput, `${secretsOut} is also the file of a site`)
  }
  await checkNew(all, force === true, cwd)
}

/** Files that are written at the same time: each waits for the disk. */
const LANES = 8

/** Writes files side by side; after one that could not be written no other is begun. */
class Writing {
  readonly #target: Target
  readonly #lanes: Promise<void>[] = Array.from({ length: LANES }, () => Promise.resolve())
  #added = 0
  #failures: unknown[] = []

  constructor(target: Target) {
    this.#target = target
  }

  add({ file, text }: File): void {
    const { out, cwd } = this.#target
    const lane = this.#added % LANES
    const before = this.#lanes[lane] ?? Promise.resolve()
    this.#added += 1
    this.#lanes[lane] = before
      .then(() => (this.#failures.length > 0 ? undefined : writeWhole(join(out, file), text, cwd)))
      .catch(error => void this.#failures.push(error))
  }

  async end(): Promise<void> {
    await Promise.all(this.#lanes)
    if (this.#failures.length > 0) throw this.#failures[0]
  }
}

import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { GroupName } from '../../author/import/factor/naming.ts'
import { type ImportedSecret, SecretCatalog, type SecretForm } from '../../author/import/secrets.ts'
import { type ImportedFile, type Pause, writeSiteFiles } from '../../author/import/site-files.ts'
import type { RequestedImport, RequestedSite } from '../../author/import/site-requests.ts'
import { flowText } from '../../author/yaml-edit/write.ts'
import { wrongInput } from '../../core/model/failure.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import { loadTexts } from '../../fleet/load.ts'
import { TimeSlice } from '../../fleet/load-context.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import type { ImportSummary } from '../../report/report.ts'
import type { WaiverEntry } from '../../run/checks/live-waivers.ts'
import { checkUndeclared, declaresPolicy } from '../files/declared-sites.ts'
import { checkNew, isPresent, OutFolder, writeFileAtomic } from '../files/files.ts'
import { checkSecretFiles, checkSecretsFolder } from '../files/import-secrets.ts'

interface Target {
  readonly out: string
  readonly secretsOut?: string
  readonly secretsDir?: string
  readonly secretPrefix: string
  readonly force?: true
  readonly group: readonly GroupName[]
  readonly cwd: string
  readonly now: () => Date
}

/** The files of an import, and its findings. */
export interface Written extends Pick<ImportSummary, 'profiles' | 'lines'> {
  readonly files: readonly Omit<ImportedFile, 'text'>[]
  readonly secrets: readonly ImportedSecret[]
  readonly findings: readonly Finding[]
  /** For the lint errors of the live networks. */
  readonly waivers: readonly WaiverEntry[]
  /** The key of a WLAN in the files, by the id of the WLAN; absent if each has the key of its import. */
  readonly keys?: ReadonlyMap<string, string>
}

/** Receives the imported sites in the order of their requests. */
export interface Destination {
  take(site: RequestedImport): void
  /** Stops early; returns the number of written files. */
  abandon(): Promise<number>
  /** Writes all files; rejects with a `Failure` if one could not be written. */
  end(): Promise<Written>
}

type Content = Omit<Written, 'files' | 'waivers'> & { readonly files: readonly ImportedFile[] }

/**
 * A file for each site. Checks all of their paths first: rejects with a `Failure` (exit 3) if one of them
 * exists, or the fleet declares one of the sites.
 */
export async function ownFiles(
  requested: readonly RequestedSite[],
  target: Target,
  pause: Pause
): Promise<Destination> {
  const files = requested.map(({ slug }) => `${slug}.yaml`)
  await checkPlaces(files, requested, target)
  return destination(target, pause, sites => plainContent(sites, target, pause))
}

/** Files in layers, or one for each site if layers do not help. */
export async function layeredFiles(
  requested: readonly RequestedSite[],
  target: Target,
  pause: Pause
): Promise<Destination> {
  // With `--force`, a file that declares one of the sites may be one of those to replace, which are known later.
  await checkPlaces([], target.force ? [] : requested, { ...target, mayReplace: true })
  return destination(target, pause, async sites => {
    // One site has nothing in common with others, which is no finding.
    const content = await (requested.length === 1
      ? plainContent(sites, target, pause)
      : inLayers(sites, target, pause))
    const files = content.files.map(({ file }) => file)
    await checkPlaces(files, requested, target)
    return content
  })
}

/** Writes the content after all sites are known, because equal secrets of several sites share a name. */
function destination(
  target: Target,
  pause: Pause,
  contentOf: (sites: readonly RequestedImport[]) => Promise<Content>
): Destination {
  const sites: RequestedImport[] = []
  const writing = new Writing(target)
  return {
    take: site => void sites.push(site),
    abandon: () => writing.abandon(),
    async end() {
      const { files, ...written } = await contentOf(sites)
      await checkSecretFiles(written.secrets, target)
      for (const file of files) {
        await pause()
        writing.add(file)
      }
      await writing.end()
      const waivers = await waiversOf(files, target)
      return { ...written, waivers, files: files.map(({ text: _, ...file }) => file) }
    }
  }
}

async function waiversOf(
  files: readonly ImportedFile[],
  { secretPrefix, now }: Target
): Promise<readonly WaiverEntry[]> {
  const texts = new Map(files.map(({ file, text }) => [file, text]))
  const { desired } = await loadTexts(texts, referencesOnly(secretPrefix))
  if (desired === undefined) return []
  const { liveWaivers } = await import('../../run/checks/live-waivers.ts')
  return liveWaivers(desired.sites, now())
}

function formOf({ secretsDir, secretPrefix: prefix }: Target): SecretForm {
  return secretsDir === undefined ? { kind: '$env', prefix } : { kind: '$file' }
}

async function plainContent(
  sites: readonly RequestedImport[],
  target: Target,
  pause: Pause
): Promise<Content> {
  const catalog = new SecretCatalog(sites, formOf(target))
  const files = await writeSiteFiles(sites, catalog, pause)
  return { files, secrets: catalog.secrets, findings: [] }
}

async function inLayers(
  sites: readonly RequestedImport[],
  target: Target,
  pause: Pause
): Promise<Content> {
  if (sites.length === 0) return { files: [], secrets: [], findings: [] }
  const { factor } = await import('../../author/import/factor/factor.ts')
  const form = formOf(target)
  const catalog = new SecretCatalog(sites, form)
  const plain = await writeSiteFiles(sites, catalog, pause)
  const options = { form, groupNames: target.group }
  const factored = await factor(sites, plain, options, pause)
  if ('files' in factored) {
    const { unmatched, ...content } = factored
    const unused = unmatched.map(({ name, glob }) => finding('IMPORT_GROUP_UNUSED', {}, name, glob))
    return { ...content, findings: unused }
  }
  const findings = [finding('IMPORT_NOT_FACTORED', {}, factored.reason)]
  return { files: plain, secrets: catalog.secrets, findings }
}

/**
 * Throws a `Failure` if a file cannot be written, or exists, or the fleet declares one of the sites in
 * another file; creates nothing permanently.
 */
async function checkPlaces(
  files: readonly string[],
  sites: readonly RequestedSite[],
  target: Target & { readonly mayReplace?: true }
): Promise<void> {
  const { out, secretsOut, force, cwd } = target
  const folder = new OutFolder(out, cwd)
  try {
    await folder.make()
    await checkSecretsFolder(target)
    const all = files.map(file => join(out, file))
    if (secretsOut !== undefined) all.push(secretsOut)
    if (new Set(all.map(file => resolve(cwd, file))).size < all.length) {
      throw wrongInput(`${secretsOut} is also the file of a site`)
    }
    await checkNew(all, force === true, cwd)
    if (sites.length > 0) await checkUndeclared(sites, all, target)
  } finally {
    await folder.removeEmpty()
  }
}

/** The number of files that are written at the same time, because each waits for the disk. */
const WRITE_CONCURRENCY = 8

/** Writes files in parallel; after the first error no further one is started. */
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
      this.#lanes = Array.from({ length: WRITE_CONCURRENCY }, () => begin)
    }
    const lane = this.#added % WRITE_CONCURRENCY
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

  /** Returns the number of written files; without one, removes the folder. */
  async abandon(): Promise<number> {
    await Promise.all(this.#lanes)
    await this.#folder.removeEmpty()
    return this.#written
  }
}

/** Returns a function that yields after each slice of time, so that a signal can abort the run. */
export function pauseUntil(stop: AbortSignal): Pause {
  const slice = new TimeSlice(stop)
  return async () => {
    stop.throwIfAborted()
    if (slice.isOver) await slice.next()
  }
}

interface Target {
  readonly out: string
  readonly cwd: string
  /** A file that ends with the policy of the fleet, written by the same run. */
  readonly policyFile?: string | undefined
}

const COMMENT =
  '  # Lint errors of networks that were live when imported. Repair the networks, and remove their waivers.'

/** Adds the waivers to the policy of a new fleet. Another policy stays as it is: the report lists the entries. */
export async function addWaivers(
  waivers: readonly WaiverEntry[],
  target: Target
): Promise<Pick<ImportSummary, 'waivers'>> {
  if (waivers.length === 0) return {}
  const entries = waivers.map(waiver => flowText({ ...waiver }))
  const lines = [COMMENT, '  waivers:', ...entries.map(entry => `    - ${entry}`), '']
  const file = target.policyFile ?? (await newPolicy(target))
  if (file === undefined) return { waivers: { entries } }
  const { cwd } = target
  const before =
    target.policyFile === undefined ? 'policy:\n' : await readFile(resolve(cwd, file), 'utf8')
  await writeFileAtomic(file, before + lines.join('\n'), cwd, 0o644)
  return { waivers: { entries, file } }
}

async function newPolicy(target: Target): Promise<string | undefined> {
  const file = join(target.out, 'policy.yaml')
  const isTaken = (await isPresent(file, target.cwd)) || (await declaresPolicy(target))
  return isTaken ? undefined : file
}

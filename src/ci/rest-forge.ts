import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { exit, Failure, reasonOf } from '../core/model/failure.ts'
import { withoutSecrets } from '../core/values/environment.ts'
import {
  type Api,
  type Client,
  download,
  ForgeError,
  ifFound,
  type JobEnvironment,
  pagesOf,
  restClient
} from './client.ts'
import { type Artifact, type CurrentRun, MAX_DOWNLOAD, MAX_UNPACKED } from './forge.ts'
import { isForgeCredential } from './job.ts'

/** A repository of a forge. */
export interface Repository {
  /** The path of its interface, such as `/projects/{project}`, with names of `parameters` in braces. */
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  /** Below it, the path of the archive of an artifact, with its `{id}`. */
  readonly artifact: string
}

/** What GitHub and GitLab have in common: a job, and the REST interface of its repository. */
export class RestForge {
  readonly run: CurrentRun
  protected readonly api: Api
  protected readonly client: Client
  readonly #repository: Repository

  constructor(api: Api, run: CurrentRun, repository: Repository) {
    this.run = run
    this.api = api
    this.client = restClient(api)
    this.#repository = repository
  }

  get childEnvironment(): JobEnvironment {
    return withoutSecrets(this.api.env, isForgeCredential)
  }

  async download(
    { id, name, isExpired, size }: Artifact,
    names: readonly string[],
    folder: string
  ): Promise<readonly string[]> {
    if (isExpired) throw new ForgeError(`the artifact ${name} has expired`)
    if (size > MAX_DOWNLOAD)
      throw new ForgeError(`the artifact ${name} is too large: ${size} bytes`)
    const { path, parameters, artifact } = this.#repository
    const archive = await ifFound(
      download(this.client, this.api, `GET ${path}${artifact}`, { ...parameters, id }, MAX_DOWNLOAD)
    )
    if (archive === undefined) throw new ForgeError(`the artifact ${name} has expired`)
    return unpack(archive, names, folder)
  }

  /** Sends a request about the repository; returns the body of the response. */
  protected async send<Result>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    parameters: Readonly<Record<string, unknown>>
  ): Promise<Result> {
    const route: string = `${method} ${this.#repository.path}${path}`
    const all = { ...this.#repository.parameters, ...parameters }
    return (await this.client.request(route, all)).data
  }

  /** The entries of a list of the repository. */
  protected list<Entry extends object>(
    path: string,
    parameters: Readonly<Record<string, unknown>>
  ): AsyncGenerator<Entry> {
    const all = { ...this.#repository.parameters, ...parameters }
    return pagesOf(this.client, this.#repository.path + path, all)
  }
}

/** The maximum number of entries of an artifact. */
const MAX_ENTRIES = 1000

/**
 * Writes the named files of a zip archive, without their first folder, to a folder, which it creates, and returns their
 * names: an artifact of GitLab has one folder for all. Throws a `Failure` and writes nothing if the archive is damaged, has
 * an entry outside of its folder, two of one name or more than `MAX_ENTRIES`, or holds more than `MAX_UNPACKED` bytes, by its own account or in truth.
 */
async function unpack(
  archive: Uint8Array,
  names: readonly string[],
  folder: string
): Promise<readonly string[]> {
  const files = await readFiles(archive, names).catch(thrown => {
    throw new Failure(exit.failed, `the archive is not usable: ${reasonOf(thrown)}`)
  })
  await mkdir(folder, { recursive: true })
  for (const [name, content] of files) await writeFile(join(folder, name), content)
  return [...files.keys()]
}

async function readFiles(archive: Uint8Array, names: readonly string[]) {
  const zip = await opened(Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength))
  if (zip.entryCount > MAX_ENTRIES) throw new Error(`it has ${zip.entryCount} entries`)
  const entries = new Map<string, Entry>()
  for (const entry of await entriesOf(zip)) {
    const name = entry.fileName.replace(/^[^/]+\//, '')
    if (entries.has(name)) throw new Error('it has two entries of one name')
    entries.set(name, entry)
  }
  const size = [...entries.values()].reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  if (size > MAX_UNPACKED) throw new Error(`it holds ${size} bytes`)
  const files = new Map<string, Buffer>()
  for (const [name, entry] of entries) {
    if (names.includes(name)) files.set(name, await contentOf(zip, entry))
  }
  return files
}

/** yauzl rejects names that are absolute, contain a backslash, or leave the folder. */
function opened(archive: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(
      archive,
      { autoClose: false, lazyEntries: true, strictFileNames: true },
      (error, zip) => (error ? reject(error) : resolve(zip))
    )
  })
}

function entriesOf(zip: ZipFile): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    zip.on('error', reject)
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      entries.push(entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

/** yauzl ends the stream with an error if it is longer or shorter than the entry says; it does not check the sum. */
async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const content = Buffer.concat(chunks)
  if (crc32(content) !== entry.crc32) throw new Error('a checksum is wrong')
  return content
}

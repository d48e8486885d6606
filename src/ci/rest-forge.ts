import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { reasonOf } from '../core/model/failure.ts'
import { withoutSecrets } from '../core/values/environment.ts'
import {
  type Api,
  type Client,
  download,
  ifFound,
  type JobEnvironment,
  pagesOf,
  restClient,
  UnusableArtifact
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

/** An artifact as a forge lists it. */
export interface Listed extends Pick<Artifact, 'created' | 'url'> {
  readonly id: string
  readonly name: string
  readonly isExpired: boolean
  /** Packed, in bytes. */
  readonly size: number
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

  protected artifact(listed: Listed): Artifact {
    const { created, url } = listed
    return { created, url, read: names => this.#read(listed, names) }
  }

  async #read({ id, isExpired, size }: Listed, names: readonly string[]) {
    const tooLarge = `it is larger than ${MAX_DOWNLOAD / 1024 / 1024} MiB`
    if (isExpired) throw new UnusableArtifact('it has expired')
    if (size > MAX_DOWNLOAD) throw new UnusableArtifact(tooLarge)
    const { path, parameters, artifact } = this.#repository
    const route = `GET ${path}${artifact}`
    const archive = await ifFound(
      download(this.client, this.api, route, { ...parameters, id }, MAX_DOWNLOAD)
    )
    if (archive === undefined) throw new UnusableArtifact('it has expired')
    return unpack(archive, names).catch((thrown: unknown) => {
      throw new UnusableArtifact(`its archive is damaged: ${reasonOf(thrown)}`)
    })
  }

  /** Sends a request about the repository; returns the body of the response. */
  protected async send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    parameters: Readonly<Record<string, unknown>> = {}
  ): Promise<unknown> {
    const route: string = `${method} ${this.#repository.path}${path}`
    const all = { ...this.#repository.parameters, ...parameters }
    return (await this.client.request(route, all)).data
  }

  /** The entries of a list of the repository. */
  protected list(path: string, parameters: Readonly<Record<string, unknown>> = {}) {
    const all = { ...this.#repository.parameters, ...parameters }
    return pagesOf(this.client, this.#repository.path + path, all)
  }
}

/** The artifacts of a kind and fleet: the name of another fleet may begin with that of ours. */
export function isNamed(name: string, kind: 'plan' | 'apply' | 'drift', fleet: string): boolean {
  const prefix = `wlanctl-${kind}-${fleet}-`
  return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length))
}

export const newestFirst = (a: Pick<Listed, 'created'>, b: Pick<Listed, 'created'>) =>
  b.created.getTime() - a.created.getTime()

/** The first line of a comment or issue, which shows nothing and identifies it. */
const lineOf = (topic: string) => `<!-- wlanctl:${topic} -->\n`

/** The body of a comment or issue, cut to the length that the forge accepts. */
export function withTopic(topic: string, text: string, maxBody: number): string {
  return (lineOf(topic) + text).slice(0, maxBody)
}

/** The text of a body of this topic, without the topic; undefined if it has another one. */
export function textOf(body: string, topic: string): string | undefined {
  const line = lineOf(topic)
  // A forge may store lines with carriage returns.
  const text = body.replaceAll('\r\n', '\n')
  return text.startsWith(line) ? text.slice(line.length) : undefined
}

/** The maximum number of entries of an artifact. */
const MAX_ENTRIES = 1000

/**
 * The texts of the named files of a zip archive, without their first folder: an artifact of GitLab has one folder for all.
 * Throws if any entry is damaged or outside of its folder, two have one name, there are more than `MAX_ENTRIES`, or they hold
 * more than `MAX_UNPACKED` bytes.
 */
async function unpack(
  archive: Uint8Array,
  names: readonly string[]
): Promise<ReadonlyMap<string, string>> {
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
  const texts = new Map<string, string>()
  for (const [name, entry] of entries) {
    const content = await contentOf(zip, entry)
    if (names.includes(name)) texts.set(name, content.toString('utf8'))
  }
  return texts
}

/** yauzl rejects names that are absolute, contain a backslash, or leave the folder. */
function opened(archive: Buffer): Promise<ZipFile> {
  const options = { autoClose: false, lazyEntries: true, strictFileNames: true } as const
  return new Promise((resolve, reject) => {
    fromBuffer(archive, options, (error, zip) => (error ? reject(error) : resolve(zip)))
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

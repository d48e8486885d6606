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
import { type Artifact, type CurrentRun, MAX_DOWNLOAD } from './forge.ts'
import { withoutCredentials } from './job.ts'
import { MAX_COMMIT_ENTRIES, unpack } from './unpack.ts'

/** A repository of a forge. */
export interface Repository {
  /** The path of its interface, such as `/projects/{project}`, with names of `parameters` in braces. */
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  /** Below it, the path of the archive of an artifact, with its `{id}`. */
  readonly artifact: string
  /** Below it, the path of the archive of the commit `{commit}`. */
  readonly commit: string
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
    return withoutCredentials(this.api.env)
  }

  async download(
    { id, name, isExpired, size }: Artifact,
    names: readonly string[],
    folder: string
  ): Promise<readonly string[]> {
    if (isExpired) throw new ForgeError(`the artifact ${name} has expired`)
    if (size > MAX_DOWNLOAD)
      throw new ForgeError(`the artifact ${name} is too large: ${size} bytes`)
    const archive = await ifFound(this.#archive(this.#repository.artifact, { id }))
    if (archive === undefined) throw new ForgeError(`the artifact ${name} has expired`)
    return unpack(archive, each => names.includes(each), folder)
  }

  async downloadCommit(
    commit: string,
    isWanted: (path: string) => boolean,
    folder: string
  ): Promise<void> {
    const archive = await this.#archive(this.#repository.commit, { commit })
    await unpack(archive, isWanted, folder, MAX_COMMIT_ENTRIES)
  }

  #archive(path: string, parameters: Readonly<Record<string, string>>): Promise<Uint8Array> {
    const { path: top, parameters: own } = this.#repository
    const all = { ...own, ...parameters }
    return download(this.client, this.api, `GET ${top}${path}`, all, MAX_DOWNLOAD)
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

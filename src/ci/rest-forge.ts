import { buffer as bytesOf } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise } from 'yauzl'
import { reasonOf, wrongInput } from '../core/model/failure.ts'
import type { Environment } from '../core/values/environment.ts'
import { type Api, type ForgeProcess, RestClient, type Values } from './client.ts'
import {
  type Artifact,
  type CiCommand,
  type CurrentRun,
  type Forge,
  MAX_DOWNLOAD,
  MAX_UNPACKED,
  type MergedPull,
  type NewIssue
} from './forge.ts'
import { dateAt, ifFound, maybeText, textAt } from './forge-json.ts'

/** How the REST interface of a forge differs from that of the other one: paths, and members of what it answers. */
export interface Dialect extends Api {
  readonly kind: Forge['kind']
  readonly maxBody: number
  /** The path of pull requests, and how merged ones are listed, those updated last first. */
  readonly pulls: readonly [path: string, merged: Values]
  readonly pull: Readonly<Record<'number' | 'head' | 'target' | 'repository', string>>
  /** What `pull.repository` is of our own. */
  readonly own: string
  readonly commit: Readonly<Record<'authored' | 'message', string>>
  /** The path of a branch, and the member of the answer with its last commit. */
  readonly branch: readonly [path: string, commit: string]
  readonly archive: (id: string) => string
  readonly comments: (pull: number) => string
  readonly comment: (pull: number, id: string) => string
  readonly issues: readonly [open: Values, close: Values]
  readonly edit: 'PUT' | 'PATCH'
  readonly body: string
  readonly author: string
}

export interface Listed extends Pick<Artifact, 'url'> {
  readonly id: string
  readonly created: Date
  readonly isExpired: boolean
  readonly size: number
}

/** The runs that may have the newest result. */
const MAX_RUNS = 60
const RUNS_AT_A_TIME = 5

export abstract class RestForge implements Forge {
  readonly run: CurrentRun
  readonly kind: Forge['kind']
  readonly maxBody: number
  protected readonly client: RestClient
  protected readonly env: Environment
  protected readonly dialect: Dialect
  #user: Promise<string> | undefined

  constructor(process: ForgeProcess, run: CurrentRun, dialect: Dialect) {
    this.run = run
    this.kind = dialect.kind
    this.maxBody = dialect.maxBody
    this.client = new RestClient(process, dialect)
    this.env = process.env
    this.dialect = dialect
  }

  abstract summary(markdown: string): Promise<void>
  abstract failed(): Promise<ReadonlySet<string>>

  /** The runs of a pull request of our repository for its last commit. */
  protected abstract runsOf(pull: MergedPull): AsyncIterable<object>
  /** The runs of the default branch, and not of a tag, for commits of `line`. */
  protected abstract runsOn(line: ReadonlySet<string>): AsyncIterable<object>
  protected abstract artifactsOf(run: object, kind: CiCommand, fleet: string): AsyncIterable<Listed>
  /** The user of the token, as the dialect's `author`. */
  protected abstract user(): Promise<string>

  async tip(): Promise<string> {
    const [path, commit] = this.dialect.branch
    const name = encodeURIComponent(this.run.defaultBranch)
    return textAt(await this.client.send('GET', `${path}/${name}`), commit)
  }

  async *mergedSince(time: Date): AsyncGenerator<MergedPull> {
    const { pulls, pull: names, own } = this.dialect
    for await (const pull of this.client.list(...pulls)) {
      if (dateAt(pull, 'updated_at') < time) return
      const isMerged = maybeText(pull, 'merged_at') !== undefined
      if (!isMerged || textAt(pull, names.target) !== this.run.defaultBranch) continue
      const commits = ['merge_commit_sha', 'squash_commit_sha', names.head]
      yield {
        number: Number(textAt(pull, names.number)),
        head: textAt(pull, names.head),
        // The repository of a fork may be gone.
        isFork: maybeText(pull, names.repository) !== own,
        commits: commits.flatMap(name => maybeText(pull, name) ?? []),
        merged: dateAt(pull, 'merged_at')
      }
    }
  }

  async commitsOf({ number }: MergedPull): Promise<readonly string[]> {
    const { pulls, commit: names } = this.dialect
    const commits: string[] = []
    for await (const each of this.client.list(`${pulls[0]}/${number}/commits`)) {
      // GitLab lists no parents.
      if ('parents' in each && Array.isArray(each.parents) && each.parents.length > 1) continue
      const [subject = ''] = textAt(each, names.message).split('\n')
      commits.push(`${dateAt(each, names.authored).getTime() / 1000} ${subject}`)
    }
    return commits
  }

  async planOf(pull: MergedPull, name: string): Promise<Artifact | undefined> {
    const runs: object[] = []
    for await (const run of this.runsOf(pull)) runs.push(run)
    const plans = await this.#artifacts(runs, 'plan', name)
    return plans.find(({ created }) => created <= pull.merged)
  }

  async *results(of: CiCommand, name: string, line: ReadonlySet<string>): AsyncGenerator<Artifact> {
    const runs: object[] = []
    for await (const run of this.runsOn(line)) if (runs.push(run) === MAX_RUNS) break
    // An attempt of an older run may be newer, so several runs are asked at a time.
    const updated = (run: object) => dateAt(run, 'updated_at').getTime()
    runs.sort((a, b) => updated(b) - updated(a))
    while (runs.length > 0) {
      yield* await this.#artifacts(runs.splice(0, RUNS_AT_A_TIME), of, name)
    }
  }

  async #artifacts(runs: readonly object[], kind: CiCommand, fleet: string) {
    const found: (Listed & Artifact)[] = []
    for (const run of runs) {
      for await (const listed of this.artifactsOf(run, kind, fleet)) {
        found.push({ ...listed, read: names => this.#read(listed, names) })
      }
    }
    return found.sort((a, b) => b.created.getTime() - a.created.getTime())
  }

  async #read({ id, isExpired, size }: Listed, names: readonly string[]) {
    if (isExpired) throw wrongInput('it has expired')
    if (size > MAX_DOWNLOAD) {
      throw wrongInput(`it is larger than ${MAX_DOWNLOAD / 1024 / 1024} MiB`)
    }
    const found = await ifFound(this.client.download(this.dialect.archive(id)))
    if (found === undefined) throw wrongInput('it has expired')
    return unpack(found, names).catch((thrown: unknown) => {
      throw wrongInput(`its archive is damaged: ${reasonOf(thrown)}`)
    })
  }

  async comment(number: number, topic: string, text: string): Promise<void> {
    const { comments, comment, edit } = this.dialect
    const all = this.client.list(comments(number), { sort: 'asc', order_by: 'created_at' })
    const own = await this.#firstOwn(all, topic, 'body')
    const body = this.#bodyOf(topic, text)
    if (own) await this.client.send(edit, comment(number, own.id), { body })
    else await this.client.send('POST', comments(number), { body })
  }

  async issue(
    topic: string,
    write: (earlier: string | undefined) => NewIssue | undefined
  ): Promise<void> {
    const { issues, edit, pull, body } = this.dialect
    const [open, close] = issues
    const own = await this.#firstOwn(this.client.list('/issues', open), topic, body)
    const issue = write(own?.text)
    const change = issue && { title: issue.title, [body]: this.#bodyOf(topic, issue.body) }
    if (own) await this.client.send(edit, `/issues/${textAt(own, pull.number)}`, change ?? close)
    else if (change) await this.client.send('POST', '/issues', change)
  }

  /** The first comment or issue of the list with this topic that this token's user wrote. */
  async #firstOwn(list: AsyncIterable<object>, topic: string, member: string) {
    for await (const each of list) {
      const text = textOf(maybeText(each, member) ?? '', topic)
      if (text === undefined || 'pull_request' in each) continue
      this.#user ??= this.user()
      if (maybeText(each, this.dialect.author) !== (await this.#user)) continue
      return { ...each, id: textAt(each, 'id'), text }
    }
    return undefined
  }

  #bodyOf(topic: string, text: string): string {
    return (lineOf(topic) + withoutActions(text)).slice(0, this.maxBody)
  }
}

/** The artifacts of a kind and fleet: the name of another fleet may begin with that of ours. */
export function isNamed(name: string, kind: CiCommand, fleet: string): boolean {
  const prefix = `wlanctl-${kind}-${fleet}-`
  return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length))
}

/** The first line of a comment or issue, which shows nothing and identifies it. */
const lineOf = (topic: string) => `<!-- wlanctl:${topic} -->\n`

function textOf(body: string, topic: string): string | undefined {
  const line = lineOf(topic)
  // A forge may store lines with carriage returns.
  const text = body.replaceAll('\r\n', '\n')
  return text.startsWith(line) ? text.slice(line.length) : undefined
}

/** The text without quick actions: lines such as `/merge`, which GitLab would execute. */
function withoutActions(text: string): string {
  return text.replace(/^(\s*)\/(?=\w)/gm, '$1\\/')
}

/**
 * The texts of the named files of a zip archive, without their first folder: an artifact of GitLab has one folder for all.
 * Throws if any entry is damaged or outside of its folder, two have one name, or they hold more than `MAX_UNPACKED` bytes.
 */
async function unpack(
  archive: Buffer,
  names: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  // yauzl rejects names that are absolute, contain a backslash, or leave the folder.
  const options = { autoClose: false, lazyEntries: true, strictFileNames: true } as const
  const zip = await fromBufferPromise(archive, options)
  const entries = new Map<string, Entry>()
  let size = 0
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.replace(/^[^/]+\//, '')
    if (entries.has(name)) throw new Error('it has two entries of one name')
    entries.set(name, entry)
    size += entry.uncompressedSize
  }
  if (size > MAX_UNPACKED) throw new Error(`it holds ${size} bytes`)
  const texts = new Map<string, string>()
  for (const [name, entry] of entries) {
    // The stream ends with an error unless it is as long as the entry says; nothing checks the sum.
    const content = await bytesOf(await zip.openReadStreamPromise(entry))
    if (crc32(content) !== entry.crc32) throw new Error('a checksum is wrong')
    if (names.includes(name)) texts.set(name, content.toString('utf8'))
  }
  return texts
}

import {
  type Api,
  connect,
  dateAt,
  type ForgeProcess,
  ifFound,
  isTrueAt,
  maybeText,
  textAt
} from './client.ts'
import type {
  Artifact,
  CommitKey,
  CurrentRun,
  Forge,
  MergedPull,
  NewIssue,
  ResultKind
} from './forge.ts'
import { gitlabEvents, gitlabRun, needed } from './job.ts'
import { isNamed, type Listed, newestFirst, RestForge, textOf, withTopic } from './rest-forge.ts'

const NOTES = '/merge_requests/{number}/notes'

/** GitLab for a job. Throws a `Failure` (exit 3) if its environment lacks something. */
export function openGitlab(process: ForgeProcess, token: string | undefined): Forge {
  const { env } = process
  const url = needed(env, 'CI_API_V4_URL').replace(/\/$/, '')
  const project = env['CI_MERGE_REQUEST_PROJECT_ID'] ?? needed(env, 'CI_PROJECT_ID')
  const headers = { accept: 'application/json' }
  const api = connect(process, { forge: 'GitLab', url, token, headers })
  return new GitLab(api, gitlabRun(env), project)
}

class GitLab extends RestForge implements Forge {
  readonly kind = 'gitlab'
  readonly maxBody = 1_000_000
  readonly #project: string
  #user: Promise<string> | undefined

  constructor(api: Api, run: CurrentRun, project: string) {
    super(api, run, {
      path: '/projects/{project}',
      parameters: { project },
      artifact: '/jobs/{id}/artifacts'
    })
    this.#project = project
  }

  async tip(): Promise<string> {
    const branch = this.run.defaultBranch
    return textAt(await this.send('GET', '/repository/branches/{branch}', { branch }), 'commit.id')
  }

  async *mergedSince(time: Date): AsyncGenerator<MergedPull> {
    const target_branch = this.run.defaultBranch
    const sorted = { order_by: 'updated_at', sort: 'desc' }
    const parameters = { state: 'merged', target_branch, ...sorted }
    for await (const each of this.list('/merge_requests', parameters)) {
      if (dateAt(each, 'updated_at') < time) return
      const isMerged = textAt(each, 'state') === 'merged' && maybeText(each, 'merged_at')
      if (!isMerged || textAt(each, 'target_branch') !== target_branch) continue
      const shas = ['merge_commit_sha', 'squash_commit_sha', 'sha']
      yield {
        number: Number(textAt(each, 'iid')),
        head: textAt(each, 'sha'),
        isFork: maybeText(each, 'source_project_id') !== this.#project,
        commits: shas.map(name => maybeText(each, name)).filter(sha => sha !== undefined),
        merged: dateAt(each, 'merged_at')
      }
    }
  }

  async commitsOf({ number }: MergedPull): Promise<readonly CommitKey[]> {
    const commits: CommitKey[] = []
    for await (const each of this.list('/merge_requests/{number}/commits', { number })) {
      const authored = dateAt(each, 'authored_date').getTime() / 1000
      commits.push({ authored, subject: textAt(each, 'title') })
    }
    return commits.reverse()
  }

  async planOf(pull: MergedPull, name: string): Promise<Artifact | undefined> {
    if (pull.isFork) return undefined
    const { number, head, merged } = pull
    const found: Listed[] = []
    for await (const each of this.list('/merge_requests/{number}/pipelines', { number })) {
      const ref = textAt(each, 'ref')
      const [, kind] = /^refs\/merge-requests\/(\d+)\/(?:head|merge)$/.exec(ref) ?? []
      const isOwn = maybeText(each, 'project_id') === this.#project && kind === String(number)
      if (isOwn && (await this.#isOf(textAt(each, 'sha'), head))) {
        for await (const listed of this.#artifacts(each, 'plan', name)) found.push(listed)
      }
    }
    const [newest] = found.filter(({ created }) => created <= merged).sort(newestFirst)
    return newest && this.artifact(newest)
  }

  /** True for the last commit of a merge request, and for GitLab's merge of it with its target. */
  async #isOf(sha: string, head: string): Promise<boolean> {
    if (sha === head) return true
    const commit = await ifFound(this.send('GET', '/repository/commits/{sha}', { sha }))
    const isObject = typeof commit === 'object' && commit !== null
    const parents: unknown = isObject && 'parent_ids' in commit ? commit.parent_ids : []
    return Array.isArray(parents) && parents.includes(head)
  }

  async *results(
    of: ResultKind,
    name: string,
    line: ReadonlySet<string>
  ): AsyncGenerator<Artifact> {
    const pipelines: object[] = []
    const ref = this.run.defaultBranch
    const parameters = { ref, order_by: 'updated_at', sort: 'desc' }
    for await (const each of this.list('/pipelines', parameters)) {
      const isOurs =
        ['push', 'schedule', 'manual'].includes(gitlabEvents[textAt(each, 'source')] ?? '') &&
        textAt(each, 'ref') === ref &&
        line.has(textAt(each, 'sha'))
      if (isOurs) pipelines.push(each)
      if (pipelines.length === MAX_PIPELINES) break
    }
    // A retried job of an older pipeline may be newer, so several pipelines are asked at a time.
    while (pipelines.length > 0) {
      const found: Listed[] = []
      for (const each of pipelines.splice(0, PIPELINES_AT_A_TIME)) {
        for await (const listed of this.#artifacts(each, of, name)) found.push(listed)
      }
      yield* found.sort(newestFirst).map(listed => this.artifact(listed))
    }
  }

  /** The archives of our jobs. One that has expired has lost its name, and counts only for a plan, as the newest of its job. */
  async *#artifacts(
    pipeline: object,
    kind: 'plan' | ResultKind,
    fleet: string
  ): AsyncGenerator<Listed> {
    const parameters = { id: textAt(pipeline, 'id'), include_retried: true }
    for await (const job of this.list('/pipelines/{id}/jobs', parameters)) {
      const isOurs = isJob(textAt(job, 'name'), kind) && !isTrueAt(job, 'tag')
      const file = maybeText(job, 'artifacts_file.filename')?.replace(/\.zip$/, '')
      const isExpired = file === undefined
      if (!isOurs || (isExpired && maybeText(job, 'artifacts_expire_at') === undefined)) continue
      if (!isExpired && !isNamed(file, kind, fleet)) continue
      const ended = maybeText(job, 'finished_at') ? 'finished_at' : 'created_at'
      yield {
        id: textAt(job, 'id'),
        name: file ?? '',
        created: dateAt(job, ended),
        isExpired,
        size: isExpired ? 0 : Number(textAt(job, 'artifacts_file.size')),
        url: maybeText(job, 'web_url') ?? textAt(pipeline, 'web_url')
      }
    }
  }

  async comment(
    number: number,
    topic: string,
    write: (earlier: string | undefined) => string
  ): Promise<void> {
    const sorted = { sort: 'asc', order_by: 'created_at' }
    const own = await this.#firstOwn(NOTES, { number, ...sorted }, topic, 'body')
    const text = withoutActions(write(own && textOf(own.body, topic)))
    const body = withTopic(topic, text, this.maxBody)
    await (own === undefined
      ? this.send('POST', NOTES, { number, body })
      : this.send('PUT', `${NOTES}/{id}`, { number, id: own.id, body }))
  }

  async issue(
    topic: string,
    write: (earlier: string | undefined) => NewIssue | undefined
  ): Promise<void> {
    const asked = { state: 'opened', scope: 'all', order_by: 'updated_at' }
    const own = await this.#firstOwn('/issues', asked, topic, 'description')
    const issue = write(own && textOf(own.body, topic))
    const description = issue && withTopic(topic, withoutActions(issue.body), this.maxBody)
    if (own === undefined) {
      if (issue) await this.send('POST', '/issues', { title: issue.title, description })
      return
    }
    const change = issue ? { title: issue.title, description } : { state_event: 'close' }
    await this.send('PUT', '/issues/{iid}', { iid: own.iid, ...change })
  }

  /** The first note or issue of the list with this topic that this token's user wrote. */
  async #firstOwn(
    url: string,
    parameters: Readonly<Record<string, unknown>>,
    topic: string,
    member: 'body' | 'description'
  ) {
    for await (const each of this.list(url, parameters)) {
      const body = maybeText(each, member) ?? ''
      if (textOf(body, topic) === undefined) continue
      this.#user ??= this.client.request('GET /user').then(({ data }) => textAt(data, 'id'))
      if (maybeText(each, 'author.id') !== (await this.#user)) continue
      return { id: textAt(each, 'id'), iid: maybeText(each, 'iid'), body }
    }
    return undefined
  }

  async summary(): Promise<void> {}

  async jobs(): Promise<ReadonlyMap<string, string>> {
    const words = new Map<string, string>([
      ['canceled', 'cancelled'],
      ['canceling', 'cancelled'],
      ['failed', 'failure']
    ])
    const found = new Map<string, string>()
    for await (const job of this.list('/pipelines/{id}/jobs', { id: this.run.id })) {
      const status = textAt(job, 'status')
      for (const kind of ['plan', 'apply', 'drift'] as const) {
        if (isJob(textAt(job, 'name'), kind)) found.set(kind, words.get(status) ?? status)
      }
    }
    return found
  }
}

/** True for our job of a command; one of a matrix has its values after a colon. */
function isJob(name: string, kind: 'plan' | ResultKind): boolean {
  return name === `wlanctl-${kind}` || name.startsWith(`wlanctl-${kind}:`)
}

const MAX_PIPELINES = 60
const PIPELINES_AT_A_TIME = 5

/** The text without quick actions: lines such as `/merge`, which GitLab would execute. */
function withoutActions(text: string): string {
  return text.replace(/^(\s*)\/(?=\w)/gm, '$1\\/')
}

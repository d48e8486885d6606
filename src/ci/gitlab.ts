import { type Api, connect, ForgeError, type ForgeProcess, ifFound } from './client.ts'
import type {
  Artifact,
  CurrentRun,
  Deployment,
  Forge,
  Issue,
  NewIssue,
  PullRequest,
  Run
} from './forge.ts'
import { gitlabEvents, gitlabRun, needed } from './job.ts'
import { originOf } from './origin.ts'
import { RestForge } from './rest-forge.ts'
import { checkLength, textOf, withTopic } from './topic.ts'

/** Parts of GitLab's responses, as its documentation of version 4 of the interface has them. */
interface Pipeline {
  readonly id: number
  readonly project_id: number
  readonly sha: string
  readonly ref: string
  readonly source: string
  readonly web_url: string
}

interface MergeRequest {
  readonly id: number
  readonly iid: number
  readonly state: string
  readonly sha: string
  readonly source_branch: string
  readonly target_branch: string
  readonly source_project_id: number | null
  readonly target_project_id: number
  readonly merge_commit_sha: string | null
  readonly squash_commit_sha: string | null
  readonly merged_at: string | null
}

interface Job {
  readonly id: number
  readonly created_at: string
  readonly artifacts_file?: { readonly filename: string; readonly size: number } | null
  readonly artifacts_expire_at?: string | null
}

interface GitLabDeployment {
  readonly id: number
  readonly sha: string
  readonly environment: { readonly name: string }
}

interface CommitComment {
  readonly note: string
  readonly author: { readonly id: number }
}

interface Note {
  readonly id: number
  readonly body: string
  readonly author: { readonly id: number }
}

interface GitLabIssue {
  readonly id: number
  readonly iid: number
  readonly web_url: string
  readonly description: string | null
}

/** GitLab for a job. Throws a `Failure` (exit 3) if its environment lacks something. */
export function openGitlab(process: ForgeProcess, token: string | undefined): Forge {
  const { env } = process
  const url = needed(env, 'CI_API_V4_URL').replace(/\/$/, '')
  const project = env['CI_MERGE_REQUEST_PROJECT_ID'] ?? needed(env, 'CI_PROJECT_ID')
  const headers = { accept: 'application/json' }
  const api = connect(process, { forge: 'GitLab', url, token, headers })
  return new GitLab(api, gitlabRun(env), project)
}

/**
 * GitLab as a forge. A deployment of its interface cannot say what made it, so a comment of this token's user on the
 * commit does, and shows the page of the job.
 */
class GitLab extends RestForge implements Forge {
  readonly kind = 'gitlab'
  readonly maxBody = 1_000_000
  readonly #project: string
  readonly #origins = new Map<string, Promise<ReadonlyMap<number, Origin>>>()
  #user: Promise<number> | undefined

  constructor(api: Api, run: CurrentRun, project: string) {
    super(api, run, {
      path: '/projects/{project}',
      parameters: { project },
      artifact: '/jobs/{id}/artifacts'
    })
    this.#project = project
  }

  async findRun(id: string): Promise<Run | undefined> {
    const pipeline = await ifFound(this.send<Pipeline>('GET', '/pipelines/{id}', { id }))
    if (pipeline === undefined) return undefined
    const [, iid, kind] = /^refs\/merge-requests\/(\d+)\/(\w+)$/.exec(pipeline.ref) ?? []
    if (iid === undefined) return this.#run(pipeline)
    const request = await this.send<MergeRequest>('GET', '/merge_requests/{iid}', { iid })
    const merged = kind === 'head' ? undefined : (await this.#parents(pipeline.sha))[1]
    return this.#run(pipeline, {
      commit: merged ?? pipeline.sha,
      branch: request.source_branch,
      isFork: isFork(request)
    })
  }

  async *runsOf(pull: PullRequest): AsyncGenerator<Run> {
    const { branch, head, number } = pull
    const list = this.list<Pipeline>('/merge_requests/{number}/pipelines', { number })
    for await (const pipeline of list) {
      // A pipeline of the merge with the target is about the commit that it merges.
      const isMerge = pipeline.sha !== head && !pipeline.ref.endsWith('/head')
      if (isMerge && !(await this.#parents(pipeline.sha)).includes(head)) return
      if (!isMerge && pipeline.sha !== head) continue
      const isFork = pull.isFork || String(pipeline.project_id) !== this.#project
      yield this.#run(pipeline, { commit: head, branch, isFork })
    }
  }

  #run(pipeline: Pipeline, more: Partial<Run> = {}): Run {
    return {
      id: String(pipeline.id),
      event: gitlabEvents[pipeline.source] ?? 'other',
      workflow: this.run.workflow,
      commit: pipeline.sha,
      branch: pipeline.ref,
      isFork: false,
      url: pipeline.web_url,
      ...more
    }
  }

  async #parents(sha: string): Promise<readonly string[]> {
    const route = '/repository/commits/{sha}'
    const commit = await ifFound(this.send<{ parent_ids: string[] }>('GET', route, { sha }))
    return commit?.parent_ids ?? []
  }

  async *runsOfBranch(): AsyncGenerator<Run> {
    const parameters = { ref: this.run.defaultBranch, order_by: 'id', sort: 'desc' }
    try {
      for await (const each of this.list<Pipeline>('/pipelines', parameters)) yield this.#run(each)
    } catch (error) {
      // To a fork, the pipelines of a project may not be visible.
      const isHidden = error instanceof ForgeError && [401, 403, 404].includes(error.answered ?? 0)
      if (this.api.token !== undefined || !isHidden) throw error
    }
  }

  async artifacts(run: Pick<Run, 'id'>, prefix: string): Promise<readonly Artifact[]> {
    const artifacts: Artifact[] = []
    const parameters = { id: run.id, include_retried: true }
    for await (const job of this.list<Job>('/pipelines/{id}/jobs', parameters)) {
      const artifact = artifactOf(job, run.id, prefix)
      if (artifact?.name.startsWith(prefix)) artifacts.push(artifact)
    }
    return artifacts.sort((a, b) => b.created.getTime() - a.created.getTime())
  }

  async *deployments(fleet: string): AsyncGenerator<Deployment> {
    const parameters = { order_by: 'id', sort: 'desc' }
    for await (const each of this.list<GitLabDeployment>('/deployments', parameters)) {
      const { id, sha, environment } = each
      if (!environment.name.endsWith(`/${fleet}`)) continue
      const origin = (await this.#originsAt(sha)).get(id)
      if (origin === undefined) continue
      yield { id: String(id), commit: sha, ...origin }
    }
  }

  /** What our comments on a commit say about its deployments, by id. */
  #originsAt(sha: string): Promise<ReadonlyMap<number, Origin>> {
    const known = this.#origins.get(sha) ?? this.#readOrigins(sha)
    this.#origins.set(sha, known)
    return known
  }

  async #readOrigins(sha: string): Promise<ReadonlyMap<number, Origin>> {
    const origins = new Map<number, Origin>()
    const user = await this.#ownId()
    for await (const { author, note } of this.list<CommitComment>(
      '/repository/commits/{sha}/comments',
      { sha }
    )) {
      const [, id, payload] = DEPLOYMENT.exec(note) ?? []
      const origin = author.id === user ? originOf(payload) : undefined
      if (origin !== undefined) origins.set(Number(id), origin)
    }
    return origins
  }

  async startDeployment(fleet: string, environment: string): Promise<Deployment> {
    const { id: run, attempt, commit, url } = this.run
    const { id } = await this.send<GitLabDeployment>('POST', '/deployments', {
      environment: `${environment}/${fleet}`,
      sha: commit,
      ref: this.run.defaultBranch,
      tag: false,
      status: 'running'
    })
    const payload = JSON.stringify({ run, attempt })
    await this.send('POST', '/repository/commits/{sha}/comments', {
      sha: commit,
      note: `<!-- wlanctl:deployment:${id} ${payload} -->\nSent to ${environment}/${fleet} by [this job](${url}).`
    })
    return { id: String(id), commit, run: { id: run, attempt } }
  }

  async endDeployment({ id }: Deployment, status: 'success' | 'failure'): Promise<void> {
    const ended = status === 'success' ? 'success' : 'failed'
    await this.send('PUT', '/deployments/{id}', { id, status: ended })
  }

  async mergedBy(commit: string): Promise<readonly PullRequest[]> {
    const pulls: PullRequest[] = []
    const url = '/repository/commits/{commit}/merge_requests'
    for await (const request of this.list<MergeRequest>(url, { commit })) {
      const { state, target_branch } = request
      if (state === 'merged' && target_branch === this.run.defaultBranch)
        pulls.push(pullOf(request))
    }
    return pulls
  }

  async *openPullRequests(): AsyncGenerator<PullRequest> {
    const parameters = { state: 'opened', target_branch: this.run.defaultBranch }
    for await (const each of this.list<MergeRequest>('/merge_requests', parameters)) {
      yield pullOf(each)
    }
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    const refs = [ancestor, commit].map(ref => `refs%5B%5D=${encodeURIComponent(ref)}`).join('&')
    try {
      const { id } = await this.send<{ id: string }>('GET', `/repository/merge_base?${refs}`, {})
      return id === ancestor
    } catch (error) {
      // 400: one of them is unknown.
      if (error instanceof ForgeError && [400, 404].includes(error.answered ?? 0)) return false
      throw error
    }
  }

  async ensureComment(
    pull: number,
    topic: string,
    write: (earlier: string | undefined) => string
  ): Promise<void> {
    const note = await this.#ownNote(pull, topic)
    const text = write(textOf(note?.body, topic))
    const body = withTopic(topic, withoutActions(text), this.maxBody)
    await (note === undefined
      ? this.send('POST', '/merge_requests/{pull}/notes', { pull, body })
      : this.send('PUT', '/merge_requests/{pull}/notes/{id}', { pull, id: note.id, body }))
  }

  async #ownNote(pull: number, topic: string): Promise<Note | undefined> {
    const parameters = { pull, sort: 'asc', order_by: 'created_at' }
    for await (const note of this.list<Note>('/merge_requests/{pull}/notes', parameters)) {
      if (textOf(note.body, topic) === undefined) continue
      if (note.author.id === (await this.#ownId())) return note
    }
    return undefined
  }

  async findIssue(topic: string): Promise<Issue | undefined> {
    const author_id = await this.#ownId()
    const parameters = { state: 'opened', scope: 'all', author_id, order_by: 'updated_at' }
    for await (const each of this.list<GitLabIssue>('/issues', parameters)) {
      const body = textOf(each.description, topic)
      if (body !== undefined) return { number: each.iid, url: each.web_url, topic, body }
    }
    return undefined
  }

  async openIssue(topic: string, issue: NewIssue): Promise<Issue> {
    const { title } = issue
    const description = withTopic(topic, withoutActions(issue.body), this.maxBody)
    const created = await this.send<GitLabIssue>('POST', '/issues', { title, description })
    return { number: created.iid, url: created.web_url, topic, body: issue.body }
  }

  async editIssue({ number, topic }: Issue, body: string): Promise<void> {
    const description = withTopic(topic, withoutActions(body), this.maxBody)
    await this.send('PUT', '/issues/{number}', { number, description })
  }

  async commentOnIssue({ number }: Issue, text: string): Promise<void> {
    const body = checkLength(withoutActions(text), this.maxBody)
    await this.send('POST', '/issues/{number}/notes', { number, body })
  }

  async closeIssue({ number }: Issue): Promise<void> {
    await this.send('PUT', '/issues/{number}', { number, state_event: 'close' })
  }

  /** The id of the user of the token. */
  #ownId(): Promise<number> {
    this.#user ??= this.client.request('GET /user').then(({ data }) => Number(data.id))
    return this.#user
  }

  async writeSummary(): Promise<void> {}
}

type Origin = NonNullable<ReturnType<typeof originOf>>

const DEPLOYMENT = /^<!-- wlanctl:deployment:(\d+) (\{.*\}) -->/

function isFork({ source_project_id, target_project_id }: MergeRequest): boolean {
  return source_project_id !== target_project_id
}

function pullOf(request: MergeRequest): PullRequest {
  const { merge_commit_sha, squash_commit_sha, sha, merged_at } = request
  const isMerged = request.state === 'merged'
  return {
    number: request.iid,
    head: sha,
    branch: request.source_branch,
    isFork: isFork(request),
    // A fast-forward merge has a commit of its own only after a squash.
    mergeCommit: isMerged ? (merge_commit_sha ?? squash_commit_sha ?? sha) : undefined,
    merged: isMerged && merged_at !== null ? new Date(merged_at) : undefined
  }
}

/** The archive of a job; one that has expired has lost its name, so it has that of any. */
function artifactOf(job: Job, run: string, prefix: string): Artifact | undefined {
  const { artifacts_file: file, artifacts_expire_at: expiry, created_at, id } = job
  if (!file && !expiry) return undefined
  return {
    id: String(id),
    name: file?.filename.replace(/\.zip$/, '') ?? `${prefix}${id}`,
    run,
    created: new Date(created_at),
    isExpired: !file,
    size: file?.size ?? 0
  }
}

/** The text without quick actions: lines such as `/merge`, which GitLab would execute. */
function withoutActions(text: string): string {
  return text.replace(/^(\s*)\/(?=\w)/gm, '$1\\/')
}

import { appendFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { Failure, reasonOf } from '../core/model/failure.ts'
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
import { githubEvents, githubRun } from './job.ts'
import { originOf } from './origin.ts'
import { RestForge } from './rest-forge.ts'
import { checkLength, textOf, withTopic } from './topic.ts'

/** Parts of GitHub's responses, as its description of version 2022-11-28 has them. */
interface Identified {
  /** A `bigint` if it is too large for a number. */
  readonly id: number | bigint
}

interface GitHubRun extends Identified {
  readonly event: string
  readonly path: string
  readonly head_sha: string
  readonly head_branch: string | null
  readonly head_repository: Identified | null
  readonly repository: Identified
  readonly html_url: string
}

interface GitHubPull extends Identified {
  readonly number: number
  readonly merged_at: string | null
  readonly merge_commit_sha: string | null
  readonly head: {
    readonly sha: string
    readonly ref: string
    readonly repo: { readonly full_name: string } | null
  }
  readonly base: { readonly ref: string; readonly repo: { readonly full_name: string } }
}

interface GitHubArtifact extends Identified {
  readonly name: string
  readonly size_in_bytes: number
  readonly expired: boolean
  readonly created_at: string | null
}

interface GitHubDeployment extends Identified {
  readonly sha: string
  readonly payload: unknown
}

/** A comment or an issue. */
interface GitHubText extends Identified {
  readonly number?: number
  readonly html_url: string
  readonly body?: string | null | undefined
  readonly user: { readonly login: string } | null
  readonly pull_request?: object
}

const COMMENTS = '/issues/{number}/comments'

/** GitHub for a job. Throws a `Failure` (exit 3) if its environment lacks something. */
export async function openGithub(process: ForgeProcess, token: string): Promise<Forge> {
  const url = process.env['GITHUB_API_URL'] ?? 'https://api.github.com'
  const headers = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
  const api = connect(process, { forge: 'GitHub', url, token, headers })
  return new GitHub(api, await githubRun(process.env))
}

class GitHub extends RestForge implements Forge {
  readonly kind = 'github'
  readonly maxBody = 65_536
  #login: Promise<string> | undefined

  constructor(api: Api, run: CurrentRun) {
    const [owner = '', repo = ''] = run.repository.split('/')
    super(api, run, {
      path: '/repos/{owner}/{repo}',
      parameters: { owner, repo },
      artifact: '/actions/artifacts/{id}/zip'
    })
  }

  async findRun(id: string): Promise<Run | undefined> {
    if (!/^\d+$/.test(id)) return undefined
    const found = await ifFound(this.send<GitHubRun>('GET', '/actions/runs/{id}', { id }))
    return found && runOf(found)
  }

  async *runsOf(pull: PullRequest): AsyncGenerator<Run> {
    yield* this.#runs('/actions/runs', { head_sha: pull.head })
  }

  async *runsOfBranch(workflow: string): AsyncGenerator<Run> {
    const branch = this.run.defaultBranch
    const url = '/actions/workflows/{file}/runs'
    for await (const run of this.#runs(url, { file: posix.basename(workflow), branch })) {
      // A branch of a fork may have this name, too.
      if (run.branch === branch && !run.isFork && run.workflow === workflow) yield run
    }
  }

  async *#runs(url: string, parameters: Readonly<Record<string, string>>): AsyncGenerator<Run> {
    try {
      for await (const run of this.list<GitHubRun>(url, parameters)) yield runOf(run)
    } catch (error) {
      // There is no such workflow.
      if (!(error instanceof ForgeError) || error.answered !== 404) throw error
    }
  }

  async artifacts(run: Pick<Run, 'id'>, prefix: string): Promise<readonly Artifact[]> {
    const artifacts: Artifact[] = []
    const url = '/actions/runs/{run}/artifacts'
    for await (const each of this.list<GitHubArtifact>(url, { run: run.id })) {
      if (each.name.startsWith(prefix)) artifacts.push(artifactOf(each, run.id))
    }
    return artifacts.sort((a, b) => b.created.getTime() - a.created.getTime())
  }

  async *deployments(fleet: string): AsyncGenerator<Deployment> {
    const url = '/deployments'
    for await (const each of this.list<GitHubDeployment>(url, { task: taskOf(fleet) })) {
      const deployment = deploymentOf(each)
      if (deployment !== undefined) yield deployment
    }
  }

  async startDeployment(fleet: string, environment: string): Promise<Deployment> {
    const { id: run, attempt, commit, url } = this.run
    const made = await this.send<Partial<GitHubDeployment>>('POST', '/deployments', {
      ref: commit,
      task: taskOf(fleet),
      environment,
      auto_merge: false,
      required_contexts: [],
      payload: { run, attempt }
    })
    const created = 'sha' in made ? deploymentOf(made as GitHubDeployment) : undefined
    if (created === undefined) throw new ForgeError('unexpected response: no deployment')
    // The deployment itself is the state; its status is only shown.
    await this.#setStatus(created, 'in_progress', url).catch(error => {
      if (!(error instanceof ForgeError)) throw error
    })
    return created
  }

  async endDeployment(
    deployment: Deployment,
    status: 'success' | 'failure',
    url: string
  ): Promise<void> {
    await this.#setStatus(deployment, status, url)
  }

  #setStatus({ id }: Deployment, state: 'in_progress' | 'success' | 'failure', url: string) {
    const status = { state, log_url: url, auto_inactive: false }
    return this.send('POST', '/deployments/{id}/statuses', { id, ...status })
  }

  async mergedBy(commit: string): Promise<readonly PullRequest[]> {
    const pulls: PullRequest[] = []
    const url = '/commits/{commit}/pulls'
    for await (const pull of this.list<GitHubPull>(url, { commit })) {
      const isMerged = pull.merged_at !== null && pull.base.ref === this.run.defaultBranch
      if (isMerged) pulls.push(pullOf(pull))
    }
    return pulls
  }

  async *openPullRequests(): AsyncGenerator<PullRequest> {
    const parameters = { state: 'open', base: this.run.defaultBranch }
    for await (const pull of this.list<GitHubPull>('/pulls', parameters)) {
      yield pullOf(pull)
    }
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    const basehead = `${ancestor}...${commit}`
    const compared = this.send<{ status: string }>('GET', '/compare/{basehead}', {
      basehead,
      per_page: 1
    })
    const found = await ifFound(compared)
    return found?.status === 'ahead' || found?.status === 'identical'
  }

  async ensureComment(
    pull: number,
    topic: string,
    write: (earlier: string | undefined) => string
  ): Promise<void> {
    const comment = await this.#firstOwn(COMMENTS, { number: pull }, topic)
    const body = withTopic(topic, write(textOf(comment?.body, topic)), this.maxBody)
    await (comment === undefined
      ? this.send('POST', COMMENTS, { number: pull, body })
      : this.send('PATCH', '/issues/comments/{id}', { id: comment.id, body }))
  }

  async findIssue(topic: string): Promise<Issue | undefined> {
    const parameters = { state: 'open', sort: 'updated' }
    const found = await this.#firstOwn('/issues', parameters, topic)
    return found && issueOf(found, topic)
  }

  async openIssue(topic: string, issue: NewIssue): Promise<Issue> {
    const { title } = issue
    const body = withTopic(topic, issue.body, this.maxBody)
    const created = await this.send<GitHubText>('POST', '/issues', { title, body })
    return { ...issueOf(created, topic), body: issue.body }
  }

  async editIssue({ number, topic }: Issue, text: string): Promise<void> {
    const body = withTopic(topic, text, this.maxBody)
    await this.send('PATCH', '/issues/{number}', { number, body })
  }

  async closeIssue({ number }: Issue): Promise<void> {
    await this.send('PATCH', '/issues/{number}', { number, state: 'closed' })
  }

  async commentOnIssue({ number }: Issue, text: string): Promise<void> {
    await this.send('POST', COMMENTS, { number, body: checkLength(text, this.maxBody) })
  }

  /** The first comment or issue of the list with this topic that this token's user wrote. */
  async #firstOwn(
    url: string,
    parameters: Readonly<Record<string, unknown>>,
    topic: string
  ): Promise<GitHubText | undefined> {
    for await (const each of this.list<GitHubText>(url, parameters)) {
      if (each.pull_request !== undefined || textOf(each.body, topic) === undefined) continue
      this.#login ??= this.#ownLogin()
      if (each.user?.login === (await this.#login)) return each
    }
    return undefined
  }

  /** The user of the token. Tokens of an app, such as that of a job, cannot ask the REST interface. */
  async #ownLogin(): Promise<string> {
    try {
      const query = '{viewer{login}}'
      return (await this.client.graphql<{ viewer: { login: string } }>(query)).viewer.login
    } catch (error) {
      if (error instanceof Failure) throw error
      throw new ForgeError(`GitHub did not tell the user of the token: ${reasonOf(error)}`)
    }
  }

  async writeSummary(markdown: string): Promise<void> {
    const file = this.api.env['GITHUB_STEP_SUMMARY']
    if (file !== undefined) await appendFile(file, `${markdown}\n`)
  }
}

function runOf(run: GitHubRun): Run {
  return {
    id: String(run.id),
    event: githubEvents[run.event] ?? 'other',
    // Of a reusable workflow, a revision follows.
    workflow: run.path.replace(/@.*/, ''),
    commit: run.head_sha,
    branch: run.head_branch ?? undefined,
    // The repository of a fork may be gone.
    isFork: run.head_repository?.id !== run.repository.id,
    url: run.html_url
  }
}

function pullOf(pull: GitHubPull): PullRequest {
  return {
    number: pull.number,
    head: pull.head.sha,
    branch: pull.head.ref,
    isFork: pull.head.repo?.full_name !== pull.base.repo.full_name,
    mergeCommit: pull.merged_at === null ? undefined : (pull.merge_commit_sha ?? undefined),
    merged: pull.merged_at === null ? undefined : new Date(pull.merged_at)
  }
}

function artifactOf(artifact: GitHubArtifact, run: string): Artifact {
  return {
    id: String(artifact.id),
    name: artifact.name,
    run,
    created: new Date(artifact.created_at ?? 0),
    isExpired: artifact.expired,
    size: artifact.size_in_bytes
  }
}

const taskOf = (fleet: string) => `wlanctl:${fleet}`

/** The deployment, unless its payload is not ours: a string of JSON, or its value. */
function deploymentOf({ id, sha, payload }: GitHubDeployment): Deployment | undefined {
  const origin = originOf(payload)
  return origin && { id: String(id), commit: sha, ...origin }
}

function issueOf({ number = 0, html_url, body }: GitHubText, topic: string): Issue {
  return { number, url: html_url, topic, body: textOf(body, topic) ?? '' }
}

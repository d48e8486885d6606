import type { Environment } from '../core/values/environment.ts'
import { type ForgeProcess, needed } from './client.ts'
import type { CiCommand, CurrentRun, Forge, MergedPull } from './forge.ts'
import { dateAt, ifFound, maybeText, textAt } from './forge-json.ts'
import { isNamed, type Listed, RestForge } from './rest-forge.ts'

/** GitLab for a job. Throws a `Failure` (exit 3) if its environment lacks something. */
export function openGitlab(process: ForgeProcess, token: string | undefined): Forge {
  return new GitLab(process, token, gitlabRun(process.env))
}

class GitLab extends RestForge {
  constructor(process: ForgeProcess, token: string | undefined, run: CurrentRun) {
    const { env } = process
    const url = needed(env, 'CI_API_V4_URL').replace(/\/$/, '')
    const own = env['CI_MERGE_REQUEST_PROJECT_ID'] ?? needed(env, 'CI_PROJECT_ID')
    const sorted = { order_by: 'updated_at', sort: 'desc' }
    super(process, run, {
      ...{ kind: 'gitlab', forge: 'GitLab', url, token },
      repository: `/projects/${encodeURIComponent(own)}`,
      headers: { accept: 'application/json' },
      ...{ own, maxBody: 1_000_000, edit: 'PUT', body: 'description', author: 'author.id' },
      pulls: ['/merge_requests', { state: 'merged', target_branch: run.defaultBranch, ...sorted }],
      pull: {
        ...{ number: 'iid', head: 'sha', target: 'target_branch' },
        repository: 'source_project_id'
      },
      commit: { authored: 'authored_date', message: 'title' },
      branch: ['/repository/branches', 'commit.id'],
      archive: id => `/jobs/${id}/artifacts`,
      comments: pull => `/merge_requests/${pull}/notes`,
      comment: (pull, id) => `/merge_requests/${pull}/notes/${id}`,
      issues: [{ state: 'opened', scope: 'all', order_by: 'updated_at' }, { state_event: 'close' }]
    })
  }

  protected async *runsOf({ number, head }: MergedPull): AsyncGenerator<object> {
    for await (const each of this.client.list(`/merge_requests/${number}/pipelines`)) {
      const [, of] = /^refs\/merge-requests\/(\d+)\/(?:head|merge)$/.exec(textAt(each, 'ref')) ?? []
      const isOwn = maybeText(each, 'project_id') === this.dialect.own && of === String(number)
      if (isOwn && (await this.#isOf(textAt(each, 'sha'), head))) yield each
    }
  }

  /** True for the last commit of a merge request, and for GitLab's merge of it with its target. */
  async #isOf(sha: string, head: string): Promise<boolean> {
    if (sha === head) return true
    const commit = await ifFound(
      this.client.send('GET', `/repository/commits/${encodeURIComponent(sha)}`)
    )
    const isObject = typeof commit === 'object' && commit !== null
    const parents: unknown = isObject && 'parent_ids' in commit ? commit.parent_ids : []
    return Array.isArray(parents) && parents.includes(head)
  }

  protected async *runsOn(line: ReadonlySet<string>): AsyncGenerator<object> {
    const ref = this.run.defaultBranch
    const parameters = { ref, order_by: 'updated_at', sort: 'desc' }
    for await (const each of this.client.list('/pipelines', parameters)) {
      const isOurs =
        ['push', 'schedule', 'web'].includes(textAt(each, 'source')) &&
        textAt(each, 'ref') === ref &&
        line.has(textAt(each, 'sha'))
      if (isOurs) yield each
    }
  }

  /** The archives of our jobs. One that has expired has lost its name, and counts only for a plan, as the newest of its job. */
  protected async *artifactsOf(
    pipeline: object,
    kind: CiCommand,
    fleet: string
  ): AsyncGenerator<Listed> {
    const path = `/pipelines/${textAt(pipeline, 'id')}/jobs`
    for await (const job of this.client.list(path, { include_retried: true })) {
      const isOurs = isJob(textAt(job, 'name'), kind) && maybeText(job, 'tag') !== 'true'
      const file = maybeText(job, 'artifacts_file.filename')?.replace(/\.zip$/, '')
      const isExpired = file === undefined
      if (!isOurs || (isExpired && maybeText(job, 'artifacts_expire_at') === undefined)) continue
      if (!isExpired && !isNamed(file, kind, fleet)) continue
      const ended = maybeText(job, 'finished_at') ? 'finished_at' : 'created_at'
      yield {
        id: textAt(job, 'id'),
        created: dateAt(job, ended),
        isExpired,
        size: isExpired ? 0 : Number(textAt(job, 'artifacts_file.size')),
        url: maybeText(job, 'web_url') ?? textAt(pipeline, 'web_url')
      }
    }
  }

  protected async user(): Promise<string> {
    return textAt(await this.client.send('GET', `${this.dialect.url}/user`), 'id')
  }

  async summary(): Promise<void> {}

  async failed(): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    const path = `/pipelines/${needed(this.env, 'CI_PIPELINE_ID')}/jobs`
    for await (const job of this.client.list(path)) {
      const [, command] = /^wlanctl-(\w+)(?::|$)/.exec(textAt(job, 'name')) ?? []
      if (command !== undefined && textAt(job, 'status') === 'failed') found.add(command)
    }
    return found
  }
}

/** True for our job of a command; one of a matrix has its values after a colon. */
function isJob(name: string, kind: CiCommand): boolean {
  return name === `wlanctl-${kind}` || name.startsWith(`wlanctl-${kind}:`)
}

/** The run of a GitLab job. Throws a `Failure` (exit 3) if its environment lacks something. */
function gitlabRun(env: Environment): CurrentRun {
  // A pipeline of a fork runs in the fork, and is about a merge request of the target.
  const isOfMerge = env['CI_MERGE_REQUEST_IID'] !== undefined
  // Empty in a pipeline of the source branch alone.
  const source = env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'] || needed(env, 'CI_COMMIT_SHA')
  return {
    isMergeQueue: env['CI_MERGE_REQUEST_EVENT_TYPE'] === 'merge_train',
    commit: source,
    branch: isOfMerge ? env['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'] : env['CI_COMMIT_BRANCH'],
    url: needed(env, 'CI_JOB_URL'),
    defaultBranch: needed(env, 'CI_DEFAULT_BRANCH'),
    pull: isOfMerge
      ? {
          number: Number(env['CI_MERGE_REQUEST_IID']),
          target: env['CI_MERGE_REQUEST_TARGET_BRANCH_NAME'],
          targetCommit:
            env['CI_MERGE_REQUEST_TARGET_BRANCH_SHA'] ||
            env['CI_MERGE_REQUEST_DIFF_BASE_SHA'] ||
            undefined
        }
      : undefined
  }
}

import { appendFile, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { wrongInput } from '../core/model/failure.ts'
import type { Environment } from '../core/values/environment.ts'
import { type ForgeProcess, needed, RestClient } from './client.ts'
import type { CiCommand, CommitKey, CurrentRun, Forge, MergedPull } from './forge.ts'
import { dateAt, maybeText, textAt } from './forge-json.ts'
import { isNamed, type Listed, RestForge } from './rest-forge.ts'

/** GitHub for a job. Throws a `Failure` (exit 3) if its environment lacks something. */
export async function openGithub(process: ForgeProcess, token: string): Promise<Forge> {
  const { env } = process
  const url = apiUrl(env)
  const headers = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
  const run = await githubRun(env)
  const repository = `/repos/${needed(env, 'GITHUB_REPOSITORY')}`
  const client = new RestClient(process, { forge: 'GitHub', url, repository, token, headers })
  return new GitHub(client, run, env)
}

const apiUrl = (env: Environment) => env['GITHUB_API_URL'] ?? 'https://api.github.com'

class GitHub extends RestForge {
  readonly #repository: string
  /** The path of our workflow, such as `.github/workflows/wlanctl.yml`. */
  readonly #workflow: string

  constructor(client: RestClient, run: CurrentRun, env: Environment) {
    super(client, run, env, {
      ...{ kind: 'github', maxBody: 65_536, edit: 'PATCH' },
      branch: ['/branches', 'commit.sha'],
      archive: id => `/actions/artifacts/${id}/zip`,
      comments: pull => `/issues/${pull}/comments`,
      comment: (_, id) => `/issues/comments/${id}`,
      issues: [{ state: 'open', sort: 'updated' }, { state: 'closed' }],
      ...{ number: 'number', body: 'body', author: 'user.login' }
    })
    this.#repository = needed(env, 'GITHUB_REPOSITORY')
    const reference = needed(env, 'GITHUB_WORKFLOW_REF')
    this.#workflow = reference.slice(this.#repository.length + 1).replace(/@.*/, '')
  }

  async *mergedSince(time: Date): AsyncGenerator<MergedPull> {
    const base = this.run.defaultBranch
    const parameters = { state: 'closed', base, sort: 'updated', direction: 'desc' }
    for await (const pull of this.client.list('/pulls', parameters)) {
      if (dateAt(pull, 'updated_at') < time) return
      if (maybeText(pull, 'merged_at') === undefined || textAt(pull, 'base.ref') !== base) continue
      const head = textAt(pull, 'head.sha')
      yield {
        number: Number(textAt(pull, 'number')),
        head,
        // The repository of a fork may be gone.
        isFork: maybeText(pull, 'head.repo.full_name') !== this.#repository,
        commits: [maybeText(pull, 'merge_commit_sha'), head].filter(sha => sha !== undefined),
        merged: dateAt(pull, 'merged_at')
      }
    }
  }

  async commitsOf({ number }: MergedPull): Promise<readonly CommitKey[]> {
    const commits: CommitKey[] = []
    for await (const each of this.client.list(`/pulls/${number}/commits`)) {
      if ('parents' in each && Array.isArray(each.parents) && each.parents.length > 1) continue
      const [subject = ''] = textAt(each, 'commit.message').split('\n')
      commits.push({ authored: dateAt(each, 'commit.author.date').getTime() / 1000, subject })
    }
    return commits
  }

  protected async *runsOf({ head }: MergedPull): AsyncGenerator<object> {
    const parameters = { head_sha: head, event: 'pull_request' }
    for await (const run of this.client.list('/actions/runs', parameters)) {
      const isOurs = textAt(run, 'event') === 'pull_request' && textAt(run, 'head_sha') === head
      if (isOurs && this.#isOwnWorkflow(run)) yield run
    }
  }

  protected async *runsOn(line: ReadonlySet<string>): AsyncGenerator<object> {
    const branch = this.run.defaultBranch
    const path = `/actions/workflows/${encodeURIComponent(posix.basename(this.#workflow))}/runs`
    for await (const run of this.client.list(path, { branch })) {
      const isOurs =
        ['push', 'schedule', 'workflow_dispatch'].includes(textAt(run, 'event')) &&
        maybeText(run, 'head_branch') === branch &&
        line.has(textAt(run, 'head_sha'))
      if (isOurs && this.#isOwnWorkflow(run)) yield run
    }
  }

  /** True for a run of our workflow file and repository. Of a reusable workflow, a revision follows its path. */
  #isOwnWorkflow(run: object): boolean {
    const isOfFork = maybeText(run, 'head_repository.id') !== textAt(run, 'repository.id')
    return !isOfFork && textAt(run, 'path').replace(/@.*/, '') === this.#workflow
  }

  protected async *artifactsOf(
    run: object,
    kind: CiCommand,
    fleet: string
  ): AsyncGenerator<Listed> {
    const path = `/actions/runs/${textAt(run, 'id')}/artifacts`
    for await (const each of this.client.list(path)) {
      if (!isNamed(textAt(each, 'name'), kind, fleet)) continue
      yield {
        id: textAt(each, 'id'),
        created: dateAt(each, 'created_at'),
        isExpired: maybeText(each, 'expired') === 'true',
        size: Number(textAt(each, 'size_in_bytes')),
        url: textAt(run, 'html_url')
      }
    }
  }

  /** The user of the token. Tokens of an app, such as that of a job, cannot ask the REST interface. */
  protected async user(): Promise<string> {
    const url = `${apiUrl(this.env).replace(/\/v3$/, '')}/graphql`
    const answer = await this.client.send('POST', url, { query: '{viewer{login}}' })
    return textAt(answer, 'data.viewer.login')
  }

  async summary(markdown: string): Promise<void> {
    const file = this.env['GITHUB_STEP_SUMMARY']
    if (file) await appendFile(file, `${markdown}\n`)
  }

  async failed(): Promise<ReadonlySet<string>> {
    try {
      const needs: unknown = JSON.parse(this.env['WLANCTL_JOBS'] || '{}')
      const names = Object.keys(Object(needs))
      return new Set(names.filter(name => maybeText(needs, `${name}.result`) === 'failure'))
    } catch {
      throw wrongInput('WLANCTL_JOBS is not the JSON of `needs`')
    }
  }
}

/** The run of a GitHub job. Throws a `Failure` (exit 3) if its environment lacks something. */
async function githubRun(env: Environment): Promise<CurrentRun> {
  const event = await readEvent(needed(env, 'GITHUB_EVENT_PATH'))
  const repository = needed(env, 'GITHUB_REPOSITORY')
  const id = needed(env, 'GITHUB_RUN_ID')
  const attempt = needed(env, 'GITHUB_RUN_ATTEMPT')
  const name = needed(env, 'GITHUB_EVENT_NAME')
  const ref = needed(env, 'GITHUB_REF')
  const pull = maybeText(event, 'pull_request.number')
  const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined
  // The event of a schedule, which runs on the default branch, may lack the repository.
  const defaultBranch =
    maybeText(event, 'repository.default_branch') ?? (name === 'schedule' && branch)
  if (!defaultBranch)
    throw wrongInput('the event of this job (GITHUB_EVENT_PATH) has no repository')
  return {
    isMergeQueue: name === 'merge_group',
    commit: pull ? textAt(event, 'pull_request.head.sha') : needed(env, 'GITHUB_SHA'),
    branch: pull === undefined ? branch : env['GITHUB_HEAD_REF'],
    url: `${needed(env, 'GITHUB_SERVER_URL')}/${repository}/actions/runs/${id}/attempts/${attempt}`,
    defaultBranch,
    pull: pull
      ? {
          number: Number(pull),
          target: maybeText(event, 'pull_request.base.ref'),
          targetCommit: maybeText(event, 'pull_request.base.sha')
        }
      : undefined
  }
}

async function readEvent(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw wrongInput('the event of this job (GITHUB_EVENT_PATH) cannot be read')
  }
}

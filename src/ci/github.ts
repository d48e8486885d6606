import { appendFile, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { wrongInput } from '../core/model/failure.ts'
import type { Environment } from '../core/values/environment.ts'
import { type ForgeProcess, needed } from './client.ts'
import type { CiCommand, CurrentRun, Forge, MergedPull } from './forge.ts'
import { dateAt, maybeText, textAt } from './forge-json.ts'
import { isNamed, type Listed, RestForge } from './rest-forge.ts'

/** GitHub for a job. Throws a `Failure` (exit 3) if its environment lacks something. */
export async function openGithub(process: ForgeProcess, token: string): Promise<Forge> {
  return new GitHub(process, token, await githubRun(process.env))
}

class GitHub extends RestForge {
  /** The path of our workflow, such as `.github/workflows/wlanctl.yml`. */
  readonly #workflow: string

  constructor(process: ForgeProcess, token: string, run: CurrentRun) {
    const { env } = process
    const url = env['GITHUB_API_URL'] ?? 'https://api.github.com'
    const own = needed(env, 'GITHUB_REPOSITORY')
    const merged = { state: 'closed', base: run.defaultBranch, sort: 'updated', direction: 'desc' }
    super(process, run, {
      ...{ kind: 'github', forge: 'GitHub', url, token, repository: `/repos/${own}` },
      headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
      ...{ own, maxBody: 65_536, edit: 'PATCH', body: 'body', author: 'user.login' },
      pulls: ['/pulls', merged],
      pull: {
        ...{ number: 'number', head: 'head.sha', target: 'base.ref' },
        repository: 'head.repo.full_name'
      },
      commit: { authored: 'commit.author.date', message: 'commit.message' },
      branch: ['/branches', 'commit.sha'],
      archive: id => `/actions/artifacts/${id}/zip`,
      comments: pull => `/issues/${pull}/comments`,
      comment: (_, id) => `/issues/comments/${id}`,
      issues: [{ state: 'open', sort: 'updated' }, { state: 'closed' }]
    })
    const reference = needed(env, 'GITHUB_WORKFLOW_REF')
    this.#workflow = reference.slice(own.length + 1).replace(/@.*/, '')
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
    const url = `${this.dialect.url.replace(/\/v3$/, '')}/graphql`
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

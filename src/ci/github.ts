import { appendFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { Failure, reasonOf, wrongInput } from '../core/model/failure.ts'
import {
  type Api,
  connect,
  dateAt,
  ForgeError,
  type ForgeProcess,
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
import { githubEvents, githubRun } from './job.ts'
import { isNamed, type Listed, newestFirst, RestForge, textOf, withTopic } from './rest-forge.ts'

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

  async tip(): Promise<string> {
    const branch = this.run.defaultBranch
    return textAt(await this.send('GET', '/branches/{branch}', { branch }), 'commit.sha')
  }

  async *mergedSince(time: Date): AsyncGenerator<MergedPull> {
    const base = this.run.defaultBranch
    const parameters = { state: 'closed', base, sort: 'updated', direction: 'desc' }
    for await (const pull of this.list('/pulls', parameters)) {
      if (dateAt(pull, 'updated_at') < time) return
      if (maybeText(pull, 'merged_at') === undefined || textAt(pull, 'base.ref') !== base) continue
      const head = textAt(pull, 'head.sha')
      yield {
        number: Number(textAt(pull, 'number')),
        head,
        // The repository of a fork may be gone.
        isFork: maybeText(pull, 'head.repo.full_name') !== this.run.repository,
        commits: [maybeText(pull, 'merge_commit_sha'), head].filter(sha => sha !== undefined),
        merged: dateAt(pull, 'merged_at')
      }
    }
  }

  async commitsOf({ number }: MergedPull): Promise<readonly CommitKey[]> {
    const commits: CommitKey[] = []
    for await (const each of this.list('/pulls/{number}/commits', { number })) {
      if ('parents' in each && Array.isArray(each.parents) && each.parents.length > 1) continue
      const [subject = ''] = textAt(each, 'commit.message').split('\n')
      commits.push({ authored: dateAt(each, 'commit.author.date').getTime() / 1000, subject })
    }
    return commits
  }

  async planOf({ head, merged, isFork }: MergedPull, name: string): Promise<Artifact | undefined> {
    if (isFork) return undefined
    const found: Listed[] = []
    const parameters = { head_sha: head, event: 'pull_request' }
    for await (const run of this.list('/actions/runs', parameters)) {
      const isOurs = textAt(run, 'event') === 'pull_request' && textAt(run, 'head_sha') === head
      if (isOurs && this.#isOwnWorkflow(run))
        for await (const listed of this.#artifacts(run, 'plan', name)) found.push(listed)
    }
    const [newest] = found.filter(({ created }) => created <= merged).sort(newestFirst)
    return newest && this.artifact(newest)
  }

  async *results(
    of: ResultKind,
    name: string,
    line: ReadonlySet<string>
  ): AsyncGenerator<Artifact> {
    const branch = this.run.defaultBranch
    const runs: object[] = []
    const file = posix.basename(this.run.workflow)
    for await (const run of this.list('/actions/workflows/{file}/runs', { file, branch })) {
      const isOurs =
        ['push', 'schedule', 'manual'].includes(githubEvents[textAt(run, 'event')] ?? '') &&
        maybeText(run, 'head_branch') === branch &&
        line.has(textAt(run, 'head_sha'))
      if (isOurs && this.#isOwnWorkflow(run)) runs.push(run)
      if (runs.length === MAX_RUNS) break
    }
    // An attempt of an older run may be newer, so several runs are asked at a time.
    runs.sort((a, b) => dateAt(b, 'updated_at').getTime() - dateAt(a, 'updated_at').getTime())
    while (runs.length > 0) {
      const some = runs.splice(0, RUNS_AT_A_TIME)
      const found: Listed[] = []
      for (const run of some)
        for await (const listed of this.#artifacts(run, of, name)) found.push(listed)
      yield* found.sort(newestFirst).map(listed => this.artifact(listed))
    }
  }

  /** True for a run of our workflow file and repository. Of a reusable workflow, a revision follows its path. */
  #isOwnWorkflow(run: object): boolean {
    const isOfFork = maybeText(run, 'head_repository.id') !== textAt(run, 'repository.id')
    return !isOfFork && textAt(run, 'path').replace(/@.*/, '') === this.run.workflow
  }

  async *#artifacts(run: object, kind: 'plan' | ResultKind, fleet: string): AsyncGenerator<Listed> {
    const id = textAt(run, 'id')
    for await (const each of this.list('/actions/runs/{id}/artifacts', { id })) {
      if (!isNamed(textAt(each, 'name'), kind, fleet)) continue
      yield {
        id: textAt(each, 'id'),
        name: textAt(each, 'name'),
        created: dateAt(each, 'created_at'),
        isExpired: isTrueAt(each, 'expired'),
        size: Number(textAt(each, 'size_in_bytes')),
        url: textAt(run, 'html_url')
      }
    }
  }

  async comment(
    number: number,
    topic: string,
    write: (earlier: string | undefined) => string
  ): Promise<void> {
    const own = await this.#firstOwn(COMMENTS, { number }, topic)
    const body = withTopic(topic, write(own && textOf(own.body, topic)), this.maxBody)
    await (own === undefined
      ? this.send('POST', COMMENTS, { number, body })
      : this.send('PATCH', '/issues/comments/{id}', { id: own.id, body }))
  }

  async issue(
    topic: string,
    write: (earlier: string | undefined) => NewIssue | undefined
  ): Promise<void> {
    const own = await this.#firstOwn('/issues', { state: 'open', sort: 'updated' }, topic)
    const issue = write(own && textOf(own.body, topic))
    const body = issue && withTopic(topic, issue.body, this.maxBody)
    if (own === undefined) {
      if (issue) await this.send('POST', '/issues', { title: issue.title, body })
      return
    }
    const change = issue ? { title: issue.title, body } : { state: 'closed' }
    await this.send('PATCH', '/issues/{number}', { number: own.number, ...change })
  }

  /** The first comment or issue of the list with this topic that this token's user wrote. */
  async #firstOwn(url: string, parameters: Readonly<Record<string, unknown>>, topic: string) {
    for await (const each of this.list(url, parameters)) {
      const body = maybeText(each, 'body') ?? ''
      if ('pull_request' in each || textOf(body, topic) === undefined) continue
      this.#login ??= this.#ownLogin()
      if (maybeText(each, 'user.login') !== (await this.#login)) continue
      return { id: textAt(each, 'id'), number: maybeText(each, 'number'), body }
    }
    return undefined
  }

  /** The user of the token. Tokens of an app, such as that of a job, cannot ask the REST interface. */
  async #ownLogin(): Promise<string> {
    try {
      return textAt(await this.client.graphql<unknown>('{viewer{login}}'), 'viewer.login')
    } catch (error) {
      if (error instanceof Failure) throw error
      throw new ForgeError(`GitHub did not tell the user of the token: ${reasonOf(error)}`)
    }
  }

  async summary(markdown: string): Promise<void> {
    const file = this.api.env['GITHUB_STEP_SUMMARY']
    if (file) await appendFile(file, `${markdown}\n`)
  }

  async jobs(): Promise<ReadonlyMap<string, string>> {
    const text = this.api.env['WLANCTL_JOBS'] || '{}'
    try {
      const needs: unknown = JSON.parse(text)
      const names = typeof needs === 'object' && needs !== null ? Object.keys(needs) : []
      return new Map(names.map(name => [name, maybeText(needs, `${name}.result`) ?? '']))
    } catch {
      throw wrongInput('WLANCTL_JOBS is not the JSON of `needs`')
    }
  }
}

/** The runs that may have the newest result. */
const MAX_RUNS = 60
const RUNS_AT_A_TIME = 5

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../../support/program.ts'
import { workflowIn } from '../../workflows/fake/workflow.ts'
import type { Files, MergeMethod } from './git.ts'
import { githubEvents, REPOSITORY } from './github.ts'
import { gitlabSources, PROJECT, PROJECT_PATH } from './gitlab.ts'
import { type ForgeServer, startServer } from './server.ts'
import { ForgeState, type Job, type Kind, type Permissions, type Pull, type Run } from './state.ts'
import { zip } from './zip.ts'

export const kinds = ['github', 'gitlab'] as const

/** The workflows of a fleet; GitLab has them as jobs of one file. */
type Workflow = 'plan' | 'apply' | 'drift' | 'report'

const eventsOf: Readonly<Record<Workflow, Run['event']>> = {
  plan: 'pull_request',
  apply: 'push',
  drift: 'schedule',
  report: 'push'
}

const { jobs } = workflowIn('examples/github/.github/workflows/wlanctl.yml')

/** The permissions of a job: what the generated file gives, and no more; on GitLab the scope of its project token. */
function permissionsOf(name: Workflow): Permissions {
  const scope = name === 'report' ? { api: 'write' } : { read_api: 'read' }
  return { ...jobs[name]?.permissions, ...scope } as Permissions
}

/** What a run is about. */
interface Start {
  readonly pull?: Pull
  /** Default: by the workflow. */
  readonly event?: Run['event']
  /** Default: the last commit of the pull request, or of main. */
  readonly commit?: string
  /** Default: main, or the branch of the pull request. */
  readonly branch?: string
  readonly isTag?: boolean
  /** Another job of an existing run. */
  readonly of?: StartedJob
}

/** A job that runs: where, with which environment, and where it leaves its results. */
export interface StartedJob {
  readonly run: Run
  readonly job: Job
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** The folder for its results, outside of the checkout as on GitHub. */
  readonly results: string
}

/** Starts a forge with a repository of these files, which ends after the test. */
export async function startForge(kind: Kind, files: Files): Promise<TestForge> {
  const state = new ForgeState(files)
  return new TestForge(kind, state, await startServer(kind, state))
}

/** A forge on loopback, and what people and runners do with it. */
export class TestForge {
  readonly kind: Kind
  readonly state: ForgeState
  readonly server: ForgeServer
  /** The tokens of jobs. */
  readonly tokens: Readonly<Record<Workflow, string>>

  constructor(kind: Kind, state: ForgeState, server: ForgeServer) {
    this.kind = kind
    this.state = state
    this.server = server
    const login = kind === 'github' ? 'github-actions[bot]' : 'project_42_bot'
    const names = ['plan', 'apply', 'drift', 'report'] as const
    const tokens = names.map(name => [name, state.tokenOf(login, permissionsOf(name))])
    this.tokens = Object.fromEntries(tokens)
  }

  /** The last commit of main. */
  get tip(): string {
    return this.state.repository.tip('main')
  }

  /** Opens a pull request with one commit on the tip of main. */
  openPullRequest({ files }: { readonly files: Files }): Pull {
    const { repository } = this.state
    const head = repository.change(this.tip, files, 'Change')
    const branch = `change-${head.slice(0, 8)}`
    const pull = this.state.addPull({ branch, head })
    this.#moveTo(pull, head)
    return pull
  }

  /** Makes a pull request end with another commit. */
  #moveTo(pull: Pull, head: string): void {
    const { repository } = this.state
    pull.head = head
    repository.setReference(`refs/pull/${pull.number}/head`, head)
    repository.setBranch(pull.branch, head)
  }

  /** Pushes another commit to a pull request. */
  push(pull: Pull, files: Files): void {
    this.#moveTo(pull, this.state.repository.change(pull.head, files, 'Change more'))
  }

  /**
   * Merges a pull request; returns the new tip of main. On GitLab, a rebase is a fast-forward of the branch, which GitLab
   * rebases first if main has moved, and a squash is one of the squashed commit.
   */
  merge(pull: Pull, method: MergeMethod = 'merge'): string {
    const { repository } = this.state
    const target = this.tip
    const own = repository.between(target, pull.head)
    const isForward =
      this.kind === 'gitlab' && method === 'rebase' && repository.isAncestor(target, pull.head)
    const made = isForward ? own : repository.merge(target, pull.head, method, 'Merge')
    const tip = made.at(-1) ?? target
    pull.own = own
    pull.commits = [...own, ...made]
    pull.state = 'merged'
    pull.mergedAt = this.state.tick()
    pull.updatedAt = pull.mergedAt
    if (method === 'merge') pull.mergeCommit = tip
    if (method === 'squash') pull.squashCommit = tip
    if (method === 'rebase' && this.kind === 'gitlab') pull.head = tip
    repository.setBranch('main', tip)
    return tip
  }

  /** Pushes files to main without a pull request. */
  pushToMain(files: Files): void {
    const { repository } = this.state
    repository.setBranch('main', repository.change(this.tip, files, 'Push'))
  }

  /** Starts a run of a workflow, and its first attempt. */
  start(workflow: Workflow, start: Start = {}): StartedJob {
    if (start.of !== undefined) return this.#startJob(start.of.run, workflow)
    const { pull, event = eventsOf[workflow] } = start
    const commit = start.commit ?? pull?.head ?? this.tip
    const run: Run = {
      id: this.state.nextId(),
      workflow: this.kind === 'github' ? '.github/workflows/wlanctl.yml' : '.gitlab-ci.yml',
      ...(start.isTag && { isTag: true }),
      event,
      commit,
      checkout: pull === undefined || this.kind === 'gitlab' ? commit : this.#preparedMerge(pull),
      branch: start.branch ?? pull?.branch ?? 'main',
      pull,
      createdAt: this.state.tick(),
      jobs: []
    }
    this.state.runs.push(run)
    return this.#startJob(run, workflow)
  }

  /** GitHub prepares a merge of each open pull request, which its runs check out. */
  #preparedMerge(pull: Pull): string {
    const { repository } = this.state
    const [made = pull.head] = repository.merge(this.tip, pull.head, 'merge', 'Prepared')
    repository.setReference(`refs/pull/${pull.number}/merge`, made)
    return made
  }

  #startJob(run: Run, name: Workflow): StartedJob {
    const job: Job = {
      id: this.state.nextId(),
      attempt: run.jobs.filter(job => job.name === `wlanctl-${name}`).length + 1,
      name: `wlanctl-${name}`,
      startedAt: this.state.tick(),
      endedAt: undefined,
      artifacts: []
    }
    run.jobs.push(job)
    const temporary = folder()
    const results = join(temporary, 'wlanctl-results')
    const env =
      this.kind === 'github'
        ? this.#githubEnv(run, job, temporary, this.tokens[name])
        : this.#gitlabEnv(run, job, this.tokens[name])
    const { repository } = this.state
    let cwd: string | undefined
    return {
      run,
      job,
      get cwd() {
        cwd ??= repository.checkout(run.checkout)
        return cwd
      },
      env,
      results
    }
  }

  #githubEnv(
    run: Run,
    job: Job,
    temporary: string,
    token: string
  ): Readonly<Record<string, string>> {
    const { pull } = run
    const event = {
      repository: { default_branch: 'main', full_name: REPOSITORY },
      ...(pull && {
        number: pull.number,
        pull_request: {
          number: pull.number,
          head: { sha: run.commit, ref: pull.branch, repo: { full_name: REPOSITORY } },
          base: { sha: this.tip, ref: 'main' }
        }
      })
    }
    const eventPath = join(temporary, 'event.json')
    writeFileSync(eventPath, JSON.stringify(event))
    const ref =
      pull === undefined
        ? `refs/${run.isTag ? 'tags' : 'heads'}/${run.branch}`
        : `refs/pull/${pull.number}/merge`
    return {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: this.server.url,
      GITHUB_SERVER_URL: 'https://github.test',
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_RUN_ID: String(run.id),
      GITHUB_RUN_ATTEMPT: String(job.attempt),
      GITHUB_EVENT_NAME: githubEvents[run.event],
      GITHUB_EVENT_PATH: eventPath,
      GITHUB_REF: ref,
      GITHUB_SHA: run.checkout,
      GITHUB_HEAD_REF: pull?.branch ?? '',
      GITHUB_WORKFLOW_REF: `${REPOSITORY}/${run.workflow}@${ref}`,
      GITHUB_STEP_SUMMARY: join(temporary, 'summary'),
      GITHUB_TOKEN: token
    }
  }

  #gitlabEnv(run: Run, job: Job, token: string): Readonly<Record<string, string>> {
    const { pull } = run
    const ofMerge = pull && {
      CI_MERGE_REQUEST_IID: String(pull.number),
      CI_MERGE_REQUEST_PROJECT_ID: PROJECT,
      CI_MERGE_REQUEST_PROJECT_PATH: PROJECT_PATH,
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: PROJECT,
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: pull.branch,
      CI_MERGE_REQUEST_EVENT_TYPE: run.event === 'merge_group' ? 'merge_train' : 'detached',
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '',
      CI_MERGE_REQUEST_TARGET_BRANCH_SHA: '',
      CI_MERGE_REQUEST_DIFF_BASE_SHA: this.state.repository.mergeBase(this.tip, run.commit)
    }
    return {
      CI: 'true',
      GITLAB_CI: 'true',
      CI_API_V4_URL: `${this.server.url}/api/v4`,
      CI_PROJECT_ID: PROJECT,
      CI_PROJECT_PATH: PROJECT_PATH,
      CI_DEFAULT_BRANCH: 'main',
      CI_PIPELINE_ID: String(run.id),
      CI_PIPELINE_SOURCE: gitlabSources[run.event],
      CI_JOB_ID: String(job.id),
      CI_JOB_NAME: job.name,
      CI_JOB_URL: `https://gitlab.test/${PROJECT_PATH}/-/jobs/${job.id}`,
      CI_CONFIG_PATH: run.workflow,
      CI_COMMIT_SHA: run.checkout,
      ...(pull === undefined
        ? run.isTag
          ? { CI_COMMIT_TAG: run.branch }
          : { CI_COMMIT_BRANCH: run.branch }
        : ofMerge),
      WLANCTL_FORGE_TOKEN: token
    }
  }

  /** Uploads a folder as artifact of the job, `PREFIX-ATTEMPT`, and ends the job. */
  finish({ job, results }: StartedJob, prefix: string): void {
    job.endedAt = this.state.tick()
    const files = existsSync(results) ? readdirSync(results) : []
    if (files.length === 0) return
    const inside = this.kind === 'github' ? '' : 'wlanctl-results/'
    const attempt = this.kind === 'github' ? job.attempt : job.id
    job.artifacts.push({
      id: this.state.nextId(),
      name: `${prefix}-${attempt}`,
      createdAt: this.state.tick(),
      archive: zip(
        files.map(name => ({ name: inside + name, content: readFileSync(join(results, name)) }))
      ),
      isExpired: false
    })
  }

  /** Puts texts into the folder of results, as a command would. */
  write({ results }: StartedJob, files: Readonly<Record<string, string>>): void {
    mkdirSync(results, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(results, name), text)
  }
}

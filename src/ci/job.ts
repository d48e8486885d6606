import { readFile } from 'node:fs/promises'
import { wrongInput } from '../core/model/failure.ts'
import type { JobEnvironment } from './client.ts'
import type { CurrentRun, RunEvent } from './forge.ts'

/** Events of GitHub, by name. */
export const githubEvents: Readonly<Record<string, RunEvent>> = {
  push: 'push',
  pull_request: 'pull_request',
  merge_group: 'merge_queue',
  schedule: 'schedule',
  workflow_dispatch: 'manual'
}

/** Sources of pipelines of GitLab, by name. */
export const gitlabEvents: Readonly<Record<string, RunEvent>> = {
  push: 'push',
  merge_request_event: 'pull_request',
  schedule: 'schedule',
  web: 'manual'
}

/** Parts of the event of a GitHub run. */
interface GitHubEvent {
  readonly repository?: { readonly default_branch?: string }
  readonly pull_request?: {
    readonly number: number
    readonly head: { readonly sha: string; readonly repo: { readonly full_name: string } | null }
    readonly base: { readonly sha: string; readonly ref?: string }
  }
}

/** The run of a GitHub job. Throws a `Failure` (exit 3) if its environment lacks something. */
export async function githubRun(env: JobEnvironment): Promise<CurrentRun> {
  const event = await readEvent(needed(env, 'GITHUB_EVENT_PATH'))
  const repository = needed(env, 'GITHUB_REPOSITORY')
  const id = needed(env, 'GITHUB_RUN_ID')
  const attempt = Number(needed(env, 'GITHUB_RUN_ATTEMPT'))
  const name = needed(env, 'GITHUB_EVENT_NAME')
  const ref = needed(env, 'GITHUB_REF')
  const { pull_request: pull } = event
  const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined
  // The event of a schedule, which runs on the default branch, may lack the repository.
  const defaultBranch = event.repository?.default_branch ?? (name === 'schedule' && branch)
  if (!defaultBranch)
    throw wrongInput('the event of this job (GITHUB_EVENT_PATH) has no repository')
  return {
    id,
    attempt,
    event: githubEvents[name] ?? 'other',
    workflow: needed(env, 'GITHUB_WORKFLOW_REF')
      .slice(repository.length + 1)
      .replace(/@.*/, ''),
    commit: pull?.head.sha ?? needed(env, 'GITHUB_SHA'),
    branch: pull === undefined ? branch : env['GITHUB_HEAD_REF'],
    isFork: pull !== undefined && pull.head.repo?.full_name !== repository,
    url: `${needed(env, 'GITHUB_SERVER_URL')}/${repository}/actions/runs/${id}/attempts/${attempt}`,
    repository,
    defaultBranch,
    pull: pull && { number: pull.number, target: pull.base.ref, targetCommit: pull.base.sha }
  }
}

async function readEvent(file: string): Promise<GitHubEvent> {
  try {
    const event: unknown = JSON.parse(await readFile(file, 'utf8'))
    return typeof event === 'object' && event !== null ? event : {}
  } catch {
    throw wrongInput('the event of this job (GITHUB_EVENT_PATH) cannot be read')
  }
}

/** The run of a GitLab job. Throws a `Failure` (exit 3) if its environment lacks something. */
export function gitlabRun(env: JobEnvironment): CurrentRun {
  // A pipeline of a fork runs in the fork, and is about a merge request of the target.
  const isOfMerge = env['CI_MERGE_REQUEST_IID'] !== undefined
  const repository = needed(env, isOfMerge ? 'CI_MERGE_REQUEST_PROJECT_PATH' : 'CI_PROJECT_PATH')
  // Empty in a pipeline of the source branch alone.
  const source = env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'] || needed(env, 'CI_COMMIT_SHA')
  return {
    id: needed(env, 'CI_PIPELINE_ID'),
    attempt: Number(needed(env, 'CI_JOB_ID')),
    event:
      env['CI_MERGE_REQUEST_EVENT_TYPE'] === 'merge_train'
        ? 'merge_queue'
        : (gitlabEvents[needed(env, 'CI_PIPELINE_SOURCE')] ?? 'other'),
    workflow: env['CI_CONFIG_PATH'] || '.gitlab-ci.yml',
    commit: source,
    branch: isOfMerge ? env['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'] : env['CI_COMMIT_BRANCH'],
    isFork: env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID'] !== env['CI_MERGE_REQUEST_PROJECT_ID'],
    url: needed(env, 'CI_JOB_URL'),
    repository,
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

/** A variable that the forge sets in every job. */
export function needed(env: JobEnvironment, name: string): string {
  const value = env[name]
  if (value) return value
  throw wrongInput(`${name} is not set, which the forge sets in every job`)
}

/**
 * Variables with credentials of the forge. `ACTIONS_ID_TOKEN_REQUEST_TOKEN` stays, because a vault may want the identity
 * of the job.
 */
const CREDENTIALS =
  /^(?:WLANCTL_FORGE_TOKEN|WLANCTL_GITLAB_TOKEN|GITHUB_TOKEN|GH_TOKEN|GH_ENTERPRISE_TOKEN|GITHUB_ENTERPRISE_TOKEN|ACTIONS_RUNTIME_TOKEN|CI_JOB_TOKEN|CI_REPOSITORY_URL|CI_.*_PASSWORD)$/

export function isForgeCredential(name: string): boolean {
  return CREDENTIALS.test(name)
}

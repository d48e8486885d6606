import { wrongInput } from '../core/model/failure.ts'
import type { Environment } from '../core/values/environment.ts'
import type { ForgeProcess } from './client.ts'
import type { Forge } from './forge.ts'

/**
 * The forge whose job this process is. Throws a `Failure` (exit 3) outside of a job, without a token, or if the
 * environment lacks something. In a pipeline of a fork on GitLab it works without a token, and can only read.
 */
export async function openForge(process: ForgeProcess): Promise<Forge> {
  const { env } = process
  const token = tokenOf(env)
  if (env['GITHUB_ACTIONS'] === 'true') {
    if (token === undefined) {
      throw wrongInput('there is no token of GitHub', 'set GITHUB_TOKEN or WLANCTL_FORGE_TOKEN')
    }
    const { openGithub } = await import('./github.ts')
    return openGithub(process, token)
  }
  if (env['GITLAB_CI'] === 'true') {
    // A pipeline of a fork gets no variables of the project, and reads what is public.
    const isOfFork =
      env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID'] !== env['CI_MERGE_REQUEST_PROJECT_ID']
    if (token === undefined && !isOfFork) {
      throw wrongInput(
        'there is no token of GitLab: that of the job can neither list pipelines nor write notes',
        'set WLANCTL_FORGE_TOKEN to a project access token with the scope api'
      )
    }
    const { openGitlab } = await import('./gitlab.ts')
    return openGitlab(process, token)
  }
  throw wrongInput(
    'this is not a job of GitHub Actions or GitLab CI',
    'elsewhere, use `wlanctl plan` and `wlanctl apply`'
  )
}

/** The token of a job; empty variables, such as an absent secret, are none. */
function tokenOf(env: Environment): string | undefined {
  const names =
    env['GITLAB_CI'] === 'true'
      ? ['WLANCTL_FORGE_TOKEN']
      : ['WLANCTL_FORGE_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN']
  return names.map(name => env[name]).find(value => value !== undefined && value !== '')
}

/** `ACTIONS_ID_TOKEN_REQUEST_TOKEN` stays: a vault may want the identity of the job. */
const CREDENTIALS =
  /^(?:WLANCTL_FORGE_TOKEN|GITHUB_TOKEN|GH_TOKEN|GH_ENTERPRISE_TOKEN|GITHUB_ENTERPRISE_TOKEN|ACTIONS_RUNTIME_TOKEN|CI_JOB_TOKEN|CI_REPOSITORY_URL|CI_.*_PASSWORD)$/

export function isForgeCredential(name: string): boolean {
  return CREDENTIALS.test(name)
}

import { exit, Failure } from '../../core/model/failure.ts'
import type { Gh, GhAnswer } from './gh.ts'

/** A setting, or the reason why GitHub does not show it. */
export type Seen<T> = { readonly value: T } | { readonly unseen: string }

/** The settings that `doctor --ci` checks. */
export interface GithubSettings {
  readonly private: boolean
  readonly branch: string
  /** The owner's plan, such as `free`, `team` or `enterprise`; only owners see it. */
  readonly plan: Seen<string>
  /** `all`, `local_only` or `selected`; undefined if Actions are disabled. */
  readonly allowedActions: Seen<string | undefined>
  /** `read` or `write`. */
  readonly defaultToken: Seen<string>
  /** True if workflows may create and approve pull requests. */
  readonly pullRequests: Seen<boolean>
  /** Undefined if the environment does not exist. */
  readonly environment: Seen<EnvironmentSettings | undefined>
  readonly environmentSecrets: Seen<readonly string[]>
  /** Secrets of the repository, and those of the organization that it can use. */
  readonly repositorySecrets: Seen<readonly string[]>
  readonly rules: Seen<BranchRules>
}

/** An environment, with the settings that an update must repeat. */
export interface EnvironmentSettings {
  readonly waitTimer: number
  readonly preventSelfReview: boolean
  readonly reviewers: readonly Reviewer[]
  /** The only branches that may use it; undefined if all may. */
  readonly branches: readonly string[] | 'protected' | undefined
}

export interface Reviewer {
  readonly type: 'User' | 'Team'
  readonly id: number
}

/** The combined requirements of the rulesets and the protection of a branch. */
export interface BranchRules {
  readonly pullRequest: boolean
  readonly codeOwners: boolean
  readonly dismissStale: boolean
  /** The names of required checks. */
  readonly checks: readonly string[]
}

/**
 * Reads the settings of a repository, such as `acme/wifi`; one that GitHub refuses is `unseen`. Rejects with a `Failure`
 * if it refuses the repository.
 */
export async function readSettings(
  gh: Gh,
  name: string,
  environment: string
): Promise<GithubSettings> {
  const root = `repos/${name}`
  const found = await gh('GET', root)
  if (!('value' in found)) {
    const hint = 'run `gh auth login` with an account that administers the repository'
    throw new Failure(exit.failed, `${name} cannot be read: ${found.reason}`, hint)
  }
  const branch = textOf(found.value, 'default_branch') || 'main'
  const isOrg = textOf(found.value, 'owner', 'type') === 'Organization'
  const place = `${root}/environments/${encodeURIComponent(environment)}`
  const [plan, actions, token, settings, environmentSecrets, repositorySecrets, rules] =
    await Promise.all([
      gh('GET', isOrg ? `orgs/${name.split('/')[0]}` : 'user'),
      gh('GET', `${root}/actions/permissions`),
      gh('GET', `${root}/actions/permissions/workflow`),
      readEnvironment(gh, place),
      gh('GET', `${place}/secrets?per_page=100`),
      readSecrets(gh, root, isOrg),
      readRules(gh, root, branch)
    ])
  return {
    private: member(found.value, 'private') === true,
    branch,
    plan: seen(plan, answer => textOf(answer, 'plan', 'name')),
    allowedActions: seen(actions, answer =>
      member(answer, 'enabled') === false ? undefined : textOf(answer, 'allowed_actions') || 'all'
    ),
    defaultToken: seen(token, answer => textOf(answer, 'default_workflow_permissions')),
    pullRequests: seen(
      token,
      answer => member(answer, 'can_approve_pull_request_reviews') === true
    ),
    environment: settings,
    environmentSecrets: seen(environmentSecrets, secretNames),
    repositorySecrets,
    rules
  }
}

function seen<T>(answer: GhAnswer, read: (value: unknown) => T): Seen<T> {
  return 'value' in answer ? { value: read(answer.value) } : { unseen: answer.reason }
}

async function readEnvironment(gh: Gh, place: string): Promise<GithubSettings['environment']> {
  const answer = await gh('GET', place)
  if (!('value' in answer) && answer.status === 404) return { value: undefined }
  const policy = 'value' in answer ? member(answer.value, 'deployment_branch_policy') : undefined
  const isCustom = member(policy, 'custom_branch_policies') === true
  const patterns = isCustom
    ? await gh('GET', `${place}/deployment-branch-policies?per_page=100`)
    : { value: undefined }
  if (!('value' in patterns)) return { unseen: patterns.reason }
  return seen(answer, value => {
    const rules = listOf(value, 'protection_rules')
    const reviews = rules.find(rule => textOf(rule, 'type') === 'required_reviewers')
    const timer = rules.find(rule => textOf(rule, 'type') === 'wait_timer')
    const wait = member(timer, 'wait_timer')
    const named = listOf(patterns.value, 'branch_policies').map(each => textOf(each, 'name'))
    const isProtected = member(policy, 'protected_branches') === true
    return {
      waitTimer: typeof wait === 'number' ? wait : 0,
      preventSelfReview: member(reviews, 'prevent_self_review') === true,
      reviewers: listOf(reviews, 'reviewers').flatMap(reviewerOf),
      branches: isProtected ? 'protected' : isCustom ? named : undefined
    }
  })
}

function reviewerOf(each: unknown): Reviewer[] {
  const type = textOf(each, 'type')
  const id = member(each, 'reviewer', 'id')
  return (type === 'User' || type === 'Team') && typeof id === 'number' ? [{ type, id }] : []
}

async function readSecrets(gh: Gh, root: string, isOrg: boolean): Promise<Seen<readonly string[]>> {
  const own = seen(await gh('GET', `${root}/actions/secrets?per_page=100`), secretNames)
  if (!isOrg || 'unseen' in own) return own
  const shared = await gh('GET', `${root}/actions/organization-secrets?per_page=100`)
  return { value: [...own.value, ...('value' in shared ? secretNames(shared.value) : [])] }
}

/** The names of secrets; GitHub never returns their values. */
function secretNames(answer: unknown): string[] {
  return listOf(answer, 'secrets').map(each => textOf(each, 'name'))
}

/** The rules of all rulesets, and the older branch protection, which only administrators see. */
async function readRules(gh: Gh, root: string, branch: string): Promise<Seen<BranchRules>> {
  const name = encodeURIComponent(branch)
  const [rulesets, protection] = await Promise.all([
    gh('GET', `${root}/rules/branches/${name}?per_page=100`),
    gh('GET', `${root}/branches/${name}/protection`)
  ])
  const classic = 'value' in protection ? protection.value : undefined
  if (classic === undefined && !('value' in rulesets)) return { unseen: rulesets.reason }
  const rules = 'value' in rulesets ? listOf(rulesets.value) : []
  const parametersOf = (type: string) =>
    rules.filter(rule => textOf(rule, 'type') === type).map(rule => member(rule, 'parameters'))
  const reviews = parametersOf('pull_request')
  const required = member(classic, 'required_pull_request_reviews')
  return {
    value: {
      pullRequest: reviews.length > 0 || required !== undefined,
      codeOwners:
        reviews.some(each => member(each, 'require_code_owner_review') === true) ||
        member(required, 'require_code_owner_reviews') === true,
      dismissStale:
        reviews.some(each => member(each, 'dismiss_stale_reviews_on_push') === true) ||
        member(required, 'dismiss_stale_reviews') === true,
      checks: [
        ...parametersOf('required_status_checks').flatMap(each =>
          listOf(each, 'required_status_checks').map(check => textOf(check, 'context'))
        ),
        ...listOf(classic, 'required_status_checks', 'contexts').map(each => textOf(each))
      ]
    }
  }
}

function member(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (each, name) =>
      typeof each === 'object' && each !== null && Object.hasOwn(each, name)
        ? Reflect.get(each, name)
        : undefined,
    value
  )
}

function listOf(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = member(value, ...path)
  return Array.isArray(found) ? found : []
}

/** A text at a path; empty if there is none. */
function textOf(value: unknown, ...path: readonly string[]): string {
  const found = member(value, ...path)
  return typeof found === 'string' ? found : ''
}

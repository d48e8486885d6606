import { exit, Failure } from '../../model/failure.ts'
import type { Gh } from './gh.ts'

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

type Json = { readonly [name: string]: Json } | readonly Json[] | string | number | boolean | null

/**
 * Reads the settings of a repository, such as `acme/wifi`; one that GitHub refuses is `unseen`. Rejects with a `Failure` if it refuses the
 * repository.
 */
export async function readSettings(
  gh: Gh,
  name: string,
  environment: string
): Promise<GithubSettings> {
  const root = `repos/${name}`
  const repository = await gh('GET', root)
  if (!('value' in repository)) {
    const hint = 'run `gh auth login` with an account that administers the repository'
    throw new Failure(exit.failed, `${name} cannot be read: ${repository.reason}`, hint)
  }
  const { private: isPrivate, default_branch, owner: account } = objectOf(repository.value)
  const branch = textOf(default_branch, 'main')
  const isOrg = textOf(objectOf(account)['type']) === 'Organization'
  const place = `${root}/environments/${encodeURIComponent(environment)}`
  const [plan, actions, token, found, environmentSecrets, repositorySecrets, rules] =
    await Promise.all([
      seen(gh, isOrg ? `orgs/${name.split('/')[0]}` : 'user', planOf),
      seen(gh, `${root}/actions/permissions`, ({ enabled, allowed_actions }) =>
        enabled === false ? undefined : textOf(allowed_actions, 'all')
      ),
      seen(gh, `${root}/actions/permissions/workflow`, value => value),
      readEnvironment(gh, place),
      seen(gh, `${place}/secrets?per_page=100`, namesIn),
      readSecrets(gh, root, isOrg),
      readRules(gh, root, branch)
    ])
  const settings = { private: isPrivate === true, branch, plan, allowedActions: actions }
  return {
    ...settings,
    defaultToken: mapSeen(token, value => textOf(value['default_workflow_permissions'])),
    pullRequests: mapSeen(token, value => value['can_approve_pull_request_reviews'] === true),
    environment: found,
    environmentSecrets,
    repositorySecrets,
    rules
  }
}

/** Requests one setting and parses it with `read`. */
async function seen<T>(
  gh: Gh,
  path: string,
  read: (value: Readonly<Record<string, Json>>) => T
): Promise<Seen<T>> {
  const answer = await gh('GET', path)
  return 'value' in answer ? { value: read(objectOf(answer.value)) } : { unseen: answer.reason }
}

function mapSeen<T, U>(setting: Seen<T>, read: (value: T) => U): Seen<U> {
  return 'value' in setting ? { value: read(setting.value) } : setting
}

function planOf({ plan }: Readonly<Record<string, Json>>): string {
  return textOf(objectOf(plan)['name'])
}

async function readEnvironment(gh: Gh, place: string): Promise<GithubSettings['environment']> {
  const answer = await gh('GET', place)
  if (!('value' in answer)) {
    return answer.status === 404 ? { value: undefined } : { unseen: answer.reason }
  }
  const { protection_rules, deployment_branch_policy } = objectOf(answer.value)
  const rules = listOf(protection_rules).map(objectOf)
  const reviews = rules.find(({ type }) => type === 'required_reviewers') ?? {}
  const wait = rules.find(({ type }) => type === 'wait_timer')?.['wait_timer']
  const policy = objectOf(deployment_branch_policy)
  const branches = await branchesOf(gh, place, policy)
  if ('unseen' in branches) return branches
  return {
    value: {
      waitTimer: typeof wait === 'number' ? wait : 0,
      preventSelfReview: reviews['prevent_self_review'] === true,
      reviewers: listOf(reviews['reviewers']).flatMap(reviewerOf),
      branches: branches.value
    }
  }
}

async function branchesOf(
  gh: Gh,
  place: string,
  policy: Readonly<Record<string, Json>>
): Promise<Seen<EnvironmentSettings['branches']>> {
  if (policy['protected_branches'] === true) return { value: 'protected' }
  if (policy['custom_branch_policies'] !== true) return { value: undefined }
  return seen(gh, `${place}/deployment-branch-policies?per_page=100`, ({ branch_policies }) =>
    listOf(branch_policies).map(each => textOf(objectOf(each)['name']))
  )
}

function reviewerOf(each: Json): Reviewer[] {
  const { type, reviewer } = objectOf(each)
  const id = objectOf(reviewer)['id']
  return (type === 'User' || type === 'Team') && typeof id === 'number' ? [{ type, id }] : []
}

async function readSecrets(gh: Gh, root: string, isOrg: boolean): Promise<Seen<readonly string[]>> {
  const own = await seen(gh, `${root}/actions/secrets?per_page=100`, namesIn)
  if (!isOrg || 'unseen' in own) return own
  const shared = await seen(gh, `${root}/actions/organization-secrets?per_page=100`, namesIn)
  return 'unseen' in shared ? own : { value: [...own.value, ...shared.value] }
}

/** The names of secrets; GitHub never returns their values. */
function namesIn({ secrets }: Readonly<Record<string, Json>>): string[] {
  return listOf(secrets).map(each => textOf(objectOf(each)['name']))
}

/** The rules of all rulesets, and the older branch protection, which only administrators see. */
async function readRules(gh: Gh, root: string, branch: string): Promise<Seen<BranchRules>> {
  const name = encodeURIComponent(branch)
  const [rulesets, protection] = await Promise.all([
    gh('GET', `${root}/rules/branches/${name}?per_page=100`),
    gh('GET', `${root}/branches/${name}/protection`)
  ])
  const found = [
    ...('value' in rulesets ? [fromRulesets(listOf(rulesets.value as Json).map(objectOf))] : []),
    ...('value' in protection ? [fromProtection(objectOf(protection.value))] : [])
  ]
  if (found.length === 0 && !('value' in rulesets)) return { unseen: rulesets.reason }
  return {
    value: {
      pullRequest: found.some(each => each.pullRequest),
      codeOwners: found.some(each => each.codeOwners),
      dismissStale: found.some(each => each.dismissStale),
      checks: found.flatMap(each => each.checks)
    }
  }
}

function fromRulesets(rules: readonly Readonly<Record<string, Json>>[]): BranchRules {
  const parametersOf = (wanted: string) =>
    rules.filter(({ type }) => type === wanted).map(({ parameters }) => objectOf(parameters))
  const reviews = parametersOf('pull_request')
  return {
    pullRequest: reviews.length > 0,
    codeOwners: reviews.some(each => each['require_code_owner_review'] === true),
    dismissStale: reviews.some(each => each['dismiss_stale_reviews_on_push'] === true),
    checks: parametersOf('required_status_checks').flatMap(({ required_status_checks }) =>
      listOf(required_status_checks).map(each => textOf(objectOf(each)['context']))
    )
  }
}

function fromProtection(protection: Readonly<Record<string, Json>>): BranchRules {
  const { required_pull_request_reviews: reviews, required_status_checks: checks } = protection
  return {
    pullRequest: reviews !== undefined,
    codeOwners: objectOf(reviews)['require_code_owner_reviews'] === true,
    dismissStale: objectOf(reviews)['dismiss_stale_reviews'] === true,
    checks: listOf(objectOf(checks)['contexts']).map(each => textOf(each))
  }
}

/** A member of unknown JSON as an object; empty if it is not one. */
function objectOf(value: unknown): Readonly<Record<string, Json>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, Json>>) : {}
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: Json | undefined, other = ''): string {
  return typeof value === 'string' ? value : other
}

import { exit, Failure } from '../../model/failure.ts'
import { quote } from '../../model/text.ts'
import { type Expected, REQUIRED_CHECKS } from './checks.ts'
import type { Gh, GithubRepository } from './gh.ts'
import type { BranchRules, Environment, GithubSettings, Reviewer } from './settings.ts'

/** One setting to change. */
export interface Fix {
  /** What it does, as an imperative. */
  readonly said: string
  readonly method: 'PUT' | 'POST'
  readonly path: string
  readonly body: unknown
}

/** The changes that make the settings as expected; none where they are, or where GitHub does not show them. */
export function fixesFor(
  settings: GithubSettings,
  { owner, name }: GithubRepository,
  { environment }: Expected,
  reviewers: readonly Reviewer[]
): readonly Fix[] {
  const root = `repos/${owner}/${name}`
  const place = `${root}/environments/${encodeURIComponent(environment)}`
  const { branch, defaultToken, rules } = settings
  return [
    ...('value' in defaultToken && defaultToken.value !== 'read' ? [readOnlyToken(root)] : []),
    ...('value' in settings.environment
      ? environmentFixes(settings.environment.value, { place, environment, branch, reviewers })
      : []),
    ...('value' in rules ? rulesetFixes(rules.value, root, branch) : [])
  ]
}

function readOnlyToken(root: string): Fix {
  return {
    said: 'give workflows a read-only token unless they ask for more',
    method: 'PUT',
    path: `${root}/actions/permissions/workflow`,
    body: { default_workflow_permissions: 'read' }
  }
}

interface Wanted {
  readonly place: string
  readonly environment: string
  readonly branch: string
  readonly reviewers: readonly Reviewer[]
}

/** An update replaces the whole environment, so it repeats what there is. */
function environmentFixes(
  found: Environment | undefined,
  { place, environment, branch, reviewers }: Wanted
): Fix[] {
  const isKnown = ({ type, id }: Reviewer) =>
    (found?.reviewers ?? []).some(each => each.type === type && each.id === id)
  const added = reviewers.filter(each => !isKnown(each))
  const branches = found?.branches
  const isProtected = branches === 'protected'
  const lacksBranch = !isProtected && !branches?.includes(branch)
  const update: Fix = {
    said: `${found === undefined ? 'create' : 'update'} the environment ${environment}${added.length > 0 ? ` with ${added.length} more required reviewers` : ''}${branches === undefined ? `, restricted to ${branch}` : ''}`,
    method: 'PUT',
    path: place,
    body: {
      wait_timer: found?.waitTimer ?? 0,
      prevent_self_review: found?.preventSelfReview ?? false,
      reviewers: [...(found?.reviewers ?? []), ...added],
      deployment_branch_policy: {
        protected_branches: isProtected,
        custom_branch_policies: !isProtected
      }
    }
  }
  const allow: Fix = {
    said: `let the branch ${branch} use ${environment}`,
    method: 'POST',
    path: `${place}/deployment-branch-policies`,
    body: { name: branch }
  }
  return [
    ...(branches === undefined || added.length > 0 ? [update] : []),
    ...(lacksBranch ? [allow] : [])
  ]
}

/** A ruleset adds to those that there are: the strictest counts. */
function rulesetFixes(found: BranchRules, root: string, branch: string): Fix[] {
  const isReviewed = found.pullRequest && found.codeOwners && found.dismissStale
  const missing = REQUIRED_CHECKS.filter(name => !found.checks.includes(name))
  if (isReviewed && missing.length === 0) return []
  const review = {
    type: 'pull_request',
    parameters: {
      required_approving_review_count: 1,
      dismiss_stale_reviews_on_push: true,
      require_code_owner_review: true,
      require_last_push_approval: false,
      required_review_thread_resolution: false
    }
  }
  const checks = {
    type: 'required_status_checks',
    parameters: {
      strict_required_status_checks_policy: false,
      required_status_checks: missing.map(context => ({ context }))
    }
  }
  const parts = [
    ...(isReviewed ? [] : ['pull requests that code owners review']),
    ...(missing.length === 0 ? [] : [`the checks ${missing.join(', ')}`])
  ]
  return [
    {
      said: `create a ruleset for ${branch} that requires ${parts.join(' and ')}`,
      method: 'POST',
      path: `${root}/rulesets`,
      body: {
        name: 'wlanctl',
        target: 'branch',
        enforcement: 'active',
        conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
        rules: [...(isReviewed ? [] : [review]), ...(missing.length === 0 ? [] : [checks])]
      }
    }
  ]
}

/** The ids of reviewers such as `octocat` or `@acme/network`. Throws a `Failure` for an unknown one. */
export async function reviewersOf(gh: Gh, names: readonly string[]): Promise<readonly Reviewer[]> {
  const found: Reviewer[] = []
  for (const name of names) {
    const [, user, team] = /^@?([\w-]+)(?:\/([\w.-]+))?$/.exec(name) ?? []
    const path = team === undefined ? `users/${user}` : `orgs/${user}/teams/${team}`
    const answer = user === undefined ? { reason: 'not a name' } : await gh('GET', path)
    const { id } = ('value' in answer ? answer.value : {}) as { readonly id?: unknown }
    if (typeof id !== 'number') {
      const reason = 'reason' in answer ? answer.reason : 'it has no id'
      const problem = `expected a user or @ORGANIZATION/TEAM, got ${quote(name, 100)}: ${reason}`
      throw new Failure(exit.wrongInput, problem)
    }
    found.push({ type: team === undefined ? 'User' : 'Team', id })
  }
  return found
}

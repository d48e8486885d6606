import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, Failure, wrongInput } from '../../core/model/failure.ts'
import type { DoctorCheck } from '../../core/model/finding.ts'
import { plural, quote } from '../../core/values/text.ts'
import { escapeInside } from '../../report/escape.ts'
import { confirm, requireTerminal } from '../terminal/confirm.ts'
import { type Io, writeLine } from '../terminal/io.ts'
import { runChecks } from './check.ts'
import { type Gh, ghFor, repositoryOf } from './gh.ts'
import {
  FIX_OF_UNSEEN,
  lackingRules,
  missingChecks,
  type Repository,
  repositoryChecks
} from './github.ts'
import {
  type BranchRules,
  type EnvironmentSettings,
  type Reviewer,
  readSettings
} from './github-settings.ts'

/** The options of `doctor --ci`. */
export interface RepositoryOptions {
  readonly apply?: true
  readonly yes?: true
  /** Users and teams who review deployments. */
  readonly reviewer: readonly string[]
}

/**
 * Checks the GitHub repository with this checkout. With `apply`, it first shows the missing settings, asks for
 * confirmation, makes them and reads them back. `secrets` are the names that the fleet refers to.
 */
export async function checkRepository(
  root: string,
  secrets: readonly string[] | undefined,
  options: RepositoryOptions,
  io: Io
): Promise<DoctorCheck[]> {
  const remote = await repositoryOf(root, io)
  const files = await workflowTexts(root)
  const gh = ghFor(remote, io)
  const repository = `${remote.owner}/${remote.name}`
  const environmentName = environmentIn(files)
  const known = { repository, files, environmentName, secrets }
  const read = async () => ({ ...known, ...(await readSettings(gh, repository, environmentName)) })
  const before = await read()
  const isChanged = options.apply && (await applyFixes(before, gh, options, io))
  return runChecks(repositoryChecks, isChanged ? await read() : before, FIX_OF_UNSEEN)
}

/** The texts of the workflows and CODEOWNERS in the checkout, by path; empty if there are none. */
async function workflowTexts(root: string): Promise<ReadonlyMap<string, string>> {
  const folder = join(root, '.github/workflows')
  const names = await readdir(folder).catch(() => [])
  const files = names.filter(name => /\.ya?ml$/.test(name)).map(name => `.github/workflows/${name}`)
  const texts = new Map<string, string>()
  for (const file of [...files.sort(), '.github/CODEOWNERS']) {
    const text = await readFile(join(root, file), 'utf8').catch(() => undefined)
    if (text !== undefined) texts.set(file, text)
  }
  return texts
}

/** The environment in the workflows; default: that of the examples. */
function environmentIn(workflows: ReadonlyMap<string, string>): string {
  for (const text of workflows.values()) {
    const [, name] = /^\s+environment: ([\w.-]+)\s*$/m.exec(text) ?? []
    if (name !== undefined) return name
  }
  return 'production'
}

/** Asks for confirmation before it applies the fixes; false if there are none. Throws at the first error. */
async function applyFixes(
  found: Repository,
  gh: Gh,
  options: RepositoryOptions,
  io: Io
): Promise<boolean> {
  const fixes = fixesFor(found, await reviewersOf(gh, options.reviewer))
  if (fixes.length === 0) return false
  await writeLine(io, `Settings of ${found.repository} to change:`)
  for (const fix of fixes) await writeLine(io, shownFix(fix))
  if (!options.yes) {
    const refused = 'no setting was changed'
    requireTerminal(io, 'change the settings', { undone: refused })
    const question = `Change ${plural(fixes.length, 'setting')} of ${found.repository}?`
    await confirm({ question, done: 'changed', refused }, io)
  }
  for (const [at, { summary, method, path, body }] of fixes.entries()) {
    const answer = await gh(method, path, body)
    if ('value' in answer) continue
    const problem = `could not ${summary}: ${answer.reason}`
    throw new Failure(exit.failed, problem, `${at} of ${plural(fixes.length, 'setting')} changed`)
  }
  return true
}

function shownFix({ summary, method, path, body }: Fix): string {
  return `  ${escapeInside(summary)}\n      ${method} ${escapeInside(path)} ${escapeInside(JSON.stringify(body))}`
}

interface Fix {
  /** Its description in the imperative. */
  readonly summary: string
  readonly method: 'PUT' | 'POST'
  readonly path: string
  readonly body: unknown
}

/** The fixes for settings that differ from the expected ones; GitHub must show the setting. */
function fixesFor(found: Repository, reviewers: readonly Reviewer[]): readonly Fix[] {
  const { defaultToken, environment, rules } = found
  const root = `repos/${found.repository}`
  return [
    ...('value' in defaultToken && defaultToken.value !== 'read' ? [readOnlyToken(root)] : []),
    ...('value' in environment ? environmentFixes(environment.value, found, reviewers) : []),
    ...('value' in rules ? rulesetFixes(rules.value, root, found.branch) : [])
  ]
}

function readOnlyToken(root: string): Fix {
  return {
    summary: 'give workflows a read-only token unless they ask for more',
    method: 'PUT',
    path: `${root}/actions/permissions/workflow`,
    body: { default_workflow_permissions: 'read' }
  }
}

/** An update replaces the whole environment, so it repeats its existing settings. */
function environmentFixes(
  found: EnvironmentSettings | undefined,
  { repository, environmentName: name, branch }: Repository,
  reviewers: readonly Reviewer[]
): Fix[] {
  const place = `repos/${repository}/environments/${encodeURIComponent(name)}`
  const isKnown = ({ type, id }: Reviewer) =>
    (found?.reviewers ?? []).some(each => each.type === type && each.id === id)
  const added = reviewers.filter(each => !isKnown(each))
  const branches = found?.branches
  const isProtected = branches === 'protected'
  const lacksBranch = !isProtected && !branches?.includes(branch)
  const update: Fix = {
    summary: `${found === undefined ? 'create' : 'update'} the environment ${name}${added.length > 0 ? ` with ${added.length} more required reviewers` : ''}${branches === undefined ? `, restricted to ${branch}` : ''}`,
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
    summary: `let the branch ${branch} use ${name}`,
    method: 'POST',
    path: `${place}/deployment-branch-policies`,
    body: { name: branch }
  }
  return [
    ...(branches === undefined || added.length > 0 ? [update] : []),
    ...(lacksBranch ? [allow] : [])
  ]
}

/** A ruleset is added to the existing ones, and the strictest applies. */
function rulesetFixes(found: BranchRules, root: string, branch: string): Fix[] {
  const isReviewed = lackingRules(found).length === 0
  const missing = missingChecks(found)
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
      summary: `create a ruleset for ${branch} that requires ${parts.join(' and ')}`,
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
async function reviewersOf(gh: Gh, names: readonly string[]): Promise<readonly Reviewer[]> {
  const found: Reviewer[] = []
  for (const name of names) {
    const [, user, team] = /^@?([\w-]+)(?:\/([\w.-]+))?$/.exec(name) ?? []
    const path = team === undefined ? `users/${user}` : `orgs/${user}/teams/${team}`
    const answer = user === undefined ? { reason: 'not a name' } : await gh('GET', path)
    const { id } = ('value' in answer ? answer.value : {}) as { readonly id?: unknown }
    if (typeof id !== 'number') {
      const reason = 'reason' in answer ? answer.reason : 'it has no id'
      const problem = `expected a user or @ORGANIZATION/TEAM, got ${quote(name, 100)}: ${reason}`
      throw wrongInput(problem)
    }
    found.push({ type: team === undefined ? 'User' : 'Team', id })
  }
  return found
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, Failure } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import { plural, quote } from '../../model/text.ts'
import { escapeInside } from '../../report/escape.ts'
import { confirm, requireTerminal } from '../confirm.ts'
import { ciAddressChecks, ok, wrong } from '../doctor-checks.ts'
import { gitIn } from '../files/git.ts'
import { type Io, writeLine } from '../io.ts'
import { type Expected, REQUIRED_CHECKS, settingChecks } from './checks.ts'
import { type Gh, type GithubRepository, ghFor, repositoryOf } from './gh.ts'
import {
  type BranchRules,
  type EnvironmentSettings,
  type GithubSettings,
  type Reviewer,
  readSettings
} from './settings.ts'

/** The options of `doctor --ci`. */
export interface RepositoryOptions {
  readonly apply?: true
  readonly yes?: true
  /** Users and teams who review deployments. */
  readonly reviewer: readonly string[]
}

/**
 * Checks the GitHub repository of a fleet. With `apply`, it first shows the missing settings, asks for
 * confirmation, makes them and reads them back. `folder` is absolute; `secrets` are the names that the fleet
 * refers to.
 */
export async function repositoryChecks(
  folder: string,
  secrets: readonly string[] | undefined,
  options: RepositoryOptions,
  io: Io
): Promise<DoctorCheck[]> {
  const root = await rootOf(folder, io)
  const repository = await repositoryOf(root, io)
  const workflows = await workflowTexts(root)
  const gh = ghFor(repository, io)
  const expected: Expected = {
    repository: `${repository.owner}/${repository.name}`,
    environment: environmentIn(workflows),
    secrets,
    adopts: workflows.has('.github/workflows/adopt.yml')
  }
  const before = await readSettings(gh, repository, expected.environment)
  const isChanged =
    options.apply && (await applyFixes(before, { gh, repository, expected }, options, io))
  const settings = isChanged ? await readSettings(gh, repository, expected.environment) : before
  const kind = settings.private ? 'private' : 'public'
  return [
    { about: 'repository', ...ok(`${expected.repository}, ${kind}`) },
    workflowCheck(workflows),
    ...ciAddressChecks(workflows),
    ...settingChecks(settings, expected)
  ]
}

/** The root of the checkout that contains a folder. Throws a `Failure` (exit 3) if there is none. */
export async function rootOf(folder: string, io: Io): Promise<string> {
  const { code, stdout } = await gitIn(folder, io)(['rev-parse', '--show-toplevel'])
  if (code === 0) return stdout.toString().trim()
  throw new Failure(
    exit.wrongInput,
    'the fleet is not in a git repository',
    'create one: git init, or `wlanctl init` for all of its files'
  )
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

function workflowCheck(workflows: ReadonlyMap<string, string>): DoctorCheck {
  const about = 'workflows'
  const amount = [...workflows.keys()].filter(file => !file.endsWith('CODEOWNERS')).length
  if (amount === 0) {
    const todo = 'run: wlanctl init --ci github'
    return { about, ...wrong('the checkout has no workflow', todo) }
  }
  const open = [...workflows].filter(([, text]) => /@0{40}|@example\//.test(text))
  if (open.length === 0) return { about, ...ok(plural(amount, 'workflow')) }
  const said = `a placeholder of the examples is left in ${open.map(([file]) => file).join(', ')}`
  const todo = 'replace it by your teams, and by the repository and commit of wlanctl'
  return { about, ...wrong(said, todo) }
}

interface Target {
  readonly gh: Gh
  readonly repository: GithubRepository
  readonly expected: Expected
}

/**
 * Shows the fixes, asks for confirmation, and applies them; false if there are none. Throws a `Failure` at
 * the first error.
 */
async function applyFixes(
  settings: GithubSettings,
  { gh, repository, expected }: Target,
  options: RepositoryOptions,
  io: Io
): Promise<boolean> {
  const reviewers = await reviewersOf(gh, options.reviewer)
  const fixes = fixesFor(settings, repository, expected, reviewers)
  if (fixes.length === 0) return false
  await writeLine(io, `Settings of ${expected.repository} to change:`)
  for (const fix of fixes) await writeLine(io, shownFix(fix))
  if (!options.yes) {
    const refused = 'no setting was changed'
    requireTerminal(io, 'change the settings', { undone: refused })
    const question = `Change ${plural(fixes.length, 'setting')} of ${expected.repository}?`
    await confirm({ question, done: 'changed', refused }, io)
  }
  for (const [at, { said, method, path, body }] of fixes.entries()) {
    const answer = await gh(method, path, body)
    if ('value' in answer) continue
    const problem = `could not ${said}: ${answer.reason}`
    throw new Failure(exit.failed, problem, `${at} of ${plural(fixes.length, 'setting')} changed`)
  }
  return true
}

function shownFix({ said, method, path, body }: Fix): string {
  return `  ${escapeInside(said)}\n      ${method} ${escapeInside(path)} ${escapeInside(JSON.stringify(body))}`
}

/** A change of one setting. */
export interface Fix {
  /** Its description in the imperative. */
  readonly said: string
  readonly method: 'PUT' | 'POST'
  readonly path: string
  readonly body: unknown
}

/** The fixes for settings that differ from the expected ones; GitHub must show the setting. */
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

/** An update replaces the whole environment, so it repeats its existing settings. */
function environmentFixes(
  found: EnvironmentSettings | undefined,
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

/** A ruleset is added to the existing ones, and the strictest applies. */
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

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exit, Failure, wrongInput } from '../../core/model/failure.ts'
import type { DoctorCheck } from '../../core/model/finding.ts'
import { plural, quote } from '../../core/values/text.ts'
import { escapeInside } from '../../report/escape.ts'
import { confirm, requireTerminal } from '../terminal/confirm.ts'
import { type Io, writeLine } from '../terminal/io.ts'
import { type Change, failureOf, runChecks, Unseen } from './check.ts'
import { type CiSubject, fileChecks, readCiFiles } from './ci-files.ts'
import { type Call, callWith, remoteOf, Settings } from './forge-settings.ts'
import { githubChecks, type Reviewer, UNSEEN as UNSEEN_ON_GITHUB } from './github.ts'
import { gitlabChecks, UNSEEN as UNSEEN_ON_GITLAB } from './gitlab.ts'

/** The options of `doctor --ci`. */
export interface RepositoryOptions {
  readonly apply?: true
  readonly yes?: true
  /** Users and teams who review deployments. */
  readonly reviewer: readonly string[]
}

/**
 * Checks the repository of a checkout, whose root this is, on its forge. With `apply`, it first shows the missing
 * settings, asks for confirmation, makes them and reads them back.
 */
export async function checkRepository(
  root: string,
  fleet: CiSubject['fleet'],
  options: RepositoryOptions,
  io: Io
): Promise<DoctorCheck[]> {
  const forge = isOnGitlab(root, io) ? 'gitlab' : 'github'
  const subject = { ci: await readCiFiles(root, forge), fleet }
  const ofFiles = await runChecks(fileChecks, subject)
  if (forge === 'github') return [...ofFiles, ...(await checkGithub(root, subject, options, io))]
  if (options.apply) throw wrongInput('--apply makes settings on GitHub only')
  return [...ofFiles, ...(await checkGitlab(root, subject, io))]
}

/** True for a checkout with the CI file of GitLab, in a job there or without workflows of GitHub. */
function isOnGitlab(root: string, { env }: Pick<Io, 'env'>): boolean {
  if (!existsSync(join(root, '.gitlab-ci.yml'))) return false
  return env['GITLAB_CI'] === 'true' || !existsSync(join(root, '.github/workflows'))
}

/** Reads settings with `glab`; without it, or its login, they are unseen. */
async function checkGitlab(root: string, subject: CiSubject, io: Io): Promise<DoctorCheck[]> {
  const { host = '', path = '' } = (await remoteOf(root, io).catch(unlessFailure)) ?? {}
  const call = callWith('glab', host, io)
  const settings = new Settings((method, each) =>
    call(method, each).catch(error => {
      if (error instanceof Failure) throw new Unseen(error.message)
      throw error
    })
  )
  const project = { ...subject, path, settings, env: io.env }
  return runChecks(gitlabChecks, project, { unseen: UNSEEN_ON_GITLAB })
}

function unlessFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error
}

async function checkGithub(
  root: string,
  subject: CiSubject,
  options: RepositoryOptions,
  io: Io
): Promise<DoctorCheck[]> {
  try {
    const { host, path: name } = await remoteOf(root, io)
    const expected = io.env['GH_HOST'] || 'github.com'
    if (host !== expected || !/^[^/]+\/[^/]+$/.test(name)) {
      throw wrongInput(
        `expected the remote \`origin\` on ${expected}, got ${host}`,
        'for GitHub Enterprise Server, set GH_HOST; for GitLab: wlanctl init --ci gitlab'
      )
    }
    const call = callWith('gh', host, io)
    const reviewers = options.apply ? await reviewersOf(call, options.reviewer) : []
    const check = async (changes?: Map<string, Change>) =>
      runChecks(
        githubChecks,
        { ...subject, ...(await repositoryAt(name, new Settings(call))), reviewers },
        { unseen: UNSEEN_ON_GITHUB, ...(changes && { changes }) }
      )
    const changes = new Map<string, Change>()
    const before = await check(changes)
    if (!options.apply || changes.size === 0) return before
    await make([...changes.values()], name, call, options, io)
    return await check()
  } catch (error) {
    if (options.apply) throw error
    return [failureOf('repository', error)]
  }
}

async function repositoryAt(name: string, settings: Settings) {
  const found = await settings.answer(`repos/${name}`)
  if (!('value' in found)) {
    const hint = 'run `gh auth login` with an account that administers the repository'
    throw new Failure(exit.failed, `${name} cannot be read: ${found.reason}`, hint)
  }
  const repository = found.value as {
    private?: boolean
    default_branch?: string
    owner?: { type?: string }
  }
  return {
    name,
    settings,
    branch: repository.default_branch ?? 'main',
    isPrivate: repository.private === true,
    isOrganization: repository.owner?.type === 'Organization'
  }
}

/** Asks for confirmation before it makes the changes. Throws at the first error. */
async function make(
  changes: readonly Change[],
  name: string,
  call: Call,
  options: RepositoryOptions,
  io: Io
): Promise<void> {
  await writeLine(io, `Settings of ${name} to change:`)
  for (const { summary, method, path, body } of changes) {
    const request = `${method} ${escapeInside(path)} ${escapeInside(JSON.stringify(body))}`
    await writeLine(io, `  ${escapeInside(summary)}\n      ${request}`)
  }
  const amount = plural(changes.length, 'setting')
  if (!options.yes) {
    const refused = 'no setting was changed'
    requireTerminal(io, 'change the settings', refused)
    await confirm({ question: `Change ${amount} of ${name}?`, done: 'changed', refused }, io)
  }
  for (const [at, { summary, method, path, body }] of changes.entries()) {
    const answer = await call(method, path, body)
    if ('value' in answer) continue
    const problem = `could not ${summary}: ${answer.reason}`
    throw new Failure(exit.failed, problem, `${at} of ${amount} changed`)
  }
}

/** The ids of reviewers such as `octocat` or `@acme/network`. Throws a `Failure` for an unknown one. */
async function reviewersOf(call: Call, names: readonly string[]): Promise<readonly Reviewer[]> {
  const found: Reviewer[] = []
  for (const name of names) {
    const [, user, team] = /^@?([\w-]+)(?:\/([\w.-]+))?$/.exec(name) ?? []
    const path = team === undefined ? `users/${user}` : `orgs/${user}/teams/${team}`
    const answer = user === undefined ? { reason: 'not a name' } : await call('GET', path)
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

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exit, Failure } from '../../model/failure.ts'
import type { DoctorCheck } from '../../model/finding.ts'
import { plural } from '../../model/text.ts'
import { escapeInside } from '../../report/escape.ts'
import { gitIn } from '../files/git.ts'
import { confirm, requireTerminal } from '../host.ts'
import { type Io, writeLine } from '../io.ts'
import { type Expected, settingChecks } from './checks.ts'
import { type Fix, fixesFor, reviewersOf } from './fixes.ts'
import { type Gh, type GithubRepository, ghFor, repositoryOf } from './gh.ts'
import { type GithubSettings, readSettings } from './settings.ts'

/** The options of `doctor --ci`. */
export interface RepositoryOptions {
  readonly apply?: true
  readonly yes?: true
  /** Users and teams. */
  readonly reviewer: readonly string[]
}

/**
 * Checks the repository of a fleet on GitHub; with `apply`, first makes the settings, after it has shown them, and
 * reads them back. `folder` is absolute; `secrets` are the names that the fleet refers to.
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
    { about: 'repository', state: 'ok', said: `${expected.repository}, ${kind}` },
    workflowCheck(workflows),
    ...settingChecks(settings, expected)
  ]
}

async function rootOf(folder: string, io: Io): Promise<string> {
  const { code, stdout } = await gitIn(folder, io)(['rev-parse', '--show-toplevel'])
  if (code === 0) return stdout.toString().trim()
  throw new Failure(
    exit.wrongInput,
    'the fleet is not in a git repository',
    'create one: git init, or `wlanctl init` for all of its files'
  )
}

/** The workflows of the checkout, and the owners, by path; empty where there are none. */
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

/** The environment that a workflow names; default: that of the examples. */
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
    return { about, state: 'wrong', said: 'the checkout has no workflow', todo }
  }
  const open = [...workflows].filter(([, text]) => /@0{40}|@example\//.test(text))
  if (open.length === 0) return { about, state: 'ok', said: plural(amount, 'workflow') }
  const said = `a placeholder of the examples is left in ${open.map(([file]) => file).join(', ')}`
  const todo = 'replace it by your teams, and by the repository and commit of wlanctl'
  return { about, state: 'wrong', said, todo }
}

interface Target {
  readonly gh: Gh
  readonly repository: GithubRepository
  readonly expected: Expected
}

/** Shows the changes, asks, and makes them; false if there are none. Throws a `Failure` at the first that fails. */
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
    requireTerminal(io, 'change the settings', refused)
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

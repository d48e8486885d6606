import { execFile } from 'node:child_process'
import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Argument, Option } from 'commander'
import schema from '../../../schemas/fleet.schema.json' with { type: 'json' }
import {
  type CiName,
  ciNames,
  DEFAULT_ADDRESS,
  GITLAB_INCLUDE,
  includesJobs,
  isOwner,
  policyFile,
  type StarterFile,
  starterFiles,
  toolFolder
} from '../../author/init/files.ts'
import { startingTests } from '../../author/init/starting-tests.ts'
import { countManaged } from '../../core/model/desired.ts'
import { type ExitCode, exit, wrongInput } from '../../core/model/failure.ts'
import { tool } from '../../core/model/tool.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import { quote } from '../../core/values/text.ts'
import { isUuid } from '../../core/values/uuid.ts'
import { limits } from '../../fleet/limits.ts'
import { loadFleet } from '../../fleet/load.ts'
import { readRegularFile } from '../../fleet/secrets/regular-file.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { escapeInside } from '../../report/escape.ts'
import type { NextStep } from '../../report/report.ts'
import { isLoopback } from '../../service/http/connection.ts'
import type { CommandRow } from '../command.ts'
import { addressOf } from '../connect.ts'
import { makeFolder, writeFileAtomic } from '../files/files.ts'
import { defaultBranch, gitIn } from '../files/git.ts'
import { checkOrg, fromOption, orgOption } from '../import/requested-sites.ts'
import { groupNameOption, groups, optionSets, under } from '../options.ts'
import { withoutCredentials } from '../terminal/child-process.ts'
import { columnsOf, type Io, quoteForShell, write, writeLine } from '../terminal/io.ts'
import { formatNextSteps } from '../terminal/next-steps.ts'
import { type ImportCommandOptions, importSites } from './import.ts'

interface Options extends Omit<ImportCommandOptions, 'format' | 'report' | 'out'> {
  readonly ci: CiName
  readonly owner?: string
}

export const command: CommandRow = {
  arguments: [
    new Argument('[dir]', 'the root of the repository, which is the fleet').default('.'),
    new Argument('[site-id...]', 'sites to import')
  ],
  options: [
    optionSets.secretPrefix,
    optionSets.service,
    optionSets.verbosity,
    under(groups.selection, fromOption(), orgOption()),
    under(
      groups.output,
      new Option('--ci <system>', 'where changes are planned and applied')
        .choices(ciNames)
        .default('github'),
      new Option('--owner <name>', 'who approves changes, such as @acme/network').argParser(
        parseOwner
      ),
      groupNameOption(),
      new Option('--secrets-out <file>', 'write the imported secrets to a file')
    )
  ],
  examples: ['wlanctl init wifi 4ac1dcf4-9d8b-4211-95c4-057819f0862b --ci github'],
  run: ({ io }, dir: string, ids: string[], options: Options) => init(dir, ids, options, io)
}

function parseOwner(text: string): string {
  if (isOwner(text)) return text
  throw wrongInput(`expected @USER or @ORGANIZATION/TEAM, got ${quote(text, 100)}`)
}

async function init(
  first: string,
  others: readonly string[],
  options: Options,
  io: Io
): Promise<ExitCode> {
  // An id in place of the directory is the first site.
  const [dir, ids] = isUuid(first) ? ['.', [first, ...others]] : [first, others]
  const { ci, org, from } = options
  const isImporting = ids.length > 0 || org !== undefined || from !== undefined
  const address = options.baseUrl === undefined ? undefined : addressOf(options)
  const isLocal = address !== undefined && isLoopback(address)
  const choices = compact({
    baseUrl: isLocal ? undefined : address,
    owner: options.owner,
    org: org === undefined ? undefined : checkOrg(org)
  })
  const files = new NewFiles(dir, io.cwd)
  const fixed = { ci, version: tool.version, schema, ...choices }
  await files.checkFolders(starterFiles(fixed).map(({ path }) => dirname(path)))
  const writePolicy = async (networks: number) => {
    const policy = policyFile({ ...choices, networks })
    return (await files.write(policy)) ? join(dir, policy.path) : undefined
  }
  const importing = { ...options, out: join(dir, 'sites'), format: 'text' } as const
  const code = isImporting
    ? await importSites(ids, { ...importing, report: [] }, io, writePolicy)
    : exit.done
  if (isImporting) await write(io, '\n')
  else await makeFolder(dir, io.cwd)
  const sites = await declaredIn(dir, options, io)
  if (!isImporting) await writePolicy(countManaged(sites))
  const tests = startingTests(sites)
  const found = await defaultBranch(gitIn(resolve(io.cwd, dir), io))
  // It becomes part of YAML and of commands.
  const branch = found !== undefined && /^\w[\w./-]*$/.test(found) ? found : 'main'
  for (const file of [...tests, ...starterFiles({ ...fixed, branch })]) await files.write(file)
  const pinned = await pinTool(dir, ci, files, io)
  await write(io, files.toString())
  if (ci !== 'none') await warnBelowRoot(dir, io)
  if (ci === 'gitlab') await warnNotIncluded(dir, io)
  if (ci !== 'none' && isLocal) {
    const remote = `the CI files have ${DEFAULT_ADDRESS}: replace it by the address of your service`
    await writeLine(io, `wlanctl: warning: ${address} is this machine; ${remote}`)
  }
  const width = io.stdout.isTTY === true ? columnsOf(io.stdout) : Number.POSITIVE_INFINITY
  const next = nextCommands(dir, ci, isImporting, pinned, branch)
  await write(io, formatNextSteps(next, width))
  return code
}

/** The sites of the fleet that is there now; of a fleet with errors, none. */
async function declaredIn(dir: string, { secretPrefix }: Options, { cwd, interrupted }: Io) {
  const secrets = referencesOnly(secretPrefix)
  const loading = loadFleet({ directory: dir, cwd, secrets, signal: interrupted })
  const { desired = { sites: [] } } = await loading
  return desired.sites
}

/** Milliseconds for npm, which asks its registry, once: without one it would retry for a minute. */
const NPM_TIMEOUT = 60_000

/** False if there is no lock file afterwards: without npm, its registry, or this version there. */
async function pinTool(dir: string, ci: CiName, files: NewFiles, io: Io): Promise<boolean> {
  const folder = toolFolder(ci)
  if (folder === undefined) return true
  const cwd = resolve(io.cwd, dir, folder)
  const path = `${folder}/package-lock.json`
  if (await files.has(path)) return true
  if (!io.env['PATH']) return false
  const env = withoutCredentials(io.env, { secretPrefix: '', tokens: [] })
  const options = { cwd, env, timeout: NPM_TIMEOUT, signal: io.interrupted }
  await new Promise(resolve => execFile('npm', LOCK, options, resolve))
  io.interrupted.throwIfAborted()
  return await files.note(path)
}

const LOCK = [
  ...['install', '--package-lock-only', '--ignore-scripts'],
  ...['--no-fund', '--no-audit', '--fetch-retries=0']
]

/** CI looks for its files only in the root of a repository. */
async function warnBelowRoot(dir: string, io: Io): Promise<void> {
  const git = gitIn(resolve(io.cwd, dir), io)
  const found = await git(['rev-parse', '--show-prefix']).catch(() => undefined)
  const prefix = found?.code === 0 ? found.stdout.toString().trim() : ''
  if (prefix === '') return
  const where = escapeInside(prefix.replace(/\/$/, ''))
  await writeLine(
    io,
    `wlanctl: warning: CI files work only in the root of a repository, and ${where} is below it: run init in the root`
  )
}

/** Warns that the pipeline that was there, and is kept, lacks the jobs of wlanctl. */
async function warnNotIncluded(dir: string, io: Io): Promise<void> {
  const file = resolve(io.cwd, dir, '.gitlab-ci.yml')
  const pipeline = readRegularFile(file, { most: limits.bytes, links: false })
  if ('bytes' in pipeline && includesJobs(pipeline.bytes.toString())) return
  await writeLine(
    io,
    `wlanctl: warning: .gitlab-ci.yml was there, and lacks the jobs of wlanctl: add the line "${GITLAB_INCLUDE}" below "include:"`
  )
}

/** The files of a new repository: none replaces another, and none follows a link. */
class NewFiles {
  readonly #dir: string
  readonly #cwd: string
  readonly #written: string[] = []
  readonly #kept: string[] = []

  constructor(dir: string, cwd: string) {
    this.#dir = dir
    this.#cwd = cwd
  }

  /** Throws (exit 3) before anything is written if a file or a link is in the place of a folder. */
  async checkFolders(folders: readonly string[]): Promise<void> {
    const above = folders.flatMap(folder => [dirname(folder), folder])
    for (const folder of new Set(above)) {
      if (folder === '.') continue
      const found = await this.#at(folder)
      if (found === undefined || found.isDirectory()) continue
      const hint = 'nothing was written: move it, or choose another directory'
      throw wrongInput(`${escapeInside(join(this.#dir, folder))} is not a directory`, hint)
    }
  }

  async has(path: string): Promise<boolean> {
    return (await this.#at(path)) !== undefined
  }

  #at(path: string) {
    return lstat(resolve(this.#cwd, this.#dir, path)).catch(() => undefined)
  }

  async write({ path, text }: StarterFile): Promise<boolean> {
    const file = join(this.#dir, path)
    if (await this.has(path)) {
      this.#kept.push(file)
      return false
    }
    await makeFolder(dirname(file), this.#cwd)
    await writeFileAtomic(file, text, this.#cwd, 0o644)
    this.#written.push(file)
    return true
  }

  /** Lists a file that another program wrote; false if it did not. */
  async note(path: string): Promise<boolean> {
    const isThere = await this.has(path)
    if (isThere) this.#written.push(join(this.#dir, path))
    return isThere
  }

  toString(): string {
    const list = (heading: string, files: readonly string[]) => {
      const lines = [...files].sort(byCodeUnit).map(file => `  ${escapeInside(file)}\n`)
      return files.length === 0 ? '' : `${heading} (${files.length})\n${lines.join('')}\n`
    }
    return list('Written', this.#written) + list('Kept, because they exist', this.#kept)
  }
}

function nextCommands(
  dir: string,
  ci: CiName,
  isImported: boolean,
  pinned: boolean,
  branch: string
): NextStep[] {
  const inside = dir === '.' ? '' : `cd ${quoteForShell(dir)} && `
  const pin = pinned ? '' : `npm ${LOCK.slice(0, 3).join(' ')} --prefix ${toolFolder(ci)} && `
  const commit = `${pin}git init --initial-branch ${branch} && git add . && git commit -m "Declare the Wi-Fi networks"`
  const look: NextStep = isImported
    ? [`${inside}wlanctl plan`, 'shows no change: the files match the live networks']
    : [`${inside}wlanctl import SITE_ID`, 'turns the networks of a site into YAML']
  const push = {
    github: 'gh repo create --private --source . --push',
    gitlab: `glab repo create --private && git push --set-upstream origin ${branch}`,
    none: undefined
  }[ci]
  return [
    look,
    [commit, `${pinned ? '' : 'pins wlanctl, '}after the edits that README.md lists, if any`],
    push === undefined
      ? ['wlanctl drift', 'shows where live differs from the files, at any time']
      : [push, 'then README.md lists the settings that are left']
  ]
}

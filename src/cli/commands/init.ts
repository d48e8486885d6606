import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Argument, type Command, Option } from 'commander'
import schema from '../../../schemas/fleet.schema.json' with { type: 'json' }
import {
  type CiName,
  ciNames,
  DEFAULT_ADDRESS,
  isOwner,
  isPinned,
  POLICY_FILE,
  type StarterFile,
  starterFiles
} from '../../author/init/files.ts'
import { type ExitCode, exit, wrongInput } from '../../core/model/failure.ts'
import { tool } from '../../core/model/tool.ts'
import { compact } from '../../core/values/collections.ts'
import { quote } from '../../core/values/text.ts'
import { isUuid } from '../../core/values/uuid.ts'
import { escapeInside } from '../../report/escape.ts'
import { isLoopback } from '../../service/http/connection.ts'
import { addressOf, credentialsOf } from '../connect.ts'
import type { Context } from '../context.ts'
import { makeFolder, writeFileAtomic } from '../files/files.ts'
import { gitIn } from '../files/git.ts'
import { checkOrg, fromOption, orgOption } from '../import/requested-sites.ts'
import {
  addExample,
  addGroup,
  addSecretPrefix,
  addServiceOptions,
  addVerbosityOptions,
  groupNameOption,
  groups
} from '../options.ts'
import { type Io, quoteForShell, write, writeLine } from '../terminal/io.ts'
import { formatNextSteps, type NextStep } from '../terminal/next-steps.ts'
import { type ImportCommandOptions, importSites } from './import.ts'

interface Options extends Omit<ImportCommandOptions, 'format' | 'report' | 'out'> {
  readonly ci: CiName
  readonly workflows?: string
  readonly owner?: string
}

export function define(command: Command, { io, ends }: Context): void {
  command
    .addArgument(
      new Argument('[dir]', 'the root of the repository, which is the fleet').default('.')
    )
    .argument('[site-id...]', 'sites to import')
  addVerbosityOptions(addServiceOptions(addSecretPrefix(command)))
  addGroup(command, groups.selection, fromOption(), orgOption())
  addGroup(
    command,
    groups.output,
    new Option('--ci <system>', 'where changes are planned and applied')
      .choices(ciNames)
      .default('github'),
    new Option(
      '--workflows <repository@commit>',
      'the repository and the commit of wlanctl that CI uses, such as acme/wlanctl@<40 hex digits>'
    ).argParser(parsed(isPinned, 'OWNER/REPOSITORY@COMMIT with all 40 digits of the commit')),
    new Option('--owner <name>', 'who approves changes, such as @acme/network').argParser(
      parsed(isOwner, '@USER or @ORGANIZATION/TEAM')
    ),
    groupNameOption(),
    new Option('--secrets-out <file>', 'write the imported secrets to a file')
  ).action(ends((dir: string, ids: string[], options: Options) => init(dir, ids, options, io)))
  addExample(command, 'wlanctl init wifi 4ac1dcf4-9d8b-4211-95c4-057819f0862b --ci github')
}

/** Makes the parser of an option with a fixed form. It throws a `Failure` (exit 3). */
function parsed(isValid: (text: string) => boolean, form: string) {
  return (text: string) => {
    if (isValid(text)) return text
    throw wrongInput(`expected ${form}, got ${quote(text, 100)}`)
  }
}

/** Writes the files of a repository without replacing any, and imports the given sites. */
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
    workflows: options.workflows,
    owner: options.owner,
    org: org === undefined ? undefined : checkOrg(org)
  })
  const version = tool.version
  const files = starterFiles({ ci, version, schema, ...choices })
  const writeFiles = async () => {
    const written = await writeMissing(files, dir, io.cwd)
    await write(io, formatWritten(written))
    if (ci !== 'none') await warnBelowRoot(dir, io)
    if (ci !== 'none' && isLocal) await warnLocal(address, io)
    return written.written.find(file => file === join(dir, POLICY_FILE))
  }
  const code = isImporting
    ? await importInto(join(dir, 'sites'), ids, options, io, writeFiles)
    : await writeFiles().then(() => exit.done)
  await write(io, formatNextSteps(nextCommands(dir, ci, isImporting)))
  return code
}

/** Imports the sites after `writeFiles`, which wrong input and a missing address or token prevent. */
async function importInto(
  out: string,
  ids: readonly string[],
  options: Options,
  io: Io,
  writeFiles: () => Promise<string | undefined>
): Promise<ExitCode> {
  addressOf(options)
  await credentialsOf(options, io)
  const imported = { ...options, out, factor: true, format: 'text', report: [] } as const
  const code = await importSites(ids, imported, io, writeFiles)
  await write(io, '\n')
  return code
}

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

/** Warns that the CI files do not have the given address, which no other machine reaches. */
async function warnLocal(address: string, io: Io): Promise<void> {
  await writeLine(
    io,
    `wlanctl: warning: ${address} is this machine; the CI files have ${DEFAULT_ADDRESS}: replace it by the address of your service`
  )
}

interface WrittenFiles {
  readonly written: readonly string[]
  /** The files that exist already. */
  readonly kept: readonly string[]
}

async function writeMissing(
  files: readonly StarterFile[],
  dir: string,
  cwd: string
): Promise<WrittenFiles> {
  const written: string[] = []
  const kept: string[] = []
  for (const { path, text } of files) {
    const file = join(dir, path)
    const present = await lstat(resolve(cwd, file)).catch(() => undefined)
    if (present !== undefined) {
      kept.push(file)
      continue
    }
    await makeFolder(dirname(file), cwd)
    await writeFileAtomic(file, text, cwd, 0o644)
    written.push(file)
  }
  return { written, kept }
}

function formatWritten({ written, kept }: WrittenFiles): string {
  const list = (heading: string, files: readonly string[]) => {
    const lines = files.map(file => `  ${escapeInside(file)}\n`)
    return files.length === 0 ? '' : `${heading} (${files.length})\n${lines.join('')}\n`
  }
  return list('Written', written) + list('Kept, because they exist', kept)
}

function nextCommands(dir: string, ci: CiName, isImported: boolean): NextStep[] {
  const inside = dir === '.' ? '' : `cd ${quoteForShell(dir)} && `
  const commit =
    'git init --initial-branch main && git add . && git commit -m "Declare the Wi-Fi networks"'
  const look: NextStep = isImported
    ? [`${inside}wlanctl plan`, 'shows no change: the files match the live networks']
    : [
        `${inside}wlanctl import SITE_ID`,
        'turns the networks of a site into YAML; for several sites, add --factor'
      ]
  const push = {
    github: 'gh repo create --private --source . --push',
    gitlab: 'glab repo create --private && git push --set-upstream origin main',
    none: undefined
  }[ci]
  return [
    look,
    [commit, 'after the edits that README.md lists, if any'],
    push === undefined
      ? ['wlanctl drift', 'shows where live differs from the files, at any time']
      : [
          push,
          `then ${ci === 'github' ? '`wlanctl doctor --ci` checks the settings' : 'README.md lists the settings'} that are left`
        ]
  ]
}

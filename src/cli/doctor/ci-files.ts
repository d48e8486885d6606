import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isError } from '../../core/model/finding.ts'
import { listFirst, plural } from '../../core/values/text.ts'
import { parseSource, read } from '../../fleet/files/read.ts'
import { Findings } from '../../fleet/findings.ts'
import { RunBudget } from '../../fleet/limits.ts'
import type { Node } from '../../fleet/yaml/tree.ts'
import { isLoopback } from '../../service/http/connection.ts'
import { type Check, type Found, MAX_NAMES } from './check.ts'

/** The folder of the files that pin the tool, and what contains the CI files. */
const forges = {
  github: { tool: '.github/wlanctl', files: '.github/workflows' },
  gitlab: { tool: '.gitlab/wlanctl', files: '.gitlab-ci.yml' }
} as const

/** A node of YAML as plain values: scalars as their texts. */
type Plain = string | readonly Plain[] | Members
type Members = ReadonlyMap<string, Plain>

/** A job of a CI file. */
export interface Job {
  readonly name: string
  readonly file: string
  /** All texts in it: its scripts, their variables. */
  readonly text: string
  /** A member of the job, or of one that it extends. */
  readonly get: (key: string) => Plain | undefined
  readonly environment: string | undefined
  /** The commands of wlanctl that it runs, such as `apply`. */
  readonly commands: ReadonlySet<string>
  /** True if it can send changes. */
  readonly isSending: boolean
}

/** The CI files of a checkout. */
export interface CiFiles {
  readonly forge: keyof typeof forges
  /** The texts by path, with CODEOWNERS. */
  readonly texts: ReadonlyMap<string, string>
  readonly jobs: readonly Job[]
  /** Those that are not plain YAML. */
  readonly unread: readonly string[]
  /** The lock file that pins the tool; undefined if there is none. */
  readonly lock: string | undefined
  /** The variables with a token or a secret that have a value in a file. */
  readonly plaintext: readonly string[]
}

/** What the checks of CI files need to know of the fleet; undefined if its files are invalid. */
export interface CiSubject {
  readonly ci: CiFiles
  readonly fleet: { readonly secrets: readonly string[]; readonly hasSchedule: boolean } | undefined
}

const OWNERS = ['CODEOWNERS', 'docs/CODEOWNERS', '.github/CODEOWNERS', '.gitlab/CODEOWNERS']

/** `ci apply` of a workflow, or the command itself by its name or a variable. */
const COMMAND =
  /\b(?:ci|wlanctl|WLANCTL\}?)["']?\s+(plan|apply|scheduled|drift|reconcile|revert|adopt|report)\b/g

export async function readCiFiles(root: string, forge: CiFiles['forge']): Promise<CiFiles> {
  const { tool, files } = forges[forge]
  const folder = join(root, files)
  const names = existsSync(folder) && forge === 'github' ? readdirSync(folder) : []
  const paths = forge === 'gitlab' ? [files] : names.filter(isYaml).map(name => `${files}/${name}`)
  const texts = new Map<string, string>()
  const jobs: Job[] = []
  const unread: string[] = []
  const plaintext = new Set<string>()
  for (const file of paths.sort()) {
    const { text, members } = await parse(root, file)
    if (text === undefined) continue
    texts.set(file, text)
    if (members === undefined) unread.push(file)
    else {
      jobs.push(...jobsIn(forge === 'github' ? membersOf(members.get('jobs')) : members, file))
      for (const name of plaintextIn(members)) plaintext.add(name)
    }
  }
  for (const file of OWNERS) {
    const text = await readFile(join(root, file), 'utf8').catch(() => undefined)
    if (text !== undefined) texts.set(file, text)
  }
  const lock = await readFile(join(root, tool, 'package-lock.json'), 'utf8').catch(() => undefined)
  return { forge, texts, jobs, unread, lock, plaintext: [...plaintext] }
}

const isYaml = (name: string) => /\.ya?ml$/.test(name)

async function parse(root: string, file: string) {
  const budget = new RunBudget()
  const source = read({ path: join(root, file), file, inFleet: file }, new Findings(), budget)
  if (source === undefined) return {}
  const findings = await parseSource(source, budget)
  const isPlain = !findings.some(isError) && source.root !== undefined
  return { text: source.text, members: isPlain ? membersOf(plainOf(source.root)) : undefined }
}

function plainOf(node: Node | undefined): Plain {
  if (node?.kind === 'map') {
    return new Map([...node.entries].map(([name, { value }]) => [name, plainOf(value)]))
  }
  return node?.kind === 'list' ? node.items.map(plainOf) : String(node?.value ?? '')
}

function membersOf(value: Plain | undefined): Members | undefined {
  return value instanceof Map ? value : undefined
}

export function textsIn(value: Plain | undefined): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return [...(membersOf(value)?.values() ?? [])].flatMap(textsIn)
}

function jobsIn(members: Members = new Map(), file: string): Job[] {
  const named = [...members.keys()].filter(name => !name.startsWith('.'))
  return named.flatMap(name => {
    if (membersOf(members.get(name)) === undefined) return []
    const lineage = [...lineageOf(name, members)]
    const get = (key: string) =>
      lineage.map(each => membersOf(members.get(each))?.get(key)).find(value => value !== undefined)
    const text = ['steps', 'script', 'uses'].flatMap(key => textsIn(get(key))).join('\n')
    const commands = new Set([...text.matchAll(COMMAND)].map(([, command = '']) => command))
    const environment = get('environment')
    return {
      name,
      file,
      text,
      get,
      environment: textsIn(membersOf(environment)?.get('name') ?? environment)[0],
      commands,
      isSending:
        commands.has('apply') ||
        commands.has('scheduled') ||
        (/ --apply\b/.test(text) && (commands.has('reconcile') || commands.has('revert')))
    }
  })
}

/** The names of a job and of those that it extends, each once, in descending precedence. */
function lineageOf(name: string, jobs: Members, names = new Set<string>()): Set<string> {
  if (names.has(name)) return names
  names.add(name)
  const bases = textsIn(membersOf(jobs.get(name))?.get('extends'))
  for (const base of bases.toReversed()) lineageOf(base, jobs, names)
  return names
}

/** Variables whose values must not stand in a file. */
const SECRET_NAME = /^(?:WLANCTL_(?:API_|READ_|WRITE_|GITLAB_|FORGE_)?TOKEN|WLAN_SECRET_\w+)$/

/** The variables with a value of their own: a reference begins with `$`. */
function plaintextIn(value: Plain): string[] {
  if (Array.isArray(value)) return value.flatMap(plaintextIn)
  return [...(membersOf(value) ?? [])].flatMap(([name, member]) => {
    const [text = ''] = textsIn(membersOf(member)?.get('value') ?? member)
    const isOpen = SECRET_NAME.test(name) && text !== '' && !text.startsWith('$')
    return [...(isOpen ? [name] : []), ...plaintextIn(member)]
  })
}

/** The environments of jobs that send, each with the commands of its jobs. */
export function environmentsIn({ jobs }: CiFiles): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { environment, commands, isSending } of jobs) {
    if (!isSending || environment === undefined) continue
    found.set(environment, new Set([...(found.get(environment) ?? []), ...commands]))
  }
  return found
}

/** An address of the service in a CI file; an expression such as `${{ vars.X }}` is none. */
const ADDRESS = /\bWLANCTL_BASE_URL: *["']?(https?:\/\/[^\s"',}]+)/g

/** The checks that need the checkout only. */
export const fileChecks: readonly Check<CiSubject>[] = [
  { about: 'CI files', check: ({ ci }) => present(ci) },
  {
    about: 'address',
    check: ({ ci }) => address(ci),
    fix: 'replace it by the address of the service'
  },
  {
    about: 'tool',
    check: ({ ci }) => pinned(ci),
    fix: ({ ci }) =>
      `run: npm install --package-lock-only --ignore-scripts --prefix ${forges[ci.forge].tool}, and commit the file`
  },
  {
    about: 'schedule',
    check({ ci, fleet }) {
      if (!fleet?.hasSchedule) return undefined
      if (ci.jobs.some(({ commands }) => commands.has('scheduled')))
        return 'a job runs `ci scheduled`'
      return { wrong: 'the fleet has periods, windows or freezes, and no job runs `ci scheduled`' }
    },
    fix: ({ ci }) => `run: wlanctl init --ci ${ci.forge}, which writes the files that are missing`
  },
  {
    about: 'tokens in the files',
    check({ ci: { plaintext } }) {
      if (plaintext.length === 0) return 'no token and no secret'
      return { wrong: `a file contains the value of ${listFirst(plaintext, 3)}` }
    },
    fix: 'revoke the values, and store new ones as secrets of the environment'
  }
]

function present({ forge, texts, jobs, unread }: CiFiles): Found | readonly Found[] {
  const files = [...texts.keys()].filter(isYaml)
  const fix = `run: wlanctl init --ci ${forge}`
  if (files.length === 0) return { wrong: 'the checkout has none', fix }
  const open = [...texts].filter(([, text]) => text.includes('@example/')).map(([file]) => file)
  const missing = ['plan', 'apply', 'drift'].filter(
    command => !jobs.some(({ commands }) => commands.has(command))
  )
  return [
    open.length > 0 && {
      wrong: `a placeholder of the examples is left in ${open.join(', ')}`,
      fix: 'replace it by your teams'
    },
    unread.length > 0 && {
      note: `${unread.join(', ')} cannot be checked: not a map in plain YAML`,
      fix: 'tags such as `!reference` and merge keys are not supported by this check'
    },
    unread.length === 0 &&
      missing.length > 0 && {
        note: `no job runs \`wlanctl ci\` ${missing.join(', ')}`,
        fix: `${fix}; files that are included, and scripts, are not read`
      },
    unread.length + open.length + missing.length === 0 && plural(files.length, 'file')
  ].map(found => found || undefined)
}

function address({ texts }: CiFiles): Found {
  const found = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(ADDRESS)].flatMap(([, url = '']) => (URL.canParse(url) ? { file, url } : []))
  )
  const local = found.filter(({ url }) => isLoopback(url))
  const [first] = local.length > 0 ? local : found
  if (first === undefined) return undefined
  const unique = (texts: string[]) => listFirst([...new Set(texts)], MAX_NAMES)
  if (local.length === 0) return unique(found.map(({ url }) => url))
  const where = unique(local.map(({ file }) => file))
  return { wrong: `${first.url} in ${where} is the machine that runs the job` }
}

/** The version in the lock file, if it has an integrity; a pipeline without `wlanctl ci` needs no such file. */
function pinned({ forge, lock, jobs }: CiFiles): Found {
  if (!jobs.some(({ text }) => /["\s]ci (?:plan|apply|drift)\b/.test(text))) return undefined
  const file = `${forges[forge].tool}/package-lock.json`
  if (lock === undefined) return { wrong: `${file} does not exist` }
  const { version, integrity } = packageIn(lock)
  if (version !== undefined && integrity !== undefined) return `wlanctl ${version}`
  return { wrong: `${file} does not have wlanctl with its integrity` }
}

function packageIn(lock: string): { readonly version?: string; readonly integrity?: string } {
  try {
    return JSON.parse(lock).packages['node_modules/wlanctl'] ?? {}
  } catch {
    return {}
  }
}

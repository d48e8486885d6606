import { lstatSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CiName, GITLAB_INCLUDE, includesJobs, toolFolder } from '../../author/init/files.ts'
import { type Desired, declaredSecrets } from '../../core/model/desired.ts'
import { tool } from '../../core/model/tool.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { listFirst, plural } from '../../core/values/text.ts'
import { limits } from '../../fleet/limits.ts'
import { readRegularFile } from '../../fleet/secrets/regular-file.ts'
import { unreadReason } from '../files/files.ts'
import { defaultBranch, gitIn } from '../files/git.ts'
import type { Io } from '../terminal/io.ts'
import type { Found } from './check.ts'

const workflows = [
  ['github', '.github/workflows/wlanctl.yml'],
  ['gitlab', '.gitlab/wlanctl.yml']
] as const

interface Fleet {
  readonly fleet: string
  readonly desired: Desired | undefined
  readonly io: Io
}

/** What the CI files of the repository lack, as far as its checkout shows. */
export async function ciFiles({ fleet, desired, io }: Fleet): Promise<readonly Found[]> {
  const git = gitIn(resolve(io.cwd, fleet), io)
  const top = await git(['rev-parse', '--show-toplevel']).catch(() => undefined)
  const root = top?.code === 0 ? top.stdout.toString().trim() : resolve(io.cwd, fleet)
  const branch = await defaultBranch(git)
  return workflows.flatMap(([ci, file]): readonly Found[] => {
    const text = textOf(root, file)
    if (text === undefined) return []
    if (typeof text !== 'string') return [text]
    const problems = [
      ...secretsOf(ci, file, text, desired),
      ...(ci === 'github' ? branchesOf(file, text, branch) : includeOf(root)),
      ...pinOf(ci, root)
    ]
    return problems.length > 0 ? problems : [`${file} runs wlanctl ${tool.version}`]
  })
}

/** The text of a file; undefined if there is none. A link may lead out of the repository. */
function textOf(root: string, file: string): string | { readonly wrong: string } | undefined {
  const found = lstatSync(join(root, file), { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (found.isSymbolicLink()) return { wrong: `${file} is a link: CI needs the file itself` }
  const reading = readRegularFile(join(root, file), { most: limits.bytes, links: false })
  if ('bytes' in reading) return reading.bytes.toString()
  return { wrong: `${file} cannot be read: ${unreadReason(reading)}` }
}

/** What each kind of secrets needs in the job that applies. */
const ways = [
  ['$env', /WLANCTL_SECRETS_FILE|--secrets-file/, 'WLANCTL_SECRETS_FILE'],
  ['$file', /WLANCTL_SECRETS_DIR|--secrets-dir/, 'WLANCTL_SECRETS_DIR']
] as const

function secretsOf(ci: CiName, file: string, text: string, desired: Desired | undefined): Found[] {
  const code = text.replace(/(^|\s)#.*$/gm, '')
  return ways.flatMap(([kind, way, variable]): Found[] => {
    const missing = [...referencesIn(desired, kind).keys()].filter(name => !isWordIn(name, code))
    if (missing.length === 0 || way.test(code)) return []
    const said = `${file} does not pass ${plural(missing.length, 'secret')} of the fleet: ${listFirst(missing, 5)}`
    const fix = `give \`apply\` the variable ${variable}, as the file that \`wlanctl init\` writes`
    // Each of them may be a variable of the project.
    return [ci === 'gitlab' && kind === '$env' ? { note: said, fix } : { wrong: said, fix }]
  })
}

/** The names of the `$env` and `$file` secrets of a fleet, sorted, each with whether its secret is available. */
export function referencesIn(desired: Desired | undefined, kind?: string): Map<string, boolean> {
  const secrets = [...declaredSecrets(desired ?? { sites: [] })]
  const found = secrets.flatMap(({ reference, known }) =>
    Object.entries(reference).flatMap(([key, name]) =>
      key === kind || (kind === undefined && ways.some(([each]) => each === key))
        ? [[String(name), known] as const]
        : []
    )
  )
  return new Map(found.sort(([a], [b]) => byCodeUnit(a, b)))
}

function isWordIn(name: string, code: string): boolean {
  const literal = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<!\\w)${literal}(?!\\w)`).test(code)
}

function branchesOf(file: string, text: string, branch: string | undefined): Found[] {
  const others = new Set(listsOf(text, 'branches').flat())
  for (const name of others) if (name === branch || /[*?+!]/.test(name)) others.delete(name)
  if (branch === undefined || others.size === 0) return []
  const said = `${file} runs for ${[...others].join(', ')}, and the default branch is ${branch}`
  return [{ wrong: said, fix: 'name the default branch in `branches` of push and pull_request' }]
}

function includeOf(root: string): Found[] {
  const file = '.gitlab-ci.yml'
  const text = textOf(root, file) ?? ''
  if (typeof text !== 'string') return [text]
  if (!includesJobs(text)) {
    const said = `${file} does not include the jobs of wlanctl`
    return [{ wrong: said, fix: `add the line \`${GITLAB_INCLUDE}\` below \`include:\`` }]
  }
  const [stages] = listsOf(text, 'stages')
  const lacking = ['test', 'deploy'].filter(stage => stages?.includes(stage) === false)
  if (lacking.length === 0) return []
  const said = `${file} has no stage ${lacking.join(' and ')}`
  return [{ wrong: said, fix: 'add it to `stages`: the jobs of wlanctl are in it' }]
}

function pinOf(ci: CiName, root: string): Found[] {
  const file = `${toolFolder(ci)}/package-lock.json`
  const fix = `run: npm install --package-lock-only --ignore-scripts --prefix ${toolFolder(ci)}`
  const text = textOf(root, file)
  if (text === undefined) return [{ wrong: `${file} is missing: CI does nothing without it`, fix }]
  if (typeof text !== 'string') return [text]
  const [, version] = /"node_modules\/wlanctl":\s*\{\s*"version":\s*"([^"]{1,50})"/.exec(text) ?? []
  if (version === undefined) return [{ wrong: `${file} has no version of wlanctl`, fix }]
  if (version === tool.version) return []
  return [{ note: `CI runs wlanctl ${version}, and this is ${tool.version}` }]
}

/** The lists of names at a key of a YAML file, in brackets or a line each. */
function listsOf(text: string, key: string): string[][] {
  const lists = `${key}:[ \\t]*(?:\\[([^\\]]*)\\]|(?:#.*)?((?:\\n[ \\t]*-[ \\t].*)+))`
  return [...text.matchAll(new RegExp(`^(?:[^#\\n]*[{ \\t])?${lists}`, 'gm'))].map(
    ([, inline, lines]) =>
      (inline ?? lines ?? '')
        .split(inline === undefined ? /\n[ \t]*-[ \t]/ : ',')
        .map(name =>
          name
            .replace(/[ \t]#.*/, '')
            .trim()
            .replace(/^["']|["']$/g, '')
        )
        .filter(name => name !== '')
  )
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type DoctorCheck, isError } from '../../core/model/finding.ts'
import { listFirst } from '../../core/values/text.ts'
import { parseSource, read } from '../../fleet/files/read.ts'
import { Findings } from '../../fleet/findings.ts'
import { RunBudget } from '../../fleet/limits.ts'
import type { Node } from '../../fleet/yaml/tree.ts'
import type { Io } from '../terminal/io.ts'
import { type Check, ciAddressCheck, type Found, runChecks, Unseen } from './check.ts'

const GITLAB_FILE = '.gitlab-ci.yml'

const OWNERS = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS']

/** Runs `wlanctl apply`, by its name or by the variable of the example. */
const APPLY = /\b(?:wlanctl|WLANCTL\}?)["']?\s+apply\b/

/** Restricts a job to a branch that only some may push to. */
const PROTECTED =
  /\$CI_COMMIT_(?:BRANCH|REF_NAME)\s*==\s*\$CI_DEFAULT_BRANCH|\$CI_COMMIT_REF_PROTECTED\s*==\s*["']true["']/

/** Variables whose values must not stand in a file. */
const SECRET_NAME = /^(?:WLANCTL_(?:API_|READ_|WRITE_|GITLAB_)?TOKEN|WLAN_SECRET_\w+)$/

/** True for a checkout with the CI file of GitLab, in a job there or without workflows of GitHub. */
export function isOnGitlab(root: string, { env }: Pick<Io, 'env'>): boolean {
  if (!existsSync(join(root, GITLAB_FILE))) return false
  return env['GITLAB_CI'] === 'true' || !existsSync(join(root, '.github/workflows'))
}

/**
 * Checks what `.gitlab-ci.yml` and the environment of a job show; `root` is the root of the checkout. GitLab shows
 * its settings to tokens of its API only, which wlanctl does not use.
 */
export async function checkGitlab(root: string, { env }: Pick<Io, 'env'>): Promise<DoctorCheck[]> {
  const sources = [GITLAB_FILE, ...OWNERS].map(file => ({ file, source: sourceOf(root, file) }))
  const files = new Map(sources.map(({ file, source }) => [file, source?.text ?? '']))
  const jobs = await jobsIn(root)
  const applying = [...(jobs?.keys() ?? [])].filter(
    name =>
      !name.startsWith('.') &&
      textsIn(memberOf(name, 'script', jobs)).some(text => APPLY.test(text))
  )
  return runChecks(checks, { files, jobs, applying, env }, FIX_OF_UNSEEN)
}

interface Pipeline {
  /** The texts of the CI file and of CODEOWNERS, by path. */
  readonly files: ReadonlyMap<string, string>
  /** The members of the CI file; undefined if it cannot be read. */
  readonly jobs: Members | undefined
  /** The names of the jobs that run `wlanctl apply`. */
  readonly applying: readonly string[]
  readonly env: Io['env']
}

const FIX_OF_UNSEEN =
  'Settings, CI/CD: the token that can write and each WLAN_SECRET_… are protected, masked, and of the environment of apply only; that environment is protected, with approvals. Settings, Repository: the default branch changes by approved merge requests only'

const unseen = () => {
  throw new Unseen('cannot be seen without a token of GitLab')
}

/** A check of the jobs that apply, which does not apply without one. */
function ofApply(check: (pipeline: Pipeline) => Found): Check<Pipeline>['check'] {
  return pipeline => (pipeline.applying.length === 0 ? undefined : check(pipeline))
}

const checks: readonly Check<Pipeline>[] = [
  { about: 'repository', check: () => `GitLab: ${GITLAB_FILE}` },
  {
    about: 'placeholders',
    check({ files }) {
      const open = [...files].filter(([, text]) => /@example\/|\bexample\/wlanctl\b/.test(text))
      if (open.length === 0) return 'none of the examples is left'
      const named = open.map(([file]) => file).join(', ')
      return { wrong: `a placeholder of the examples is left in ${named}` }
    },
    fix: 'replace it by your groups, and by the repository that released wlanctl'
  },
  ciAddressCheck,
  {
    about: 'jobs',
    check: ({ jobs }) =>
      jobs === undefined
        ? { note: `${GITLAB_FILE} cannot be checked: it is not a map in plain YAML` }
        : undefined,
    fix: 'tags such as `!reference` and merge keys are not supported by this check'
  },
  {
    about: 'tokens in the file',
    check: ({ jobs }) => jobs && plaintext(jobs),
    fix: 'revoke the values, and move new ones to Settings, CI/CD, Variables: protected and masked'
  },
  {
    about: 'apply',
    check: ({ jobs, applying }) =>
      jobs !== undefined && applying.length === 0
        ? { note: `no job of ${GITLAB_FILE} runs \`wlanctl apply\`` }
        : undefined,
    fix: 'files that it includes, and scripts, are not read; `wlanctl init --ci gitlab` writes the jobs'
  },
  {
    about: 'environment',
    check: ofApply(
      pipeline =>
        lacking('environment', 'an environment', pipeline) ??
        `${pipeline.applying.join(', ')}: in an environment`
    ),
    fix: 'give it `environment: production`, so that only its jobs get the token that can write'
  },
  {
    about: 'one apply at a time',
    check: ofApply(
      pipeline => lacking('resource_group', 'a resource group', pipeline) ?? oneGroup(pipeline)
    ),
    fix: 'give all of them the same `resource_group`, so that they run one after the other'
  },
  {
    about: 'branch of apply',
    check: ofApply(({ applying, jobs }) => {
      const open = applying.filter(name => !isOnProtectedBranch(memberOf(name, 'rules', jobs)))
      if (open.length === 0) return `${applying.join(', ')}: on the default or a protected branch`
      const named = open.join(', ')
      return { note: `the rules of ${named} do not show that it runs on the default branch only` }
    }),
    fix: 'give each rule: if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH'
  },
  {
    about: 'this job',
    check: ({ env }) => (env['GITLAB_CI'] === 'true' ? thisJob(env) : undefined),
    fix: 'Settings, CI/CD, Variables: protect them, and replace their values'
  },
  { about: 'protected variables', check: unseen },
  { about: 'protected environment', check: unseen },
  { about: 'protected branch', check: unseen }
]

/** A node of YAML as plain values: scalars as their texts. */
type Plain = string | readonly Plain[] | Members
type Members = ReadonlyMap<string, Plain>

function plainOf(node: Node): Plain {
  if (node.kind === 'map') {
    return new Map([...node.entries].map(([name, { value }]) => [name, plainOf(value)]))
  }
  return node.kind === 'list' ? node.items.map(plainOf) : String(node.value ?? '')
}

function membersOf(value: Plain | undefined): Members | undefined {
  return value instanceof Map ? value : undefined
}

function textsIn(value: Plain | undefined): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.flatMap(textsIn) : []
}

async function jobsIn(root: string): Promise<Members | undefined> {
  const source = sourceOf(root, GITLAB_FILE)
  if (source === undefined) return undefined
  const findings = await parseSource(source, new RunBudget())
  if (findings.some(isError) || source.root === undefined) return undefined
  return membersOf(plainOf(source.root))
}

function sourceOf(root: string, file: string) {
  return read({ path: join(root, file), file, inFleet: file }, new Findings(), new RunBudget())
}

function plaintext(jobs: Members): Found {
  const maps = [
    jobs.get('variables'),
    ...[...jobs.values()].map(job => membersOf(job)?.get('variables'))
  ]
  const found = maps.flatMap(map => [...(membersOf(map) ?? [])].filter(isPlaintext))
  if (found.length === 0) return 'no token and no secret'
  const names = [...new Set(found.map(([name]) => name))]
  return { wrong: `the file contains the value of ${listFirst(names, 3)}` }
}

/** True for a variable with a value of its own: a reference to another variable begins with `$`. */
function isPlaintext([name, value]: readonly [string, Plain]): boolean {
  const [text = ''] = textsIn(membersOf(value)?.get('value') ?? value)
  return SECRET_NAME.test(name) && text !== '' && !text.startsWith('$')
}

/** What jobs lack, unless one of them extends a job of an included file, which may have it: that is a note. */
function lacking(member: string, what: string, { applying, jobs }: Pipeline): Found {
  const found = applying.filter(name => memberOf(name, member, jobs) === undefined)
  if (found.length === 0) return undefined
  const wrong = `without ${what}: ${found.join(', ')}`
  const isRead = (name: string) => [...lineageOf(name, jobs)].every(each => jobs?.has(each))
  return found.every(isRead)
    ? { wrong }
    : { note: `${wrong}; jobs of included files, which it extends, are not read` }
}

function oneGroup({ applying, jobs }: Pipeline): Found {
  const groups = applying.map(name => textsIn(memberOf(name, 'resource_group', jobs))[0] ?? '')
  const [first = '', ...others] = new Set(groups)
  if (others.length > 0) return { wrong: `several resource groups: ${applying.join(', ')}` }
  return `the resource group ${first}`
}

/** True if each rule that adds the job names the default branch, or a protected one. */
function isOnProtectedBranch(rules: Plain | undefined): boolean {
  const adding = (Array.isArray(rules) ? (rules as readonly Plain[]) : []).filter(
    rule => membersOf(rule)?.get('when') !== 'never'
  )
  return (
    adding.length > 0 &&
    adding.every(rule => {
      const [condition = ''] = textsIn(membersOf(rule)?.get('if') ?? rule)
      return PROTECTED.test(condition) && !condition.includes('||')
    })
  )
}

/** A member of a job, its own or that of a job that it extends; the last of these wins. */
function memberOf(name: string, key: string, jobs: Members | undefined): Plain | undefined {
  for (const each of lineageOf(name, jobs)) {
    const value = membersOf(jobs?.get(each))?.get(key)
    if (value !== undefined) return value
  }
  return undefined
}

/** The names of a job and of those that it extends, each once, in descending precedence. */
function lineageOf(
  name: string,
  jobs: Members | undefined,
  names = new Set<string>()
): Set<string> {
  if (names.has(name)) return names
  names.add(name)
  const bases = textsIn(membersOf(jobs?.get(name))?.get('extends'))
  for (const base of bases.toReversed()) lineageOf(base, jobs, names)
  return names
}

/** A branch that is not protected must not get the token that can write. */
function thisJob(env: Io['env']): Found {
  if (env['CI_COMMIT_REF_PROTECTED'] === 'true') return 'runs on a protected branch or tag'
  const exposed = Object.keys(env).filter(
    name => (name === 'WLANCTL_WRITE_TOKEN' || name.startsWith('WLAN_SECRET_')) && env[name]
  )
  if (exposed.length === 0) {
    return 'runs on an unprotected branch, without the token that can write'
  }
  return { wrong: `runs on an unprotected branch, and gets ${listFirst(exposed.sort(), 3)}` }
}

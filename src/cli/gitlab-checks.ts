import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseSource, read } from '../config/files/read.ts'
import { Findings } from '../config/findings.ts'
import { RunBudget } from '../config/limits.ts'
import { type Entry, type MapNode, memberNode, type Node } from '../config/yaml/tree.ts'
import { type DoctorCheck, isError } from '../model/finding.ts'
import { listFirst } from '../model/text.ts'
import { type CheckOutcome, ciAddressChecks, note, ok, wrong } from './doctor-checks.ts'
import type { Io } from './io.ts'

/** The file that declares the jobs of GitLab CI. */
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
 * Checks what `.gitlab-ci.yml` and the environment of a job show. GitLab shows its settings to tokens of its
 * API only, which wlanctl does not use: each of them is a note that says where to look. `root` is the root of
 * the checkout.
 */
export async function gitlabChecks(root: string, { env }: Pick<Io, 'env'>): Promise<DoctorCheck[]> {
  const pipeline = await pipelineIn(root)
  return [
    { about: 'repository', ...ok(`GitLab: ${GITLAB_FILE}`) },
    placeholderCheck(root),
    ...ciAddressChecks(new Map([[GITLAB_FILE, sourceOf(root, GITLAB_FILE)?.text ?? '']])),
    ...(pipeline === undefined ? [unreadable] : pipelineChecks(pipeline)),
    ...(env['GITLAB_CI'] === 'true' ? [jobCheck(env)] : []),
    ...UNSEEN
  ]
}

const NEEDS_TOKEN = 'cannot be seen without a token of GitLab'

const UNSEEN: readonly DoctorCheck[] = [
  {
    about: 'protected variables',
    ...note(
      NEEDS_TOKEN,
      'Settings, CI/CD, Variables: the token that can write and each WLAN_SECRET_… are protected, masked, and of the environment of apply only'
    )
  },
  {
    about: 'protected environment',
    ...note(
      NEEDS_TOKEN,
      'Settings, CI/CD, Protected environments: the environment of apply, with approvals'
    )
  },
  {
    about: 'protected branch',
    ...note(
      NEEDS_TOKEN,
      'Settings, Repository, Protected branches: the default branch changes by approved merge requests only'
    )
  }
]

const unreadable: DoctorCheck = {
  about: 'jobs',
  ...note(
    `${GITLAB_FILE} cannot be checked: it is not a map in plain YAML`,
    'tags such as `!reference` and merge keys are not supported by this check'
  )
}

/** The files of GitLab in which a placeholder of the examples is left. */
function placeholderCheck(root: string): DoctorCheck {
  const open = [GITLAB_FILE, ...OWNERS].filter(file =>
    /@example\/|\bexample\/wlanctl\b/.test(sourceOf(root, file)?.text ?? '')
  )
  const about = 'placeholders'
  if (open.length === 0) return { about, ...ok('none of the examples is left') }
  const todo = 'replace it by your groups, and by the repository that released wlanctl'
  return { about, ...wrong(`a placeholder of the examples is left in ${open.join(', ')}`, todo) }
}

/** The jobs of a pipeline by name, hidden ones included, and its variables. */
interface Pipeline {
  readonly top: MapNode
  readonly jobs: ReadonlyMap<string, MapNode>
}

async function pipelineIn(root: string): Promise<Pipeline | undefined> {
  const source = sourceOf(root, GITLAB_FILE)
  if (source === undefined) return undefined
  const findings = await parseSource(source, new RunBudget())
  const top = findings.some(isError) ? undefined : source.root
  if (top?.kind !== 'map') return undefined
  const jobs = [...top.entries].flatMap(([name, { value }]) =>
    value.kind === 'map' && name !== 'variables' ? [[name, value] as const] : []
  )
  return { top, jobs: new Map(jobs) }
}

function sourceOf(root: string, file: string) {
  return read({ path: join(root, file), file, inFleet: file }, new Findings(), new RunBudget())
}

function pipelineChecks(pipeline: Pipeline): DoctorCheck[] {
  const names = [...pipeline.jobs.keys()].filter(name => !name.startsWith('.'))
  const applying = names.filter(name => textsIn(memberOf(name, 'script', pipeline)).some(isApply))
  return [
    { about: 'tokens in the file', ...plaintextCheck(pipeline) },
    ...(applying.length === 0
      ? [{ about: 'apply', ...NO_APPLY }]
      : [
          { about: 'environment', ...environmentCheck(applying, pipeline) },
          { about: 'one apply at a time', ...groupCheck(applying, pipeline) },
          { about: 'branch of apply', ...branchCheck(applying, pipeline) }
        ])
  ]
}

const NO_APPLY = note(
  `no job of ${GITLAB_FILE} runs \`wlanctl apply\``,
  'files that it includes, and scripts, are not read; `wlanctl init --ci gitlab` writes the jobs'
)

function isApply(text: string): boolean {
  return APPLY.test(text)
}

function plaintextCheck({ top, jobs }: Pipeline): CheckOutcome {
  const maps = [top, ...jobs.values()].map(map => map.entries.get('variables')?.value)
  const found = maps.flatMap(map =>
    map?.kind === 'map' ? [...map.entries].filter(isPlaintext).map(([name]) => name) : []
  )
  if (found.length === 0) return ok('no token and no secret')
  const todo =
    'revoke the values, and move new ones to Settings, CI/CD, Variables: protected and masked'
  return wrong(`the file contains the value of ${listFirst([...new Set(found)], 3)}`, todo)
}

/** True for a variable with a value of its own: a reference to another variable begins with `$`. */
function isPlaintext([name, { value }]: [string, Entry]): boolean {
  const given = value.kind === 'map' ? memberNode(value, 'value') : value
  const text = given?.kind === 'scalar' ? String(given.value ?? '') : ''
  return SECRET_NAME.test(name) && text !== '' && !text.startsWith('$')
}

/** Wrong, unless one of the jobs extends a job of an included file, which may have what it lacks. */
function lacks(
  what: string,
  jobs: readonly string[],
  todo: string,
  pipeline: Pipeline
): CheckOutcome {
  const named = `without ${what}: ${jobs.join(', ')}`
  if (!jobs.some(name => extendsUnread(name, pipeline))) return wrong(named, todo)
  return note(`${named}; jobs of included files, which it extends, are not read`, todo)
}

/** True if a job extends one that is not in the file. */
function extendsUnread(name: string, pipeline: Pipeline): boolean {
  return [...lineageOf(name, pipeline)].some(each => !pipeline.jobs.has(each))
}

function environmentCheck(applying: readonly string[], pipeline: Pipeline): CheckOutcome {
  const lacking = applying.filter(name => memberOf(name, 'environment', pipeline) === undefined)
  if (lacking.length > 0) {
    const todo =
      'give it `environment: production`, so that only its jobs get the token that can write'
    return lacks('an environment', lacking, todo, pipeline)
  }
  return ok(`${applying.join(', ')}: in an environment`)
}

function groupCheck(applying: readonly string[], pipeline: Pipeline): CheckOutcome {
  const groups = applying.map(name => textsIn(memberOf(name, 'resource_group', pipeline))[0])
  const lacking = applying.filter((_, at) => groups[at] === undefined)
  const todo = 'give all of them the same `resource_group`, so that they run one after the other'
  if (lacking.length > 0) return lacks('a resource group', lacking, todo, pipeline)
  const [first = '', ...others] = new Set(groups)
  if (others.length > 0) return wrong(`several resource groups: ${applying.join(', ')}`, todo)
  return ok(`the resource group ${first}`)
}

function branchCheck(applying: readonly string[], pipeline: Pipeline): CheckOutcome {
  const open = applying.filter(name => !isOnProtectedBranch(memberOf(name, 'rules', pipeline)))
  if (open.length === 0) return ok(`${applying.join(', ')}: on the default or a protected branch`)
  return note(
    `the rules of ${open.join(', ')} do not show that it runs on the default branch only`,
    'give each rule: if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH'
  )
}

/** True if each rule that adds the job names the default branch, or a protected one. */
function isOnProtectedBranch(rules: Node | undefined): boolean {
  const adding = (rules?.kind === 'list' ? rules.items : []).filter(
    rule => textsIn(memberNode(rule, 'when'))[0] !== 'never'
  )
  return (
    adding.length > 0 &&
    adding.every(rule => {
      const [condition = ''] = textsIn(rule.kind === 'map' ? memberNode(rule, 'if') : rule)
      return PROTECTED.test(condition) && !condition.includes('||')
    })
  )
}

/** A member of a job, its own or that of a job that it extends; the last of these wins. */
function memberOf(name: string, key: string, pipeline: Pipeline): Node | undefined {
  for (const each of lineageOf(name, pipeline)) {
    const entry = pipeline.jobs.get(each)?.entries.get(key)
    if (entry !== undefined) return entry.value
  }
  return undefined
}

/** The names of a job and of those that it extends, each once, in descending precedence. */
function lineageOf(name: string, pipeline: Pipeline, names = new Set<string>()): Set<string> {
  if (names.has(name)) return names
  names.add(name)
  const bases = textsIn(pipeline.jobs.get(name)?.entries.get('extends')?.value)
  for (const base of bases.toReversed()) lineageOf(base, pipeline, names)
  return names
}

/** The scalars of a node, of lists at any depth, as texts. */
function textsIn(node: Node | undefined): string[] {
  if (node?.kind === 'list') return node.items.flatMap(textsIn)
  return node?.kind === 'scalar' ? [String(node.value ?? '')] : []
}

/** The check of the job that runs it: a branch that is not protected must not get the token that can write. */
function jobCheck(env: Io['env']): DoctorCheck {
  const about = 'this job'
  if (env['CI_COMMIT_REF_PROTECTED'] === 'true') {
    return { about, ...ok('runs on a protected branch or tag') }
  }
  const exposed = Object.keys(env).filter(
    name => (name === 'WLANCTL_WRITE_TOKEN' || name.startsWith('WLAN_SECRET_')) && env[name]
  )
  if (exposed.length === 0) {
    return { about, ...ok('runs on an unprotected branch, without the token that can write') }
  }
  const todo = 'Settings, CI/CD, Variables: protect them, and replace their values'
  const named = listFirst(exposed.sort(), 3)
  return { about, ...wrong(`runs on an unprotected branch, and gets ${named}`, todo) }
}

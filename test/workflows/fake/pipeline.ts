import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { parse } from 'yaml'
import { folder, PROGRAM, startCommand } from '../../support/program.ts'
import type { GitLab, GitLabJob, Pipeline } from './gitlab.ts'
import { read } from './workflow.ts'

type Variables = Readonly<Record<string, string>>

/** A job of `.gitlab-ci.yml`. */
export interface CiJob {
  readonly extends?: string
  readonly stage?: string
  readonly environment?: string
  readonly rules?: readonly { readonly if: string; readonly when?: string }[]
  readonly needs?: readonly string[]
  readonly variables?: Variables
  readonly before_script?: readonly string[]
  readonly script?: readonly string[]
  readonly after_script?: readonly string[]
  readonly allow_failure?: { readonly exit_codes: number }
  readonly artifacts?: {
    readonly expire_in?: string
    readonly paths: readonly string[]
    readonly reports?: Readonly<Record<string, string>>
  }
}

const { stages, variables, ...written } = parse(read('examples/gitlab/.gitlab-ci.yml')) as {
  readonly stages: readonly string[]
  readonly variables: Variables
} & Record<string, CiJob>

/** The variables of the file. */
export const globals: Variables = variables

/** The jobs with the templates that they extend. */
export const ciJobs: Readonly<Record<string, CiJob>> = Object.fromEntries(
  Object.keys(written)
    .filter(name => !name.startsWith('.'))
    .map(name => [name, resolved(name)])
)

function resolved(name: string): CiJob {
  const job = written[name] as CiJob
  return job.extends === undefined ? job : { ...resolved(job.extends), ...job }
}

/** The trigger of a pipeline. */
export interface Trigger {
  readonly source: string
  readonly sha: string
  readonly ref: string
  /** Of a merge request. */
  readonly iid?: number
  readonly projectId?: number
  /** A clone of the repository at the commit. */
  readonly checkout: string
  /** The variables of GitLab and the project settings. */
  readonly given: Variables
  /** The variables of the protected environment. */
  readonly ofEnvironment: Variables
  /** True if no job can install the program. */
  readonly isRegistryDown?: boolean
}

/** The result of a job. */
export interface CiResult {
  readonly code: number | null
  readonly log: string
  /** Its artifacts. */
  readonly folder: string
}

/** True for the lines that install the program, which other tests cover. */
const isInstalling = (line: string) =>
  /^(?:npm|mkdir -p \/opt|cd \/opt|node .*\/provenance\.mjs)/.test(line)

/** Runs the jobs whose rules match, like GitLab; returns those that ran, by name. */
export async function runPipeline(
  hub: GitLab,
  trigger: Trigger
): Promise<Record<string, CiResult>> {
  const { source, sha, ref, iid, projectId = 42 } = trigger
  const jobs: GitLabJob[] = []
  const id = hub.nextId()
  const pipeline: Pipeline = {
    id,
    project_id: projectId,
    sha,
    ref,
    source,
    ...(iid === undefined ? {} : { iid }),
    jobs
  }
  hub.pipelines.push(pipeline)
  const results: Record<string, CiResult> = {}
  let failedStage: string | undefined
  for (const name of stages.flatMap(stage => namesOf(stage))) {
    const job = ciJobs[name] as CiJob
    const isFine = failedStage === undefined || failedStage === job.stage
    const given = {
      ...trigger.given,
      ...(job.environment === undefined ? {} : trigger.ofEnvironment),
      CI_PIPELINE_SOURCE: source,
      CI_PIPELINE_ID: String(id),
      CI_PIPELINE_URL: `https://gitlab.example.com/acme/wifi/-/pipelines/${id}`,
      CI_COMMIT_SHA: sha
    }
    const rule = job.rules?.find(each => holds(each.if, { ...globals, ...given }))
    if (rule === undefined || (!isFine && rule.when !== 'always')) continue
    const result = await runJob(job, given, trigger, results)
    results[name] = result
    jobs.push({ id: hub.nextId(), name, artifacts: result.folder })
    if (job.environment !== undefined) {
      hub.deployments.push({ sha, status: result.code === 0 ? 'success' : 'failed' })
    }
    if (result.code !== 0 && result.code !== job.allow_failure?.exit_codes) {
      failedStage ??= job.stage
    }
  }
  return results
}

function namesOf(stage: string): string[] {
  return Object.keys(ciJobs).filter(name => ciJobs[name]?.stage === stage)
}

/** Evaluates a condition such as `$A == "x" && $B != $C`. */
function holds(condition: string, given: Variables): boolean {
  const script = condition.replace(/\$(\w+)/g, (_, name) => JSON.stringify(given[name] ?? null))
  return Boolean(runInNewContext(script))
}

async function runJob(
  job: CiJob,
  given: Variables,
  { checkout, isRegistryDown }: Trigger,
  results: Readonly<Record<string, CiResult>>
): Promise<CiResult> {
  const home = folder()
  const cwd = join(home, 'builds')
  cpSync(checkout, cwd, { recursive: true })
  for (const name of job.needs ?? []) {
    const from = results[name]?.folder
    if (from !== undefined && existsSync(from)) cpSync(from, cwd, { recursive: true })
  }
  const paths = { RESULTS: 'results', APPROVAL: 'approval', STORED: 'stored' }
  const own = Object.entries(paths).map(([name, path]) => [name, join(home, path)])
  const env = {
    ...globals,
    ...expanded(job.variables ?? {}, given),
    ...given,
    ...Object.fromEntries(own),
    ...(job.environment === undefined ? {} : { CI_ENVIRONMENT_NAME: job.environment }),
    CI_PROJECT_DIR: cwd,
    WLANCTL: PROGRAM
  }
  const installing = isRegistryDown && job.before_script ? ['echo "npm error network"; exit 1'] : []
  const before = (job.before_script ?? []).filter(line => !isInstalling(line))
  const shell = (lines: readonly string[]) =>
    startCommand('bash', ['-eo', 'pipefail', '-c', lines.join('\n')], { cwd, env }).ended
  const ended = await shell([...before, ...installing, ...(job.script ?? [])])
  await shell(job.after_script ?? [])
  const artifacts = join(home, 'artifacts')
  mkdirSync(artifacts)
  for (const path of job.artifacts?.paths ?? []) {
    if (existsSync(join(cwd, path)))
      cpSync(join(cwd, path), join(artifacts, path), { recursive: true })
  }
  rmSync(cwd, { recursive: true })
  return { code: ended.code, log: ended.stdout + ended.stderr, folder: artifacts }
}

function expanded(declared: Variables, given: Variables): Variables {
  const entries = Object.entries(declared)
  return Object.fromEntries(
    entries.map(([name, text]) => [name, text.replace(/\$(\w+)/g, (_, of) => given[of] ?? '')])
  )
}

import { listFirst } from '../../core/values/text.ts'
import type { Io } from '../terminal/io.ts'
import { type Check, type Found, MAX_NAMES } from './check.ts'
import { type CiSubject, environmentsIn, type Job, textsIn } from './ci-files.ts'
import type { Settings } from './forge-settings.ts'

/** A project on GitLab: its checkout, and its settings. */
export interface GitlabProject extends CiSubject {
  readonly path: string
  readonly settings: Settings
  readonly env: Io['env']
}

export const UNSEEN =
  'run it with `glab` and the login of a maintainer; the README that `wlanctl init --ci gitlab` writes lists the settings'

export const gitlabChecks: readonly Check<GitlabProject>[] = [
  { about: 'repository', check: ({ path }) => `GitLab${path === '' ? '' : `: ${path}`}` },
  {
    about: 'one apply at a time',
    check: ({ ci }) => oneGroup(ci.jobs.filter(({ isSending }) => isSending)),
    fix: 'give all jobs that send the same `resource_group`, so that they run one after the other'
  },
  {
    about: 'this job',
    check: ({ env }) => (env['GITLAB_CI'] === 'true' ? thisJob(env) : undefined),
    fix: 'Settings, CI/CD, Variables: protect them, and replace their values'
  },
  {
    about: 'variables',
    async check(project) {
      const variables = await variablesOf(project)
      return [
        ['WLANCTL_READ_TOKEN', 'with a read-only token of the service'],
        ['WLANCTL_GITLAB_TOKEN', 'with a project access token: Developer, scope api']
      ].map(([name = '', value]) => {
        const fix = `glab variable set ${name} --masked, ${value}`
        const found = variables.filter(({ key }) => key === name)
        if (found.length === 0) return { wrong: `${name} is not set`, fix }
        if (found.every(({ masked }) => masked)) return `${name} is masked`
        return { wrong: `${name} is not masked`, fix }
      })
    }
  },
  { about: 'write token', check: project => guarded(['WLANCTL_WRITE_TOKEN'], project) },
  {
    about: 'secrets',
    check: project => (project.fleet ? guarded(project.fleet.secrets, project) : undefined)
  },
  {
    about: 'protected environment',
    async check({ settings, path, ci }) {
      const listed = await settings.get<{ name: string }[]>(`${root(path)}/protected_environments`)
      const isOpen = ([name, commands]: [string, ReadonlySet<string>]) =>
        !commands.has('scheduled') && !listed.some(each => each.name === name)
      const open = [...environmentsIn(ci)].filter(isOpen).map(([name]) => name)
      if (open.length === 0) return 'only those who may deploy can apply'
      return { note: `everyone who can merge can deploy to ${open.join(', ')}` }
    },
    fix: 'Settings, CI/CD, Protected environments; this needs GitLab Premium or Ultimate'
  },
  {
    about: 'protected branch',
    async check({ settings, path }) {
      const { default_branch: branch = 'main' } = await settings.get<Project>(root(path))
      const found = await settings.find<{
        push_access_levels?: readonly { access_level?: number }[]
      }>(`${root(path)}/protected_branches/${encodeURIComponent(branch)}`)
      if (found === undefined) return { wrong: `${branch} is not protected` }
      const isClosed = found.push_access_levels?.every(({ access_level }) => access_level === 0)
      if (isClosed) return `${branch} changes by merge request only`
      return { note: `some can push to ${branch} without a merge request` }
    },
    fix: 'Settings, Repository, Protected branches: no one is allowed to push'
  },
  {
    about: 'merge requests',
    async check({ settings, path }) {
      const project = await settings.get<Project>(root(path))
      if (project.only_allow_merge_if_pipeline_succeeds) return 'pipelines must succeed'
      return { wrong: 'a merge request can be merged although its plan failed' }
    },
    fix: 'Settings, Merge requests: pipelines must succeed'
  },
  { about: 'schedules', check: schedules, fix: 'Build, Pipeline schedules: add it' }
]

interface Project {
  readonly default_branch?: string
  readonly only_allow_merge_if_pipeline_succeeds?: boolean
}

interface Variable {
  readonly key: string
  readonly protected?: boolean
  readonly masked?: boolean
  readonly environment_scope?: string
}

const root = (path: string) => `projects/${encodeURIComponent(path)}`

function variablesOf({ settings, path }: GitlabProject): Promise<readonly Variable[]> {
  return settings.get(`${root(path)}/variables?per_page=100`)
}

/** Checks that each environment of jobs that send has these variables, and no other job has them. */
async function guarded(wanted: readonly string[], project: GitlabProject): Promise<Found> {
  const variables = await variablesOf(project)
  const environments = [...environmentsIn(project.ci).keys()]
  if (wanted.length === 0) return 'the files name none'
  const open = variables.filter(
    each => wanted.includes(each.key) && (!each.protected || each.environment_scope === '*')
  )
  const listed = listFirst([...new Set(open.map(({ key }) => key))], MAX_NAMES)
  const set = (name = '', environment = '') =>
    `glab variable set ${name} --masked --protected --scope ${environment}`
  if (open.length > 0) {
    const fix = set(open[0]?.key, environments[0])
    return { wrong: `not protected, or of every environment: ${listed}`, fix }
  }
  for (const environment of environments) {
    const missing = wanted.filter(
      name => !variables.some(each => each.key === name && covers(each, environment))
    )
    if (missing.length === 0) continue
    const wrong = `not set for ${environment}: ${listFirst(missing, MAX_NAMES)}`
    return { wrong, fix: set(missing[0], environment) }
  }
  return `for ${environments.join(', ')} only`
}

/** Of a variable of an environment; `*` in its scope stands for any text. */
function covers({ environment_scope: scope = '*' }: Variable, environment: string): boolean {
  const parts = scope.split('*').map(part => part.replaceAll(/[^\w]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(environment)
}

async function schedules({ settings, path, ci, fleet }: GitlabProject): Promise<readonly Found[]> {
  const place = `${root(path)}/pipeline_schedules`
  const listed = await settings.get<{ id: number; active?: boolean }[]>(`${place}?per_page=100`)
  const active = await Promise.all(
    listed
      .filter(each => each.active)
      .map(({ id }) =>
        settings.get<{ variables?: readonly { key: string; value: string }[] }>(`${place}/${id}`)
      )
  )
  const tasks = active.flatMap(({ variables = [] }) =>
    variables.flatMap(({ key, value }) => (key === 'TASK' ? value : []))
  )
  const needed = ['drift', ...(fleet?.hasSchedule ? ['scheduled'] : [])]
  return needed
    .filter(task => ci.jobs.some(({ commands }) => commands.has(task)))
    .map(task =>
      tasks.includes(task)
        ? `a schedule runs ${task}`
        : { wrong: `no active schedule has the variable TASK=${task}` }
    )
}

function oneGroup(jobs: readonly Job[]): Found {
  if (jobs.length === 0) return undefined
  const groups = new Set(jobs.map(({ get }) => textsIn(get('resource_group'))[0]))
  const names = jobs.map(({ name }) => name).join(', ')
  const [group] = groups
  if (groups.size === 1 && group !== undefined) return `the resource group ${group}`
  return { wrong: `without a resource group in common: ${names}` }
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

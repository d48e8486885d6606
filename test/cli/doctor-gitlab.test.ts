import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { starterFiles } from '../../src/author/init/files.ts'
import { runChecks } from '../../src/cli/doctor/check.ts'
import { readCiFiles } from '../../src/cli/doctor/ci-files.ts'
import { Settings } from '../../src/cli/doctor/forge-settings.ts'
import { gitlabChecks } from '../../src/cli/doctor/gitlab.ts'
import { repository } from '../support/git.ts'
import { folder } from '../support/program.ts'
import { PSK, stage } from '../support/stage.ts'

const FILES = new Map(
  starterFiles({
    ci: 'gitlab',
    version: '9.8.7',
    schema: {},
    owner: '@acme/network',
    secrets: [],
    hasSchedule: true
  }).map(({ path, text }) => [path, text])
)
const EXAMPLE = FILES.get('.gitlab-ci.yml') ?? ''

const LOCK = JSON.stringify({
  packages: { 'node_modules/wlanctl': { version: '9.8.7', integrity: 'sha512-abc' } }
})

const UNSEEN = { 'not checked': 'note' }

/** The checks of a repository with this CI file. */
async function checked(
  yaml: string,
  env: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
  options = ''
) {
  const made = await stage()
  made.write('.gitlab-ci.yml', yaml)
  made.write('.gitlab/wlanctl/package-lock.json', LOCK)
  for (const [file, text] of Object.entries(files)) made.write(file, text)
  repository(made.cwd)
  const line = `doctor fleet --ci --format json ${options}`.trim()
  const { code, stdout, stderr } = await made.run(line, env)
  const { checks = [] } = stdout === '' ? {} : JSON.parse(stdout)
  const { program: _, ...states } = Object.fromEntries(
    checks.map(({ about, state }: Record<string, string>) => [about, state])
  )
  expect(made.methods()).toEqual([])
  return { code, states, text: stdout + stderr }
}

describe('doctor --ci on GitLab', () => {
  it('finds the jobs of the example in order, and names the settings that it cannot see', async () => {
    const { code, states, text } = await checked(EXAMPLE)
    expect(states).toEqual({
      repository: 'ok',
      'CI files': 'ok',
      address: 'ok',
      tool: 'ok',
      'tokens in the files': 'ok',
      'one apply at a time': 'ok',
      ...UNSEEN
    })
    expect(code).toBe(0)
    expect(text).toContain('the resource group wlanctl-fleet')
    expect(text).toContain(
      'variables, write token, secrets, protected environment, protected branch, merge requests, schedules: the program glab is not installed'
    )
    expect(text).not.toContain(PSK)
  })

  const job = (more: string, variables = '{}') =>
    `variables: ${variables}\napply:\n  script: [wlanctl apply . --yes]\n${more}`

  it.each<[string, string, string, 'ok' | 'note' | 'wrong']>([
    [
      'the address of a machine',
      EXAMPLE.replace('https://api.mist.com', 'http://127.0.0.1:42577'),
      'address',
      'wrong'
    ],
    ['a quoted one', 'variables: { WLANCTL_BASE_URL: "http://[::1]:8" }\n', 'address', 'wrong'],
    ['no resource group', job(''), 'one apply at a time', 'wrong'],
    ['a resource group', job('  resource_group: x\n'), 'one apply at a time', 'ok'],
    ['a token', job('', '{ WLANCTL_API_TOKEN: glpat-planted }'), 'tokens in the files', 'wrong'],
    [
      'a secret as a map',
      job('', '{ WLAN_SECRET_A: { value: glpat-planted } }'),
      'tokens in the files',
      'wrong'
    ],
    [
      'another variable',
      job('', '{ WLANCTL_API_TOKEN: $WLANCTL_WRITE_TOKEN }'),
      'tokens in the files',
      'ok'
    ],
    ['no job that applies', 'include: [{ local: a.yml }]\n', 'CI files', 'note'],
    ['tags of GitLab', job('  rules: !reference [.x, rules]\n'), 'CI files', 'note'],
    ['merge keys', '.a: &a { environment: x }\napply: { <<: *a }\n', 'CI files', 'note'],
    ['a loop of extends', '.a: { extends: .b }\n.b: { extends: .a }\n', 'CI files', 'note'],
    [
      'many loops of extends',
      `apply: { script: [wlanctl apply], extends: [${Array(40).fill('.a, apply').join(', ')}] }\n.a: { extends: apply }\n`,
      'one apply at a time',
      'wrong'
    ]
  ])('%s', async (_, yaml, about, state) => {
    const { states, text } = await checked(yaml)
    expect(states).toMatchObject({ [about]: state, ...UNSEEN })
    expect(text).not.toContain('glpat-planted')
  })

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['a protected branch', { CI_COMMIT_REF_PROTECTED: 'true', WLANCTL_WRITE_TOKEN: 'x' }, 'ok'],
    ['a branch with the token that can write', { WLANCTL_WRITE_TOKEN: 'planted-token' }, 'wrong'],
    ['a branch without it', { WLAN_SECRET_GUEST: '' }, 'ok']
  ])('in a job on %s', async (_, env, state) => {
    const { states, text } = await checked(EXAMPLE, { GITLAB_CI: 'true', ...env })
    expect(states).toMatchObject({ 'this job': state })
    expect(text).not.toContain('planted-token')
  })

  it('is for GitLab if there are no workflows of GitHub, and changes no setting', async () => {
    const workflow = { '.github/workflows/plan.yml': 'jobs: {}\n' }
    const both = await checked(EXAMPLE, {}, workflow)
    expect(both.text).not.toContain('GitLab')
    const inJob = await checked(EXAMPLE, { GITLAB_CI: 'true' }, workflow)
    expect(inJob.text).toContain('"said": "GitLab"')
    const { code, text } = await checked(EXAMPLE, {}, {}, '--apply --yes')
    expect({ code, text }).toEqual({
      code: 3,
      text: 'wlanctl: --apply makes settings on GitHub only\n'
    })
  })
})

const PROJECT = 'projects/acme%2Fwifi'

const variable = (key: string, more: object = {}) => ({
  key,
  value: 'planted-value',
  masked: true,
  protected: true,
  environment_scope: '*',
  ...more
})
const ofEnvironment = (key: string) =>
  ['production', 'scheduled'].map(environment_scope => variable(key, { environment_scope }))
const shared = [
  variable('WLANCTL_READ_TOKEN', { protected: false }),
  variable('WLANCTL_GITLAB_TOKEN', { protected: false })
]
const guarded = [...ofEnvironment('WLANCTL_WRITE_TOKEN'), ...ofEnvironment('WLAN_SECRET_GUEST')]

/** A project with valid settings. */
const good: Readonly<Record<string, unknown>> = {
  [PROJECT]: { default_branch: 'main', only_allow_merge_if_pipeline_succeeds: true },
  [`${PROJECT}/variables`]: [...shared, ...guarded],
  [`${PROJECT}/protected_environments`]: [{ name: 'production' }],
  [`${PROJECT}/protected_branches/main`]: { push_access_levels: [{ access_level: 0 }] },
  [`${PROJECT}/pipeline_schedules`]: [{ id: 1, active: true }, { id: 2, active: true }, { id: 3 }],
  [`${PROJECT}/pipeline_schedules/1`]: { variables: [{ key: 'TASK', value: 'drift' }] },
  [`${PROJECT}/pipeline_schedules/2`]: { variables: [{ key: 'TASK', value: 'scheduled' }] }
}

/** The checks of a project with the files of `init`, and these answers of GitLab. */
async function checksOf(answers: Readonly<Record<string, unknown>>) {
  const root = folder()
  mkdirSync(join(root, '.gitlab'))
  writeFileSync(join(root, '.gitlab-ci.yml'), EXAMPLE)
  return runChecks(gitlabChecks, {
    path: 'acme/wifi',
    env: {},
    ci: await readCiFiles(root, 'gitlab'),
    fleet: { secrets: ['WLAN_SECRET_GUEST'], hasSchedule: true },
    settings: new Settings(async (_, path) => {
      const value = answers[path.replace(/\?.*/, '')]
      return value === undefined ? { status: 404, reason: 'Not Found' } : { value }
    })
  })
}

describe('the settings of a project on GitLab', () => {
  it('are valid', async () => {
    const found = await checksOf(good)
    expect(found.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(JSON.stringify(found)).not.toContain('planted-value')
  })

  const variables = (...all: object[]) => ({ [`${PROJECT}/variables`]: all })

  it.each<[string, Readonly<Record<string, unknown>>, string, string]>([
    ['no read token', variables(...guarded), 'variables', 'WLANCTL_READ_TOKEN is not set'],
    [
      'a token that logs may show',
      variables(...guarded, variable('WLANCTL_READ_TOKEN', { masked: false })),
      'variables',
      'WLANCTL_READ_TOKEN is not masked'
    ],
    ['no write token', variables(...shared), 'write token', 'not set for production'],
    [
      'a write token for every environment',
      variables(...shared, variable('WLANCTL_WRITE_TOKEN')),
      'write token',
      'of every environment: WLANCTL_WRITE_TOKEN'
    ],
    [
      'a write token for unprotected branches',
      variables(variable('WLANCTL_WRITE_TOKEN', { protected: false, environment_scope: 'p*' })),
      'write token',
      'not protected, or'
    ],
    [
      'a secret without the environment of the schedule',
      variables(variable('WLAN_SECRET_GUEST', { environment_scope: 'prod*' })),
      'secrets',
      'not set for scheduled: WLAN_SECRET_GUEST'
    ],
    [
      'an environment that is not protected',
      { [`${PROJECT}/protected_environments`]: [] },
      'protected environment',
      'everyone who can merge can deploy to production'
    ],
    [
      'a branch that is not protected',
      { [`${PROJECT}/protected_branches/main`]: undefined },
      'protected branch',
      'main is not protected'
    ],
    [
      'a branch that maintainers push to',
      { [`${PROJECT}/protected_branches/main`]: { push_access_levels: [{ access_level: 40 }] } },
      'protected branch',
      'some can push to main'
    ],
    [
      'merges of failed plans',
      { [PROJECT]: { default_branch: 'main' } },
      'merge requests',
      'although its plan failed'
    ],
    [
      'no schedule',
      {
        [`${PROJECT}/pipeline_schedules`]: [
          { id: 1, active: true },
          { id: 2, active: false }
        ]
      },
      'schedules',
      'no active schedule has the variable TASK=scheduled'
    ],
    [
      'settings that only maintainers see',
      { [`${PROJECT}/variables`]: undefined },
      'not checked',
      'variables, write token, secrets: cannot be seen with this login: Not Found'
    ]
  ])('report %s', async (_, change, about, text) => {
    const found = await checksOf({ ...good, ...change })
    const bad = found.filter(check => check.about === about && check.state !== 'ok')
    expect(bad.map(({ said }) => said).join('\n')).toContain(text)
  })
})

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { starterFiles } from '../../src/author/init/files.ts'
import { runChecks } from '../../src/cli/doctor/check.ts'
import { readCiFiles } from '../../src/cli/doctor/ci-files.ts'
import { parseRemote, type Call as Request, Settings } from '../../src/cli/doctor/forge-settings.ts'
import { githubChecks } from '../../src/cli/doctor/github.ts'
import { git, repository } from '../support/git.ts'
import { folder } from '../support/program.ts'
import { PSK, type Stage, stage } from '../support/stage.ts'

const ROOT = 'repos/acme/wifi'
const ENVIRONMENT = `${ROOT}/environments/production`

interface Answer {
  readonly value?: unknown
  readonly status?: number
  readonly message?: string
  readonly effects?: Readonly<Record<string, Answer>>
}

type Routes = Readonly<Record<string, Answer>>

const secrets = (...names: readonly string[]) => ({
  value: { total_count: names.length, secrets: names.map(name => ({ name })) }
})

const environment = (name: string, reviewers: readonly object[], policy: object | null) => ({
  name,
  protection_rules: [{ type: 'required_reviewers', prevent_self_review: true, reviewers }],
  deployment_branch_policy: policy
})

const environments = (...all: readonly object[]) => ({ value: { environments: all } })

const TEAM = { type: 'Team', reviewer: { id: 7 } }
const CUSTOM = { protected_branches: false, custom_branch_policies: true }
const CHECKS = [{ context: 'Plan' }]

const RULES = {
  value: [
    {
      type: 'pull_request',
      parameters: { require_code_owner_review: true, dismiss_stale_reviews_on_push: true }
    },
    { type: 'required_status_checks', parameters: { required_status_checks: CHECKS } }
  ]
}

const CHOICES = {
  ci: 'github',
  version: '9.8.7',
  schema: {},
  owner: '@acme/network',
  secrets: ['WLAN_SECRET_GUEST'],
  hasSchedule: false
} as const
const FILES = starterFiles(CHOICES)

const LOCK = JSON.stringify({
  packages: { 'node_modules/wlanctl': { version: '9.8.7', integrity: 'sha512-abc' } }
})

/** A repository with valid settings. */
const good: Routes = {
  [`GET ${ROOT}`]: {
    value: { private: true, default_branch: 'main', owner: { type: 'Organization' } }
  },
  'GET orgs/acme': { value: { plan: { name: 'enterprise' } } },
  [`GET ${ROOT}/actions/permissions`]: { value: { enabled: true, allowed_actions: 'all' } },
  [`GET ${ROOT}/actions/permissions/workflow`]: {
    value: { default_workflow_permissions: 'read', can_approve_pull_request_reviews: true }
  },
  [`GET ${ROOT}/environments`]: environments(environment('production', [TEAM], CUSTOM)),
  [`GET ${ENVIRONMENT}/deployment-branch-policies`]: {
    value: { branch_policies: [{ name: 'main' }] }
  },
  [`GET ${ENVIRONMENT}/secrets`]: secrets('WLANCTL_API_TOKEN', 'WLAN_SECRET_GUEST'),
  [`GET ${ROOT}/actions/secrets`]: secrets('WLANCTL_READ_TOKEN'),
  [`GET ${ROOT}/actions/organization-secrets`]: secrets(),
  [`GET ${ROOT}/rules/branches/main`]: RULES
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly host: string
  /** The names of all variables that could contain the credentials of gh. */
  readonly secrets: string
}

/** Writes the files with the responses of `gh.sh`. */
function writeRoutes(directory: string, routes: Routes): void {
  const file = (key: string) => key.replaceAll('/', ',')
  mkdirSync(join(directory, 'routes'), { recursive: true })
  for (const [key, { value, status, message, effects }] of Object.entries(routes)) {
    const answer = status === undefined ? JSON.stringify(value ?? {}) : (message ?? 'Not Found')
    writeFileSync(join(directory, 'routes', file(key)), `${status ?? 200}\n${answer}\n`)
    if (effects === undefined) continue
    const replaced = join(directory, 'effects', file(key))
    writeRoutes(replaced, effects)
  }
}

/** A fleet in a repository of GitHub, and a `gh` with these responses. */
async function onGithub(routes: Routes, remote = 'git@github.com:acme/wifi.git') {
  const made = await stage()
  const directory = folder()
  const log = join(directory, 'calls')
  writeFileSync(log, '')
  writeRoutes(directory, routes)
  const bin = join(directory, 'bin')
  mkdirSync(bin)
  const fake = fileURLToPath(new URL('./github/gh.sh', import.meta.url))
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\nexec bash '${fake}' '${directory}' "$@"\n`)
  chmodSync(join(bin, 'gh'), 0o755)
  for (const { path, text } of FILES) made.write(path, text)
  made.write('.github/wlanctl/package-lock.json', LOCK)
  repository(made.cwd)
  if (remote !== '') git(made.cwd, 'remote', 'add', 'origin', remote)
  const env = { PATH: `${bin}:${process.env['PATH']}` }
  const calls = (): Call[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .flatMap(line => (line === '' ? [] : JSON.parse(line)))
  return { made, env, calls, ...runner(made, env) }
}

/** The checks of these responses, without a process. */
async function checksOf(
  routes: Routes,
  { hasSchedule = false, secrets = ['WLAN_SECRET_GUEST'] } = {}
) {
  const call: Request = async (method, path) => {
    const {
      value,
      status,
      message = ''
    } = routes[`${method} ${path.replace(/\?.*/, '')}`] ?? {
      status: 404
    }
    return status === undefined ? { value } : { status, reason: message }
  }
  const root = folder()
  for (const { path, text } of starterFiles({ ...CHOICES, hasSchedule })) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return runChecks(
    githubChecks,
    {
      name: 'acme/wifi',
      branch: 'main',
      isPrivate: true,
      isOrganization: true,
      settings: new Settings(call),
      reviewers: [],
      ci: await readCiFiles(root, 'github'),
      fleet: { secrets, hasSchedule }
    },
    { unseen: 'ask an administrator' }
  )
}

function runner(made: Stage, env: Readonly<Record<string, string>>) {
  return {
    async checks(options = '') {
      const line = `doctor fleet --ci --format json ${options}`.trim()
      const { code, stdout, stderr } = await made.run(line, env)
      const { checks = [] } = stdout === '' ? {} : JSON.parse(stdout)
      const states = Object.fromEntries(
        checks.map(({ about, state }: Record<string, string>) => [about, state])
      )
      return { code, states, text: stdout + stderr, stderr }
    }
  }
}

describe('doctor --ci', () => {
  it('accepts a valid setup, and only reads from GitHub', async () => {
    const { checks, calls, made } = await onGithub(good)
    const { code, states, text } = await checks()
    expect(new Set(Object.values(states))).toEqual(new Set(['ok']))
    expect(code).toBe(0)
    expect(new Set(calls().map(({ method }) => method))).toEqual(new Set(['GET']))
    expect(new Set(calls().map(({ host }) => host))).toEqual(new Set(['github.com']))
    expect(new Set(calls().map(call => call.secrets))).toEqual(new Set(['']))
    expect(text).not.toContain(PSK)
    expect(made.methods()).toEqual([])
  })

  it.each<[string, Routes, string, 'wrong' | 'note', string]>([
    [
      'a free plan',
      { 'GET orgs/acme': { value: { plan: { name: 'free' } } } },
      'plan',
      'wrong',
      'GitHub Pro, Team or Enterprise'
    ],
    [
      'a team plan',
      { 'GET orgs/acme': { value: { plan: { name: 'team' } } } },
      'plan',
      'note',
      'need GitHub Enterprise'
    ],
    [
      'a plan that only owners see',
      { 'GET orgs/acme': { value: {} } },
      'plan',
      'note',
      'cannot be seen'
    ],
    [
      'Actions that are off',
      { [`GET ${ROOT}/actions/permissions`]: { value: { enabled: false } } },
      'actions',
      'wrong',
      'disabled'
    ],
    [
      'local actions only',
      {
        [`GET ${ROOT}/actions/permissions`]: {
          value: { enabled: true, allowed_actions: 'local_only' }
        }
      },
      'actions',
      'wrong',
      'same owner'
    ],
    [
      'a token that can write',
      {
        [`GET ${ROOT}/actions/permissions/workflow`]: {
          value: { default_workflow_permissions: 'write' }
        }
      },
      'default token',
      'wrong',
      'got write'
    ],
    [
      'workflows that may not open pull requests',
      {
        [`GET ${ROOT}/actions/permissions/workflow`]: {
          value: { default_workflow_permissions: 'read' }
        }
      },
      'pull requests',
      'note',
      'Allow GitHub Actions to create'
    ],
    [
      'no environment',
      { [`GET ${ROOT}/environments`]: environments() },
      'environment',
      'wrong',
      'production does not exist'
    ],
    [
      'an environment for all branches',
      { [`GET ${ROOT}/environments`]: environments(environment('production', [TEAM], null)) },
      'environment',
      'wrong',
      'every branch'
    ],
    [
      'no reviewers',
      { [`GET ${ROOT}/environments`]: environments(environment('production', [], CUSTOM)) },
      'reviewers',
      'note',
      'without another approval'
    ],
    [
      'no write token',
      { [`GET ${ENVIRONMENT}/secrets`]: secrets('WLAN_SECRET_GUEST') },
      'write token',
      'wrong',
      'gh secret set WLANCTL_API_TOKEN --env production'
    ],
    [
      'a missing secret of the fleet',
      { [`GET ${ENVIRONMENT}/secrets`]: secrets('WLANCTL_API_TOKEN') },
      'secrets',
      'wrong',
      'WLAN_SECRET_GUEST'
    ],
    [
      'no read token',
      { [`GET ${ROOT}/actions/secrets`]: secrets() },
      'read token',
      'wrong',
      'WLANCTL_READ_TOKEN'
    ],
    [
      'a secret that every branch can use',
      { [`GET ${ROOT}/actions/secrets`]: secrets('WLANCTL_READ_TOKEN', 'WLAN_SECRET_GUEST') },
      'scope of secrets',
      'wrong',
      'every branch can use WLAN_SECRET_GUEST'
    ],
    [
      'no rules',
      { [`GET ${ROOT}/rules/branches/main`]: { value: [] } },
      'branch rules',
      'wrong',
      'changes by pull request only'
    ],
    [
      'checks that are not required',
      { [`GET ${ROOT}/rules/branches/main`]: { value: RULES.value.slice(0, 1) } },
      'branch rules',
      'wrong',
      'main lacks: the check Plan'
    ],
    [
      'secrets that it cannot see',
      { [`GET ${ROOT}/actions/secrets`]: { status: 403, message: 'Resource not accessible' } },
      'not checked',
      'note',
      'read token, scope of secrets: cannot be seen with this login: Resource not accessible'
    ]
  ])('reports %s', async (_, change, about, state, text) => {
    const found = await checksOf({ ...good, ...change })
    expect(found.find(check => check.about === about)?.state).toBe(state)
    expect(found.map(({ said, todo }) => `${said}\n${todo}`).join('\n')).toContain(text)
    for (const check of found) if (check.state === 'wrong') expect(check.todo).toMatch(/\w/)
  })

  it('accepts the classic protection of a branch in place of rulesets', async () => {
    const found = await checksOf({
      ...good,
      [`GET ${ROOT}/rules/branches/main`]: { value: [] },
      [`GET ${ROOT}/branches/main/protection`]: {
        value: {
          required_pull_request_reviews: {
            require_code_owner_reviews: true,
            dismiss_stale_reviews: true
          },
          required_status_checks: { contexts: CHECKS.map(({ context }) => context) }
        }
      }
    })
    const states = found.map(({ about, state }) => `${state} ${about}`)
    expect(states).toEqual(expect.arrayContaining(['ok branch rules']))
  })

  it('looks at every environment with a token that can write', async () => {
    const found = await checksOf({
      ...good,
      [`GET ${ROOT}/environments`]: environments(
        environment('production', [TEAM], CUSTOM),
        environment('forgotten', [], null),
        environment('pages', [], null)
      ),
      [`GET ${ROOT}/environments/forgotten/secrets`]: secrets('WLANCTL_API_TOKEN'),
      [`GET ${ROOT}/environments/pages/secrets`]: secrets('OTHER')
    })
    const wrong = found.flatMap(({ state, said }) => (state === 'wrong' ? said : []))
    expect(wrong).toEqual(['every branch can use forgotten, which has WLANCTL_API_TOKEN'])
  })

  it.each<[string, object[], string]>([
    [
      'with reviewers, who would have to approve at night',
      [TEAM],
      'each scheduled run waits for a reviewer'
    ],
    ['that waits for no one', [], 'scheduled waits for no one']
  ])('checks an environment for scheduled runs %s', async (_, reviewers, text) => {
    const names = secrets('WLANCTL_API_TOKEN', 'WLAN_SECRET_GUEST')
    const place = `GET ${ROOT}/environments/scheduled`
    const routes = {
      ...good,
      [`GET ${ROOT}/environments`]: environments(
        environment('production', [TEAM], CUSTOM),
        environment('scheduled', reviewers, CUSTOM)
      ),
      [`${place}/secrets`]: names,
      [`${place}/deployment-branch-policies`]: { value: { branch_policies: [{ name: 'main' }] } }
    }
    const found = await checksOf(routes, { hasSchedule: true })
    const ofReviewers = found.filter(({ about }) => about === 'reviewers')
    expect(ofReviewers.map(({ said }) => said).join('\n')).toContain(text)
    expect(ofReviewers[1]?.state).toBe(reviewers.length > 0 ? 'wrong' : 'ok')
  })

  it('names the environments, secrets and steps that lack a new secret', async () => {
    const found = await checksOf(good, { secrets: ['WLAN_SECRET_GUEST', 'WLAN_SECRET_NEW'] })
    const wrong = found.flatMap(({ state, said, todo }) => (state === 'wrong' ? [said, todo] : []))
    expect(wrong).toEqual([
      '1 of 2 are not in production: WLAN_SECRET_NEW',
      expect.stringContaining('gh secret set -f secrets.env --env production'),
      '.github/workflows/apply.yml lacks WLAN_SECRET_NEW',
      expect.stringContaining('WLANCTL_SECRETS_COMMAND'),
      '.github/workflows/operate.yml lacks WLAN_SECRET_NEW',
      expect.stringContaining('WLANCTL_SECRETS_COMMAND')
    ])
  })

  it.each<[string, string, string, string, string]>([
    ['a placeholder', 'CODEOWNERS', '* @example/network\n', 'CI files', '.github/CODEOWNERS'],
    [
      'a missing lock file',
      'wlanctl/package-lock.json',
      '',
      'tool',
      'npm install --package-lock-only'
    ],
    [
      'a lock without integrity',
      'wlanctl/package-lock.json',
      '{"packages": {}}',
      'tool',
      'does not have wlanctl with its integrity'
    ],
    [
      'a plaintext token',
      'workflows/x.yml',
      'env: { WLANCTL_API_TOKEN: planted }\n',
      'tokens in the files',
      'the value of WLANCTL_API_TOKEN'
    ],
    ['no apply', 'workflows/apply.yml', 'jobs: {}\n', 'CI files', 'no job runs `wlanctl ci` apply'],
    [
      'an address of this machine',
      'workflows/x.yml',
      'env: { WLANCTL_BASE_URL: http://localhost:8080 }\n',
      'address',
      'http://localhost:8080 in .github/workflows/x.yml is the machine'
    ]
  ])('reports %s in the checkout', async (_, file, content, about, text) => {
    const { checks, made } = await onGithub(good)
    made.write(`.github/${file}`, content)
    const { states, text: all } = await checks()
    expect(states[about]).not.toBe('ok')
    expect(all).toContain(text)
    expect(all).not.toContain('planted')
  })

  it('requires a job for scheduled runs where the fleet needs one', async () => {
    const { checks, made } = await onGithub(good)
    made.write(
      'fleet/policy.yaml',
      'policy: { freezes: [{ from: 2026-12-15T00:00Z, until: 2027-01-06T00:00Z, reason: x }] }\n'
    )
    const lacking = await checks()
    expect(lacking.states['schedule']).toBe('wrong')
    expect(lacking.text).toContain('wlanctl init --ci github')
    made.write(
      '.github/workflows/scheduled.yml',
      'jobs: { x: { steps: [{ run: wlanctl ci scheduled }] } }\n'
    )
    expect((await checks()).states['schedule']).toBe('ok')
  })

  it.each([
    ['no remote', '', 'has no remote `origin`'],
    ['another host', 'https://gitlab.com/acme/wifi.git', 'on github.com, got gitlab.com']
  ])('gives the reason why it cannot check: %s', async (_, remote, problem) => {
    const { checks, calls } = await onGithub(good, remote)
    const { code, text } = await checks()
    expect({ code, text }).toEqual({ code: 1, text: expect.stringContaining(problem) })
    expect(calls()).toEqual([])
  })

  it('refuses a fleet that does not exist', async () => {
    const { made } = await onGithub(good)
    expect(await made.run('doctor absent --ci')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('fleet directory "absent" does not exist')
    })
  })

  it('reports a missing gh, and an unreadable repository', async () => {
    const { made } = await onGithub(good)
    const bin = folder()
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec /usr/bin/git "$@"\n')
    chmodSync(join(bin, 'git'), 0o755)
    const without = await made.run('doctor fleet --ci', { PATH: bin })
    expect(without.stdout).toContain('gh is not installed')
    const refused = await (await onGithub({})).checks()
    expect(refused.text).toContain('acme/wifi cannot be read: Not Found (HTTP 404)')
    expect(refused.code).toBe(1)
  })
})

describe('doctor --ci --apply', () => {
  const made_: Routes = {
    [`GET ${ROOT}/environments`]: environments(environment('production', [TEAM], CUSTOM))
  }
  const bare: Routes = {
    ...good,
    [`GET ${ROOT}/actions/permissions/workflow`]: {
      value: { default_workflow_permissions: 'write', can_approve_pull_request_reviews: true }
    },
    [`PUT ${ROOT}/actions/permissions/workflow`]: {
      effects: {
        [`GET ${ROOT}/actions/permissions/workflow`]: {
          value: { default_workflow_permissions: 'read', can_approve_pull_request_reviews: true }
        }
      }
    },
    [`GET ${ROOT}/environments`]: environments(),
    [`PUT ${ENVIRONMENT}`]: { effects: made_ },
    [`POST ${ENVIRONMENT}/deployment-branch-policies`]: {},
    'GET orgs/acme/teams/network': { value: { id: 7 } },
    [`GET ${ROOT}/rules/branches/main`]: { value: [] },
    [`POST ${ROOT}/rulesets`]: { effects: { [`GET ${ROOT}/rules/branches/main`]: RULES } }
  }

  it('prints the settings, writes them, and reads them back', async () => {
    const { checks, calls } = await onGithub(bare)
    const { code, states, stderr } = await checks('--apply --yes --reviewer @acme/network')
    expect(new Set(Object.values(states))).toEqual(new Set(['ok']))
    expect(code).toBe(0)
    expect(stderr).toContain('Settings of acme/wifi to change:\n  give workflows a read-only token')
    const changes = calls().filter(({ method }) => method !== 'GET')
    expect(changes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `PUT ${ROOT}/actions/permissions/workflow`,
      `PUT ${ENVIRONMENT}`,
      `POST ${ENVIRONMENT}/deployment-branch-policies`,
      `POST ${ROOT}/rulesets`
    ])
    expect(changes[1]?.body).toEqual({
      wait_timer: 0,
      prevent_self_review: false,
      reviewers: [{ type: 'Team', id: 7 }],
      deployment_branch_policy: CUSTOM
    })
  })

  it('keeps the existing settings of an environment', async () => {
    const { checks, calls } = await onGithub({
      ...bare,
      [`GET ${ROOT}/environments`]: environments(
        environment('production', [{ type: 'User', reviewer: { id: 3 } }], null)
      )
    })
    await checks('--apply --yes --reviewer @acme/network')
    expect(
      calls().find(({ method, path }) => method === 'PUT' && path === ENVIRONMENT)?.body
    ).toEqual({
      wait_timer: 0,
      prevent_self_review: true,
      reviewers: [
        { type: 'User', id: 3 },
        { type: 'Team', id: 7 }
      ],
      deployment_branch_policy: CUSTOM
    })
  })

  it('changes nothing if all settings are valid, or if it cannot ask', async () => {
    const right = await onGithub(good)
    expect((await right.checks('--apply --yes')).code).toBe(0)
    expect(right.calls().every(({ method }) => method === 'GET')).toBe(true)
    const asked = await onGithub(bare)
    const { code, stderr } = await asked.checks('--apply')
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('not a terminal; no setting was changed')
    })
    expect(asked.calls().every(({ method }) => method === 'GET')).toBe(true)
  })

  it('reports the settings written before GitHub rejects one', async () => {
    const { checks } = await onGithub({
      ...bare,
      [`PUT ${ENVIRONMENT}`]: { status: 422, message: 'reviewers need another plan' }
    })
    const { code, stderr } = await checks('--apply --yes')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /could not create the environment .*reviewers need another plan .*\n {2}1 of 4 settings changed/
    )
  })

  it.each([
    ['--apply', '--apply needs --ci'],
    ['--ci --yes', '--yes needs --ci --apply'],
    ['--reviewer x', '--reviewer needs --ci --apply']
  ])('rejects %s', async (options, problem) => {
    const { code, stderr } = await (await stage()).run(`doctor fleet ${options}`)
    expect({ code, stderr }).toEqual({ code: 3, stderr: `wlanctl: ${problem}\n` })
  })
})

describe('the URL of a git remote', () => {
  it.each([
    ['git@github.com:acme/wifi.git', 'github.com', 'acme/wifi'],
    ['https://github.com/acme/wifi', 'github.com', 'acme/wifi'],
    ['https://user:secret@GitHub.com/acme/wi.fi.git/', 'github.com', 'acme/wi.fi'],
    ['ssh://git@ghe.example.com:2222/acme/wifi.git', 'ghe.example.com', 'acme/wifi'],
    ['https://gitlab.com/a/b/c.git', 'gitlab.com', 'a/b/c']
  ])('%s is parsed', (url, host, path) => {
    expect(parseRemote(url)).toEqual({ host, path })
  })

  it.each(['/srv/git/wifi', '../wifi', 'https://github.com/acme'])('%s is rejected', url => {
    expect(parseRemote(url)).toBeUndefined()
  })
})

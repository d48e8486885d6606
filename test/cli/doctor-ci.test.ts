import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runChecks } from '../../src/cli/doctor/check.ts'
import { type Gh, parseRemote } from '../../src/cli/doctor/gh.ts'
import { repositoryChecks } from '../../src/cli/doctor/github.ts'
import { readSettings } from '../../src/cli/doctor/github-settings.ts'
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

const environment = (reviewers: readonly object[], policy: object | null) => ({
  value: {
    protection_rules: [{ type: 'required_reviewers', prevent_self_review: true, reviewers }],
    deployment_branch_policy: policy
  }
})

const TEAM = { type: 'Team', reviewer: { id: 7 } }
const CUSTOM = { protected_branches: false, custom_branch_policies: true }
const CHECKS = [{ context: 'wlans / Validate' }, { context: 'wlans / Plan' }]

const RULES = {
  value: [
    {
      type: 'pull_request',
      parameters: { require_code_owner_review: true, dismiss_stale_reviews_on_push: true }
    },
    { type: 'required_status_checks', parameters: { required_status_checks: CHECKS } }
  ]
}

/** A repository with valid settings. */
const good: Routes = {
  [`GET ${ROOT}`]: {
    value: { private: true, default_branch: 'main', owner: { type: 'Organization' } }
  },
  'GET orgs/acme': { value: { plan: { name: 'enterprise' } } },
  [`GET ${ROOT}/actions/permissions`]: { value: { enabled: true, allowed_actions: 'all' } },
  [`GET ${ROOT}/actions/permissions/workflow`]: { value: { default_workflow_permissions: 'read' } },
  [`GET ${ENVIRONMENT}`]: environment([TEAM], CUSTOM),
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
  made.write('.github/workflows/plan.yml', 'jobs: {}\n')
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
async function checksOf(routes: Routes) {
  const gh: Gh = async (method, path) => {
    const {
      value,
      status,
      message = ''
    } = routes[`${method} ${path.replace(/\?.*/, '')}`] ?? {
      status: 404
    }
    return status === undefined ? { value } : { status, reason: message }
  }
  return runChecks(repositoryChecks, {
    ...(await readSettings(gh, 'acme/wifi', 'production')),
    repository: 'acme/wifi',
    environmentName: 'production',
    files: new Map([['.github/workflows/adopt.yml', '']]),
    secrets: ['WLAN_SECRET_GUEST']
  })
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
      {},
      'pull requests',
      'note',
      'Allow GitHub Actions to create'
    ],
    [
      'no environment',
      { [`GET ${ENVIRONMENT}`]: { status: 404 } },
      'environment',
      'wrong',
      'production does not exist'
    ],
    [
      'an environment for all branches',
      { [`GET ${ENVIRONMENT}`]: environment([TEAM], null) },
      'environment',
      'wrong',
      'every branch'
    ],
    [
      'no reviewers',
      { [`GET ${ENVIRONMENT}`]: environment([], CUSTOM) },
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
      'required checks',
      'wrong',
      'wlans / Plan'
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
    expect(states).toEqual(expect.arrayContaining(['ok branch rules', 'ok required checks']))
  })

  it('reports remaining placeholders in the workflows', async () => {
    const { checks, made } = await onGithub(good)
    made.write('.github/workflows/plan.yml', `uses: example/x@${'0'.repeat(40)} # v0.1.0\n`)
    const { states, text } = await checks()
    expect(states['workflows']).toBe('wrong')
    expect(text).toContain('.github/workflows/plan.yml')
  })

  it.each([
    ['http://localhost:8080 # test', 'wrong'],
    ["'https://api.example.com/v2'", 'ok'],
    [`\${{ vars.ADDRESS }}`, undefined]
  ])('checks the address in the workflows: %s', async (address, state) => {
    const { checks, made } = await onGithub(good)
    made.write(
      '.github/workflows/plan.yml',
      `jobs:\n  wlans:\n    with:\n      base-url: ${address}\n`
    )
    const { states, text } = await checks()
    expect(states['address']).toBe(state)
    if (state === 'wrong') expect(text).toMatch(/localhost:8080 in .*plan\.yml is the machine/)
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
  const made_: Routes = { [`GET ${ENVIRONMENT}`]: environment([TEAM], CUSTOM) }
  const bare: Routes = {
    ...good,
    [`GET ${ROOT}/actions/permissions/workflow`]: {
      value: { default_workflow_permissions: 'write' }
    },
    [`PUT ${ROOT}/actions/permissions/workflow`]: {
      effects: {
        [`GET ${ROOT}/actions/permissions/workflow`]: {
          value: { default_workflow_permissions: 'read' }
        }
      }
    },
    [`GET ${ENVIRONMENT}`]: { status: 404 },
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
      [`GET ${ENVIRONMENT}`]: environment([{ type: 'User', reviewer: { id: 3 } }], null)
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
    ['git@github.com:acme/wifi.git', 'github.com', 'acme', 'wifi'],
    ['https://github.com/acme/wifi', 'github.com', 'acme', 'wifi'],
    ['https://user:secret@GitHub.com/acme/wi.fi.git/', 'github.com', 'acme', 'wi.fi'],
    ['ssh://git@ghe.example.com:2222/acme/wifi.git', 'ghe.example.com', 'acme', 'wifi']
  ])('%s is parsed', (url, host, owner, name) => {
    expect(parseRemote(url)).toEqual({ host, owner, name })
  })

  it.each(['/srv/git/wifi', '../wifi', 'https://github.com/acme', 'https://gitlab.com/a/b/c.git'])(
    '%s is rejected',
    url => {
      expect(parseRemote(url)).toBeUndefined()
    }
  )
})

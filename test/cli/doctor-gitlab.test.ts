import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from '../support/git.ts'
import { PSK, stage } from '../support/stage.ts'

const EXAMPLE = readFileSync(
  join(import.meta.dirname, '../../examples/gitlab/.gitlab-ci.yml'),
  'utf8'
).replace('example/wlanctl', 'acme/wlanctl')

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
      placeholders: 'ok',
      address: 'ok',
      'tokens in the file': 'ok',
      environment: 'ok',
      'one apply at a time': 'ok',
      'branch of apply': 'ok',
      ...UNSEEN
    })
    expect(code).toBe(0)
    expect(text).toContain('apply, apply-scheduled: in an environment')
    expect(text).toContain(
      'protected variables, protected environment, protected branch: cannot be seen without a token of GitLab'
    )
    expect(text).not.toContain(PSK)
  })

  const job = (more: string, variables = '{}') =>
    `variables: ${variables}\napply:\n  script: [wlanctl apply . --yes]\n${more}`
  const rules = (condition: string) => job(`  rules: [{ if: '${condition}' }]\n`)
  const branch = '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH'

  it.each<[string, string, string, 'ok' | 'note' | 'wrong']>([
    ['a placeholder', EXAMPLE.replace('acme/wlanctl', 'example/wlanctl'), 'placeholders', 'wrong'],
    [
      'the address of a machine',
      EXAMPLE.replace('https://api.mist.com', 'http://127.0.0.1:42577'),
      'address',
      'wrong'
    ],
    ['a quoted one', 'variables: { WLANCTL_BASE_URL: "http://[::1]:8" }\n', 'address', 'wrong'],
    ['no environment', job(''), 'environment', 'wrong'],
    ['an environment as a map', job('  environment: { name: x }\n'), 'environment', 'ok'],
    ['no resource group', job(''), 'one apply at a time', 'wrong'],
    ['a job of an included file', job('  extends: .x\n'), 'environment', 'note'],
    ['a resource group', job('  resource_group: x\n'), 'one apply at a time', 'ok'],
    ['no rules', job(''), 'branch of apply', 'note'],
    ['the default branch', rules(branch), 'branch of apply', 'ok'],
    ['a protected branch', rules('$CI_COMMIT_REF_PROTECTED == "true"'), 'branch of apply', 'ok'],
    ['another branch', rules(branch.replace('==', '!=')), 'branch of apply', 'note'],
    ['any of several', rules(`${branch} || $X`), 'branch of apply', 'note'],
    ['a token', job('', '{ WLANCTL_API_TOKEN: glpat-planted }'), 'tokens in the file', 'wrong'],
    [
      'a secret as a map',
      job('', '{ WLAN_SECRET_A: { value: glpat-planted } }'),
      'tokens in the file',
      'wrong'
    ],
    [
      'another variable',
      job('', '{ WLANCTL_API_TOKEN: $WLANCTL_WRITE_TOKEN }'),
      'tokens in the file',
      'ok'
    ],
    ['no job that applies', 'include: [{ local: a.yml }]\n', 'apply', 'note'],
    ['tags of GitLab', job('  rules: !reference [.x, rules]\n'), 'jobs', 'note'],
    ['merge keys', '.a: &a { environment: x }\napply: { <<: *a }\n', 'jobs', 'note'],
    ['a loop of extends', '.a: { extends: .b }\n.b: { extends: .a }\n', 'apply', 'note'],
    [
      'many loops of extends',
      `apply: { script: [wlanctl apply], extends: [${Array(40).fill('.a, apply').join(', ')}] }\n.a: { extends: apply }\n`,
      'environment',
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
    expect(inJob.text).toContain('GitLab: .gitlab-ci.yml')
    const { code, text } = await checked(EXAMPLE, {}, {}, '--apply --yes')
    expect({ code, text }).toEqual({
      code: 3,
      text: 'wlanctl: --apply makes settings on GitHub only\n'
    })
  })
})

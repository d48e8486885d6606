import { execFileSync } from 'node:child_process'
import { chmodSync, symlinkSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isSupported } from '../../src/cli/doctor/requirements.ts'
import { emptyRepository, git } from '../support/git.ts'
import { json, serve } from '../support/server.ts'
import { FLEET, PSK, type Stage, stage } from '../support/stage.ts'
import { tablesIn } from '../support/tables.ts'

/** The checks of doctor, as lines `state subject message`. */
async function checkup(
  { run }: Stage,
  change: Readonly<Record<string, string | undefined>> = {},
  line = 'doctor fleet'
) {
  const { code, stdout, stderr } = await run(`${line} --format json`, change)
  const { format, summary, checks } = JSON.parse(stdout)
  expect(format).toBe('wlanctl-checkup/1')
  expect(checks).toHaveLength(summary.ok + summary.notes + summary.wrong)
  expect(code).toBe(summary.wrong > 0 ? 1 : 0)
  const lines = checks.map(
    ({ state, about, said }: Record<string, string>) => `${state} ${about} ${said}`
  )
  return { code, checks, lines, text: stdout + stderr }
}

describe('doctor', () => {
  it('names the fleet in the command that lists its errors', async () => {
    const made = await stage()
    made.write('fleet/hq.yaml', 'sites: 5\n')
    const { text } = await checkup(made)
    expect(text).toContain('wlanctl validate fleet')
  })

  it('accepts a valid setup, with one request', async () => {
    const made = await stage()
    const { code, stdout, stderr } = await made.run('doctor fleet')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Checks \(\d+\)\n {2}ok {2,5}program {5}wlanctl 0\.1\.0 on Node/)
    for (const about of 'address TLS proxy token service limit fleet secrets'.split(' ')) {
      expect(stdout).toMatch(new RegExp(`^ {2}ok +(?:rate )?${about} `, 'm'))
    }
    expect(stdout).toMatch(/\nReady, 1 note\n$/)
    expect(made.methods()).toEqual(['GET'])
    expect(stdout).not.toContain(PSK)
    expect(stdout).not.toContain(made.simulator.token)
  })

  it.each<[about: string, change: Record<string, string | undefined>, line: string]>([
    [
      'no address',
      { WLANCTL_BASE_URL: undefined },
      'wrong address the address of the service is missing'
    ],
    ['no token', { WLANCTL_API_TOKEN: undefined }, 'wrong token the API token is missing'],
    ['an invalid token', { WLANCTL_API_TOKEN: 'nobody' }, 'wrong service GET '],
    ['TLS that is switched off', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'wrong TLS '],
    [
      'a missing secret',
      { WLAN_SECRET_GUEST: undefined },
      'wrong secrets 1 of 1 missing: WLAN_SECRET_GUEST'
    ]
  ])('reports %s, with a hint', async (_, change, line) => {
    const { code, checks, lines } = await checkup(await stage(), change)
    expect(code).toBe(1)
    expect(lines.some((each: string) => each.startsWith(line))).toBe(true)
    for (const check of checks) if (check.state === 'wrong') expect(check.todo).toMatch(/\w/)
  })

  it.each([
    [
      { WLANCTL_BASE_URL: undefined },
      'TLS, proxy, token: needs the address; service: needs the token'
    ],
    [{ WLANCTL_API_TOKEN: undefined }, 'service: needs the token']
  ])('notes once what cannot be checked: %o', async (change, said) => {
    const { lines } = await checkup(await stage(), change)
    expect(lines.filter((line: string) => line.startsWith('note not checked'))).toEqual([
      `note not checked ${said}`
    ])
  })

  it('checks each of several tokens', async () => {
    const made = await stage()
    const tokens = `nobody-at-all,${made.simulator.token}`
    const { lines, text } = await checkup(made, { WLANCTL_API_TOKEN: tokens })
    expect(lines).toContain('ok service token 2 of 2: lists the WLANs of hq')
    expect(lines.join('\n')).toContain('wrong service token 1 of 2: GET')
    expect(text).not.toContain('nobody-at-all')
  })

  it('prints the remaining rate limit if the service reports it', async () => {
    for (const [left, line] of [
      ['4999', 'ok rate limit 4,999 requests left'],
      ['0', 'wrong rate limit no request is left']
    ] as const) {
      const server = await serve(json([], { 'x-ratelimit-remaining': left }))
      onTestFinished(() => server.close())
      const { lines } = await checkup(await stage(), { WLANCTL_BASE_URL: server.url })
      expect(lines).toContain(line)
    }
  })

  it('checks the tokens of a fleet without a site, and says how to create a fleet', async () => {
    const made = await stage()
    made.write('empty/notes.txt', '')
    const { checks, lines } = await checkup(made, {}, 'doctor empty')
    expect(lines).toContain('ok service accepts the token')
    expect(lines).toContain('wrong fleet empty declares no site')
    expect(checks.find(({ about }: { about: string }) => about === 'fleet').todo).toContain(
      'import'
    )
    expect(made.simulator.requests).toMatchObject([{ path: '/api/v1/self/apitokens' }])
  })

  it('reports files that others can read, and secrets in git', async () => {
    const made = await stage()
    const { cwd, write } = made
    write('fleet/hq.yaml', FLEET.replace('$env: WLAN_SECRET_GUEST', '$file: guest'))
    write('secrets/guest', PSK, 0o644)
    write('token', made.simulator.token, 0o600)
    emptyRepository(cwd)
    git(cwd, 'add', 'token')
    const files = { WLANCTL_TOKEN_FILE: 'token', WLANCTL_SECRETS_DIR: 'secrets' }
    const change = { ...files, WLANCTL_API_TOKEN: undefined }
    const { lines } = await checkup(made, change)
    expect(lines).toContain('note file modes others on this machine can read guest in secrets')
    expect(lines).toContain('ok token from token, which only you can read')
    expect(lines.join('\n')).toContain('wrong git token is tracked by git')
    chmodSync(`${cwd}/token`, 0o644)
    chmodSync(`${cwd}/secrets/guest`, 0o600)
    const fixed = await checkup(made, change)
    expect(fixed.lines).toContain('ok file modes only you can read the secret files')
    expect(fixed.lines.join('\n')).toContain(
      'wrong token the token file token can be read by others'
    )
  })

  const WORKFLOW = '.github/workflows/wlanctl.yml'
  const PIPELINE = '.gitlab/wlanctl.yml'
  interface CiFiles {
    readonly workflow?: string
    readonly jobs?: string
    readonly pipeline?: string
    readonly lock?: string
    readonly said: readonly string[]
  }
  const tables = tablesIn<Readonly<Record<string, CiFiles>>>(import.meta.dirname, 'ci-files.yaml')

  it.each(Object.entries(tables))('reads the CI files of the repository: %s', async (_, row) => {
    const { workflow, jobs, pipeline, lock, said } = row
    const made = await stage()
    emptyRepository(made.cwd)
    if (workflow !== undefined) made.write(WORKFLOW, workflow)
    if (jobs !== undefined) made.write(PIPELINE, jobs)
    if (pipeline !== undefined) made.write('.gitlab-ci.yml', pipeline)
    const forge = jobs === undefined ? 'github' : 'gitlab'
    const packages = lock === '' ? {} : { 'node_modules/wlanctl': { version: lock } }
    const locked = `.${forge}/wlanctl/package-lock.json`
    if (lock !== undefined) made.write(locked, JSON.stringify({ packages }))
    const { checks } = await checkup(made)
    const found = checks.filter(({ about }: { about: string }) => about === 'CI files')
    expect(found).toHaveLength(said.length)
    for (const [at, { state, said: text, todo }] of found.entries()) {
      expect(`${state} ${text}`).toContain(said[at])
      expect(todo === undefined).toBe(state !== 'wrong' && !/secret/.test(text))
    }
  })

  it('hangs on no pipe, and follows no link', async () => {
    const made = await stage()
    made.write('elsewhere', 'a: {}\n')
    made.write(`${WORKFLOW}.other`, '')
    made.write(`${PIPELINE}.other`, '')
    execFileSync('mkfifo', [`${made.cwd}/${WORKFLOW}`])
    symlinkSync(`${made.cwd}/elsewhere`, `${made.cwd}/${PIPELINE}`)
    emptyRepository(made.cwd)
    const { lines } = await checkup(made)
    expect(lines.filter((line: string) => line.includes('CI files'))).toEqual([
      `wrong CI files ${WORKFLOW} cannot be read: it is a pipe, not a regular file`,
      `wrong CI files ${PIPELINE} is a link: CI needs the file itself`
    ])
  })

  it.each([
    ['v20.19.0', true],
    ['v20.18.3', false],
    ['v22.11.0', false],
    ['v24.0.0', true]
  ])('compares Node %s with the supported versions: %s', (version, supported) => {
    expect(isSupported(version)).toBe(supported)
  })
})

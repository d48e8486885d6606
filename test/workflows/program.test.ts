import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from '../support/git.ts'
import { desk } from './fake/script.ts'

describe('apply.sh', () => {
  it('passes the secrets of WLANs to the program, and no other secrets', async () => {
    const { run, program } = desk()
    program(`const { PATH, HOME, ...env } = process.env; console.log(JSON.stringify(env))`)
    const secrets = {
      WLAN_SECRET_GUEST: 'a "quoted"\n$(two) lines',
      WLAN_SECRET_EMPTY: '',
      WLANCTL_API_TOKEN: 'as-a-secret',
      'WLAN_SECRET_X; id': 'no name',
      github_token: 'as-github'
    }
    const { log } = await run('scripts/apply.sh', { FLEET: '.', SECRETS: JSON.stringify(secrets) })
    const env = JSON.parse(log.split('\n')[0] ?? '')
    expect(env).toMatchObject({
      WLAN_SECRET_GUEST: secrets.WLAN_SECRET_GUEST,
      WLAN_SECRET_EMPTY: ''
    })
    expect(
      Object.keys(env)
        .filter(name => /SECRET|TOKEN|github/.test(name))
        .sort()
    ).toEqual(['GH_TOKEN', 'WLAN_SECRET_EMPTY', 'WLAN_SECRET_GUEST'])
  })

  it('fails if the secrets cannot be read', async () => {
    const { run, program } = desk()
    program(`console.log('applied')`)
    const result = await run('scripts/apply.sh', { FLEET: '.', SECRETS: 'planted-secret' })
    expect(result.code).not.toBe(0)
    expect(result.log).not.toMatch(/applied|planted/)
  })

  it('passes only the named variables to the secrets command, and none that changes the program', async () => {
    const { run, program } = desk()
    program(`const { VAULT_TOKEN, OTHER, NODE_OPTIONS } = process.env
      console.log(JSON.stringify([VAULT_TOKEN, OTHER, NODE_OPTIONS, ...process.argv.slice(-4, -2)]))`)
    const secrets = { VAULT_TOKEN: 'login', OTHER: 'other', NODE_OPTIONS: '--no-such-option' }
    const { log } = await run('scripts/apply.sh', {
      FLEET: '.',
      OPTIONS: '--secrets-command=vault kv get\n\n--verify-timeout=60\n',
      SECRETS: JSON.stringify(secrets),
      SECRETS_FOR_COMMAND: 'VAULT_TOKEN, NODE_OPTIONS'
    })
    expect(JSON.parse(log.split('\n')[0] ?? '')).toEqual([
      'login',
      null,
      null,
      '--secrets-command=vault kv get',
      '--verify-timeout=60'
    ])
  })

  it('approves with the plan of the pull request if there is one', async () => {
    const { run, program, write } = desk()
    program('console.log(JSON.stringify(process.argv.slice(2)))')
    const env = { FLEET: '-fleet', SECRETS: '{}' }
    const without = JSON.parse((await run('scripts/apply.sh', env)).log.split('\n')[0] ?? '')
    expect(without).not.toContain('--plan')
    expect(without.slice(-2)).toEqual(['--', '-fleet'])
    const plan = write('temp/approval/7/plan.json', '{}')
    const words = JSON.parse((await run('scripts/apply.sh', env)).log.split('\n')[0] ?? '')
    expect(words[words.indexOf('--plan') + 1]).toBe(plan)
  })
})

describe('plan.sh', () => {
  it.each([
    ['all', '--base'],
    ['changed', '--changed-since']
  ])('with the scope %s compares with %s', async (SCOPE, option) => {
    const { run, program, write, cwd } = desk()
    write('checkout/file', '')
    repository(cwd)
    program('console.log(JSON.stringify(process.argv.slice(2)))')
    const env = { FLEET: '.', BASE: 'HEAD', SCOPE, OPTIONS: '--parallelism=20' }
    const { log } = await run('scripts/plan.sh', env)
    const words: string[] = JSON.parse(log.split('\n')[0] ?? '')
    expect(words[words.indexOf(option) + 1]).toBe('HEAD')
    expect(words.slice(-3)).toEqual(['--parallelism=20', '--', '.'])
  })
})

describe('drift.sh', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 0],
    [3, 3],
    [5, 5]
  ])('ends with the exit code of the program: %i, then %i', async (code, ends) => {
    const { run, program } = desk()
    program(`process.exit(${code})`)
    expect(await run('scripts/drift.sh', { FLEET: '.' })).toMatchObject({
      code: ends,
      outputs: { 'exit-code': String(code) }
    })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('passes the signal %s to the program', async signal => {
    const { start, program } = desk()
    program(`process.on('SIGTERM', () => setTimeout(() => process.exit(130), 50))
      setInterval(() => undefined, 1000)
      console.log('ready')`)
    const running = start('scripts/drift.sh', { FLEET: '.' })
    await running.until(/ready/)
    running.signal(signal)
    expect(await running.ended).toMatchObject({ code: 130 })
  })

  it('keeps the earlier reports until a newer one has read every site', async () => {
    const { run, program, write, read } = desk()
    const report = (name: string, sites_failed: number) =>
      JSON.stringify({
        name,
        summary: { changed: 0, blocked: 0, sites_failed },
        findings: [],
        changes: []
      })
    const stored = () =>
      ['drift', 'drift-1', 'drift-2', 'drift-3'].flatMap(name => {
        const path = `temp/results/stored/${name}.json`
        return existsSync(join(temp, '..', path)) ? JSON.parse(read(path)).name : []
      })
    const temp = dirname(write('temp/file', ''))
    const check = async (today?: string) => {
      rmSync(join(temp, 'results'), { recursive: true, force: true })
      program(`const { writeFileSync } = require('node:fs')
        const of = name => process.argv.find(word => word.startsWith(name + '=')).slice(name.length + 1)
        const today = ${JSON.stringify(today ?? null)}
        if (today === null) process.exit(1)
        writeFileSync(of('json'), today)
        writeFileSync(of('markdown'), '### Drift')`)
      await run('scripts/drift.sh', { FLEET: '.' })
      return stored()
    }
    write('temp/snapshot/drift.json', report('tuesday', 1))
    write('temp/snapshot/drift-1.json', report('monday', 0))
    write('temp/snapshot/drift-2.json', report('sunday', 1))
    expect(await check(report('today', 0))).toEqual(['today'])
    expect(await check(report('today', 1))).toEqual(['today', 'tuesday', 'monday'])
    // After an incomplete check, every required report is kept.
    expect(await check()).toEqual(['tuesday', 'monday'])
  })

  it('uses an earlier report if there is one, otherwise a snapshot', async () => {
    const { run, program, write } = desk()
    program('console.log(JSON.stringify(process.argv.slice(2)))')
    const since = async () => {
      const { log } = await run('scripts/drift.sh', { FLEET: '.' })
      const words: string[] = JSON.parse(log.split('\n')[0] ?? '')
      return words.includes('--since') ? words[words.indexOf('--since') + 1] : undefined
    }
    expect(await since()).toBeUndefined()
    const snapshot = write('temp/snapshot/snapshot.json', '{}')
    expect(await since()).toBe(snapshot)
    const report = write('temp/snapshot/drift.json', '{}')
    expect(await since()).toBe(report)
  })
})

describe('summary.sh', () => {
  it('prints counts and a digest, and nothing else that a plan contains in their place', async () => {
    const { run, write } = desk()
    const digest = `sha256:${'a'.repeat(64)}`
    const summary = { changed: 3, blocked: '1\nexit-code=0', sites_failed: { x: 1 } }
    write(
      'temp/results/plan.json',
      JSON.stringify({ summary, digest: `${digest}\nfound<<x\n1\nx` })
    )
    const { outputs } = await run('scripts/summary.sh')
    const verdict = 'The run ended without a report'
    expect(outputs).toEqual({ verdict, changed: '3', blocked: '', 'sites-failed': '', digest: '' })
  })

  it('prints the note about the run before its report', async () => {
    const { run, write, read } = desk()
    write('temp/results/summary.md', '# Plan\n')
    await run('scripts/summary.sh', { INTRODUCTION: 'From a fork.' })
    expect(read('summary')).toBe('From a fork.\n\n# Plan\n')
  })
})

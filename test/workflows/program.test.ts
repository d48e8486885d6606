import { describe, expect, it } from 'vitest'
import { desk } from './fake/script.ts'

describe('apply.sh', () => {
  it('gives the program the secrets of WLANs, and of all the others none', async () => {
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

  it('is given up where the secrets cannot be read', async () => {
    const { run, program } = desk()
    program(`console.log('applied')`)
    const result = await run('scripts/apply.sh', { FLEET: '.', SECRETS: 'planted-secret' })
    expect(result.code).not.toBe(0)
    expect(result.log).not.toMatch(/applied|planted/)
  })

  it('approves with the plan of the pull request, if there is one', async () => {
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

describe('drift.sh', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 0],
    [3, 3],
    [5, 5]
  ])('the program ended with %i, the step with %i', async (code, ends) => {
    const { run, program } = desk()
    program(`process.exit(${code})`)
    expect(await run('scripts/drift.sh', { FLEET: '.' })).toMatchObject({
      code: ends,
      outputs: { 'exit-code': String(code) }
    })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('passes a cancel on: %s', async signal => {
    const { start, program } = desk()
    program(`process.on('SIGTERM', () => setTimeout(() => process.exit(130), 50))
      setInterval(() => undefined, 1000)
      console.log('ready')`)
    const running = start('scripts/drift.sh', { FLEET: '.' })
    await running.until(/ready/)
    running.signal(signal)
    expect(await running.ended).toMatchObject({ code: 130 })
  })

  it('goes by an earlier report where there is one, else by a snapshot', async () => {
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
  it('gives counts and a digest, and nothing that a plan may have in their places', async () => {
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

  it('puts what is said of the run before its report', async () => {
    const { run, write, read } = desk()
    write('temp/results/summary.md', '# Plan\n')
    await run('scripts/summary.sh', { INTRODUCTION: 'From a fork.' })
    expect(read('summary')).toBe('From a fork.\n\n# Plan\n')
  })
})

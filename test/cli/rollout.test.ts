import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, startCommand } from '../support/program.ts'
import { stage } from '../support/stage.ts'

const idOf = (kind: number, n: number) =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const names = ['hq', 'a b', 's2']

/** A stage of three sites with one change each, `check.sh` as the check, and settings of the rollout. */
async function rollout(check = '#!/bin/sh\nexit 0\n', settings = '') {
  const made = await stage({
    sites: names.map((name, n) => ({
      id: idOf(1, n),
      name,
      wlans: [{ id: idOf(2, n), ssid: 'Guest', enabled: true, vlan_enabled: true, vlan_id: 10 }]
    }))
  })
  const sites = names.map((name, n) => `  - { id: ${idOf(1, n)}, name: ${name} }\n`)
  made.write(
    'fleet/hq.yaml',
    `sites:\n${sites.join('')}wlans: { guest: { ssid: Guest, vlan_id: 11 } }
policy: { rollout: { waves: [{ canary: hq }, { next: a* }], ${settings} } }\n`
  )
  made.write('check.sh', check, 0o755)
  return made
}

const line = 'apply fleet --yes --format json --check ./check.sh'

function statuses(stdout: string): string[] {
  return JSON.parse(stdout).outcomes.map(({ status }: { status: string }) => status)
}

/** The state of a process from `ps`: empty if it is gone, `Z…` for a zombie. */
async function stateOf(pid: string): Promise<string> {
  const words = ['-o', 'stat=', '-p', pid]
  return (await startCommand('ps', words, { cwd: folder() }).ended).stdout.trim()
}

describe('apply --check', () => {
  it('gets the wave and its sites, and no secret', async () => {
    const { run, cwd, read, env } = await rollout(
      '#!/bin/sh\n{ echo "[$WLANCTL_WAVE]"; cat; } >> log\nenv > "env.$WLANCTL_WAVE"\n'
    )
    const ended = await run(`${line} --secret-prefix SEALED_`, {
      WLAN_SECRET_OTHER: 'planted-secret-of-another',
      SEALED_PSK: 'planted-secret-of-a-prefix',
      WLANCTL_WAVE: 'outer',
      KEPT: 'as it is'
    })
    expect(ended).toMatchObject({ code: 0 })
    for (const wave of ['the wave canary', 'the wave next', 'the last wave'])
      expect(ended.stderr).toContain(`wlanctl: checking ${wave}\n`)
    expect(read('log')).toBe(
      `[canary]\n${idOf(1, 0)}\thq\n[next]\n${idOf(1, 1)}\ta b\n[]\n${idOf(1, 2)}\ts2\n`
    )
    for (const wave of ['canary', 'next', '']) {
      expect(existsSync(join(cwd, `env.${wave}`))).toBe(true)
      const seen = read(`env.${wave}`)
      expect(seen).toContain('KEPT=as it is\n')
      expect(seen).not.toContain('outer')
      expect(seen).not.toMatch(/planted|SECRET|API_TOKEN/)
      expect(seen).not.toContain(env['WLANCTL_API_TOKEN'])
    }
  })

  const dump = '#!/bin/sh\nenv > env\n'

  it('gets no token and no secret under another name', async () => {
    const { run, read, env } = await rollout(dump)
    const token = env['WLANCTL_API_TOKEN'] ?? ''
    const ended = await run(line, {
      WLANCTL_API_TOKEN: `${token},second-token-of-the-account`,
      WLANCTL_WRITE_TOKEN: token,
      SECOND: 'second-token-of-the-account',
      BOTH: `${token},second-token-of-the-account`,
      SECRETS: JSON.stringify({ WLANCTL_API_TOKEN: token }),
      WLAN_SECRET_GUEST: 'planted-psk-of-the-lobby',
      GUEST_PSK: 'planted-psk-of-the-lobby',
      WLAN_SECRET_SHORT: 'lab',
      SHORT: 'lab',
      WLAN_SECRET_EMPTY: '',
      EMPTY: '',
      LABEL: 'the label of this job',
      WLANCTL_READ_TOKEN: 'a-token-that-can-read'
    })
    expect(ended).toMatchObject({ code: 0 })
    const seen = read('env')
    expect(seen).not.toContain(token)
    expect(seen).not.toMatch(/second-token|planted|^(?:GUEST_PSK|SHORT|WLANCTL_WRITE_TOKEN)=/m)
    for (const kept of ['LABEL=the label of', 'EMPTY=\n', 'WLANCTL_READ_TOKEN=a-token-that']) {
      expect(seen).toContain(kept)
    }
  })

  it('gets no credentials of a forge, whatever the name or the form', async () => {
    const { run, read, env } = await rollout(dump)
    const token = env['WLANCTL_API_TOKEN'] ?? ''
    const forge = 'forge-token-of-the-job'
    const basic = (text: string) => Buffer.from(text).toString('base64')
    const hidden = {
      ...{ WLANCTL_FORGE_TOKEN: forge, GITHUB_TOKEN: 'github-token', CI_JOB_TOKEN: 'job-token' },
      ...{ CI_REGISTRY_PASSWORD: 'registry-password', REGISTRY: 'https://x:registry-password@a' },
      ...{ OTHER: forge, URL: `https://oauth2:${forge}@forge.example/` },
      ...{ HEADER: `Basic ${basic(`x-access-token:${forge}`)}`, TWO: basic(`ab${token}z`) },
      ...{ ENCODED: encodeURIComponent('pa/ss word+1'), WLAN_SECRET_LAB: 'pa/ss word+1' }
    }
    expect(await run(line, { ...hidden, KEPT: basic('as it is') })).toMatchObject({ code: 0 })
    const names = read('env').match(/^\w+(?==)/gm) ?? []
    expect(names).toContain('KEPT')
    expect(names.filter(name => name in hidden)).toEqual([])
  })

  it.each([
    ['a flag', ' --token-file token', {}],
    ['a variable', '', { WLANCTL_TOKEN_FILE: 'token' }]
  ])('gets no content of a token file that %s names', async (_, words, change) => {
    const { run, read, write, env } = await rollout(dump)
    const token = env['WLANCTL_API_TOKEN'] ?? ''
    write('token', `${token}\n`, 0o600)
    const ended = await run(`${line}${words}`, {
      ...change,
      WLANCTL_API_TOKEN: undefined,
      WRITE_TOKEN_FILE: 'token',
      WRITE_TOKEN: token,
      WLANCTL_SECRETS_DIR: '.',
      KEPT: 'as it is'
    })
    expect(ended).toMatchObject({ code: 0 })
    const seen = read('env')
    expect(seen).toContain('KEPT=as it is\n')
    expect(seen).not.toContain(token)
    expect(seen).not.toMatch(/TOKEN|SECRETS_DIR/)
  })

  it('prints its output on stderr, line by line and escaped', async () => {
    const { run } = await rollout(
      `#!/bin/sh\nprintf 'fine\\r\\n::error::x \\033[31mred\\n##[group]\\n\\nlast' ; echo aside >&2\n`
    )
    const { code, stderr, stdout } = await run(line)
    expect(code).toBe(0)
    expect(statuses(stdout)).toEqual(['applied', 'applied', 'applied'])
    const said = stderr.split('\n').filter(text => text.startsWith('check: '))
    expect(said.sort()).toEqual(
      [
        'check: ',
        'check: #\\u{23}[group]',
        'check: ::error::x \\u{1b}[31mred',
        'check: aside',
        'check: fine',
        'check: last'
      ].flatMap(text => [text, text, text])
    )
  })

  it('that fails after the last wave exits 5, though all changes are applied', async () => {
    const { run } = await rollout('#!/bin/sh\n[ -n "$WLANCTL_WAVE" ]\n')
    const { code, stdout } = await run(line.replace(' --format json', ''))
    expect(code).toBe(5)
    expect(stdout).toMatch(
      /\nFailed: last wave: the check ended with exit code 1\nApply: 3 applied\n$/
    )
  })

  it.each([
    ['takes too long', 'sleep 60 & echo $! > left; wait', 'the check took longer than 1 s'],
    [
      'ignores the signal to end',
      'trap "" TERM; sleep 60 & echo $! > left; wait',
      'took longer than 1 s'
    ],
    ['is killed', 'kill -KILL $$', 'the check ended '],
    ['is missing', 'exec ./nothing', 'the check ended with exit code 127']
  ])('that %s fails', async (_, check, reason) => {
    const { run, cwd, read } = await rollout(`#!/bin/sh\n${check}\n`, 'check_timeout: 1')
    const { code, stdout } = await run(line)
    expect(code).toBe(5)
    expect(JSON.parse(stdout).failed_wave).toContain(reason)
    if (existsSync(join(cwd, 'left')))
      expect(await stateOf(read('left').trim())).toMatch(/^(?:$|Z)/)
  })

  it('ends with its process, even if a child process keeps its output open', async () => {
    const { run, read } = await rollout('#!/bin/sh\nsleep 60 & echo $! >> left\nexit 0\n')
    expect(await run(line)).toMatchObject({ code: 0 })
    for (const left of read('left').trim().split('\n')) process.kill(Number(left))
  })

  it('runs once where there are no waves', async () => {
    const { run, write, read } = await rollout('#!/bin/sh\necho "[$WLANCTL_WAVE]"; cat; exit 3\n')
    write('fleet/hq.yaml', read('fleet/hq.yaml').replace(/policy: .*/, ''))
    const { code, stdout, stderr } = await run(line)
    expect(code).toBe(5)
    expect(JSON.parse(stdout).failed_wave).toBe('the check ended with exit code 3')
    expect(statuses(stdout)).toEqual(['applied', 'applied', 'applied'])
    expect(stderr.split('\n').filter(text => /check/.test(text))).toEqual([
      'wlanctl: checking the applied changes',
      'check: []',
      `check: ${idOf(1, 1)}\\ta b`,
      `check: ${idOf(1, 0)}\\thq`,
      `check: ${idOf(1, 2)}\\ts2`
    ])
  })

  it('can be set by the environment, and not by the fleet', async () => {
    const { run, write, read } = await rollout()
    expect(
      await run(line.replace(' --check ./check.sh', ''), { WLANCTL_CHECK: 'false' })
    ).toMatchObject({ code: 5 })
    write('fleet/hq.yaml', read('fleet/hq.yaml').replace('rollout:', 'check: "true", rollout:'))
    expect(await run('validate fleet')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('UNKNOWN_KEY')
    })
  })

  it('is stopped by an interrupt, and the rest is skipped', async () => {
    const { start, read, cwd } = await rollout(
      '#!/bin/sh\ntrap "echo ended >> log; exit 0" TERM\necho begun\nsleep 60 & wait\n'
    )
    const running = start(`${line} --record r.jsonl`)
    await running.until(/check: begun/)
    running.signal('SIGINT')
    const { code, stdout } = await running.ended
    expect(code).toBe(130)
    expect(read('r.jsonl')).toMatch(/"step":"wave-ends",.*"problem":"interrupted"/)
    expect(statuses(stdout)).toEqual(['skipped', 'applied', 'skipped'])
    expect(JSON.parse(stdout).outcomes[0].reason).toBe('interrupted')
    expect(existsSync(join(cwd, 'log')) && read('log')).toBe('ended\n')
  })
})

describe('policy.rollout.pause', () => {
  it('prints its end; an interrupt ends it, and the rest is skipped', async () => {
    const { start, simulator } = await rollout(undefined, 'pause: 600')
    const running = start('apply fleet --yes --format json --record r.jsonl')
    await running.until(
      /wlanctl: the wave canary is good; continuing with the wave next at \d\d:\d\d:\d\d UTC\n/
    )
    running.signal('SIGINT')
    const { code, stdout } = await running.ended
    expect(code).toBe(130)
    expect(statuses(stdout)).toEqual(['skipped', 'applied', 'skipped'])
    expect(simulator.history).toHaveLength(1)
  })
})

describe('a rollout', () => {
  it('is part of the confirmation', async () => {
    const { startOnScreen, simulator } = await rollout()
    const running = startOnScreen('apply fleet')
    await running.until(/Apply these 3 changes, in 3 waves\? Enter "yes" to confirm/)
    running.type('no\n')
    expect(await running.ended).toMatchObject({ code: 4 })
    expect(simulator.history).toEqual([])
  })

  it('is in the record, and printed with it; revert has no waves', async () => {
    const { run, simulator } = await rollout('#!/bin/sh\n[ "$WLANCTL_WAVE" != next ]\n')
    await run(`${line} --record r.jsonl`)
    const shown = await run('show r.jsonl')
    expect(shown.stdout).toMatch(
      /\n {2}canary {2}1 change {2}.* to .* UTC\n {2}next {4}1 change {2}.* to .* UTC: the check ended with exit code 1\n/
    )
    expect(
      JSON.parse((await run('show r.jsonl --format json')).stdout).runs[0].waves
    ).toMatchObject([
      { name: 'canary', changes: 1 },
      { name: 'next', changes: 1, problem: 'the check ended with exit code 1' }
    ])
    const reverted = await run('revert r.jsonl --yes', { WLANCTL_CHECK: 'false' })
    expect(reverted).toMatchObject({ code: 0 })
    expect(simulator.history).toHaveLength(4)
  })
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { askCommand } from '../../src/cli/secrets-command.ts'
import type { Io } from '../../src/cli/terminal/io.ts'
import { GUEST, HQ } from '../simulator/simulate.ts'
import { Collector, wlanctl } from '../support/program.ts'
import { PSK, type Stage, stage } from '../support/stage.ts'

const VAULT = 'VAULT_TOKEN'
const ASK = '--secrets-command ./ask'

/** Unsets the variable: only the command provides the secret. */
const unset = { WLAN_SECRET_GUEST: undefined }

function without({ WLAN_SECRET_GUEST: _, ...others }: Stage['env']): Stage['env'] {
  return others
}

/** A stage with a command that logs its input, and runs these lines of shell. */
async function asking(script: string, options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const made = await stage(options)
  made.write('ask', `#!/bin/sh\ncat >>asked\n${script}\n`, 0o755)
  return made
}

const answering = (values: object) => `cat <<'END'\n${JSON.stringify(values)}\nEND`

const asked = ({ cwd, read }: Stage) =>
  existsSync(join(cwd, 'asked')) ? read('asked').split('\n').slice(0, -1) : []

const fleet = (references: readonly string[], more = '') =>
  `site: { id: ${HQ}, name: hq }\nwlans:\n${references
    .map(
      (reference, n) =>
        `  w${n}: { ssid: ${n === 0 ? 'Guest' : `W${n}`}, auth: { psk: { ${reference} } }${more} }\n`
    )
    .join('')}`

describe('--secrets-command', () => {
  it('provides the secrets that the environment lacks, in one call', async () => {
    const made = await asking(answering({ WLAN_SECRET_GUEST: PSK, WLAN_SECRET_EXTRA: 'extra' }))
    const names = ['GUEST', 'B', 'A', 'GUEST', 'SET'].map(name => `$env: WLAN_SECRET_${name}`)
    made.write('fleet/hq.yaml', fleet([...names, '$file: f']))
    const { stdout } = await made.run(`plan fleet --format json ${ASK}`, {
      ...unset,
      WLAN_SECRET_SET: 'of the environment',
      WLAN_SECRET_B: ''
    })
    const all = ['WLAN_SECRET_A', 'WLAN_SECRET_B', 'WLAN_SECRET_GUEST']
    expect(asked(made)).toEqual([JSON.stringify({ names: all })])
    const { changes, findings } = JSON.parse(stdout)
    expect(changes.map(({ address }: { address: string }) => address)).toEqual(['hq/w0'])
    const unresolved = findings.filter(({ code }: { code: string }) => code === 'SECRET_UNRESOLVED')
    expect(unresolved.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining('WLAN_SECRET_B" is not available: the variable is not set, and the'),
      expect.stringContaining('WLAN_SECRET_A" is not available'),
      expect.stringContaining('$file: f" is not available')
    ])
  })

  it('provides the secrets for apply and drift', async () => {
    const made = await asking(answering({ WLAN_SECRET_GUEST: PSK }))
    const change = { ...unset, WLANCTL_SECRETS_COMMAND: './ask' }
    expect(await made.run('apply fleet --yes --wlan guest', change)).toMatchObject({ code: 0 })
    expect(made.simulator.record(HQ, GUEST)).toMatchObject({ auth: { psk: PSK } })
    expect(await made.run('drift fleet --wlan guest', change)).toMatchObject({ code: 0 })
    expect(asked(made)).toHaveLength(2)
  })

  it('does not override the environment', async () => {
    const made = await asking(answering({ WLAN_SECRET_GUEST: 'another-psk' }))
    await made.run(`apply fleet --yes ${ASK}`)
    expect(made.simulator.record(HQ, GUEST)).toMatchObject({ auth: { psk: PSK } })
    expect(asked(made)).toEqual([])
  })

  it.each([
    ['validate fleet', fleet(['$env: WLAN_SECRET_X']), 0],
    [`plan fleet ${ASK} --wlan corp`, undefined, 0],
    [`plan fleet ${ASK}`, fleet(['$env: WLAN_SECRET_X'], ', dtim: x'), 3],
    [`plan fleet ${ASK}`, fleet(['$env: WLANCTL_API_TOKEN']), 3],
    [`plan fleet ${ASK}`, fleet(['$env: HOME']), 3],
    [`plan fleet ${ASK}`, fleet(['$env: WLAN_SECRET_X']).replace('psk:', 'type:'), 3],
    [`plan fleet ${ASK} --site nowhere`, undefined, 3]
  ])('is not run by %s', async (line, yaml, code) => {
    const made = await asking(answering({ WLAN_SECRET_X: 'x' }))
    if (yaml !== undefined) made.write('fleet/hq.yaml', yaml)
    const ended = await made.run(line, { ...unset, WLANCTL_SECRETS_COMMAND: './ask' })
    expect(ended).toMatchObject({ code })
    expect(asked(made)).toEqual([])
  })

  it('is not run by a plan on a snapshot', async () => {
    const made = await asking('exit 1')
    await made.run('snapshot fleet --out s.json')
    const change = { ...unset, WLANCTL_SECRETS_COMMAND: './ask' }
    expect(await made.run('plan fleet --against s.json', change)).toMatchObject({ code: 0 })
    expect(asked(made)).toEqual([])
  })

  it('leaves missing secrets unresolved: apply refuses', async () => {
    const made = await asking(answering({ WLAN_SECRET_GUEST: null, __proto__: 'x' }))
    const { code, stderr } = await made.run(`apply fleet --yes ${ASK}`, unset)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('missing secret') })
    expect(made.methods()).toEqual(['GET'])
  })

  it('validates each value like any secret', async () => {
    const made = await asking(answering({ WLAN_SECRET_GUEST: 'sh0rt!' }))
    const { code, stderr } = await made.run(`plan fleet ${ASK}`, unset)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('SECRET_INVALID') })
    expect(stderr).not.toContain('sh0rt!')
  })

  it.each<[what: string, script: string, message: string]>([
    ['an exit code', 'exit 4', 'the secrets command ended with exit code 4'],
    ['a signal', 'kill -9 $$', 'the secrets command ended by SIGKILL'],
    ['no output', '', 'the secrets command wrote no JSON object'],
    ['a text', 'echo WLAN_SECRET_GUEST=planted-psk', 'the secrets command wrote no JSON object'],
    ['a list', 'echo "[]"', 'the secrets command wrote no JSON object'],
    ['null', 'echo null', 'the secrets command wrote no JSON object'],
    [
      'bytes',
      `printf '{"WLAN_SECRET_GUEST": "\\377"}'`,
      'the secrets command wrote no JSON object'
    ],
    ['a number', answering({ WLAN_SECRET_GUEST: 12345678 }), 'expected a string for'],
    ['a list of them', answering({ WLAN_SECRET_GUEST: ['x'] }), 'expected a string for'],
    ['endless output', 'yes planted-psk', 'the secrets command wrote more than 16 MiB']
  ])('fails the run in one line after %s', async (_what, script, message) => {
    const made = await asking(script)
    const { code, stdout, stderr } = await made.run(`plan fleet ${ASK}`, unset)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^wlanctl: .*${message}`))
    expect(stderr).not.toMatch(/planted-psk|12345678/)
    expect(made.methods()).toEqual([])
  })

  it.each([
    ['./nowhere', 'the secrets command could not be started: spawn ./nowhere ENOENT'],
    ['./fleet', 'the secrets command could not be started: spawn ./fleet EACCES']
  ])('reports the program %s that cannot be started', async (program, message) => {
    const made = await asking('')
    const { code, stderr } = await made.run(`plan fleet --secrets-command ${program}`, unset)
    expect({ code, stderr }).toEqual({ code: 3, stderr: `wlanctl: ${message}\n` })
  })

  it('runs without a shell', async () => {
    const made = await asking(`printf '{"WLAN_SECRET_GUEST": "%s"}' "$1$2"`)
    const argv = [
      'plan',
      'fleet',
      '--format',
      'json',
      '--secrets-command',
      `./ask 'a b$(id)' "| *"`
    ]
    const { stdout } = await wlanctl(argv, { ...made, env: without(made.env) })
    expect(JSON.parse(stdout).changes).toHaveLength(2)
    argv.splice(-1, 1, './ask | cat')
    const refused = await wlanctl(argv, made)
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('needs a shell') })
  })

  it('prints its messages without the secrets in them', async () => {
    const secret = { WLAN_SECRET_GUEST: `${PSK}\nsecond line`, other: { deep: ['extra-secret'] } }
    const made = await asking(`printf '%s\\n' "$1" "$1" >&2\n${answering(secret)}\n`)
    const { token } = made.simulator
    const words = `A ${PSK},second line,extra-secret,of-the-environment,${token},\u001b[31m`
    const env = { ...made.env, WLAN_SECRET_GUEST: '', WLAN_SECRET_SET: 'of-the-environment' }
    const argv = ['plan', 'fleet', '--secrets-command', `./ask '${words}'`]
    const { stderr } = await wlanctl(argv, { cwd: made.cwd, env })
    const line = `secrets command: A ${'(secret),'.repeat(5)}\\u{1b}[31m\n`
    expect(stderr).toContain(line + line)
    const quiet = await wlanctl([...argv, '--quiet'], { cwd: made.cwd, env })
    expect(quiet.stderr).not.toContain('secrets command:')
  })

  const leaking = `echo "+ v=$1" >&2; echo "vault: value $1 is wrong" >&2`
  const leakingScripts: readonly (readonly [what: string, script: string, code: number])[] = [
    ['fails', `${leaking}\nexit 1`, 3],
    ['fails with an answer', `${leaking}\nprintf '{"WLAN_SECRET_GUEST": "%s"}' "$1"\nexit 1`, 3],
    ['writes no JSON', `${leaking}\necho "A=$1"`, 3],
    ['writes a list of values', `${leaking}\necho '{"WLAN_SECRET_GUEST": ["x"]}'`, 3],
    ['has no value', `${leaking}\n${answering({})}`, 0]
  ]

  it.each(leakingScripts)('that %s: its messages are counted', async (_what, script, code) => {
    const made = await asking(script)
    const argv = ['plan', 'fleet', '--secrets-command', './ask planted-psk']
    for (const more of [[], ['--verbose']]) {
      const ended = await wlanctl([...argv, ...more], { ...made, env: without(made.env) })
      expect(ended.code).toBe(code)
      expect(ended.stdout + ended.stderr).not.toContain('planted')
      expect(ended.stderr).toContain(
        'secrets command: 2 lines on stderr not shown, since a secret may be among them; --verbose'
      )
    }
  })

  it.each(leakingScripts)(
    'that %s: a terminal shows them with --verbose',
    async (_what, script) => {
      const made = await asking(script)
      const argv = ['plan', 'fleet', '--secrets-command', './ask planted-psk']
      const shown = async (...more: readonly string[]) => {
        const terminal = Object.assign(new Collector(), { isTTY: true })
        const env = without(made.env)
        await wlanctl([...argv, '--no-color', ...more], { ...made, env }, { stderr: terminal })
        return terminal.text
      }
      expect(await shown('--verbose')).toContain('secrets command: vault: value ')
      expect(await shown()).not.toContain('vault: value')
    }
  )

  it.each(leakingScripts.slice(1, 3))(
    'that %s: known values are redacted',
    async (_what, script) => {
      const made = await asking(script)
      const terminal = Object.assign(new Collector(), { isTTY: true })
      const argv = ['plan', 'fleet', '--verbose', '--secrets-command', './ask planted-psk']
      await wlanctl(argv, { ...made, env: without(made.env) }, { stderr: terminal })
      expect(terminal.text).toContain('vault: value (secret) is wrong')
      expect(terminal.text).not.toContain('planted')
    }
  )

  it('gets the variables of a vault client, and none of wlanctl', async () => {
    const made = await asking(`env >environment\n${answering({})}`)
    const change = {
      ...unset,
      [VAULT]: 'vault',
      WLAN_SECRET_SET: 'of-the-environment',
      COPY: `x${made.simulator.token}`,
      WLANCTL_SECRETS_COMMAND: './ask',
      WLANCTL_PARALLELISM: '2'
    }
    await made.run('plan fleet', change)
    const environment = made.read('environment')
    expect(environment).toContain(`${VAULT}=vault\n`)
    expect(environment).not.toMatch(/WLANCTL|WLAN_SECRET|COPY|of-the-environment/)
    expect(environment).not.toContain(made.simulator.token)
  })

  it('is stopped with all of its processes on an interrupt', async () => {
    const made = await asking('sleep 60 & echo $! >child; wait')
    const running = made.startBuilt(`plan fleet ${ASK}`, unset)
    const started = () => (existsSync(join(made.cwd, 'child')) ? made.read('child') : '')
    await expect.poll(started, { timeout: 20_000 }).toMatch(/\d\n/)
    running.signal('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130, stderr: 'wlanctl: interrupted\n' })
    // It may stay a zombie if no process reaps orphans.
    const state = `/proc/${made.read('child').trim()}/stat`
    const stateOf = () => (existsSync(state) ? readFileSync(state, 'utf8') : ') Z')
    await expect.poll(stateOf, { timeout: 20_000 }).toContain(') Z')
    expect(made.methods()).toEqual([])
  })

  it('is limited in time', async () => {
    const made = await asking('sleep 60')
    const never = new AbortController().signal
    const io: Io = {
      argv: [],
      env: {},
      cwd: made.cwd,
      stdin: new PassThrough(),
      stdout: new Collector(),
      stderr: new Collector(),
      now: () => new Date(),
      node: process.version,
      interrupted: never,
      abortSignal: never,
      signalGroup: (leader, signal) => process.kill(-leader, signal)
    }
    const options = { secretPrefix: 'WLAN_SECRET_', parallelism: 1 } as const
    const service = { timeout: 1, maxAttempts: 1, maxWait: 0 }
    await expect(askCommand(['./ask'], ['A'], { ...options, ...service }, io, 200)).rejects.toThrow(
      'the secrets command took longer than 0.2 s'
    )
  })
})

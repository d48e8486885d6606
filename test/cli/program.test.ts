import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import seed from '../../examples/quickstart/simulator.json' with { type: 'json' }
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { Collector, folder, ROOT, start, wlanctl } from '../support/program.ts'
import { stage } from '../support/stage.ts'

/** The table of commands, including subcommands. */
const commands = [
  ...['audit', 'list', 'explain', 'show', 'init', 'import', 'doctor', 'validate', 'plan', 'apply'],
  ...['drift', 'adopt', 'revert', 'snapshot', 'token create', 'token list', 'simulate', 'demo'],
  ...['schema', 'completion']
]

/** The arguments of `wlanctl` in a line of an example. */
const wordsOf = (line: string) => line.trim().split(' ').slice(2)

const helpOf = async (command: string, option = command === '-h' ? '' : '--help') => {
  const words = `${command} ${option}`.trim().split(' ')
  const { code, stdout, stderr } = await wlanctl(words, { cwd: folder() })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('the help', () => {
  it('without a command lists the commands by purpose, and exits 0', async () => {
    const help = await helpOf('-h')
    const brief = commands.filter(name => !/^(?:snapshot|token|schema|completion)/.test(name))
    for (const name of brief) expect(help).toMatch(new RegExp(`^  ${name} {2,}\\w`, 'm'))
    expect(help).not.toMatch(/^ {2}(?:token|schema|completion|snapshot|help) /m)
    for (const words of [[], ['help'], ['help', '-h']]) {
      expect(await wlanctl(words, { cwd: folder() })).toEqual({ code: 0, stdout: help, stderr: '' })
    }
  })

  it('lists every command and every exit code', async () => {
    const help = await helpOf('')
    for (const command of commands)
      expect(help).toMatch(new RegExp(`^  ${command.split(' ')[0]} `, 'm'))
    for (const code of [0, 1, 2, 3, 4, 5, 130])
      expect(help).toMatch(new RegExp(`^  ${code} +\\w`, 'm'))
    expect(await helpOf('token')).toMatch(/^ {2}create .*\n {2}list /m)
    const { stdout } = await wlanctl(['help', '--all'], { cwd: folder() })
    expect(stdout).toBe(help)
  })

  it('of a command groups its options', async () => {
    const headings = async (command: string) =>
      (await helpOf(command)).split('\n').filter(line => /^[A-Z][a-z ]*:$/.test(line))
    const common = ['Arguments:', 'Selection:', 'Connection:', 'Secrets:']
    const last = ['Output:', 'General:', 'Example:']
    expect(await headings('plan')).toEqual([...common, ...last])
    const own = ['Limits and approval:', 'Rollout:']
    expect(await headings('apply')).toEqual([...common, ...own, ...last])
  })

  it.each(commands)('of `%s` is brief with -h: at most twelve options', async command => {
    const optionsIn = (help: string) => help.match(/^ {2}(?:-\w, )?--[\w-]+/gm) ?? []
    const [brief, full] = [await helpOf(command, '-h'), await helpOf(command)]
    const own = optionsIn(brief).filter(line => !/--(?:base-url|help)$/.test(line))
    expect(own.length).toBeLessThanOrEqual(12)
    expect(full).not.toMatch(/^Options:$/m)
    expect(optionsIn(full)).toEqual(expect.arrayContaining(optionsIn(brief)))
    const isShorter = optionsIn(full).length > optionsIn(brief).length
    expect(brief.includes(`\`wlanctl ${command} --help\` lists all options.`)).toBe(isShorter)
  })

  it('of the connection stands on a page of its own', async () => {
    const { code, stdout } = await wlanctl(['help', 'connection'], { cwd: folder() })
    expect(code).toBe(0)
    const options = stdout.match(/--[a-z-]+ </g) ?? []
    expect(options.length).toBeGreaterThan(5)
    for (const command of ['plan', 'apply', 'import', 'token create']) {
      const help = await helpOf(command)
      for (const option of options) expect(help.includes(option)).toBe(option === '--base-url <')
      expect(help.replaceAll(/\s+/g, ' ')).toContain('`wlanctl help connection`')
    }
  })

  it('fits a terminal of 50 columns, without a break within a word', async () => {
    for (const words of [...commands.map(command => `${command} --help`), 'help', '--help']) {
      const stdout = Object.assign(new Collector(), { columns: 50 })
      await wlanctl(words.split(' '), { cwd: folder() }, { stdout })
      const wide = stdout.text.split('\n').filter(line => line.length > 50)
      expect(wide).toEqual([])
      const [whole, broken] = [await wlanctl(words.split(' '), { cwd: folder() }), stdout]
      expect(broken.text.split(/\s+/)).toEqual(whole.stdout.split(/\s+/))
    }
  })

  it('of a subcommand is printed by `help COMMAND SUBCOMMAND`', async () => {
    const { code, stdout } = await wlanctl(['help', 'token', 'create'], { cwd: folder() })
    expect({ code, stdout }).toEqual({ code: 0, stdout: await helpOf('token create') })
  })

  it('prints defaults in words', async () => {
    const all = await Promise.all(commands.map(command => helpOf(command)))
    expect(all.join('\n')).not.toMatch(
      /preset:|default: (?:none|all|\[|\{|undefined|true|false|"\*")/
    )
  })

  it.each(commands)('of `%s` has one example, which runs', async command => {
    const [, example = '', ...more] = (await helpOf(command)).split('\nExample:\n')
    expect(more).toEqual([])
    const lines = example.trimEnd().split('\n')
    expect(lines.every(line => line.startsWith('  $ wlanctl '))).toBe(true)
    expect(lines.join()).toContain(`wlanctl ${command}`)
    const { cwd, env } = await stage({ sites: readSeed(JSON.stringify(seed)).sites })
    cpSync(join(ROOT, 'examples'), join(cwd, 'examples'), { recursive: true })
    const change = { WLAN_SECRET_GUEST_PSK: 'a-new-password' }
    const options = { cwd, env: { ...env, ...change } }
    if (command === 'simulate') {
      // It runs until it is interrupted, on a port that may be in use.
      const words = wordsOf(lines.join()).map(word => (word === '8080' ? '0' : word))
      const running = start(words, options)
      await running.until(/Ctrl-C ends it/)
      running.signal('SIGINT')
      expect(await running.ended).toMatchObject({ code: 0 })
      return
    }
    for (const line of lines) {
      expect(await wlanctl(wordsOf(line), options)).toMatchObject({
        // The example changes a secret, which `revert` names and cannot restore.
        code: line.includes(' revert ') ? 5 : command === 'drift' ? 2 : 0,
        stderr: expect.not.stringContaining('error: ')
      })
    }
  })
})

describe('the exit code', () => {
  it('of an incomplete run with changes is that of an incomplete run', async () => {
    const { run, write } = await stage()
    write('fleet/gone.yaml', 'site: { id: 10000000-0000-4000-8000-000000000009 }\n')
    expect(await run('drift fleet')).toMatchObject({ code: 5 })
    expect(await run('plan fleet --detailed-exitcode')).toMatchObject({ code: 5 })
  })
})

describe('the program', () => {
  it('prints paths relative to the working directory, and saves them relative to the fleet', async () => {
    const { run, cwd, write } = await stage()
    const saved = JSON.parse((await run('plan fleet --format json')).stdout)
    expect(saved.changes[0].origin).toEqual({ file: 'hq.yaml', line: 3, column: 3 })
    write('fleet/wrong.yaml', 'wlan: 1\n')
    const { stdout } = await wlanctl(['validate', '../fleet'], { cwd: join(cwd, 'fleet') })
    expect(stdout).toContain('\nwrong.yaml:1:1: error: '.slice(1))
  })
})

describe('short options', () => {
  it('-V is --version', async () => {
    const long = await wlanctl(['--version'], { cwd: folder() })
    expect(long).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    expect(await wlanctl(['-V'], { cwd: folder() })).toEqual(long)
  })

  it('-y is --yes, and -q is --quiet', async () => {
    const made = await stage()
    expect(await wlanctl(['apply', 'fleet', '-y', '-q'], made)).toMatchObject({
      code: 0,
      stderr: ''
    })
    expect(made.methods()).toContain('PUT')
  })
})

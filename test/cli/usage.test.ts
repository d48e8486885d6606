import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { HQ } from '../simulator/simulate.ts'
import { wlanctl } from '../support/program.ts'
import { stage } from '../support/stage.ts'

/** Runs lines on a stage with a fleet; none of them may send a request, or write a file. */
async function refused(line: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const made = await stage()
  const ended = await wlanctl(line, { ...made, env: { ...made.env, ...env } })
  expect(ended).toMatchObject({ code: 3, stdout: '' })
  expect({ methods: made.methods(), files: readdirSync(made.cwd) }).toEqual({
    methods: [],
    files: ['fleet']
  })
  return ended.stderr
}

const LISTS = '`wlanctl plan --help` lists the options'

describe('an option with an empty value', () => {
  it.each([
    ['plan fleet', '--out'],
    ['plan fleet', '--against'],
    ['plan fleet', '--token-file'],
    ['plan fleet', '--secrets-dir'],
    ['plan fleet', '--site'],
    ['apply fleet --yes', '--record'],
    ['apply fleet --yes', '--plan'],
    ['drift fleet', '--since'],
    ['snapshot fleet', '--out'],
    [`import ${HQ}`, '--out'],
    [`import ${HQ}`, '--secrets-out'],
    [`import ${HQ}`, '--secrets-dir'],
    ['import', '--from'],
    ['token create', '--out']
  ])('%s %s: the error names the option', async (line, option) => {
    for (const words of [[option, ''], [`${option}=`]]) {
      const stderr = await refused([...line.split(' '), ...words])
      expect(stderr).toContain(`wlanctl: option "${option} <`)
      expect(stderr).toContain('must not be empty')
    }
  })

  it.each([
    [['plan', ''], 'wlanctl: argument "fleet" must not be empty'],
    [['show', ''], 'wlanctl: argument "file" must not be empty'],
    [['import', HQ, ''], 'wlanctl: argument "site-id" must not be empty']
  ])('an empty argument is rejected: %j', async (line, message) => {
    expect(await refused(line)).toContain(message)
  })
})

describe('a wrong word', () => {
  it.each([
    ['plna', 'unknown command "plna"', 'did you mean plan?'],
    ['status', 'unknown command "status"', 'did you mean drift?'],
    ['nonsense', 'unknown command "nonsense"', '`wlanctl help` lists the commands'],
    ['plan --repot', 'unknown option --repot', 'did you mean --report?'],
    ['plan a b', 'plan: expected 1 argument at most, got 2', LISTS],
    ['plan --site', '--site: expected a value, got none', LISTS],
    ['plan -q --verbose', '--quiet cannot be used with --verbose', LISTS],
    [
      'revert',
      'expected a record, or a state with --to, got neither',
      'name the file of `wlanctl apply --record FILE`, or a snapshot with `--to`'
    ],
    ['schema', 'expected the argument <name>, got none', LISTS.replace('plan', 'schema')],
    ['plan --timeout 0', '--timeout: expected an integer from 1 to 3600, got "0"', LISTS]
  ])('`%s` is an error with a hint, as all others', async (line, message, hint) => {
    expect(await refused(line.split(' '))).toBe(`wlanctl: ${message}\n  ${hint}\n`)
  })
})

describe('a value that is none of the choices', () => {
  it.each([
    [
      ['schema', 'nope'],
      'wlanctl: expected one of fleet, wlan, plan, record, snapshot, outcomes, audit, diff for <name>, got "nope"\n  `wlanctl schema --help` lists the options\n'
    ],
    [
      ['explain', '--format', 'x\ny'],
      'wlanctl: --format: expected one of text, json, got "x\\ny"\n  `wlanctl explain --help` lists the options\n'
    ]
  ])('%j: the error names the choices and the value', async (line, message) => {
    expect(await refused(line)).toContain(message)
  })
})

describe('a repeated option', () => {
  it.each([
    ['plan fleet', '--out a --out b'],
    ['plan fleet', '--format json --format text'],
    ['plan fleet', '--base-url http://127.0.0.1:1 --base-url http://127.0.0.1:1'],
    ['plan fleet', '--shard 1/2 --shard=2/2'],
    ['apply fleet --yes', '--max-changes 1 --max-changes all'],
    ['apply fleet --yes', '--record a --record b'],
    ['token create', '--name a --name b']
  ])('%s %s: is rejected by name', async (line, twice) => {
    const option = twice.split(' ')[0]
    const stderr = await refused([...line.split(' '), ...twice.split(' ')])
    expect(stderr).toContain(`wlanctl: option "${option} <`)
    expect(stderr).toContain('is given more than once')
  })

  it.each([
    '--site hq --site h*',
    '--wlan corp --wlan guest',
    '--report json=a.json --report markdown=a.md',
    '--quiet --quiet'
  ])('%s: is accepted', async twice => {
    const made = await stage()
    const line = ['plan', 'fleet', ...twice.split(' ')]
    expect(await wlanctl(line, made)).toMatchObject({ code: 0, stderr: '' })
  })

  it('and its variable: the flag overrides the variable', async () => {
    const made = await stage()
    const line = ['plan', 'fleet', '--format', 'text']
    const ended = await wlanctl(line, { ...made, env: { ...made.env, WLANCTL_FORMAT: 'json' } })
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Plan:') })
  })
})

describe('a secret in an option', () => {
  const secret = 'planted-token-of-a-person'

  it.each(['--token', '--api-token', '--api-key', '--key', '--password'])(
    '%s: the error names the right place for it, and does not print it',
    async option => {
      for (const command of [['plan', 'fleet'], ['token', 'list'], []]) {
        for (const words of [[option, secret], [`${option}=${secret}`]]) {
          const stderr = await refused([...command, ...words])
          expect(stderr).toContain(`wlanctl: unknown option ${option}\n`)
          expect(stderr).toContain('WLANCTL_API_TOKEN')
          expect(stderr).toContain('--token-file')
          expect(stderr).not.toContain(secret)
        }
      }
    }
  )

  it('a short option is printed without its possible value', async () => {
    const stderr = await refused(['plan', 'fleet', `-p${secret}`])
    expect(stderr).toContain('wlanctl: unknown option -p\n')
    expect(stderr).not.toContain(secret)
  })
})

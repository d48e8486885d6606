import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startSimulator } from '../../../src/simulator/server.ts'
import { folder, wlanctl } from '../../support/program.ts'
import { Scanner } from '../../support/scanner.ts'
import { serve } from '../../support/server.ts'
import { expectUnpolluted } from '../unpolluted.ts'
import { echoes } from './echoes.ts'
import { site, TOKEN } from './secrets.ts'
import { trial } from './trial.ts'

afterEach(expectUnpolluted)

const session = {
  cookie: 'sessionid=s3ss10n-Qw8eRt5yUi2o; csrftoken-eu=csrf-Zx7cVb4nMl9k',
  csrfToken: 'csrf-Zx7cVb4nMl9k'
} as const
const logins = [
  { name: 'the session', value: 's3ss10n-Qw8eRt5yUi2o' },
  { name: 'its CSRF token', value: session.csrfToken },
  { name: 'the token', value: TOKEN }
]

describe('a new token is printed once, and only by the command that created it', () => {
  it.each([
    ['on stdout', ''],
    ['in a file', ' --out key --name x']
  ])('%s', async (_, words) => {
    const made = await trial()
    const created = await made.run(`token create${words}`)
    const listed = await made.run('token list')
    const inJson = await made.run('token list --format json')
    expect([created.code, listed.code, inJson.code]).toEqual([0, 0, 0])
    const key = words === '' ? created.stdout.trim() : ''
    if (words === '') expect(key).toMatch(/^\w{40,}$/)
    const found = new Scanner([{ name: 'the key', value: key || 'no-key' }]).scan({
      created: created.stderr,
      listed: listed.stdout + listed.stderr,
      inJson: inJson.stdout + inJson.stderr
    })
    expect(found).toEqual([])
    expect(made.leaks({ ...created, stdout: '' }, listed, inJson)).toEqual([])
  })

  it('is not printed when it is written to a file', async () => {
    const cwd = folder()
    const simulator = await startSimulator({ sites: [site], token: TOKEN })
    const env = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: TOKEN }
    const { code, stdout, stderr } = await wlanctl(['token', 'create', '--out', 'key'], {
      cwd,
      env
    })
    await simulator.close()
    const value = readFileSync(join(cwd, 'key'), 'utf8').trim()
    expect(code).toBe(0)
    expect(new Scanner([{ name: 'the key', value }]).scan({ stdout, stderr })).toEqual([])
  })
})

describe('the session of a browser is not printed', () => {
  it.each(echoes(403).slice(0, 5))('in an error that repeats it: %s', async (_, script) => {
    const cwd = folder()
    const server = await serve(script)
    writeFileSync(join(cwd, 'cookie'), session.cookie, { mode: 0o600 })
    const argv = ['token', 'create', '--session-cookie-file', 'cookie', '--out', 'key']
    const ended = await wlanctl(argv, { cwd, env: { WLANCTL_BASE_URL: server.url } })
    await server.close()
    expect(ended.code).toBe(1)
    const { stdout, stderr } = ended
    expect(server.arrivals[0]?.headers.cookie).toBe(session.cookie)
    expect(new Scanner(logins).scan({ stdout, stderr })).toEqual([])
  })
})

describe('the embedded service prints no secret', () => {
  it('simulate', async () => {
    const made = await trial()
    const seed = made.write('seed.json', JSON.stringify({ sites: [site] }))
    const running = made.startBuilt(`simulate --seed ${seed}`)
    await running.until(/Ctrl-C ends it/)
    running.signal('SIGINT')
    expect(made.leaks(await running.ended)).toEqual([])
    const wrong = made.write('seed.json', JSON.stringify({ sites: [{ ...site, id: TOKEN }] }))
    expect(made.leaks(await made.run(`simulate --seed ${wrong}`))).toEqual([])
  })

  it('demo, schema, completion and help, in an environment full of them', async () => {
    const made = await trial()
    const lines = ['demo', 'schema wlan', 'completion bash', '--help', 'nonsense', 'plan --help']
    const ended = await Promise.all(lines.map(line => made.run(line)))
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 3, 0])
    expect(made.leaks(...ended)).toEqual([])
    const psk = { name: 'the key of the demo', value: 'welcome-to-the-lobby' }
    expect(new Scanner([psk]).scan({ demo: ended[0]?.stdout ?? '' })).toEqual([])
  })
})

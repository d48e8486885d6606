import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Scanner } from '../../support/scanner.ts'
import { expectUnpolluted } from '../unpolluted.ts'
import { site, TOKEN } from './secrets.ts'
import { trial } from './trial.ts'

afterEach(expectUnpolluted)

describe('a new token is printed once, and only by the command that created it', () => {
  it.each([
    ['on stdout', ''],
    ['in a file', ' --name x --out ']
  ])('%s', async (_, words) => {
    const made = await trial()
    const file = words === '' ? '' : join(made.inputs, 'key')
    const created = await made.run(`token create${words}${file}`)
    const listed = await made.run('token list')
    const inJson = await made.run('token list --format json')
    expect([created.code, listed.code, inJson.code]).toEqual([0, 0, 0])
    const key = file === '' ? created.stdout.trim() : readFileSync(file, 'utf8').trim()
    expect(key).toMatch(/^\w{40,}$/)
    const found = new Scanner([{ name: 'the key', value: key }]).scan({
      created: (file === '' ? '' : created.stdout) + created.stderr,
      listed: listed.stdout + listed.stderr,
      inJson: inJson.stdout + inJson.stderr
    })
    expect(found).toEqual([])
    expect(made.leaks({ ...created, stdout: '' }, listed, inJson)).toEqual([])
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

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Collector, wlanctl } from '../support/program.ts'
import { stage } from '../support/stage.ts'

/** A terminal for which rendering the result fails. */
function unmade(): Collector {
  return Object.defineProperty(Object.assign(new Collector(), { isTTY: true }), 'columns', {
    get: () => {
      throw new TypeError('no columns')
    }
  })
}

/** A stdout on a full disk. */
function full(): Writable {
  const write = (_chunk: unknown, _encoding: unknown, done: (error: Error) => void) => {
    done(new Error('ENOSPC: no space left on device'))
  }
  return new Writable({ write }).on('error', () => undefined)
}

const apply = (words: string) => ['apply', 'fleet', '--yes', ...words.split(' ')]

describe('the result of an apply is reported', () => {
  it('if a report cannot be written: in the others, with exit code 1', async () => {
    const made = await stage()
    made.write('out/keep', '')
    const line = apply('--report json=out/a.json --report markdown=b.md')
    const ended = await wlanctl([...line, '--check', 'rm -r out'], made)
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain('Apply: 2 applied')
    expect(ended.stderr).toContain('wlanctl: out/a.json could not be written: ENOENT')
    expect(made.read('b.md')).toContain('**Apply:** 2 applied')
  })

  it.each([
    ['made', unmade, 'the text result could not be rendered'],
    ['written', full, 'the output could not be written: ENOSPC']
  ])('if the result cannot be %s: on stderr', async (_, stdout, problem) => {
    const made = await stage()
    const ended = await wlanctl(apply('--report json=a.json'), made, { stdout: stdout() })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain(problem)
    expect(ended.stderr).toContain('wlanctl: applied  hq/corp\nwlanctl: applied  hq/guest\n')
    expect(JSON.parse(made.read('a.json'))).toMatchObject({ summary: { applied: 2 } })
  })

  it('if an interrupt arrives while a report fails', async () => {
    const made = await stage()
    made.write('out/keep', '')
    const interrupt = new AbortController()
    const check = 'rm -r out; sleep 20'
    const running = wlanctl([...apply('--report json=out/a.json'), '--check', check], made, {
      interrupted: interrupt.signal,
      signalGroup: (leader, signal) => void process.kill(-leader, signal)
    })
    await expect.poll(() => readdirSync(made.cwd)).not.toContain('out')
    interrupt.abort()
    const { code, stdout, stderr } = await running
    expect({ code, stdout }).toEqual({ code: 130, stdout: expect.stringContaining('2 applied') })
    expect(stderr).toContain('out/a.json could not be written')
  })
})

it('a plan writes all other reports, and reports each one that fails', async () => {
  let removeFolder = () => undefined
  const clock = () => {
    removeFolder()
    return Date.now()
  }
  const made = await stage({ clock })
  made.write('none/keep', '')
  removeFolder = () => void rmSync(join(made.cwd, 'none'), { recursive: true, force: true })
  const line = ['plan', 'fleet', '--report', 'json=none/a.json', '--report', 'html=none/b.html']
  const ended = await wlanctl([...line, '--report', 'markdown=c.md'], made)
  expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('Plan:') })
  expect(ended.stderr).toContain(join('none', 'a.json'))
  expect(ended.stderr).toContain(join('none', 'b.html'))
  expect(made.read('c.md')).toContain('Plan:')
})

it('a report that cannot be rendered does not stop the others', async () => {
  const made = await stage()
  const line = ['plan', 'fleet', '--report', 'json=a.json']
  const ended = await wlanctl(line, made, { stdout: unmade() })
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('no columns') })
  expect(JSON.parse(made.read('a.json'))).toMatchObject({ summary: { changed: 2 } })
})

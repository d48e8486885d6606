import { lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readSchema, strictAjv } from '../schemas/schemas.ts'
import { HQ } from '../simulator/simulate.ts'
import { Collector, wlanctl } from '../support/program.ts'
import { FLEET, stage } from '../support/stage.ts'

const validPlan = strictAjv().compile(readSchema('plan.schema.json'))

describe('a plan as data', () => {
  it('is a valid saved plan on stdout', async () => {
    const { run, read } = await stage()
    for (const command of ['plan', 'drift']) {
      const { stdout } = await run(`${command} fleet --format json`)
      const plan = JSON.parse(stdout)
      expect(validPlan(plan), JSON.stringify(validPlan.errors)).toBe(true)
      expect(plan.summary).toMatchObject({ sites: 1, wlans: 2, changed: 2, requests: 1 })
    }
    await run('plan fleet --out plan.json')
    expect(validPlan(JSON.parse(read('plan.json')))).toBe(true)
    expect((await run('show plan.json --format json')).stdout).toBe(read('plan.json'))
  })
})

describe('output files', () => {
  it('are private to their owner, replace older ones, and leave no temporary file', async () => {
    const { run, cwd, write } = await stage()
    write('plan.json', 'old', 0o644)
    await run('plan fleet --out plan.json --report json=report.json')
    for (const file of ['plan.json', 'report.json']) {
      expect(lstatSync(join(cwd, file)).mode & 0o777).toBe(0o600)
    }
    expect(readdirSync(cwd).sort()).toEqual(['fleet', 'plan.json', 'report.json'])
  })

  it.each(['--out ', '--report text='])(
    '%s does not write through links or over directories',
    async flag => {
      const { run, cwd, write, read } = await stage()
      write('victim', 'as it was')
      symlinkSync('victim', join(cwd, 'link'))
      mkdirSync(join(cwd, 'folder'))
      for (const target of ['link', 'folder', '/dev/null', 'no/folder']) {
        const ended = await run(`plan fleet ${flag}${target}`)
        expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining(target) })
      }
      expect(read('victim')).toBe('as it was')
    }
  )
})

it('one run writes several formats, each with the directory of the fleet', async () => {
  const { run, read } = await stage()
  const files = '--report markdown=comment.md --report json=plan.json'
  const { stdout } = await run(`plan ./fleet/ --format github ${files}`)
  expect(stdout).toMatch(/^::group::[A-Z][^\n]+\(\d\)\n {2}hq\//)
  expect(stdout).toContain('::warning file=fleet/hq.yaml,line=6,')
  expect(await read('comment.md')).toMatch(
    /^<!-- wlanctl:plan:fleet -->\n### \S+ [\s\S]*Before → after/
  )
  expect(JSON.parse(await read('plan.json'))).toMatchObject({ summary: { changed: 2 } })
})

it.each([
  ['validate fleet', /^<!-- wlanctl:plan:fleet -->\n### \S+ Valid: 2 WLANs on 1 site\n/],
  [
    'apply fleet --yes',
    /^<!-- wlanctl:apply:fleet -->\n### \S+ 2 changes applied and verified\n[\s\S]*Apply:\*\* 2 applied/
  ]
])('%s has its own comment', async (command, comment) => {
  const { run } = await stage()
  expect((await run(`${command} --format markdown`)).stdout).toMatch(comment)
})

it('errors in the files are in the comment of the plan, too, where the result is text', async () => {
  const { run, write, read } = await stage()
  await write('fleet/wrong.yaml', 'wlans: { a: { nonsense: 1 } }\n')
  const { code, stdout, stderr } = await run('plan fleet --report markdown=comment.md')
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr).toContain('fleet/wrong.yaml:1:')
  expect(read('comment.md')).toMatch(
    /^<!-- wlanctl:plan:fleet -->\n### 🔴 \d errors?[\s\S]*`fleet\/wrong\.yaml:1:/
  )
})

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

/** The names of all members of a value, at any depth. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)])
}

describe('JSON for programs', () => {
  it.each([
    ['apply fleet --yes --record r.jsonl'],
    ['snapshot fleet'],
    ['show plan.json'],
    ['adopt fleet --yes'],
    [`import ${HQ}`],
    ['token list']
  ])('has members in snake_case: %s', async line => {
    const made = await stage()
    made.write('fleet/hq.yaml', FLEET.replace('enabled: false', 'auth: { type: eap192 }'))
    await wlanctl(['plan', 'fleet', '--out', 'plan.json'], made)
    const { stdout } = await wlanctl([...line.split(' '), '--format', 'json'], made)
    const names = namesIn(JSON.parse(stdout))
    expect(names.length).toBeGreaterThan(3)
    const isPointer = (name: string) => name.startsWith('/')
    expect(
      names
        .filter(name => !isPointer(name))
        .filter(name => !/^\$?[a-z][a-z\d]*(?:_[a-z\d]+)*$/.test(name))
    ).toEqual([])
  })
})

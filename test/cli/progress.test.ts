import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { retryPolicyOf } from '../../src/cli/connect.ts'
import type { Io } from '../../src/cli/terminal/io.ts'
import {
  type ProgressState,
  progressLine,
  secondsLeft,
  startProgress
} from '../../src/cli/terminal/progress.ts'
import { writeAboveStatus } from '../../src/cli/terminal/status-line.ts'
import { manySites } from '../support/many.ts'
import { PROGRAM, startCommand } from '../support/program.ts'
import { Screen } from '../support/screen.ts'

const early: ProgressState = {
  doing: 'reading sites',
  done: 340,
  total: 1_200,
  found: new Map(),
  left: undefined,
  waitUntil: undefined,
  retrying: 0
}
const later: ProgressState = { ...early, found: new Map([['to change', 12]]), left: 10.1 }
const waiting: ProgressState = { ...later, waitUntil: new Date('2026-11-20T10:13:18Z') }
const applying: ProgressState = {
  ...later,
  doing: 'applying',
  found: new Map([
    ['applied', 1_338],
    ['diverged', 2]
  ])
}
const stopping: ProgressState = { ...applying, isStopping: true }

describe('the progress line of a run', () => {
  it.each<[line: string, state: ProgressState, columns?: number]>([
    ['reading sites: 340 of 1,200', early],
    ['reading sites: 340 of 1,200, 12 to change, 11 s left', later],
    ['applying: 340 of 1,200, stopping, Ctrl-C again ends at once, 1,338 applied', stopping],
    ['340 of 1,200, Ctrl-C again ends at once', stopping, 45],
    ['applying 東京: 340 of 1,200', { ...early, doing: 'applying 東京' }, 27],
    ['reading sites: 340 of 1,200, retrying 1 request', { ...early, retrying: 1 }],
    ['reading sites: 340 of 1,200, rate limit until 10:13:18 UTC, 12 to change', waiting],
    ['applying: 340 of 1,200, 1,338 applied, 2 diverged, 11 s left', applying],
    [
      'reading sites: 340 of 1,200, rate limit, 12 to change',
      { ...later, waitUntil: new Date(Number.NaN) }
    ]
  ])('%s', (line, state, columns = 80) => {
    expect(progressLine(state, columns)).toBe(line)
  })

  it('fits any width, and a narrower line is a part of a wider one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(early, later, waiting, applying),
        fc.nat(90),
        fc.nat(1e6),
        (state, columns, done) => {
          const line = progressLine({ ...state, done }, columns)
          expect(line.length).toBeLessThanOrEqual(columns)
          expect(progressLine({ ...state, done })).toContain(line)
        }
      )
    )
  })
})

it.each<[string, number, number, number, number | undefined]>([
  ['nothing yet', 2, 0, 100, undefined],
  ['three seconds, four items', 3, 4, 100, undefined],
  ['two seconds, many items', 2, 900, 100, undefined],
  ['three seconds, six items', 3, 6, 100, 50],
  ['the end', 3, 6, 0, undefined],
  ['more than four days', 3_600, 5, 1_000, undefined]
])('the seconds left after %s', (_, worked, done, rest, left) => {
  expect(secondsLeft(worked, done, rest)).toBe(left)
})

describe('progress', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  )
  afterEach(() => void vi.useRealTimers())

  function begin({
    columns = 60,
    terminal = true,
    env = {} as Record<string, string>,
    options = {} as { quiet?: true; verbose?: true },
    answered = (): number => 0,
    task = {} as { stays?: true }
  } = {}) {
    const stderr = Object.assign(new Screen(columns), { isTTY: terminal })
    const reader: { waitUntil: Date | undefined; retrying: number } = {
      waitUntil: undefined,
      retrying: 0
    }
    const interrupt = new AbortController()
    const { signal: abortSignal } = new AbortController()
    const io = { stderr, env, interrupted: interrupt.signal, abortSignal }
    const work = { doing: 'reading sites', total: 1_200, reader, answered, ...task }
    const progress = startProgress(work, options, io)
    /** Advances the clock, and reports this many sites as read. */
    const pass = (seconds: number, sites = 0, changes = 0) => {
      for (let n = 0; n < sites; n += 1) progress.step(`site ${n}: read`, { 'to change': changes })
      vi.advanceTimersByTime(1_000 * seconds)
    }
    return { stderr, io, reader, progress, pass, interrupt }
  }

  it('reports after the first Ctrl-C that it stops, while active updates finish', () => {
    const { stderr, pass, interrupt } = begin({ columns: 80 })
    pass(0.1, 10)
    interrupt.abort()
    pass(0.1)
    expect(stderr.lines).toEqual([
      'reading sites: 10 of 1,200, stopping, Ctrl-C again ends at once'
    ])
  })

  it('is one line of a terminal, and is removed at the end', () => {
    const { stderr, progress, pass } = begin()
    pass(0.1, 10)
    expect(stderr.lines).toEqual(['reading sites: 10 of 1,200'])
    pass(1.9, 40, 1)
    expect(stderr.lines).toEqual(['reading sites: 50 of 1,200, 40 to change'])
    pass(2, 150, 1)
    expect(stderr.lines).toEqual(['reading sites: 200 of 1,200, 190 to change, 20 s left'])
    progress.end()
    expect(stderr.lines).toEqual([''])
  })

  it.each([0.05, 2])('leaves a line of a finished wave, which took %d s', seconds => {
    const { stderr, progress, pass } = begin({ columns: 80, task: { stays: true } })
    pass(seconds, 1_200, 1)
    progress.end()
    stderr.write('next')
    expect(stderr.lines).toEqual(['reading sites: 1,200 of 1,200, 1,200 to change', 'next'])
  })

  it('is overwritten in place, and only if it changed', () => {
    const { stderr, pass } = begin()
    for (let n = 0; n < 30; n += 1) pass(0.03, n % 2)
    expect(stderr.written).toHaveLength(9)
    for (const text of stderr.written) expect(text).toMatch(/^\r[^\r\x1b]+\x1b\[K$/)
  })

  it('prints nothing for a short run', () => {
    const { stderr, progress, pass } = begin()
    pass(0.05, 1_200)
    progress.end()
    expect(stderr.written).toEqual([])
  })

  it('fits a terminal that becomes narrower, without remains of the wider line', () => {
    const { stderr, pass, progress } = begin()
    pass(4, 100, 1)
    expect(stderr.lines).toEqual(['reading sites: 100 of 1,200, 100 to change, 44 s left'])
    stderr.narrow(20)
    expect(stderr.lines).toEqual(['100 of 1,200'])
    stderr.narrow(30)
    expect(stderr.lines).toEqual(['reading sites: 100 of 1,200'])
    progress.end()
    stderr.narrow(20)
    expect(stderr.lines).toEqual([''])
  })

  it('stays below other output', () => {
    const { stderr, io, pass, progress } = begin({ options: { verbose: true } })
    pass(0.1, 1)
    writeAboveStatus(io, 'wlanctl: rate limit reached')
    pass(0, 1)
    expect(stderr.lines).toEqual([
      'site 0: read',
      'wlanctl: rate limit reached',
      'site 0: read',
      'reading sites: 1 of 1,200'
    ])
    progress.end()
    writeAboveStatus(io, 'wlanctl: done')
    expect(stderr.lines).toEqual([
      'site 0: read',
      'wlanctl: rate limit reached',
      'site 0: read',
      'wlanctl: done'
    ])
  })

  it('prints waits, and does not count them as work', () => {
    const { stderr, reader, pass } = begin()
    pass(2, 100)
    reader.waitUntil = new Date('2026-11-20T10:13:18Z')
    pass(3_000)
    expect(stderr.lines).toEqual(['reading sites: 100 of 1,200, rate limit until 10:13:18 UTC'])
    reader.waitUntil = undefined
    pass(2, 100)
    expect(stderr.lines).toEqual(['reading sites: 200 of 1,200, 20 s left'])
  })

  it.each([
    ['a log', false, {}],
    ['a terminal that cannot draw', true, { TERM: 'dumb' }]
  ])('is a line every ten seconds in %s', (_, terminal, env) => {
    const { stderr, pass, progress } = begin({ terminal, env, columns: 200 })
    pass(9.9, 50)
    expect(stderr.written).toEqual([])
    pass(10.1, 50, 1)
    progress.end()
    expect(stderr.written).toEqual([
      'reading sites: 100 of 1,200, 50 to change, 1 min 50 s left\n',
      'reading sites: 100 of 1,200, 50 to change, 3 min 40 s left\n'
    ])
  })

  it('counts each response once, whether valid or not', () => {
    let answers = 40
    const { stderr, pass } = begin({ columns: 100, answered: () => answers })
    pass(4)
    expect(stderr.lines).toEqual(['reading sites: 40 of 1,200'])
    answers = 140
    pass(4, 2, 1)
    expect(stderr.lines).toEqual(['reading sites: 140 of 1,200, 2 to change, 1 min 25 s left'])
    answers = 9_999
    pass(4)
    expect(stderr.lines).toEqual(['reading sites: 1,200 of 1,200, 2 to change'])
  })

  it.each([
    ['an invalid time', () => new Date(Number.NaN), []],
    [
      'a reader that throws',
      () => {
        throw new RangeError('Invalid time value')
      },
      ['wlanctl: warning: the progress line failed: Invalid time value; the run continues']
    ]
  ])('does not end the run on %s', (_, waitUntil, expected) => {
    const { stderr, reader, pass, progress } = begin({ terminal: false, columns: 200 })
    Object.defineProperty(reader, 'waitUntil', { get: waitUntil })
    pass(30, 10)
    progress.end()
    const warnings = stderr.written.filter(text => text.includes('warning'))
    expect(warnings).toEqual(expected.map(text => `${text}\n`))
  })

  it('prints a wait with an invalid end', () => {
    const { stderr, io } = begin()
    const { onWait } = retryPolicyOf(
      { parallelism: 1, timeout: 1, maxAttempts: 1, maxWait: 1 },
      { ...io, interrupted: io.abortSignal } as unknown as Io,
      io.abortSignal
    )
    onWait?.(new Date(Number.NaN))
    expect(stderr.lines[0]).toBe('wlanctl: rate limit reached')
  })

  it.each([true, false])('prints nothing with --quiet (terminal: %s)', terminal => {
    const { stderr, pass, progress } = begin({ terminal, options: { quiet: true } })
    pass(100, 100)
    progress.end()
    expect(stderr.written).toEqual([])
  })
})

describe('the progress of the built program', () => {
  const slow = { switches: { latency: 40 } }

  it('is drawn on a terminal, and removed at the end', async () => {
    const { startOnTerminal } = await manySites({ sites: 20, changes: 1 }, slow)
    const running = startOnTerminal('apply many --yes --no-color --parallelism 1', {}, 40)
    const { code, stdout } = await running.ended
    expect(stdout).toMatch(/\rreading sites: \d+ of 20/)
    expect(code).toBe(0)
    const screen = new Screen(40)
    screen.write(stdout)
    expect(screen.lines.filter(line => /(?:reading sites|applying): /.test(line))).toEqual([])
    expect(screen.lines).toContain('Apply: 1 applied')
  })

  it('is drawn if stdout is redirected', async () => {
    const { cwd, env, read } = await manySites({ sites: 20 }, slow)
    const plan = `'${process.execPath}' '${PROGRAM}' plan many --parallelism 1 --format json > plan.json`
    const words = ['--quiet', '--return', '--command', plan, '/dev/null']
    const { code, stdout } = await startCommand('script', words, { cwd, env }).ended
    expect(stdout).toContain('reading sites: ')
    expect(code).toBe(0)
    expect(JSON.parse(read('plan.json'))).toMatchObject({ summary: { sites: 20 } })
  })

  it('prints a rate limit without wrapping the line', async () => {
    const rateLimit = { calls: 10, perSeconds: 3 }
    const { startOnScreen } = await manySites(
      { sites: 20 },
      { switches: { latency: 40, rateLimit } }
    )
    const { code, stdout } = await startOnScreen('plan many --parallelism 1').ended
    const screen = new Screen(80)
    screen.write(stdout)
    expect(code).toBe(0)
    expect(stdout).toMatch(/reading sites: 10 of 20, rate limit until \d\d:\d\d:\d\d UTC/)
    expect(screen.lines[0]).toMatch(/^wlanctl: rate limit reached; retrying at \d\d:\d\d:\d\d UTC$/)
    expect(screen.lines.filter(line => line.includes('reading sites'))).toEqual([])
  })
})

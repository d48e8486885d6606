import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import type { Io } from '../../src/cli/terminal/io.ts'
import {
  printChangeEstimate,
  printEstimate,
  printRequestSummary
} from '../../src/cli/terminal/request-summary.ts'
import type { FailRule } from '../../src/simulator/faults.ts'
import type { Simulator } from '../../src/simulator/server.ts'
import { manualClock } from '../support/clock.ts'
import { type Many, manySites } from '../support/many.ts'
import { Collector } from '../support/program.ts'

/** The number of requests by method. */
function calls({ requests }: Simulator): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { method } of requests) counts[method] = (counts[method] ?? 0) + 1
  return counts
}

/** Fleets with the page size of the service, and the number of list requests. */
const fleets: readonly (readonly [Many, number, number])[] = [
  [{ sites: 7, wlans: 3, changes: 2 }, 100, 7],
  [{ sites: 3, wlans: 7, changes: 3 }, 3, 9],
  [{ sites: 2, wlans: 11, changes: 1 }, 10, 4]
]

describe('the requests of a run', () => {
  // A list stays fresh, however slow this machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it.each(fleets)(
    '%j, %i WLANs a page: one request per page, two per change',
    async (fleet, pageSize, lists) => {
      const { run, simulator } = await manySites(fleet, {
        clock: manualClock(),
        switches: { pageSize }
      })
      const { changes = 0 } = fleet
      const { stdout } = await run('plan many --format json')
      expect(calls(simulator)).toEqual({ GET: lists })
      expect(JSON.parse(stdout).summary).toMatchObject({ requests: lists, changed: changes })
      await run('drift many')
      expect(calls(simulator)).toEqual({ GET: 2 * lists })
      expect(await run('apply many --yes --max-changes all')).toMatchObject({ code: 0 })
      expect(calls(simulator)).toEqual({
        GET: 3 * lists + changes,
        ...(changes === 0 ? {} : { PUT: changes })
      })
    }
  )
})

const HOUR = 3_600_000
const anHour = (calls: number) => ({ calls, perSeconds: 3600 })

/** The responses to each token since the nth request, in short: `500 × 200, 1 × 429`. */
function answers({ requests }: Simulator, since = 0): Record<string, string> {
  const asked = requests.slice(since).map(({ headers, status }) => {
    return { token: headers.authorization?.replace('Token ', '') ?? '', status }
  })
  const tokens = [...new Set(asked.map(({ token }) => token))]
  return Object.fromEntries(
    tokens.map(token => [token, inShort(asked.filter(each => each.token === token))])
  )
}

function inShort(asked: readonly { readonly status: number | undefined }[]): string {
  const runs = asked.map(({ status }) => `${status} `).join('')
  return runs
    .replace(/(\d+ )\1*/g, (all, status) => `${all.length / status.length} × ${status.trim()}, `)
    .slice(0, -2)
}

describe('more sites than hourly requests', () => {
  const sites = 24
  const rateLimit = anHour(10)

  it('take one run with three tokens', async () => {
    const switches = { rateLimit: anHour(20) }
    const { run, simulator } = await manySites({ sites: 45 }, { token: 'a1,b2,c3', switches })
    const third = '15 × 200'
    expect(await run('plan many')).toMatchObject({ code: 0 })
    expect(answers(simulator)).toEqual({ a1: third, b2: third, c3: third })
  })

  it('take three shards with one token; a run over all lists the remaining sites and the reset time', async () => {
    const clock = manualClock()
    const { run, simulator, read } = await manySites({ sites }, { clock, switches: { rateLimit } })
    const token = simulator.token
    /** Runs; returns the responses, and the last line of the output. */
    const attempt = async (line: string) => {
      const before = simulator.requests.length
      const { code, stderr } = await run(`plan many --parallelism 1 --quiet ${line}`)
      return { code, answered: answers(simulator, before)[token], stderr }
    }
    const left = (sites: string, seconds: number) =>
      expect.stringMatching(
        new RegExp(
          `^wlanctl: ${sites} sites remain: retry after \\S+ \\S+ UTC \\(in ${seconds} s\\); --max-wait allows 60 s; ` +
            'use --shard I/N to run one part at a time\n$'
        )
      )
    expect(await attempt('--out all.json')).toEqual({
      code: 5,
      answered: '10 × 200, 1 × 429',
      stderr: left('14 of 24', 3600)
    })
    clock.advance(HOUR / 2)
    expect(await attempt('--out all.json')).toEqual({
      code: 5,
      answered: '1 × 429',
      stderr: left('24 of 24', 1800)
    })
    clock.advance(HOUR / 2)
    for (const number of [1, 2, 3]) {
      const { code, stderr } = await attempt(`--shard ${number}/3 --out ${number}.json`)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      clock.advance(HOUR)
    }
    expect(await run('show 1.json 2.json 3.json --out whole.json --quiet')).toMatchObject({
      code: 0
    })
    expect(JSON.parse(read('whole.json')).summary).toMatchObject({
      sites,
      sites_failed: 0,
      wlans: sites
    })
  })
})

describe('an apply with an exhausted rate limit', () => {
  const comeBack =
    'retry after \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC \\(in 798 s\\); --max-wait allows 60 s'

  /** Applies changes to two sites; the nth call of a kind, and all after it, exceed the limit. */
  async function limited(rule: Partial<FailRule>, changes: number) {
    const fail = [{ kind: '429', times: 'always', ...rule } as FailRule]
    const { run, simulator } = await manySites(
      { sites: 2, changes },
      { switches: { fail, retryAfter: 798 } }
    )
    const { code, stdout, stderr } = await run(
      'apply many --yes --format json --parallelism 1 --max-changes all'
    )
    return { code, outcomes: JSON.parse(stdout).outcomes, stderr, simulator }
  }

  it('prints the reset time last, even without remaining changes', async () => {
    const { code, outcomes, stderr } = await limited({ method: 'PUT' }, 1)
    expect(code).toBe(5)
    expect(outcomes).toMatchObject([{ status: 'failed', reason: expect.stringMatching(comeBack) }])
    expect(stderr).toMatch(new RegExp(`\\nwlanctl: rate limit used up: ${comeBack}\\n$`))
  })

  it('prints for the remaining changes when to continue', async () => {
    const { code, outcomes, stderr } = await limited({ method: 'PUT' }, 2)
    expect(code).toBe(5)
    expect(outcomes).toMatchObject([
      { status: 'failed', reason: expect.stringMatching(comeBack) },
      { status: 'skipped', reason: expect.stringMatching(comeBack) }
    ])
    expect(stderr).toMatch(new RegExp(`wlanctl: 1 of 2 changes remain: ${comeBack}; run it again`))
  })

  it('explains an unverified change and the next run', async () => {
    const { outcomes, stderr, simulator } = await limited({ path: /wlans\/.+/, skip: 1 }, 1)
    expect(simulator.history).toHaveLength(1)
    expect(outcomes).toMatchObject([
      {
        status: 'unknown',
        reason: expect.stringMatching(
          new RegExp(
            `^accepted, but the rate limit refused the read-back: ${comeBack}; ` +
              'the next run compares again and sends nothing twice$'
          )
        )
      }
    ])
    expect(stderr).toMatch(new RegExp(`wlanctl: rate limit used up: ${comeBack}\\n$`))
  })
})

test.each([
  [{ skipped: 7 }, 'wlanctl: 7 of 9 changes remain: run it again to apply them\n'],
  [{ skipped: 7, unknown: 1 }, 'wlanctl: up to 8 of 9 changes remain: run it again to apply them\n']
])('reports the changes that remain: %o', async (counts, line) => {
  const stderr = new Collector()
  const work = { sites: 1, sites_failed: 0, changes: 9, ...counts, rest: 'again' } as const
  await printRequestSummary(work, {}, { stderr } as unknown as Io)
  expect(stderr.text).toBe(line)
})

test('the requests of a large run are printed before and after it, and not with --quiet', async () => {
  const printed = async (count: number, options = {}) => {
    const stderr = new Collector()
    const io = { stderr } as unknown as Io
    await printEstimate(count, options, io)
    await printChangeEstimate(count, options, io)
    const work = { sites: count, sites_failed: 0 }
    await printRequestSummary(work, options, io, { requests: count, end: undefined })
    return stderr.text
  }
  expect(await printed(501)).toMatch(
    /^wlanctl: about 501 requests to read 501 sites; .*\nwlanctl: 1,002 to 1,503 more requests for 501 changes\nwlanctl: 501 requests made\n$/
  )
  expect(await printed(501, { quiet: true })).toBe('')
  expect(await printed(2)).toBe('')
})

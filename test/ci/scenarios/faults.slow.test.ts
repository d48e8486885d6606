import { describe, expect, test } from 'vitest'
import { MAX_CALLS } from '../../../src/ci/forge.ts'
import type { Fault } from '../forge/server.ts'
import { zip } from '../forge/zip.ts'
import { ciStage, kinds, type Ran, site } from '../stage.ts'

/** Waits of milliseconds instead of seconds. */
const edges = { forgePause: 1 }

const B = site('b', 'vlan_id: 20')

describe.each(kinds)('with faults of %s', kind => {
  const stage = () => ciStage(kind)

  /** A forge after one apply, with a planned merge that waits for the next. */
  async function waiting() {
    const staged = await stage()
    await staged.merged(site('a', 'vlan_id: 20'))
    await staged.apply({ edges })
    const pull = await staged.merged(B)
    return { ...staged, pull }
  }

  /** The calls of a run, without ids. */
  const callsOf = (calls: readonly string[]) => [
    ...new Set(calls.map(call => call.replace(/[0-9a-f]{40}|\b\d+\b/g, '*')))
  ]

  test('whatever call of an apply fails, it says which, and a second run does the rest', async () => {
    const { forge, apply, live } = await waiting()
    const sample = await waiting()
    sample.forge.server.calls.length = 0
    await sample.apply({ edges })
    const calls = callsOf(sample.forge.server.calls)
    expect(calls.length).toBeGreaterThan(4)
    for (const call of calls) {
      const matching = new RegExp(`^${call.replaceAll('*', '\\w+')}$`)
      const fault: Fault = { matching, times: 99, status: 502, body: { message: 'Bad Gateway' } }
      forge.server.faults.push(fault)
      const failed = await apply({ edges })
      forge.server.faults.length = 0
      if (isAfterSending(call)) {
        expect(failed.code, call).toBe(0)
        continue
      }
      expect(failed.code, call).toBe(1)
      expect(failed.report, call).toContain('with 502: Bad Gateway')
      expect(failed.report, call).not.toContain('could not be installed')
      expect(live(), call).toEqual([20, 10, 10])
    }
    expect(await apply({ edges })).toMatchObject({ code: 0 })
    expect(live()).toEqual([20, 20, 10])
  }, 120_000)

  test('two 502s of every call are survived', async () => {
    const { forge, apply, live } = await waiting()
    const failing = new Map<string, number>()
    forge.server.faults.push({
      matching: { test: (call: string) => failTwice(failing, call) } as RegExp,
      times: 999,
      status: 502
    })
    expect(await apply({ edges })).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(failing.size).toBeGreaterThan(4)
    expect(live()).toEqual([20, 20, 10])
  })

  test.each<[string, Buffer]>([
    ['leaves its folder', zip([{ name: '../plan.json', content: '{}' }])],
    ['is no archive', Buffer.from('<html>')],
    ['holds no plan', zip([{ name: 'plan.json', content: '{"format": 1}' }])]
  ])('a plan whose artifact %s sends nothing', async (_, archive) => {
    const { forge, pull, apply, live } = await waiting()
    const run = forge.state.runs.findLast(each => each.pull === pull)
    const [artifact] = run?.jobs.at(-1)?.artifacts ?? []
    if (artifact === undefined) throw new Error('no plan')
    Object.assign(artifact, { archive })
    const refused = await apply({ edges })
    expect(refused.code).not.toBe(0)
    expect(refused.report).toMatch(/not usable|damaged/)
    expect(live()).toEqual([20, 10, 10])
  })

  test('a plan of a gigabyte is not read to its end', async () => {
    const { forge, pull, apply, live } = await waiting()
    const run = forge.state.runs.findLast(each => each.pull === pull)
    const [artifact] = run?.jobs.at(-1)?.artifacts ?? []
    if (artifact === undefined) throw new Error('no plan')
    artifact.isEndless = true
    const refused = await apply({ edges })
    expect(refused.report).toContain('longer than 64 MiB')
    expect(live()).toEqual([20, 10, 10])
  })

  test('no command shows the token, even if the forge repeats it', async () => {
    const { forge, run, apply, pull } = await waiting()
    const body = { message: `Bad credentials: ${forge.token}` }
    forge.server.faults.push({ matching: /./, times: 999, status: 401, body })
    const ended = [
      await apply({ edges }),
      await run(forge.start('plan', { pull }), 'plan', { edges }),
      await run(forge.start('drift'), 'drift', { edges })
    ]
    for (const each of ended) expect(textsOf(each)).not.toContain(forge.token)
  })

  test('no command makes more calls than its budget, after a hundred runs', async () => {
    const { forge, run, merged, apply } = await stage()
    for (const vlan of [11, 12]) {
      await merged(site('b', `vlan_id: ${vlan}`))
      const { job } = await apply({ edges })
      await apply({ job: forge.rerun(job), edges })
      await run(forge.start('drift'), 'drift', { store: 'drift', edges })
    }
    const newest = forge.state.deployments.at(-1)
    if (newest === undefined) throw new Error('no deployment')
    for (let n = 0; n < 100; n += 1) forge.state.deployments.unshift({ ...newest, id: -n - 1 })
    const last = await merged(site('b', 'vlan_id: 20'))
    const calls = async (work: () => Promise<Ran>) => {
      forge.server.calls.length = 0
      const { code } = await work()
      return { code, calls: forge.server.calls.length }
    }
    const used = {
      apply: await calls(() => apply({ edges })),
      drift: await calls(() => run(forge.start('drift'), 'drift', { edges })),
      plan: await calls(() => run(forge.start('plan', { pull: last }), 'plan', { edges }))
    }
    for (const [command, { code, calls }] of Object.entries(used)) {
      expect(code, command).toBe(0)
      expect(calls, command).toBeLessThanOrEqual(MAX_CALLS)
    }
  }, 120_000)
})

/** True for what follows the last change: its failure is told, and changes nothing. */
const isAfterSending = (call: string) => /^(?:PUT .*deployments|POST .*statuses)/.test(call)

/** True for the first two of the same calls. */
function failTwice(counts: Map<string, number>, call: string): boolean {
  const count = counts.get(call) ?? 0
  counts.set(call, count + 1)
  return count < 2
}

function textsOf({ stdout, stderr, report, job, read }: Ran): string {
  return [stdout, stderr, report, read('result.json'), job.summary()].join('\n')
}

import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/core/model/plan.ts'
import { setRun } from './stage.ts'

const WAVES = '{ rollout: [{ canary: hq }, { next: s1 }] }'

describe('the expected digest', () => {
  it('is that of the plan; any other is refused', async () => {
    const { plan } = await setRun()
    const { plan: made, approved } = await plan()
    expect(approved(undefined, made.digest).changes).toHaveLength(6)
    const other = `sha256:${'0'.repeat(64)}`
    const refused = { exitCode: 4, message: expect.stringContaining(`expected the plan ${other}`) }
    expect(() => approved(undefined, other)).toThrow(expect.objectContaining(refused))
  })
})

describe('saved plans', () => {
  it('approve nothing if they are required and there is none', async () => {
    const { plan } = await setRun()
    const { changes, decided } = (await plan()).approved([])
    expect(changes).toEqual([])
    expect(new Set(decided.map(({ status }) => status))).toEqual(new Set(['skipped']))
    expect(decided).toHaveLength(6)
  })
})

describe('a saved plan in waves', () => {
  /** The number of approved changes, and the reason of the others. */
  async function judge(then: readonly string[], now: string) {
    const { plan } = await setRun()
    const files: Plan[] = []
    for (const policy of then) files.push((await plan(policy)).plan)
    const { changes, decided } = (await plan(now)).approved(files)
    return [changes.length, [...new Set(decided.map(({ reason }) => reason))]]
  }

  it.each<[what: string, then: readonly string[], now: string, approved: number]>([
    ['the same', [WAVES], WAVES, 6],
    ['of two plans, one in the same', [WAVES, '{}'], WAVES, 6],
    ['a site in another', [WAVES], '{ rollout: [{ canary: s1 }, { next: hq }] }', 2],
    ['a site in none', [WAVES], '{ rollout: [{ canary: hq }] }', 2],
    ['another order', [WAVES], '{ rollout: [{ next: s1 }, { canary: hq }] }', 0],
    ['none approved', ['{}'], WAVES, 0],
    ['none now', [WAVES], '{}', 0]
  ])('approves the changes of sites with the same waves up to theirs: %s', async (...row) => {
    const [, then, now, approved] = row
    const moved = approved === 6 ? [] : [expect.stringContaining('in another wave')]
    expect(await judge(then, now)).toEqual([approved, moved])
  })
})

describe('the changes to protected WLANs', () => {
  it('are kept, and are not sent', async () => {
    const { plan, simulator } = await setRun()
    const { approved, execute } = await plan('{}', { guest: ', $protect: true' })
    const { changes, kept } = approved()
    expect([changes.length, kept.length]).toEqual([3, 3])
    const { outcomes } = await execute()
    expect(outcomes.map(({ address, status }) => `${address} ${status}`)).toEqual(
      ['hq', 's1', 's2'].flatMap(site => [`${site}/guest skipped`, `${site}/iot applied`])
    )
    expect(simulator.history.map(({ body }) => body)).toEqual(
      Array.from({ length: 3 }, () => ({ allow_mdns: true }))
    )
  })
})

describe('a forbidden plan', () => {
  it.each<[policy: string, allowances: object, isRefused: boolean]>([
    ['{ max_changes: 5 }', {}, true],
    ['{ max_changes: 5 }', { maxChanges: 6 }, false],
    ['{}', { maxImpact: 'none' }, true],
    ['{ rules: [{ name: r, message: m, require: { required: [dtim] } }] }', {}, true]
  ])('%s with %j is refused: %s', async (policy, allowances, isRefused) => {
    const { plan } = await setRun()
    const { forbid } = await plan(policy)
    const judged = () => forbid(allowances)
    if (isRefused) expect(judged).toThrow(expect.objectContaining({ exitCode: 4 }))
    else expect(judged).not.toThrow()
  })
})

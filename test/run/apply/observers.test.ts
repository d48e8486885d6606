import { describe, expect, it } from 'vitest'
import type { ApplyOptions } from '../../../src/run/apply/apply.ts'
import { hq, LONG, setStage, statuses } from './support.ts'

const both = hq({ corp: { vlan_id: 21 }, guest: { vlan_id: 40 } })
const boom = (): never => {
  throw new RangeError('Invalid time value')
}
const rejecting = async () => boom()

/** Applies both changes in two waves, with an observer or a hook that throws. */
async function applied(options: Partial<ApplyOptions>) {
  const stage = await setStage()
  const [first, second] = await stage.plan(both)
  if (first === undefined || second === undefined) throw new Error('two changes')
  const waves = [
    { name: 'canary', sites: [], changes: [first] },
    { sites: [], changes: [second] }
  ]
  const done = await stage.applyWaves(waves, { parallelism: 1, ...options })
  return { ...done, history: stage.simulator.history }
}

describe('an observer that throws stops nothing, and its error is reported once', () => {
  it.each<[string, Partial<ApplyOptions>]>([
    ['onOutcome', { onOutcome: boom }],
    ['onOutcome, later', { onOutcome: rejecting }],
    ['onWave', { onWave: boom }],
    ['the end of a wave', { onWave: () => boom }]
  ])('%s', async (_, options) => {
    const { outcomes, history, observerError } = await applied(options)
    expect(statuses(outcomes)).toBe('applied applied')
    expect(history).toHaveLength(2)
    expect(observerError).toBe('Invalid time value')
  })

  it('no error is reported if no observer throws', async () => {
    expect(await applied({})).not.toHaveProperty('observerError')
  })
})

describe('a hook between waves that throws ends the rollout, and all changes have an outcome', () => {
  it.each<[string, Partial<ApplyOptions>, string]>([
    ['check', { check: rejecting }, 'wave canary: the check failed: Invalid time value'],
    ['pause', { pause: rejecting }, 'the pause after wave canary failed: Invalid time value']
  ])('%s', async (_, options, reason) => {
    const { outcomes } = await applied(options)
    expect(statuses(outcomes)).toBe('applied skipped')
    expect(outcomes[1]?.reason).toBe(reason)
  })
})

it('an internal error in one change is its outcome, and the others continue', async () => {
  const { plan, apply, writer, clock } = await setStage()
  const changes = await plan(both)
  clock.advance(LONG)
  const broken: Pick<typeof writer, 'readWlan' | 'updateWlan'> = {
    updateWlan: writer.updateWlan,
    readWlan: (site, id) => {
      const first = id === changes[0]?.change.wlan.id
      return first ? Promise.resolve(null as never) : writer.readWlan(site, id)
    }
  }
  expect(await apply(changes, { writer: broken })).toMatchObject([
    { status: 'failed', reason: expect.stringMatching(/^an error in wlanctl, .*; at .+:\d+:\d+$/) },
    { status: 'applied' }
  ])
})

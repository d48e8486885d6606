import { describe, expect, it } from 'vitest'
import { memorySink } from './apply/support.ts'
import { setRun } from './stage.ts'

const NIGHTS =
  '{ windows: [{ name: nights, days: [mon], from: "22:00", until: "23:00", impact: [reconnect] }] }'
const FREEZE =
  '{ freezes: [{ from: 2026-11-23T00:00, until: 2026-11-24T00:00, reason: stocktaking, except: [none] }] }'
const [NOON, NIGHT] = ['2026-11-23T12:00:00Z', '2026-11-23T22:30:00Z']

describe('an executed plan', () => {
  it.each<[policy: string, at: string, ignoreWindows: boolean, sent: number]>([
    [NIGHTS, NOON, false, 3],
    [NIGHTS, NIGHT, false, 6],
    [NIGHTS, NOON, true, 6],
    [FREEZE, NOON, false, 3],
    [FREEZE, '2026-11-24T00:00:00Z', false, 6]
  ])('%s at %s (windows ignored: %s) sends %i changes', async (policy, at, ignored, sent) => {
    const { plan, simulator } = await setRun()
    const { execute } = await plan(policy, { at })
    const { outcomes } = await execute(ignored ? { ignoreWindows: true } : {})
    expect(outcomes.filter(({ status }) => status === 'applied')).toHaveLength(sent)
    expect(outcomes.filter(({ status }) => status === 'deferred')).toHaveLength(6 - sent)
    expect(simulator.history).toHaveLength(sent)
  })

  it('has waves that stop at a deferred one', async () => {
    const { plan, simulator } = await setRun()
    const { execute } = await plan(`{ rollout: [{ canary: hq }],${NIGHTS.slice(1)}`)
    const { outcomes } = await execute()
    expect(outcomes.map(({ address, status }) => `${address} ${status}`)).toEqual([
      'hq/guest deferred',
      'hq/iot applied',
      's1/guest deferred',
      's1/iot deferred',
      's2/guest deferred',
      's2/iot deferred'
    ])
    expect(simulator.history).toHaveLength(1)
  })

  it('sends nothing if its record cannot be begun', async () => {
    const { plan, simulator } = await setRun()
    const { execute } = await plan()
    let closed = 0
    const append = () => {
      throw new Error('ENOSPC: no space left on device, write')
    }
    const close = async () => {
      closed += 1
    }
    const open = async () => ({ ...memorySink().sink, append, close })
    await expect(execute({ record: { file: 'r.jsonl', open } })).rejects.toMatchObject({
      exitCode: 1,
      message:
        'r.jsonl could not be written: ENOSPC: no space left on device, write; nothing was sent'
    })
    expect([closed, simulator.history]).toEqual([1, []])
  })
})

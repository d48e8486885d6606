import { describe, expect, it } from 'vitest'
import type { FailRule } from '../../../src/simulator/faults/rules.ts'
import { CORP, CORP_PATH, GUEST_PATH, simulate, WLANS } from '../simulate.ts'

/** The calls that every row makes. */
const calls: readonly (readonly [method: string, path: string])[] = [
  ['GET', WLANS],
  ['GET', CORP_PATH],
  ['PUT', CORP_PATH],
  ['GET', CORP_PATH],
  ['GET', `${WLANS}?page=2`],
  ['GET', GUEST_PATH]
]

const kind = '503'
const rows: readonly [what: string, rules: readonly FailRule[], statuses: readonly number[]][] = [
  ['none', [], [200, 200, 200, 200, 200, 200]],
  ['one shot', [{ kind }], [503, 200, 200, 200, 200, 200]],
  ['three times', [{ kind, times: 3 }], [503, 503, 503, 200, 200, 200]],
  ['standing', [{ kind, times: 'always' }], [503, 503, 503, 503, 503, 503]],
  ['by method', [{ kind, method: 'PUT' }], [200, 200, 503, 200, 200, 200]],
  ['by path', [{ kind, path: CORP, times: 9 }], [200, 503, 503, 503, 200, 200]],
  ['by query', [{ kind, path: 'page=' }], [200, 200, 200, 200, 503, 200]],
  ['by pattern', [{ kind, path: /wlans$/g }], [503, 200, 200, 200, 200, 200]],
  [
    'the second GET',
    [{ kind, method: 'GET', path: CORP, skip: 1 }],
    [200, 200, 200, 503, 200, 200]
  ],
  ['all but two', [{ kind, skip: 2, times: 'always' }], [200, 200, 503, 503, 503, 503]],
  ['in their order', [{ kind, times: 2 }, { kind: '500' }], [503, 503, 500, 200, 200, 200]]
]

describe('rules', () => {
  it.each(rows)('%s', async (_, fail, statuses) => {
    const { simulator, send } = await simulate({ switches: { fail } })
    const answered: number[] = []
    for (const [method, path] of calls) {
      const body = method === 'PUT' ? '{"ssid":"New"}' : undefined
      answered.push((await send(method, path, body)).status)
    }
    expect(answered).toEqual(statuses)
    const struck = statuses.filter(status => status >= 500).length
    const { faults } = simulator
    expect(faults['503'] + faults['500']).toBe(struck)
  })

  it('count from when they are set', async () => {
    const { simulator, get } = await simulate({ switches: { fail: [{ kind }] } })
    for (const _ of [1, 2]) {
      expect(await get(WLANS)).toMatchObject({ status: 503 })
      expect(await get(WLANS)).toMatchObject({ status: 200 })
      simulator.set({ fail: [{ kind }] })
    }
    simulator.set({ latency: 0 })
    expect(await get(WLANS)).toMatchObject({ status: 503 })
  })

  it('strike nothing that is refused before', async () => {
    const { simulator, send } = await simulate({ switches: { fail: [{ kind }] } })
    await send('GET', WLANS, undefined, {})
    await send('DELETE', CORP_PATH)
    await send('GET', '/elsewhere')
    expect(simulator.faults[kind]).toBe(0)
  })

  it('answer whatever a test wants, the call carried out or not', async () => {
    const fail: FailRule[] = [
      { answer: { status: 204 } },
      { answer: { status: 200, body: 'null', landed: true } },
      { answer: { status: 418, headers: { 'x-tea': 'yes' }, body: new Uint8Array([0xff, 0x41]) } }
    ]
    const { simulator, put } = await simulate({ switches: { fail } })
    expect(await put(CORP_PATH, { ssid: 'A' })).toMatchObject({ status: 204, body: '' })
    expect(simulator.history).toHaveLength(0)
    expect(await put(CORP_PATH, { ssid: 'B' })).toMatchObject({ status: 200, body: null })
    expect(simulator.history).toHaveLength(1)
    const tea = await put(CORP_PATH, { ssid: 'C' })
    expect(tea).toMatchObject({ status: 418, body: '\ufffdA' })
    expect(tea.headers.get('x-tea')).toBe('yes')
    expect(simulator.faults.answer).toBe(3)
  })
})

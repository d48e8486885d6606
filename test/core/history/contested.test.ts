import { describe, expect, it } from 'vitest'
import { contestedFields, type FieldEvent } from '../../../src/core/history/contested.ts'
import type { Value } from '../../../src/core/values/value.ts'
import { randomInt, seededRandom } from '../../../src/simulator/fleet/random.ts'
import { nth } from '../../support/ids.ts'

const DAY = 86_400_000
const start = Date.parse('2026-06-01T00:00:00Z')
const at = (day: number) => new Date(start + day * DAY).toISOString().replace('.000', '')

/** The changes of a field that had the first value, and then the others on these days. */
function changes(values: readonly (Value | undefined)[], days: readonly number[]): FieldEvent[] {
  return days.map((day, n) => ({
    time: at(day),
    siteId: nth(1),
    wlanId: nth(2),
    pointer: '/vlan_id',
    before: values[n],
    after: values[n + 1]
  }))
}

describe('a contested field', () => {
  it.each([
    ['came back twice', [20, 30, 20, 30, 20], [1, 2, 3, 4], 2],
    [
      'came back three times, from other values',
      [20, 30, 20, 40, 20, 50, 20],
      [1, 2, 3, 4, 5, 6],
      3
    ],
    ['came back as absent', [undefined, 30, undefined, 30, undefined], [1, 2, 3, 4], 2],
    ['came back once', [20, 30, 20], [1, 2], 0],
    ['came back once each, two values', [20, 30, 20, 30], [1, 2, 3], 0],
    ['is a whole network, without values', [undefined, undefined, undefined], [1, 2], 0],
    ['went on', [20, 30, 40, 50, 60], [1, 2, 3, 4], 0],
    ['came back after months', [20, 30, 20, 30, 20], [1, 30, 60, 89], 0],
    ['came back twice in 30 days', [20, 30, 20, 30, 20], [1, 10, 20, 31], 2],
    ['came back twice in 31 days', [20, 30, 20, 30, 20], [1, 10, 20, 32], 0],
    [
      'is a list in another order of members',
      [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }, 1, { a: 1, b: 2 }],
      [1, 2, 3, 4],
      2
    ]
  ])('%s', (_, values, days, returns) => {
    const events = changes(values, days)
    const found = contestedFields([...events].reverse())
    expect(found.map(each => each.returns)).toEqual(returns === 0 ? [] : [returns])
    for (const each of found) expect(each.events).toEqual(events)
  })

  it('says how long its value was away at most', () => {
    const [found] = contestedFields(changes([20, 30, 20, 30, 20], [1, 2, 3, 6]))
    expect(found).toMatchObject({ value: 20, longestAway: 3 * 86_400 })
  })

  it.each(Array.from({ length: 20 }, (_, seed) => seed + 1))(
    'is found among ordinary edits: each of 20 fights among 500 of them, and at most one other (seed %i)',
    seed => {
      const random = seededRandom('contested', seed)
      const pick = (limit: number) => randomInt(random, limit)
      const edits: FieldEvent[] = []
      const live = new Map<string, Value>()
      const days = Array.from({ length: 500 }, () => pick(90)).sort((a, b) => a - b)
      for (const day of days) {
        const [siteId, wlanId, field] = [nth(pick(300)), nth(pick(5)), pick(10)]
        const isSwitch = field < 4
        const key = `${siteId}${wlanId}${field}`
        const before = live.get(key) ?? (isSwitch ? false : 1)
        const after = isSwitch ? before !== true : pick(4094)
        if (after === before) continue
        live.set(key, after)
        edits.push({ time: at(day), siteId, wlanId, pointer: `/field_${field}`, before, after })
      }
      const fights = Array.from({ length: 20 }, (_, n) => {
        const first = pick(60)
        const times = [0, 1, 5, 9].map(day => first + day)
        return changes([20, 30, 20, 30, 20], times).map(event => ({
          ...event,
          siteId: nth(1000 + n)
        }))
      })
      const found = contestedFields([...edits, ...fights.flat()])
      const sites = found.map(({ events }) => events[0]?.siteId)
      for (const [n] of fights.entries()) expect(sites).toContain(nth(1000 + n))
      expect(found.length).toBeLessThanOrEqual(21)
    }
  )
})

import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { formatShard, isInShard, parseShard } from '../../../src/core/model/shard.ts'
import { HQ } from '../../support/ids.ts'

/** Ids as services create them: random and sequential. */
const ids = {
  'made by chance': Array.from({ length: 10_000 }, (_, n) => uuid(`${n}`)),
  'in a row': Array.from(
    { length: 10_000 },
    (_, n) => `10000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
  )
}

function uuid(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32)
  ].join('-')
}

describe.each(Object.entries(ids))('10,000 ids %s', (_, made) => {
  it.each([1, 2, 3, 8, 16, 100])('are divided evenly into %i shards', of => {
    const sizes = Array.from({ length: of }, () => 0)
    const astray = made.filter(id => {
      let homes = 0
      for (let n = 0; n < of; n += 1) {
        if (!isInShard(id, { number: n + 1, of })) continue
        homes += 1
        sizes[n] = (sizes[n] ?? 0) + 1
      }
      return homes !== 1
    })
    expect(astray).toEqual([])
    // Five standard deviations of a random distribution.
    const mean = made.length / of
    const most = 5 * Math.sqrt(mean)
    expect(Math.max(...sizes.map(size => Math.abs(size - mean)))).toBeLessThanOrEqual(most)
  })
})

it('the shard of a site is the same in every version and spelling of its id', () => {
  const numberOf = (of: number, written = HQ) =>
    Array.from({ length: of }, (_, n) => n + 1).find(number => isInShard(written, { number, of }))
  expect([2, 3, 8, 1000].map(of => numberOf(of))).toEqual([1, 1, 1, 329])
  expect(numberOf(1000, HQ.toUpperCase())).toBe(329)
})

test.each(['1/1', '3/8', '8/8', '10000/10000'])('%s is a valid shard', text => {
  const shard = parseShard(text)
  expect(shard && formatShard(shard)).toBe(text)
})

test.each([
  '0/4',
  '5/4',
  'x',
  '',
  '1',
  '1/',
  '/4',
  '01/4',
  '1/04',
  '-1/4',
  '1.0/4',
  '1/4 ',
  '1/10001'
])('%j is an invalid shard', text => {
  expect(parseShard(text)).toBeUndefined()
})

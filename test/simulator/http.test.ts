import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { simulate } from './simulate.ts'

type Numbers = readonly [limit: number, page: number, total: number]

async function listed(wlans: number, query: string, pageSize = 100) {
  const sites = generateFleet({ sites: 1, wlans, seed: 1 })
  const { get } = await simulate({ sites, switches: { pageSize } })
  const { status, headers, body } = await get(`/api/v1/sites/${sites[0]?.id}/wlans${query}`)
  const names = ['x-page-limit', 'x-page-page', 'x-page-total']
  const numbers = names.flatMap(name => (headers.has(name) ? [Number(headers.get(name))] : []))
  const ids = Array.isArray(body) ? body.map(record => record.id) : []
  return { status, numbers, ids, all: sites[0]?.wlans.map(record => record.id) ?? [] }
}

describe('a list of WLANs', () => {
  const rows: readonly [
    wlans: number,
    size: number,
    query: string,
    from: number,
    to: number,
    Numbers | []
  ][] = [
    [7, 100, '', 0, 7, []],
    [100, 100, '', 0, 100, []],
    [101, 100, '', 0, 100, [100, 1, 101]],
    [101, 100, '?page=2&limit=100', 100, 101, [100, 2, 101]],
    [7, 3, '', 0, 3, [3, 1, 7]],
    [7, 3, '?page=2', 3, 6, [3, 2, 7]],
    [7, 3, '?page=3&limit=3', 6, 7, [3, 3, 7]],
    [7, 3, '?page=4&limit=3', 7, 7, [3, 4, 7]],
    [7, 3, '?limit=7', 0, 7, [7, 1, 7]],
    [1001, 100, '?limit=5000', 0, 1000, [1000, 1, 1001]],
    [0, 100, '', 0, 0, []]
  ]
  it.each(rows)(
    'of %i, pages of %i, requested as %j',
    async (wlans, size, query, from, to, numbers) => {
      const list = await listed(wlans, query, size)
      expect(list.ids).toEqual(list.all.slice(from, to))
      expect(list.numbers).toEqual(numbers)
    }
  )

  it.each(['?page=0', '?page=x', '?limit=-1', '?limit=', '?page=1.5'])(
    'rejects %s',
    async query => {
      expect(await listed(1, query)).toMatchObject({ status: 400 })
    }
  )
})

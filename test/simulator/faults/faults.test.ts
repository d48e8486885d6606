import { expect, it } from 'vitest'
import { generateFleet } from '../../../src/simulator/fleet/generate.ts'
import { simulate } from '../simulate.ts'

const sites = generateFleet({ sites: 150, wlans: 0, seed: 1 })
const faults = { '503': 0.2, '429': 0.1 }

/** The status of two calls for each site, in the order of the sites. */
async function fates(seed: number, order: 'forth' | 'back') {
  const { simulator, get } = await simulate({ sites, seed, switches: { faults } })
  const statuses = new Map<string, number[]>()
  const ids = sites.map(site => site.id)
  for (const id of order === 'forth' ? ids : ids.toReversed()) {
    const path = `/api/v1/sites/${id}/wlans`
    statuses.set(id, [(await get(path)).status, (await get(path)).status])
  }
  return { all: ids.flatMap(id => statuses.get(id) ?? []), counts: simulator.faults }
}

it('strikes the same calls for the same seed, in whatever order they come', async () => {
  const [once, again, other] = [
    await fates(1, 'forth'),
    await fates(1, 'back'),
    await fates(2, 'forth')
  ]
  expect(again).toEqual(once)
  expect(other.all).not.toEqual(once.all)
})

it('strikes about as often as it should, and counts each time', async () => {
  const { all, counts } = await fates(3, 'forth')
  const times = (status: number) => all.filter(each => each === status).length
  expect(counts).toMatchObject({ '503': times(503), '429': times(429), reset: 0, answer: 0 })
  expect(times(503)).toBeGreaterThan(35)
  expect(times(503)).toBeLessThan(85)
  expect(times(429)).toBeGreaterThan(12)
  expect(times(429)).toBeLessThan(50)
  expect(times(200)).toBe(all.length - times(503) - times(429))
})

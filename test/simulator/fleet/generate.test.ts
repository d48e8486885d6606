import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import wlanSchema from '../../../schemas/wlan.schema.json' with { type: 'json' }
import { nameProblem, ssidProblem } from '../../../src/core/values/ssid.ts'
import { isUuid } from '../../../src/core/values/uuid.ts'
import { generateFleet } from '../../../src/simulator/fleet/generate.ts'
import { simulate } from '../simulate.ts'

it('generates the same fleet for the same seed, and a prefix of a larger one', () => {
  const fleet = (sites: number, seed: number) =>
    structuredClone(generateFleet({ sites, wlans: 12, seed }))
  expect(fleet(30, 1)).toEqual(fleet(30, 1))
  expect(fleet(50, 1).slice(0, 30)).toEqual(fleet(30, 1))
  expect(fleet(30, 2)).not.toEqual(fleet(30, 1))
})

it('generates unique ids for every site and WLAN, and names that a fleet accepts', () => {
  const sites = generateFleet({ sites: 2000, wlans: 3, seed: 1 })
  const records = sites.flatMap(site => site.wlans)
  const ids = [...sites, ...records].map(({ id }) => id)
  expect(ids.every(isUuid)).toBe(true)
  expect(new Set(ids).size).toBe(2000 + 6000)
  expect(new Set(sites.map(({ name }) => name)).size).toBe(2000)
  expect(sites.map(({ name }) => nameProblem(name)).filter(Boolean)).toEqual([])
  expect(sites.slice(0, 4).map(({ name }) => name)).toEqual([
    'Store 0001 Harbour',
    'Store 0002 Lakeside',
    'Store 0003 Northgate',
    'Harbour Hospital'
  ])
})

it('generates complete WLANs with different SSIDs for a site', () => {
  const [, site] = generateFleet({ sites: 2, wlans: 25, seed: 1 })
  const records = site?.wlans ?? []
  const ssids = records.map(({ ssid }) => ssid)
  expect(ssids.slice(0, 5)).toEqual(['Corp', 'Guest', 'IoT', 'Staff', 'Voice'])
  expect(new Set(ssids).size).toBe(25)
  expect(ssids.map(ssidProblem).filter(Boolean)).toEqual([])
  for (const record of records) {
    expect(record).toMatchObject({ site_id: site?.id, org_id: expect.any(String) })
    expect(Number(record['modified_time'])).toBeGreaterThanOrEqual(Number(record['created_time']))
  }
})

it('generates records that conform to the schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  const validate = ajv.compile(wlanSchema)
  const records = generateFleet({ sites: 3, wlans: 10, seed: 1 }).flatMap(site => site.wlans)
  const errors = records.flatMap(record => (validate(record) ? [] : (validate.errors ?? [])))
  expect(
    errors.map(({ instancePath, message, params }) => ({ instancePath, message, params }))
  ).toEqual([])
})

it('is served unchanged', async () => {
  const sites = generateFleet({ sites: 3, wlans: 10, seed: 1 })
  const { get } = await simulate({ sites })
  for (const site of sites) {
    expect((await get(`/api/v1/sites/${site.id}/wlans`)).body).toEqual(site.wlans)
  }
})

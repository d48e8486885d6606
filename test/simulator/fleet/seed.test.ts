import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/core/model/failure.ts'
import { generateFleet } from '../../../src/simulator/fleet/generate.ts'
import { readSeed } from '../../../src/simulator/fleet/seed.ts'
import type { Json } from '../../../src/simulator/json.ts'
import { CORP, corp, GUEST, HQ, UNKNOWN_ID } from '../simulate.ts'

const site = (over: Json = {}) => ({ id: HQ, name: 'hq', wlans: [], ...(over as object) })

it('reads sites and WLANs, and adds the missing fields of a record', () => {
  const wlan = { id: CORP, ssid: 'Corp', vlan_id: 20 }
  const sites = readSeed(JSON.stringify({ sites: [site({ wlans: [wlan] })] })).sites
  expect(sites).toEqual([
    {
      id: HQ,
      name: 'hq',
      org: expect.any(String),
      wlans: [
        {
          ...wlan,
          site_id: HQ,
          org_id: expect.any(String),
          for_site: true,
          created_time: expect.any(Number),
          modified_time: expect.any(Number)
        }
      ]
    }
  ])
})

it('keeps the fields of a record, and names a site by its id', () => {
  const [read] = readSeed(JSON.stringify({ sites: [{ id: HQ, wlans: [corp] }] })).sites
  expect(read).toEqual({
    id: HQ,
    name: HQ,
    org: corp['org_id'],
    wlans: [{ ...corp, for_site: true }]
  })
})

it('reads a generated fleet from its file', () => {
  const sites = generateFleet({ sites: 4, wlans: 10, seed: 1 })
  expect(readSeed(JSON.stringify({ sites })).sites).toEqual(structuredClone(sites))
})

it('generates sites with the given number of WLANs, and has switches', () => {
  const switches = { latency: 20, hiddenSecrets: 'masked', rateLimit: { calls: 5, perSeconds: 1 } }
  const read = readSeed(JSON.stringify({ sites: 3, wlans: 2, switches }))
  expect(structuredClone(read)).toEqual({
    sites: structuredClone(generateFleet({ sites: 3, wlans: 2, seed: 1 })),
    switches
  })
})

const HUSH = 'hush-hush-hush'
/** A site with WLANs of these members. */
const wlans = (...members: readonly object[]) =>
  site({ wlans: members.map(each => ({ id: CORP, ssid: 'Corp', ...each })) })

/** What, a text or a site, and the paths. */
const rows: readonly [what: string, seed: string | object, ...places: string[]][] = [
  ['no JSON', `{"psk":"${HUSH}",}`, 'JSON'],
  ['no object', '[]', 'object'],
  ['no sites', '{}', 'sites'],
  ['sites that are no list', '{"sites":{}}', 'sites'],
  ['too many sites', '{"sites":100001}', 'sites'],
  ['a switch it does not know', `{"sites":1,"switches":{"speed":"${HUSH}"}}`, 'switches'],
  ['a switch of another type', `{"sites":1,"switches":{"latency":"${HUSH}"}}`, 'switches.latency'],
  ['a site that is no object', '{"sites":["x"]}', 'sites[0]'],
  ['no id', site({ id: null }), 'sites[0].id'],
  ['an invalid id', site({ id: HUSH }), 'sites[0].id'],
  ['an empty name', site({ name: '' }), 'sites[0].name'],
  ['a member it does not know', site({ wlan: [] }), 'sites[0]'],
  ['no WLANs', { id: HQ, name: 'hq' }, 'sites[0].wlans'],
  ['an invalid WLAN', site({ wlans: [HUSH] }), 'sites[0].wlans[0]'],
  ['no SSID', wlans({ ssid: undefined }), 'sites[0].wlans[0].ssid'],
  ['a long SSID', wlans({ ssid: HUSH.repeat(3) }), 'sites[0].wlans[0].ssid'],
  ['the id of another site', wlans({ site_id: UNKNOWN_ID }), 'sites[0].wlans[0].site_id'],
  ['an id twice', wlans({}, { id: CORP.toUpperCase() }), 'sites[0].wlans[1].id'],
  [
    'several things at once',
    site({ name: 7, wlans: [{ id: GUEST }, { ssid: 'x' }] }),
    ...['sites[0].name', 'sites[0].wlans[0].ssid', 'sites[0].wlans[1].id']
  ]
]

describe('rejects, with the path and without a value,', () => {
  it.each(rows)('%s', (_, seed, ...places) => {
    const text = typeof seed === 'string' ? seed : JSON.stringify({ sites: [seed] })
    const failure = failureOf(() => readSeed(text))
    expect(failure).toMatchObject({ exitCode: 3 })
    const said = `${failure.message}\n${failure.hint ?? ''}`
    for (const place of places) expect(said).toContain(place)
    expect(said.split('\n').filter(line => line !== '')).toHaveLength(places.length)
    expect(said).not.toContain(HUSH)
  })
})

function failureOf(action: () => unknown): Failure {
  try {
    action()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

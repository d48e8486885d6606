import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { manySites } from '../support/many.ts'
import { serve } from '../support/server.ts'
import { PSK, type Stage } from '../support/stage.ts'

const SITES = 120
const sites = generateFleet({ sites: SITES, wlans: 1, seed: 1 })

/** The names of the listed sites in order of the fleet, with repetitions. */
function listed({ simulator }: Stage): string[] {
  const ids = simulator.requests.map(({ path }) => path.split('/')[4])
  return sites.flatMap(({ id, name }) => ids.filter(other => other === id).map(() => name))
}

const namesOf = (fits: (site: { id: string; name: string }) => boolean) =>
  sites.filter(fits).map(({ name }) => name)

describe('a fleet with many sites', () => {
  it.each(['plan many', 'drift many', 'snapshot many', 'apply many --yes'])(
    '%s lists each site once',
    async line => {
      const stage = await manySites({ sites: SITES })
      expect(await stage.run(line)).toMatchObject({ code: 0 })
      expect(listed(stage)).toEqual(namesOf(() => true))
    }
  )

  it.each<[flags: string, fits: Parameters<typeof namesOf>[0]]>([
    ['--site *Harbour*', ({ name }) => name.includes('Harbour')],
    ['--site 1*', ({ id }) => id.startsWith('1')],
    ['--wlan *Hospital/corp', ({ name }) => name.endsWith('Hospital')],
    ['--wlan 1*/corp', () => false]
  ])('%s lists no other site', async (flags, fits) => {
    const stage = await manySites({ sites: SITES })
    await stage.run(`plan many ${flags}`)
    expect(listed(stage)).toEqual(namesOf(fits))
  })

  it('a shard lists its own sites', async () => {
    const stage = await manySites({ sites: SITES })
    const first = await stage.run('plan many --shard 1/2')
    expect(first.code).toBe(0)
    expect(new Set(listed(stage)).size).toBe(listed(stage).length)
    await stage.run('plan many --shard 2/2')
    expect(listed(stage)).toEqual(namesOf(() => true))
  })

  it('sites that share a file, and sites that share an id, are listed once', async () => {
    const stage = await manySites({ sites: SITES })
    const list = sites.map(({ id }) => `  - { id: ${id.toUpperCase()} }\n`)
    stage.write('many/a.yaml', `sites:\n${list.join('')}wlans: { more: { ssid: Guest } }\n`)
    const { stdout } = await stage.run('plan many --format json')
    expect(JSON.parse(stdout)).toMatchObject({ summary: { sites: SITES, wlans: 2 * SITES } })
    expect(stage.simulator.requests).toHaveLength(SITES)
  })

  it.each(['!.yaml', 'zzz.yaml'])('is not listed if its file %s is wrong', async file => {
    const stage = await manySites({ sites: SITES })
    stage.write(`many/${file}`, 'wlan: 1\n')
    const { code, stdout, stderr } = await stage.run('plan many')
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain('wlanctl: 1 error; nothing was sent')
    expect(stderr).not.toMatch(/GET|interrupted|bug/)
    expect(stage.simulator.requests).toEqual([])
  })

  it('reports errors in its files before a missing address', async () => {
    const stage = await manySites({ sites: SITES })
    stage.write('many/zzz.yaml', 'wlan: 1\n')
    const without = { WLANCTL_BASE_URL: undefined }
    expect((await stage.run('plan many', without)).stderr).toContain('1 error; nothing was sent')
    stage.write('many/zzz.yaml', '# nothing\n')
    expect((await stage.run('plan many', without)).stderr).toContain('the address of the service')
  })

  it('an error contains no secret that any of its files declares', async () => {
    const stage = await manySites({ sites: SITES })
    const secret = '{ psk: { $env: WLAN_SECRET_GUEST } }'
    const [first] = sites
    stage.write(
      'many/zzz.yaml',
      `site: { id: ${first?.id} }\nwlans: { more: { ssid: Guest, auth: ${secret} } }\n`
    )
    const server = await serve((_arrival, response) => {
      response.writeHead(403, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ detail: `no right to ${PSK}` }))
    })
    const change = { WLANCTL_BASE_URL: server.url }
    const { code, stdout, stderr } = await stage.run('plan many --format json', change)
    await server.close()
    expect(code).toBe(5)
    expect(stdout + stderr).not.toContain(PSK)
    expect(stdout).toContain('no right to (secret)')
    expect(server.arrivals).toHaveLength(SITES)
  })
})

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ORG } from '../../src/simulator/store.ts'
import { nth } from '../support/ids.ts'
import { stage } from '../support/stage.ts'

const guest = (site: number) => ({
  ...{
    id: nth(100 + site),
    ssid: 'Guest',
    site_id: nth(site),
    enabled: true,
    auth: { type: 'open' },
    portal: { enabled: true }
  }
})

const sites = ['store-1', 'store-2', 'store-2', 'bad\u202ename'].map((name, index) => ({
  id: nth(index + 1),
  name,
  wlans: [guest(index + 1)]
}))

const other = { id: nth(50), name: 'elsewhere', org: nth(51), wlans: [] }

describe('--org', () => {
  it.each([100, 3])('imports the sites of the organization, %i a page', async pageSize => {
    const made = await stage({ sites: [...sites, other], switches: { pageSize } })
    const { code, stdout } = await made.run(`import --plain --org ${DEFAULT_ORG} --format json`)
    expect(code).toBe(0)
    const { summary } = JSON.parse(stdout)
    const pages = Math.ceil(4 / pageSize)
    expect(summary).toMatchObject({ sites: 4, sites_failed: 0, requests: 4 + pages })
    expect(made.simulator.requests.filter(({ path }) => path.includes('/orgs/'))).toHaveLength(
      pages
    )
    expect(made.read('sites/store-1.yaml')).toContain('name: store-1\n')
  })

  it('names a new site of a fleet, which is one line in the list of its kind, and shows the line', async () => {
    const stores = [1, 2, 3, 4].map(n => ({
      ...{ id: nth(n), name: `store-${n}`, wlans: [guest(n)], timezone: 'Europe/Berlin' }
    }))
    const made = await stage({ sites: stores })
    made.write('stores.txt', [1, 2, 3].map(n => `${nth(n)} store-${n}\n`).join(''))
    expect((await made.run('import --from stores.txt')).code).toBe(0)
    made.write('sites/org.yaml', `policy: { org: ${DEFAULT_ORG}, unwatched: ignore }\n`)
    const before = made.read('sites/stores.yaml')
    const command = `import ${nth(4)}`
    expect((await made.run('drift sites')).stdout).toContain(command)
    const line = `  - { id: ${nth(4)}, name: store-4, vars: { timezone: Europe/Berlin } }\n`
    const dry = await made.run(`${command} --dry-run`)
    expect(dry.stdout).toContain(`+++ sites/stores.yaml\n+${line}`)
    expect(made.read('sites/stores.yaml')).toBe(before)
    const { code, stdout } = await made.run(command)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`+${line}`) })
    expect(made.read('sites/stores.yaml')).toBe(before + line)
    expect((await made.run('plan sites --detailed-exitcode')).code).toBe(0)
    expect(readdirSync(join(made.cwd, 'sites'))).toHaveLength(3)
  })

  it.each([
    ['that of its group', 'Europe/Berlin', 'groups: [stores] }'],
    ['its own', 'America/New_York', 'groups: [stores], vars: { timezone: America/New_York } }']
  ])('gives a new site %s as time zone', async (_, own, end) => {
    const stores = [1, 2, 3, 4].map(n => ({
      ...{ id: nth(n), name: `store-${n}`, wlans: [guest(n)] },
      timezone: n === 4 ? own : 'Europe/Berlin'
    }))
    const made = await stage({ sites: stores })
    made.write('sites/org.yaml', `policy: { org: ${DEFAULT_ORG} }\n`)
    expect((await made.run(`import --org ${DEFAULT_ORG}`)).code).toBe(0)
    expect(made.read('sites/groups.yaml')).toContain(
      'stores:\n    vars: { timezone: Europe/Berlin }\n'
    )
    const before = made.read('sites/stores.yaml')
    const line = `  - { id: ${nth(4)}, name: store-4, ${end}\n`
    made.write('sites/stores.yaml', before.replace(line, ''))
    expect((await made.run(`import ${nth(4)}`)).stdout).toContain(`+${line}`)
    expect(made.read('sites/stores.yaml')).toBe(before)
  })

  it('uses the default name for sites with a duplicate or invalid name', async () => {
    const made = await stage({ sites })
    expect((await made.run(`import --plain --org ${DEFAULT_ORG}`)).code).toBe(0)
    const { code, stdout } = await made.run('plan sites --format json --detailed-exitcode')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).summary).toMatchObject({ sites: 4, unchanged: 4 })
    expect(made.read(`sites/site-${nth(2)}.yaml`)).toContain(`name: site-${nth(2)}\n`)
  })

  it.each(['import --plain', 'import'])(
    'keeps the time zones of the service: %s',
    async command => {
      const zones = ['Europe/Berlin', 'America/New_York', 'Mars/Olympus', 'Europe/Berlin']
      const zoned = zones.map((timezone, index) => ({
        ...{ id: nth(index + 1), name: `store-${index + 1}`, timezone, wlans: [guest(index + 1)] }
      }))
      const made = await stage({ sites: zoned })
      expect((await made.run(`${command} --org ${DEFAULT_ORG}`)).code).toBe(0)
      const files = readdirSync(join(made.cwd, 'sites')).map(file => made.read(`sites/${file}`))
      const found = files.join('').match(/timezone: .*?(?=[ ,}\n])/g)
      expect(found?.sort()).toEqual([
        'timezone: America/New_York',
        ...['timezone: Europe/Berlin', 'timezone: Europe/Berlin']
      ])
      expect((await made.run('validate sites')).code).toBe(0)
    }
  )

  it.each([404, 405])('requires --from if the service responds %i', async status => {
    const made = await stage({ sites })
    const org = status === 404 ? nth(77) : DEFAULT_ORG
    if (status !== 404) made.simulator.set({ fail: [{ answer: { status, body: '{}' } }] })
    const { code, stderr } = await made.run(`import --org ${org}`)
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`${status}.*\\n  give the sites with \`--from FILE\``, 's'))
    expect(made.methods()).toEqual(['GET'])
  })
})

describe('policy.org', () => {
  const file = (n: number) => `site: { id: ${nth(n)}, name: store-${n} }\n`
  const policy = `policy: { org: "${DEFAULT_ORG}", unmanaged: ignore, lint: { level: off } }\n`

  async function staged() {
    const made = await stage({ sites })
    made.write('shops/policy.yaml', policy)
    made.write('shops/1.yaml', file(1))
    made.write('shops/2.yaml', file(2))
    return made
  }

  it('lets drift report the live sites that no file declares', async () => {
    const made = await staged()
    const { code, stdout } = await made.run('drift shops')
    expect(stdout).toContain('SITE_NOT_DECLARED')
    expect(code).toBe(0)
    expect(stdout).toContain(`wlanctl import ${nth(3)}`)
    made.write('policy.yaml', policy)
    await made.run(`audit --org ${DEFAULT_ORG} --report html=page.html`)
    const command = new RegExp(
      `wlanctl import <span>${nth(3)}</span> <span>${nth(4)}</span></code>`
    )
    expect(made.read('page.html')).toMatch(command)
    const { findings } = JSON.parse((await made.run('drift shops --format json')).stdout)
    expect(findings).toMatchObject([
      { code: 'SITE_NOT_DECLARED', level: 'warning', address: 'bad\u202ename' },
      { code: 'SITE_NOT_DECLARED', level: 'warning', address: 'store-2' }
    ])
    expect(stdout).not.toContain('\u202e')
  })

  it('reports each of them in one shard', async () => {
    const made = await staged()
    const codes: string[] = []
    for (const shard of ['1/2', '2/2']) {
      const { stdout } = await made.run(`drift shops --shard ${shard} --format json`)
      codes.push(...JSON.parse(stdout).findings.map(({ code }: { code: string }) => code))
    }
    expect(codes).toEqual(['SITE_NOT_DECLARED', 'SITE_NOT_DECLARED'])
  })

  it('is read only by a complete drift run', async () => {
    const made = await staged()
    await made.run('plan shops')
    await made.run('drift shops --site store-1')
    expect(made.simulator.requests.filter(({ path }) => path.includes('/orgs/'))).toEqual([])
  })

  it('makes drift incomplete if the service does not list its sites', async () => {
    const made = await staged()
    made.simulator.set({ fail: [{ path: '/orgs/', answer: { status: 403, body: '{}' } }] })
    const { code, stdout } = await made.run('drift shops')
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('ORG_NOT_READ') })
  })

  it('is checked by doctor', async () => {
    const made = await staged()
    const { stdout } = await made.run('doctor shops')
    expect(stdout).toMatch(
      /^ {2}ok +organization +the service lists 4 sites, 2 of them not declared$/m
    )
    const other = await made.run(`doctor shops --org ${nth(77)}`)
    expect(other.stdout).toMatch(/^ {2}wrong +organization +GET .*404/m)
    expect(other.stdout).toContain('--from FILE')
  })
})

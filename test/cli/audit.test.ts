import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readSchema, strictAjv } from '../schemas/schemas.ts'
import { UNKNOWN_ID } from '../simulator/simulate.ts'
import { stage } from '../support/stage.ts'

const WEAK = 'password1'

const uuid = (nth: number) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`

/** Sites with two networks, one of which has problems at the first site. */
const sites = [1, 2, 3, 4].map(nth => ({
  id: uuid(nth),
  name: `site-${nth}`,
  wlans: [
    wlan(nth, 0, 'Corp', {
      auth: nth === 1 ? { type: 'psk', psk: WEAK } : { type: 'eap', pairwise: ['wpa3'] },
      auth_servers:
        nth === 1 ? [] : [{ host: '10.0.0.1', port: 1812, secret: `planted-radius-${nth}` }]
    }),
    wlan(nth, 1, nth === 2 ? 'guest' : 'Guest', {
      auth: { type: 'open' },
      portal: { enabled: true, auth: 'none' },
      isolation: true,
      vlan_enabled: nth !== 1,
      vlan_id: 40
    })
  ]
}))

function wlan(site: number, nth: number, ssid: string, fields: object) {
  const ids = { id: uuid(100 * site + nth), site_id: uuid(site) }
  return { ...ids, ssid, enabled: true, vlan_enabled: true, vlan_id: 20, ...fields }
}

const ids = sites.map(({ id }) => id).join(' ')
const list = sites.map(({ id, name }) => `${id}\t${name}\n`).join('')

async function staged(options: Parameters<typeof stage>[0] = {}) {
  const made = await stage({ sites, ...options })
  made.write('sites.txt', list)
  return made
}

it('an SSID with a variable of the service is a network of its own, under its written name', async () => {
  const templated = sites.map((site, nth) => {
    const [corp, guest] = site.wlans
    const staff = { ...corp, ssid: '{{brand}}-staff', auth: { type: 'eap', pairwise: ['wpa3'] } }
    const guests = { ...guest, ssid: '{{brand}}-guest', vlan_enabled: true }
    return { ...site, wlans: nth === 0 ? [staff, guests] : [staff] }
  })
  const { run } = await staged({ sites: templated as never })
  const { stdout } = await run('audit --from sites.txt --format json')
  const { networks, look_alikes: lookAlikes } = JSON.parse(stdout)
  expect(networks.map(({ ssid, wlans }: never) => [ssid, wlans])).toEqual([
    ['{{brand}}-staff', 4],
    ['{{brand}}-guest', 1]
  ])
  expect(lookAlikes).toEqual([])
  expect(stdout).not.toContain('"auth.type"')
})

describe('audit', () => {
  it('prints the worst problem first and the verdict last, and reads each site once', async () => {
    const made = await staged()
    const { code, stdout, stderr } = await made.run('audit --from sites.txt')
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    expect(stdout).toMatch(/^Problems\n {2}warning {2}guests share/)
    expect(stdout).toMatch(/\nAudit: \d+ warnings and 3 outliers at \d of 4 sites\n$/)
    expect(stdout).toContain('\n8 networks at 4 sites')
    expect(stdout).toMatch(/^ {2}"Corp" +3 +eap \(wpa3\) +20 /m)
    expect(stdout).toMatch(/^ {2} +1 +! psk \(wpa2-ccmp\) +20 .* site-1$/m)
    expect(stdout).toMatch(/^ {2}"Corp" +auth\.type "psk" \("eap" at 3\) +site-1$/m)
    expect(stdout).toMatch(
      /^ {2}"Guest" +missing, but "guest" exists \(present at 3 sites\) +site-2$/m
    )
    expect(stdout).toContain('"Guest" (3), "guest" (1)')
    expect(made.methods()).toEqual(['GET', 'GET', 'GET', 'GET'])
    expect(readdirSync(made.cwd).sort()).toEqual(['fleet', 'sites.txt'])
  })

  it('prints the same bytes for any order of the responses', async () => {
    const made = await staged()
    const one = await made.run('audit --from sites.txt --format json --parallelism 1')
    const many = await made.run('audit --from sites.txt --format json --parallelism 10')
    expect(many).toEqual(one)
  })

  it('conforms to its schema', async () => {
    const made = await staged()
    const { stdout } = await made.run(`audit ${ids} --format json`)
    const validate = strictAjv().compile(readSchema('audit.schema.json'))
    const audit = JSON.parse(stdout)
    validate(audit)
    expect(validate.errors).toBeNull()
    const read = { sites: 4, sites_failed: 0, wlans: 8, requests: 4 }
    expect(audit.summary).toMatchObject({ ...read, errors: 0, warnings: 4, outliers: 3 })
    const rule = { id: 'guest-traffic-untagged', level: 'warning', sites: 1 }
    expect(audit.rules[0]).toMatchObject(rule)
  })

  it('begins with the open network of two sites, then the disabled one', async () => {
    const two = [1, 3].map(nth => ({
      id: uuid(nth),
      name: `site-${nth}`,
      wlans: [
        wlan(nth, 0, 'Corp', { auth: { type: 'eap', pairwise: ['wpa3'] }, enabled: nth === 1 }),
        wlan(nth, 2, 'IoT', { auth: nth === 1 ? { type: 'open' } : { type: 'psk', psk: WEAK } })
      ]
    }))
    const { run } = await staged({ sites: two })
    const { stdout } = await run(`audit --from sites.txt --format markdown`)
    expect(stdout).toContain('### 🔴 `IoT` is open at `site-1`, and `Corp` is off at `site-3`\n')
  })

  it('exits 0 if it finds only notes', async () => {
    const made = await staged()
    const { code, stdout } = await made.run(`audit ${uuid(3)} ${uuid(4)}`)
    expect(stdout).toMatch(/^Audit: No error and no warning at 2 sites$/m)
    expect(code).toBe(0)
  })

  it('exits 5 if a site cannot be read, and names it', async () => {
    const made = await staged()
    const { code, stdout } = await made.run(
      `audit ${UNKNOWN_ID} ${uuid(1)} ${uuid(3)} --format json`
    )
    expect(code).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { sites: 3, sites_failed: 1 },
      unread: [{ site: `site-${UNKNOWN_ID}`, reason: expect.stringMatching(/\S/) }]
    })
    const text = await made.run(`audit ${UNKNOWN_ID} ${uuid(1)}`)
    expect(text.stdout).toMatch(/^Incomplete: 1 site not read\. Audit: /m)
    expect(text.stdout).toMatch(new RegExp(`^Not read \\(1\\)\n {2}site-${UNKNOWN_ID} `, 'm'))
  })

  describe('of a fleet', () => {
    const fleetSites = sites.map(({ id }, nth) => ({ id, name: `branch-${nth + 1}` }))

    async function stagedFleet() {
      const made = await staged()
      const entries = fleetSites.map(site => JSON.stringify({ ...site, groups: ['north'] }))
      const list = entries.map(each => `  - ${each}\n`).join('')
      made.write('wifi/sites.yaml', `groups: { north: {} }\nsites:\n${list}`)
      return made
    }

    it('audits its snapshot without a request', async () => {
      const made = await stagedFleet()
      await made.run('snapshot wifi --out live.json')
      const before = made.methods().length
      const line = 'audit wifi --against live.json --format json'
      const { code, stdout, stderr } = await made.run(line, { WLANCTL_API_TOKEN: undefined })
      expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
      const audit = JSON.parse(stdout)
      expect(audit).toMatchObject({ snapshot: expect.stringMatching(/^20.*Z$/) })
      expect(audit.summary).toMatchObject({ sites: 4, requests: 0, wlans: 8 })
      expect(audit.outliers[0]).toMatchObject({ sites: ['branch-2'], peers: 'group north' })
      expect(made.methods()).toHaveLength(before)
      const { stdout: text } = await made.run('audit wifi --against live.json')
      expect(text).toMatch(/^8 networks at 4 sites, .*snapshot of 20/m)
    })
  })

  it('reads only the sites that --site and --exclude-site select', async () => {
    const made = await staged()
    const list = 'audit --from sites.txt --format json'
    const { code, stdout } = await made.run(`${list} --site site-[1-3] --exclude-site site-2`)
    expect(code).toBe(2)
    expect(JSON.parse(stdout).summary).toMatchObject({ sites: 2, requests: 2 })
    expect(await made.run(`${list} --site none`)).toMatchObject({ code: 3 })
    made.write(
      'wifi/sites.yaml',
      `sites: [{ id: ${uuid(1)}, name: a }, { id: ${uuid(2)}, name: b }]`
    )
    const ofFleet = await made.run('audit wifi --site b')
    expect(ofFleet.stdout).toContain(' at 1 site, 1 request\n')
    for (const line of [list, 'audit wifi --format json']) {
      const parts = ['1/2', '2/2'].map(part => made.run(`${line} --shard ${part}`))
      const read = (await Promise.all(parts)).map(each => JSON.parse(each.stdout).summary.sites)
      expect(read.reduce((sum, each) => sum + each)).toBe(line === list ? 4 : 2)
    }
    expect(await made.run(`${list} --changed-since HEAD`)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('--changed-since: expected a fleet')
    })
  })

  it('prints the log of a step: its parts in folds, the worst as annotations', async () => {
    const made = await staged()
    const { stdout } = await made.run('audit --from sites.txt', { WLANCTL_FORMAT: 'github' })
    expect(stdout).toContain('::group::Outliers: what differs from other sites (3)\n')
    expect(stdout).toMatch(/^::warning title=.*Guest.* is missing at site-2::/m)
    expect(stdout).toMatch(/\nAudit: \d+ warnings and 3 outliers at \d of 4 sites\n$/)
  })
})

import { describe, expect, it } from 'vitest'
import type { WlanRecord } from '../../src/simulator/json.ts'
import { gitEnv, repository } from '../support/git.ts'
import { type Stage, stage } from '../support/stage.ts'
import { tablesIn } from '../support/tables.ts'

const siteId = (n: number) => `10000000-0000-4000-8000-00000000000${n}`
const wlanId = (n: number) => `20000000-0000-4000-8000-00000000000${n}`
const SITES = [1, 2, 3]

/** A repository that declares these WLANs at three sites, and then changes them to `now`; all are live. */
async function renamed(
  then: string,
  now: string,
  live: readonly string[] = ['ACME Guest', 'Staff']
): Promise<Stage> {
  const made = await stage({
    sites: SITES.map(site => ({
      id: siteId(site),
      name: `s${site}`,
      wlans: live.map((ssid, at): WlanRecord => ({ id: wlanId(site * 3 - at), ssid, vlan_id: 20 }))
    }))
  })
  const sites = SITES.map(n => `  - { id: "${siteId(n)}", name: s${n} }`).join('\n')
  const write = (wlans: string) =>
    made.write(
      'fleet/hq.yaml',
      `sites:\n${sites}\nwlans: ${wlans}\nprofiles: { staff: { ssid: Staff } }\n`
    )
  write(then)
  repository(made.cwd)
  write(now)
  return made
}

interface Renamed {
  readonly then: string
  readonly now: string
  readonly summary?: object
}

const tables = tablesIn<
  Readonly<Record<'identified' | 'replaced', Readonly<Record<string, Renamed>>>>
>(import.meta.dirname, 'renames.yaml')

const STAFF = 'staff: { $extends: staff }'
const THEN = `{ ${STAFF}, guest: { ssid: ACME Guest } }`
const NOW = `{ ${STAFF}, guest: { ssid: ACME Free WiFi } }`

/** The SSIDs of the first site, sorted. */
async function ssids({ simulator }: Stage): Promise<string[]> {
  const path = `${simulator.url}/api/v1/sites/${siteId(1)}/wlans`
  const response = await fetch(path, { headers: { authorization: `Token ${simulator.token}` } })
  return ((await response.json()) as WlanRecord[]).map(({ ssid }) => String(ssid)).sort()
}

describe('an SSID that differs from the base', () => {
  it('is renamed', async () => {
    const made = await renamed(THEN, NOW)
    const { code, stdout } = await made.run(`plan fleet --base HEAD --format json`, gitEnv)
    const { changes, findings, summary } = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(summary).toMatchObject({ changed: 3, unchanged: 3, blocked: 0, unmanaged: 0 })
    expect(findings.map((found: { code: string }) => found.code)).not.toContain(
      'NO_LONGER_DECLARED'
    )
    expect(changes[0]).toMatchObject({
      address: 's1/guest',
      causes: { '/ssid': 'declaration' },
      request: { body: { ssid: 'ACME Free WiFi' } }
    })
    const apply = `apply fleet --base HEAD --yes --max-changes all`
    expect(await made.run(apply, gitEnv)).toMatchObject({ code: 0 })
    expect(await ssids(made)).toEqual(['ACME Free WiFi', 'Staff'])
    expect((await made.run(`plan fleet --base HEAD`, gitEnv)).stdout).toContain('No changes')
    expect((await made.run('plan fleet', gitEnv)).stdout).toContain('No changes')
  })

  it.each(Object.entries(tables.identified))(
    'identifies live WLANs if %s',
    async (_, { then, now, summary: sent }) => {
      const made = await renamed(then, now, ['A', 'B'])
      const { stdout } = await made.run('plan fleet --base HEAD --format json', gitEnv)
      const { summary, findings } = JSON.parse(stdout)
      expect(summary).toMatchObject({ blocked: 0, ...sent })
      expect(JSON.stringify(findings)).not.toContain('NO_LONGER_DECLARED')
    }
  )

  it('is not found without a base, with the line that renames it, once for all sites', async () => {
    const made = await renamed(THEN, NOW)
    const { code, stdout } = await made.run('plan fleet')
    expect(code).toBe(5)
    expect(stdout.match(/WLAN_NOT_FOUND/g)).toHaveLength(1)
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'the nearest unmanaged SSID is "ACME Guest": to rename it, add `$match: { ssid: "ACME Guest" }`, or run `plan` and `apply` with `--base REV`'
    )
  })
})

it.each(Object.entries(tables.replaced))(
  'says that another WLAN is declared at an address: %s',
  async (_, { then, now }) => {
    const made = await renamed(then, now, ['A', 'B'])
    const { stdout } = await made.run('plan fleet --base HEAD --site s1', gitEnv)
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /the files declare another live WLAN at this address than "HEAD": the live WLAN "A" \(.+?\) stays on the air/
    )
  }
)

it('compares with a base whose misplaced fields an earlier version let through', async () => {
  const then = `{ ${STAFF}, guest: { ssid: ACME Guest, vlan: 20, roam_mode: off, auth: { isolation: true } } }`
  const made = await renamed(then, NOW)
  const { code, stdout, stderr } = await made.run('plan fleet --base HEAD', gitEnv)
  expect(stdout + stderr).not.toMatch(/FIELD_(?:VALUE_)?UNKNOWN/)
  expect([code, stdout]).toEqual([0, expect.stringContaining('ACME Free WiFi')])
})

it('reports once that a WLAN of many sites is no longer declared', async () => {
  const made = await renamed(THEN, `{ ${STAFF} }`)
  const { stdout } = await made.run('plan fleet --base HEAD', gitEnv)
  expect(stdout.match(/NO_LONGER_DECLARED/g)).toHaveLength(1)
  expect(stdout).toContain(`guest at 3 sites: ${SITES.map(site => `s${site}`).join(', ')}\n`)
  const markdown = await made.run('plan fleet --base HEAD --format markdown', gitEnv)
  expect(markdown.stdout.match(/stays on the air/g)).toHaveLength(1)
})

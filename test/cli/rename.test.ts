import { describe, expect, it } from 'vitest'
import type { WlanRecord } from '../../src/simulator/json.ts'
import { gitEnv, repository } from '../support/git.ts'
import { type Stage, stage } from '../support/stage.ts'

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

  it.each<[what: string, then: string, now: string, live: readonly string[], sent: object]>([
    [
      'two keys are exchanged',
      '{ a: { ssid: A }, b: { ssid: B } }',
      '{ a: { ssid: B }, b: { ssid: A } }',
      ['A', 'B'],
      { changed: 0, unchanged: 6 }
    ],
    [
      'a new key declares the former SSID',
      '{ a: { ssid: A } }',
      '{ a: { ssid: B }, c: { ssid: A } }',
      ['A', 'B'],
      { changed: 0, unchanged: 6 }
    ],
    [
      'each WLAN takes the SSID of the next',
      '{ a: { ssid: A }, b: { ssid: B } }',
      '{ a: { ssid: B }, b: { ssid: C } }',
      ['A', 'B'],
      { changed: 6, blocked: 0 }
    ],
    [
      'the base does not manage the WLAN',
      '{ a: { ssid: A, $managed: false } }',
      '{ a: { ssid: B } }',
      ['A', 'B'],
      { changed: 0, unchanged: 3, unmanaged: 3 }
    ],
    [
      'a WLAN takes the SSID of another that keeps it',
      '{ a: { ssid: A }, b: { ssid: B } }',
      '{ a: { ssid: B }, b: { ssid: B } }',
      ['A', 'B'],
      { changed: 3, unchanged: 3 }
    ]
  ])('identifies live WLANs if %s', async (_, then, now, live, sent) => {
    const made = await renamed(then, now, live)
    const { stdout } = await made.run('plan fleet --base HEAD --format json', gitEnv)
    const { summary, findings } = JSON.parse(stdout)
    expect(summary).toMatchObject({ blocked: 0, ...sent })
    expect(JSON.stringify(findings)).not.toContain('NO_LONGER_DECLARED')
  })

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

it.each([
  ['a key takes the place of another', '{ a: { ssid: A }, b: { ssid: B } }', '{ a: { ssid: B } }'],
  [
    'a declaration has another $match',
    '{ a: { ssid: A } }',
    '{ a: { $match: { ssid: B }, ssid: C } }'
  ],
  [
    'a declaration has another id',
    `{ a: { id: "${wlanId(3)}", ssid: A } }`,
    `{ a: { id: "${wlanId(2)}", ssid: B } }`
  ]
])('says that another WLAN is declared at an address: %s', async (_, then, now) => {
  const made = await renamed(then, now, ['A', 'B'])
  const { stdout } = await made.run('plan fleet --base HEAD --site s1', gitEnv)
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /the files declare another live WLAN at this address than "HEAD": the live WLAN "A" \(.+?\) stays on the air/
  )
})

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
  for (const site of SITES) expect(stdout).toContain(`s${site}/guest`)
  const markdown = await made.run('plan fleet --base HEAD --format markdown', gitEnv)
  expect(markdown.stdout.match(/stays on the air/g)).toHaveLength(1)
})

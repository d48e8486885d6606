import { describe, expect, it, test } from 'vitest'
import type { WlanRecord } from '../../src/simulator/json.ts'
import { gitEnv, repository } from '../support/git.ts'
import { stage } from '../support/stage.ts'

const idOf = (kind: number, n: number) =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** A site with this many WLANs of its own, each with this VLAN. */
const fileOf = (site: number, wlans: number, vlan: number) => {
  const blocks = Array.from(
    { length: wlans },
    (_, n) => `  w${n}: { ssid: W${n}, vlan_id: ${vlan} }\n`
  )
  return `site: { id: ${idOf(1, site)}, name: s${site} }\nwlans:\n${blocks.join('')}`
}

/** Ten sites with four WLANs each, of VLAN 1. */
async function estate() {
  const sites = Array.from({ length: 10 }, (_, site) => ({
    id: idOf(1, site),
    name: `s${site}`,
    wlans: Array.from(
      { length: 4 },
      (_, n): WlanRecord => ({
        ...{ id: idOf(2, site * 4 + n), site_id: idOf(1, site) },
        ...{ ssid: `W${n}`, vlan_id: 1, enabled: true, auth: { type: 'eap' } }
      })
    )
  }))
  const made = await stage({ sites })
  made.write('fleet/hq.yaml', 'groups: {}\n')
  for (let site = 0; site < 10; site += 1) made.write(`fleet/s${site}.yaml`, fileOf(site, 4, 1))
  return made
}

describe('a percentage is of all WLANs that the files declare', () => {
  test.each<[changed: number, options: string, code: number]>([
    [3, '', 0],
    [3, '--changed-since HEAD', 0],
    [4, '--site s[0-3]', 4],
    [4, '--changed-since HEAD', 4],
    [4, '--wlan w*', 4],
    [4, '--wlan w[0-2]', 0]
  ])('%i of 10 sites change, %j: exit %i', async (changed, options, code) => {
    const made = await estate()
    repository(made.cwd)
    for (let site = 0; site < changed; site += 1)
      made.write(`fleet/s${site}.yaml`, fileOf(site, 4, 2))
    const ended = await made.run(`apply fleet --yes ${options}`.trim(), gitEnv)
    expect(ended.code).toBe(code)
    if (code === 4) expect(ended.stderr).toContain(`${changed * 4} of 40 declared WLANs`)
  })

  it('without the changes that wait', async () => {
    const made = await estate()
    const shut = new Date(Date.now() + 2 * 3_600_000).toISOString().slice(11, 13)
    made.write(
      'fleet/hq.yaml',
      `policy: { timezone: UTC, windows: [{ name: nights, from: "${shut}:00", until: "${shut}:30", impact: [none, some, reconnect, guest-login, outage] }] }\n`
    )
    for (let site = 0; site < 10; site += 1) made.write(`fleet/s${site}.yaml`, fileOf(site, 4, 2))
    const plan = await made.run('plan fleet --report json=out.json')
    expect(plan.code).toBe(0)
    expect(JSON.parse(made.read('out.json')).refusals ?? []).toEqual([])
    expect((await made.run('apply fleet --yes')).code).toBe(0)
    expect((await made.run('apply fleet --yes --ignore-windows')).code).toBe(4)
    expect(made.methods()).not.toContain('PUT')
  })
})

import { describe, expect, it } from 'vitest'
import { HQ } from '../simulator/simulate.ts'
import { stage } from '../support/stage.ts'

/** Two WLANs for the site of the simulator, with an override, a group and a default. */
const estate = (override: string) => `groups:
  south: { vars: { vlan: 31 } }
sites:
  - id: ${HQ}
    name: hq
    groups: [south]
    wlans:
      guest: { ${override} }
wlans:
  corp: { ssid: Corp, vlan_id: { $var: vlan }, enabled: { $var: none, $default: false } }
  guest: { ssid: Guest }
`

async function planOf(override: string) {
  const made = await stage()
  made.write('fleet/hq.yaml', estate(override))
  const { code, stdout } = await made.run('plan fleet --format json')
  expect(code).toBe(0)
  return JSON.parse(stdout)
}

describe('an estate', () => {
  it('is planned with what a site declares otherwise, each field at its place', async () => {
    const { changes } = await planOf('dtim: 3')
    expect(changes).toMatchObject([
      { address: 'hq/corp', request: { body: { vlan_id: 31, enabled: false } } },
      { address: 'hq/guest', request: { body: { dtim: 3 } } }
    ])
    expect(changes.map(({ places }: { places: object }) => places)).toMatchObject([
      { '/vlan_id': { line: 2, column: 26 }, '/enabled': { line: 10 } },
      { '/dtim': { file: 'hq.yaml', line: 8, column: 22 } }
    ])
  })

  it('leaves out a WLAN that is not managed, and does not report it as unmanaged', async () => {
    const { summary, changes, unmanaged } = await planOf('$managed: false')
    const before = await planOf('$managed: true')
    expect(changes).toHaveLength(1)
    expect(summary).toMatchObject({ wlans: 1, unmanaged: before.summary.unmanaged })
    expect(unmanaged).toEqual(before.unmanaged)
  })
})

import { describe, expect, it } from 'vitest'
import type { Change } from '../../src/core/model/plan.ts'
import { placesOfField } from '../../src/report/fields/field-changes.ts'
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

describe('a fleet with groups and overrides', () => {
  it('lists every declaration of a changed value, in the plan and in the HTML report', async () => {
    const made = await stage()
    made.write('fleet/hq.yaml', estate('dtim: 3').replace('ssid: Guest', 'ssid: Guest, dtim: 2'))
    const { code } = await made.run('plan fleet --out plan.json --report html=plan.html')
    expect(code).toBe(0)
    const { changes } = JSON.parse(made.read('plan.json'))
    expect(changes.map(({ sources }: { sources: object }) => sources)).toMatchObject([
      {
        '/vlan_id': [
          { role: 'value', kind: 'group', name: 'south', variable: 'vlan', value: 31 },
          { role: 'reference', kind: 'WLAN', place: { file: 'hq.yaml', line: 10 } }
        ]
      },
      {
        '/dtim': [
          { role: 'value', kind: 'override', value: 3, place: { file: 'hq.yaml', line: 8 } },
          { role: 'hidden', kind: 'WLAN', value: 2, place: { file: 'hq.yaml', line: 11 } }
        ]
      }
    ])
    const [, dtim] = changes.map((change: Change) =>
      placesOfField(change, { op: 'add', path: '/dtim', value: 3 })
    )
    expect(dtim).toEqual(['hq.yaml:8  3, override of the site', 'hq.yaml:11  2, WLAN (hidden)'])
    expect(made.read('plan.html')).toContain('hq.yaml:11  2, WLAN (hidden)')
    expect(await made.run('show plan.json')).toMatchObject({ code: 0 })
  })
})

import { expect, it } from 'vitest'
import { startingTests } from '../../../src/author/init/starting-tests.ts'
import { load } from '../../fleet/fleet.ts'

const clinic = (n: number, more = '') =>
  `  - { id: 00000000-0000-4000-8000-00000000000${n}, name: clinic-${n}, groups: [south, clinics]${more} }\n`

const files = {
  'groups.yaml': 'groups: { clinics: {}, south: {} }\n',
  'clinics.yaml': `sites:
${[1, 2, 3, 4, 5, 6].map(n => clinic(n)).join('')}${clinic(7, ', wlans: { med: { $managed: false } }')}${clinic(8, ', wlans: { guest: { portal: { enabled: false } } }')}
wlans:
  guest: { ssid: Guest, auth: { type: open }, portal: { enabled: true }, isolation: true }
  med: { ssid: Med, auth: { type: psk, psk: { $env: WLAN_SECRET_MED } } }
`,
  'hq.yaml': `site: { id: 00000000-0000-4000-8000-000000000099, name: hq, groups: [south] }
wlans: { corp: { ssid: Corp, auth: { type: eap } } }
`
}

it('the tests of a new fleet hold the networks and the security of each kind, and freeze no fault', async () => {
  const { desired, findings } = await load(files)
  expect(findings.filter(({ level }) => level === 'error')).toEqual([])
  const [file] = startingTests(desired?.sites ?? [])
  expect(file?.text.split('\n').slice(1).join('\n')).toBe(`tests:
  - name: "no network is open without a login"
    except: [{ sites: ["clinic-8"], reason: has an open network }]
    wlans: { where: ["auth.type=open", "auth.owe!=required", "!portal.enabled", "!auth.enable_mac_auth", "!cisco_cwa.enabled", "enabled"] }
    total: 0

  - name: "each site of clinics has guest, with the same security"
    sites: { groups: ["clinics"] }
    except: [{ sites: ["clinic-8"], reason: differs since its import }]
    wlans: { key: "guest" }
    count: 1
    same: [security, portal.enabled, isolation, vlan_enabled]

  - name: "each site of clinics has med, with the same security"
    sites: { groups: ["clinics"] }
    except: [{ sites: ["clinic-7"], reason: differs since its import }]
    wlans: { key: "med" }
    count: 1
    same: [security, portal.enabled, isolation, vlan_enabled]
`)
})

it('the tests of a new fleet are none without networks', async () => {
  const { desired } = await load({ 'hq.yaml': files['hq.yaml'].replace(/wlans.*/, 'wlans: {}') })
  expect(startingTests(desired?.sites ?? [])).toEqual([])
})

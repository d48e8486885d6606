import { createHash } from 'node:crypto'
import type { SimulatedSite } from '../../src/simulator/store.ts'

/** A random-looking id for the nth object of a kind. */
export function uuidOf(kind: string, n: number): string {
  const hex = createHash('sha256').update(`${kind} ${n}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4000-8000-${hex.slice(20, 32)}`
}

/** This many sites with two WLANs each; some of them differ from `variedFiles`. */
export function variedSites(count: number): SimulatedSite[] {
  return Array.from({ length: count }, (_, n) => ({
    id: uuidOf('site', n),
    name: `store-${n}`,
    wlans: [
      {
        id: uuidOf('corp', n),
        ssid: 'Corp',
        vlan_id: n % 3 === 0 ? 10 : 20,
        roam_mode: `M${n % 3}`
      },
      {
        id: uuidOf('guest', n),
        ssid: n % 7 === 0 ? 'Visitors' : 'Guest',
        auth: { type: n % 5 === 0 ? 'open' : 'psk', psk: `live-psk-${n}` },
        ...(n % 11 === 0 ? { template_id: uuidOf('template', 1), dtim: 3 } : {})
      },
      ...(n % 4 === 0 ? [{ id: uuidOf('other', n), ssid: 'Nobody' }] : [])
    ]
  }))
}

/** A fleet of these sites with findings of every kind. */
export function variedFiles(count: number, rollout = false): Readonly<Record<string, string>> {
  const sites = Array.from({ length: count }, (_, n) => n)
  const list = (from: number) =>
    sites
      .filter(n => n % 2 === from)
      .map(n => `  - { id: ${uuidOf('site', n)}, name: store-${n}, vars: { mode: "M${n % 3}" } }\n`)
      .join('')
  const wlans = `wlans:
  corp: { ssid: Corp, vlan_id: 20, roam_mode: { $var: mode } }
  guest: { $extends: guest, auth: { psk: { $env: WLAN_SECRET_UNSET } } }
`
  return {
    'even.yaml': `sites:\n${list(0)}${wlans}`,
    'odd.yaml': `sites:\n${list(1)}${wlans}  extra: { ssid: Guest, dtim: 2 }\n`,
    'nothing.yaml': '# nothing\n',
    'policy.yaml': `profiles:
  guest: { ssid: Guest, dtim: 2, bands: ["24", "7"] }
policy:
  unmanaged: error
  unknown_values: warn
  lint: { rules: { same-ssid-other-security: off, ssid-lookalike: off } }
${rollout ? '  rollout: [{ canary: store-1 }, { tens: "store-1*" }]\n' : ''}  rules:
    - name: no-psk
      message: not so
      level: warning
      require: { properties: { auth: { properties: { type: { const: eap } }, required: [type] } } }
    - name: no-corp
      message: nor so
      level: warning
      require: { properties: { vlan_id: { const: 21 } } }
`
  }
}

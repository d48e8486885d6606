import { describe, expect, test } from 'vitest'
import { diff } from '../../src/core/diff/diff.ts'
import { overlayWlan } from '../../src/core/diff/overlay.ts'
import { effectsOf } from '../../src/core/plan/effects/effects.ts'
import type { Pointer } from '../../src/core/values/pointer.ts'
import type { ValueObject } from '../../src/core/values/value.ts'
import { formats } from '../../src/report/formats.ts'
import type { PlanReport } from '../../src/report/report.ts'
import { record, env as secret } from '../core/plan/support.ts'
import { pageText } from '../support/page-text.ts'
import { changeOf, plain, planOf } from './plans.ts'

const guest = {
  ssid: 'Net',
  enabled: true,
  auth: { type: 'open' },
  portal: { enabled: true, auth: 'none' },
  portal_allowed_subnets: [],
  schedule: { enabled: false },
  dns_server_rewrite: { enabled: false },
  isolation: true,
  vlan_enabled: true,
  vlan_id: 40
}
const things = {
  ssid: 'Net',
  enabled: true,
  apply_to: 'site',
  auth: { type: 'psk', psk: 'a-key-of-things' },
  bands: ['24']
}
const staff = { ...things, auth: { type: 'psk', pairwise: ['wpa2-ccmp', 'wpa3'] } }
const corp = { ...things, auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.5' }] }
const closed = { mon: '', tue: '', wed: '', thu: '', fri: '', sat: '', sun: '' }

type Harm = readonly [
  what: string,
  before: object,
  after: ValueObject,
  inPlan: string,
  inDrift: string | undefined,
  exposed?: Pointer
]

/** Harmful changes in the order of their danger, and what the headlines of a plan and of a drift report say of each. */
const harms: readonly Harm[] = [
  [
    'a portal that is switched off',
    guest,
    { portal: { enabled: false } },
    'let people into Net without a login',
    'lets people into Net without the login'
  ],
  [
    'a garden to everywhere',
    guest,
    { portal_allowed_subnets: ['0.0.0.0/0'] },
    'let people into Net without a login',
    'lets people into Net without the login'
  ],
  [
    'hours all closed',
    guest,
    { schedule: { enabled: true, hours: closed } },
    'switch off Net',
    'has no Net Wi-Fi'
  ],
  [
    'a scope that is emptied',
    things,
    { apply_to: 'aps', ap_ids: [] },
    'switch off Net',
    'has no Net Wi-Fi'
  ],
  [
    '2.4 GHz to 5 GHz',
    things,
    { bands: ['5'] },
    'take Net off some access points, bands or times',
    'has no Net Wi-Fi in parts or at times'
  ],
  ['another name', things, { ssid: 'Other' }, 'rename Net', 'has Net with another name'],
  [
    'another key',
    things,
    { auth: { psk: secret('another-key') } },
    'give Net another key',
    'has Net with another key'
  ],
  [
    'guests in the VLAN of staff',
    guest,
    { vlan_id: 30 },
    'put guests and staff into the VLAN of Net',
    undefined,
    '/vlan_id'
  ],
  [
    'RADIUS at a public address',
    corp,
    { auth_servers: [{ host: '8.8.4.4' }] },
    'send logins of Net to a public address',
    undefined,
    '/auth_servers'
  ],
  [
    'isolation off',
    guest,
    { isolation: false },
    'let clients of Net reach each other',
    'lets clients of Net reach each other'
  ],
  [
    'DNS elsewhere',
    guest,
    { dns_server_rewrite: { enabled: true, radius_groups: { g: '9.9.9.9' } } },
    'send names, logins or records of Net to other servers',
    'sends logins or names of Net elsewhere'
  ],
  [
    'no WPA2',
    staff,
    { auth: { pairwise: ['wpa3'] } },
    'keep some clients out of Net',
    'keeps clients out of Net'
  ]
]

function reportOf(kind: PlanReport['kind'], harm: Harm): PlanReport {
  const [, before, after, , , exposed] = harm
  const usual = record(before)
  const edited = overlayWlan(usual, after)
  const isDrift = kind === 'drift'
  const [declared, live] = isDrift ? [usual, edited] : [edited, usual]
  const { patch, secrets } = diff(declared, live, { secretsShown: () => true })
  const exposes = exposed === undefined ? [] : [exposed]
  const effects = effectsOf(patch, live, secrets, { isDrift, exposes })
  const wlan = { id: '1', ssid: String(live['ssid']) }
  const change = changeOf('hq/net', undefined, {}, { wlan, patch, ...effects })
  return { kind, plan: planOf([change]) }
}

describe('a harmful change is never blue, and takes the headline', () => {
  test.each(harms.map(harm => [harm[0], harm] as const))('%s', (_, harm) => {
    for (const kind of ['plan', 'drift'] as const) {
      const headline = kind === 'plan' ? `The changes ${harm[3]} at hq` : harm[4] && `hq ${harm[4]}`
      if (headline === undefined) continue
      const report = reportOf(kind, harm)
      expect(formats.text(report, { ...plain, width: 200 })).toContain(`\n${headline}\n`)
      expect(formats.markdown(report, plain).replaceAll('`', '')).toMatch(
        new RegExp(`^### (?:🔴|🟠) ${headline}$`, 'm')
      )
      const page = formats.html(report, plain)
      expect(pageText(page)).toContain(headline)
      expect(page).not.toContain('class="note"')
    }
  })

  test('and the worst comes first', () => {
    const changes = harms.map((harm, nth) => {
      const [change] = reportOf('plan', harm).plan.changes
      return {
        ...change,
        address: `s${nth}/net${nth}`,
        site: { id: String(nth), name: `s${nth}` },
        wlan: { id: String(nth), ssid: `N${nth}` }
      }
    })
    const text = formats.text({ kind: 'plan', plan: planOf(changes as never) }, plain)
    const found = [...text.matchAll(/^ {2}(s\d+)\/net/gm)].map(([, site]) => site)
    expect(found).toEqual(harms.map((_, nth) => `s${nth}`))
  })
})

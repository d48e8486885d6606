import { describe, expect, it } from 'vitest'
import type { Change, NotCompared, Plan } from '../../src/core/model/plan.ts'
import { formats } from '../../src/report/formats.ts'
import type { RenderOptions } from '../../src/report/report.ts'
import { renderText } from '../../src/report/text/text.ts'
import {
  changeOf,
  dangerous,
  env,
  guest,
  live,
  notFound,
  plain,
  planOf,
  staff,
  tagged,
  tills,
  unread
} from './plans.ts'

const id = '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b0f'
const text = (plan: Plan, options: RenderOptions = plain) =>
  renderText({ kind: 'plan', plan }, options)
const unwrapped = { ...plain, width: Number.POSITIVE_INFINITY }
const drift = (plan: Plan, options: RenderOptions = plain) =>
  renderText({ kind: 'drift', plan }, options)

/** A plan with every kind of entry. */
const full = planOf([guest, staff, tills], {
  not_compared: [
    { address: 'hq/corp', pointers: ['/auth_servers/0/secret', '/auth_servers/1/secret'] },
    { address: 'store-kiel/staff', pointers: ['/auth/psk'] }
  ],
  unmanaged: [
    { site: 'hq', id, ssid: 'IoT' },
    { site: 'store-bonn', id, ssid: 'old printers' }
  ],
  findings: [notFound, unread('store-essen', 1)],
  summary: { sites: 4, sites_failed: 1, wlans: 11, unchanged: 5, blocked: 1, requests: 4 }
})

describe('a plan', () => {
  it('at 80 columns', () => {
    expect(text(full)).toMatchInlineSnapshot(`
      "Changes (3)
        hq/guest  sites/hq.yaml:12  "Visitors"
          clients stay out until they have the new key and join the new name
          auth.psk   (secret) changed, from WLAN_SECRET_GUEST_PSK
          dtim       (unset)    → 2
          hide_ssid  true       → false
          ssid       "Visitors" → "Guest"
          vlan_id    "20"       → 40
        store-bonn/staff  sites/store-bonn.yaml:12  "staff"
          clients reconnect
          ap_ids
            - "00000000-0000-4000-8000-000000000001"
            + "00000000-0000-4000-8000-000000000003"
            + "00000000-0000-4000-8000-000000000004"
            1 other unchanged
          auth.pairwise  ["wpa2-ccmp"] → ["wpa2-ccmp", "wpa3"]
          auth_servers
            - { host: "radius-2.example.com", port: 1812, secret: (secret) }
            + { host: "radius-3.example.com", port: 1812, secret: (secret from
              WLAN_SECRET_RADIUS) }
            1 other unchanged
        store-kiel/tills  sites/store-kiel.yaml:12  "tills"
          max_idletime  1800 → 3600

      Not compared: secrets that are unavailable or hidden by the service (3)
        staff at store-bonn  portal.sponsor_password
        corp at hq           auth_servers.0.secret, auth_servers.1.secret
        staff at store-kiel  auth.psk

      Unmanaged: live but not declared (2)
        hq          "IoT"           7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b0f
        store-bonn  "old printers"  7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b0f

      fleet/sites/hq.yaml:30:3: error: no live WLAN has the SSID "Lobyb"
        [WLAN_NOT_FOUND]
        hq/lobby
        did you mean "Lobby"?
      store-essen: error: the site could not be read: GET
        /api/v1/sites/00000000-0000-4000-8000-000000000001/wlans: 503: Service
        unavailable. [SITE_NOT_READ]

      11 WLANs on 4 sites: 3 changed, 5 unchanged, 1 blocked, 2 not read; 2 unmanaged;
      4 requests
      digest sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
      Incomplete: 1 WLAN blocked, 1 site not read. Plan: 3 WLANs to change (1 outage,
      1 reconnect)
      "
    `)
  })

  it('with secrets of servers that differ from site to site', () => {
    const plan = planOf([], {
      not_compared: ['hq', 'lab'].map((site, nth) => ({
        address: `${site}/corp`,
        pointers: ['/auth_servers/0/secret', '/auth_servers/1/secret'],
        names: { '/auth_servers/0': `10.0.${nth}.1`, '/auth_servers/1': `10.0.${nth}.2` }
      }))
    })
    expect(text(plan, { colour: false, width: 80 })).toContain(
      '  corp at 2 sites  auth_servers[].secret\n'
    )
  })

  it('with equal changes on many sites', () => {
    const roll = (site: string) =>
      changeOf(`${site}/guest`, 'reconnect', { dtim: [1, 2], vlan_id: [20, 40] })
    const stores = ['store-aachen', 'store-augsburg', 'store-bonn', 'store-bremen', 'store-essen']
    const changes = [
      ...stores.map(name => roll(name)),
      changeOf('store-kiel/guest', 'reconnect', { dtim: [1, 2], vlan_id: ['20', 40] }),
      roll('store-koeln'),
      roll('store-mainz')
    ]
    const hidden = [...stores, 'hq'].map(site => ({
      address: `${site}/${site === 'hq' ? 'corp' : 'staff'}`,
      pointers: ['/auth/psk']
    }))
    const shown = text(planOf(changes, { not_compared: hidden }))
    expect(shown).toContain(
      '  guest on 8 sites  "guest"\n    clients reconnect\n    dtim     1  → 2\n'
    )
    expect(shown).toContain(
      '    store-aachen, store-augsburg, store-bonn, store-bremen, store-essen,\n'
    )
    expect(shown).toContain('\n  staff at 5 sites  auth.psk\n  corp at hq        auth.psk\n')
  })

  it('lists secrets by their source, at any path', () => {
    const change = changeOf('hq/guest', 'reconnect', {
      'auth.keys': [undefined, [env('KEY_1'), env('KEY_2')]],
      'auth.psk': [undefined, env('PSK')],
      'portal.password': [live(), null],
      radsec: [undefined, { enabled: true, idp: { key: env('IDP') } }]
    })
    expect(text(planOf([change]))).toMatchInlineSnapshot(`
      "Changes (1)
        hq/guest  sites/hq.yaml:12  "guest"
          clients reconnect
          auth.keys
            (unset) → [(secret from WLAN_SECRET_KEY_1), (secret from
              WLAN_SECRET_KEY_2)]
          auth.psk         (secret) set, from WLAN_SECRET_PSK
          portal.password  (secret) → null
          radsec
            (unset) → { enabled: true, idp: { key: (secret from WLAN_SECRET_IDP) } }

      8 WLANs on 3 sites: 1 changed, 7 unchanged, 0 blocked; 0 unmanaged; 3 requests
      digest sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
      Plan: 1 WLAN to change (1 reconnect)
      "
    `)
  })
})

describe('a security downgrade', () => {
  const opened = changeOf(
    'hq/lab',
    'reconnect',
    { 'auth.type': ['psk', 'open'], isolation: [true, false], vlan_id: [20, 40] },
    { downgrades: ['/auth/type', '/isolation'] }
  )
  const lax = changeOf(
    'hq/staff',
    undefined,
    {
      auth_servers: [
        [{ host: 'radius-1.example.com', require_message_authenticator: true }],
        [{ host: 'radius-1.example.com', require_message_authenticator: false }]
      ]
    },
    { downgrades: ['/auth_servers/0/require_message_authenticator'] }
  )

  it('precedes any impact, and is marked at its fields', () => {
    const shown = text(planOf([guest, opened, lax]), unwrapped)
    expect(shown.match(/^\w.* \(\d\)$/gm)).toEqual([
      'Open: anybody gets in (1)',
      'Less secure: weaker encryption, or clients that reach each other (1)',
      'Changes (1)'
    ])
    expect(shown).toMatch(
      /^ {4}auth_servers {2}\(downgrade\)\n {6}- \{ host: "radius-1\.example\.com"/m
    )
    expect(shown.trimEnd().split('\n').slice(-2)).toEqual([
      'The changes open lab at hq, and lower the security of staff at hq',
      'Plan: 3 WLANs to change (1 downgrade with reconnect, 1 downgrade, 1 outage)'
    ])
  })

  it('with colour', () => {
    expect(
      tagged(text(planOf([opened, tills]), { colour: true, width: 80 }))
    ).toMatchInlineSnapshot(`
      "<red><b>Open: anybody gets in (1)</b></>
        <b>hq/lab</b>  <dim>sites/hq.yaml:12</b>  "lab"
          <dim>clients reconnect</b>
          auth.type  <red>"psk"</> → <red>"open"</><red>  (downgrade)</>
          isolation  <red>true</>  → <red>false</><red>  (downgrade)</>
          vlan_id    <red>20</>    → <green>40</>

      <b>Changes (1)</b>
        <b>store-kiel/tills</b>  <dim>sites/store-kiel.yaml:12</b>  "tills"
          max_idletime  <red>1800</> → <green>3600</>

      <dim>8 WLANs on 3 sites: 2 changed, 6 unchanged, 0 blocked; 0 unmanaged; 3 requests</b>
      <yellow>2 of 3 sites change</>
      <dim>digest sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef</b>
      <red><b>The changes open lab at hq</b></>
      <b>Plan: 2 WLANs to change (1 downgrade with reconnect)</b>
      "
    `)
  })

  it('that is an outage, too, counts once in the verdict and the headings', () => {
    const rekeyed = (address: string, over: Partial<Change> = {}) =>
      changeOf(address, 'outage', { 'auth.type': ['psk', 'open'] }, over)
    const downgraded = { downgrades: ['/auth/type'] }
    const plan = planOf([
      rekeyed('hq/a'),
      rekeyed('hq/b', downgraded),
      rekeyed('hq/c', { ...downgraded, resets_radio: true }),
      rekeyed('hq/d', downgraded)
    ])
    const counts = [
      '1 downgrade with outage and radio reset',
      '2 downgrades with outage',
      '1 outage'
    ]
    const shown = text(plan, unwrapped)
    expect(shown).toContain(`Plan: 4 WLANs to change (${counts.join(', ')})`)
    expect(shown.match(/^\w.* \(\d\)$/gm)).toEqual(['Open: anybody gets in (3)', 'Changes (1)'])
  })

  it('is listed as the effect of fixing drift', () => {
    const lines = drift(planOf([opened, tills]), unwrapped)
      .trimEnd()
      .split('\n')
    expect(lines).toContain('    fixing it: clients reconnect')
    expect(lines.at(-1)).toContain('(fixing causes 1 downgrade with reconnect)')
  })
})

describe('a drift', () => {
  it('is printed as a difference', () => {
    const moved = dangerous(guest, 'other-key', '/auth/psk')
    const [head, , effect] = drift(planOf([moved, tills]), unwrapped).split('\n')
    expect(head).toBe(
      'Cut off: clients do not get in, or not at some access points, bands or times; live → declared (1)'
    )
    expect(effect).toBe(
      '    fixing it: clients stay out until they have the new key and join the new name'
    )
    expect(
      drift(planOf([moved, tills]))
        .split('\n')
        .slice(-6)
    ).toEqual([
      '8 WLANs on 3 sites: 2 changed, 6 unchanged, 0 blocked; 0 unmanaged; 3 requests',
      '2 of 3 sites differ from the files',
      'digest sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      'hq has Guest with another key',
      'Drift: 2 of 8 WLANs differ from the declaration (fixing causes 1 outage)',
      ''
    ])
  })
})

describe('a field that exceeds the width', () => {
  const wide = (before: string[], after: string[]) =>
    text(planOf([changeOf('hq/corp', undefined, { wxtag_ids: [before, after] })]))
      .split('\n')
      .slice(2, -5)
  const ids = Array.from({ length: 9 }, (_, n) => `tag-${n}-of-a-long-list`)

  it('lists removed and added elements, and counts the unchanged ones', () => {
    expect(wide(ids, [...ids.slice(1), 'another'])).toEqual([
      '    wxtag_ids',
      '      - "tag-0-of-a-long-list"',
      '      + "another"',
      '      8 others unchanged'
    ])
  })

  it('is printed in full if only the order differs', () => {
    const lines = wide(ids.slice(0, 5), ids.slice(0, 5).reverse())
    expect(lines.filter(line => line.startsWith('      -'))).toHaveLength(5)
    expect(lines.filter(line => line.startsWith('      +'))).toHaveLength(5)
  })

  it('counts duplicate elements', () => {
    const twice = [...ids, 'tag-0-of-a-long-list']
    expect(wide(twice, ids)).toEqual([
      '    wxtag_ids',
      '      - "tag-0-of-a-long-list"',
      '      9 others unchanged'
    ])
  })

  it('wraps between its elements', () => {
    for (const line of wide([], ids)) expect(line.length).toBeLessThanOrEqual(80)
  })
})

it.each([
  [0, 'No changes: no WLANs are declared'],
  [1, 'No changes: the WLAN is as declared'],
  [2, 'No changes: all 2 WLANs are as declared']
])('counts %i WLANs', (wlans, verdict) => {
  const summary = { wlans, unchanged: wlans }
  expect(text(planOf([], { summary })).trimEnd().split('\n').at(-1)).toBe(verdict)
})

it.each<[not_compared: NotCompared[], text: string]>([
  [[], 'all 8 WLANs are as declared'],
  [
    [{ address: 'hq/guest', pointers: ['/auth/psk'] }],
    'all 8 WLANs are as declared, apart from 1 secret that was not compared'
  ],
  [
    [
      { address: 'hq/guest', pointers: ['/auth/psk'] },
      { address: 'hq/corp', pointers: ['/auth_servers/0/secret', '/auth_servers/1/secret'] }
    ],
    'all 8 WLANs are as declared, apart from 3 secrets that were not compared'
  ]
])('does not claim that an uncompared secret is in sync: %j', (not_compared, verdict) => {
  const plan = planOf([], { not_compared })
  expect(text(plan, unwrapped).trimEnd().split('\n').at(-1)).toBe(`No changes: ${verdict}`)
  expect(drift(plan, unwrapped).trimEnd().split('\n').at(-1)).toBe(`No drift: ${verdict}`)
})

it('does not claim that there is no drift if nothing was read', () => {
  const plan = planOf([], { summary: { sites: 2, sites_failed: 2, wlans: 4, unchanged: 0 } })
  const verdict = 'Incomplete: 2 sites not read. Nothing was compared'
  expect(text(plan).trimEnd().split('\n').at(-1)).toBe(verdict)
  expect(drift(plan).trimEnd().split('\n').at(-1)).toBe(verdict)
})

describe('undeclared WLANs', () => {
  const on = (count: number, more: object) =>
    Array.from({ length: count }, (_, n) => ({ site: `store-${n + 1}`, id, ssid: 'IoT', ...more }))

  it('with the same SSID share a line, which says whether they belong to a template', () => {
    const plan = planOf([], {
      unmanaged: [...on(5, {}), ...on(1, {})],
      inherited: [...on(4, { ssid: 'Corp', template: 'ab12' }), ...on(1, { ssid: 'Lab' })]
    })
    expect(text(plan).split('\n\n')[0]).toMatchInlineSnapshot(`
      "Unmanaged: live but not declared (6)
        5 sites: store-1, store-2, store-3 and 2 more  "IoT""
    `)
    const shown = formats.markdown({ kind: 'plan', plan }, plain)
    expect(shown).toContain('`template ab12`')
  })
})

describe('large numbers', () => {
  const summary = { sites: 5000, wlans: 10_000, unchanged: 10_000, requests: 5000 }
  const none = planOf([], { summary })
  const sites = Array.from({ length: 1500 }, (_, n) =>
    changeOf(`s-${2000 + n}/wifi-2024`, undefined, { dtim: [1, 2] })
  )
  const many = planOf(sites, {
    summary: { ...summary, sites_failed: 1234, changed: 1500, unchanged: 7000, unmanaged: 2000 }
  })

  it('have separators', () => {
    const words = [
      '1,234 sites not read',
      '1,500 WLANs to change',
      '7,000 unchanged',
      '2,000 unmanaged'
    ]
    expect(text(none)).toContain('No changes: all 10,000 WLANs are as declared')
    expect(words.filter(word => !text(many, unwrapped).includes(word))).toEqual([])
    expect(text(many)).not.toContain('wifi-2,024')
  })
})

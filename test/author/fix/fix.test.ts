import { describe, expect, it } from 'vitest'
import { nth } from '../../support/ids.ts'
import { fixed, type LiveRecords } from './fixed.ts'

const POLICY = 'policy:\n  lint: { level: info }\n'
const site = (name: string, n = 0) => `site: { id: ${nth(n)}, name: ${name} }\n`

describe('a safe fix', () => {
  it.each<[what: string, before: string, live: object, after: string]>([
    [
      'removes an option with the comment on its line',
      `wlans:
  guest:
    ssid: Guest
    auth:
      # how guests join
      type: psk
      owe: required   # for later
      psk: { $env: WLAN_SECRET_PSK }
    # the VLAN of guests
    vlan_id: 20
`,
      { auth: { type: 'psk', psk: 'a', owe: 'required' }, vlan_id: 20, vlan_enabled: true },
      `wlans:
  guest:
    ssid: Guest
    auth:
      # how guests join
      type: psk
      psk: { $env: WLAN_SECRET_PSK }
    # the VLAN of guests
    vlan_id: 20
`
    ],
    [
      'removes the first and the last member of a map between braces',
      `wlans:
  guest: { ssid: Guest, auth: { owe: required, type: psk, psk: { $env: WLAN_SECRET_PSK }, anticlog_threshold: 16 } }
`,
      { auth: { type: 'psk', psk: 'a', owe: 'required', anticlog_threshold: 16 } },
      `wlans:
  guest: { ssid: Guest, auth: { type: psk, psk: { $env: WLAN_SECRET_PSK } } }
`
    ],
    [
      'removes a block whose only member has no effect',
      `wlans:
  guest:
    ssid: Guest
    bands: ["5"]
    auth:
      owe: required

    enabled: true
`,
      { bands: ['5'], enabled: true, auth: { type: 'psk', psk: 'a', owe: 'required' } },
      `wlans:
  guest:
    ssid: Guest
    bands: ["5"]

    enabled: true
`
    ]
  ])('%s', async (_, before, live, expected) => {
    const files = { 'hq.yaml': site('hq') + POLICY + before }
    const records: LiveRecords = { hq: [{ ssid: 'Guest', ...live }] }
    const { after, result } = await fixed(files, { live: records })
    expect(result.left).toEqual([])
    expect(after['hq.yaml']).toBe(site('hq') + POLICY + expected)
    expect(result.fixes.map(({ safe }) => safe)).not.toContain(false)
    const again = await fixed(after, { live: records })
    expect(again.result.files).toEqual([])
  })
})

describe('a fix that is not safe', () => {
  const files = {
    'hq.yaml': `${site('hq')}wlans: { lobby: { ssid: Lobby, enabled: true, isolation: false, apply_to: site, auth: { type: open } } }\n`
  }

  it('is left, with its impact', async () => {
    const { result } = await fixed(files, { live: { hq: [{ ssid: 'Lobby', isolation: false }] } })
    expect(result).toEqual({
      files: [],
      fixes: [],
      left: [
        {
          rule: 'open-without-isolation',
          address: 'hq/lobby',
          reason: 'the plan would change',
          unsafe: true,
          impact: 'reconnect'
        }
      ]
    })
  })

  it('is made with `unsafe`', async () => {
    const { after, result } = await fixed(files, { unsafe: true })
    expect(after['hq.yaml']).toBe(files['hq.yaml'].replace('isolation: false', 'isolation: true'))
    expect(result.fixes).toMatchObject([{ safe: false, impact: 'reconnect' }])
  })
})

describe('a fix in a profile', () => {
  it('reaches all sites', async () => {
    const text = `${POLICY}profiles:
  base:
    ssid: Guest
    auth: { type: psk, psk: { $env: WLAN_SECRET_PSK }, owe: required }
sites:
  - { id: ${nth(0)}, name: a }
  - { id: ${nth(1)}, name: b }
wlans: { guest: { $extends: base } }
`
    const record = { ssid: 'Guest', auth: { type: 'psk', psk: 'a', owe: 'required' } }
    const live = { a: [record], b: [record] }
    const { after, result } = await fixed({ 'stores.yaml': text }, { live })
    expect(after['stores.yaml']).toBe(text.replace(', owe: required', ''))
    expect(result.fixes).toMatchObject([
      { rule: 'owe-ignored', layers: ['profile base'], addresses: ['a/guest', 'b/guest'] }
    ])
    const own = await fixed({ 'stores.yaml': text }, { live, layer: 'site' })
    expect(own.after['stores.yaml']).toBe(
      text
        .replace('name: a }', 'name: a, wlans: { guest: { $unset: ["/auth/owe"] } } }')
        .replace('name: b }', 'name: b, wlans: { guest: { $unset: ["/auth/owe"] } } }')
    )
  })

  it('is not safe if a site that no run reads takes the value from it', async () => {
    const text = `policy:
  lint: {}
  excluded_sites: [{ site: b, reason: a test, until: 2099-01-31 }]
profiles:
  base: { ssid: Guest, auth: { type: psk, psk: { $env: WLAN_SECRET_PSK }, owe: required } }
sites:
  - { id: ${nth(0)}, name: a }
  - { id: ${nth(1)}, name: b }
wlans: { guest: { $extends: base } }
`
    const live = { a: [{ ssid: 'Guest', auth: { type: 'psk', psk: 'a', owe: 'required' } }] }
    const { result } = await fixed({ 'stores.yaml': text }, { live })
    expect(result).toMatchObject({
      files: [],
      left: [{ rule: 'owe-ignored', reason: expect.stringContaining('the policy excludes') }]
    })
    const own = await fixed({ 'stores.yaml': text }, { live, layer: 'site' })
    expect(own.after['stores.yaml']).toContain(
      'name: a, wlans: { guest: { $unset: ["/auth/owe"] } } }'
    )
  })
})

it('removes a value with an anchor where it removes its aliases', async () => {
  const own = (name: string, n: number) =>
    `${site(name, n)}wlans:\n  corp: { ssid: corp, client_limit_up: &a 2000 }\n  guest: { ssid: guest, client_limit_up: *a }\n`
  const files = { 'a.yaml': own('a', 1), 'b.yaml': own('b', 2) }
  const live = {
    a: [{ ssid: 'corp' }, { ssid: 'guest' }],
    // A limit that is live passes.
    b: [{ ssid: 'corp' }, { ssid: 'guest', client_limit_up: 2000 }]
  }
  const { result, after } = await fixed(files, { live, unsafe: true })
  expect(after).toEqual({
    'a.yaml': `${site('a', 1)}wlans:\n  corp: { ssid: corp }\n  guest: { ssid: guest }\n`,
    'b.yaml': files['b.yaml']
  })
  expect(result.left).toMatchObject([
    { address: 'b/corp', reason: expect.stringContaining('the alias names no anchor') }
  ])
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LanguageServer } from './language-server.ts'

let editor: LanguageServer

beforeAll(async () => {
  editor = await LanguageServer.start(new URL('../../schemas/fleet.schema.json', import.meta.url))
})

afterAll(() => editor.stop())

const site = `site:
  id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b
  name: hq
  vars: { guest_vlan: 40 }
wlans:
`

const OVERRIDE = `sites:
  - id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b
    wlans:
      guest:
        `

describe('valid fleets', () => {
  it.each([
    [
      'WLANs',
      `${site}  corp:
    id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b
    ssid: Corp
    vlan_id: 20
    rateset:
      24: { template: no-legacy }
      "5": { min_rssi: -70 }
  guest:
    $extends: guest-base
    $match: { ssid: Visitors }
    ssid: { $format: "Guest {number}" }
    vlan_id: { $var: guest_vlan }
    bands: ["24", { $var: band }]
    auth: { type: psk, psk: { $env: WLAN_SECRET_GUEST_PSK } }
    auth_servers:
      - { host: 192.0.2.1, port: 1812, secret: { $file: radius } }
`
    ],
    [
      'secrets from variables',
      `${site}  corp:
    auth: { type: psk, psk: { $var: key, $default: { $env: WLAN_SECRET_KEY } } }
    auth_servers:
      - { host: 192.0.2.1, secret: { $var: radius } }
    acct_servers:
      - { host: 192.0.2.1, secret: { $var: radius } }
    portal: { twilio_auth_token: { $var: portal } }
    airwatch: { api_key: { $var: airwatch } }
`
    ],
    [
      'groups and overrides',
      `groups:
  south: { vars: { radius: 10.2.0.10 } }
sites:
  - id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b
    groups: [south]
    wlans:
      guest: { $unset: [dtim, /auth/psk], isolation: false, vlan_id: { $var: v, $default: 4 } }
      iot: { $managed: false }
wlans:
  guest: { ssid: Guest, auth: { $var: auth, $default: { type: open } } }
  iot: { ssid: IoT }
profiles:
  renamed: { $match: { ssid: Old } }
`
    ]
  ])('have no diagnostics in %s', async (_, text) => {
    expect(await editor.diagnose(text)).toEqual([])
  })
})

describe('invalid fleets', () => {
  it.each([
    ['an unknown field', `${site}  corp:\n    ssid: Corp\n    hide_sid: true\n`, 8, /hide_sid/],
    ['an invalid type', `${site}  corp:\n    hide_ssid: "yes"\n`, 7, /boolean/],
    ['a number out of range', `${site}  corp:\n    vlan_id: 9999\n`, 7, /4094/],
    [
      'a typo in a rule',
      'policy:\n  rules:\n    - name: a\n      message: b\n      require: { propertis: {} }\n',
      5,
      /propertis/
    ],
    ['an invalid member in an override', `${OVERRIDE}auth: { typ: psk }\n`, 5, /typ/],
    ['a $default without $var', `${site}  corp: { hide_ssid: { $default: true } }\n`, 6, /\$var/],
    ['a test without an expectation', 'tests:\n  - name: a\n    sites: hq\n', 2, /count/],
    ['WLANs without a site', 'wlans: {}\n', 1, /site/]
  ])('have a diagnostic for %s at its line', async (_, text, line, message) => {
    const diagnostics = await editor.diagnose(text)
    expect(diagnostics.map(diagnostic => diagnostic.line)).toEqual(diagnostics.map(() => line))
    expect(diagnostics.map(diagnostic => diagnostic.message)).toContainEqual(
      expect.stringMatching(message)
    )
  })
})

describe('completion and hover', () => {
  it('offers the fields of a WLAN and the keys of wlanctl', async () => {
    const offered = await editor.complete(`${site}  corp:\n    `)
    expect(offered).toEqual(expect.arrayContaining(['ssid', 'vlan_id', 'auth', '$extends', 'id']))
    expect(offered).not.toContain('created_time')
  })

  it.each([
    ['a site', 'sites:\n  - ', ['groups', 'vars', 'wlans']],
    ['a group', 'groups:\n  south:\n    ', ['vars']],
    ['a test', 'tests:\n  - name: a\n    ', ['sites', 'wlans', 'count', 'same', 'require']],
    ['tested WLANs', 'tests:\n  - name: a\n    wlans:\n      ', ['where', 'key']],
    ['an override', OVERRIDE, ['$unset', '$managed', '$match', 'ssid', 'id']],
    ['a reference', `${site}  corp:\n    hide_ssid:\n      $var: a\n      `, ['$default']]
  ])('offers the keys of %s', async (_, text, keys) => {
    expect(await editor.complete(text)).toEqual(expect.arrayContaining(keys))
  })

  it.each([
    ['$unset', /does not declare/],
    ['$managed', /not managed/],
    ['$default', /do not set the variable/],
    ['groups', /later group wins/],
    ['$match', /current SSID|another SSID/]
  ])('describes %s', async (word, description) => {
    const wlan =
      '{ $unset: [a], $managed: true, $match: { ssid: a }, dtim: { $var: a, $default: 2 } }'
    const text = `sites:\n  - { id: a, groups: [b], wlans: { corp: ${wlan} } }\nwlans: {}\n`
    expect(await editor.hover(text, word)).toMatch(description)
  })

  it('offers the members of a field', async () => {
    expect(await editor.complete(`${site}  corp:\n    auth:\n      `)).toContain('psk')
  })

  it('offers the values of a field', async () => {
    expect(await editor.complete(`${site}  corp:\n    apply_to: `)).toEqual(
      expect.arrayContaining(['aps', 'site', 'wxtags'])
    )
  })

  it.each([
    ['a field', 'dtim', /Beacon intervals/],
    ['a field that is defined for several', 'vlan_id', /VLAN of the clients/],
    ['a secret', 'psk', /Pre-shared key/],
    ['a member of an element', 'port', /UDP port/]
  ])('describes %s', async (_, word, description) => {
    const wlan = 'dtim: 2, vlan_id: 3, auth: { psk: a }, auth_servers: [{ host: h, port: 1 }]'
    expect(await editor.hover(`${site}  corp: { ${wlan} }\n`, word)).toMatch(description)
  })
})

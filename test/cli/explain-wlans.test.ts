import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Change } from '../../src/core/model/plan.ts'
import { placesOfField } from '../../src/report/fields/field-changes.ts'
import { HQ } from '../simulator/simulate.ts'
import { nth } from '../support/ids.ts'
import { folder, startOnScreen, wlanctl } from '../support/program.ts'
import { runs } from '../support/properties.ts'
import { stage } from '../support/stage.ts'

const FILES = {
  'profiles.yaml': `profiles:
  base: { dtim: 2, isolation: true, auth: { type: psk, psk: { $env: "WLAN_SECRET_{store}" } } }
groups:
  south: { vars: { vlan: 40, store: s } }
`,
  'stores.yaml': `sites:
  - id: ${nth(1)}
    name: a/b
    groups: [south]
    vars: { vlan: 41 }
    wlans:
      guest: { isolation: false, $unset: [dtim] }
  - { id: ${nth(2)}, name: c, groups: [south], wlans: { iot: { $managed: false } } }
wlans:
  guest:
    $extends: base
    ssid: Guest
    vlan_id: { $var: vlan, $default: 1 }
  iot: { ssid: IoT, $match: { ssid: Things }, $protect: true, id: ${nth(9)} }
policy: { plaintext_secrets: allow }
`
}

function fleet(files: Readonly<Record<string, string>> = FILES): string {
  const cwd = folder()
  mkdirSync(join(cwd, 'fleet'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, 'fleet', name), text)
  return cwd
}

const run = (words: readonly string[], cwd = fleet()) =>
  wlanctl([...words, '--fleet', 'fleet'], { cwd })

describe('explain --as', () => {
  it('prints the effective WLANs, secrets by reference, without network or secrets', async () => {
    const { code, stdout, stderr } = await run(['explain', '--as', 'yaml'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const psk = { $env: 'WLAN_SECRET_S' }
    const iot = { id: nth(9), $match: { ssid: 'Things' }, $protect: true, ssid: 'IoT' }
    expect(parse(stdout)).toEqual({
      'a/b/guest': { isolation: false, auth: { type: 'psk', psk }, ssid: 'Guest', vlan_id: 41 },
      'a/b/iot': iot,
      'c/guest': {
        dtim: 2,
        isolation: true,
        auth: { type: 'psk', psk },
        ssid: 'Guest',
        vlan_id: 40
      },
      'c/iot': { ...iot, $managed: false }
    })
  })

  it.each([
    [['c/guest'], ['c/guest']],
    [['*/iot'], ['a/b/iot', 'c/iot']],
    [
      ['c/iot', 'c/*'],
      ['c/guest', 'c/iot']
    ]
  ])('prints %j as JSON', async (addresses, keys) => {
    const { stdout } = await run(['explain', ...addresses, '--as', 'json'])
    expect(Object.keys(JSON.parse(stdout))).toEqual(keys)
  })

  it('takes the name of a site for all of its WLANs', async () => {
    for (const name of ['a/b', 'c']) {
      const ofGlob = await run(['explain', `${name}/*`, '--as', 'yaml'])
      expect(await run(['explain', name, '--as', 'yaml'])).toEqual({ ...ofGlob, code: 0 })
    }
    expect((await run(['explain', 'guest', '--as', 'yaml'])).stderr).not.toContain('did you mean')
  })

  it('prints YAML that loads to the same WLANs', async () => {
    const values = fc.record(
      {
        dtim: fc.nat(3),
        isolation: fc.boolean(),
        bands: fc.subarray(['24', '5']),
        hostname_ie: fc.boolean()
      },
      { requiredKeys: [] }
    )
    await fc.assert(
      fc.asyncProperty(values, values, fc.string({ maxLength: 8 }), async (below, above, ssid) => {
        const text = JSON.stringify({
          profiles: { p: below },
          sites: [{ id: nth(1), name: 's', wlans: { w: above } }],
          wlans: { w: { $extends: 'p', ssid: `x${ssid}` } }
        })
        const first = await run(['explain', '--as', 'json'], fleet({ 'a.yaml': text }))
        fc.pre(first.code === 0)
        const { 's/w': w } = parse(
          (await run(['explain', '--as', 'yaml'], fleet({ 'a.yaml': text }))).stdout
        )
        const plain = JSON.stringify({ site: { id: nth(1), name: 's' }, wlans: { w } })
        const again = await run(['explain', '--as', 'json'], fleet({ 'a.yaml': plain }))
        expect(again.stdout).toBe(first.stdout)
      }),
      runs(8)
    )
  })
})

describe('explain of a WLAN', () => {
  it('prints the source of each value, and the values that it overrides', async () => {
    const { code, stdout } = await run(['explain', 'a/b/guest'])
    expect(code).toBe(0)
    expect(
      stdout.replaceAll(/ +$/gm, '').replaceAll(/(?<=\S) {2,}/g, '  ')
    ).toBe(`a/b/guest  fleet/stores.yaml:10:3

  auth.type  "psk"  fleet/profiles.yaml:2:51  profile "base"
  ssid  "Guest"  fleet/stores.yaml:12:11  WLAN

isolation  false
  value  fleet/stores.yaml:7:27  false  override of the site
  hidden  fleet/profiles.yaml:2:31  true  profile "base"

auth.psk  (secret from WLAN_SECRET_S)
  value  fleet/profiles.yaml:2:61  (secret from WLAN_SECRET_{store})  profile "base"

vlan_id  41
  value  fleet/stores.yaml:5:19  41  variable "vlan" of the site
  hidden  fleet/profiles.yaml:4:26  40  variable "vlan" of the group "south"
  hidden  fleet/stores.yaml:13:38  1  default of the variable
  reference  fleet/stores.yaml:13:14  { $var: "vlan", $default: 1 }  WLAN
`)
  })

  it('prints a field on two lines where one is too narrow', async () => {
    const words = ['explain', 'a/b/guest', '--fleet', 'fleet']
    const { stdout } = await startOnScreen(words, { cwd: fleet(), env: { NO_COLOR: '1' } }, 50)
      .ended
    expect(stdout).toMatch(
      /^ {2}auth\.type {2}"psk"\n {4}\S*profiles\.yaml:2:51\s+profile "base"$/m
    )
  })

  it.each([
    [
      'of a field',
      'a/b/guest',
      'vlan_id',
      ['value site', 'hidden group', 'hidden default', 'reference WLAN']
    ],
    ['that is unset', 'a/b/guest', 'dtim', ['value unset', 'hidden profile']]
  ])('prints the sources %s as JSON', async (_, address, field, expected) => {
    const { code, stdout } = await run(['explain', address, field, '--format', 'json'])
    expect(code).toBe(0)
    const { fields } = JSON.parse(stdout).wlan
    const sources: { role: string; kind: string }[] = fields[0].sources
    expect(sources.map(({ role, kind }) => `${role} ${kind}`)).toEqual(expected)
  })

  it('prints no secret, whatever field it is in', async () => {
    const secrets = 'plain-psk-one plain-psk-two plain-psk-three plain-psk-four'.split(' ')
    const [one, two, three, four] = secrets
    const text = `policy: { plaintext_secrets: allow }
profiles:
  p: { auth: { type: psk, psk: ${one} }, auth_servers: [{ host: 10.0.0.1, secret: ${four} }] }
sites:
  - { id: ${nth(1)}, name: s, vars: { psk: ${two}, part: part-of-it-all }, wlans: { w: { auth: { psk: { $format: "${three}-{part}" } } } } }
wlans:
  w: { $extends: p, ssid: A, auth: { psk: { $var: psk } } }
`
    const cwd = fleet({ 'a.yaml': text })
    const printed = await Promise.all(
      [
        ['s/w'],
        ['s/w', 'auth.psk'],
        ['s/w', '/auth_servers/0'],
        ['s/w', '/auth_servers/0/secret']
      ].flatMap(words =>
        [
          ['explain', '--as', 'yaml'],
          ['explain', '--as', 'worksheet'],
          ['explain', ...words],
          ['explain', ...words, '--format', 'json']
        ].map(each => run(each, cwd))
      )
    )
    for (const { code, stdout } of printed) {
      expect(code).toBe(0)
      for (const secret of [...secrets, 'part-of-it-all']) expect(stdout).not.toContain(secret)
    }
  })
})

const WORK = `groups:
  south: { vars: { radius: 10.2.0.10 } }
sites:
  - { id: ${nth(1)}, name: "a:b", groups: [south], wlans: { corp: { vlan_id: 41 } } }
  - { id: ${nth(2)}, name: c, groups: [south], wlans: { guest: { $managed: false } } }
wlans:
  corp:
    ssid: Corp
    vlan_id: 40
    auth: { type: eap }
    rateset: { "24": { template: no-legacy } }
    auth_servers:
      - { host: { $var: radius }, secret: { $env: WLAN_SECRET_RADIUS } }
      - { host: 10.0.0.2, port: 1645, secret: { $file: second } }
  guest: { ssid: Guest, bands: ["24", "5"] }
`

describe('explain --as worksheet', () => {
  it('prints each setting with its description on a line, and secrets by reference', async () => {
    const { code, stdout, stderr } = await run(
      ['explain', 'a:b/corp', '--as', 'worksheet'],
      fleet({ 'a.yaml': WORK })
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const settings = stdout.split('\n').flatMap(line => {
      const [, name, value] = /^ {4}(\S.*?) {2,}(\S.*?) {2,}\S/.exec(line) ?? []
      return name === undefined ? [] : [[name, value]]
    })
    expect(settings).toEqual([
      ['ssid', '"Corp"'],
      ['vlan_id', '41'],
      ['auth.type', '"eap"'],
      ['rateset.24.template', '"no-legacy"'],
      ['auth_servers #1 host', '"10.2.0.10"'],
      ['auth_servers #1 secret', '(secret from WLAN_SECRET_RADIUS)'],
      ['auth_servers #2 host', '"10.0.0.2"'],
      ['auth_servers #2 port', '1645'],
      ['auth_servers #2 secret', '(secret from the file second)']
    ])
    expect(stdout).toContain(`a:b/corp  site "a:b", ${nth(1)}\n`)
    expect(stdout).toContain('Settings that are not listed stay at their defaults.')
  })
})

/** Two WLANs for the site of the simulator, with an override, a group and a default. */
const fileOf = (override: string) => `groups:
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
    made.write('fleet/hq.yaml', fileOf('dtim: 3').replace('ssid: Guest', 'ssid: Guest, dtim: 2'))
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

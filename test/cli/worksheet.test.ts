import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HQ } from '../simulator/simulate.ts'
import { nth } from '../support/ids.ts'
import { folder, wlanctl } from '../support/program.ts'
import { stage } from '../support/stage.ts'

const FLEET = `groups:
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

async function worksheet(...words: readonly string[]) {
  const cwd = folder()
  mkdirSync(join(cwd, 'fleet'))
  writeFileSync(join(cwd, 'fleet/a.yaml'), FLEET)
  return wlanctl(['explain', ...words, '--as', 'worksheet', '--fleet', 'fleet'], { cwd })
}

describe('explain --as worksheet', () => {
  it('prints each setting with its description on a line, and secrets by reference', async () => {
    const { code, stdout, stderr } = await worksheet('a:b/corp')
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

  it('is named in the plan of a missing WLAN', async () => {
    const made = await stage()
    made.write(
      'fleet/hq.yaml',
      `site: { id: ${HQ}, name: hq }\nwlans: { new: { ssid: Brand-New } }\n`
    )
    const { stdout, stderr } = await made.run('plan fleet')
    expect(stdout + stderr).toContain('wlanctl explain ADDRESS --as worksheet')
  })
})

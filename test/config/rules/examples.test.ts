import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../support/program.ts'
import { HQ, indent, lines, load } from '../fleet.ts'

const policy = readFileSync(join(ROOT, 'examples/policy/policy.yaml'), 'utf8')

describe('the rules of examples/policy', () => {
  it.each([
    [
      'corporate-needs-a-login',
      'ssid: Corp\nauth: { type: psk }',
      '8:19 RULE_BROKEN wlans.w.auth.type'
    ],
    ['corporate-needs-a-login', 'ssid: corp-legacy', '6:3 RULE_BROKEN wlans.w'],
    ['guests-are-fenced-in', 'ssid: Guest', '6:3 RULE_BROKEN wlans.w'],
    [
      'guests-are-fenced-in',
      'ssid: Visitors\nisolation: false\nclient_limit_down_enabled: true\nclient_limit_down: 10',
      '8:16 RULE_BROKEN wlans.w.isolation'
    ],
    [
      'guests-are-fenced-in',
      'ssid: Visitors\nisolation: true\nclient_limit_down_enabled: true\nclient_limit_down: 20000',
      '10:24 RULE_BROKEN wlans.w.client_limit_down'
    ],
    ['no-broken-ciphers', 'ssid: IoT\nauth: { type: wep }', '8:19 RULE_BROKEN wlans.w.auth.type'],
    [
      'no-broken-ciphers',
      'ssid: IoT\nauth: { type: psk, pairwise: [wpa2-ccmp, wpa2-tkip] }',
      '8:46 RULE_BROKEN wlans.w.auth.pairwise[1]'
    ],
    ['own-vlan', 'ssid: IoT\nvlan_id: 1', '8:14 RULE_BROKEN wlans.w.vlan_id'],
    ['own-vlan', 'ssid: IoT\nvlan_id: "1"', '8:14 RULE_BROKEN wlans.w.vlan_id'],
    ['plain-ssids', 'ssid: "IoT "', '7:11 RULE_BROKEN? wlans.w.ssid']
  ])('%s is broken by %j', async (name, wlan, found) => {
    const { findings } = await load({
      'policy.yaml': policy,
      'hq.yaml': `${HQ}  w:\n${indent(`${wlan}\n`)}`
    })
    expect(lines(findings)).toEqual([`hq.yaml:${found}`])
    expect(findings[0]?.message).toContain(`"${name}"`)
  })
})

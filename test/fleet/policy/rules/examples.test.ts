import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../../support/program.ts'
import { HQ, indent, lines, load } from '../../fleet.ts'

const policy = readFileSync(join(ROOT, 'examples/policy/policy.yaml'), 'utf8')

/**
 * The findings of a WLAN `w` with the policy of the example, except those of rules that do not apply to it.
 */
async function found(wlan: string): Promise<string[]> {
  const { findings } = await load({
    'policy.yaml': policy,
    'hq.yaml': `${HQ}  w:\n${indent(`${wlan}\n`)}`
  })
  return lines(findings.filter(({ code }) => code !== 'RULE_UNUSED')).map(line =>
    line.replace('hq.yaml:', '')
  )
}

const fenced = 'ssid: Visitors\nisolation: true\nvlan_enabled: true'

describe('the rules of examples/policy', () => {
  it.each([
    ['open-needs-a-portal', 'ssid: Cafe\nauth: { type: open }', '8:19 RULE wlans.w.auth.type'],
    [
      'open-needs-a-portal',
      'ssid: Cafe\nauth: { type: open }\nportal: { enabled: false }',
      '8:19 RULE wlans.w.auth.type'
    ],
    ['guests-are-fenced-in', 'ssid: Guest', '6:3 RULE wlans.w'],
    [
      'guests-are-fenced-in',
      'ssid: Guest\nisolation: false\nvlan_enabled: true\nvlan_id: 40',
      '8:16 RULE wlans.w.isolation'
    ],
    ['guests-are-fenced-in', `${fenced}\nvlan_id: "20"`, '10:14 RULE wlans.w.vlan_id'],
    [
      'keys-only-on-iot-vlans',
      'ssid: IoT\nauth: { type: psk }\nvlan_id: 40',
      '9:14 RULE wlans.w.vlan_id'
    ]
  ])('%s is broken by %j', async (_name, wlan, expected) => {
    expect(await found(wlan)).toEqual([expected])
  })

  it.each([
    'ssid: Cafe\nauth: { type: open }\nportal: { enabled: true }',
    `${fenced}\nvlan_id: 40`,
    `${fenced}\nvlan_id: "{{guest_vlan}}"`,
    'ssid: IoT\nauth: { type: psk }\nvlan_id: "110"',
    'ssid: IoT\nauth: { type: psk }\nvlan_id: "{{iot_vlan}}"'
  ])('accept %j', async wlan => {
    expect(await found(wlan)).toEqual([])
  })
})

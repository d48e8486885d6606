import { describe, expect, it } from 'vitest'
import { loadTexts } from '../../../src/fleet/load.ts'
import { HQ, nth } from '../../support/ids.ts'

const PROFILES = `profiles:
  base:
    vlan_id: 20
    auth: { type: psk, psk: { $env: WLAN_SECRET_PSK } }
    dtim: 1
  guest:
    $extends: base
    dtim: 2
    radsec:
      enabled: true
`

const FILE = `site:
  id: ${HQ}
  name: hq
  vars:
    vlan: 31
    bands: ["24", "5"]
wlans:
  corp:
    ssid: Corp
    $extends: guest
    vlan_id: { $var: vlan }
    bands: { $var: bands }
    hide_ssid:
      true
    auth:
      pairwise: [wpa2-ccmp, wpa3]
`

async function placesOf(...pointers: string[]) {
  const { desired, findings } = await loadTexts(
    new Map([
      ['profiles.yaml', PROFILES],
      ['sites/hq.yaml', FILE]
    ])
  )
  expect(findings).toEqual([])
  return desired?.placesOf?.({ id: HQ.toUpperCase(), name: 'hq' }, 'corp', pointers) ?? {}
}

/** The line of a location, from its column on. */
function textAt(place: { file: string; line: number; column: number } | undefined) {
  if (place === undefined) return undefined
  const text = place.file === 'profiles.yaml' ? PROFILES : FILE
  return [place.file, text.split('\n')[place.line - 1]?.slice(place.column - 1)]
}

describe('the location of a value', () => {
  it.each([
    ['in the block', '/ssid', ['sites/hq.yaml', 'Corp']],
    ['on a line of its own', '/hide_ssid', ['sites/hq.yaml', 'true']],
    ['of a variable is where it is set', '/vlan_id', ['sites/hq.yaml', '31']],
    ['of a list in a variable', '/bands', ['sites/hq.yaml', '["24", "5"]']],
    ['within a variable', '/bands/1', ['sites/hq.yaml', '"5"]']],
    ['in a profile', '/dtim', ['profiles.yaml', '2']],
    ['nested in a profile', '/radsec/enabled', ['profiles.yaml', 'true']],
    [
      'below a block and a profile',
      '/auth/type',
      ['profiles.yaml', 'psk, psk: { $env: WLAN_SECRET_PSK } }']
    ],
    ['of a secret is its reference', '/auth/psk', ['profiles.yaml', '$env: WLAN_SECRET_PSK } }']],
    ['of an item', '/auth/pairwise/1', ['sites/hq.yaml', 'wpa3]']],
    [
      'of an undeclared item is its list',
      '/auth/pairwise/7',
      ['sites/hq.yaml', '[wpa2-ccmp, wpa3]']
    ]
  ])('%s', async (_, pointer, expected) => {
    const places = await placesOf(pointer)
    const [file, text] = textAt(places[pointer]) ?? []
    expect(file).toBe(expected[0])
    expect(text).toContain(expected[1])
    expect(text?.indexOf(expected[1] ?? '')).toBeLessThan(3)
  })

  it.each([
    ['in an override', '/dtim', '3, auth'],
    ['below a WLAN and an override', '/auth/type', 'psk }, isolation'],
    ['in an override below a field of the WLAN', '/auth/psk', '$env: WLAN_SECRET_B'],
    ['of a variable of a group', '/vlan_id', '31, idle'],
    ['that the site sets over a group', '/max_idletime', '90 }'],
    ['of a default', '/hide_ssid', 'true },'],
    ['that an override unsets', '/isolation', undefined]
  ])('%s', async (_, pointer, expected) => {
    const text = `groups:
  south: { vars: { vlan: 31, idle: 60 } }
sites:
  - { id: ${HQ}, name: hq, groups: [south],
      wlans: { corp: { dtim: 3, auth: { psk: { $env: WLAN_SECRET_B } }, $unset: [isolation] } }, vars: { idle: 90 } }
  - { id: ${nth(2)}, name: b }

wlans:
  corp:
    { ssid: Corp, dtim: 2, auth: { type: psk }, isolation: true, hide_ssid: { $var: none, $default: true },
      vlan_id: { $var: vlan, $default: 1 }, max_idletime: { $var: idle, $default: 60 } }
`
    const { desired, findings } = await loadTexts(new Map([['a.yaml', text]]))
    expect(findings).toEqual([])
    const places = desired?.placesOf?.({ id: HQ, name: 'hq' }, 'corp', [pointer]) ?? {}
    const { line = 0, column = 0 } = places[pointer] ?? {}
    const written = text.split('\n')[line - 1]?.slice(column - 1)
    expect(written?.replace(/^[{ ]+/, '').slice(0, expected?.length)).toBe(expected)
  })

  it('is undefined for an undeclared field, WLAN or site', async () => {
    expect(await placesOf('/isolation')).toEqual({})
    const { desired } = await loadTexts(new Map([['hq.yaml', FILE.replace('$extends: guest', '')]]))
    expect(desired?.placesOf?.({ id: HQ, name: 'hq' }, 'none', ['/ssid'])).toEqual({})
    expect(desired?.placesOf?.({ id: nth(9), name: 'x' }, 'corp', ['/ssid'])).toEqual({})
  })
})

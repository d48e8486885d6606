import { describe, expect, it } from 'vitest'
import { nth } from '../support/ids.ts'
import { load } from './fleet.ts'

/** Sites of one list, each with these members. */
function stores(members: readonly string[], wlan: string): string {
  const sites = members.map((more, n) => `  - { id: ${nth(n + 1)}, name: s${n + 1}${more} }\n`)
  return `sites:\n${sites.join('')}wlans:\n  w: { ssid: A, ${wlan} }\n`
}

async function messagesOf(text: string, more: Readonly<Record<string, string>> = {}) {
  const { findings } = await load({ 'a.yaml': text, ...more })
  return findings.map(({ place, message }) => `${place?.file}:${place?.line} ${message}`)
}

it('the name of a site is the variable `site`, unless the site sets that', async () => {
  const text = stores(
    ['', ', vars: { site: own }', ''],
    'portal: { forward_url: { $format: "{site}.x" } }'
  )
  const { desired } = await load({ 'a.yaml': text })
  const urls = desired?.sites.flatMap(({ wlans }) => wlans.map(({ fields }) => fields['portal']))
  expect(urls).toEqual(['s1.x', 'own.x', 's3.x'].map(url => ({ forward_url: url })))
})

describe('a finding about a value from a variable', () => {
  it('names the site, the value, its use and its definition', async () => {
    const text = stores([', vars: { v: 3 }', ', vars: { v: x9 }'], 'dtim: { $var: v }')
    expect(await messagesOf(text)).toEqual([
      'a.yaml:5 expected an integer, got a string (from the variable "v", "x9", of the site "s2", set at a.yaml:3:70)'
    ])
  })

  it('is reported once for all sites with this value, with their number and the first three', async () => {
    const values = ['x5', 'x5', 'x9', 'x5', 'x5', 'x5']
    const text = stores(
      values.map(v => `, vars: { v: ${v} }`),
      'dtim: { $var: v }'
    )
    expect(await messagesOf(text)).toEqual([
      'a.yaml:9 expected an integer, got a string (from the variable "v", "x5", of 5 sites: s1, s2, s4 and 2 more, first set at a.yaml:2:70)',
      'a.yaml:9 expected an integer, got a string (from the variable "v", "x9", of the site "s3", set at a.yaml:4:70)'
    ])
  })

  it('names the line of a group', async () => {
    const text = stores([', groups: [g]', ', groups: [g]', ''], 'dtim: { $var: v, $default: 2 }')
    const groups = 'groups:\n  g:\n    vars: { v: x7 }\n'
    expect(await messagesOf(text, { 'g.yaml': groups })).toEqual([
      'a.yaml:6 expected an integer, got a string (from the variable "v", "x7", of 2 sites: s1, s2, set at g.yaml:3:16)'
    ])
  })

  it('names no variable if a default is used', async () => {
    expect(await messagesOf(stores([''], 'dtim: { $var: v, $default: x7 }'))).toEqual([
      'a.yaml:4 expected an integer, got a string'
    ])
  })

  it('names the sites that do not set a variable', async () => {
    const text = stores(['', ', vars: { v: 1 }', '', '', ''], 'dtim: { $var: v }')
    expect(await messagesOf(text)).toEqual([
      'a.yaml:8 unknown variable "v" of 4 sites: s1, s3, s4 and 1 more'
    ])
  })

  it.each([
    [
      '$format',
      'vlan_id: { $format: "{v}{w}" }',
      ['from the variables "v", "w" of the site "s1")']
    ],
    [
      'an SSID',
      'ssid: { $var: w }',
      ['invalid SSID', 'from the variable "w", "x\\u0007", of the site "s1", set at a.yaml:2:']
    ],
    [
      'a part of a text',
      'ssid: { $format: "{l}" }',
      ['cannot be part of a string', 'of the site "s1", set at']
    ]
  ])('is reported through %s', async (_, wlan, parts) => {
    const vars = ', vars: { v: 5, w: "x\\a", l: [1] }'
    const text = `sites:\n  - { id: ${nth(1)}, name: s1${vars} }\nwlans:\n  w: { $match: { ssid: A }, ${wlan} }\n`
    const [message = '', ...others] = await messagesOf(text)
    expect(others).toEqual([])
    for (const part of parts) expect(message).toContain(part)
  })

  it('contains no secret', async () => {
    const text = stores([', vars: { psk: short }'], 'auth: { type: psk, psk: { $var: psk } }')
    const found = await messagesOf(text)
    expect(found.join()).toContain(
      'plaintext secret (from the variable "psk" of the site "s1", set at'
    )
    expect(found.join()).not.toContain('short')
  })
})

import { describe, expect, it } from 'vitest'
import { matchSite } from '../../../src/core/diff/match.ts'
import { type DesiredSite, defaultLintPolicy } from '../../../src/core/model/desired.ts'
import { MAX_PLACED } from '../../../src/core/model/plan.ts'
import { planSite } from '../../../src/core/plan/plan.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { RunLinter } from '../../../src/run/checks/run-linter.ts'

const breaks = {
  vlan_enabled: true,
  vlan_id: null,
  vlan_pooling: false,
  dynamic_vlan: { enabled: false }
}

/** A site that breaks the same rule in 7 WLANs. */
function siteOf(n: number): DesiredSite {
  const name = `site-${n}`
  const wlans = Array.from({ length: 7 }, (_, at) => {
    const place = { file: `${name}.yaml`, line: at + 1, column: 3 }
    const key = `net-${at}`
    return { address: `${name}/${key}`, key, fields: breaks, origin: place, place }
  })
  return { id: name, name, wlans }
}

/** The findings of the files, and the number of lookups of locations. */
function linted(sites: readonly DesiredSite[]) {
  let lookups = 0
  const profile = { file: 'profiles.yaml', line: 1, column: 1 }
  const placesOf = () => {
    lookups += 1
    return { '/vlan_enabled': profile, '/vlan_id': profile }
  }
  const linter = new RunLinter({ placesOf }, defaultLintPolicy)
  for (const site of sites) linter.addDeclared(site)
  const { findings } = linter.result()
  return { lookups, findings: findings.filter(({ rule }) => rule === 'vlan-enabled-without-vlan') }
}

describe('the locations of lint findings', () => {
  it('are those of the fields, and equal findings at one location are merged', () => {
    const { findings } = linted([siteOf(1), siteOf(2)])
    expect(findings).toMatchObject([{ level: 'error', place: { file: 'profiles.yaml' } }])
    expect(findings[0]?.addresses).toHaveLength(14)
  })

  it('are found site by site, whatever the rules', () => {
    const asked: string[] = []
    const linter = new RunLinter(
      {
        placesOf: ({ name }) => {
          asked.push(name)
          return {}
        }
      },
      defaultLintPolicy
    )
    for (const n of [1, 2, 3]) {
      const { wlans, ...site } = siteOf(n)
      const [wlan, ...others] = wlans
      const fields = { ...breaks, dtim: 50, auth: { type: 'wep' } }
      if (wlan !== undefined)
        linter.addDeclared({ ...site, wlans: [{ ...wlan, fields }, ...others] })
    }
    const { findings } = linter.result()
    const [rules, levels] = [findings.map(({ rule }) => rule), findings.map(({ level }) => level)]
    const visits = asked.filter((name, at) => name !== asked[at - 1])
    expect(visits).toHaveLength(3 * new Set(levels).size)
    expect(new Set(rules).size).toBeGreaterThan(new Set(levels).size)
  })

  it('are those of the WLANs above a limit, for any order of the sites', () => {
    const sites = Array.from({ length: 300 }, (_, n) => siteOf(n))
    const { lookups, findings } = linted(sites)
    expect(lookups).toBe(MAX_PLACED)
    expect(findings).toHaveLength(1 + 2100 - MAX_PLACED)
    expect(linted([...sites].reverse())).toEqual({ lookups, findings })
  })
})

/** A site with networks on consecutive lines of its file, and the same networks live. */
function siteWith(of: readonly (readonly [key: string, fields: ValueObject])[]) {
  const id = '6f4c7a1e-30b2-4a6d-8f51-0a4e7c1f9b01'
  const wlans = of.map(([key, fields], at) => {
    const place = { file: 'site.yaml', line: 10 * (at + 1), column: 3 }
    return { address: `hq/${key}`, key, fields, origin: place, place }
  })
  const site: DesiredSite = { id, name: 'hq', wlans }
  const live = of.map(([key, record]) => ({ id: key, ssid: key, record, readAt: 0 }))
  return { site, live: { site: { id, name: 'hq' }, wlans: live } }
}

/** The fields of a network are on the lines after its own. */
const placesOf = (_: unknown, key: string, [at = '']: readonly string[]) => ({
  [at]: { file: 'fields.yaml', line: key.length, column: at.length }
})

const psk = {
  type: 'psk',
  multi_psk_only: false,
  psk: new Secret({ $env: 'WLAN_SECRET_KEY' }, undefined)
}

const everywhere = {
  enabled: true,
  dynamic_psk: { enabled: false },
  apply_to: 'site',
  bands: ['5'],
  auth: psk
}

describe('the lines of a relation of WLANs', () => {
  it.each([
    [
      'an info across sites',
      'key-shared',
      [
        ['a', { ...everywhere, ssid: 'A' }],
        ['bb', { ...everywhere, ssid: 'B' }]
      ],
      { line: 2, column: '/ssid'.length },
      [{ line: 1, column: '/ssid'.length }]
    ],
    [
      'of other security than most',
      'same-ssid-other-security',
      [
        ['a', { ...everywhere, ssid: 'A', auth: { type: 'eap', pairwise: ['wpa3'] } }],
        ['bb', { ...everywhere, ssid: 'A', auth: { ...psk, pairwise: ['wpa3'] } }],
        ['ccc', { ...everywhere, ssid: 'A', auth: { ...psk, pairwise: ['wpa3'] } }]
      ],
      { line: 1, column: '/ssid'.length },
      [{ line: 2, column: '/ssid'.length }]
    ],
    [
      'of a rare spelling',
      'ssid-lookalike',
      [
        ['a', { ...everywhere, ssid: 'Corp' }],
        ['bb', { ...everywhere, ssid: 'corp' }]
      ],
      { line: 2, column: '/ssid'.length },
      [{ line: 1, column: '/ssid'.length }]
    ],
    [
      'of an SSID that ends with a blank',
      'ssid-lookalike',
      [
        ['a', { ...everywhere, ssid: 'Corp ' }],
        ['bb', { ...everywhere, ssid: 'Guest' }]
      ],
      { line: 1, column: '/ssid'.length },
      undefined
    ],
    [
      'of two networks',
      'duplicate-ssid',
      [
        ['a', { ...everywhere, ssid: 'A' }],
        ['bb', { ...everywhere, ssid: 'A' }]
      ],
      { line: 1, column: '/ssid'.length },
      [{ line: 2, column: '/ssid'.length }]
    ],
    [
      'of the whole site',
      'too-many-ssids',
      ['a', 'bb', 'ccc', 'dddd', 'eeeee'].map(key => [key, { ...everywhere, ssid: key }] as const),
      { line: 1, column: '/enabled'.length },
      [2, 3, 4, 5].map(line => ({ line, column: '/enabled'.length }))
    ]
  ] as const)('%s', (_, rule, of, place, related) => {
    const { site } = siteWith(of)
    const linter = new RunLinter({ placesOf }, defaultLintPolicy)
    linter.addDeclared(site)
    const found = linter.result().findings.concat(linter.result().secretFindings)
    const first = found.find(each => each.rule === rule)
    expect(first?.place).toEqual({ file: 'fields.yaml', ...place })
    expect(first?.related).toEqual(
      related?.map((each: object) => ({ file: 'fields.yaml', ...each }))
    )
  })

  it('is the first one that declares an existing problem', () => {
    const { site, live } = siteWith([
      ['bb', { ssid: 'bb', dtim: 50 }],
      ['a', { ssid: 'a', dtim: 50 }]
    ])
    const linter = new RunLinter({ placesOf }, defaultLintPolicy)
    const plan = planSite(site, live)
    linter.addPlanned(site, live, plan, matchSite(site, live))
    const found = linter.result().findings.filter(({ rule }) => rule === 'dtim-unfit')
    expect(found).toMatchObject([
      {
        existing: true,
        addresses: ['hq/a', 'hq/bb'],
        related: [{ file: 'fields.yaml', line: 1, column: '/dtim'.length }]
      }
    ])
    expect(found[0]).not.toHaveProperty('place')
  })
})

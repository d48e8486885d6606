import { describe, expect, it } from 'vitest'
import { RunLinter } from '../../src/checks/run-linter.ts'
import { type DesiredSite, defaultLintPolicy } from '../../src/model/desired.ts'
import { MAX_PLACED } from '../../src/model/plan.ts'

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

  it('are those of the WLANs above a limit, for any order of the sites', () => {
    const sites = Array.from({ length: 300 }, (_, n) => siteOf(n))
    const { lookups, findings } = linted(sites)
    expect(lookups).toBe(MAX_PLACED)
    expect(findings).toHaveLength(1 + 2100 - MAX_PLACED)
    expect(linted([...sites].reverse())).toEqual({ lookups, findings })
  })
})

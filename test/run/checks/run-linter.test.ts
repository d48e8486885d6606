import { describe, expect, it } from 'vitest'
import { matchSite } from '../../../src/core/diff/match.ts'
import { defaultLintPolicy } from '../../../src/core/model/defaults.ts'
import type { DesiredSite } from '../../../src/core/model/desired.ts'
import { MAX_PLACED } from '../../../src/core/model/plan.ts'
import { planSite } from '../../../src/core/plan/plan.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { RunLinter } from '../../../src/run/checks/run-linter.ts'
import { readRows } from '../../core/lint/scenario.ts'

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
    return { address: `${name}/${key}`, key, fields: breaks, place, file: place.file }
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
    return { address: `hq/${key}`, key, fields, place, file: place.file }
  })
  const site: DesiredSite = { id, name: 'hq', wlans }
  const live = of.map(([key, record]) => ({ id: key, ssid: key, record, readAt: 0 }))
  return { site, live: { site: { id, name: 'hq' }, wlans: live } }
}

/** The fields of a network are on the lines after its own. */
const placesOf = (_: unknown, key: string, [at = '']: readonly string[]) => ({
  [at]: { file: 'fields.yaml', line: key.length, column: at.length }
})

interface Relation {
  readonly rule: string
  /** A line, and a field. */
  readonly place: readonly [number, string]
  readonly related?: readonly number[]
  readonly wlans: Readonly<Record<string, ValueObject>>
}

const { relations } = readRows(import.meta.dirname, 'relations.yaml')

describe('the lines of a relation of WLANs', () => {
  it.each(Object.entries(relations as Readonly<Record<string, Relation>>))(
    '%s',
    (_, { rule, place: [line, { length: column }], related, wlans }) => {
      const { site } = siteWith(Object.entries(wlans))
      const linter = new RunLinter({ placesOf }, defaultLintPolicy)
      linter.addDeclared(site)
      const { findings, secretFindings } = linter.result()
      const first = [...findings, ...secretFindings].find(each => each.rule === rule)
      const at = (of: number) => ({ file: 'fields.yaml', line: of, column })
      expect(first?.place).toEqual(at(line))
      expect(first?.related).toEqual(related?.map(at))
    }
  )

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

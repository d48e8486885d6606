import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pickFields } from '../../../src/author/import/fields.ts'
import { matchSite } from '../../../src/core/diff/match.ts'
import { type LintFinding, lint } from '../../../src/core/lint/lint.ts'
import type { LintSite, LintWlan } from '../../../src/core/lint/view.ts'
import type { DesiredSite } from '../../../src/core/model/desired.ts'
import type { LiveWlan } from '../../../src/core/model/live.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { loadFleet } from '../../../src/fleet/load.ts'
import { wlanValue } from '../../../src/service/live.ts'
import { generateFleet } from '../../../src/simulator/fleet/generate.ts'
import { readSeed } from '../../../src/simulator/fleet/seed.ts'

const examples = join(import.meta.dirname, '../../../examples')

async function sitesOf(example: string): Promise<readonly DesiredSite[]> {
  const { desired } = await loadFleet({ directory: example, cwd: examples, sites: [], wlans: [] })
  return desired?.sites ?? []
}

/** The live WLANs of an example, by the id of their site. */
function liveOf(example: string): ReadonlyMap<string, readonly LiveWlan[]> {
  const seed = readSeed(readFileSync(join(examples, example, 'simulator.json'), 'utf8')).sites
  return new Map(
    seed.map(({ id, wlans }) => [
      id,
      wlans.map(wlan => {
        const record = recordOf(wlan)
        return { id: String(record['id']), ssid: String(record['ssid']), record, readAt: 0 }
      })
    ])
  )
}

function recordOf(json: object): ValueObject {
  return wlanValue(structuredClone(json)) as ValueObject
}

/** The declared WLANs with their live records, and the unmanaged ones. */
function merged(site: DesiredSite, live: readonly LiveWlan[]): LintSite {
  const matches = matchSite(site, { site, wlans: live })
  const declared: LintWlan[] = site.wlans.map(wlan => {
    const match = matches.get(wlan)
    const record = match !== undefined && 'live' in match ? match.live : undefined
    return { name: wlan.key, declared: wlan.fields, live: record?.record }
  })
  const managed = new Set(declared.map(wlan => wlan.live))
  const others = live.filter(({ record }) => !managed.has(record))
  const unmanaged = others.map(({ ssid, record }) => ({ name: ssid, live: record }))
  return { id: site.id, name: site.name, wlans: [...declared, ...unmanaged] }
}

/** The rules with findings, without duplicates. */
function rulesIn(findings: readonly LintFinding[]): string[] {
  return [...new Set(findings.map(({ rule, level }) => `${rule} ${level}`))].sort()
}

/** A store of the retail example has an undeclared network, open and without a VLAN. */
const real: Readonly<Record<string, readonly string[]>> = {
  retail: [
    'guest-traffic-untagged warning existing, store-bonn, Test 5 GHz',
    'open-without-login error existing, store-bonn, Test 5 GHz'
  ]
}

describe.each(['quickstart', 'retail', 'rollout'])('no rule reports the example %s', example => {
  test('as files', async () => {
    const sites = await sitesOf(example)
    expect(sites).not.toEqual([])
    const declared = sites.map(({ id, name, wlans }) => ({
      id,
      name,
      wlans: wlans.map(({ key, fields }) => ({ name: key, declared: fields }))
    }))
    expect(lint(declared)).toEqual([])
  })

  test('with its live state', async () => {
    const live = liveOf(example)
    const sites = await sitesOf(example)
    const findings = lint(sites.map(site => merged(site, live.get(site.id) ?? [])))
    const texts = findings.map(
      ({ rule, level, existing, site, wlan }) =>
        `${rule} ${level} ${existing ? 'existing' : 'new'}, ${site}, ${wlan}`
    )
    expect(texts).toEqual(real[example] ?? [])
  })
})

/**
 * A generated site has ten WLANs, nine enabled and seven of them on 2.4 GHz, more than a real site should
 * have.
 */
const expected = ['too-many-ssids warning']

describe('the only findings on generated fleets are about too many SSIDs', () => {
  const seeds = [1, 2, 3, 4, 5]

  test.each(seeds)('as live state, with seed %i', seed => {
    const sites = generateFleet({ sites: 8, wlans: 10, seed }).map(({ id, name, wlans }) => ({
      id,
      name,
      wlans: wlans.map(wlan => ({ name: String(wlan['ssid']), live: recordOf(wlan) }))
    }))
    expect(rulesIn(lint(sites))).toEqual(expected)
  })

  test.each(seeds)('as imported files, with seed %i', seed => {
    const sites = generateFleet({ sites: 8, wlans: 10, seed }).map(({ id, name, wlans }) => ({
      id,
      name,
      wlans: wlans.map(wlan => {
        const live = recordOf(wlan)
        return { name: String(wlan['ssid']), declared: pickFields(live, true).fields, live }
      })
    }))
    expect(rulesIn(lint(sites))).toEqual(expected)
    expect(lint(sites).filter(({ existing }) => !existing)).toEqual([])
  })
})

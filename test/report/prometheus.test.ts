import { describe, expect, it } from 'vitest'
import { renderPrometheus } from '../../src/report/data/prometheus.ts'
import type { Report } from '../../src/report/report.ts'
import blns from '../support/blns/blns.json' with { type: 'json' }
import { changeOf, guest, planOf, staff } from './plans.ts'

const SAMPLE = /^([a-z_]+)((?:\{(?:[a-z_]+="(?:[^"\\]|\\["\\n])*",?)+\})?) (-?\d+(?:\.\d+)?)$/

/** The samples of a report, after validating it: each metric is described once. */
function samples(report: Report): Record<string, number> {
  const text = renderPrometheus(report)
  expect(text.endsWith('\n')).toBe(true)
  const found: Record<string, number> = {}
  const described = new Set<string>()
  let current = ''
  for (const line of text.trimEnd().split('\n')) {
    const [, help = ''] = /^# HELP (wlanctl_[a-z_]+) \S.*\.$/.exec(line) ?? []
    const [, type = ''] = /^# TYPE (wlanctl_[a-z_]+) gauge$/.exec(line) ?? []
    if (help !== '') {
      expect(described).not.toContain(help)
      described.add(help)
      current = help
    } else if (type === '') {
      const [, name, labels, value] = SAMPLE.exec(line) ?? []
      expect({ line, name }).toEqual({ line, name: current })
      expect(found).not.toHaveProperty([`${name}${labels}`])
      found[`${name}${labels}`] = Number(value)
    } else expect(type).toBe(current)
  }
  return found
}

describe('the metrics', () => {
  it('of a fleet add up', () => {
    const summary = { sites_failed: 1, unchanged: 3, blocked: 1 }
    const unmanaged = [{ site: 'hq', id: 'x', ssid: 'IoT' }]
    const plan = planOf([guest, staff], { summary, unmanaged })
    expect(samples({ kind: 'drift', plan })).toEqual({
      wlanctl_sites: 3,
      wlanctl_sites_failed: 1,
      wlanctl_wlans_declared: 8,
      wlanctl_wlans_in_sync: 3,
      wlanctl_wlans_drifted: 2,
      wlanctl_refusals: 0,
      wlanctl_wlans_blocked: 1,
      wlanctl_wlans_unread: 2,
      wlanctl_wlans_unmanaged: 1,
      wlanctl_requests: 3,
      wlanctl_last_run_timestamp_seconds: Date.UTC(2026, 10, 20, 10) / 1000,
      'wlanctl_site_wlans_drifted{site="hq"}': 1,
      'wlanctl_site_wlans_drifted{site="store-bonn"}': 1
    })
  })

  it('include the age of a snapshot', () => {
    const against = { created: '2026-11-20T09:00:00Z', digest: 'sha256:' }
    const found = samples({ kind: 'plan', plan: planOf([], { against }) })
    expect(found['wlanctl_snapshot_timestamp_seconds']).toBe(Date.UTC(2026, 10, 20, 9) / 1000)
  })

  it('name the sites that differ, up to the worst hundred', () => {
    const changes = Array.from({ length: 300 }, (_, n) =>
      changeOf(`s${n}/a`, undefined, { dtim: [1, 2] })
    )
    const worst = changeOf('s299/b', undefined, { dtim: [1, 2] })
    const found = samples({ kind: 'drift', plan: planOf([...changes, worst]) })
    const sites = Object.keys(found).filter(name => name.includes('site='))
    expect(sites).toHaveLength(100)
    const key = 'wlanctl_site_wlans_drifted{site="s299"}'
    expect([sites[0], found[key]]).toEqual([key, 2])
  })

  it('count outcomes and findings', () => {
    const outcome = { address: 'hq/guest', fields: [], sideEffects: [], notVerifiable: [] }
    const outcomes = [{ ...outcome, status: 'applied' } as const]
    expect(samples({ kind: 'outcomes', plan: planOf([guest]), outcomes })).toMatchObject({
      'wlanctl_outcomes{status="applied"}': 1,
      'wlanctl_outcomes{status="failed"}': 0
    })
    const found = { level: 'warning', code: 'FILE_EMPTY', message: 'it is empty' } as const
    expect(samples({ kind: 'findings', findings: [found] })).toEqual({
      'wlanctl_findings{level="error"}': 0,
      'wlanctl_findings{level="warning"}': 1
    })
  })

  it('are valid for any site names', () => {
    for (const name of [...blns, 'a\\', 'a"b', 'a\nb', '\ud800']) {
      const change = changeOf(`${name}/x`, undefined, { dtim: [1, 2] })
      const found = samples({ kind: 'plan', plan: planOf([change]) })
      expect(Object.keys(found).filter(each => each.includes('site='))).toHaveLength(1)
    }
  })
})

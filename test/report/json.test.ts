import { describe, expect, it } from 'vitest'
import { type Outcome, statuses } from '../../src/core/model/outcome.ts'
import { formats } from '../../src/report/formats.ts'
import { ended, env, guest, live, notFound, planOf, staff } from './plans.ts'

const outcomes: readonly Outcome[] = [
  ended('hq/corp', 'applied'),
  {
    address: 'hq/guest',
    status: 'diverged',
    reason: 'accepted, but reading it back shows otherwise',
    fields: [
      { pointer: '/vlan_id', before: 20, wanted: 40, found: null },
      { pointer: '/auth/psk', before: live(), wanted: env('GUEST_PSK') }
    ],
    side_effects: ['/limit_bcast'],
    not_verifiable: ['/auth/psk']
  }
]

describe('outcomes', () => {
  it('have the shape that programs rely on', () => {
    const text = formats.json({ kind: 'outcomes', plan: planOf([guest]), outcomes })
    expect(JSON.parse(text)).toEqual({
      format: 'wlanctl-outcomes/1',
      tool: 'wlanctl/0.1.0',
      created: '2026-11-20T10:00:00Z',
      base_url: 'https://api.example.com',
      planned: planOf([guest]).summary,
      summary: {
        applied: 1,
        deferred: 0,
        unchanged: 0,
        diverged: 1,
        stale: 0,
        failed: 0,
        skipped: 0,
        unknown: 0
      },
      outcomes: [
        { address: 'hq/corp', status: 'applied' },
        {
          address: 'hq/guest',
          status: 'diverged',
          fields: [
            { pointer: '/vlan_id', before: 20, wanted: 40, found: null },
            {
              pointer: '/auth/psk',
              before: { $live: true },
              wanted: { $env: 'WLAN_SECRET_GUEST_PSK' }
            }
          ],
          reason: 'accepted, but reading it back shows otherwise',
          side_effects: ['/limit_bcast'],
          not_verifiable: ['/auth/psk']
        }
      ]
    })
  })

  it('include every status, even without outcomes', () => {
    const { summary } = JSON.parse(
      formats.json({ kind: 'outcomes', plan: planOf([]), outcomes: [] })
    )
    expect(Object.keys(summary)).toEqual(statuses)
    expect(Object.values(summary)).toEqual(statuses.map(() => 0))
  })

  it('include the findings about WLANs that could not be planned', () => {
    const plan = planOf([], { findings: [notFound] })
    expect(JSON.parse(formats.json({ kind: 'outcomes', plan, outcomes: [] }))).toMatchObject({
      findings: [{ code: 'WLAN_NOT_FOUND', address: 'hq/lobby' }]
    })
  })
})

it.each(['plan', 'drift'] as const)('a %s is the saved plan', kind => {
  const plan = planOf([guest, staff], { findings: [notFound] })
  expect(JSON.parse(formats.json({ kind, plan }))).toEqual(JSON.parse(JSON.stringify(plan)))
})

describe('findings', () => {
  const warning = { ...notFound, level: 'warning' as const }

  it('are counted', () => {
    const findings = [notFound, warning, warning]
    expect(JSON.parse(formats.json({ kind: 'findings', findings }))).toEqual({
      format: 'wlanctl-findings/1',
      summary: { errors: 1, warnings: 2 },
      findings
    })
  })

  it('include the declared WLANs', () => {
    const declared = { sites: 2, wlans: 5 }
    const { summary } = JSON.parse(formats.json({ kind: 'findings', findings: [], declared }))
    expect(summary).toEqual({ errors: 0, warnings: 0, ...declared })
  })
})

it('JSON ends with a newline', () => {
  expect(formats.json({ kind: 'findings', findings: [] })).toMatch(/\}\n$/)
})

it('a report of any size is written', () => {
  const plan = { ...planOf([]), unmanaged: Array(130_000).fill({ site: 's', id: '1', ssid: 'x' }) }
  expect(JSON.parse(formats.json({ kind: 'plan', plan })).unmanaged).toHaveLength(130_000)
})

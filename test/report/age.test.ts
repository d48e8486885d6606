import { describe, expect, it } from 'vitest'
import { renderText } from '../../src/report/text/text.ts'
import { snapshotAge } from '../../src/report/wording/verdict.ts'
import { changeOf, plain, planOf } from './plans.ts'

const digest = `sha256:${'0'.repeat(64)}`

describe('the age of a snapshot', () => {
  it.each([
    ['2026-11-20T10:00:00Z', '0 seconds old'],
    ['2026-11-20T09:59:59Z', '1 second old'],
    ['2026-11-20T09:01:00Z', '59 minutes old'],
    ['2026-11-20T07:00:00Z', '3 hours old'],
    ['2026-11-10T10:00:01Z', '9 days old'],
    ['2026-11-21T10:00:00Z', '0 seconds old']
  ])('of %s is printed as %s', (created, age) => {
    const plan = planOf([], { against: { created, digest } })
    expect(snapshotAge(plan)).toContain(age)
    expect(renderText({ kind: 'plan', plan }, plain)).toContain(
      `Planned against a snapshot ${age} (2026-11-`
    )
  })

  it('of a plan on the live state is undefined', () => {
    expect(snapshotAge(planOf([]))).toBeUndefined()
    expect(renderText({ kind: 'plan', plan: planOf([]) }, plain)).not.toMatch(/snapshot|first seen/)
  })
})

describe('the age of drift', () => {
  const change = changeOf(
    'hq/guest',
    undefined,
    { dtim: [1, 2], isolation: [false, true], vlan_id: [1, 2] },
    {
      first_seen: { '/vlan_id': '2026-11-18T10:00:00Z', '/dtim': '2026-11-19T10:00:00Z' }
    }
  )
  const since = { created: '2026-11-19T10:00:00Z', new_fields: 1 }

  it('is listed for each field, the oldest first', () => {
    const text = renderText({ kind: 'drift', plan: planOf([change], { since }) }, plain)
    const lines = text.split('\n').map(line => line.trim())
    const at = lines.indexOf('since 2026-11-18 10:00:00 UTC: vlan_id')
    expect(lines.slice(at, at + 3)).toEqual([
      'since 2026-11-18 10:00:00 UTC: vlan_id',
      'since 2026-11-19 10:00:00 UTC: dtim',
      'first seen now: isolation'
    ])
    expect(text).toContain('Since 2026-11-19 10:00:00 UTC: 1 field first seen now, 2 known before')
  })

  it('is unknown if a time is invalid', () => {
    const text = renderText({ kind: 'drift', plan: planOf([change]) }, plain)
    expect(text).not.toMatch(/first seen/)
  })
})

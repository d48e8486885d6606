import { describe, expect, it } from 'vitest'
import { validatePlan } from '#forms'
import type { Desired } from '../../src/core/model/desired.ts'
import { defaultPolicy } from '../../src/core/model/desired.ts'
import type { Plan } from '../../src/core/model/plan.ts'
import { assemble, planSite } from '../../src/core/plan/plan.ts'
import type { ValueObject } from '../../src/core/values/value.ts'
import { datePlan, evidenceOf } from '../../src/files/earlier-run.ts'
import { parseSaved } from '../../src/files/saved-file.ts'
import { formatPlan, planForm } from '../../src/files/saved-plan.ts'
import { formatSnapshot, snapshotForm, takeSnapshot } from '../../src/files/snapshot.ts'
import { context, desiredSite, live, liveSite, wlan } from '../core/plan/support.ts'

const site = desiredSite([wlan({ dtim: 2, vlan_id: 7, qos: { class: 'video' } })])
const desired: Desired = { policy: defaultPolicy, sites: [site], findings: [] }
const asDeclared = { dtim: 2, vlan_id: 7, qos: { class: 'video' } }
const [MONDAY, TUESDAY, NOW] = ['2026-11-16', '2026-11-17', '2026-11-20'].map(
  day => `${day}T10:00:00Z`
) as [string, string, string]

/** The plan at a time at which these fields differed. */
function planAt(created: string, fields: ValueObject): Plan {
  const planned = planSite(site, liveSite([live({ ...asDeclared, ...fields })]))
  return assemble([planned], { ...context(), created })
}

function snapshotAt(created: string, fields: ValueObject): string {
  const { tool, baseUrl: base_url } = context()
  const read = liveSite([live({ ...asDeclared, ...fields })])
  return formatSnapshot(takeSnapshot([read], { tool, created, base_url, requests: 1 }))
}

/** The evidence of an earlier run for the drift of today. */
function parseEvidence(text: string, name: string, now: Parameters<typeof evidenceOf>[2]) {
  return evidenceOf(parseSaved(text, name, planForm, snapshotForm), name, now)
}

function dated(text: string, fields: ValueObject): Plan {
  const { baseUrl, tool } = context()
  return datePlan(planAt(NOW, fields), parseEvidence(text, 'e.json', { desired, baseUrl, tool }))
}

describe.each([
  ['a saved plan', (created: string, fields: ValueObject) => formatPlan(planAt(created, fields))],
  ['a snapshot', snapshotAt]
])('%s as the earlier run', (_, evidence) => {
  it('dates a field that still differs, and counts new differences', () => {
    const plan = dated(evidence(MONDAY, { dtim: 1 }), { dtim: 1, vlan_id: 8 })
    expect(plan.since).toEqual({ created: MONDAY, new_fields: 1 })
    expect(plan.changes[0]?.first_seen).toEqual({ '/dtim': MONDAY })
  })

  it('dates a field with yet another value', () => {
    const plan = dated(evidence(MONDAY, { dtim: 1 }), { dtim: 9 })
    expect(plan.changes[0]?.first_seen).toEqual({ '/dtim': MONDAY })
  })

  it('dates a field with different members', () => {
    const plan = dated(evidence(MONDAY, { qos: { class: 'voice' } }), { qos: null })
    expect(plan.changes[0]?.first_seen).toEqual({ '/qos': MONDAY })
  })

  it('counts everything as new if nothing differed before', () => {
    const plan = dated(evidence(MONDAY, {}), { dtim: 1 })
    expect(plan.since?.new_fields).toBe(1)
    expect(plan.changes[0]).not.toHaveProperty('first_seen')
  })
})

describe('several earlier runs', () => {
  const at = (text: string) => parseEvidence(text, 'e.json', { ...context(), desired })
  const monday = at(formatPlan(planAt(MONDAY, { dtim: 1 })))
  const unread = (created: string) => {
    const plan = planAt(created, {})
    const summary = { ...plan.summary, sites_failed: 1 }
    return at(
      formatPlan({ ...plan, summary, unread: [{ id: site.id, name: site.name, wlans: 1 }] })
    )
  }

  it.each([[true], [false]])(
    'date a site by the newest run that read it, in any order',
    reversed => {
      const runs = [unread(TUESDAY), monday] as const
      const [first, second] = reversed ? [runs[1], runs[0]] : runs
      const plan = datePlan(planAt(NOW, { dtim: 1 }), first, second)
      expect(plan.since).toEqual({ created: TUESDAY, new_fields: 0 })
      expect(plan.changes[0]?.first_seen).toEqual({ '/dtim': MONDAY })
    }
  )

  it('have no difference that a newer run found in sync', () => {
    const plan = datePlan(planAt(NOW, { dtim: 1 }), monday, at(formatPlan(planAt(TUESDAY, {}))))
    expect(plan.changes[0]).not.toHaveProperty('first_seen')
  })

  it.each([
    ['differed before it', { dtim: 1 }, { '/dtim': MONDAY }],
    ['differs since it', { vlan_id: 8 }, { '/vlan_id': TUESDAY }],
    ['was in sync in it', {}, undefined]
  ])('date the differences of a snapshot by the older reports: a field %s', (_, then, first) => {
    const fields = { dtim: 1, vlan_id: 8 }
    const snapshot = at(snapshotAt(TUESDAY, then))
    const plan = datePlan(planAt(NOW, fields), monday, snapshot)
    expect(plan.since?.created).toBe(TUESDAY)
    expect(plan.changes[0]?.first_seen).toEqual(first)
  })
})

describe('a dated plan', () => {
  const monday = formatPlan(planAt(MONDAY, { dtim: 1 }))
  const { baseUrl, tool } = context()
  const tuesday = datePlan(
    planAt(TUESDAY, { dtim: 1, vlan_id: 8 }),
    parseEvidence(monday, 'e.json', { desired, baseUrl, tool })
  )

  it('keeps the oldest time for later runs', () => {
    const plan = dated(formatPlan(tuesday), { dtim: 1, vlan_id: 8 })
    expect(plan.changes[0]?.first_seen).toEqual({ '/dtim': MONDAY, '/vlan_id': TUESDAY })
    expect(plan.since).toEqual({ created: TUESDAY, new_fields: 0 })
  })

  it('fits the schema, and has the digest of the plan', () => {
    expect(validatePlan(JSON.parse(formatPlan(tuesday)))).toBe(true)
    expect(tuesday.digest).toBe(planAt(NOW, { dtim: 1, vlan_id: 8 }).digest)
  })

  it('counts from the snapshot of an earlier plan', () => {
    const against = { created: MONDAY, digest: tuesday.digest }
    const plan = dated(formatPlan({ ...planAt(TUESDAY, { dtim: 1 }), against }), { dtim: 1 })
    expect(plan.changes[0]?.first_seen).toEqual({ '/dtim': MONDAY })
  })

  it.each([
    ['another service', formatPlan(planAt(MONDAY, {})), 'https://other.example', 'is about'],
    ['outcomes', '{"format":"wlanctl-outcomes/1"}', baseUrl, 'or "wlanctl-snapshot/1"'],
    ['an edited plan', monday.replace('"value": 1', '"value": 3'), baseUrl, 'digest']
  ])('ignores %s', (_, text, url, problem) => {
    const read = () => parseEvidence(text, 'e.json', { desired, baseUrl: url, tool })
    expect(read).toThrow(problem)
    expect(read).toThrow(expect.objectContaining({ exitCode: 3 }))
  })
})

import { describe, expect, test } from 'vitest'
import { approve } from '../../src/apply/approved-changes.ts'
import type { Change, Plan, PlannedChange } from '../../src/model/plan.ts'
import type { Secret } from '../../src/model/secret.ts'
import type { ValueObject } from '../../src/model/value.ts'
import { digestOf } from '../../src/plan/digest.ts'
import { assemble, planSite } from '../../src/plan/plan.ts'
import { formatPlan, parsePlan } from '../../src/plan/saved-plan.ts'
import { context, desiredSite, env, live, liveSite, wlan } from '../plan/support.ts'

const REFERENCE = 'RADIUS'

/** The plan of one WLAN with a RADIUS server, with a changed secret or port. */
function planOf(found: object, fields: ValueObject) {
  const site = planSite(desiredSite([wlan(fields)]), liveSite([live(found)]))
  const planned = site.wlanPlans.filter(({ status }) => status === 'changed') as PlannedChange[]
  return { plan: assemble([site], context()), planned }
}

const found = (secret: unknown, port = 1812) => ({
  auth: { psk: 'shown' },
  auth_servers: [{ host: '10.0.0.1', port, secret }]
})
const declared = (secret: Secret, port = 1812): ValueObject => ({
  auth_servers: [{ host: '10.0.0.1', port, secret }]
})

type Side = readonly [live: unknown, declared: Secret, port?: number]

const sides = {
  same: ['radius-one', env('radius-one', REFERENCE)],
  changed: ['radius-two', env('radius-one', REFERENCE)],
  set: ['', env('radius-one', REFERENCE)],
  hidden: ['********', env('radius-one', REFERENCE)],
  unresolved: ['radius-two', env(undefined, REFERENCE)],
  other: ['radius-two', env('radius-one', 'OTHER')]
} satisfies Record<string, Side>

type Kind = keyof typeof sides

/** The result for the change `now` if `then` was approved; `undefined` without a change. */
function verdict(then: Kind, now: Kind, ports: number, edit = (plan: Plan): Plan => plan) {
  const of = (kind: Kind) => {
    const [secret, value] = sides[kind]
    return planOf(found(secret), declared(value, ports))
  }
  const saved = parsePlan(formatPlan(edit(of(then).plan)), 'plan.json')
  const { approved, decided } = approve(of(now).planned, saved, new Map())
  return approved.length > 0 ? 'approved' : decided[0]?.status
}

describe('a secret in a list', () => {
  test.each<[then: Kind, now: Kind, status: string]>([
    ['same', 'same', 'approved'],
    ['changed', 'changed', 'approved'],
    ['set', 'set', 'approved'],
    ['hidden', 'hidden', 'approved'],
    ['same', 'changed', 'stale'],
    ['same', 'set', 'stale'],
    ['same', 'hidden', 'stale'],
    ['changed', 'same', 'stale'],
    ['changed', 'set', 'stale'],
    ['changed', 'hidden', 'stale'],
    ['set', 'changed', 'stale'],
    ['hidden', 'same', 'approved'],
    ['hidden', 'changed', 'approved'],
    ['hidden', 'set', 'approved'],
    ['unresolved', 'same', 'approved'],
    ['unresolved', 'changed', 'approved'],
    ['unresolved', 'unresolved', 'approved'],
    ['unresolved', 'other', 'stale'],
    ['hidden', 'other', 'stale']
  ])('approved as %s, now %s: %s', (then, now, status) => {
    expect(verdict(then, now, 1645)).toBe(status)
  })
})

describe('an approved secret', () => {
  test.each<[then: Kind, now: Kind, status: string | undefined]>([
    ['changed', 'changed', 'approved'],
    ['hidden', 'changed', 'approved'],
    ['unresolved', 'changed', 'approved'],
    ['hidden', 'set', 'approved'],
    ['hidden', 'other', 'skipped'],
    ['same', 'changed', 'skipped'],
    ['changed', 'other', 'stale'],
    ['changed', 'same', 'skipped']
  ])('in a list: approved as %s, now %s: %s', (then, now, status) => {
    expect(verdict(then, now, 1812)).toBe(status)
  })

  const portal = (secret: unknown) => ({ auth: { psk: 'shown' }, portal: { password: secret } })
  test.each<[then: unknown, known: boolean, now: unknown, status: string]>([
    ['', true, '', 'approved'],
    ['', true, 'another', 'stale'],
    ['another', true, '', 'stale'],
    ['****', true, '', 'approved'],
    ['', false, '', 'approved'],
    [undefined, false, undefined, 'approved']
  ])('as a field: live %j in the plan (resolved: %s), now %j: %s', (then, isKnown, now, status) => {
    const fields = (isResolved: boolean) => ({
      portal: { password: env(isResolved ? 'wanted' : undefined) }
    })
    const { plan } = planOf(portal(then), fields(isKnown))
    const saved = parsePlan(formatPlan(plan), 'plan.json')
    const { approved, decided } = approve(
      planOf(portal(now), fields(true)).planned,
      saved,
      new Map()
    )
    expect(approved.length > 0 ? 'approved' : decided[0]?.status).toBe(status)
  })
})

describe('a plan of an earlier version, without secret states', () => {
  /** In the format of that version. */
  const older = (plan: Plan): Plan => {
    const changes = plan.changes.map(({ secrets: _, ...change }): Change => change)
    return { ...plan, changes, digest: digestOf(plan.base_url, changes, plan) }
  }

  test.each<[then: Kind, now: Kind, status: string]>([
    ['same', 'same', 'approved'],
    ['hidden', 'changed', 'approved'],
    ['changed', 'changed', 'stale']
  ])(
    'does not detect a changed secret in a list: approved as %s, now %s: %s',
    (then, now, status) => {
      expect(verdict(then, now, 1645, older)).toBe(status)
    }
  )

  test('detects a changed secret that is a field', () => {
    const { plan, planned } = planOf({ auth: { psk: 'old' } }, { auth: { psk: env('new') } })
    const saved = parsePlan(formatPlan(older(plan)), 'plan.json')
    expect(approve(planned, saved, new Map()).approved).toHaveLength(1)
  })
})

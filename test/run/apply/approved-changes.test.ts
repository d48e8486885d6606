import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Plan, PlannedChange } from '../../../src/core/model/plan.ts'
import { assemble, planSite } from '../../../src/core/plan/plan.ts'
import type { Secret } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { formatPlan, parsePlan } from '../../../src/files/saved-plan.ts'
import { approve } from '../../../src/run/apply/approved-changes.ts'
import { context, desiredSite, env, live, liveSite, nth, wlan } from '../../core/plan/support.ts'
import { wlanCases } from '../../support/wlans.ts'

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
function verdict(then: Kind, now: Kind, ports: number) {
  const of = (kind: Kind) => {
    const [secret, value] = sides[kind]
    return planOf(found(secret), declared(value, ports))
  }
  const saved = parsePlan(formatPlan(of(then).plan), 'plan.json')
  const { approved, decided } = approve(of(now).planned, [saved], new Map())
  return approved.length > 0 ? 'approved' : decided[0]?.status
}

describe('a secret in a list', () => {
  test.each<[then: Kind, now: Kind, status: string]>([
    ['same', 'same', 'approved'],
    ['changed', 'changed', 'approved'],
    ['set', 'set', 'approved'],
    ['hidden', 'hidden', 'approved'],
    ['same', 'changed', 'stale'],
    ['same', 'hidden', 'stale'],
    ['changed', 'same', 'stale'],
    ['changed', 'hidden', 'stale'],
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
      [saved],
      new Map()
    )
    expect(approved.length > 0 ? 'approved' : decided[0]?.status).toBe(status)
  })
})

describe('the reference of a hidden secret', () => {
  const hidden = { auth: { psk: '********', pairwise: ['wpa2-ccmp'] } }
  const sending = (reference: string) =>
    [hidden, { auth: { psk: env('wanted-psk', reference), pairwise: ['wpa3'] } }] as const

  test.each([
    ['ONE', 'ONE', 'approved'],
    ['ONE', 'OTHER', 'stale']
  ])('that is sent with another field: approved %s, now %s: %s', (then, now, status) => {
    expect(judge(sending(now), sending(then))).toMatchObject({ status })
  })

  test('in a list approves no other member of the list', () => {
    const [live, secret] = [found('********'), env('radius-one', REFERENCE)]
    const [then, now] = [declared(env(undefined, REFERENCE)), declared(secret, 1645)]
    expect(judge([found('radius-two'), now], [live, then])).toMatchObject({ status: 'skipped' })
    const same = declared(secret)
    expect(judge([found('radius-two'), same], [live, then])).toMatchObject({ status: 'approved' })
  })
})

type Fields = Record<string, unknown>

/** The result for the change that these fields need now, if plans were made for other live values or fields. */
function judge(
  now: readonly [live: Fields, fields: ValueObject],
  ...plans: readonly (readonly [live: Fields, fields: ValueObject])[]
) {
  const files = plans.map(([found, fields], nth) => {
    return parsePlan(formatPlan(planOf(found, fields).plan), `${nth}.json`)
  })
  const { approved, decided } = approve(planOf(...now).planned, files, new Map())
  const [{ status, reason, fields } = { status: 'approved', reason: '', fields: [] }] = decided
  return { bodies: approved.map(({ change }) => change.request.body), status, reason, fields }
}

describe('a change of two operations', () => {
  const found = { vlan_id: 20, hide_ssid: false }
  const both = { vlan_id: 21, hide_ssid: true }
  const now = [found, both] as const
  const [vlan, hide] = [[found, { vlan_id: 21 }] as const, [found, { hide_ssid: true }] as const]

  test.each([
    ['one plan shows both', [now]],
    ['two plans show one each', [vlan, hide]],
    ['another plan shows another value', [now, [found, { vlan_id: 22 }] as const]],
    [
      'a plan shows more of them',
      [
        [
          { ...found, dtim: 1 },
          { ...both, dtim: 2 }
        ] as const
      ]
    ]
  ])('is approved if %s', (_, plans) => {
    expect(judge(now, ...plans)).toMatchObject({ status: 'approved', bodies: [both] })
  })

  const hidden = { pointer: '/hide_ssid', found: false, wanted: true }
  test.each([
    ['no plan shows one of them', [vlan], [hidden]],
    ['two plans show the same one', [vlan, vlan], [hidden]],
    [
      'a plan shows another former value',
      [[{ ...found, vlan_id: 19 }, both] as const],
      [{ pointer: '/vlan_id', before: 19, found: 20, wanted: 21 }]
    ],
    [
      'a plan shows another new value',
      [[found, { ...both, vlan_id: 22 }] as const, hide],
      [{ pointer: '/vlan_id', before: 20, found: 20, wanted: 21 }]
    ]
  ])('is stale if %s', (_, plans, fields) => {
    expect(judge(now, ...plans)).toMatchObject({ status: 'stale', bodies: [], fields })
  })

  test('is skipped if no plan shows a change of the WLAN', () => {
    expect(judge(now, [both, both])).toMatchObject({ status: 'skipped', bodies: [] })
  })

  test('needs the approval of each operation', () => {
    let [tried, split] = [0, 0]
    fc.assert(
      fc.property(
        wlanCases(),
        fc.infiniteStream(fc.boolean()),
        ({ live: found, declared }, sides) => {
          tried += 1
          const record = { id: nth(1), ssid: 'Corp', record: found, readAt: 0 }
          const site = planSite(desiredSite([wlan(declared)]), liveSite([record]))
          const planned = site.wlanPlans.filter(verdict => verdict.status === 'changed')
          const { changes, ...plan } = assemble([site], context())
          const paths = [...new Set(changes.flatMap(({ patch }) => patch.map(({ path }) => path)))]
          const first = new Set(paths.filter(() => sides.next().value))
          const part = (isFirst: boolean) => ({
            ...plan,
            changes: changes.map(change => ({
              ...change,
              patch: change.patch.filter(({ path }) => first.has(path) === isFirst)
            }))
          })
          const [one, other] = [part(true), part(false)]
          const approvedBy = (...files: Plan[]) => approve(planned, files, new Map()).approved
          expect(approvedBy(one, other)).toEqual(planned)
          if (paths.length === 0) return
          split += 1
          expect(approvedBy(one)).toEqual(first.size === paths.length ? planned : [])
          expect(approvedBy(other)).toEqual(first.size === 0 ? planned : [])
        }
      )
    )
    expect(split).toBeGreaterThan(tried / 10)
  })
})

describe('an approval is void if the change does more than the plans show', () => {
  const off = {
    enabled: false,
    vlan_enabled: true,
    vlan_id: 20,
    auth: { type: 'psk', psk: 'shown' }
  }
  const on = { ...off, enabled: true }
  const vlan = { vlan_id: 21 }

  test('to the clients, because the WLAN is on now', () => {
    expect(judge([on, vlan], [off, vlan])).toEqual({
      status: 'stale',
      bodies: [],
      reason:
        'it does more than the plan shows: the impact reconnect instead of none (enabled was false, is true; vlan_enabled is true); plan again'
    })
    expect(judge([off, vlan], [on, vlan])).toMatchObject({ status: 'approved' })
  })

  test('to security, because of a live value that changed', () => {
    const open = { auth: { type: 'open' } }
    expect(judge([on, open], [off, open])).toMatchObject({
      status: 'stale',
      reason: expect.stringContaining(
        'the downgrade of auth.type (high) (enabled was false, is true)'
      )
    })
  })

  test('because of operations of two plans that are harmless one by one', () => {
    const [open, enabled] = [{ auth: { type: 'open' } }, { enabled: true }]
    expect(judge([off, { ...open, ...enabled }], [off, open], [off, enabled])).toMatchObject({
      status: 'stale',
      reason: expect.stringContaining('the downgrade of auth.type (high)')
    })
  })

  test('but not because of a secret that the plan could not compare', () => {
    const secret = (value?: string) => ({ auth: { psk: env(value) } })
    expect(judge([on, secret('another')], [on, secret()])).toMatchObject({ status: 'approved' })
    expect(
      judge([on, { ...vlan, ...secret('another') }], [off, { ...vlan, ...secret() }])
    ).toMatchObject({
      status: 'stale',
      reason: expect.stringContaining('the impact reconnect instead of none')
    })
  })
})

describe('an undeclared member of an approved field', () => {
  const portal = (expire: number, more: Fields = {}) => ({
    auth: { psk: 'shown' },
    portal: { enabled: true, expire, ...more }
  })

  test('travels along as it is now', () => {
    const fields = { portal: { expire: 60 } }
    const [then, now] = [portal(30, { privacy: true }), portal(30, { privacy: false })]
    expect(judge([now, fields], [then, fields])).toMatchObject({
      status: 'approved',
      bodies: [{ portal: { expire: 60, privacy: false } }]
    })
  })

  test('travels along with an approved secret; a declared one needs approval', () => {
    const fields = (value?: string) => ({ portal: { password: env(value) } })
    const [then, now] = [portal(30), portal(45)]
    expect(judge([now, fields('new')], [then, fields()])).toMatchObject({
      status: 'approved',
      bodies: [{ portal: { expire: 45 } }]
    })
    const declared = { portal: { password: env('new'), expire: 60 } }
    expect(judge([now, declared], [then, fields()])).toMatchObject({ status: 'skipped' })
  })
})

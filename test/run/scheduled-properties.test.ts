import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Period } from '../../src/core/model/calendar.ts'
import { type Desired, type DesiredSite, defaultPolicy } from '../../src/core/model/desired.ts'
import type { LiveSite } from '../../src/core/model/live.ts'
import { type Status, statuses } from '../../src/core/model/outcome.ts'
import type { Change, PatchOperation } from '../../src/core/model/plan.ts'
import type { RecordedRun } from '../../src/core/model/record.ts'
import { planSite } from '../../src/core/plan/plan.ts'
import type { Pointer } from '../../src/core/values/pointer.ts'
import { type ValueObject, valueAt } from '../../src/core/values/value.ts'
import { outcome } from '../../src/run/apply/outcome.ts'
import { scheduleOf } from '../../src/run/scheduled.ts'
import { desiredSite } from '../support/desired.ts'
import { runs } from '../support/properties.ts'
import { idOf } from './apply/support.ts'

const SITE = { id: idOf(1, 1), name: 'hq' }
const BASE_URL = 'https://api.example.com'

/** Times in the order of their numbers. */
const at = (day: number) => `2026-12-${String(day).padStart(2, '0')}T00:00:00Z`
const DAYS = 9

const vlan = fc.constantFrom(10, 20, 30)
const fieldsOf = (optional: boolean) =>
  fc.record(
    { vlan_id: vlan, dtim: fc.constantFrom(1, 2), isolation: fc.boolean() },
    optional ? { requiredKeys: [] } : {}
  )

interface DeclaredPeriod {
  readonly from: number
  readonly until: number
  readonly fields: ValueObject
}

const period = fc
  .tuple(fc.integer({ min: 1, max: DAYS }), fc.integer({ min: 1, max: DAYS }), fieldsOf(true))
  .map(
    ([a, b, fields]): DeclaredPeriod => ({
      from: Math.min(a, b),
      until: Math.max(a, b) + 1,
      fields
    })
  )

/** A run that planned the WLAN with these declared and live fields. */
const runCase = fc.record({
  command: fc.constantFrom('apply' as const, 'revert' as const),
  day: fc.integer({ min: 1, max: DAYS }),
  declared: fieldsOf(true),
  live: fieldsOf(false),
  status: fc.constantFrom(...statuses, 'deferred' as const),
  problem: fc.option(fc.constant('the check failed'), { nil: undefined }),
  isKilled: fc.boolean()
})

const cases = fc.record({
  usual: fieldsOf(true),
  periods: fc.array(period, { maxLength: 2 }),
  live: fieldsOf(false),
  history: fc.array(runCase, { maxLength: 3 }),
  now: fc.integer({ min: 1, max: DAYS + 1 })
})

/** The declared fields at a time: later periods are laid over earlier ones. */
function fieldsAt(usual: ValueObject, periods: readonly DeclaredPeriod[], day: number) {
  const holding = periods.filter(({ from, until }) => from <= day && day < until)
  return Object.assign({}, usual, ...holding.map(({ fields }) => fields)) as ValueObject
}

function siteOf(fields: ValueObject, periods: readonly Period[] = []): DesiredSite {
  const site = desiredSite(SITE, { guest: { id: idOf(2, 1), ssid: 'Guest', ...fields } })
  return { ...site, wlans: site.wlans.map(wlan => ({ ...wlan, periods })) }
}

function liveOf(fields: ValueObject): LiveSite {
  const record = { ssid: 'Guest', ...fields }
  return { site: SITE, wlans: [{ id: idOf(2, 1), ssid: 'Guest', record, readAt: 0 }] }
}

function changeOf(site: DesiredSite, live: ValueObject): Change | undefined {
  const [wlanPlan] = planSite(site, liveOf(live)).wlanPlans
  return wlanPlan?.status === 'changed' ? wlanPlan.change : undefined
}

function recordedRun(
  change: Change,
  number: number,
  { command, day, status, problem, isKilled }: GeneratedRun
): RecordedRun {
  const started = at(day)
  const reason = status === 'applied' ? {} : { reason: 'a reason' }
  return {
    id: `0000000${number}`,
    command,
    tool: 'wlanctl/test',
    baseUrl: BASE_URL,
    digest: '',
    started,
    ...(isKilled ? {} : { ended: started, ...(problem === undefined ? {} : { problem }) }),
    changes: [
      { change, lostSecrets: [], outcome: outcome(change, status, reason), timeline: [], line: 1 }
    ]
  }
}

interface GeneratedRun {
  readonly command: 'apply' | 'revert'
  readonly day: number
  readonly status: Status
  readonly problem: string | undefined
  readonly isKilled: boolean
}

function operationsAt(change: Change | undefined, pointer: Pointer): readonly PatchOperation[] {
  return change?.patch.filter(({ path }) => path === pointer) ?? []
}

it('sends a part of the plan: fields with a border behind them, and fields that the newest record deferred', async () => {
  let sent = 0
  await fc.assert(
    fc.asyncProperty(cases, async ({ usual, periods, live, history, now }) => {
      const stateAt = (day: number) => fieldsAt(usual, periods, day)
      const declared = siteOf(
        stateAt(now),
        periods.map(({ from, until }) => ({
          from: at(from),
          until: at(until),
          reason: 'market',
          begins: { ssid: 'Guest', ...stateAt(from) },
          ends: { ssid: 'Guest', ...stateAt(until) }
        }))
      )
      const recorded = [...history]
        .sort((a, b) => a.day - b.day)
        .flatMap((each, number) => {
          const change = changeOf(siteOf(each.declared), each.live)
          return change === undefined ? [] : recordedRun(change, number, each)
        })
      const desired: Desired = { policy: defaultPolicy, sites: [declared], findings: [] }
      const context = { baseUrl: BASE_URL, now: new Date(at(now)) }
      const schedule = await scheduleOf(desired, recorded, context)
      const whole = changeOf(declared, live)
      const [due] = schedule.desired.sites
      const part = due && changeOf(schedule.request.narrow(due, liveOf(live)), live)
      for (const pointer of new Set(part?.patch.map(({ path }) => path))) {
        sent += 1
        expect(operationsAt(part, pointer)).toEqual(operationsAt(whole, pointer))
        const valueOn = (day: number) => valueAt(stateAt(day), pointer)
        const borders = Array.from({ length: now }, (_, day) => day + 1).filter(
          day => valueOn(day) !== valueOn(day - 1)
        )
        const newest = recorded.findLast(({ changes }) =>
          changes.some(({ change }) => operationsAt(change, pointer).length > 0)
        )
        const status = newest?.changes[0]?.outcome.status
        const isStopped = newest?.ended === undefined || newest.problem !== undefined
        const waits = newest?.command === 'apply' && status === 'deferred' && !isStopped
        expect(waits || borders.length > 0).toBe(true)
        const isSettled =
          newest?.command === 'apply' && (waits || status === 'applied' || status === 'unchanged')
        if (newest === undefined || isSettled) continue
        // What failed, was stopped or was reverted is sent only after a later border.
        expect(borders.some(day => at(day) > newest.started)).toBe(true)
      }
    }),
    runs(500)
  )
  expect(sent).toBeGreaterThan(50)
})

import { describe, expect, it, test } from 'vitest'
import { defaultPolicy } from '../../../src/core/model/defaults.ts'
import type { Policy } from '../../../src/core/model/desired.ts'
import { type Finding, finding } from '../../../src/core/model/finding.ts'
import type { Change, PlannedChange } from '../../../src/core/model/plan.ts'
import { type Allowances, type GuardContext, refusalsOf } from '../../../src/core/plan/guards.ts'
import { assemble, planSite } from '../../../src/core/plan/plan.ts'
import { context, desiredSite, live, liveSite, nth, wlan } from './support.ts'

/** The changed WLANs: `p` a protected one, `d` a downgrade, `c` any other; `=` is unchanged. */
function planned(kinds: string, policy: Partial<Policy> = {}, allowances: Allowances = {}) {
  const wlans = [...kinds].map((kind, n) =>
    wlan(kind === 'd' ? { isolation: false } : { dtim: kind === '=' ? 1 : 2 }, {
      key: `w${n}`,
      id: nth(n + 1),
      ...(kind === 'p' && { protect: true })
    })
  )
  const found = wlans.map((_, n) => live({ dtim: 1, isolation: true }, nth(n + 1)))
  const site = planSite(desiredSite(wlans), liveSite(found))
  const changes = site.wlanPlans.filter(wlanPlan => wlanPlan.status === 'changed')
  return { changes, plan: assemble([site], { ...context(policy), allowances }) }
}

const codes = (refusals: readonly Finding[] = []) => refusals.map(({ code }) => code)

/** The refusals of these changes at `hq`, by default of all WLANs of a fleet without limits. */
function refusals(changes: readonly Partial<Change>[], context: Partial<GuardContext> = {}) {
  const planned = changes.map((parts, n) => {
    const change = { address: `hq/w${n}`, site: { id: nth(1), name: 'hq' }, ...parts }
    return { address: change.address, change, desired: {} } as PlannedChange
  })
  const policy = { maxChangePercent: 100 }
  return refusalsOf(planned, { policy, allowances: {}, managed: [1000], findings: [], ...context })
}

describe('the refusals of a plan', () => {
  test.each<[kinds: string, policy: Partial<Policy>, allowances: Allowances, expected: string[]]>([
    ['c', {}, {}, []],
    ['pc', {}, {}, ['PROTECTED']],
    ['d', {}, {}, ['DOWNGRADE_REFUSED']],
    ['d', {}, { allowDowngrade: ['*'] }, []],
    ['pcd', { maxChanges: 1 }, {}, ['PROTECTED', 'DOWNGRADE_REFUSED', 'OVER_MAX_CHANGES']],
    ['pc', { maxChanges: 1 }, {}, ['PROTECTED']],
    ['cccc======', {}, {}, ['OVER_MAX_PERCENT']],
    ['pccc======', {}, {}, ['PROTECTED']]
  ])('of %s under %j with %j', (kinds, policy, allowances, expected) => {
    const { plan } = planned(kinds, policy, allowances)
    expect(codes(plan.refusals)).toEqual(expected)
    for (const { hint } of plan.refusals ?? []) expect(hint).toMatch(/`[^`]+`/)
  })

  it('include the errors of the policy and missing secrets', () => {
    const { changes } = planned('c')
    const findings: Finding[] = [
      { level: 'error', code: 'UNMANAGED', message: 'm' },
      { level: 'warning', code: 'RULE', message: 'm' },
      { level: 'warning', code: 'SECRET_UNRESOLVED', message: 'm' }
    ]
    const input = { policy: defaultPolicy, allowances: {}, managed: [1] as const, findings }
    expect(codes(refusalsOf(changes, input))).toEqual(['UNMANAGED', 'SECRETS_MISSING'])
  })

  it('count a secret that several fields lack once', () => {
    const names = ['WLAN_SECRET_A', 'WLAN_SECRET_A', 'WLAN_SECRET_B']
    const found = names.map((name, line) =>
      finding('SECRET_UNRESOLVED', { address: String(line) }, name, 'the variable is not set')
    )
    expect(refusals([], { findings: found })).toEqual([finding('SECRETS_MISSING', {}, 2)])
  })
})

/** The refusals of so many changes, of so many WLANs that the fleet and its base manage. */
function overLimits(
  changed: number,
  managed: GuardContext['managed'],
  policy: GuardContext['policy'],
  allowances: Allowances = {}
) {
  return refusals(Array(changed).fill({}), { managed, policy, allowances })
}

const limits = (...of: Parameters<typeof overLimits>) => codes(overLimits(...of))

const most = { maxChangePercent: 100 }

describe('the number of changes', () => {
  test.each([
    [1, 0, ['OVER_MAX_CHANGES']],
    [21, 20, ['OVER_MAX_CHANGES']]
  ])('%i of %i allowed', (changed, maxChanges, expected) => {
    expect(limits(changed, [1000], { ...most, maxChanges })).toEqual(expected)
  })

  test('is unlimited by default', () => {
    expect(limits(1000, [1000], most)).toEqual([])
  })
})

describe('the percentage', () => {
  test.each([
    [9, 9, 30, false],
    [3, 10, 30, false],
    [4, 10, 30, true],
    [29, 100, 29, false],
    [1, 300, 0.3, true],
    [1, 10, 0, true],
    [0, 10, 0, false],
    [0, 0, 0, false]
  ])('%i of %i with %d %% allowed: refused %j', (changed, wlans, maxChangePercent, refused) => {
    expect(limits(changed, [wlans], { maxChangePercent })).toEqual(
      refused ? ['OVER_MAX_PERCENT'] : []
    )
  })
})

describe('the maximum impact', () => {
  test.each([
    [['outage', 'reconnect'], '2 of 4 WLANs (50 %) would see up to an outage,'],
    [['some', 'guest-login'], '1 of 4 WLANs (25 %) would see a partial outage,']
  ] as const)('refuses %j, some of which is allowed', (impacts, message) => {
    const changes = impacts.map(impact => ({ impact }))
    const allowances = { maxImpact: 'guest-login' } as const
    const [found] = refusals(changes, { managed: [4], allowances })
    expect(found?.message).toContain(message)
  })
})

test('the percentage is of the WLANs of the files, and of those of the base', () => {
  const policy = { maxChangePercent: 30 }
  expect(limits(12, [50], policy)).toEqual([])
  expect(limits(12, [39], policy)).toEqual(['OVER_MAX_PERCENT'])
  // A change that drops a declaration of ten does not switch the limit off.
  expect(limits(9, [9], policy)).toEqual([])
  const [found] = overLimits(9, [9, 10], policy)
  expect(found?.message).toMatch(/changes 9 of 10 declared WLANs \(90 %\)/)
  expect(limits(12, [1000, 39], policy)).toEqual(['OVER_MAX_PERCENT'])
})

test('both limits may be exceeded', () => {
  const policy = { maxChanges: 5, maxChangePercent: 30 }
  expect(limits(6, [10], policy)).toEqual(['OVER_MAX_CHANGES', 'OVER_MAX_PERCENT'])
})

describe('a limit on the command line', () => {
  const policy = { maxChanges: 5, maxChangePercent: 30 }
  test.each([
    ['all', []],
    [10, []],
    [0, ['OVER_MAX_CHANGES']]
  ] as const)('%s overrides the policy', (override, expected) => {
    expect(limits(10, [10], policy, { maxChanges: override })).toEqual(expected)
  })
})

test('a refusal has the number, the limit, its source and the fix', () => {
  const [byPolicy] = overLimits(6, [10], { ...most, maxChanges: 5 })
  expect(byPolicy?.message).toMatch(/6 of 10 WLANs \(60 %\).*policy\.max_changes.*5/)
  expect(byPolicy?.hint).toContain('--max-changes 6')
  const [byOption] = overLimits(6, [10], most, { maxChanges: 5, command: 'revert' })
  expect(byOption?.message).toMatch(/6 of 10 WLANs.*--max-changes.*5/)
  expect(byOption?.hint).toContain('`revert --max-changes 6`')
  const [byPercent] = overLimits(6, [10], { maxChangePercent: 30 })
  expect(byPercent?.message).toMatch(/6 of 10.*60 %.*policy\.max_change_percent.*30 %/)
  expect(byPercent?.hint).toContain('--max-changes 6')
})

describe('the refusal of downgrades', () => {
  const at = (address: string, ...downgrades: string[]) => {
    const [name = ''] = address.split('/')
    return { address, site: { id: nth(1), name }, ...(downgrades.length > 0 && { downgrades }) }
  }

  test('names the WLANs, the fields and the settings that allow them', () => {
    const [found] = refusals([at('hq/w1', '/isolation', '/auth/type'), at('hq/w2')])
    expect(found?.message).toContain('hq/w1 (isolation, auth.type)')
    expect(found?.message).not.toContain('hq/w2')
    expect(found?.hint).toMatch(/--allow-downgrade/)
  })

  test('counts further names', () => {
    const many = Array.from({ length: 13 }, (_, n) => at(`hq/w${n}`, '/isolation'))
    expect(refusals(many)[0]?.message).toMatch(/hq\/w9 .* and 3 more$/)
  })

  test('names the same fields of a WLAN at several sites once', () => {
    const guests = [at('a/guest', '/isolation'), at('b/guest', '/isolation')]
    expect(refusals([...guests, at('hq/w2', '/auth/type')])[0]?.message).toBe(
      'the plan weakens the security of guest on 2 sites (isolation), hq/w2 (auth.type)'
    )
  })
})

import { describe, expect, it, test } from 'vitest'
import { defaultPolicy, type Policy } from '../../../src/core/model/desired.ts'
import { type Finding, finding } from '../../../src/core/model/finding.ts'
import type { Plan } from '../../../src/core/model/plan.ts'
import { digestOf } from '../../../src/core/plan/digest.ts'
import { type Allowances, missingSecrets, refusalsOf } from '../../../src/core/plan/limits.ts'
import { assemble, planSite } from '../../../src/core/plan/plan.ts'
import { formatPlan, parsePlan } from '../../../src/files/saved-plan.ts'
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

describe('the refusals of a plan', () => {
  test.each<[kinds: string, policy: Partial<Policy>, allowances: Allowances, expected: string[]]>([
    ['', {}, {}, []],
    ['c', {}, {}, []],
    ['p', {}, {}, ['PROTECTED']],
    ['pc', {}, {}, ['PROTECTED']],
    ['d', {}, {}, ['DOWNGRADE_REFUSED']],
    ['d', {}, { allowDowngrade: ['*'] }, []],
    ['pcd', { maxChanges: 1 }, {}, ['PROTECTED', 'DOWNGRADE_REFUSED', 'OVER_MAX_CHANGES']],
    ['pc', { maxChanges: 1 }, {}, ['PROTECTED']],
    ['cc', { maxChanges: 1 }, { maxChanges: 2 }, []],
    ['cccc======', {}, {}, ['OVER_MAX_PERCENT']],
    ['pccc======', {}, {}, ['PROTECTED']],
    ['pppppp====', {}, {}, ['PROTECTED']]
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
    expect(missingSecrets(found)).toEqual([finding('SECRETS_MISSING', {}, 2)])
  })
})

/** The plan as parsed from an edited file with a matching digest. */
function read(plan: Plan, edit: Partial<Plan> = {}): Plan {
  const edited = { ...plan, ...edit }
  return parsePlan(formatPlan({ ...edited, digest: digestOf(edited) }), 'plan.json')
}

describe('the refusals of a saved plan', () => {
  const { plan } = planned('pcd', { maxChanges: 1 })

  it('equal those of the plan', () => {
    expect(read(plan)).toEqual(JSON.parse(formatPlan(plan)))
  })

  it('are computed again, except protected WLANs', () => {
    const edited = read(plan, { refusals: plan.refusals?.slice(0, 1) ?? [] })
    expect(edited.refusals).toEqual(plan.refusals)
    expect(edited.findings.at(-1)?.message).toContain('refusals')
    const [, ...others] = plan.refusals ?? []
    expect(codes(read(plan, { refusals: others }).refusals)).not.toContain('PROTECTED')
  })

  it('name only WLANs with changes', () => {
    const [first] = plan.refusals ?? []
    const claim = { ...(first as Finding), address: 'hq/other' }
    expect(codes(read(plan, { refusals: [claim] }).refusals)).not.toContain('PROTECTED')
  })
})

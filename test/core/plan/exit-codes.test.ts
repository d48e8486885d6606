import { describe, expect, test } from 'vitest'
import { type ExitCode, exit } from '../../../src/core/model/failure.ts'
import { type Finding, finding } from '../../../src/core/model/finding.ts'
import type { Outcome } from '../../../src/core/model/outcome.ts'
import type { PlanSummary } from '../../../src/core/model/plan.ts'
import { outcomesExit, planExit, plannedExit } from '../../../src/core/plan/exit-codes.ts'

const empty: PlanSummary = {
  sites: 1,
  sites_failed: 0,
  wlans: 1,
  changed: 0,
  unchanged: 1,
  blocked: 0,
  unmanaged: 0,
  requests: 1
}

const unmanaged = finding('UNMANAGED', {}, 'Guest', '1')
const unwatched = { ...unmanaged, code: 'UNDECLARED_CHANGED', level: 'warning' } as Finding
const lost = { ...unmanaged, code: 'SECRET_NOT_RESTORED', level: 'warning' } as Finding

const plan = (summary: Partial<PlanSummary>, ...findings: readonly Finding[]) => ({
  summary: { ...empty, ...summary },
  findings
})

describe('the exit code of a plan', () => {
  test.each<[string, ReturnType<typeof plan>, ExitCode]>([
    ['without changes', plan({}), exit.done],
    ['with changes', plan({ changed: 1 }), exit.changes],
    ['with a changed field that no file declares', plan({}, unwatched), exit.changes],
    ['with a blocked WLAN', plan({ changed: 1, blocked: 1 }), exit.incomplete],
    ['with an unread site', plan({ changed: 1, sites_failed: 1 }), exit.incomplete],
    ['that cannot restore a secret', plan({ changed: 1 }, lost), exit.incomplete],
    ['that the policy refuses', plan({ blocked: 1 }, unmanaged), exit.refused]
  ])('%s', (_, made, code) => {
    expect(planExit(made, exit.changes)).toBe(code)
    expect(planExit(made, exit.done)).toBe(code === exit.changes ? exit.done : code)
  })

  test('counts findings that depend on secrets', () => {
    expect(planExit(plan({ changed: 1 }), exit.changes, [unmanaged])).toBe(exit.refused)
  })

  test('is that of apply with --detailed-exitcode, if apply would refuse the plan', () => {
    const changed = plan({ changed: 1 })
    expect(plannedExit(changed, true)).toBe(exit.changes)
    for (const isDetailed of [true, false]) {
      expect(plannedExit({ ...changed, refusals: [unmanaged] }, isDetailed)).toBe(exit.refused)
    }
    expect(plannedExit({ ...changed, refusals: [unwatched] }, true)).toBe(exit.changes)
  })
})

describe('the exit code of outcomes', () => {
  const applied: Outcome = { address: 'hq/guest', status: 'applied' }
  const changed = plan({ changed: 1 })

  test.each<[string, Parameters<typeof outcomesExit>[0], ExitCode]>([
    ['all applied', { plan: changed, outcomes: [applied] }, exit.done],
    [
      'one failed',
      { plan: changed, outcomes: [{ ...applied, status: 'failed' }] },
      exit.incomplete
    ],
    ['a failed wave', { plan: changed, outcomes: [applied], failedWave: 'x' }, exit.incomplete],
    ['an unread site', { plan: plan({ sites_failed: 1 }), outcomes: [] }, exit.incomplete],
    ['a refusal by the policy', { plan: plan({}, unmanaged), outcomes: [] }, exit.refused]
  ])('%s', (_, executed, code) => {
    expect(outcomesExit(executed)).toBe(code)
  })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withDigests } from '../../src/core/plan/digest.ts'
import { folder, wlanctl } from '../support/program.ts'
import { dayOf } from '../support/reports.ts'
import { richPlan } from './rich.ts'

const { deferred = [], findings, unmanaged } = richPlan
const saved = dayOf(
  '2026-11-20T10:00:00Z',
  { 'hq/guest': ['vlan_id'] },
  {
    findings: findings.filter(({ code }) => code === 'RULE'),
    unmanaged,
    deferred: deferred.slice(0, 1)
  }
)

const show = async (plan: object, ...more: readonly string[]) => {
  const cwd = folder()
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan))
  return await wlanctl(['show', 'plan.json', ...more], { cwd })
}

it('a saved plan with the times at a site is shown', async () => {
  expect(await show(saved)).toMatchObject({ code: 0 })
})

it.each(['::x', '2026-11-20 11:00 <img>', '2026-11-20 11:00\n### x'])(
  'a saved plan whose time at a site is %j is refused',
  async local => {
    const waits = deferred.slice(0, 1).map(each => ({ ...each, local }))
    const ended = await show(withDigests({ ...saved, deferred: waits }))
    expect(ended).toMatchObject({ code: 3, stdout: '' })
  }
)

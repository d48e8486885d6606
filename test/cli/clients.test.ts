import { describe, expect, it } from 'vitest'
import { stage } from '../support/stage.ts'

const idOf = (kind: number, n: number) =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Two sites whose guests reconnect, with 120 and 3,000 clients, and a policy. */
async function sites(
  policy = 'max_change_percent: 100',
  clients = [', clients: 120', ', clients: 3000']
) {
  const made = await stage({
    sites: ['hq', 'mall'].map((name, n) => ({
      id: idOf(1, n),
      name,
      wlans: [{ id: idOf(2, n), ssid: 'Guest', enabled: true, vlan_id: 10, vlan_enabled: true }]
    }))
  })
  const lines = ['hq', 'mall'].map(
    (name, n) => `  - { id: ${idOf(1, n)}, name: ${name}${clients[n] ?? ''} }\n`
  )
  made.write(
    'fleet/hq.yaml',
    `sites:\n${lines.join('')}wlans: { guest: { ssid: Guest, vlan_id: 11 } }\npolicy: { ${policy} }\n`
  )
  return made
}

describe('the number of clients', () => {
  it('is in the plan, its waves and every report', async () => {
    const { run } = await sites('rollout: [{ canary: 5% of clients }]')
    const plan = JSON.parse((await run('plan fleet --format json')).stdout)
    expect(plan.clients).toEqual({ total: 3120, affected: 3120, by_site: { hq: 120, mall: 3000 } })
    expect(plan.rollout[0]).toEqual({ name: 'canary', sites: ['hq'] })
    const text = await run('plan fleet')
    expect(text.stdout).toContain('3,120 of 3,120 clients affected')
    expect(text.stdout).toContain('1 change on 1 site with 120 clients: hq')
    for (const format of ['markdown', 'github', 'html']) {
      expect((await run(`plan fleet --format ${format}`)).stdout).toContain(
        '3,120 of 3,120 clients affected'
      )
    }
  })

  it('comes from --weights where the file has the site', async () => {
    const { run, write } = await sites()
    write('weights.csv', 'mall,7\n')
    const { stdout } = await run('plan fleet --weights weights.csv --format json')
    expect(JSON.parse(stdout).clients).toMatchObject({ total: 127, affected: 127 })
    write('weights.csv', 'mall,7\nhq,x\n')
    const wrong = await run('plan fleet --weights weights.csv')
    expect(wrong.code).toBe(3)
    expect(wrong.stderr).toContain('weights.csv:2: expected `SITE,NUMBER`, got "hq,x"')
  })

  it('limits what apply sends, unless the command line allows more', async () => {
    const { run, methods } = await sites('max_clients: 500')
    const plan = await run('plan fleet --format json')
    expect(JSON.parse(plan.stdout).refusals).toMatchObject([
      {
        code: 'OVER_MAX_CLIENTS',
        message: 'the plan affects 3120 clients, and policy.max_clients allows 500'
      }
    ])
    expect((await run('apply fleet --yes')).code).toBe(4)
    expect(methods()).not.toContain('PUT')
    expect((await run('apply fleet --yes --site hq --record r.jsonl')).code).toBe(0)
    expect((await run('apply fleet --yes --max-clients 3000')).code).toBe(0)
    expect((await run('revert r.jsonl fleet --yes')).code).toBe(0)
  })

  it('must be known for the limit', async () => {
    const { run } = await sites('max_clients: 500', [', clients: 120', ''])
    const { code, stderr } = await run('apply fleet --yes')
    expect(code).toBe(4)
    expect(stderr).toContain('1 site has none: mall')
    expect((await run('apply fleet --yes --max-clients all')).code).toBe(0)
  })
})

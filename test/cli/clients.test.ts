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
  it('is not shown where no client is affected', async () => {
    const { run } = await sites('rollout: {}')
    await run('apply fleet --yes --max-changes all')
    const { stdout } = await run('plan fleet')
    expect(stdout).toContain('No changes')
    expect(stdout).not.toContain('clients')
  })

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

  it('limits apply, unless the command line allows more', async () => {
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

  it('of the sent changes is in the outcomes', async () => {
    const windows =
      'windows: [{ name: nights, days: [mon], from: "22:00", until: "05:00", impact: [reconnect] }]'
    const { run, write, read } = await sites(`max_change_percent: 100, ${windows}`, [
      ', clients: 120, vars: { timezone: Europe/Berlin }',
      ', clients: 3000, vars: { timezone: America/New_York }'
    ])
    const berlinNight = { now: () => new Date('2026-11-23T21:30:00Z') }
    const reports = ['text', 'markdown', 'github', 'html'].map(
      format => `--report ${format}=out.${format}`
    )
    const line = `apply fleet --yes --record r.jsonl --format json ${reports.join(' ')}`
    const { code, stdout } = await run(line, {}, berlinNight)
    const { summary, clients } = JSON.parse(stdout)
    expect({ code, summary }).toMatchObject({ code: 0, summary: { applied: 1, deferred: 1 } })
    expect(clients).toEqual({ total: 3120, affected: 120, by_site: { hq: 120, mall: 3000 } })
    for (const format of ['text', 'markdown', 'github', 'html']) {
      expect(read(`out.${format}`), format).toContain('120 of 3,120 clients affected')
    }
    const undone = await run('revert r.jsonl fleet --yes --format json --ignore-windows')
    expect(JSON.parse(undone.stdout).clients).toMatchObject({ affected: 120 })
    write('fleet/hq.yaml', read('fleet/hq.yaml').replaceAll(/clients: \d+, /g, ''))
    const none = await run('apply fleet --yes --format json', {}, berlinNight)
    expect(JSON.parse(none.stdout)).not.toHaveProperty('clients')
  })

  it('includes restored changes, and is summed up over shards', async () => {
    const { run, write } = await sites('rollout: { revert_on_failure: wave }')
    const failed = await run('apply fleet --yes --check false --format json')
    expect(JSON.parse(failed.stdout)).toMatchObject({
      summary: { reverted: 2 },
      clients: { total: 3120, affected: 3120 }
    })
    const shards = ['1/2', '2/2']
    for (const [n, shard] of shards.entries()) {
      write(`${n}.json`, (await run(`apply fleet --yes --shard ${shard} --format json`)).stdout)
    }
    const merged = await run('show 0.json 1.json --format json')
    expect(JSON.parse(merged.stdout).clients).toEqual({
      total: 3120,
      affected: 3120,
      by_site: { hq: 120, mall: 3000 }
    })
  })

  it('is required for the limit', async () => {
    const { run } = await sites('max_clients: 500', [', clients: 120', ''])
    const { code, stderr } = await run('apply fleet --yes')
    expect(code).toBe(4)
    expect(stderr).toContain('1 site has none: mall')
    expect((await run('apply fleet --yes --max-clients all')).code).toBe(0)
  })
})

import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { commit, git, repository } from '../support/git.ts'
import { desk } from './fake/script.ts'
import { checkout, town } from './fake/town.ts'
import { workflow } from './fake/workflow.ts'

const main = { repository_id: 1, head_repository_id: 1, head_branch: 'main' }

/** A checkout of three commits; the run is on the last one. */
function three() {
  const made = desk()
  made.hub.quicken()
  made.write('checkout/file', '')
  repository(made.cwd)
  const commits = Array.from({ length: 3 }, () => {
    commit(made.cwd)
    return git(made.cwd, 'rev-parse', 'HEAD')
  })
  const [first = '', second = '', third = ''] = commits
  const applied = (head_sha: string, id: number, change = {}) =>
    made.hub.store('wlanctl-applied-fleet', [made.write(`made/${id}/record.jsonl`, '')], {
      ...main,
      head_sha,
      id,
      ...change
    })
  const run = async () => {
    const { code, log } = await made.run('scripts/applied.sh', {
      DEFAULT_BRANCH: 'main',
      COMMIT: third
    })
    return { code, log, head: git(made.cwd, 'rev-parse', 'HEAD') }
  }
  return { hub: made.hub, first, second, third, applied, run, write: made.write }
}

describe('applied.sh', () => {
  it('checks out the newest commit whose apply started, not a merge that waits for approval', async () => {
    const { first, second, applied, run } = three()
    applied(first, 1)
    applied(second, 2)
    expect(await run()).toMatchObject({ code: 0, head: second })
  })

  it.each([
    ['a fork', { head_repository_id: 2 }],
    ['another branch', { head_branch: 'change' }]
  ])('ignores %s', async (_, change) => {
    const { first, third, applied, run } = three()
    applied(first, 1)
    applied(third, 2, change)
    expect(await run()).toMatchObject({ code: 0, head: first })
  })

  it('sends nothing after a revert until the next apply, which declares a different state', async () => {
    const { hub, first, second, applied, run, write } = three()
    applied(first, 1)
    const record = write('made/2/record.jsonl', '')
    hub.store('wlanctl-reverted-fleet', [record], { ...main, head_sha: first, id: 2 })
    const { code, log } = await run()
    expect(code).toBe(1)
    expect(log).toContain('Run 2 undid an apply, and the files still declare what it undid')
    applied(second, 3)
    expect(await run()).toMatchObject({ code: 0, head: second })
  })

  it('sends nothing before a first apply', async () => {
    const { third, run } = three()
    const { code, log, head } = await run()
    expect([code, head]).toEqual([1, third])
    expect(log).toContain('No commit of main was applied yet')
  })
})

describe('scheduled.yml', { timeout: 120_000 }, () => {
  /** Pull request 7, which sets VLAN 21, applied; then a manual edit, and scheduled runs. */
  async function applied() {
    const made = await town()
    const { simulator, hub, planOf, merge, applyOf, scheduledOf } = made
    const files = checkout(21)
    repository(files)
    const sha = git(files, 'rev-parse', 'HEAD')
    await planOf(7, files, 'aaa')
    merge(7, 'aaa', sha)
    await applyOf(files, sha, { id: 50 })
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    return { ...made, hub, files, sha, tick: (change = {}) => scheduledOf(files, sha, change) }
  }

  it('applies on a schedule, and stores a record that revert.yml finds', async () => {
    const { simulator, hub, tick, files, sha, start } = await applied()
    const { apply, issue } = await tick()
    expect([apply?.result, issue?.result]).toEqual(['success', 'success'])
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
    expect(hub.state.issues).toEqual([])
    const run = hub.state.artifacts.findLast(({ name }) => name === 'wlanctl-record-fleet-1')
    const inputs = { run: String(run?.workflow_run.id) }
    await start('revert', files, sha, { inputs })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(99)
    // The files still declare the reverted state.
    const after = await tick()
    expect(after['apply']).toMatchObject({
      result: 'failure',
      summary: expect.stringContaining('undid an apply')
    })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(99)
  })

  it('has one issue while its runs fail, with the time since when, and no other output', async () => {
    const { simulator, hub, tick } = await applied()
    const refused = { fail: [{ answer: { status: 403 }, times: 'always' as const }] }
    simulator.set(refused)
    await tick()
    const { number, body = '' } = hub.state.issues[0] ?? {}
    expect(hub.state.issues).toMatchObject([
      { title: 'Scheduled: fleet cannot be applied', state: 'open' }
    ])
    const since = /\*\*Fails since (\S+):\*\*/.exec(body)?.[1] ?? ''
    expect(since).toMatch(/^20[0-9T:-]+Z$/)
    hub.change(({ issues }) => {
      const earlier = body.replace(since, '2026-11-20T03:00Z')
      Object.assign(issues[0] ?? {}, { body: earlier })
    })
    const again = await tick()
    expect(again['apply']?.result).toBe('failure')
    expect(hub.state.issues).toMatchObject([{ number, state: 'open' }])
    expect(hub.state.issues[0]?.body).toContain('**Fails since 2026-11-20T03:00Z:**')
    expect(hub.state.comments.filter(({ issue }) => issue === number)).toEqual([])
    simulator.set({ fail: [] })
    await tick()
    expect(hub.state.issues).toMatchObject([{ number, state: 'closed' }])
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
  })

  it.each(['--ignore-windows', '--ignore-windows=true'])(
    'rejects %s on a schedule, and not by hand',
    async options => {
      const { simulator, tick } = await applied()
      const before = simulator.requests.length
      const { apply } = await tick({ inputs: { options: `--quiet\n${options}` } })
      expect(apply?.summary).toContain(
        'A run on a schedule cannot have the option --ignore-windows'
      )
      expect(simulator.requests).toHaveLength(before)
      if (options !== '--ignore-windows') return
      const byHand = await tick({ inputs: { options }, event: 'workflow_dispatch' })
      expect(byHand['apply']?.result).toBe('success')
      expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
    }
  )

  it.each(['scheduled', 'drift'])('%s.yml does nothing for another branch', async name => {
    const { hub, simulator, files, sha, start } = await applied()
    const before = simulator.requests.length
    const of = {
      event: { repository: { default_branch: 'main' } },
      event_name: 'workflow_dispatch'
    }
    const github = { ...of, sha, ref: 'refs/heads/change', ref_name: 'change' }
    const jobs = await start(name, files, sha, { github })
    expect(Object.values(jobs).map(({ result }) => result)).toEqual(['skipped', 'skipped'])
    expect(simulator.requests).toHaveLength(before)
    expect(hub.state.issues).toEqual([])
  })

  it('runs the check after each wave, and stops if it fails', async () => {
    const { simulator, tick } = await applied()
    const inputs = { check: 'exit 1', pause: 0, parallelism: 1 }
    const { apply } = await tick({ inputs })
    expect(apply?.result).toBe('failure')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
  })

  it('never runs at the same time as the apply of a merge, and is not counted as one', () => {
    const groupOf = (name: string) => workflow(name).jobs['apply']?.concurrency
    expect(groupOf('scheduled')).toEqual(groupOf('apply'))
    expect(JSON.stringify(workflow('scheduled'))).not.toContain('wlanctl-applied')
  })

  it('has the inputs of apply.yml, except those about plans, and those about issues', () => {
    const inputsOf = (name: string) => Object.keys(workflow(name).on.workflow_call?.inputs ?? {})
    const aboutPlans = ['require-plan', 'scope', 'max-plan-age']
    expect(inputsOf('scheduled').sort()).toEqual(
      [
        ...inputsOf('apply').filter(each => !aboutPlans.includes(each)),
        'labels',
        'assignees'
      ].sort()
    )
  })
})

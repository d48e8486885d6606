import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORP, GUEST, HQ } from '../simulator/simulate.ts'
import { commit, git, repository } from '../support/git.ts'
import { ROOT } from '../support/program.ts'
import { checkout, PSK, town } from './fake/town.ts'

/**
 * The ways to continue after drift, a stale plan and a bad apply: reconcile, adopt, and revert, each on
 * request.
 */

/** A scenario runs up to a dozen jobs. */
const long = { timeout: 120_000 }

/** A checkout with the workflows of the example, or with these. */
function withWorkflows(vlan: number, ...names: readonly string[]): string {
  const files = checkout(vlan)
  const folder = join(files, '.github/workflows')
  mkdirSync(folder, { recursive: true })
  for (const name of names) {
    cpSync(join(ROOT, `examples/github/.github/workflows/${name}.yml`), join(folder, `${name}.yml`))
  }
  return files
}

const all = ['reconcile', 'adopt', 'revert'] as const
const page = (name: string) => `https://github.com/acme/wifi/actions/workflows/${name}.yml`

const namesIn = ({ state }: Awaited<ReturnType<typeof town>>['hub']) =>
  state.artifacts.map(({ name }) => name)

describe('reconcile.yml', long, () => {
  it('shows the plan before the approval, applies it, and stores its record', async () => {
    const { hub, simulator, start } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const shown: unknown[] = []
    const { plan, apply } = await start('reconcile', withWorkflows(20, ...all), 'c1', {
      beforeJob: { apply: () => shown.push(simulator.history.length, ...namesIn(hub)) }
    })
    expect(plan).toMatchObject({ result: 'success', outputs: { changed: '1' } })
    expect(plan?.summary).toMatch(/99.*20/)
    expect(shown).toEqual([0, 'wlanctl-planned-fleet'])
    expect(apply).toMatchObject({ result: 'success' })
    expect(apply?.summary).toContain(
      `To undo this run, run [revert](${page('revert')}) with the run id`
    )
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(20)
    expect(namesIn(hub)).toEqual(
      expect.arrayContaining(['wlanctl-record-fleet-1', 'wlanctl-applied-fleet'])
    )
  })

  it('sends nothing but the approved plan, and says how to continue', async () => {
    const { simulator, start } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const beforeJob = { apply: () => void simulator.edit(HQ, CORP, { vlan_id: 98 }) }
    const { apply } = await start('reconcile', withWorkflows(20, ...all), 'c1', { beforeJob })
    expect(apply?.result).toBe('failure')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(98)
    expect(apply?.summary).toContain('**1 stale**: the live WLANs changed after the plan.')
    expect(apply?.summary).toContain(`run [plan and apply](${page('reconcile')})`)
    expect(apply?.summary).toContain(`run [adopt](${page('adopt')})`)
  })

  it('asks for no approval without changes', async () => {
    const { start } = await town()
    expect(await start('reconcile', checkout(20), 'c1')).toMatchObject({
      plan: { result: 'success' },
      apply: { result: 'skipped' }
    })
  })

  it.each([
    [
      'the branch moved',
      { tip: 'c2' },
      /c1 is not the last commit of main any more.*\n.*Run the workflow again/
    ],
    ['it waited too long', { inputs: { 'max-plan-age': '0s' } }, /--max-plan-age allows 0 s/]
  ])('rejects a plan if %s', async (_, change, reason) => {
    const { simulator, start } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const { apply } = await start('reconcile', checkout(20), 'c1', change)
    expect(apply).toMatchObject({ result: 'failure', summary: expect.stringMatching(reason) })
    expect(simulator.history).toEqual([])
  })

  it('for some sites keeps the commit that was applied last', async () => {
    const { hub, simulator, start } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const { apply } = await start('reconcile', checkout(20), 'c1', { inputs: { site: 'h*' } })
    expect(apply?.result).toBe('success')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(20)
    expect(namesIn(hub)).not.toContain('wlanctl-applied-fleet')
    const none = await start('reconcile', checkout(20), 'c1', { inputs: { site: 'x*' } })
    expect(none['plan']?.summary).toContain('no site matches')
  })

  it('is the way out if the plan of a merge has expired: the next merge is applied', async () => {
    const { hub, simulator, applyOf, start, ...walk } = await town()
    const files = withWorkflows(21, ...all)
    repository(files)
    const first = git(files, 'rev-parse', 'HEAD')
    walk.merge(7, 'aaa', first)
    expect((await applyOf(files, first))['apply']?.result).toBe('failure')
    expect((await start('reconcile', files, first))['apply']?.result).toBe('success')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
    const file = join(files, 'sites/hq.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('vlan_id: 21', 'vlan_id: 22'))
    commit(files)
    const second = git(files, 'rev-parse', 'HEAD')
    await walk.planOf(8, files, 'bbb')
    walk.merge(8, 'bbb', second)
    expect((await applyOf(files, second))['apply']?.result).toBe('success')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(22)
    expect(hub.state.comments.at(-1)).toMatchObject({ issue: 8 })
  })
})

describe('revert.yml', long, () => {
  /** Pull request 7, which sets VLAN 21, applied by run 50. */
  async function applied() {
    const made = await town()
    await made.plan(7, 21, 'aaa')
    made.merge(7, 'aaa', 'merge7')
    await made.applyOf(withWorkflows(21, ...all), 'merge7', { id: 50 })
    return made
  }

  it('shows the plan of a revert before the approval, and sends it', async () => {
    const { hub, simulator, start } = await applied()
    expect(hub.state.comments.at(-1)?.body).toContain(
      `run [revert](${page('revert')}) with the run id \`50\``
    )
    const before = simulator.history.length
    const shown: number[] = []
    const jobs = await start('revert', checkout(21), 'merge7', {
      inputs: { run: '50' },
      beforeJob: { revert: () => shown.push(simulator.history.length - before) }
    })
    expect(jobs['plan']?.summary).toMatch(/21.*20/)
    expect(shown).toEqual([0])
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(20)
    expect(jobs['revert']?.summary).toContain('The files still declare what was undone')
    // The revert can be reverted.
    const id = hub.state.artifacts.findLast(({ name }) => name === 'wlanctl-record-fleet-1')
    const run = String(id?.workflow_run.id)
    expect(run).not.toBe('50')
    await start('revert', checkout(21), 'merge7', { inputs: { run } })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
  })

  it('skips changes that were edited while it waited', async () => {
    const { simulator, start } = await applied()
    await start('revert', checkout(21), 'merge7', {
      inputs: { run: '50' },
      beforeJob: { revert: () => void simulator.edit(HQ, CORP, { vlan_id: 98 }) }
    })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(98)
  })

  it('joins the records of all attempts of a run', async () => {
    const { simulator, applyOf, start } = await applied()
    simulator.edit(HQ, CORP, { vlan_id: 20 })
    await applyOf(checkout(21), 'merge7', { id: 50, attempt: 2 })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
    const jobs = await start('revert', checkout(21), 'merge7', { inputs: { run: '50' } })
    expect(jobs['plan']?.outputs).toMatchObject({ changed: '1' })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(20)
  })

  it.each([
    ['is unknown', '51', {}, 'run 51 has no record of fleet'],
    ['is of another branch', '50', { head_branch: 'change' }, 'it is not of main'],
    ['is of a fork', '50', { head_repository_id: 2 }, 'run 50 has no record'],
    ['is no number', '50/artifacts', {}, 'expected the id of a run']
  ])('rejects a run that %s', async (_, run, change, reason) => {
    const { hub, simulator, start } = await applied()
    hub.change(({ artifacts }) => {
      for (const { workflow_run } of artifacts) Object.assign(workflow_run, change)
    })
    const before = simulator.requests.length
    const jobs = await start('revert', checkout(21), 'merge7', { inputs: { run } })
    expect(jobs).toMatchObject({ plan: { result: 'failure' }, revert: { result: 'skipped' } })
    expect(jobs['plan']?.summary).toContain(reason)
    expect(simulator.requests).toHaveLength(before)
  })
})

describe('adopt.yml', long, () => {
  async function drifted() {
    const made = await town()
    made.simulator.edit(HQ, CORP, { vlan_id: 99 })
    const files = withWorkflows(20, ...all)
    repository(files)
    return { ...made, files, sha: git(files, 'rev-parse', 'HEAD') }
  }

  it('opens one pull request with the live values, and keeps it up to date', async () => {
    const { hub, simulator, start, files, sha } = await drifted()
    const jobs = await start('adopt', files, sha)
    expect(jobs).toMatchObject({
      adopt: { result: 'success' },
      'pull-request': { result: 'success' }
    })
    const branch = 'wlanctl/adopt-fleet'
    expect(hub.state.opened).toMatchObject([
      { head: branch, base: 'main', title: 'Adopt the live values of fleet' }
    ])
    expect(hub.state.opened[0]?.body).toContain('- `hq/corp`: `/vlan_id`')
    const content = () => {
      const commit = hub.state.commits[hub.state.branches[branch] ?? '']
      expect(commit?.parents).toEqual([{ sha }])
      return hub.state.trees[commit?.tree.sha ?? '']
    }
    expect(content()).toMatchObject({
      base_tree: git(files, 'rev-parse', 'HEAD^{tree}'),
      tree: [{ path: 'sites/hq.yaml', mode: '100644' }]
    })
    const written = readFileSync(join(files, 'sites/hq.yaml'), 'utf8')
    expect(content()?.tree[0]?.content).toBe(written.replace('vlan_id: 20', 'vlan_id: 99'))

    // The same values add no commit, and other values replace it.
    const before = hub.state.branches
    await start('adopt', files, sha)
    expect(hub.state.branches).toEqual(before)
    simulator.edit(HQ, CORP, { vlan_id: 98 })
    await start('adopt', files, sha)
    expect(hub.state.opened).toHaveLength(1)
    expect(content()?.tree[0]?.content).toContain('vlan_id: 98')
    expect(simulator.history).toEqual([])
  })

  it('opens none without drift, and adopts no secret', async () => {
    const { hub, simulator, start, files, sha } = await drifted()
    simulator.edit(HQ, CORP, { vlan_id: 20 })
    simulator.edit(HQ, GUEST, { auth: { type: 'psk', psk: 'planted-live-psk' } })
    const jobs = await start('adopt', files, sha)
    expect(jobs).toMatchObject({
      adopt: { result: 'success' },
      'pull-request': { result: 'skipped' }
    })
    expect(jobs['adopt']?.summary).toContain('nothing to adopt')
    expect(JSON.stringify([hub.state, jobs])).not.toMatch(new RegExp(`planted-live-psk|${PSK}`))
  })

  it('keeps a branch with commits of other users', async () => {
    const { hub, start, files, sha } = await drifted()
    hub.change(state => {
      state.branches['wlanctl/adopt-fleet'] = 'theirs'
      state.commits['theirs'] = { message: 'Mine', tree: { sha: 't' }, parents: [{ sha }] }
    })
    const jobs = await start('adopt', files, sha)
    expect(jobs['pull-request']).toMatchObject({
      result: 'failure',
      summary: expect.stringContaining('the branch wlanctl/adopt-fleet has commits of its own')
    })
    expect(hub.state.branches).toEqual({ 'wlanctl/adopt-fleet': 'theirs' })
  })

  it('names the setting that prevents a pull request', async () => {
    const { hub, start, files, sha } = await drifted()
    hub.change(({ failures }) => {
      failures.push({
        matching: 'POST api repos/acme/wifi/pulls',
        times: 1,
        problem: 'HTTP 403: Forbidden'
      })
    })
    const { 'pull-request': opened } = await start('adopt', files, sha)
    expect(opened?.summary).toContain('create and approve pull requests')
    // Once it is allowed, the existing branch is used.
    await start('adopt', files, sha)
    expect(hub.state.opened).toHaveLength(1)
  })
})

describe('the links', long, () => {
  it('of the issue about drift point to the workflows of the checkout', async () => {
    const { hub, simulator, driftOf } = await town()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    await driftOf(withWorkflows(20, ...all))
    expect(hub.state.issues[0]?.body).toContain(`run [plan and apply](${page('reconcile')})`)
    expect(hub.state.issues[0]?.body).toContain(`run [adopt](${page('adopt')})`)
    await driftOf(withWorkflows(20, 'adopt'))
    expect(hub.state.issues[0]?.body).not.toContain('plan and apply')
    await driftOf(checkout(20))
    expect(hub.state.issues[0]?.body).not.toContain('actions/workflows')
  })

  it('of the comment after a stale apply name each way to continue', async () => {
    const { hub, simulator, applyOf, ...walk } = await town()
    await walk.plan(7, 21, 'aaa')
    walk.merge(7, 'aaa', 'merge7')
    simulator.edit(HQ, CORP, { vlan_id: 98 })
    await applyOf(withWorkflows(21, ...all), 'merge7')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(98)
    const body = hub.state.comments.at(-1)?.body
    expect(body).toContain('**1 stale**')
    expect(body).toContain(page('reconcile'))
    expect(body).toContain(page('adopt'))
  })
})

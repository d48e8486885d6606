import { describe, expect, test } from 'vitest'
import { ciStage, fleet, kinds, type RunOptions, site } from '../stage.ts'

const DAY = 86_400_000

/** A time some days from now. */
const at = (days: number) => new Date(Date.now() + days * DAY)

/** The time as files have it, to the minute. */
const inFile = (days: number) => `${at(days).toISOString().slice(0, 16)}Z`

/** A period of a network with VLAN 30, in days from now. */
const period = (from: number, until: number) =>
  `vlan_id: 10\n$during: [{ from: ${inFile(from)}, until: ${inFile(until)}, reason: fair, vlan_id: 30 }]`

const FROZEN = `, freezes: [{ from: ${inFile(-1)}, until: ${inFile(1)}, reason: year end }]`
const WAVES = ', rollout: [{ canary: b }, { rest: "*" }]'
const ALL = {
  ...site('a', 'vlan_id: 20'),
  ...site('b', 'vlan_id: 20'),
  ...site('c', 'vlan_id: 20')
}

describe.each(kinds)('the schedule on %s', kind => {
  async function stage(files = fleet()) {
    const staged = await ciStage(kind, files)
    const scheduled = (days = 0, options: RunOptions = {}) =>
      staged.run(staged.forge.start('scheduled'), 'scheduled', {
        store: 'record',
        ...options,
        edges: { now: () => at(days) }
      })
    /** Both jobs of a run by hand. */
    const operate = async (line: string, days = 0) => {
      const edges = { now: () => at(days) }
      const job = staged.forge.start('operate')
      await staged.run(job, line, { store: 'shown', edges })
      const sending = staged.forge.rerun(job)
      return staged.run(sending, `${line} --apply --shown ${job.results}`, {
        store: 'record',
        edges
      })
    }
    return { ...staged, scheduled, operate }
  }

  test('leaves alone what a failed canary stopped, however often it runs', async () => {
    const { merged, apply, scheduled, live, forge } = await stage(fleet({}, WAVES))
    await merged(ALL)
    const stopped = await apply({ line: 'apply -- --check false' })
    expect(stopped.outcomes).toEqual({
      'a/corp': 'skipped',
      'b/corp': 'applied',
      'c/corp': 'skipped'
    })
    for (const days of [0, 1]) expect(await scheduled(days)).toMatchObject({ code: 0 })
    expect(live()).toEqual([10, 20, 10])
    expect(forge.state.deployments).toHaveLength(1)
  })

  test('leaves alone what a person stopped', async () => {
    const held = ', rollout: { waves: [{ canary: b }, { rest: "*" }], hold: 600 }'
    const { merged, apply, scheduled, live, simulator } = await stage(fleet({}, held))
    await merged(ALL)
    const cancel = new AbortController()
    const poll = setInterval(() => {
      if (simulator.history.length > 0) cancel.abort()
    }, 5)
    const stopped = await apply({ edges: { interrupted: cancel.signal } })
    clearInterval(poll)
    expect(stopped.outcomes).toEqual({
      'a/corp': 'skipped',
      'b/corp': 'applied',
      'c/corp': 'skipped'
    })
    expect(await scheduled()).toMatchObject({ code: 0 })
    expect(live()).toEqual([10, 20, 10])
  })

  test('leaves stale and drifting fields alone', async () => {
    const { merged, apply, scheduled, edit, live } = await stage()
    await merged({ ...site('b', 'vlan_id: 20'), ...site('c', 'vlan_id: 20') })
    edit('c', { vlan_id: 55 })
    edit('a', { vlan_id: 66 })
    expect(await apply()).toMatchObject({ outcomes: { 'b/corp': 'applied', 'c/corp': 'stale' } })
    expect(await scheduled()).toMatchObject({ code: 0 })
    expect(live()).toEqual([66, 20, 55])
  })

  test('begins and ends a period, and needs no merge to live on', async () => {
    const { merged, apply, scheduled, live, forge } = await stage()
    await merged(site('b', period(1, 3)))
    expect(await apply()).toMatchObject({ code: 0 })
    await scheduled(0)
    expect(live()).toEqual([10, 10, 10])
    expect(await scheduled(2)).toMatchObject({ outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 30, 10])
    // A year later everything that can expire has expired.
    for (const { artifacts } of forge.state.runs.flatMap(({ jobs }) => jobs)) {
      for (const artifact of artifacts) artifact.isExpired = true
    }
    expect(await scheduled(4)).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 10, 10])
  })

  test('leaves a network in a period alone that was edited', async () => {
    const { merged, apply, scheduled, edit, live } = await stage()
    await merged(site('b', period(1, 3)))
    expect(await apply()).toMatchObject({ code: 0 })
    edit('b', { vlan_id: 77 })
    await scheduled(2)
    expect(live()).toEqual([10, 77, 10])
  })

  test('leaves a field alone that was edited while it waited', async () => {
    const { merged, apply, scheduled, edit, live } = await stage(fleet({}, FROZEN))
    await merged(site('b', 'vlan_id: 20'))
    expect(await apply()).toMatchObject({ code: 0 })
    edit('b', { vlan_id: 55 })
    await scheduled(2)
    expect(live()).toEqual([10, 55, 10])
  })

  test('goes on after a revert of a revert', async () => {
    const { merged, apply, scheduled, operate, live } = await stage()
    await merged({ ...site('b', 'vlan_id: 20'), ...site('c', period(1, 3)) })
    const applied = await apply()
    const reverted = await operate(`revert ${applied.job.run.id}`)
    expect(live()).toEqual([10, 10, 10])
    await operate(`revert ${reverted.job.run.id}`)
    expect(live()).toEqual([10, 20, 10])
    expect(await scheduled(2)).toMatchObject({ code: 0, outcomes: { 'c/corp': 'applied' } })
    expect(live()).toEqual([10, 20, 30])
  })

  test('omits the changes that a revert undid, and says so', async () => {
    const { merged, apply, scheduled, operate, live } = await stage()
    await merged(site('b', period(1, 3)))
    expect(await apply()).toMatchObject({ code: 0 })
    const begun = await scheduled(2)
    expect(live()).toEqual([10, 30, 10])
    await operate(`revert ${begun.job.run.id}`, 2.1)
    expect(live()).toEqual([10, 10, 10])
    const next = await scheduled(2.2)
    expect(live()).toEqual([10, 10, 10])
    expect(next.report).toMatch(/revert/)
  })

  test('after a force push follows the next apply, not the commits that are gone', async () => {
    const { merged, apply, scheduled, live, forge } = await stage()
    const before = forge.tip
    await merged(site('b', period(1, 3)))
    expect(await apply()).toMatchObject({ code: 0 })
    forge.forcePush(before)
    const gone = await scheduled(2)
    expect(gone).toMatchObject({ code: 0 })
    expect(gone.report).toContain('No apply has attempted a commit')
    expect(live()).toEqual([10, 10, 10])
    await merged(site('c', period(1, 3)))
    expect(await apply()).toMatchObject({ code: 0 })
    expect(await scheduled(2)).toMatchObject({ outcomes: { 'c/corp': 'applied' } })
    expect(live()).toEqual([10, 10, 30])
  })
})

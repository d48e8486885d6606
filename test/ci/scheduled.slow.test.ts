import { describe, expect, test } from 'vitest'
import { ciStage, fleet, kinds, site } from './stage.ts'

const B = (vlan: number) => site('b', `vlan_id: ${vlan}`)

const FROZEN = ', freezes: [{ from: 2020-01-01T00:00Z, until: 2099-01-01T00:00Z, reason: move }]'

/** A network whose period began long ago, or has not begun. */
const during = (from: string, until: string) =>
  site('c', `vlan_id: 10\n$during: [{ from: ${from}, until: ${until}, vlan_id: 33, reason: fair }]`)

describe.each(kinds)('scheduled on %s', kind => {
  async function scheduleStage(files?: Parameters<typeof ciStage>[1]) {
    const stage = await ciStage(kind, files)
    const { forge, run } = stage
    const schedule = (options: Parameters<typeof run>[2] = {}) =>
      run(forge.start('scheduled'), 'scheduled', { store: 'record', ...options })
    return { ...stage, schedule }
  }

  test('without any apply nothing is sent', async () => {
    const { schedule, live, forge } = await scheduleStage()
    forge.pushToMain(B(20))
    expect(await schedule()).toMatchObject({ code: 0 })
    expect(live()).toEqual([10, 10, 10])
    expect(forge.state.deployments).toEqual([])
  })

  test('sends what a freeze deferred when it ends, and no drift', async () => {
    const { schedule, live, forge, merged, apply, edit } = await scheduleStage(fleet({}, FROZEN))
    await merged(B(20))
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'deferred' } })
    const waiting = await schedule()
    expect(waiting).toMatchObject({ code: 0 })
    expect(live()).toEqual([10, 10, 10])
    expect(forge.state.deployments).toHaveLength(1)
    edit('a', { vlan_id: 66 })
    const at = new Date('2099-02-01T00:00Z')
    const sent = await schedule({ edges: { now: () => at } })
    expect(sent.outcomes).toMatchObject({ 'b/corp': 'applied' })
    expect(live()).toEqual([66, 20, 10])
    expect(forge.state.deployments).toHaveLength(2)
    const [, second] = forge.state.deployments
    expect(second?.environment).toContain('scheduled')
  })

  test('goes on with the next wave after its soak, and not before', async () => {
    const soak = ', rollout: { waves: [{ first: a }], soak: 2h }'
    const { schedule, live, merged, apply } = await scheduleStage(fleet({}, soak))
    await merged({ ...B(20), ...site('a', 'vlan_id: 30') })
    expect(await apply()).toMatchObject({
      code: 0,
      outcomes: { 'a/corp': 'applied', 'b/corp': 'deferred' }
    })
    const inHours = (hours: number) => {
      const at = new Date(Date.now() + hours * 3_600_000)
      return schedule({ edges: { now: () => at } })
    }
    expect(await inHours(1)).toMatchObject({ code: 0 })
    expect(live()).toEqual([30, 10, 10])
    expect(await inHours(3)).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([30, 20, 10])
  })

  test('a later merge does not overtake the soak of a wave, and a wave before it goes on', async () => {
    const soak = ', rollout: { waves: [{ first: a }, { next: b }], soak: 2h }'
    const { schedule, live, merged, apply, plan, forge } = await scheduleStage(fleet({}, soak))
    await merged({ ...B(20), ...site('a', 'vlan_id: 30') })
    await apply()
    const files = B(21)
    const pull = forge.openPullRequest({ files })
    await plan(pull)
    forge.merge(pull)
    const later = await apply()
    expect(later).toMatchObject({ code: 0, outcomes: { 'b/corp': 'deferred' } })
    expect(later.report).toContain('the wave first soaks for 2 h')
    await merged(site('a', 'vlan_id: 31'))
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'a/corp': 'applied' } })
    expect(live()).toEqual([31, 10, 10])
    const at = new Date(Date.now() + 3 * 3_600_000)
    const sent = await schedule({ edges: { now: () => at } })
    expect(sent).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([31, 21, 10])
  })

  test('begins a period of the last commit that plans approve', async () => {
    const { schedule, live, forge, merged, apply } = await scheduleStage()
    await merged(during('2098-01-01T00:00Z', '2099-01-01T00:00Z'))
    await apply()
    forge.merge(forge.openPullRequest({ files: during('2098-01-01T00:00Z', '2099-06-01T00:00Z') }))
    await apply()
    const inPeriod = { edges: { now: () => new Date('2098-02-01T00:00Z') } }
    const sent = await schedule(inPeriod)
    expect(sent).toMatchObject({ code: 0, outcomes: { 'c/corp': 'applied' } })
    expect(sent.report).toContain(forge.state.deployments[0]?.sha.slice(0, 7))
    expect(live()).toEqual([10, 10, 33])
    const after = { edges: { now: () => new Date('2099-02-01T00:00Z') } }
    await schedule(after)
    expect(live()).toEqual([10, 10, 10])
  })

  test('leaves alone what a person edited or a revert undid', async () => {
    const { schedule, live, run, forge, merged, apply, edit } = await scheduleStage()
    await merged({ ...B(20), ...site('a', 'vlan_id: 30') })
    edit('a', { vlan_id: 55 })
    const applied = await apply()
    expect(applied.outcomes).toEqual({ 'a/corp': 'stale', 'b/corp': 'applied' })
    const shown = await run(forge.start('operate'), `revert ${applied.job.run.id}`)
    const line = `revert ${applied.job.run.id} --apply --shown ${shown.job.results}`
    await run(forge.start('operate'), line, { store: 'record' })
    expect(live()).toEqual([55, 10, 10])
    expect(await schedule()).toMatchObject({ code: 0 })
    expect(live()).toEqual([55, 10, 10])
  })

  test('is suspended, too', async () => {
    const { schedule } = await scheduleStage()
    expect(await schedule({ env: { WLANCTL_SUSPEND: 'audit' } })).toMatchObject({ code: 4 })
  })

  test('goes on from a record that has expired, and says so', async () => {
    const { schedule, forge, merged, apply } = await scheduleStage(fleet({}, FROZEN))
    await merged(B(20))
    await apply()
    for (const { artifacts } of forge.state.runs.flatMap(({ jobs }) => jobs)) {
      for (const artifact of artifacts) artifact.isExpired = true
    }
    const later = new Date(Date.now() + 90 * 24 * 3_600_000)
    const { code, report } = await schedule({ edges: { now: () => later } })
    expect(code).toBe(0)
    expect(report).toContain('stored no record, or it has expired')
  })

  test('sends nothing while the record of the newest run is missing', async () => {
    const { schedule, forge, merged, apply, live } = await scheduleStage(fleet({}, FROZEN))
    await merged(B(20))
    const { job } = await apply({ store: 'shown' })
    const { code, report } = await schedule()
    expect(code).toBe(4)
    expect(report).toContain(`run ${job.run.id} has sent changes and stored no record`)
    expect(live()).toEqual([10, 10, 10])
    expect(forge.state.deployments).toHaveLength(1)
  })
})

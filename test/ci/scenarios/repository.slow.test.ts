import { describe, expect, test } from 'vitest'
import { runBuilt, wlanctl } from '../../support/program.ts'
import type { StartedJob } from '../forge/forge.ts'
import type { Pull } from '../forge/state.ts'
import { ciStage, fleet, kinds, site } from '../stage.ts'

/** Two fleets of the same service in one repository: `emea` with the sites a and b, `apac` with c. */
const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<string>(fleet()).flatMap(([path, text]): [string, string][] => {
    const file = path.replace('fleet/', '')
    if (file === 'policy.yaml') return ['emea', 'apac'].map(name => [`${name}/${file}`, text])
    return [[file === 'c.yaml' ? `apac/${file}` : `emea/${file}`, text]]
  })
)

const inFleet = (name: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace('fleet/', `${name}/`), text])
  )

describe.each(kinds)('a repository on %s', kind => {
  async function twoFleets() {
    const { forge, service, live } = await ciStage(kind, FILES)
    const run = async (job: StartedJob, command: 'plan' | 'apply', name: string) => {
      const argv = ['ci', command, '--fleet', name, '--name', name, '--results', job.results]
      const env = { ...service, ...job.env }
      const ended = await wlanctl(argv, { cwd: job.cwd, env }, { forgePause: 1 })
      forge.finish(job, `wlanctl-${command === 'plan' ? 'plan' : 'record'}-${name}`)
      return ended
    }
    /** Merges a change of a fleet, whose plan alone runs, as with `paths:`. */
    const merged = async (name: string, files: Readonly<Record<string, string>>) => {
      const pull: Pull = forge.openPullRequest({ files: inFleet(name, files) })
      expect(await run(forge.start('plan', { pull }), 'plan', name)).toMatchObject({ code: 0 })
      forge.merge(pull)
    }
    return { forge, live, run, merged }
  }

  test('with two fleets applies each without plans of the other', async () => {
    const { forge, live, run, merged } = await twoFleets()
    await merged('emea', site('a', 'vlan_id: 20'))
    await run(forge.start('apply'), 'apply', 'emea')
    await merged('apac', site('c', 'vlan_id: 30'))
    await run(forge.start('apply'), 'apply', 'apac')
    await merged('emea', site('b', 'vlan_id: 40'))
    expect(await run(forge.start('apply'), 'apply', 'emea')).toMatchObject({ code: 0 })
    expect(live()).toEqual([20, 40, 30])
  })

  test('with two fleets applies one whose reviewers slept while the other went on', async () => {
    const { forge, live, run, merged } = await twoFleets()
    await merged('emea', site('a', 'vlan_id: 20'))
    const waiting = forge.start('apply')
    await merged('apac', site('c', 'vlan_id: 30'))
    await run(forge.start('apply'), 'apply', 'apac')
    expect(await run(waiting, 'apply', 'emea')).toMatchObject({ code: 0 })
    expect(live()).toEqual([20, 10, 30])
  })

  test('plans a pull request of a fork on the stored snapshot, which approves nothing', async () => {
    const { forge, run, plan, apply, live } = await ciStage(kind)
    forge.state.isPublic = true
    await run(forge.start('drift'), 'drift', { store: 'drift' })
    const pull = forge.openPullRequest({ files: site('b', 'vlan_id: 20'), isFork: true })
    const planned = await plan(pull, { env: { WLANCTL_API_TOKEN: '' } })
    expect(planned).toMatchObject({ code: 0 })
    expect(planned.report).toContain('b/corp')
    expect(planned.report).toContain('approves nothing')
    forge.merge(pull)
    const applied = await apply()
    expect(applied).toMatchObject({ code: 5, outcomes: { 'b/corp': 'skipped' } })
    expect(applied.report).toContain('it comes from a fork')
    expect(live()).toEqual([10, 10, 10])
  })

  test('works with the built program, whose processes end by themselves without a warning', async () => {
    const { forge, service, live } = await ciStage(kind)
    const run = async (job: StartedJob, command: 'plan' | 'apply' | 'drift') => {
      const argv = ['ci', command, '--fleet', 'fleet', '--results', job.results]
      const ended = await runBuilt(argv, { cwd: job.cwd, env: { ...service, ...job.env } })
      forge.finish(job, `wlanctl-${command === 'apply' ? 'record' : command}-fleet`)
      const report = ['ci', 'report', command, '--results', job.results]
      const told = await runBuilt(report, { cwd: job.cwd, env: job.env })
      expect(told).toMatchObject({ code: 0, stderr: '' })
      return ended
    }
    const pull = forge.openPullRequest({ files: site('b', 'vlan_id: 20') })
    const planned = await run(forge.start('plan', { pull }), 'plan')
    forge.merge(pull)
    const applied = await run(forge.start('apply'), 'apply')
    const checked = await run(forge.start('drift'), 'drift')
    for (const { code, stderr } of [planned, applied, checked]) {
      expect(code).toBe(0)
      expect(stderr).not.toMatch(/Warning|at .*\.js:\d+/)
    }
    expect(live()).toEqual([10, 20, 10])
    expect(pull.comments).toHaveLength(2)
  })
})

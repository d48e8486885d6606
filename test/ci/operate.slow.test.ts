import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ciStage, kinds, site } from './stage.ts'

const B = (vlan: number) => site('b', `vlan_id: ${vlan}`)

describe.each(kinds)('by hand on %s', kind => {
  async function operateStage() {
    const stage = await ciStage(kind)
    const { forge, run } = stage
    /** Plans, and sends exactly that plan in the next job. */
    const operate = async (line: string, between: () => void = () => undefined, options = '') => {
      const shown = await run(forge.start('operate'), `${line}${options}`)
      between()
      const job = forge.start('operate')
      const sent = await run(job, `${line} --apply --shown ${shown.job.results}${options}`, {
        store: 'record'
      })
      return { shown, sent }
    }
    return { ...stage, operate }
  }

  test('reconcile sends exactly the plan that was shown', async () => {
    const { operate, edit, live, forge } = await operateStage()
    edit('b', { vlan_id: 66 })
    const { shown, sent } = await operate('reconcile', () => edit('c', { vlan_id: 77 }))
    expect(shown.job.read('outputs')).toMatch(/changed.*\b1\b/is)
    expect(sent.outcomes).toEqual({ 'b/corp': 'applied', 'c/corp': 'skipped' })
    expect(live()).toEqual([10, 10, 77])
    expect(forge.state.deployments).toHaveLength(1)
  })

  test('reconcile of one site is no base for the next apply', async () => {
    const { operate, edit, live, forge, merged, apply } = await operateStage()
    await merged(B(20))
    edit('c', { vlan_id: 66 })
    const { sent } = await operate('reconcile', undefined, ' -- --site c')
    expect(sent.outcomes).toEqual({ 'c/corp': 'applied' })
    await merged(site('a', 'vlan_id: 30'))
    expect(await apply()).toMatchObject({ code: 0 })
    expect(live()).toEqual([30, 20, 10])
    expect(forge.state.deployments).toHaveLength(2)
  })

  test('revert undoes all attempts of a run, and can be undone', async () => {
    const { operate, edit, live, forge, merged, apply } = await operateStage()
    await merged({ ...B(20), ...site('c', 'vlan_id: 30') })
    const first = await apply()
    edit('c', { vlan_id: 10 })
    await apply({ job: forge.rerun(first.job) })
    expect(live()).toEqual([10, 20, 30])
    const { sent } = await operate(`revert ${first.job.run.id}`)
    expect(sent.report).toContain('The files still declare what was undone')
    expect(sent.code).toBe(0)
    expect(live()).toEqual([10, 10, 10])
    await operate(`revert ${sent.job.run.id}`)
    expect(live()).toEqual([10, 20, 30])
  })

  test.each(['17', 'x', '12345678901234567890123'])('revert of %s names the problem', async id => {
    const { run, forge } = await operateStage()
    const { code, report } = await run(forge.start('operate'), `revert ${id}`)
    expect(code).toBe(3)
    expect(report).toMatch(/has no record|expected the id of a run/)
  })

  test('adopt opens a pull request with the live values, updates it, and leaves others alone', async () => {
    const { forge, run, edit } = await operateStage()
    edit('b', { vlan_id: 66 })
    const adopted = await run(forge.start('operate'), 'adopt')
    expect(adopted.stderr).not.toContain('bug')
    expect(adopted.code).toBe(0)
    const [pull] = forge.state.pulls
    expect(pull).toMatchObject({ title: 'Adopt the live values of fleet' })
    expect(pull?.body).toContain('b/corp')
    const { repository } = forge.state
    expect(repository.git('show', 'wlanctl/adopt-fleet:fleet/b.yaml')).toContain('vlan_id: 66')
    edit('c', { vlan_id: 77 })
    await run(forge.start('operate'), 'adopt')
    expect(forge.state.pulls).toHaveLength(1)
    expect(repository.git('show', 'wlanctl/adopt-fleet:fleet/c.yaml')).toContain('vlan_id: 77')
    const own = repository.change(repository.tip('wlanctl/adopt-fleet'), B(5), 'Mine')
    repository.setBranch('wlanctl/adopt-fleet', own)
    edit('a', { vlan_id: 88 })
    const refused = await run(forge.start('operate'), 'adopt')
    expect(refused.code).toBe(4)
    expect(refused.report).toContain('commits of its own')
    expect(repository.tip('wlanctl/adopt-fleet')).toBe(own)
  })

  test('adopt of nothing opens nothing', async () => {
    const { forge, run } = await operateStage()
    const { code, report } = await run(forge.start('operate'), 'adopt')
    expect({ code, report }).toMatchObject({ code: 0 })
    expect(report).toContain('nothing to adopt')
    expect(forge.state.pulls).toEqual([])
  })

  test('the plan of another run is not sent', async () => {
    const { forge, run, edit, live } = await operateStage()
    edit('b', { vlan_id: 66 })
    const job = forge.start('operate')
    const { code } = await run(job, `reconcile --apply --shown ${join(job.cwd, 'none')}`)
    expect(code).toBe(3)
    expect(live()).toEqual([10, 66, 10])
    expect(readFileSync(join(job.results, 'report.md'), 'utf8')).toContain('nothing was sent')
  })
})

import { describe, expect, it } from 'vitest'
import { readHistory } from '../../src/cli/files/states.ts'
import type { EstateEvent } from '../../src/core/history/events.ts'
import { eventsOf } from '../../src/core/history/events.ts'
import { CORP, GUEST, HQ } from '../simulator/simulate.ts'
import { commit, git, gitEnv, repository } from '../support/git.ts'
import { type Stage, stage } from '../support/stage.ts'

/** A repository with a first snapshot. */
async function begun(): Promise<Stage> {
  const made = await stage()
  await made.run('snapshot fleet --into estate')
  repository(made.cwd)
  return made
}

/** Another night: an edit by hand, a snapshot, and its commit. */
async function night(made: Stage, id: string, fields: Readonly<Record<string, unknown>>) {
  made.simulator.edit(HQ, id, fields as never)
  await made.run('snapshot fleet --into estate')
  commit(made.cwd)
}

async function eventsIn({ cwd }: Stage, name = 'estate') {
  const events: EstateEvent[] = []
  const io = {
    cwd,
    env: { PATH: process.env['PATH'], ...gitEnv },
    interrupted: new AbortController().signal
  }
  const about = await readHistory(name, step => events.push(...eventsOf(step)), io as never)
  return {
    ...about,
    fields: events.map(({ address, pointer, before, after }) => [address, pointer, before, after])
  }
}

describe('the history of a snapshot folder', () => {
  it('has each change of a field, from the commits, and no event of the first one', async () => {
    const made = await begun()
    await night(made, CORP, { vlan_id: 77 })
    await night(made, GUEST, { ssid: 'Visitors' })
    await night(made, CORP, { vlan_id: 20 })
    const expected = [
      ['hq/Corp', '/vlan_id', 20, 77],
      ['hq/Visitors', '/ssid', 'Guest', 'Visitors'],
      ['hq/Corp', '/vlan_id', 77, 20]
    ]
    for (const name of ['estate', 'HEAD:estate', 'main:estate/']) {
      expect(await eventsIn(made, name)).toMatchObject({
        fields: expected,
        isShallow: false,
        unreadable: []
      })
    }
    expect(await eventsIn(made, 'HEAD~1:estate')).toMatchObject({ fields: expected.slice(0, 2) })
  })

  it('follows a site whose name, and so whose file, changed', async () => {
    const made = await begun()
    made.write('fleet/hq.yaml', made.read('fleet/hq.yaml').replace('name: hq', 'name: office'))
    await night(made, CORP, { vlan_id: 77 })
    expect((await eventsIn(made)).fields).toEqual([['office/Corp', '/vlan_id', 20, 77]])
  })

  it('has what a merge brought, once', async () => {
    const made = await begun()
    git(made.cwd, 'checkout', '--quiet', '-b', 'side')
    await night(made, CORP, { vlan_id: 77 })
    git(made.cwd, 'checkout', '--quiet', 'main')
    git(made.cwd, 'merge', '--quiet', '--no-ff', '--no-edit', 'side')
    expect((await eventsIn(made)).fields).toEqual([['hq/Corp', '/vlan_id', 20, 77]])
  })

  it('says which files were edited by hand, and claims nothing of them', async () => {
    const made = await begun()
    made.write('estate/hq.json', `${made.read('estate/hq.json')}\n`)
    commit(made.cwd)
    await night(made, CORP, { vlan_id: 77 }).catch(() => undefined)
    const { fields, unreadable } = await eventsIn(made)
    expect({ fields, unreadable }).toEqual({
      fields: [],
      unreadable: [expect.stringMatching(/^hq\.json at [0-9a-f]{10}$/)]
    })
  })

  it('says that a shallow clone lacks the beginning', async () => {
    const made = await begun()
    await night(made, CORP, { vlan_id: 77 })
    await night(made, CORP, { vlan_id: 78 })
    git(made.cwd, 'clone', '--quiet', '--depth=2', `file://${made.cwd}`, 'copy')
    const { fields, isShallow } = await eventsIn(made, 'copy/estate')
    expect({ fields, isShallow }).toEqual({
      fields: [['hq/Corp', '/vlan_id', 77, 78]],
      isShallow: true
    })
  })

  it.each([
    ['nowhere', 'is not a folder'],
    ['fleet', 'Git has no snapshot in fleet'],
    ['HEAD:..', 'leads out of the repository'],
    ['nothing:estate', 'git knows no commit']
  ])('%s: %s', async (name, problem) => {
    const made = await begun()
    await expect(eventsIn(made, name)).rejects.toThrow(problem)
  })
})

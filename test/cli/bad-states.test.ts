import { symlinkSync, truncateSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { commit, git, gitEnv, repository } from '../support/git.ts'
import { wlanctl } from '../support/program.ts'
import { type Stage, stage } from '../support/stage.ts'

const OTHER_ORG = '22222222-2222-4222-8222-222222222222'

/** Two commits of a snapshot folder, whose network was edited by hand since. */
async function remembered(): Promise<Stage> {
  const made = await stage()
  await made.run('snapshot fleet --into estate')
  repository(made.cwd)
  made.simulator.edit(HQ, CORP, { vlan_id: 30 })
  await made.run('snapshot fleet --into estate')
  commit(made.cwd)
  made.simulator.edit(HQ, CORP, { vlan_id: 77 })
  return made
}

const edit = (made: Stage, change: (text: string) => string) =>
  made.write('estate/hq.json', change(made.read('estate/hq.json')))

/** Replaces the file of the site by a link to it. */
function link(made: Stage) {
  made.write('elsewhere.json', made.read('estate/hq.json'))
  unlinkSync(join(made.cwd, 'estate/hq.json'))
  symlinkSync('../elsewhere.json', join(made.cwd, 'estate/hq.json'))
}

type Prepare = (made: Stage) => void

const otherService: Prepare = made =>
  void edit(made, text => text.replace(/http:[^"]*/, 'https://api.example.com'))
const otherOrganization: Prepare = made =>
  void edit(made, text => text.replace(/"org_id": "[^"]*"/, `"org_id": "${OTHER_ORG}"`))
const handEdit: Prepare = made => void edit(made, text => text.replace('"Corp"', '"Corp2",'))
const tooLarge: Prepare = made => truncateSync(join(made.cwd, 'estate/hq.json'), 49 * 1024 * 1024)
/** The blob of the first commit is gone, as in a partial clone. */
const lacking: Prepare = made => {
  const blob = git(made.cwd, 'rev-parse', 'HEAD~1:estate/hq.json')
  unlinkSync(join(made.cwd, '.git/objects', blob.slice(0, 2), blob.slice(2)))
}
const committed =
  (prepare: Prepare): Prepare =>
  made => {
    prepare(made)
    commit(made.cwd)
  }

const none: Prepare = () => undefined

/** A state that no command takes, and why. */
const states: readonly [what: string, state: string, prepare: Prepare, problem: RegExp][] = [
  [
    'a file that was edited',
    'estate',
    handEdit,
    /estate\/hq\.json is not (?:as wlanctl wrote it|a file)/
  ],
  ['a commit of such a file', 'HEAD:estate', committed(handEdit), /hq\.json is not/],
  ['another service', 'estate', otherService, /is about https:\/\/api\.example\.com/],
  ['another organization', 'estate', otherOrganization, /is of another organization/],
  ['a file beyond the limit', 'estate', tooLarge, /estate\/hq\.json: the file .*49.*limit/],
  ['a link', 'estate', link, /estate\/hq\.json .*link/],
  ['a commit of a link', 'HEAD:estate', committed(link), /estate\/hq\.json .*link/],
  ['a missing commit', '0123456789:estate', none, /git knows no commit "0123456789"/],
  ['a commit without its files', 'HEAD~1:estate', lacking, /does not have all files/],
  ['a folder outside of the repository', 'HEAD:../estate', none, /leads out of the repository/],
  ['an absolute folder', 'HEAD:/estate', none, /leads out of the repository/]
]

const commands = {
  'revert --to': (state: string) => `revert --to ${state} fleet --yes`,
  'drift --since': (state: string) => `drift fleet --since ${state}`,
  diff: (state: string) => `diff ${state}`
}

describe.each(Object.entries(commands))('%s', (_, line) => {
  it.each(states)('refuses %s', async (_what, state, prepare, problem) => {
    const made = await remembered()
    prepare(made)
    const writes = made.simulator.history.length
    const { code, stdout, stderr } = await made.run(line(state), gitEnv)
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(problem)
    })
    const [first, ...hints] = stderr.trimEnd().split('\n')
    expect(first).toMatch(/^wlanctl: /)
    expect(hints.every(hint => hint.startsWith('  '))).toBe(true)
    expect(made.simulator.history).toHaveLength(writes)
  })

  it('refuses what a shallow clone lacks', async () => {
    const made = await remembered()
    git(made.cwd, 'clone', '--quiet', '--depth=1', `file://${made.cwd}`, 'clone')
    const fleet = join(made.cwd, 'fleet')
    const ended = await wlanctl(line('HEAD~1:estate').replace('fleet', fleet).split(' '), {
      cwd: join(made.cwd, 'clone'),
      env: { ...made.env, ...gitEnv }
    })
    const stderr = expect.stringMatching(/^wlanctl: git knows no commit "HEAD~1" here\n.*shallow/)
    expect(ended).toEqual({ code: 3, stdout: '', stderr })
  })

  it('takes the state of a merge', async () => {
    const made = await remembered()
    git(made.cwd, 'checkout', '--quiet', '-b', 'side', 'HEAD~1')
    made.write('side.txt', 'a\n')
    commit(made.cwd)
    git(made.cwd, 'checkout', '--quiet', 'main')
    git(made.cwd, 'merge', '--quiet', '--no-ff', '-m', 'A merge', 'side')
    const { code, stderr } = await made.run(line('HEAD:estate'), gitEnv)
    expect(stderr).not.toMatch(/^wlanctl: /m)
    expect([2, 5]).toContain(code)
  })
})

describe('history', () => {
  it.each<[what: string, state: string, prepare: Prepare, problem: RegExp]>([
    ['another service', 'estate', committed(otherService), /is about https:\/\/api\.example\.com/],
    ['another organization', 'estate', committed(otherOrganization), /another organization/],
    ['a missing commit', '0123456789:estate', none, /git knows no commit/],
    ['a commit without its files', 'estate', lacking, /does not have all files/],
    ['a folder outside of the repository', 'HEAD:../estate', none, /leads out of the repository/],
    ['a folder without a repository', '/tmp', none, /git does not read/]
  ])('refuses %s', async (_, state, prepare, problem) => {
    const made = await remembered()
    prepare(made)
    const { code, stdout, stderr } = await made.run(`history ${state}`, gitEnv)
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(problem)
    })
  })

  it.each<[what: string, prepare: Prepare]>([
    ['was edited', handEdit],
    ['is a link', link]
  ])('names a file at a commit that %s', async (_, prepare) => {
    const made = await remembered()
    committed(prepare)(made)
    const { code, stdout } = await made.run('history estate', gitEnv)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('hq.json at ') })
  })
})

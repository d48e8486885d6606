import { symlinkSync, truncateSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { type Stage, stage } from '../support/stage.ts'

const OTHER_ORG = '22222222-2222-4222-8222-222222222222'

/** A snapshot folder, whose network was edited by hand since. */
async function remembered(): Promise<Stage> {
  const made = await stage()
  await made.run('snapshot fleet --into estate')
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
/** A state that no command takes, and why. */
const states: readonly [what: string, prepare: Prepare, problem: RegExp][] = [
  ['a file that was edited', handEdit, /estate\/hq\.json is not (?:as wlanctl wrote it|a file)/],
  ['another service', otherService, /is about https:\/\/api\.example\.com/],
  ['another organization', otherOrganization, /is of another organization/],
  ['a file beyond the limit', tooLarge, /estate\/hq\.json: the file .*49.*limit/],
  ['a link', link, /estate\/hq\.json .*link/]
]

const commands = ['revert --to estate fleet --yes', 'drift fleet --since estate', 'diff estate']

describe.each(commands)('%s', line => {
  it.each(states)('refuses %s', async (_, prepare, problem) => {
    const made = await remembered()
    prepare(made)
    const writes = made.simulator.history.length
    const { code, stdout, stderr } = await made.run(line)
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
})

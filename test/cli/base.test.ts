import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { git, gitEnv, repository } from '../support/git.ts'
import { FLEET, type Stage, stage } from '../support/stage.ts'

const id = (n: number) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** A fleet in a repository whose base declares `hq`; its work tree declares this many more sites. */
async function pullRequest(more: number): Promise<Stage> {
  const made = await stage()
  repository(made.cwd)
  const sites = Array.from({ length: more }, (_, n) => `  - { id: ${id(n)}, name: a${n} }\n`)
  made.write('fleet/new.yaml', `sites:\n${sites.join('')}`)
  return made
}

describe('a change of the files since the base', () => {
  /** A fleet whose work tree changes `vlan_id`, and no longer declares `enabled` and `guest`. */
  async function edited(): Promise<Stage> {
    const made = await stage()
    made.write('fleet/lab.yaml', `site: { id: ${id(9)}, name: lab }\nwlans: { w: { ssid: W } }\n`)
    repository(made.cwd)
    made.write(
      'fleet/hq.yaml',
      FLEET.replace('vlan_id: 21', 'vlan_id: 22')
        .replace('    enabled: false\n', '    hide_ssid: true\n')
        .replace(/ {2}guest:[\s\S]*/, '')
    )
    rmSync(join(made.cwd, 'fleet/lab.yaml'))
    return made
  }

  test.each(['--base', '--changed-since'])('is in the plan with %s', async option => {
    const made = await edited()
    const line = `plan fleet ${option} HEAD --out plan.json`
    const { code, stdout } = await made.run(line, gitEnv)
    expect(code).toBe(0)
    expect(stdout).toContain('changed in the files: hide_ssid, vlan_id')
    expect(stdout).toMatch(/HEAD:fleet\/hq\.yaml:6:5: warning: enabled is declared at "HEAD"/)
    expect(stdout).toMatch(/HEAD:fleet\/hq\.yaml:7:3: warning: .*"Guest" \(.*\) stays on the air/)
    expect(stdout).toMatch(/HEAD:fleet\/lab\.yaml:1:\d+: warning: .*no longer read/)
    expect(stdout).not.toContain('planted')
    const plan = JSON.parse(made.read('plan.json'))
    expect(plan.changes[0].causes).toEqual({
      '/hide_ssid': 'declaration',
      '/vlan_id': 'declaration'
    })
    const shown = await made.run('show plan.json')
    expect(shown.stdout.match(/NO_LONGER_DECLARED/g)).toHaveLength(3)
    const without = JSON.parse((await made.run('plan fleet --format json')).stdout)
    expect(without.digest).toBe(plan.digest)
    expect(without.changes[0].causes).toBeUndefined()
  })

  it('names the sites that override what a profile or a list changes', async () => {
    const made = await stage()
    const listed = (n: number, more = '') => `  - { id: ${id(n)}, name: s${n}${more} }\n`
    const list = `sites:\n${listed(1)}${listed(2, ', wlans: { w: { vlan_id: 9 } }')}${listed(3, ', wlans: { w: { dtim: 2 } }')}`
    made.write('fleet/profiles.yaml', 'profiles:\n  w: { ssid: W, vlan_id: 20 }\n')
    made.write('fleet/sites.yaml', `${list}wlans:\n  w: { $extends: w, dtim: 1 }\n`)
    repository(made.cwd)
    made.write('fleet/profiles.yaml', 'profiles:\n  w: { ssid: W, vlan_id: 21 }\n')
    made.write('fleet/sites.yaml', `${list}wlans:\n  w: { $extends: w, dtim: 3 }\n`)
    const { stdout } = await made.run('plan fleet --base HEAD', gitEnv)
    expect(stdout.match(/(?<=warning: ).*CHANGE_OVERRIDDEN/g)).toEqual([
      '1 site overrides vlan_id and does not change with fleet/profiles.yaml:2: s2 [CHANGE_OVERRIDDEN',
      '1 site overrides dtim and does not change with fleet/sites.yaml:6: s3 [CHANGE_OVERRIDDEN'
    ])
  })

  it('names the sites whose variable overrides what groups and a default change', async () => {
    const made = await stage()
    const listed = (n: number, more: string) => `  - { id: ${id(n)}, name: s${n}, ${more} }\n`
    const list = `sites:\n${listed(1, 'groups: [a]')}${listed(2, 'groups: [a], vars: { v: 9, d: 9 }')}${listed(3, 'groups: [b]')}${listed(4, 'groups: [b], vars: { v: 9 }')}`
    const write = (vlan: number) => {
      made.write(
        'fleet/groups.yaml',
        `groups:\n  a: { vars: { v: ${vlan} } }\n  b:\n    vars: { v: 1${vlan} }\n`
      )
      const fields = `ssid: W, vlan_id: { $var: v }, dtim: { $var: d, $default: ${vlan} }`
      made.write('fleet/sites.yaml', `${list}wlans:\n  w: { ${fields} }\n`)
    }
    write(2)
    repository(made.cwd)
    write(3)
    const { stdout } = await made.run('plan fleet --base HEAD', gitEnv)
    expect(stdout.match(/(?<=warning: ).*CHANGE_OVERRIDDEN/g)?.sort()).toEqual([
      '1 site overrides dtim and does not change with fleet/sites.yaml:7: s2 [CHANGE_OVERRIDDEN',
      '1 site overrides vlan_id and does not change with fleet/groups.yaml:2: s2 [CHANGE_OVERRIDDEN',
      '1 site overrides vlan_id and does not change with fleet/groups.yaml:4: s4 [CHANGE_OVERRIDDEN'
    ])
  })
})

describe('an ambiguous revision is rejected', () => {
  const cases: [what: string, revision: string, named: RegExp][] = [
    [
      'a branch of the remote',
      'origin/main',
      /refs\/tags\/origin\/main and refs\/remotes\/origin\/main/
    ],
    ['a branch', 'main', /refs\/tags\/main and refs\/heads\/main/],
    ['a branch, and the way from it', 'main~0', /refs\/tags\/main/],
    ['the head', 'HEAD', /HEAD and refs\/tags\/HEAD/]
  ]

  test.each(cases)('a tag like %s', async (_what, revision, named) => {
    const made = await pullRequest(1)
    git(made.cwd, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
    git(made.cwd, 'update-ref', `refs/tags/${revision.replace('~0', '')}`, 'HEAD')
    const { code, stderr } = await made.run(`plan fleet --base ${revision}`, gitEnv)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(named) })
    expect(made.methods()).toEqual([])
  })

  it('a tag like the beginning of a commit', async () => {
    const made = await pullRequest(1)
    const short = git(made.cwd, 'rev-parse', 'HEAD').slice(0, 10)
    git(made.cwd, 'tag', short)
    const { code, stderr } = await made.run(`plan fleet --base ${short}`, gitEnv)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('ambiguous') })
  })

  it('a full name is accepted', async () => {
    const made = await pullRequest(1)
    git(made.cwd, 'tag', 'main')
    const { code } = await made.run('validate fleet --changed-since refs/heads/main', gitEnv)
    expect(code).toBe(0)
  })
})

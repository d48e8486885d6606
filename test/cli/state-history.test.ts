import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readHistory } from '../../src/cli/files/states.ts'
import type { EstateEvent } from '../../src/core/history/events.ts'
import { eventsOf } from '../../src/core/history/events.ts'
import { compiled } from '../schemas/schemas.ts'
import { CORP, GUEST, guest, HQ } from '../simulator/simulate.ts'
import { commit, git, gitEnv, repository } from '../support/git.ts'
import { nth } from '../support/ids.ts'
import { afterASecond, type Stage, stage } from '../support/stage.ts'

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

const validate = compiled('history.schema.json')

/** Why JSON of `history` does not conform to its schema; null if it does. */
function problemsOf(text: string): unknown {
  validate(JSON.parse(text))
  return validate.errors
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

  it('says of a folder outside of a repository that git does not read it', async () => {
    const made = await stage()
    await made.run('snapshot fleet --into estate')
    await expect(eventsIn(made)).rejects.toThrow('git does not read this folder: not a git repo')
  })

  it.each([
    ['nowhere', 'is not a folder'],
    ['fleet', 'Git has no snapshot in fleet'],
    ['HEAD:..', 'leads out of the repository'],
    ['nothing:estate', 'git knows no commit'],
    ['main@{1.year.ago}:estate', 'git knows no commit "main@{1.year.ago}" here']
  ])('%s: %s', async (name, problem) => {
    const made = await begun()
    await expect(eventsIn(made, name)).rejects.toThrow(problem)
  })
})

/** Three nights in which another tool sets a VLAN, and two in which somebody sets it back. */
async function fought(): Promise<Stage> {
  const made = await begun()
  for (const vlan_id of [77, 20, 77, 20]) await night(made, CORP, { vlan_id })
  return made
}

describe('wlanctl history', () => {
  const env = { ...gitEnv, WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }

  it('prints contested fields first, then the changes, the latest last', async () => {
    const made = await fought()
    await night(made, GUEST, { auth: { type: 'open' } })
    const { code, stdout, stderr } = await made.run('history estate', env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^History: 1 contested field .*\n +vlan_id of hq\/Corp was set back 2 times/
    )
    expect(stdout).not.toContain('hq, hq')
    expect(stdout).toMatch(/hq\/Guest +auth\.type "psk" → "open" \(outage, less secure\)/)
    expect(stdout).toMatch(/\d+ changes at 1 site from .* less secure; 1 contested field\n$/)
  })

  it('lists equal changes of one time as one, and each of them in CSV', async () => {
    const names = ['west', 'east', 'north', 'south']
    const sites = names.map((name, at) => ({
      id: nth(at + 1),
      name,
      wlans: [{ ...guest, id: nth(at + 11), site_id: nth(at + 1) }]
    }))
    const made = await stage({ sites })
    made.write('sites.txt', sites.map(({ id, name }) => `${id} ${name}\n`).join(''))
    const snapshot = () => made.run('snapshot --from sites.txt --into estate')
    await snapshot()
    repository(made.cwd)
    for (const at of names.keys()) made.simulator.edit(nth(at + 1), nth(at + 11), { vlan_id: 77 })
    await snapshot()
    commit(made.cwd)
    const { stdout } = await made.run('history estate', env)
    expect(stdout.match(/UTC .*/g)).toContainEqual(
      expect.stringMatching(
        /^UTC {2}Guest at 4 sites: east, north, south and 1 more {2}vlan_id .* 77/
      )
    )
    expect(stdout.match(/77/g)).toHaveLength(1)
    const csv = (await made.run('history estate --format csv', env)).stdout
    expect(csv.match(/,77,/g)).toHaveLength(4)
  })

  it('gives JSON and CSV', async () => {
    const made = await fought()
    const { stdout } = await made.run('history estate --format json', env)
    expect(problemsOf(stdout)).toBeNull()
    const { events, contested, states } = JSON.parse(stdout)
    expect({ states, events: events.length }).toEqual({ states: 4, events: 4 })
    expect(contested).toMatchObject([
      { address: 'hq/Corp', pointer: '/vlan_id', value: 20, returns: 2 }
    ])
    const csv = (await made.run('history estate --format csv', env)).stdout.split('\r\n')
    expect(csv[0]).toBe('time,site,ssid,change,field,before,after,impact,by')
    expect(csv[1]).toMatch(/^\d{4}-.*Z,hq,Corp,changed,vlan_id,20,77,,$/)
    expect(csv).toHaveLength(6)
  })

  it.each(['text', 'csv', 'html', 'markdown', 'json'])(
    'prints hostile names as text: %s',
    async format => {
      const made = await begun()
      await night(made, CORP, { ssid: '=1\u001b[31m<script>alert(1)</script>' })
      const { code, stdout } = await made.run(`history estate --format ${format}`, env)
      expect(code).toBe(0)
      expect(stdout).not.toContain('\u001b')
      if (format === 'html') expect(stdout).not.toContain('<script>alert')
      if (format === 'csv') expect(stdout).toContain(",'=1")
    }
  )

  it.each([
    ['--site hq', 4],
    ['--site other', 0],
    ['--wlan Corp', 4],
    ['--wlan hq/*', 4],
    ['--field vlan*', 4],
    ['--field auth.*', 0],
    ['--since 2999-01-01T00:00Z', 0]
  ])('selects %s', async (selection, expected) => {
    const made = await fought()
    const { stdout } = await made.run(`history estate --format json ${selection}`, env)
    expect(JSON.parse(stdout).events).toHaveLength(expected)
  })

  it('says that it shows a selection', async () => {
    const made = await fought()
    const run = (format: string) => made.run(`history estate --site other --format ${format}`, env)
    expect((await run('text')).stdout).toMatch(/^0 of 4 changes at 0 sites from /m)
    const { stdout } = await run('markdown')
    expect(stdout).toContain('0 of 4 changes')
    expect(stdout).not.toContain('Nothing changed')
  })

  it('marks the changes of wlanctl itself, from the records', async () => {
    const made = await begun()
    await afterASecond()
    mkdirSync(join(made.cwd, 'records'))
    const line = 'apply fleet --yes --wlan corp --record records/a.jsonl'
    expect(await made.run(line)).toMatchObject({ code: 0 })
    await made.run('snapshot fleet --into estate')
    commit(made.cwd)
    const { stdout } = await made.run('history estate --records records --format json', env)
    expect(problemsOf(stdout)).toBeNull()
    const { events } = JSON.parse(stdout)
    expect(events.map(({ pointer, run }: EstateEvent) => [pointer, typeof run])).toEqual([
      ['/enabled', 'string'],
      ['/vlan_id', 'string']
    ])
  })

  it('names people only if a command does, which gets ids and times, and no credential', async () => {
    const made = await fought()
    made.write(
      'who.mjs',
      `
      let text = ''
      for await (const part of process.stdin) text += part
      const { events } = JSON.parse(text)
      const secrets = Object.keys(process.env).filter(name => /TOKEN|SECRET/.test(name))
      console.log(JSON.stringify(events.map((e, n) => n === 0 ? null : 'Ada ' + Object.keys(e) + secrets)))
    `
    )
    const line = 'history estate --format json --who-command'
    made.write('who.sh', `#!/bin/sh\nexec '${process.execPath}' '${made.cwd}/who.mjs'\n`, 0o755)
    const { stdout, stderr } = await made.run(`${line} ${made.cwd}/who.sh`, gitEnv)
    expect(stderr).toBe('')
    expect(problemsOf(stdout)).toBeNull()
    expect(JSON.parse(stdout).events.map(({ who }: EstateEvent) => who)).toEqual([
      undefined,
      ...Array(3).fill('Ada time,site_id,wlan_id')
    ])
  })

  it.each([
    ['exit 1', 'ended with exit code 1'],
    ['echo []', 'did not answer with a name for each of 4 changes'],
    ['echo planted-secret', 'did not answer with a name for each'],
    ['yes planted-secret', 'wrote more than 16 MiB']
  ])('refuses the answer of %s', async (script, problem) => {
    const made = await fought()
    made.write('who.sh', `#!/bin/sh\n${script}\n`, 0o755)
    const { code, stderr } = await made.run('history estate --who-command ./who.sh', gitEnv)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(problem) })
    expect(stderr).not.toContain('planted-secret')
  })
})

describe('drift --history', () => {
  const line = 'drift fleet --history estate'
  const others = 'vlan_id of hq/Corp was set back 2 times to 20, each time within'

  it('prints contested fields before the drift', async () => {
    const made = await fought()
    const { code, stdout } = await made.run(line, gitEnv)
    expect(code).toBe(2)
    expect(stdout.split('\n')[0]).toMatch(/^History: 1 contested field from .* UTC to .* UTC$/)
    expect(stdout.split('\n')[1]).toContain(`  ${others}`)
    expect(stdout).toContain(': someone else manages it')
    const markdown = (await made.run(`${line} --format markdown`, gitEnv)).stdout
    expect(markdown).toMatch(/\[!\w+\]\n> \*\*`vlan_id` of `hq\/Corp` was set back 2 times/)
    const page = (await made.run(`${line} --format html`, gitEnv)).stdout
    expect(page).toMatch(/<section id="history".*was set back 2 times.*<svg class="history"/s)
  })

  it('has them in JSON, which `show`, `drift --since` and a merge of shards read', async () => {
    const made = await fought()
    for (const n of [1, 2]) {
      const report = `--report json=${n}.json`
      await made.run(`${line} --shard ${n}/2 ${report} --since ${n === 1 ? '1' : '2'}.json`, gitEnv)
      await made.run(`${line} --shard ${n}/2 ${report}`, gitEnv)
    }
    const shown = await made.run('show 1.json 2.json --format json', gitEnv)
    expect(shown.stderr).not.toContain('expected')
    const { history } = JSON.parse(shown.stdout)
    expect(history).toMatchObject({
      states: [{ changes: 1 }, { changes: 1 }, { changes: 1 }, { changes: 1 }],
      contested: [{ address: 'hq/Corp', pointer: '/vlan_id', value: 20, returns: 2 }]
    })
    expect((await made.run('show 1.json 2.json', gitEnv)).stdout).toContain(others)
    const since = await made.run('drift fleet --since 1.json', gitEnv)
    expect(since).toMatchObject({ code: 2, stderr: expect.not.stringContaining('1.json') })
  })

  it('is one line where no field is contested', async () => {
    const made = await begun()
    await night(made, CORP, { vlan_id: 77 })
    const { stdout } = await made.run(line, gitEnv)
    expect(stdout).toMatch(/^History: no contested field from .* UTC to .* UTC\n\n/)
  })

  it.each([
    ['nowhere', 'nowhere is not a folder'],
    ['v9:estate', 'git knows no commit "v9"'],
    ['fleet', 'Git has no snapshot in fleet']
  ])('refuses %s before any request', async (name, problem) => {
    const made = await begun()
    const before = made.methods().length
    const { code, stderr } = await made.run(`drift fleet --history ${name}`, gitEnv)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(problem) })
    expect(made.methods().length).toBe(before)
  })
})

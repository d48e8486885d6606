import { describe, expect, it } from 'vitest'
import { formatNextSteps, rerunOf } from '../../src/cli/terminal/next-steps.ts'
import { fleetCommand } from '../../src/report/fleet-command.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { gitEnv, repository } from '../support/git.ts'
import { UNKNOWN_ID } from '../support/ids.ts'
import { Collector, folder, wlanctl } from '../support/program.ts'
import { type Stage, stage } from '../support/stage.ts'
import { tablesIn } from '../support/tables.ts'

type Steps = Readonly<Record<string, readonly string[] | null>>

const tables = tablesIn<Readonly<Record<'of a run' | 'of what a saved file is for', Steps>>>(
  import.meta.dirname,
  'next-steps.yaml'
)

/** The commands below `Next:` in the result of a run whose stdout is a terminal. */
async function nextSteps({ run }: Stage, line: string): Promise<string[]> {
  const stdout = Object.assign(new Collector(), { isTTY: true, columns: 100 })
  await run(line.replace('ID', HQ), gitEnv, { stdout })
  const [, steps = ''] = stdout.text.replaceAll(HQ, 'ID').split(/^Next:$/m)
  return [...steps.matchAll(/^ {2}(\S.*)$/gm)].map(([, command = '']) => command)
}

/** The commands on the page of a run, from this part of it on to the end of its section. */
async function commandsOnPage({ run, read }: Stage, line: string, from = ''): Promise<string[]> {
  await run(`${line} --report html=page.html`)
  const page = read('page.html').replaceAll(/<[/]?span[^>]*>/g, '')
  const part = from === '' ? page : (page.split(from)[1]?.split('</section>')[0] ?? '')
  const all = [...part.matchAll(/<div class="command"><code>(.*?)<\/code>/g)]
  return all.map(([, text = '']) => text.replaceAll('&#39;', "'"))
}

it('a narrow terminal wraps the purpose of a command, and never the command', () => {
  const command = 'wlanctl revert --to before.json --dry-run'
  expect(formatNextSteps([[command, 'shows a plan that restores it']], 30)).toBe(
    `Next:\n  ${command}\n      # shows a plan that\n      # restores it\n`
  )
})

it('a command in a report covers no more than the run', () => {
  const after = (run: Parameters<typeof rerunOf>[0]) => fleetCommand({ rerun: rerunOf(run) })
  const changed = after({ changedSince: 'main', excludeSite: ['lab*'] })
  expect([changed('adopt', '--undeclared'), changed('apply', '--site', 'hq')]).toEqual([
    "wlanctl adopt --exclude-site 'lab*' --changed-since main --undeclared",
    'wlanctl apply --changed-since main --site hq'
  ])
  // It has no base to compare with.
  expect(after({ base: 'main' })('adopt', '--undeclared')).toBe('wlanctl adopt --undeclared')
})

describe('a result as text on a terminal ends with the next steps', () => {
  it.each(Object.entries(tables['of a run']))('%s', async (line, steps) => {
    expect(await nextSteps(await stage(), line)).toEqual(steps)
  })

  it('of what a saved file is for', async () => {
    const made = await stage()
    for (const [line, steps] of Object.entries(tables['of what a saved file is for'])) {
      const found = await nextSteps(made, line)
      if (steps !== null) expect(found, line).toEqual(steps)
    }
  })

  it('of two states', async () => {
    const made = await stage()
    await made.run('snapshot fleet --into estate')
    expect(await nextSteps(made, 'diff estate')).toEqual([])
    made.simulator.edit(HQ, CORP, { vlan_id: 77 })
    await made.run('snapshot fleet --out now.json')
    const restore = 'wlanctl revert --site hq --to estate --dry-run'
    expect(await nextSteps(made, 'diff estate --site hq')).toEqual([restore])
    expect(await nextSteps(made, 'diff estate now.json --site hq')).toEqual([restore])
  })

  it('and its page has the same', async () => {
    const made = await stage()
    const page = (line: string) => commandsOnPage(made, line, '<section id="next"')
    expect(await page(`audit ${HQ}`)).toEqual([`wlanctl import ${HQ}`])
    expect(await page('drift fleet --wlan corp')).toEqual([
      'wlanctl apply fleet --wlan corp',
      'wlanctl adopt fleet --wlan corp'
    ])
    expect(await page('apply fleet --yes --check false')).toEqual(['wlanctl plan fleet'])
  })

  it('with the connection that the arguments name', async () => {
    const made = await stage()
    const { WLANCTL_BASE_URL: url, WLANCTL_API_TOKEN: token = '' } = made.env
    made.write('token', token, 0o600)
    const connection = `--base-url ${url} --token-file token`
    const env = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }
    const stdout = Object.assign(new Collector(), { isTTY: true, columns: 100 })
    await made.run(`plan fleet ${connection}`, env, { stdout })
    const [, step = ''] = /^ {2}wlanctl (.*)$/m.exec(stdout.text) ?? []
    expect(step).toBe(`apply fleet ${connection}`)
    expect(await made.run(`${step} --yes`, env)).toMatchObject({ code: 0 })
  })

  it('of a plan that could read nothing is doctor', async () => {
    const made = await stage()
    made.write('fleet/hq.yaml', `site: { id: ${UNKNOWN_ID}, name: hq }\nwlans: {}\n`)
    expect(await nextSteps(made, 'plan fleet')).toEqual(['wlanctl doctor fleet'])
  })

  it('of a fleet whose tests hold', async () => {
    const made = await stage()
    expect(await nextSteps(made, 'test fleet')).toEqual([])
    made.write('fleet/tests.yaml', 'tests:\n  - { name: one, wlans: { key: corp }, count: 1 }\n')
    expect(await nextSteps(made, 'test fleet')).toEqual(['wlanctl plan fleet'])
  })

  it('with the base that they compare with', async () => {
    const made = await stage()
    repository(made.cwd)
    expect(await nextSteps(made, 'plan fleet --base HEAD')).toEqual([
      'wlanctl apply fleet --base HEAD'
    ])
    expect(await nextSteps(made, 'drift fleet --base HEAD')).toEqual([
      'wlanctl apply fleet --base HEAD',
      'wlanctl adopt fleet'
    ])
  })

  it('to undo the change of an undeclared field, before the step to keep it', async () => {
    const made = await stage()
    const wlan = '{ ssid: Corp, vlan_id: 20 }'
    const policy = 'policy: { unwatched: drift }\n'
    made.write('own/hq.yaml', `${policy}site: { id: ${HQ}, name: hq }\nwlans: { corp: ${wlan} }\n`)
    await made.run('snapshot own --out before.json')
    made.simulator.edit(HQ, CORP, { max_num_clients: 1, vlan_id: 30 })
    expect(await nextSteps(made, 'drift own --site hq')).toEqual([
      'wlanctl apply own --site hq',
      'wlanctl adopt own --site hq --undeclared --dry-run',
      'wlanctl adopt own --site hq',
      'wlanctl adopt own --site hq --undeclared'
    ])
    const since = await nextSteps(made, 'drift own --since before.json --shard 1/1')
    expect(since).toEqual([
      'wlanctl apply own --shard 1/1',
      'wlanctl revert own --shard 1/1 --to before.json',
      'wlanctl adopt own --shard 1/1',
      'wlanctl adopt own --shard 1/1 --undeclared'
    ])
    await made.run(`${since[1]?.replace('wlanctl ', '')} --yes`)
    expect((await made.run('drift own')).stdout).not.toContain('max_num_clients')
  })

  it.each(['plan', 'drift'])('and each command on the page of a %s runs', async command => {
    const made = await stage()
    const commands = await commandsOnPage(made, `${command} fleet`)
    expect(commands.length).toBeGreaterThan(3)
    for (const each of commands) {
      const words = (each.match(/'[^']*'|[^\s']+/g) ?? []).map(word => word.replaceAll("'", ''))
      const yes = /^wlanctl (apply|adopt)/.test(each) ? ['--yes'] : []
      const { code, stderr } = await wlanctl([...words.slice(1), ...yes], made)
      expect([0, 2], `${each}: ${stderr}`).toContain(code)
    }
  })

  it('not without a step that makes sense', async () => {
    const made = await stage()
    made.write('fleet/policy.yaml', 'policy: { max_changes: 1 }\n')
    expect(await nextSteps(made, 'plan fleet --out refused.json')).toEqual([])
    expect(await nextSteps(made, 'show refused.json')).toEqual([])
    expect(await nextSteps(made, 'drift fleet')).toEqual([
      'wlanctl plan fleet',
      'wlanctl adopt fleet'
    ])
    await made.run('apply fleet --yes --max-changes all')
    expect(await nextSteps(made, 'plan fleet')).toEqual([])
    expect(await nextSteps(made, 'drift fleet')).toEqual([])
  })
})

it('nothing is added to a file', async () => {
  const { run, read } = await stage()
  await run('plan fleet --report text=plan.txt')
  expect(read('plan.txt')).not.toContain('Next:')
})

it('the next steps of a result in a pipe are on stderr', async () => {
  const started = (await stage()).start('plan fleet')
  await started.ended
  expect(started.stdout).toMatch(/\nPlan: 2 WLANs to change.*\n$/)
  expect(started.stderr).toMatch(/^Next:\n {2}wlanctl apply fleet\n/)
})

it.each(['validate', 'apply --yes'])(
  '`%s` in an empty folder names the demo and the start of a fleet',
  async line => {
    const { code, stdout, stderr } = await wlanctl(line.split(' '), { cwd: folder() })
    expect(code).toBe(3)
    expect(stdout + stderr).toMatch(/`wlanctl demo` .*`wlanctl init`/)
  }
)

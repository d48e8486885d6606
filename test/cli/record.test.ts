import { lstatSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseRecord } from '../../src/run/record/read.ts'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { shell } from '../support/program.ts'
import { type Stage, stage } from '../support/stage.ts'

/** The statuses in the record, by address. */
async function recordedStatuses({ read }: Stage, file = 'r.jsonl') {
  const runs = await parseRecord(read(file), file)
  return runs.map(({ changes }) =>
    Object.fromEntries(changes.map(({ change, outcome }) => [change.address, outcome.status]))
  )
}

describe('--record', () => {
  it('appends a run to a private file', async () => {
    const made = await stage()
    const { run, cwd, simulator } = made
    expect(await run('apply fleet --yes --record r.jsonl')).toMatchObject({ code: 0 })
    expect(lstatSync(join(cwd, 'r.jsonl')).mode & 0o777).toBe(0o600)
    simulator.edit(HQ, CORP, { vlan_id: 5 })
    expect(await run('apply fleet --yes --record r.jsonl')).toMatchObject({ code: 0 })
    expect(await run('apply fleet --yes --record r.jsonl')).toMatchObject({ code: 0 })
    expect(await recordedStatuses(made)).toEqual([
      { 'hq/corp': 'applied', 'hq/guest': 'applied' },
      { 'hq/corp': 'applied' },
      {}
    ])
  })

  it('of a refused plan is not started', async () => {
    const { run, cwd } = await stage()
    const ended = await run('apply fleet --yes --max-changes 1 --record r.jsonl')
    expect(ended).toMatchObject({ code: 4 })
    expect(() => lstatSync(join(cwd, 'r.jsonl'))).toThrow('ENOENT')
  })

  it.each([
    ['a link', 'link', 3],
    ['a pipe', 'pipe', 3],
    ['a file that holds something else', 'victim', 3]
  ])('does not write to %s, and nothing is sent', async (_, file, code) => {
    const { run, cwd, env, write, read, simulator } = await stage()
    write('victim', 'as it was')
    symlinkSync('victim', join(cwd, 'link'))
    symlinkSync('nowhere', join(cwd, 'dangling'))
    await shell('mkfifo pipe', { cwd, env })
    const ended = await run(`apply fleet --yes --record ${file}`)
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(file) })
    expect(simulator.history).toEqual([])
    expect(read('victim')).toBe('as it was')
    expect(lstatSync(join(cwd, 'victim')).mode & 0o777).toBe(0o644)
  })

  it('on a disk that fills up finishes the active changes, skips the rest and exits 1', async () => {
    const [site] = generateFleet({ sites: 1, wlans: 40, seed: 5 })
    if (site === undefined) throw new Error('there is no site')
    const made = await stage({ sites: [site] })
    const { cwd, env, run, write, read, simulator } = made
    const wlans = site.wlans.map(({ id }, n) => `  w${n}: { id: ${id}, ssid: net-${n} }\n`)
    write('fleet/hq.yaml', `site: { id: ${site.id}, name: many }\nwlans:\n${wlans.join('')}`)
    const apply = 'apply fleet --yes --quiet --max-changes all'
    await run(`${apply} --record whole.jsonl`)
    for (const { id, ssid } of site.wlans) simulator.edit(site.id, id, { ssid })
    const writes = simulator.history.length

    // The plan fits on the disk, and a few of the steps.
    const limit = Math.ceil(planned(read('whole.jsonl')) / 1024) + 4
    const line = `ulimit -f ${limit}; wlanctl ${apply} --record r.jsonl --format json`
    const { code, stdout, stderr } = await shell(line, { cwd, env })
    expect(stderr).toContain('r.jsonl is incomplete, it could not be written: EFBIG')
    expect(code).toBe(1)
    const { summary, outcomes } = JSON.parse(stdout)
    expect(outcomes).toHaveLength(40)
    expect(summary.applied).toBeGreaterThan(0)
    expect(summary.skipped).toBeGreaterThan(0)
    expect(summary.applied + summary.skipped).toBe(40)
    expect(simulator.history).toHaveLength(writes + summary.applied)
  })
})

/** The position of the first step of a change, after the planned changes. */
function planned(text: string): number {
  return text.search(/^.*"step":"sending"/m)
}

it('a killed run leaves a record of its state, and another run sends the rest', async () => {
  const made = await stage({ switches: { latency: 150 } })
  const { startBuilt, run, methods, simulator } = made
  const running = startBuilt('apply fleet --yes --quiet --record r.jsonl')
  await expect.poll(methods, { interval: 5 }).toContain('PUT')
  running.signal('SIGKILL')
  expect(await running.ended).toMatchObject({ code: null })
  // The service executes an update that it received, even if the client has exited.
  await expect.poll(() => simulator.history.length).toBe(1)
  simulator.set({ latency: 0 })

  expect(await recordedStatuses(made)).toEqual([{ 'hq/corp': 'unknown', 'hq/guest': 'skipped' }])
  expect(await run('show r.jsonl')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The record is incomplete: the run was killed')
  })
  const again = await run('apply fleet --yes --quiet --record r.jsonl')
  expect(again).toMatchObject({ code: 0 })
  expect(simulator.history).toHaveLength(2)
  expect(await run('drift fleet')).toMatchObject({ code: 0 })
  expect(await run('revert r.jsonl --yes --quiet')).toMatchObject({ code: 5 })
  expect(simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 20, enabled: true })
})

it('a record that could not be read back later is rejected before anything is sent', async () => {
  const { run, write, read, methods } = await stage()
  expect(await run('apply fleet --yes --record r.jsonl')).toMatchObject({ code: 0 })
  const sent = methods().length
  write('large.jsonl', read('r.jsonl') + `${' '.repeat(1023)}\n`.repeat(64 * 1024), 0o600)
  write('fleet/hq.yaml', read('fleet/hq.yaml').replace(/vlan_id: \d+/, 'vlan_id: 77'))
  const { code, stderr } = await run('apply fleet --yes --record large.jsonl')
  expect({ code, puts: methods().slice(sent).includes('PUT') }).toEqual({ code: 3, puts: false })
  expect(stderr).toMatch(
    /could not be read back after this run: .*limit of a record.*nothing was sent/
  )
})

it('a record with the maximum number of runs is rejected', async () => {
  const { run, write, read, methods } = await stage()
  expect(await run('apply fleet --yes --record r.jsonl')).toMatchObject({ code: 0 })
  const [begin = ''] = read('r.jsonl').split('\n')
  const id = /"run":"(.{8})"/.exec(begin)?.[1] ?? ''
  const runs = (count: number) =>
    Array.from({ length: count }, (_, n) => begin.replace(id, n.toString(16).padStart(8, '0')))
  write('many.jsonl', `${runs(5000).join('\n')}\n`, 0o600)
  write('fewer.jsonl', `${runs(4999).join('\n')}\n`, 0o600)
  write('fleet/hq.yaml', read('fleet/hq.yaml').replace(/vlan_id: \d+/, 'vlan_id: 77'))
  const sent = methods().length
  const { code, stderr } = await run('apply fleet --yes --record many.jsonl')
  expect({ code, puts: methods().slice(sent).includes('PUT') }).toEqual({ code: 3, puts: false })
  expect(stderr).toContain('it has 5,000 runs, the limit of a record; nothing was sent')
  expect(await run('apply fleet --yes --record fewer.jsonl')).toMatchObject({ code: 0 })
  expect(await run('show fewer.jsonl --quiet')).toMatchObject({ code: 0 })
})

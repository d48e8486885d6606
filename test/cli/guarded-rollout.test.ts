import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Collector } from '../support/program.ts'
import { stage } from '../support/stage.ts'

const idOf = (kind: number, n: number) =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const names = ['hq', 's1', 's2']

/** A stage of three sites with one change each, and a canary. */
async function rollout(policy = 'rollout: [{ canary: hq }]') {
  const made = await stage({
    sites: names.map((name, n) => ({
      id: idOf(1, n),
      name,
      wlans: [{ id: idOf(2, n), ssid: 'Guest', enabled: true, vlan_id: 10 }]
    }))
  })
  const sites = names.map((name, n) => `  - { id: ${idOf(1, n)}, name: ${name} }\n`)
  made.write(
    'fleet/hq.yaml',
    `sites:\n${sites.join('')}wlans: { guest: { ssid: Guest, vlan_id: 11 } }\npolicy: { ${policy} }\n`
  )
  return {
    ...made,
    vlans: () => names.map((_, n) => made.simulator.record(idOf(1, n), idOf(2, n))?.['vlan_id']),
    /** Resolves when the record contains a step. */
    recorded: (step: string) =>
      until(
        () => existsSync(join(made.cwd, 'record.jsonl')) && made.read('record.jsonl').includes(step)
      ),
    edit: (n: number, vlan_id: number) => made.simulator.edit(idOf(1, n), idOf(2, n), { vlan_id })
  }
}

const apply = 'apply fleet --yes --format json --record record.jsonl'

function statuses(stdout: string): string[] {
  return JSON.parse(stdout).outcomes.map(({ status }: { status: string }) => status)
}

/** Resolves when the condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 10))
}

const HELD = 'rollout: { waves: [{ canary: hq }], hold: 1 }'

describe('policy.rollout.hold', () => {
  it('waits after each wave, and reports it; a WLAN that changed fails the wave', async () => {
    const { run, edit, vlans, recorded } = await rollout(HELD)
    const running = run(apply)
    await recorded('wave-holds')
    edit(0, 12)
    const { code, stdout, stderr } = await running
    expect({ code, states: statuses(stdout) }).toEqual({
      code: 5,
      states: ['diverged', 'skipped', 'skipped']
    })
    expect(JSON.parse(stdout).failed_wave).toBe(
      'wave canary: hq/guest moved during the hold (/vlan_id)'
    )
    expect(stderr).toMatch(/the wave canary is applied; reading the WLANs again at [\d:]{8} UTC/)
    expect(vlans()).toEqual([12, 10, 10])
  })

  it('applies to a run without waves, too', async () => {
    const { run, read } = await rollout('rollout: { hold: 1 }')
    const { code, stderr } = await run(apply)
    expect(code).toBe(0)
    expect(stderr).toContain('the changes are applied; reading the WLANs again at ')
    expect(read('record.jsonl').match(/"held"/g)).toHaveLength(3)
    expect(await run('show record.jsonl')).toMatchObject({ code: 0 })
  })

  it('prints its progress on a terminal', async () => {
    const { run } = await rollout(HELD)
    const stderr = Object.assign(new Collector(), { isTTY: true, columns: 100 })
    expect(await run(apply, {}, { stderr })).toMatchObject({ code: 0 })
    expect(stderr.text).toContain('holding, seconds: 0 of 1')
  })

  it('ends at once on an interrupt', async () => {
    const { run, recorded } = await rollout('rollout: { waves: [{ canary: hq }], hold: 86400 }')
    const interrupt = new AbortController()
    const running = run(apply, {}, { interrupted: interrupt.signal })
    await recorded('wave-holds')
    interrupt.abort()
    const { code, stdout } = await running
    expect({ code, states: statuses(stdout) }).toEqual({
      code: 130,
      states: ['applied', 'skipped', 'skipped']
    })
  })
})

describe('policy.rollout.revert_on_failure', () => {
  const formats = ['text', 'markdown', 'html', 'github', 'json']

  it('reverts the wave whose check fails, and every format reports it', async () => {
    const { run, vlans, read } = await rollout(
      'rollout: { waves: [{ canary: hq }], revert_on_failure: wave }'
    )
    const reports = formats.map(format => `--report ${format}=out.${format}`).join(' ')
    const { code, stdout, stderr } = await run(
      `apply fleet --yes --record record.jsonl --check false ${reports}`
    )
    expect(code).toBe(5)
    expect(vlans()).toEqual([10, 10, 10])
    expect(stdout).toContain('Apply: 2 skipped, 1 reverted\n')
    expect(stderr).toContain('putting back 1 change: wave canary: ')
    for (const format of formats) expect(read(`out.${format}`), format).toContain('reverted')
    const shown = await run('show record.jsonl')
    expect(shown.stdout).toMatch(/reverted {2}.*wave canary: the check/)
    expect((await run('revert record.jsonl fleet --yes')).stdout).toContain('Nothing to revert')
  })

  it('is off by default', async () => {
    const { run, vlans } = await rollout()
    expect(await run(`${apply} --check false`)).toMatchObject({ code: 5 })
    expect(vlans()).toEqual([11, 10, 10])
  })
})

describe('apply --confirm-within', () => {
  const confirm = `${apply} --confirm-within 600 --confirm-file yes.txt`

  it.each([
    ['--confirm-file x --record r', 'expected --confirm-within with --confirm-file'],
    ['--confirm-within 9 --confirm-file x', 'expected --record with --confirm-within'],
    ['--confirm-within 9 --record r', 'cannot ask for --confirm-within: not a terminal'],
    ['--confirm-within 9 --record r --confirm-file fleet/hq.yaml', 'hq.yaml already exists'],
    ['--confirm-within 9 --record r --confirm-file fleet', 'fleet is not a regular file'],
    ['--confirm-within 0 --record r', 'confirm-within']
  ])('rejects %s', async (options, message) => {
    const { run, methods } = await rollout()
    expect(await run(`apply fleet --yes ${options}`)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(message)
    })
    expect(methods()).toEqual([])
  })

  it('keeps the changes once the file exists', async () => {
    const { run, write, read, vlans, simulator } = await rollout()
    const running = run(confirm)
    await until(() => simulator.history.length === 3)
    write('yes.txt', '')
    const { code, stdout, stderr } = await running
    expect({ code, states: statuses(stdout) }).toEqual({
      code: 0,
      states: ['applied', 'applied', 'applied']
    })
    expect(stderr).toMatch(
      /wlanctl: Keep these 3 changes\? Unless confirmed by [\d:]{8} UTC, all is put back\. Create the file yes\.txt to keep them\.\n/
    )
    expect(vlans()).toEqual([11, 11, 11])
    expect(read('record.jsonl')).toContain('"confirm-ends"')
    expect((await run('show record.jsonl')).stdout).toMatch(/; confirmed at .*[\d:]{8} UTC/)
  })

  it('reverts the changes after the timeout', async () => {
    const { run, vlans } = await rollout()
    const { code, stdout } = await run(`${apply} --confirm-within 1 --confirm-file yes.txt`)
    expect({ code, states: statuses(stdout) }).toEqual({
      code: 5,
      states: ['reverted', 'reverted', 'reverted']
    })
    expect(JSON.parse(stdout).failed_wave).toBe('not confirmed within 1 s')
    expect(vlans()).toEqual([10, 10, 10])
    expect((await run('show record.jsonl')).stdout).toMatch(/; put back: not confirmed within/)
  })

  it('reverts the changes after an interrupt, with working requests', async () => {
    const { run, vlans, simulator } = await rollout()
    const interrupt = new AbortController()
    const kept: unknown[] = []
    const running = run(
      confirm,
      {},
      {
        interrupted: interrupt.signal,
        keepRequests: () => kept.push(simulator.history.length)
      }
    )
    await until(() => simulator.history.length === 3)
    interrupt.abort()
    const { code, stdout } = await running
    expect({ code, states: statuses(stdout) }).toEqual({
      code: 130,
      states: ['reverted', 'reverted', 'reverted']
    })
    expect(kept).toEqual([0])
    expect(vlans()).toEqual([10, 10, 10])
  })

  it('ends on the second signal, and the record lists the remaining changes', async () => {
    const { start, run, vlans, simulator, recorded } = await rollout()
    const running = start(confirm)
    await running.until(/Keep these 3 changes/)
    simulator.set({ latency: 60_000 })
    running.signal('SIGINT')
    await recorded('confirm-ends')
    running.signal('SIGINT')
    const { code, stdout } = await running.ended
    expect(code).toBe(130)
    expect(statuses(stdout)).toEqual(['applied', 'applied', 'applied'])
    for (const { reason } of JSON.parse(stdout).outcomes) expect(reason).toMatch(/^not put back: /)
    simulator.set({ latency: 0 })
    expect(await run('revert record.jsonl fleet --yes')).toMatchObject({ code: 0 })
    expect(vlans()).toEqual([10, 10, 10])
  })

  it('that is killed leaves a record of its state, and revert completes it', async () => {
    const { startBuilt, run, vlans } = await rollout()
    const running = startBuilt(confirm)
    await running.until(/Keep these 3 changes/)
    running.signal('SIGKILL')
    await running.ended
    expect(vlans()).toEqual([11, 11, 11])
    const left = 'not confirmed, and nothing was put back: run wlanctl revert with this record'
    expect((await run('show record.jsonl')).stdout.replaceAll(/\s+/g, ' ')).toContain(left)
    for (const format of ['markdown', 'html']) {
      expect((await run(`show record.jsonl --format ${format}`)).stdout).toMatch(
        /not confirmed, and nothing was put back: run .*wlanctl revert.* with this record/
      )
    }
    expect(JSON.parse((await run('show record.jsonl --format json')).stdout).runs).toMatchObject([
      { confirmation: { within: 600 } }
    ])
    expect(await run('revert record.jsonl fleet --yes')).toMatchObject({ code: 0 })
    expect(vlans()).toEqual([10, 10, 10])
  })

  it.each([
    ['yes', 0, [11, 11, 11]],
    ['no', 5, [10, 10, 10]]
  ])('asks again after any other word on the terminal, until %s', async (word, code, live) => {
    const { startOnScreen, vlans } = await rollout()
    const asked = startOnScreen('apply fleet --yes --record r.jsonl --confirm-within 600')
    await asked.until(/Enter "yes" to keep/)
    asked.type('yep\r')
    await asked.until(/yep[\s\S]*Enter "yes" to keep/)
    asked.type(`${word}\r`)
    expect(await asked.ended).toMatchObject({ code })
    expect(vlans()).toEqual(live)
  })

  it.each([
    ['a no', 'no\r', 5, 'not confirmed'],
    ['Ctrl-C', '\u0003', 130, 'interrupted before']
  ])('reverts at once after %s on the terminal', async (_, typed, code, reason) => {
    const { startOnScreen, vlans } = await rollout()
    const asked = startOnScreen('apply fleet --yes --record r.jsonl --confirm-within 600')
    await asked.until(/Enter "yes" to keep/)
    asked.type(typed)
    const ended = await asked.ended
    expect(ended).toMatchObject({ code, stdout: expect.stringContaining(reason) })
    expect(vlans()).toEqual([10, 10, 10])
  })

  it('prints a countdown on a terminal without input', async () => {
    const { run } = await rollout()
    const stderr = Object.assign(new Collector(), { isTTY: true, columns: 100 })
    await run(`${apply} --confirm-within 1 --confirm-file yes.txt`, {}, { stderr })
    expect(stderr.text).toContain('waiting for the confirmation, seconds: 0 of 1')
  })
})

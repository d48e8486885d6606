import { lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { readSchema } from '../schemas/schemas.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { shell } from '../support/program.ts'
import { type Stage, stage } from '../support/stage.ts'

const validPlan = new Ajv2020({ strict: true, keywords: ['x-wlanctl'] }).compile(
  readSchema('plan.schema.json')
)

/** Runs a line of shell on a stage. */
function lineOf({ cwd, env }: Stage): (line: string) => ReturnType<typeof shell> {
  return line => shell(line, { cwd, env })
}

describe('streams', () => {
  it('results go to stdout, everything else to stderr', async () => {
    const { run } = await stage()
    expect(await run('plan fleet')).toMatchObject({ code: 0, stderr: '' })
    const applied = await run('apply fleet --yes')
    expect(applied.stdout).toBe('applied    hq/corp\napplied    hq/guest\n\nApply: 2 applied\n')
    expect(applied.stderr).toContain('Plan: 2 WLANs to change')
    expect(await run('apply fleet --yes --quiet')).toMatchObject({ code: 0, stderr: '' })
  })

  it('without a terminal nobody is asked, and nothing is sent', async () => {
    const { run, methods } = await stage()
    const { code, stderr } = await run('apply fleet', { WLANCTL_YES: '1', YES: '1' })
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('--yes') })
    expect(methods()).toEqual([])
  })

  it('JSON on stdout is a saved plan, and fits its schema', async () => {
    const { run, read } = await stage()
    for (const command of ['plan', 'drift']) {
      const { stdout } = await run(`${command} fleet --format json`)
      const plan = JSON.parse(stdout)
      expect(validPlan(plan), JSON.stringify(validPlan.errors)).toBe(true)
      expect(plan.summary).toMatchObject({ sites: 1, wlans: 2, changed: 2, requests: 1 })
    }
    await run('plan fleet --out plan.json')
    expect(validPlan(JSON.parse(read('plan.json')))).toBe(true)
    expect((await run('show plan.json --format json')).stdout).toBe(read('plan.json'))
  })

  it('the same state gives the same digest, another one another', async () => {
    const { run, simulator } = await stage()
    const digest = async () => JSON.parse((await run('plan fleet --format json')).stdout).digest
    const first = await digest()
    expect(await digest()).toBe(first)
    simulator.edit(HQ, CORP, { vlan_id: 5 })
    expect(await digest()).not.toBe(first)
  })

  it('--report writes further forms of the same run', async () => {
    const { run, read } = await stage()
    const { stdout } = await run('plan fleet --report json=a.json --report text=b.txt')
    expect(validPlan(JSON.parse(read('a.json')))).toBe(true)
    expect(read('b.txt')).toBe(stdout)
  })

  it('files are for their owner only, replace older ones, and leave nothing else behind', async () => {
    const { run, cwd, write } = await stage()
    write('plan.json', 'old', 0o644)
    await run('plan fleet --out plan.json --report json=report.json')
    for (const file of ['plan.json', 'report.json']) {
      expect(lstatSync(join(cwd, file)).mode & 0o777).toBe(0o600)
    }
    expect(readdirSync(cwd).sort()).toEqual(['fleet', 'plan.json', 'report.json'])
  })

  it.each(['--out', '--report text='])(
    '%s does not write through links or over folders',
    async flag => {
      const { run, cwd, write, read } = await stage()
      write('victim', 'as it was')
      symlinkSync('victim', join(cwd, 'link'))
      mkdirSync(join(cwd, 'folder'))
      for (const [target, code] of [
        ['link', 3],
        ['folder', 3],
        ['/dev/null', 3],
        ['no/folder', 1]
      ] as const) {
        const words = flag.endsWith('=') ? `${flag}${target}` : `${flag} ${target}`
        const ended = await run(`plan fleet ${words}`)
        expect(ended).toMatchObject({ code, stderr: expect.stringContaining(target) })
      }
      expect(read('victim')).toBe('as it was')
    }
  )

  it('apply looks first whether its reports can be written', async () => {
    const { run, cwd, methods } = await stage()
    symlinkSync('victim', join(cwd, 'link'))
    expect(await run('apply fleet --yes --report json=link')).toMatchObject({ code: 3 })
    expect(await run('apply fleet --yes --report json=no/folder')).toMatchObject({ code: 1 })
    expect(methods()).toEqual([])
  })

  it('what cannot be written to stdout is in the report all the same', async () => {
    const made = await stage()
    const { code } = await lineOf(made)('wlanctl apply fleet --yes --report json=r.json >/dev/full')
    expect(code).toBe(1)
    expect(JSON.parse(made.read('r.json'))).toMatchObject({ summary: { applied: 2 } })
  })

  it('colour: only where it is asked for', async () => {
    const { run } = await stage()
    const coloured = async (line: string, change: Record<string, string>) =>
      (await run(line, change)).stdout.includes('\u001b[')
    expect(await coloured('plan fleet', {})).toBe(false)
    expect(await coloured('plan fleet', { FORCE_COLOR: '1' })).toBe(true)
    expect(await coloured('plan fleet', { FORCE_COLOR: '0' })).toBe(false)
    expect(await coloured('plan fleet', { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false)
    expect(await coloured('plan fleet --no-color', { FORCE_COLOR: '1' })).toBe(false)
    expect(await coloured('plan fleet --format json', { FORCE_COLOR: '1' })).toBe(false)
  })
})

describe('output that nobody takes', () => {
  it('a reader that went away is no failure', async () => {
    const line = lineOf(await stage())
    const piped = await line('wlanctl schema wlan | head -n 1; echo $PIPESTATUS')
    expect(piped).toEqual({ code: 0, stdout: '{\n0\n', stderr: '' })
    const applied = await line('wlanctl apply fleet --yes --quiet | true; echo $PIPESTATUS')
    expect(applied).toEqual({ code: 0, stdout: '0\n', stderr: '' })
  })

  it.each([
    'plan fleet',
    'apply fleet --yes --quiet',
    'drift fleet --format json',
    'validate fleet',
    'token list',
    'schema plan',
    'completion bash',
    'demo',
    '--help',
    'plan --help',
    '--version'
  ])('a full disk is a failure: %s', async command => {
    const { code, stderr } = await lineOf(await stage())(`wlanctl ${command} >/dev/full`)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('the output could not be written: ENOSPC')
    })
  })

  it('apply finishes its work all the same', async () => {
    const made = await stage()
    await lineOf(made)('wlanctl apply fleet --yes >/dev/full')
    expect(made.simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 21 })
  })

  it('a stderr that is full or closed hurts nobody', async () => {
    const line = lineOf(await stage())
    expect(await line('wlanctl apply fleet --yes 2>/dev/full')).toMatchObject({ code: 0 })
    expect(await line('wlanctl plan fleet 2>&- <&-')).toMatchObject({ code: 0 })
    expect(await line('wlanctl plan nowhere 2>/dev/full')).toMatchObject({ code: 3 })
  })
})

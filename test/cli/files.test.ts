import { lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSchema, strictAjv } from '../schemas/schemas.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { stage } from '../support/stage.ts'

const validPlan = strictAjv().compile(readSchema('plan.schema.json'))

describe('a plan as data', () => {
  it('is a valid saved plan on stdout', async () => {
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

  it('has the same digest for the same state, and another one for another state', async () => {
    const { run, simulator } = await stage()
    const digest = async () => JSON.parse((await run('plan fleet --format json')).stdout).digest
    const first = await digest()
    expect(await digest()).toBe(first)
    simulator.edit(HQ, CORP, { vlan_id: 5 })
    expect(await digest()).not.toBe(first)
  })
})

describe('output files', () => {
  it('--report writes further forms of the same run', async () => {
    const { run, read } = await stage()
    const { stdout } = await run('plan fleet --report json=a.json --report text=b.txt')
    expect(validPlan(JSON.parse(read('a.json')))).toBe(true)
    expect(read('b.txt')).toBe(stdout)
  })

  it('are private to their owner, replace older ones, and leave no temporary file', async () => {
    const { run, cwd, write } = await stage()
    write('plan.json', 'old', 0o644)
    await run('plan fleet --out plan.json --report json=report.json')
    for (const file of ['plan.json', 'report.json']) {
      expect(lstatSync(join(cwd, file)).mode & 0o777).toBe(0o600)
    }
    expect(readdirSync(cwd).sort()).toEqual(['fleet', 'plan.json', 'report.json'])
  })

  it.each(['--out', '--report text='])(
    '%s does not write through links or over directories',
    async flag => {
      const { run, cwd, write, read } = await stage()
      write('victim', 'as it was')
      symlinkSync('victim', join(cwd, 'link'))
      mkdirSync(join(cwd, 'folder'))
      for (const [target, code] of [
        ['link', 3],
        ['folder', 3],
        ['/dev/null', 3],
        ['no/folder', 3]
      ] as const) {
        const words = flag.endsWith('=') ? `${flag}${target}` : `${flag} ${target}`
        const ended = await run(`plan fleet ${words}`)
        expect(ended).toMatchObject({ code, stderr: expect.stringContaining(target) })
      }
      expect(read('victim')).toBe('as it was')
    }
  )

  it('apply checks first that its reports can be written', async () => {
    const { run, cwd, methods } = await stage()
    symlinkSync('victim', join(cwd, 'link'))
    expect(await run('apply fleet --yes --report json=link')).toMatchObject({ code: 3 })
    expect(await run('apply fleet --yes --report json=no/folder')).toMatchObject({ code: 3 })
    expect(methods()).toEqual([])
  })
})

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { corp, guest, HQ } from '../simulator/simulate.ts'
import { secretsIn } from '../support/secrets.ts'
import { PSK, type Stage, stage } from '../support/stage.ts'

/** All secrets of a stage, which no output may contain. */
function secretsOf({ simulator }: Stage): string[] {
  const live = secretsIn([{ id: HQ, name: 'hq', wlans: [corp, guest] }])
  return [PSK, simulator.token, ...live]
}

function filesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(folder, name)).isFile())
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
}

describe('a secret appears in no output', () => {
  it.each([
    'plan fleet --verbose --out plan.json --report json=r.json --report text=r.txt',
    'apply fleet --yes --verbose --report json=r.json',
    'token list --format json'
  ])('%s', async line => {
    const made = await stage()
    const { stdout, stderr } = await made.run(line)
    const shown = stdout + stderr + filesBelow(made.cwd)
    for (const secret of secretsOf(made)) expect(shown).not.toContain(secret)
  })

  it('of an error that repeats the sent body', async () => {
    const made = await stage()
    const detail = `not allowed: ${PSK} of Token ${made.simulator.token}`
    const answer = { status: 400, body: JSON.stringify({ detail }) }
    made.simulator.set({ fail: [{ path: 'wlans', method: 'PUT', times: 'always', answer }] })
    const { code, stdout, stderr } = await made.run('apply fleet --yes --wlan guest')
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('not allowed') })
    expect(stdout + stderr).not.toContain(PSK)
    expect(stdout + stderr).not.toContain(made.simulator.token)
  })

  it('of a finding about an invalid secret', async () => {
    const made = await stage()
    const { code, stdout, stderr } = await made.run('plan fleet', { WLAN_SECRET_GUEST: 'sh0rt!' })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(/fleet\/hq\.yaml:9:18: error: .*\[SECRET_INVALID\]/)
    expect(stderr).not.toContain('sh0rt!')
    expect(made.methods()).toEqual([])
  })
})

describe('a secrets directory that does not exist', () => {
  const warning = 'wlanctl: warning: the secrets directory "nowhere" does not exist\n'

  it.each(['plan fleet', 'adopt fleet --dry-run'])('is a warning, once: %s', async line => {
    const made = await stage()
    const { code, stderr } = await made.run(`${line} --secrets-dir nowhere`)
    expect(code).not.toBe(3)
    expect(stderr.split(warning)).toHaveLength(2)
  })

  it('is one from the environment, too, and none with --quiet', async () => {
    const made = await stage()
    const nowhere = { WLANCTL_SECRETS_DIR: 'nowhere' }
    expect((await made.run('plan fleet', nowhere)).stderr).toContain(warning)
    expect((await made.run('plan fleet --quiet', nowhere)).stderr).not.toContain('warning')
    made.write('a-file', '')
    const { stderr } = await made.run('plan fleet --secrets-dir a-file')
    expect(stderr).toContain('the secrets directory "a-file" is not a directory\n')
  })

  it('is wrong for doctor', async () => {
    const made = await stage()
    const { code, stdout } = await made.run('doctor fleet --secrets-dir nowhere')
    expect(code).toBe(1)
    expect(stdout).toContain('the secrets directory "nowhere" does not exist')
    expect(stdout).not.toContain('only you can read the secret files')
  })
})

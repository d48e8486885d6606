import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { validateSnapshot } from '#forms'
import { CORP, corp, GUEST, guest, HQ } from '../simulator/simulate.ts'
import { type Stage, stage } from '../support/stage.ts'

/** A pull request from a fork has no base URL, token or secret. */
const noCredentials = {
  WLANCTL_BASE_URL: undefined,
  WLANCTL_API_TOKEN: undefined,
  WLAN_SECRET_GUEST: undefined
}

const OTHER = '5ac1dcf4-9d8b-4211-95c4-057819f0862b'

/** A stage with a snapshot of its one site. */
async function taken(): Promise<Stage> {
  const made = await stage()
  expect(await made.run('snapshot fleet --out s.json')).toMatchObject({ code: 0 })
  return made
}

describe('snapshot', () => {
  it('reads each site with one list request, and stores the response', async () => {
    const { read, methods, run, cwd } = await taken()
    expect(methods()).toEqual(['GET'])
    const snapshot = JSON.parse(read('s.json'))
    expect(validateSnapshot(snapshot)).toBe(true)
    expect(snapshot.sites[0].wlans.map(({ id }: { id: string }) => id)).toEqual([CORP, GUEST])
    expect(statSync(join(cwd, 's.json')).mode & 0o777).toBe(0o600)
    const { stdout, stderr } = await run('snapshot fleet')
    const same = { ...JSON.parse(stdout), created: snapshot.created }
    expect({ same, stderr }).toEqual({ same: snapshot, stderr: '' })
  })

  it('refuses a format that its JSON on stdout cannot have, unless the variable of a job names it', async () => {
    const { run } = await stage()
    for (const format of ['text', 'markdown', 'html', 'github']) {
      const refused = await run(`snapshot fleet --format ${format}`)
      expect(refused).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('--out')
      })
    }
    const { stdout } = await run('snapshot fleet', { WLANCTL_FORMAT: 'markdown' })
    expect(validateSnapshot(JSON.parse(stdout))).toBe(true)
    const told = await run('snapshot fleet --out s.json --format markdown')
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('### ') })
  })

  it('needs no valid policy', async () => {
    const made = await stage()
    made.write('fleet/policy.yaml', 'policy: { rules: [{ name: low, require: {} }] }\n')
    expect(await made.run('snapshot fleet --out s.json')).toMatchObject({ code: 0, stderr: '' })
  })

  it('lists unread sites in the file and on stderr', async () => {
    const { run, write, read } = await stage()
    write('fleet/annex.yaml', `site: { id: ${OTHER}, name: annex }\n`)
    const stored = await run('snapshot fleet --out s.json')
    expect(stored).toMatchObject({
      code: 5,
      stdout: expect.stringMatching(/SITE_NOT_READ[\s\S]*Snapshot/)
    })
    expect(JSON.parse(read('s.json'))).toMatchObject({
      summary: { sites: 2, sites_failed: 1 },
      unread: [{ id: OTHER, name: 'annex' }]
    })
    const shown = await run('snapshot fleet')
    expect(shown).toMatchObject({ code: 5, stderr: expect.stringContaining('SITE_NOT_READ') })
    expect(validateSnapshot(JSON.parse(shown.stdout))).toBe(true)
    const planned = await run('plan fleet --against s.json', noCredentials)
    expect(planned).toMatchObject({ code: 5, stdout: expect.stringContaining('1 site not read') })
  })

  it('writes no file that it would reject, and says how to create it in parts', async () => {
    const keys = Object.fromEntries(Array.from({ length: 5001 }, (_, n) => [`key_${n}`, n]))
    const wlans = [{ ...corp, odd: keys }, guest]
    const { run, cwd } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
    for (const line of ['snapshot fleet --out s.json', 'snapshot fleet']) {
      const { code, stdout, stderr } = await run(line)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toMatch(
        /a snapshot is not written, as it could not be read back: .*5,001 keys/
      )
      expect(stderr).toContain('--shard')
    }
    expect(existsSync(join(cwd, 's.json'))).toBe(false)
  })

  it('reports its result as JSON', async () => {
    const { run } = await stage()
    const { code, stdout } = await run('snapshot fleet --out s.json --format json')
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, summary: { wlans: 2 } })
  })
})

describe('plan --against', () => {
  it('plans a pull request from a fork, without a request', async () => {
    const { run, methods } = await taken()
    const { code, stdout, stderr } = await run(
      'plan fleet --against s.json --detailed-exitcode',
      noCredentials
    )
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    expect(stdout).toMatch(/hq\/corp[\s\S]*vlan_id +20 +→ 21/)
    expect(stdout).toMatch(/Planned against a snapshot \d+ seconds? old/)
    expect(methods()).toEqual(['GET'])
    expect(stdout).toMatch(/Not compared[\s\S]*Guest at hq +auth\.psk/)
  })

  it('reads no secret, even if it is available', async () => {
    const { run, write } = await taken()
    write(
      'fleet/hq.yaml',
      `site: { id: ${HQ}, name: hq }\nwlans:
  guest: { ssid: Guest, auth: { psk: { $file: no/such/file } } }\n`
    )
    const line = 'plan fleet --against s.json --secrets-dir nowhere --format json'
    const { code, stdout } = await run(line, noCredentials)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [],
      not_compared: [{ address: 'hq/guest', pointers: ['/auth/psk'] }]
    })
  })
})

import { chmodSync, lstatSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLEET, PSK, stage } from '../support/stage.ts'

/** What `stage()` has live: `corp` on VLAN 20 and on the air. */
const ADOPTED = FLEET.replace('vlan_id: 21', 'vlan_id: 20').replace(
  'enabled: false',
  'enabled: true'
)

describe('adopt', () => {
  it('shows the diff, writes it with --yes, and leaves secrets alone', async () => {
    const { run, read, methods } = await stage()
    const { code, stdout } = await run('adopt fleet --yes')
    expect(stdout).toContain('-    vlan_id: 21\n')
    expect(stdout).toContain('+    vlan_id: 20\n')
    expect(stdout).toMatch(/hq\/guest {2}\/auth\/psk\n {4}a secret is never adopted/)
    expect({ code, file: read('fleet/hq.yaml') }).toEqual({ code: 5, file: ADOPTED })
    expect(methods()).toEqual(['GET'])
    expect(stdout).not.toContain(PSK)
    expect(await run('drift fleet --wlan corp')).toMatchObject({ code: 0 })
  })

  it('ends well when all that was asked for is adopted, and when nothing differs', async () => {
    const { run } = await stage()
    expect(await run('adopt fleet --wlan corp --yes')).toMatchObject({ code: 0 })
    const again = await run('adopt fleet --wlan corp --yes')
    expect(again).toMatchObject({ code: 0, stdout: 'Nothing to adopt\n' })
  })

  it('says so where what is live is less safe than what was declared', async () => {
    const { run, write } = await stage()
    write('fleet/hq.yaml', FLEET.replace('enabled: false', 'auth: { type: eap192 }'))
    const { code, stdout } = await run('adopt fleet --wlan corp --yes')
    expect(code).toBe(0)
    expect(stdout).toContain('Less safe than what was declared:\n  hq/corp  /auth/type\n')
  })

  it('takes only the fields that are named', async () => {
    const { run, read } = await stage()
    expect(await run('adopt fleet --field /vlan_id --yes')).toMatchObject({ code: 0 })
    expect(read('fleet/hq.yaml')).toBe(FLEET.replace('vlan_id: 21', 'vlan_id: 20'))
    expect(await run('adopt fleet --field vlan_id --yes')).toMatchObject({ code: 3 })
  })

  it('says of a named field that it differs nowhere', async () => {
    const { run, read } = await stage()
    expect(await run('adopt fleet --field /vlan --field /vlan_id --yes')).toMatchObject({
      code: 0,
      stderr: 'wlanctl: no WLAN that was read differs in /vlan\n'
    })
    expect(read('fleet/hq.yaml')).toBe(FLEET.replace('vlan_id: 21', 'vlan_id: 20'))
  })

  it('tells programs as JSON', async () => {
    const { run } = await stage()
    const { stdout } = await run('adopt fleet --yes --format json')
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'wlanctl-adoption/1',
      summary: { files: 1, adopted: 2, left: 1 },
      files: ['fleet/hq.yaml'],
      left: [{ address: 'hq/guest', pointer: '/auth/psk' }]
    })
  })

  it('writes nothing without a consent', async () => {
    const { run, read, startOnTerminal } = await stage()
    expect(await run('adopt fleet')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('give --yes')
    })
    const asked = startOnTerminal('adopt fleet')
    await asked.until(/Write this file\?/)
    asked.type('no\r')
    expect(await asked.ended).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('not adopted; nothing was written')
    })
    expect(read('fleet/hq.yaml')).toBe(FLEET)
  })

  it('refuses a file that changed while somebody was asked', async () => {
    const { startOnTerminal, write, read } = await stage()
    const asked = startOnTerminal('adopt fleet')
    await asked.until(/Write this file\?/)
    write('fleet/hq.yaml', `${FLEET}# edited\n`)
    asked.type('yes\r')
    expect(await asked.ended).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('changed on disk meanwhile')
    })
    expect(read('fleet/hq.yaml')).toBe(`${FLEET}# edited\n`)
  })

  it('keeps the mode and the byte order mark of a file, and follows a link to it', async () => {
    const { run, cwd, write, read } = await stage()
    write('fleet/hq.yaml', `\ufeff${FLEET}`)
    chmodSync(join(cwd, 'fleet/hq.yaml'), 0o640)
    renameSync(join(cwd, 'fleet/hq.yaml'), join(cwd, 'fleet/hq.txt'))
    symlinkSync('hq.txt', join(cwd, 'fleet/hq.yaml'))
    expect(await run('adopt fleet --yes')).toMatchObject({ code: 5 })
    expect(read('fleet/hq.txt')).toBe(`\ufeff${ADOPTED}`)
    expect(lstatSync(join(cwd, 'fleet/hq.txt')).mode & 0o777).toBe(0o640)
    expect(lstatSync(join(cwd, 'fleet/hq.yaml')).isSymbolicLink()).toBe(true)
  })

  it('shows no line with a secret in clear', async () => {
    const { run, write } = await stage()
    write('fleet/policy.yaml', 'policy: { plaintext_secrets: allow }\n')
    write('fleet/hq.yaml', FLEET.replace('{ $env: WLAN_SECRET_GUEST }', `${PSK}, type: open`))
    const { stdout, stderr } = await run('adopt fleet --yes')
    expect(stdout).toContain('psk: (hidden)')
    expect(stdout + stderr).not.toContain(PSK)
  })

  it('says what it could not look at', async () => {
    const { run, write } = await stage()
    write('fleet/gone.yaml', 'site: { id: 10000000-0000-4000-8000-000000000009 }\n')
    expect(await run('adopt fleet --yes')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('SITE_NOT_READ')
    })
  })
})

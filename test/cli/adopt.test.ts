import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { wlanctl } from '../support/program.ts'
import { afterASecond, FLEET, PSK, stage } from '../support/stage.ts'

/** The fields of `corp` in the file after adopting the live state of `stage()`: VLAN 20, enabled. */
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
    expect(stdout).toMatch(/hq\/guest {2}auth\.psk +secrets are never adopted/)
    expect({ code, file: read('fleet/hq.yaml') }).toEqual({ code: 5, file: ADOPTED })
    expect(methods()).not.toContain('PUT')
    expect(stdout).not.toContain(PSK)
    expect(await run('adopt fleet --wlan corp --yes')).toMatchObject({
      code: 0,
      stdout: 'Nothing to adopt\n'
    })
  })

  it('reports live values that are less secure than the declared ones', async () => {
    const { run, write } = await stage()
    write('fleet/hq.yaml', FLEET.replace('enabled: false', 'auth: { type: eap192 }'))
    const { code, stdout } = await run('adopt fleet --wlan corp --yes')
    expect(code).toBe(0)
    expect(stdout).toContain('Less secure than declared (1)\n  hq/corp  auth.type  in ')
  })

  it('adopts only the named fields, and reports one that differs nowhere', async () => {
    const { run, read } = await stage()
    expect(await run('adopt fleet --field /vlan --field /vlan_id --yes')).toMatchObject({
      code: 0,
      stderr: 'wlanctl: no WLAN that was read differs in vlan\n'
    })
    expect(read('fleet/hq.yaml')).toBe(FLEET.replace('vlan_id: 21', 'vlan_id: 20'))
  })

  it('writes no variable that names a secret elsewhere', async () => {
    const { run, read, write } = await stage()
    const vars = FLEET.replace('name: hq', 'name: hq, vars: { n: 21 }')
    const declared = vars
      .replace('vlan_id: 21', 'vlan_id: { $var: n }')
      .replace('WLAN_SECRET_GUEST', '"WLAN_SECRET_{n}"')
    write('fleet/hq.yaml', declared)
    await run('adopt fleet --field /vlan_id --yes')
    expect(read('fleet/hq.yaml')).toBe(declared.replace('{ $var: n }', '20'))
  })

  it('prints JSON', async () => {
    const { run } = await stage()
    const { stdout } = await run('adopt fleet --yes --format json')
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'wlanctl-adoption/1',
      summary: { files: 1, adopted: 2, left: 1 },
      files: ['fleet/hq.yaml'],
      left: [{ address: 'hq/guest', pointer: '/auth/psk' }]
    })
  })

  it('writes nothing without a confirmation', async () => {
    const { run, read, startOnScreen } = await stage()
    expect(await run('adopt fleet')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('+    vlan_id: 20\n'),
      stderr: expect.stringContaining('give --yes')
    })
    const asked = startOnScreen('adopt fleet')
    await asked.until(/Write this file\?/)
    asked.type('no\r')
    expect(await asked.ended).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('not adopted; nothing was written')
    })
    expect(read('fleet/hq.yaml')).toBe(FLEET)
  })

  it('rejects a file that changed during the confirmation', async () => {
    const { startOnScreen, write, read } = await stage()
    const asked = startOnScreen('adopt fleet')
    await asked.until(/Write this file\?/)
    write('fleet/hq.yaml', `${FLEET}# edited\n`)
    asked.type('yes\r')
    expect(await asked.ended).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('changed on disk while it was read')
    })
    expect(read('fleet/hq.yaml')).toBe(`${FLEET}# edited\n`)
  })

  it.each([
    ['a value that it would write', { vlan_id: 22 }, 'hq/corp vlan_id changed in the service'],
    ['another value', { isolation: true }, undefined]
  ])('reads again after the confirmation: %s was edited', async (_, edit, problem) => {
    const { startOnScreen, read, methods, simulator } = await stage()
    const asked = startOnScreen('adopt fleet --wlan corp')
    await asked.until(/Write this file\?/)
    simulator.edit(HQ, CORP, edit)
    await afterASecond()
    asked.type('yes\r')
    const { code, stdout } = await asked.ended
    expect(stdout.replaceAll(/\n +/g, ' ')).toContain(
      problem === undefined ? 'Written: ' : `${problem} after it was shown; nothing was written`
    )
    expect({ code, file: read('fleet/hq.yaml'), methods: methods() }).toEqual({
      code: problem === undefined ? 0 : 4,
      file: problem === undefined ? ADOPTED : FLEET,
      methods: ['GET', 'GET']
    })
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

  it('reports the sites that it could not read', async () => {
    const { run, write } = await stage()
    write('fleet/gone.yaml', 'site: { id: 10000000-0000-4000-8000-000000000009 }\n')
    expect(await run('adopt fleet --yes')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('SITE_NOT_READ')
    })
  })

  it('asks for no confirmation if there is nothing to write', async () => {
    const made = await stage()
    expect(await wlanctl(['adopt', 'fleet', '--wlan', 'guest'], made)).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('Nothing can be adopted'),
      stderr: ''
    })
  })

  it('--dry-run prints the diff, and writes nothing', async () => {
    const made = await stage()
    const ended = await wlanctl(['adopt', 'fleet', '--dry-run'], made)
    expect(ended).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('+    vlan_id: 20\n'),
      stderr: ''
    })
    expect(ended.stdout).not.toMatch(/Adopted|Written/)
    expect(made.read('fleet/hq.yaml')).toBe(FLEET)
  })
})

describe('adopt --out', () => {
  /** The result of adopt, and the result of `git apply` with its patch. */
  async function patched(text: string, name = 'hq.yaml') {
    const made = await stage()
    unlinkSync(join(made.cwd, 'fleet/hq.yaml'))
    const file = `fleet/${name}`
    made.write(file, text)
    const ended = await wlanctl(['adopt', 'fleet', '--out', 'adopt.patch'], made)
    expect(ended).toMatchObject({ code: 5, stderr: '' })
    expect(made.read(file)).toBe(text)
    expect(statSync(join(made.cwd, 'adopt.patch')).mode & 0o777).toBe(0o600)
    execFileSync('git', ['apply', 'adopt.patch'], { cwd: made.cwd })
    const applied = made.read(file)
    made.write(file, text)
    await wlanctl(['adopt', 'fleet', '--yes'], made)
    expect(applied).toBe(made.read(file))
    return made.read('adopt.patch')
  }

  it('keeps the files, and writes a patch with the result of --yes', async () => {
    expect(await patched(FLEET)).toBe(PATCH)
  })

  it.each([
    ['line ends of Windows', FLEET.replaceAll('\n', '\r\n')],
    [
      'no line end at its end',
      `${FLEET.replace(/ {2}corp:[\s\S]*?(?= {2}guest)/, '')}  corp: { ssid: Corp, vlan_id: 21, enabled: false }`
    ],
    ['edits far apart', FLEET.replace('    enabled', `${'    # far\n'.repeat(30)}    enabled`)]
  ])('writes an equal patch for a file with %s', async (_, text) => {
    expect(await patched(text)).toContain('@@ -')
  })

  it.each(['a"n ame.yaml', 'größe.yaml'])('writes an equal patch for a file %s', async name => {
    expect(await patched(FLEET, name)).toContain('@@ -')
  })

  it('writes an empty patch if nothing is adopted', async () => {
    const made = await stage()
    const line = ['adopt', 'fleet', '--wlan', 'guest', '--out', 'adopt.patch']
    expect(await wlanctl(line, made)).toMatchObject({ code: 5 })
    expect(made.read('adopt.patch')).toBe('')
  })

  it('rejects a patch with a plaintext secret', async () => {
    const made = await stage()
    made.write('fleet/policy.yaml', 'policy: { plaintext_secrets: allow }\n')
    made.write('fleet/hq.yaml', FLEET.replace('{ $env: WLAN_SECRET_GUEST }', `${PSK}, type: open`))
    const line = ['adopt', 'fleet', '--out', 'adopt.patch']
    const { code, stdout, stderr } = await wlanctl(line, made)
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining(
        'would contain a possible plaintext secret (fleet/hq.yaml:9); nothing was written'
      )
    })
    expect(stdout + stderr).not.toContain(PSK)
    expect(existsSync(join(made.cwd, 'adopt.patch'))).toBe(false)
  })
})

const PATCH = `--- a/fleet/hq.yaml
+++ b/fleet/hq.yaml
@@ -2,8 +2,8 @@
 wlans:
   corp:
     ssid: Corp
-    vlan_id: 21
-    enabled: false
+    vlan_id: 20
+    enabled: true
   guest:
     ssid: Guest
     auth: { psk: { $env: WLAN_SECRET_GUEST } }
`

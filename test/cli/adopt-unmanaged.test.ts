import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { corp, guest, HQ } from '../simulator/simulate.ts'
import { nth } from '../support/ids.ts'
import { afterASecond, FLEET, PSK, stage } from '../support/stage.ts'

const SECRET = 'planted-psk-of-the-things'

const things = (n: number, fields: object = {}) => ({
  id: nth(n),
  ssid: 'IoT things',
  enabled: true,
  auth: { type: 'psk', psk: SECRET },
  vlan_id: 60,
  vlan_enabled: true,
  ...fields
})

const LIST = `sites:
  - { id: ${nth(1)}, name: store-1 }   # the oldest
  - { id: ${nth(2)}, name: store-2 }
wlans:
  guest: { ssid: Guest, vlan_id: 40 }
`

const store = (n: number, more: object[]) => ({
  id: nth(n),
  name: `store-${n}`,
  wlans: [{ id: nth(10 + n), ssid: 'Guest', vlan_id: 40 }, ...more]
})

/** The head office with one unmanaged WLAN, and two stores of a list with one each. */
async function estate(more: object[] = []) {
  const hq = { id: HQ, name: 'hq', wlans: [corp, guest, things(20), ...more] }
  const sites = [hq, store(1, [things(21)]), store(2, [things(22, { ssid: 'Café' })])]
  const made = await stage({ sites: JSON.parse(JSON.stringify(sites)) })
  made.write('fleet/lists/stores.yaml', LIST)
  return made
}

describe('adopt --unmanaged', () => {
  it('writes nothing if the WLAN was edited before the confirmation', async () => {
    const { startOnScreen, read, simulator, cwd } = await estate()
    const line = 'adopt fleet --unmanaged hq/IoT* --secrets-out secrets.env'
    const asked = startOnScreen(line)
    await asked.until(/Write this file\?/)
    simulator.edit(HQ, nth(20), { auth: { type: 'psk', psk: 'rotated-by-hand' } })
    await afterASecond()
    asked.type('yes\r')
    expect(await asked.ended).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('hq/iot-things /auth/psk changed in the service')
    })
    expect(read('fleet/hq.yaml')).toBe(FLEET)
    expect(existsSync(join(cwd, 'secrets.env'))).toBe(false)
  })

  it('declares a WLAN in the file of its site alone; its plan is empty', async () => {
    const { run, read, methods } = await estate()
    const line = 'adopt fleet --unmanaged hq/IoT* --yes --secrets-out secrets.env'
    const { code, stdout, stderr } = await run(line)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(methods()).not.toContain('PUT')
    expect(stdout).toContain(`To adopt:
  hq/iot-things  IoT things  in fleet/hq.yaml

Secrets to set before the next apply:
  WLAN_SECRET_HQ_IOT_THINGS_AUTH_PSK  hq/iot-things  /auth/psk

Adopt: 1 unmanaged WLAN in 1 file
Written: fleet/hq.yaml
`)
    expect(stdout + read('fleet/hq.yaml')).not.toContain(SECRET)
    expect(read('fleet/hq.yaml').startsWith(FLEET)).toBe(true)
    expect(read('fleet/hq.yaml').slice(FLEET.length)).toMatchInlineSnapshot(`
      "  iot-things:
          id: 7d6f1c5e-0000-4000-8000-000000000014
          ssid: IoT things
          auth:
            type: psk
            psk: { $env: WLAN_SECRET_HQ_IOT_THINGS_AUTH_PSK }
            pairwise: [wpa2-ccmp]
            multi_psk_only: false
            enable_mac_auth: false
          dynamic_psk: { enabled: false }
          vlan_enabled: true
          vlan_id: 60
          interface: all
          enabled: true
          hide_ssid: false
          schedule: { enabled: false }
          bands: ["24", "5", "6"]
          isolation: false
          block_blacklist_clients: false
          portal: { enabled: false }
          enable_wireless_bridging: false
      "
    `)
    const env = parseEnv(read('secrets.env'))
    expect(env['WLAN_SECRET_HQ_IOT_THINGS_AUTH_PSK']).toBe(SECRET)
    const plan = await run('plan fleet --wlan iot-things --format json', env)
    expect(JSON.parse(plan.stdout)).toMatchObject({
      summary: { changed: 0, unchanged: 1, blocked: 0 },
      changes: []
    })
    const again = await run('plan fleet --site hq --format json', env)
    expect(JSON.parse(again.stdout).summary.unmanaged).toBe(0)
  })

  it('makes a new file for a site of a list', async () => {
    const { run, read } = await estate()
    const { code, stdout } = await run(`adopt fleet --unmanaged store-*/* --yes`)
    expect(code).toBe(0)
    expect(stdout).toContain('--- /dev/null\n+++ fleet/lists/store-2.yaml\n@@ -0,0 +1,')
    expect(read('fleet/lists/stores.yaml')).toBe(LIST)
    expect(read('fleet/lists/store-2.yaml')).toContain(
      `site:\n  id: ${nth(2)}\n  name: store-2\n\nwlans:\n  cafe:\n    id: ${nth(22)}\n    ssid: Café\n`
    )
    const plan = await run('plan fleet --site store-* --format json')
    expect(JSON.parse(plan.stdout).summary).toMatchObject({ wlans: 4, unchanged: 4, unmanaged: 0 })
  })

  it('writes guard fields, and uses one name for equal secrets', async () => {
    const { run, read } = await estate()
    const { stdout } = await run(`adopt fleet --unmanaged */* --yes --format json`)
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { files: 3, adopted: 0, left: 0, taken: 3 },
      taken: [
        { address: 'hq/iot-things', id: nth(20), ssid: 'IoT things', file: 'fleet/hq.yaml' },
        { address: 'store-1/iot-things', secrets: [{ name: 'WLAN_SECRET_AUTH_PSK' }] },
        { address: 'store-2/cafe', secrets: [{ pointer: '/auth/psk' }] }
      ]
    })
    expect(read('fleet/lists/store-1.yaml')).toContain('\n    isolation: false\n')
  })

  it('uses a unique key and name', async () => {
    const { run, write, read } = await estate()
    write(
      'fleet/hq.yaml',
      FLEET.replace('corp:', 'iot-things:').replace(
        'WLAN_SECRET_GUEST',
        'WLAN_SECRET_HQ_IOT_THINGS_2_AUTH_PSK'
      )
    )
    expect(await run(`adopt fleet --unmanaged hq/${nth(20)} --yes`)).toMatchObject({ code: 0 })
    expect(read('fleet/hq.yaml')).toContain('  iot-things-2:\n')
    expect(read('fleet/hq.yaml')).toContain('$env: WLAN_SECRET_HQ_IOT_THINGS_2_AUTH_PSK_2 }')
  })

  it('asks first, and --dry-run and --out write no file of the fleet', async () => {
    const made = await estate()
    const { run, read, cwd } = made
    expect(await run('adopt fleet --unmanaged store-1/*')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('give --yes')
    })
    expect(await run('adopt fleet --unmanaged store-1/* --dry-run')).toMatchObject({ code: 0 })
    expect(await run('adopt fleet --unmanaged */IoT* --out a.patch')).toMatchObject({ code: 0 })
    expect(read('fleet/hq.yaml')).toBe(FLEET)
    expect(existsSync(join(cwd, 'fleet/lists/store-1.yaml'))).toBe(false)
    execFileSync('git', ['apply', 'a.patch'], { cwd })
    const applied = ['hq.yaml', 'lists/store-1.yaml'].map(file => read(`fleet/${file}`))
    execFileSync('git', ['apply', '-R', 'a.patch'], { cwd })
    await run('adopt fleet --unmanaged */IoT* --yes')
    expect(['hq.yaml', 'lists/store-1.yaml'].map(file => read(`fleet/${file}`))).toEqual(applied)
  })

  it.each([
    ['store-1/guest', 'no unmanaged WLAN matches "store-1/guest"'],
    ['hq/Nothing', 'unmanaged are "hq/IoT things"'],
    ['nowhere/Guest', 'no site matches "nowhere"'],
    ['hq/Inherited', 'no unmanaged WLAN matches "hq/Inherited"']
  ])('refuses %s', async (address, message) => {
    const inherited = things(23, { ssid: 'Inherited', for_site: false, template_id: nth(9) })
    const { run, read } = await estate([inherited])
    const { code, stderr, stdout } = await run(`adopt fleet --unmanaged ${address} --yes`)
    expect(code).toBe(3)
    expect(stderr + stdout).toContain(message)
    expect(read('fleet/hq.yaml')).toBe(FLEET)
  })

  it('refuses options that concern drift, and --secrets-out for a file that exists', async () => {
    const { run, write } = await estate()
    for (const option of ['--field /dtim', '--wlan guest']) {
      expect(await run(`adopt fleet --unmanaged hq/* ${option}`)).toMatchObject({ code: 3 })
    }
    write('secrets.env', '')
    expect(await run('adopt fleet --unmanaged hq/* --yes --secrets-out secrets.env')).toMatchObject(
      {
        code: 3,
        stderr: expect.stringContaining('secrets.env already exists')
      }
    )
  })

  it('is incomplete if a site cannot be read', async () => {
    const { run, write, read } = await estate()
    write('fleet/lab.yaml', `site: { id: ${nth(99)}, name: lab }\n`)
    const { code, stderr } = await run('adopt fleet --unmanaged */* --yes')
    expect(code).toBe(5)
    expect(stderr).toContain('lab')
    expect(read('fleet/lists/store-1.yaml')).not.toContain(PSK)
  })
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Finding } from '../../src/core/model/finding.ts'
import { nth } from '../support/ids.ts'
import { type Stage, stage } from '../support/stage.ts'

const RULE = 'vlan-enabled-without-vlan'
const key = { type: 'psk', psk: 'blue-Horse-7-staple', pairwise: ['wpa2-ccmp'] }
const names = ['hq', 'store-1', 'store-2', 'lab [old], {b}']

/** Sites with a sound network; `broken` are the places of those with a VLAN network without a VLAN, too. */
async function live(...broken: readonly number[]): Promise<Stage> {
  const sites = names.map((name, n) => ({
    id: nth(n),
    name,
    wlans: [
      { id: nth(10 + n), ssid: 'Corp', enabled: true, auth: key, vlan_enabled: true, vlan_id: 20 },
      {
        id: nth(20 + n),
        ssid: 'Guest',
        enabled: true,
        auth: key,
        vlan_enabled: true,
        vlan_id: broken.includes(n) ? null : 30
      }
    ]
  }))
  const made = await stage({ sites })
  made.write('names.txt', sites.map(({ id, name }) => `${id}\t${name}\n`).join(''))
  return made
}

function waiversIn({ read }: Stage, file: string) {
  return parse(read(file)).policy.waivers.map((waiver: Record<string, string>) => {
    const { reason, until, ...of } = waiver
    expect({ reason, until }).toEqual({
      reason: 'live when imported',
      until: expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
    })
    return of
  })
}

/** The findings of each command with a policy that refuses existing errors, too. */
async function strictly(made: Stage, fleet: string, policy: string) {
  made.write(policy, made.read(policy).replace('policy:\n', 'policy:\n  lint: { strict: true }\n'))
  const secrets = { WLAN_SECRET_PSK: key.psk, WLAN_SECRET_HQ_PSK: key.psk }
  const results = []
  for (const command of ['validate', 'plan', 'drift']) {
    const { code, stdout } = await made.run(`${command} ${fleet} --format json`, secrets)
    const errors = JSON.parse(stdout).findings.filter(
      ({ level, rule }: Finding) => level === 'error' || rule === RULE
    )
    results.push({ command, code, rules: [...new Set(errors.map(({ rule }: Finding) => rule))] })
  }
  return results
}

/** The rule needs a field at its default, which no file declares: `validate` does not find it. */
const passing = [
  { command: 'validate', code: 0, rules: [] },
  { command: 'plan', code: 0, rules: [RULE] },
  { command: 'drift', code: 0, rules: [RULE] }
]

describe('waivers for live networks', () => {
  it.each([
    ['some sites', [0, 2], [{ rule: RULE, site: '{hq,store-2}', wlan: 'guest' }]],
    [
      'a site with special characters',
      [3],
      [{ rule: RULE, site: 'lab \\[old\\]\\, \\{b\\}', wlan: 'guest' }]
    ],
    ['all sites', [0, 1, 2, 3], [{ rule: RULE, wlan: 'guest' }]]
  ])('are written by init: %s', async (_, broken, waivers) => {
    const made = await live(...broken)
    expect((await made.run('init wifi --from names.txt')).code).toBe(0)
    expect(waiversIn(made, 'wifi/policy.yaml')).toEqual(waivers)
    expect(await strictly(made, 'wifi', 'wifi/policy.yaml')).toEqual(passing)
  })

  it.each(['', ' --plain'])('are written by import%s', async option => {
    const made = await live(0)
    const { code, stdout } = await made.run(`import --from names.txt${option}`)
    expect(code).toBe(0)
    expect(stdout).toContain('\nWaivers (1)\n  sites/policy.yaml waives ')
    expect(waiversIn(made, 'sites/policy.yaml')).toEqual([
      { rule: RULE, site: 'hq', wlan: 'guest' }
    ])
    expect(await strictly(made, 'sites', 'sites/policy.yaml')).toEqual(passing)
  })

  it('are printed where the fleet has a policy', async () => {
    const made = await live(0)
    const policy = 'policy: { max_changes: 1 }\n'
    made.write('sites/limits.yaml', policy)
    const { stdout } = await made.run('import --from names.txt --report json=import.json')
    expect(stdout).toContain('add them to policy.waivers')
    const { waivers } = JSON.parse(made.read('import.json'))
    expect(stdout).toContain(`\n  - ${waivers.entries[0]}\n`)
    expect(parse(waivers.entries[0])).toMatchObject({ rule: RULE, site: 'hq', wlan: 'guest' })
    expect(existsSync(join(made.cwd, 'sites/policy.yaml'))).toBe(false)
    expect(made.read('sites/limits.yaml')).toBe(policy)
  })

  it('are written by no dry run', async () => {
    const made = await live(0)
    const { code, stdout, stderr } = await made.run('import --from names.txt --dry-run')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('\nWaivers (1)\n  sites/policy.yaml waives ')
    expect(existsSync(join(made.cwd, 'sites'))).toBe(false)
  })

  it('are not written without a lint error', async () => {
    const made = await live()
    await made.run('import --from names.txt')
    expect(existsSync(join(made.cwd, 'sites/policy.yaml'))).toBe(false)
  })
})

describe('a live value that the schema refuses', () => {
  const radius = [{ host: '10.0.0.1', secret: 'a-long-Shared-9-secret' }]
  const eap = { auth: { type: 'eap', pairwise: ['wpa3'] }, auth_servers: radius }
  const vlan = { vlan_enabled: true, vlan_id: 20 }
  it.each<[what: string, live: object, unfit: string, left?: string]>([
    [
      'names of VLANs',
      {
        ...eap,
        ...vlan,
        dynamic_vlan: { enabled: true, type: 'airespace-interface-name', vlans: { staff: 'X' } }
      },
      'dynamic_vlan.vlans'
    ],
    ['a port of RADIUS', { ...eap, auth_servers: [{ ...radius[0], port: 'abc' }] }, 'auth_servers'],
    ['a key', { auth: { ...key, psk: 'short' } }, 'auth.psk', '']
  ])('gets no waiver, and no advice that fails: %s', async (_, fields, unfit, left) => {
    const network = { id: nth(10), ssid: 'Corp', enabled: true, ...fields }
    const made = await stage({ sites: [{ id: nth(0), name: 'hq', wlans: [network] }] })
    made.write('names.txt', `${nth(0)} hq\n`)
    const { stdout } = await made.run('import --from names.txt --secrets-out s.env')
    expect(stdout).toContain(`cannot be declared: ${unfit} [IMPORT_UNFIT]`)
    expect(stdout).not.toMatch(/IMPORT_SECRET_HIDDEN|hidden by the service/)
    const name = left ?? unfit
    const file = 'sites/policy.yaml'
    const policy = existsSync(join(made.cwd, file)) ? made.read(file) : 'policy:\n'
    for (const [unwatched, told] of [
      ['report', `${name} on 1 WLAN, which adopt does not declare`],
      ['drift', '`adopt` does not declare the live one: ']
    ] as const) {
      made.write(file, `${policy}  unwatched: ${unwatched}\n`)
      const drift = await made.run('drift sites --secrets-file s.env')
      expect(drift.stdout).not.toMatch(/WAIVER_UNUSED|adopt sites --undeclared/)
      if (name !== '') expect(drift.stdout).toContain(told)
    }
    expect((await made.run('adopt sites --undeclared --yes')).stdout).toContain('Nothing can be')
  })
})

describe('a lint finding of an import', () => {
  it.each([
    ['', 'guest-2'],
    [' --plain', 'guest']
  ])('has the address of the WLAN in the files:%s', async (option, key) => {
    const guest = { ssid: 'Guest', enabled: true, isolation: true, vlan_enabled: true, vlan_id: 20 }
    const sites = names.map((name, n) => ({
      id: nth(n),
      name,
      wlans: [
        // Before the network that all sites have, but not like it.
        ...(n === 1 ? [{ ...guest, id: nth(10), bands: ['6'], vlan_id: 7 }] : []),
        { ...guest, id: nth(20 + n) }
      ]
    }))
    const made = await stage({ sites })
    made.write('names.txt', sites.map(({ id, name }) => `${id}\t${name}\n`).join(''))
    const { code } = await made.run(`import --from names.txt${option} --report json=import.json`)
    expect(code).toBe(0)
    const { findings } = JSON.parse(made.read('import.json'))
    const found = findings.filter(({ rule }: Finding) => rule === 'six-ghz-unsafe')
    expect(found).toMatchObject([{ address: `store-1/${key}` }])
    const { stdout } = await made.run(`explain store-1/${key} vlan_id --fleet sites`)
    expect(stdout).toContain('vlan_id  7')
  })
})

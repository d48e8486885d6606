import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import { commit, gitEnv, repository } from '../support/git.ts'
import { CORP, GUEST, HQ } from '../support/ids.ts'
import { type Stage, stage } from '../support/stage.ts'

const corp = {
  id: CORP,
  ssid: 'Corp',
  enabled: true,
  auth: { type: 'eap', pairwise: ['wpa2-ccmp'] },
  auth_servers: [{ host: '10.0.0.1', secret: 'a-long-shared-secret' }]
}
const guest = {
  id: GUEST,
  ssid: 'Guest',
  enabled: true,
  isolation: true,
  vlan_enabled: true,
  vlan_id: 30,
  auth: { type: 'open' },
  portal: { enabled: true, auth: 'none' }
}
const PRINTER = '5d1a6f3e-7c52-4f8b-9d5e-2f0b6a7c8d9e'
const printer = { ...guest, id: PRINTER, ssid: 'Printer' }

const RULE =
  '{ name: no-world, over: all, message: shut it, require: { properties: { portal_allowed_subnets: { maxItems: 0 } } } }'

const FILES = `site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp }
  guest: { ssid: Guest, enabled: true }
`

/** A fleet that declares little of its two WLANs. */
async function fleet(lint = '{ rules: { garden-wide-open: error } }'): Promise<Stage> {
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [corp, guest, printer] }] })
  made.write('fleet/hq.yaml', FILES)
  made.write('fleet/policy.yaml', `policy:\n  lint: ${lint}\n  rules: [${RULE}]\n`)
  return made
}

const HOLE = { portal_allowed_subnets: ['0.0.0.0/0'] }
const RULES = ['garden-wide-open', 'no-world']

async function findings(made: Stage, line: string): Promise<Finding[]> {
  const { stdout } = await made.run(`${line} --format json`)
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  return findings.filter(({ rule = '' }) => RULES.includes(rule))
}

const files = [
  ['a snapshot', 'snapshot fleet --out before.json'],
  ['the last check', 'drift fleet --report json=before.json']
] as const

describe.each(files)('a hole that was made since %s', (_, before) => {
  it.each([
    ['a declared', GUEST, 'hq/guest'],
    ['an unmanaged', PRINTER, 'hq']
  ])('is new in drift, and fails it: of %s WLAN', async (_, id, address) => {
    const made = await fleet()
    await made.run(before)
    made.simulator.edit(HQ, id, HOLE)
    const found = await findings(made, 'drift fleet --since before.json')
    const { created } = JSON.parse(made.read('before.json'))
    expect(found.map(({ rule }) => rule).sort()).toEqual(RULES)
    for (const each of found) {
      expect(each).toMatchObject({ level: 'error', address, new_since: created })
      expect(each).not.toHaveProperty('existing')
      expect(each.message).not.toContain('existing')
    }
    const { code, stdout } = await made.run('drift fleet --since before.json')
    expect(code).toBe(2)
    expect(stdout).not.toContain('Refused')
    expect(stdout).toContain('2 errors in the live state')
  })

  it.each(['text', 'markdown', 'html', 'github'])('is new in drift as %s', async format => {
    const made = await fleet()
    await made.run(before)
    made.simulator.edit(HQ, GUEST, HOLE)
    const { stdout } = await made.run(`drift fleet --since before.json --format ${format}`)
    expect(stdout).toMatch(/new since 20\d\d-/)
    expect(stdout).not.toContain('existing: guests reach')
  })

  it('is existing if it is older, in one line', async () => {
    const made = await fleet()
    made.simulator.edit(HQ, GUEST, HOLE)
    await made.run(before)
    const found = await findings(made, 'drift fleet --since before.json')
    expect(found).toMatchObject(RULES.map(() => ({ level: 'warning', existing: true })))
    const { code, stdout } = await made.run('drift fleet --since before.json')
    expect(code).toBe(0)
    expect(stdout).toContain('2 existing (garden-wide-open, no-world), already live')
    expect(stdout).not.toContain('guests reach')
  })

  it('does not refuse an apply', async () => {
    const made = await fleet()
    await made.run(before)
    made.simulator.edit(HQ, GUEST, HOLE)
    await made.run('drift fleet --since before.json --report json=after.json')
    expect(JSON.parse(made.read('after.json'))).not.toHaveProperty('refusals')
    const { stdout } = await made.run('show after.json')
    expect(stdout).not.toContain('Refused')
    expect((await made.run('plan fleet --detailed-exitcode')).code).toBe(0)
  })
})

describe('a hole of a WLAN that is new since a snapshot', () => {
  it('is new', async () => {
    const made = await fleet()
    await made.run('snapshot fleet --out before.json')
    made.simulator.edit(HQ, PRINTER, { ...HOLE, id: '0b8f3a52-1d7e-4c69-8a3f-6e5d4c3b2a19' })
    const found = await findings(made, 'drift fleet --since before.json')
    expect(found.map(({ rule }) => rule).sort()).toEqual(RULES)
    for (const each of found) expect(each).toHaveProperty('new_since')
  })
})

describe('a weak key, which a snapshot does not contain', () => {
  it('is never new', async () => {
    const made = await fleet()
    made.simulator.edit(HQ, CORP, { auth: { type: 'psk', psk: 'password1' } })
    await made.run('snapshot fleet --out before.json')
    const { stdout } = await made.run('drift fleet --since before.json --verbose')
    expect(stdout).toMatch(/existing: .*\n?.*key/)
    expect(stdout).not.toContain('new since')
  })
})

describe('the report of another version', () => {
  it('makes no hole new, because that version may have had other rules', async () => {
    const made = await fleet()
    await made.run('drift fleet --report json=before.json')
    const text = made
      .read('before.json')
      .replace(/"tool": "wlanctl\/[^"]+"/, '"tool": "wlanctl/0.0.1"')
    made.write('before.json', text)
    made.simulator.edit(HQ, GUEST, HOLE)
    const found = await findings(made, 'drift fleet --since before.json')
    expect(found).toMatchObject(RULES.map(() => ({ existing: true })))
  })
})

describe('a hole that the files made since the base', () => {
  /** The base declares the garden empty; now the files declare what is live. */
  async function changed(base: string, now: string): Promise<Stage> {
    const made = await fleet()
    made.write('fleet/hq.yaml', FILES.replace('enabled: true', `enabled: true${base}`))
    repository(made.cwd)
    made.write('fleet/hq.yaml', FILES.replace('enabled: true', `enabled: true${now}`))
    commit(made.cwd)
    made.simulator.edit(HQ, GUEST, HOLE)
    return made
  }
  const SHUT = ', portal_allowed_subnets: []'
  const OPEN = ', portal_allowed_subnets: [0.0.0.0/0]'

  it.each([
    ['is declared as it is live', SHUT, OPEN, 4],
    ['is no longer declared otherwise', SHUT, '', 4],
    ['is declared for the first time', '', OPEN, 0]
  ])('is judged by the base: %s', async (_, base, now, expected) => {
    const made = await changed(base, now)
    const line = 'plan fleet --base HEAD~1 --detailed-exitcode'
    const { code } = await made.run(line, gitEnv)
    expect(code).toBe(expected)
    const { stdout } = await made.run(`${line} --format json`, gitEnv)
    const found = (JSON.parse(stdout).findings as Finding[]).filter(({ rule = '' }) =>
      RULES.includes(rule)
    )
    if (expected === 0) expect(found.every(({ existing }) => existing)).toBe(true)
    else {
      expect(found.map(({ level, existing }) => [level, existing])).toEqual([
        ['error', undefined],
        ['error', undefined]
      ])
    }
    const drift = await made.run('drift fleet --base HEAD~1', gitEnv)
    expect(drift.code).toBe(expected === 0 ? 0 : 2)
  })
})

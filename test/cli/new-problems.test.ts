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
async function fleet(): Promise<Stage> {
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [corp, guest, printer] }] })
  made.write('fleet/hq.yaml', FILES)
  made.write(
    'fleet/policy.yaml',
    `policy:\n  lint: { rules: { garden-wide-open: error } }\n  rules: [${RULE}]\n`
  )
  return made
}

const HOLE = { portal_allowed_subnets: ['0.0.0.0/0'] }
const RULES = ['garden-wide-open', 'no-world']

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

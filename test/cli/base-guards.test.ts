import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import { commit, emptyRepository, git, gitEnv, repository } from '../support/git.ts'
import { CORP, GUEST, HQ } from '../support/ids.ts'
import { FLEET, type Stage, stage } from '../support/stage.ts'

const POLICY = `policy:
  max_changes: 1
  rules:
    - { name: no-vlan-66, message: not this VLAN, require: { properties: { vlan_id: { not: { const: 66 } } } } }
  freezes: [{ from: 2026-01-01T00:00Z, until: 2099-01-01T00:00Z, reason: trade }]
`

/** The fleet of `stage()`, which changes two WLANs, after a commit with these files and an edit of some. */
async function pullRequest(
  then: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>
): Promise<Stage> {
  const made = await stage()
  for (const [file, text] of Object.entries(then)) made.write(`fleet/${file}`, text)
  repository(made.cwd)
  for (const [file, text] of Object.entries(now)) made.write(`fleet/${file}`, text)
  commit(made.cwd)
  return made
}

it('a base of a full hash is shown by its first digits', async () => {
  const made = await stage()
  repository(made.cwd)
  made.write('fleet/hq.yaml', FLEET.replace('    vlan_id: 21\n', ''))
  const hash = git(made.cwd, 'rev-parse', 'HEAD')
  const { stdout } = await made.run(`plan fleet --base ${hash}`, gitEnv)
  expect(stdout).toContain(hash.slice(0, 12))
  expect(stdout).not.toContain(hash)
})

describe('an ignored file', () => {
  it('that links to a hidden policy is an error, too', async () => {
    const made = await stage()
    made.write('fleet/.wlanctlignore', '/policy.yaml\n')
    made.write('fleet/.hidden/policy.yaml', POLICY)
    symlinkSync('.hidden/policy.yaml', join(made.cwd, 'fleet/policy.yaml'))
    const { code, stdout, stderr } = await made.run('plan fleet')
    expect(code).toBe(3)
    expect(stdout + stderr).toContain('fleet/policy.yaml:1:1: error')
  })

  it('without a policy is only counted, in every format', async () => {
    const made = await stage()
    made.write('fleet/.wlanctlignore', 'old/\nmkdocs.yml\n')
    expect((await made.run('plan fleet')).stdout).not.toContain('ignored')
    made.write('fleet/old/x.yaml', 'a: 1\n---\nb: "policy"\n')
    made.write('fleet/mkdocs.yml', 'site_name: Docs\n')
    made.write('fleet/old/notes.txt', 'policy: {}\n')
    const reports = ['markdown', 'html', 'json', 'github']
    const options = reports.map(format => `--report ${format}=out.${format}`).join(' ')
    const { code, stdout } = await made.run(`plan fleet --out plan.json ${options}`)
    expect(code).toBe(0)
    const texts = [stdout, ...['markdown', 'html', 'github'].map(each => made.read(`out.${each}`))]
    for (const text of texts) expect(text).toContain('2 YAML files ignored by .wlanctlignore')
    expect(JSON.parse(made.read('out.json')).ignored_files).toBe(2)
    expect((await made.run('show plan.json')).stdout).toContain('2 YAML files ignored')
  })

  it('counts in a merged plan as in each shard', async () => {
    const made = await stage()
    made.write('fleet/.wlanctlignore', 'mkdocs.yml\n')
    made.write('fleet/mkdocs.yml', 'site_name: Docs\n')
    for (const n of [1, 2]) await made.run(`plan fleet --shard ${n}/2 --out ${n}.json`)
    await made.run('show 1.json 2.json --out all.json')
    expect(JSON.parse(made.read('all.json')).ignored_files).toBe(1)
  })
})

/** A rule that `corp`, and then with VLAN 21 its change, breaks at sites of this kind. */
const rule = (when: string) =>
  `policy:\n  rules: [{ name: r, message: not here, when: { properties: { $site: { properties: { ${when} } } } }, require: { properties: { vlan_id: { not: { const: 21 } } } } }]\n`

const site = (keys: string) => FLEET.replace('name: hq }', `name: hq, ${keys} }`)

/** A rule for all sites, with a waiver of it. */
const waived = (scope: string) =>
  `${rule('id: {}')}  waivers: [{ rule: r, reason: lab, until: 2099-01-31, ${scope} }]\n`

/** Windows that are shut. */
const shut = (hour: number) => {
  const at = (hours: number) => String((hour + hours) % 24).padStart(2, '0')
  return `policy: { windows: [{ name: nights, from: "${at(2)}:00", until: "${at(3)}:00", impact: [none, some, reconnect, guest-login, outage] }] }\n`
}

describe('the policy of the base judges a change that relaxes it', () => {
  const LIMIT = 'policy: { max_changes: 1 }\n'
  const GROUPS = 'groups: { stores: {}, other: {} }\n'
  const AT_STORES = rule('groups: { contains: { const: stores } }')
  const IN = (group: string) => `groups: [${group}]`
  const on20 = (text: string) => text.replace('vlan_id: 21', 'vlan_id: 20')
  const renamed = FLEET.replace('name: hq', 'name: lab-1')
  const rekeyed = FLEET.replace('  corp:', '  test:')

  test.each<[what: string, policy: string, then: string, now: Readonly<Record<string, string>>]>([
    ['a limit', LIMIT, FLEET, { 'policy.yaml': LIMIT.replace('1', '50') }],
    ['a new waiver', rule('id: {}'), FLEET, { 'policy.yaml': waived('site: "*"') }],
    [
      'the groups of a site',
      GROUPS + AT_STORES,
      on20(site(IN('stores'))),
      { 'hq.yaml': site(IN('other')) }
    ],
    ['the name of a site', rule('name: { const: hq }'), on20(FLEET), { 'hq.yaml': renamed }],
    ['a waiver of the name of a site', waived('site: lab*'), on20(FLEET), { 'hq.yaml': renamed }],
    ['a waiver of a key', waived('wlan: test'), on20(FLEET), { 'hq.yaml': rekeyed }]
  ])('%s', async (_, policy, then, now) => {
    const made = await pullRequest({ 'policy.yaml': policy, 'hq.yaml': then }, now)
    const plan = await made.run('plan fleet --base HEAD~1 --report json=out.json', gitEnv)
    expect(plan.stderr).not.toContain('bug')
    const { refusals } = JSON.parse(made.read('out.json'))
    const refused = policy === LIMIT ? 'OVER_MAX_CHANGES' : 'RULE'
    expect(refusals.map(({ code }: { code: string }) => code)).toContain(refused)
    const apply = await made.run('apply fleet --yes --base HEAD~1', gitEnv)
    expect(apply.code).toBe(4)
    expect(made.methods()).not.toContain('PUT')
    const next = await made.run('apply fleet --yes --max-changes all', gitEnv)
    expect(next.code).toBe(0)
  })

  it('with its protection, whatever declares the WLAN', async () => {
    const kept = FLEET.replace('ssid: Corp', 'ssid: Corp\n    $protect: true')
    for (const now of [FLEET, FLEET.replace('  corp:\n', `  other:\n    id: ${CORP}\n`)]) {
      const made = await pullRequest({ 'hq.yaml': kept }, { 'hq.yaml': now })
      const plan = await made.run('plan fleet --base HEAD~1', gitEnv)
      expect(plan.stdout).toContain('relaxes protection of hq/corp')
      const { code, stdout } = await made.run('apply fleet --yes --base HEAD~1', gitEnv)
      expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('protected') })
      expect(made.methods().filter(method => method === 'PUT')).toHaveLength(1)
    }
  })

  it('with its windows, in the time zone that the base gives the site', async () => {
    const hour = new Date().getUTCHours()
    const window = shut(hour)
    const made = await pullRequest(
      { 'policy.yaml': window, 'hq.yaml': site('vars: { timezone: UTC }') },
      { 'policy.yaml': 'groups: {}\n' }
    )
    const first = await made.run('apply fleet --yes --base HEAD~1', gitEnv)
    expect({ code: first.code, puts: made.methods().includes('PUT') }).toEqual({
      code: 0,
      puts: false
    })
    expect(first.stdout).toContain('waits')
    const moved = await pullRequest(
      { 'policy.yaml': window, 'hq.yaml': site('vars: { timezone: UTC }') },
      { 'hq.yaml': site(`vars: { timezone: Etc/GMT-2 }`) }
    )
    expect((await moved.run('apply fleet --yes --base HEAD~1', gitEnv)).code).toBe(0)
    expect(moved.methods()).not.toContain('PUT')
    expect((await moved.run('apply fleet --yes', gitEnv)).code).toBe(0)
    expect(moved.methods()).toContain('PUT')
  })

  it('unless the base has no fleet', async () => {
    const made = await stage()
    made.write('README.md', 'A fleet comes here.\n')
    emptyRepository(made.cwd)
    git(made.cwd, 'add', 'README.md')
    git(made.cwd, 'commit', '--quiet', '--message=Start')
    commit(made.cwd)
    const { code, stdout } = await made.run('plan fleet --base HEAD~1', gitEnv)
    expect(code).toBe(0)
    expect(stdout).not.toContain('relaxes')
  })

  it('and a base that cannot be read is exit 3 with its name', async () => {
    const made = await pullRequest({ 'wrong.yaml': 'site: [\n' }, { 'wrong.yaml': 'groups: {}\n' })
    for (const command of ['plan', 'drift', 'apply --yes']) {
      const { code, stdout, stderr } = await made.run(`${command} fleet --base HEAD~1`, gitEnv)
      expect(code).toBe(3)
      expect(stdout + stderr).toContain('cannot be read at "HEAD~1"')
      expect(stdout + stderr).toContain('fleet/wrong.yaml:')
    }
    expect(made.methods()).toEqual([])
  })
})

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

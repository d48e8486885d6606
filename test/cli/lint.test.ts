import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import { commit, gitEnv, repository } from '../support/git.ts'
import { CORP, GUEST, HQ } from '../support/ids.ts'
import { type Stage, stage } from '../support/stage.ts'

const corp = { id: CORP, ssid: 'Corp', enabled: true, vlan_enabled: true, vlan_id: 20 }
const key = { type: 'psk', psk: 'blue-Horse-7-staple', pairwise: ['wpa2-ccmp'] }

/** A fleet that declares `corp`; its live site also has an open guest network without a VLAN. */
async function declared(fields: string, policy = '{}'): Promise<Stage> {
  const guest = { id: GUEST, ssid: 'Guest', enabled: true, auth: { type: 'open' } }
  const made = await stage({
    sites: [{ id: HQ, name: 'hq', wlans: [{ ...corp, auth: key }, guest] }]
  })
  made.write('fleet/hq.yaml', `site: { id: ${HQ}, name: hq }\nwlans:\n  corp:\n${fields}`)
  if (policy !== '') made.write('fleet/policy.yaml', `policy:\n  lint: ${policy}\n`)
  return made
}

const BREAKS = '    ssid: Corp\n    vlan_enabled: true\n    vlan_id: null\n'

const lintIn = (json: string): Finding[] =>
  JSON.parse(json).findings.filter(({ code }: Finding) => code === 'LINT')

describe('a change that breaks a rule of the linter', () => {
  it('is refused, with the location of the field', async () => {
    const { run, methods } = await declared(BREAKS, '')
    const { code, stdout } = await run('plan fleet --format json')
    expect(code).toBe(4)
    expect(lintIn(stdout)).toContainEqual({
      level: 'error',
      code: 'LINT',
      message: expect.stringContaining('vlan_id is empty (declared)'),
      hint: expect.any(String),
      place: { file: 'hq.yaml', line: 5, column: 19 },
      address: 'hq/corp',
      rule: 'vlan-enabled-without-vlan'
    })
    const applied = await run('apply fleet --yes')
    expect(applied).toMatchObject({ code: 4, stderr: expect.stringContaining('nothing was sent') })
    expect(methods()).not.toContain('PUT')
  })

  it('is listed once with the refusals, with the setting that allows it', async () => {
    const { run } = await declared(BREAKS)
    const { refusals } = JSON.parse((await run('plan fleet --format json')).stdout)
    expect(refusals).toMatchObject([
      { code: 'LINT', hint: expect.stringContaining('`policy.lint.rules`') }
    ])
    const { stdout } = await run('plan fleet')
    expect(stdout).toContain('Refused: 1 lint error.')
    expect(stdout.split('[LINT vlan-enabled-without-vlan]')).toHaveLength(2)
    expect((await run('plan fleet --detailed-exitcode')).code).toBe(4)
  })
})

it('a fleet with lint level off is neither linted nor refused', async () => {
  const { run, methods } = await declared(BREAKS, '{ level: off }')
  for (const command of ['validate', 'plan --verbose', 'drift']) {
    expect((await run(`${command} fleet`)).stdout).not.toMatch(/lint/i)
    expect(lintIn((await run(`${command} fleet --format json`)).stdout)).toEqual([])
  }
  expect((await run('apply fleet --yes')).code).toBe(0)
  expect(methods()).toContain('PUT')
})

describe('drift', () => {
  it('names what apply would refuse to fix as a note to the drift', async () => {
    const { run } = await declared(BREAKS)
    const { code, stdout } = await run('drift fleet')
    expect(code).toBe(2)
    expect(stdout).toMatch(
      /^Drift: 1 of 1 WLAN differs from the declaration \(.*\); .*apply would refuse to fix it: 1 lint error$/m
    )
    expect(stdout).not.toContain('Refused:')
  })
})

describe('an existing finding', () => {
  const calm = '    ssid: Corp\n'
  const changed = `${calm}    dtim: 3\n`

  it('is counted by a plan that changes the site', async () => {
    const { run } = await declared(changed)
    const { code, stdout } = await run('plan fleet')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^Lint: \d existing \(.*guest-traffic-untagged.*\), already live: `--verbose` lists them$/m
    )
    expect(stdout).not.toContain('[LINT')
  })

  it('is counted by drift; a plan that does not change the site does not check it', async () => {
    const { run } = await declared(calm, '{}\n  unmanaged: ignore')
    const drift = await run('drift fleet')
    expect(drift.code).toBe(0)
    expect(drift.stdout).toMatch(/^Lint: \d existing \(.*guest-traffic-untagged.*\), already live/m)
    expect(drift.stdout).not.toContain('[LINT')
    expect((await run('drift fleet --verbose')).stdout).toContain('[LINT guest-traffic-untagged]')
    expect((await run('plan fleet --verbose')).stdout).not.toMatch(/lint/i)
  })
})

describe('validate', () => {
  const related = `${BREAKS}    vlan_pooling: false\n    dynamic_vlan: { enabled: false }\n`
  const rule = 'vlan-enabled-without-vlan'

  it('warns of related values, which may be live like this already', async () => {
    const { run } = await declared(related)
    const { code, stdout } = await run('validate fleet --format json')
    expect(code).toBe(0)
    expect(lintIn(stdout)).toMatchObject([{ level: 'warning', rule, address: 'hq/corp' }])
  })

  it('warns of single values that cannot work', async () => {
    const { run } = await declared(
      '    ssid: Corp\n    schedule: { enabled: true, hours: { mon: 08:00-08:00 } }\n'
    )
    const { code, stdout } = await run('validate fleet --format json')
    expect(code).toBe(0)
    expect(lintIn(stdout)).toMatchObject([{ level: 'warning', rule: 'schedule-unfit' }])
  })

  it('refuses with --base only new errors', async () => {
    const made = await declared(`${related}    dtim: 1\n`)
    const corp = made.read('fleet/hq.yaml')
    repository(made.cwd)
    const validated = async (text: string) => {
      made.write('fleet/hq.yaml', text)
      const { code, stdout } = await made.run('validate fleet --base HEAD --format json', gitEnv)
      const levels = lintIn(stdout).map(({ level }) => level)
      return { code, levels: levels.sort() }
    }
    const kept = { code: 0, levels: ['warning'] }
    expect(await validated(corp)).toEqual(kept)
    expect(await validated(corp.replace('dtim: 1', 'dtim: 2'))).toEqual(kept)
    const twice = corp + corp.slice(corp.indexOf('  corp:')).replaceAll(/corp/gi, 'Lab')
    expect(await validated(twice)).toEqual({ code: 4, levels: ['error', 'warning'] })
    made.write('fleet/hq.yaml', corp.replace('vlan_id: null', 'vlan_id: 30'))
    commit(made.cwd)
    expect(await validated(corp)).toEqual({ code: 4, levels: ['error'] })
  })
})

it('a finding about the value of a secret is in no saved plan and no JSON', async () => {
  const { run, write, read } = await declared(
    '    ssid: Corp\n    auth: { psk: { $env: WLAN_SECRET_K } }\n'
  )
  write('fleet/policy.yaml', 'policy: { lint: { level: info } }\n')
  const weak = { WLAN_SECRET_K: '12345678' }
  expect((await run('plan fleet --out p.json', weak)).stdout).toContain('[LINT weak-key]')
  expect(read('p.json')).not.toContain('weak-key')
  expect((await run('plan fleet --format json', weak)).stdout).not.toContain('weak-key')
})

it('a finding about a secret is one, however many networks use it', async () => {
  const names = ['Corp', 'Laboratory', 'Guest']
  const id = (at: number) => `${at}1111111-0000-4000-8000-000000000001`
  const live = names.map((ssid, at) => ({ id: id(at), ssid, enabled: true, auth: key }))
  const { run, write } = await stage({ sites: [{ id: HQ, name: 'hq', wlans: live }] })
  const networks = names.map(
    (ssid, at) =>
      `  ${ssid}:\n    ssid: ${ssid}\n    auth: { psk: { $env: WLAN_SECRET_${at < 2 ? 'K' : 'L'} } }\n    auth_servers: [{ host: 10.0.0.${at}, secret: { $env: WLAN_SECRET_R } }]\n`
  )
  write('fleet/hq.yaml', `site: { id: ${HQ}, name: hq }\nwlans:\n${networks.join('')}`)
  const secrets = { K: '12345678', L: '87654321', R: 'Rn1-9fKq3vTzL0' }
  const env = Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [`WLAN_SECRET_${name}`, value])
  )
  const { stdout } = await run('plan fleet --verbose', env)
  const about = (name: string) =>
    stdout.split('\n').filter(line => line.includes(`"WLAN_SECRET_${name}"`))
  expect(stdout).not.toContain('easily guessed')
  expect(about('R')).toEqual([
    expect.stringMatching(
      /the shared secret .* of "10\.0\.0\.0" is shorter than 16 characters: .*; 2 more WLANs use this secret/
    )
  ])
  expect(about('K')).toEqual([expect.stringMatching(/the key .*; 1 more WLAN uses this secret/)])
  expect(about('L')).toEqual([expect.not.stringContaining('uses this secret')])
})

it('an unknown rule in the policy is an error with the nearest name', async () => {
  const { run } = await declared('    ssid: Corp\n', '{ rules: { weak-kye: error } }')
  const { code, stderr } = await run('plan fleet')
  expect(code).toBe(3)
  expect(stderr).toMatch(/policy\.yaml:2:20: error: unknown lint rule "weak-kye"/)
  expect(stderr).toContain('did you mean "weak-key"?')
})

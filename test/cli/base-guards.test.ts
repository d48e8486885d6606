import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { commit, gitEnv, repository } from '../support/git.ts'
import { FLEET, type Stage, stage } from '../support/stage.ts'

const POLICY = `policy:
  max_changes: 1
  max_change_percent: 10
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

const removal = () => pullRequest({ 'policy.yaml': POLICY }, { 'policy.yaml': 'groups: {}\n' })

it('a base of a full hash is shown by its first digits', async () => {
  const made = await removal()
  const hash = execFileSync('git', ['rev-parse', 'HEAD~1'], {
    cwd: made.cwd,
    encoding: 'utf8'
  }).trim()
  const { stdout } = await made.run(`plan fleet --base ${hash}`, gitEnv)
  expect(stdout).toContain(`less is enforced than at "${hash.slice(0, 12)}"`)
  expect(stdout).not.toContain(hash)
})

describe('an ignored file', () => {
  const ignoring = (line: string, more: Readonly<Record<string, string>> = {}) =>
    pullRequest({ 'policy.yaml': POLICY }, { '.wlanctlignore': `${line}\n`, ...more })

  test.each(['plan', 'validate', 'drift', 'apply --yes --base HEAD~1'])(
    'with a policy is an error of %s',
    async command => {
      const made = await ignoring('/policy.yaml')
      const { code, stdout, stderr } = await made.run(`${command} fleet`, gitEnv)
      expect(code).toBe(3)
      expect(stdout + stderr).toContain('fleet/policy.yaml:1:1: error')
      expect(stdout + stderr).toContain('POLICY_IGNORED')
      expect(stdout + stderr).toContain('remove the line from `.wlanctlignore`')
      expect(made.methods()).toEqual([])
    }
  )

  test.each<[what: string, file: string, text: string]>([
    ['in an ignored folder', 'old/policy.yaml', 'policy: {}\n'],
    ['indented', 'old/x.yml', '  policy: {}\n'],
    ['in a flow map', 'old/x.yaml', '{ policy: {} }\n'],
    ['with an escape', 'old/x.yaml', '"pol\\u0069cy": {}\n'],
    ['over two lines', 'old/x.yaml', '? "pol\\\n  icy"\n: {}\n']
  ])('with a policy %s is an error, too', async (_, file, text) => {
    const made = await stage()
    made.write('fleet/.wlanctlignore', 'old/\n')
    made.write(`fleet/${file}`, text)
    const { code, stdout, stderr } = await made.run('plan fleet')
    expect(code).toBe(3)
    expect(stdout + stderr).toContain(`fleet/${file}:`)
    expect(stdout + stderr).toContain('POLICY_IGNORED')
  })

  it('that links to a hidden policy is an error, too', async () => {
    const made = await stage()
    made.write('fleet/.wlanctlignore', '/policy.yaml\n')
    made.write('fleet/.hidden/policy.yaml', POLICY)
    symlinkSync('.hidden/policy.yaml', join(made.cwd, 'fleet/policy.yaml'))
    const { code, stdout, stderr } = await made.run('plan fleet')
    expect(code).toBe(3)
    expect(stdout + stderr).toContain('fleet/policy.yaml:1:1: error')
  })

  test.each<[what: string, text: string]>([
    ['a policy further below', 'spec: { policy: {} }\n'],
    ['text about a policy', 'description: our policy\n'],
    ['other YAML', '{{ if .Values.policy }}\npolicy: { a: \n'],
    ['two documents', 'a: 1\n---\nb: "policy"\n']
  ])('with %s is only counted, in every format', async (_, text) => {
    const made = await stage()
    made.write('fleet/.wlanctlignore', 'old/\nmkdocs.yml\n')
    made.write('fleet/old/x.yaml', text)
    made.write('fleet/mkdocs.yml', 'site_name: Docs\n')
    made.write('fleet/old/notes.txt', 'policy: {}\n')
    const reports = ['markdown', 'html', 'json', 'github']
    const options = reports.map(format => `--report ${format}=out.${format}`).join(' ')
    const { code, stdout } = await made.run(`plan fleet --out plan.json ${options}`)
    expect(code).toBe(0)
    expect(stdout).toContain('2 YAML files ignored by .wlanctlignore')
    for (const format of ['markdown', 'github']) {
      expect(made.read(`out.${format}`)).toContain('2 YAML files ignored by .wlanctlignore')
    }
    expect(made.read('out.html')).toContain('2 YAML files ignored by .wlanctlignore')
    expect(JSON.parse(made.read('out.json')).ignored_files).toBe(2)
    expect((await made.run('show plan.json')).stdout).toContain('2 YAML files ignored')
  })

  it('is not mentioned without one', async () => {
    const made = await stage()
    made.write('fleet/.wlanctlignore', 'old/\n')
    const { stdout } = await made.run('plan fleet --report json=out.json')
    expect(stdout).not.toContain('ignored')
    expect(JSON.parse(made.read('out.json'))).not.toHaveProperty('ignored_files')
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

describe('a policy that enforces less than at the base', () => {
  test.each(['--base HEAD~1', '--changed-since HEAD~1'])(
    'is said before the changes, with %s, and refused',
    async option => {
      const made = await removal()
      const more = option.startsWith('--c') ? ' # edited' : ''
      made.write('fleet/hq.yaml', FLEET.replace('vlan_id: 21', `vlan_id: 22${more}`))
      const reports = ['markdown', 'html', 'json', 'github']
      const options = reports.map(format => `--report ${format}=out.${format}`).join(' ')
      const line = `plan fleet ${option} --out plan.json ${options}`
      const { code, stdout } = await made.run(line, gitEnv)
      expect(code).toBe(0)
      expect(stdout.startsWith('Weaker than the base (4)\n')).toBe(true)
      expect(stdout).toContain(
        'HEAD~1:fleet/policy.yaml:2:16: warning: less is enforced than at "HEAD~1": `policy.max_changes` 1 → no limit'
      )
      expect(stdout).toContain('the rule "no-vlan-66" removed')
      expect(stdout).toContain('the freeze "trade" ')
      expect(stdout).toContain('--allow-downgrade policy')
      expect(stdout).toMatch(/Refused: weaker policy\. Plan: 2 WLANs to change[^\n]*\n$/)
      for (const [format, change] of [
        ['markdown', '| What | Where |'],
        ['github', 'hq/corp'],
        ['html', 'id="sites"']
      ] as const) {
        const text = made.read(`out.${format}`)
        const first = text.indexOf('the rule')
        expect(first).toBeGreaterThan(0)
        expect(text.indexOf(change, first)).toBeGreaterThan(first)
        expect(text.slice(0, first)).not.toContain(change)
      }
      const { findings, refusals } = JSON.parse(made.read('out.json'))
      const codes = findings.map((found: { code: string }) => found.code)
      expect(codes.slice(0, 4)).toEqual(Array(4).fill('POLICY_WEAKENED'))
      expect(refusals[0]).toMatchObject({ code: 'POLICY_WEAKENED_REFUSED', level: 'error' })
      const shown = (await made.run('show plan.json')).stdout
      expect(shown).toContain('Refused: weaker policy')
      expect(shown).not.toContain('PLAN_CLAIMS')
    }
  )

  it('is exit 4 of plan with --detailed-exitcode', async () => {
    const made = await removal()
    const line = 'plan fleet --base HEAD~1 --detailed-exitcode'
    expect((await made.run(line, gitEnv)).code).toBe(4)
  })

  test.each(['', '--allow-downgrade hq/*', '--allow-downgrade hq/* --allow-downgrade lab/*'])(
    'is not applied with %j, even without changes',
    async consent => {
      const made = await removal()
      const { code, stderr } = await made.run(
        `apply fleet --yes --base HEAD~1 ${consent}`.trim(),
        gitEnv
      )
      expect(code).toBe(4)
      expect(stderr).toContain('refused: the files weaken 4 guards of the base')
      expect(stderr).toContain('--allow-downgrade policy')
      expect(made.methods()).not.toContain('PUT')
      made.write('fleet/hq.yaml', FLEET.replace(/\nwlans:[\s\S]*/, '\n'))
      const none = await made.run('apply fleet --yes --base HEAD~1', gitEnv)
      expect(none.code).toBe(4)
    }
  )

  test.each([
    '--allow-downgrade',
    '--allow-downgrade policy',
    '--allow-downgrade policy --allow-downgrade x'
  ])('is applied with %s', async consent => {
    const made = await removal()
    const { code, stderr } = await made.run(`apply fleet --yes --base HEAD~1 ${consent}`, gitEnv)
    expect(code).toBe(0)
    expect(stderr).toContain('Weaker than the base (4)')
    expect(made.methods().filter(method => method === 'PUT')).toHaveLength(2)
  })

  it('allows no WLAN to become less secure', async () => {
    const made = await pullRequest({}, { 'policy.yaml': 'policy: { max_change_percent: 90 }\n' })
    made.write('fleet/hq.yaml', FLEET.replace('enabled: false', 'auth: { type: open }'))
    const line = 'apply fleet --yes --base HEAD~1 --allow-downgrade policy'
    const { code, stderr } = await made.run(line, gitEnv)
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('weakens the security of hq/corp')
    })
  })

  it('needs no consent without a base', async () => {
    const made = await removal()
    const { code, stdout } = await made.run('apply fleet --yes', gitEnv)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('Weaker') })
  })

  it('is in a merged plan once', async () => {
    const made = await removal()
    for (const n of [1, 2]) {
      await made.run(`plan fleet --base HEAD~1 --shard ${n}/2 --out ${n}.json`, gitEnv)
    }
    await made.run('show 1.json 2.json --out all.json')
    const { findings, refusals } = JSON.parse(made.read('all.json'))
    const codes = findings.map(({ code }: { code: string }) => code)
    expect(codes.filter((code: string) => code === 'POLICY_WEAKENED')).toHaveLength(4)
    expect(refusals.map(({ code }: { code: string }) => code)).toEqual(['POLICY_WEAKENED_REFUSED'])
  })
})

describe('a site file', () => {
  const site = (keys: string) => FLEET.replace('name: hq }', `name: hq, ${keys} }`)

  it.each<[what: string, policy: string, was: string, is: string, now: string]>([
    [
      'timezone',
      'policy: { windows: [{ name: nights, from: "02:00", until: "03:00", impact: [reconnect, outage] }] }\n',
      'vars: { timezone: Europe/Berlin }',
      'vars: { timezone: Pacific/Kiritimati }',
      '"hq" Europe/Berlin → Pacific/Kiritimati'
    ]
  ])('cannot move a limit of the policy by its %s', async (_, policy, was, is, what) => {
    const made = await pullRequest(
      { 'policy.yaml': policy, 'hq.yaml': site(was) },
      { 'hq.yaml': site(is) }
    )
    const plan = await made.run('plan fleet --base HEAD~1 --detailed-exitcode', gitEnv)
    expect(plan.code).toBe(4)
    expect(plan.stdout).toContain(what)
    const { code, stderr } = await made.run('apply fleet --yes --base HEAD~1', gitEnv)
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('the files weaken 1 guard of the base')
    })
    expect(made.methods()).not.toContain('PUT')
  })
})

import { describe, expect, it } from 'vitest'
import { CORP, HQ } from '../simulator/simulate.ts'
import { gitEnv, repository } from '../support/git.ts'
import { type Stage, stage } from '../support/stage.ts'

/** A second network of the fleet, and the policy under which the applies of the records ran. */
const WIDE = 'policy: { max_change_percent: 100, allow_downgrade: true }\n'

/** Three recorded applies: of two changes, of one that weakens security, and of a VLAN. */
async function recorded(): Promise<Stage> {
  const made = await stage()
  made.write('fleet/policy.yaml', WIDE)
  made.write('records/.keep', '')
  const apply = async (name: string, fleet: string) => {
    made.write('fleet/hq.yaml', fleet)
    const line = `apply fleet --yes --quiet --record records/${name}.jsonl`
    expect(await made.run(line)).toMatchObject({ code: 0 })
  }
  const of = (corp: string, guest: string) =>
    `site: { id: ${HQ}, name: hq }\nwlans:\n  corp: { ssid: Corp, ${corp} }\n  guest: { ssid: Guest, ${guest} }\n`
  await apply('a', of('vlan_id: 21', 'dtim: 13'))
  await apply('b', of('auth: { type: open }', 'dtim: 13'))
  await apply('c', of('vlan_id: 22', 'dtim: 13'))
  made.write('fleet/hq.yaml', of('vlan_id: 22', 'dtim: 13'))
  repository(made.cwd)
  return made
}

async function replayed(made: Stage, policy: string, options = '') {
  made.write('fleet/policy.yaml', `policy: { ${policy} }\n`)
  const line = `validate fleet --base HEAD --replay records --format json ${options}`
  const { code, stdout, stderr } = await made.run(line.trim(), gitEnv)
  expect(stderr).toBe('')
  const { replay, findings } = JSON.parse(stdout)
  const alone = await made.run('validate fleet --base HEAD', gitEnv)
  expect(code).toBe(alone.code)
  return { replay, findings }
}

describe('validate --replay', () => {
  const rule = (require: string, more = '') =>
    `allow_downgrade: true, lint: { level: off }, rules: [{ name: r, message: broken, ${more} require: { properties: { ${require} } } }]`

  it.each<[what: string, policy: string, refused: readonly string[][], deferred: number]>([
    ['the policy of that time', 'allow_downgrade: true, lint: { level: off }', [], 0],
    [
      'a limit',
      'max_changes: 1, allow_downgrade: true, lint: { level: off }',
      [['policy.max_changes allows 1']],
      0
    ],
    [
      'downgrades',
      'lint: { level: off }',
      [['the plan weakens the security of hq/corp (/auth/type)']],
      0
    ],
    ['a rule about a sent field', rule('vlan_id: { maximum: 21 }'), [['r: broken']], 0],
    ['a rule that both sides break', rule('vlan_id: { maximum: 9 }'), [], 0],
    [
      'a rule by SSID',
      rule('dtim: { maximum: 2 }', 'when: { properties: { ssid: { const: Guest } } },'),
      [['r: broken']],
      0
    ],
    [
      'a rule about another SSID',
      rule('dtim: { maximum: 2 }', 'when: { properties: { ssid: { const: X } } },'),
      [],
      0
    ],
    ['a rule about a field that was not sent', rule('hide_ssid: { const: true }'), [], 0],
    [
      'an alternative by a field that was not sent',
      'allow_downgrade: true, lint: { level: off }, rules: [{ name: r, message: broken, require: { anyOf: [{ properties: { vlan_id: { maximum: 21 } } }, { required: [portal] }] } }]',
      [],
      0
    ],
    [
      'a warning',
      `${rule('vlan_id: { maximum: 21 }').replace('broken,', 'broken, level: warning,')}`,
      [],
      0
    ],
    [
      'a freeze then',
      'allow_downgrade: true, lint: { level: off }, timezone: UTC, freezes: [{ from: 2020-01-01T00:00, until: 2099-01-01T00:00, reason: x }]',
      [],
      3
    ],
    [
      'a freeze at another time',
      'allow_downgrade: true, lint: { level: off }, timezone: UTC, freezes: [{ from: 2090-01-01T00:00, until: 2099-01-01T00:00, reason: x }]',
      [],
      0
    ],
    [
      'a rule of the linter',
      'allow_downgrade: true, lint: { rules: { dtim-unfit: error } }',
      [[expect.stringContaining('dtim-unfit: sleeping clients wait long') as string]],
      0
    ],
    [
      'a rule of the linter about a field that was not sent',
      'allow_downgrade: true, lint: { rules: { vlan-not-enabled: error } }',
      [],
      0
    ]
  ])('judges by %s', async (_, policy, refused, deferred) => {
    const made = await recorded()
    const { replay, findings } = await replayed(made, policy)
    expect(replay.summary).toEqual({ applies: 3, refused: refused.length, deferred })
    const runs: { refused: string[] }[] = replay.runs
    expect(runs.map(run => run.refused).filter(reasons => reasons.length > 0)).toEqual(refused)
    const codes = findings.map((found: { code: string }) => found.code)
    expect(codes.filter((each: string) => each.startsWith('REPLAY'))).toHaveLength(runs.length)
  })

  it('says in one line how many, also of the live networks of a state', async () => {
    const made = await recorded()
    await made.run('snapshot fleet --out s.json')
    made.write(
      'fleet/policy.yaml',
      `policy: { ${rule('vlan_id: { maximum: 21 }', 'over: all,')} }\n`
    )
    const line = 'validate fleet --replay records'
    const plain = await made.run(line)
    expect(plain).toMatchObject({ code: 4 })
    expect(plain.stdout).toContain(
      'Replay: 1 of 3 applies refused, 0 deferred; the live networks are not known: --against STATE counts those that break it today\n'
    )
    expect(plain.stdout).toContain('Not judged: policy.max_change_percent, as a record')
    const { stdout } = await made.run(`${line} --against s.json`)
    expect(stdout).toContain(
      'Replay: 1 of 3 applies refused, 0 deferred; 1 live network breaks it today\n'
    )
  })

  it('counts a network once, and none that keeps the policy', async () => {
    const made = await recorded()
    await made.run('snapshot fleet --into estate')
    const broken = async (policy: string) =>
      (await replayed(made, policy, '--against estate')).replay.summary.broken
    expect(await broken('lint: { level: off }')).toBe(0)
    expect(await broken(rule('enabled: { const: false }, dtim: { maximum: 2 }'))).toBe(2)
    made.simulator.edit(HQ, CORP, { enabled: false })
    await made.run('snapshot fleet --into estate')
    expect(await broken(rule('enabled: { const: false }'))).toBe(1)
  })

  it('says which records it cannot read, and judges the others', async () => {
    const made = await recorded()
    made.write('records/d.jsonl', made.read('records/a.jsonl').replaceAll('record/1', 'record/0'))
    const { replay } = await replayed(made, 'allow_downgrade: true, lint: { level: off }')
    expect(replay.summary.applies).toBe(3)
    expect(replay.not_judged).toContainEqual(expect.stringMatching(/^records\/d\.jsonl: line 1: /))
  })

  it.each([
    ['--replay nowhere', 'nowhere cannot be read: it does not exist'],
    ['--replay fleet', 'fleet has no record'],
    ['--against estate', 'expected --against with --replay'],
    ['--replay records --against nowhere', 'nowhere cannot be read: it does not exist']
  ])('refuses %s', async (options, problem) => {
    const made = await recorded()
    const { code, stderr } = await made.run(`validate fleet ${options}`)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(problem) })
  })
})

import { describe, expect, it } from 'vitest'
import { validatePlan } from '#forms'
import type { Finding } from '../../src/core/model/finding.ts'
import { isInShard } from '../../src/core/model/shard.ts'
import { type Stage, stage } from '../support/stage.ts'

const SITES = [1, 2, 3, 4].map(n => `10000000-0000-4000-8000-00000000000${n}`)
const RULE = 'same-ssid-other-security'
const SHARDS = [1, 2]

const psk = { type: 'psk', psk: 'blue-Horse-7-staple', pairwise: ['wpa2-ccmp'] }

/** The site whose WLAN differs; it is the only one in its shard. */
const LAST = SITES.length - 1

/** The shard of the last site. */
const ofLast = SHARDS.find(number => isInShard(SITES[LAST] ?? '', { number, of: 2 }))

/** A fleet with the same network at all sites; `last` is added to the file of the last site. */
async function fleet(last: object, policy: object = { [RULE]: 'error' }): Promise<Stage> {
  const made = await stage({
    sites: SITES.map((id, at) => ({
      id,
      name: `s${at}`,
      wlans: [
        { id: id.replace('10000000', '20000000'), ssid: 'Corp', enabled: true, dtim: 1, auth: psk }
      ]
    }))
  })
  made.write('fleet/hq.yaml', '')
  for (const [at, id] of SITES.entries()) {
    const wlan = { ssid: 'Corp', ...(at === LAST && last) }
    const site = { site: { id, name: `s${at}` }, wlans: { corp: wlan } }
    made.write(`fleet/${at}.yaml`, JSON.stringify(site, null, 1))
  }
  const others = { 'open-goes-on-the-air': 'off', 'guest-traffic-untagged': 'off' }
  const lint = { rules: { ...others, ...policy } }
  made.write('fleet/policy.yaml', JSON.stringify({ policy: { lint, max_change_percent: 100 } }))
  return made
}

const open = { auth: { type: 'open', owe: 'disabled' } }

/** Saves the plan of each shard; returns the files and the exit codes. */
async function inShards({ run }: Stage) {
  const files = SHARDS.map(number => `${number}.json`)
  const codes = []
  for (const [at, file] of files.entries()) {
    codes.push((await run(`plan fleet --out ${file} --shard ${at + 1}/2`)).code)
  }
  return { files: files.join(' '), codes }
}

const relationsIn = (json: string): Finding[] =>
  JSON.parse(json).findings.filter(({ rule }: Finding) => rule === RULE)

describe('an SSID that is open at one site and secured at the others, against the policy', () => {
  it('is refused in merged shards as in one run, with the location of the change', async () => {
    const made = await fleet(open)
    const one = await made.run('plan fleet --format json')
    const { files, codes } = await inShards(made)
    const merged = await made.run(`show ${files} --format json`)
    expect({ one: one.code, codes, merged: merged.code }).toEqual({
      one: 4,
      codes: [0, 0],
      merged: 4
    })
    expect(relationsIn(merged.stdout)).toEqual(relationsIn(one.stdout))
    expect(relationsIn(merged.stdout)).toMatchObject([
      { level: 'error', address: `s${LAST}/corp`, place: { file: `${LAST}.yaml`, line: 10 } }
    ])
    expect(JSON.parse(merged.stdout)).not.toHaveProperty('relations')
    expect(JSON.parse(one.stdout)).not.toHaveProperty('relations')
  })

  it('is not checked by a shard, with a note', async () => {
    const made = await fleet(open)
    await inShards(made)
    const shard = await made.run(`show ${ofLast}.json`)
    expect(shard.stdout).toContain(
      `Shard ${ofLast}/2 of the fleet; wlanctl show of all shards checks`
    )
    expect(shard.stdout).toContain(`${RULE} (level error) compares WLANs of all sites`)
    expect(shard.stdout).not.toContain('PLAN_CLAIMS')
    const saved = JSON.parse(made.read(`${ofLast}.json`))
    expect(validatePlan(saved)).toBe(true)
    expect(saved.refusals).toMatchObject([
      { code: 'DOWNGRADE_REFUSED' },
      { code: 'RELATIONS_NOT_CHECKED', level: 'warning' }
    ])
  })

  it.each([
    ['without a plan', '', /compares WLANs of all sites, and shard \d\/2 covers a part/],
    ['with the plan of the shard', `--plan ${ofLast}.json`, /compares WLANs of all sites/],
    ['with the merged plan', '--plan merged.json', /"Corp" is open/]
  ])('is not applied by a shard %s', async (_, approval, problem) => {
    const made = await fleet(open)
    const { files } = await inShards(made)
    await made.run(`show ${files} --out merged.json`)
    const line = `apply fleet --yes --shard ${ofLast}/2 ${approval}`
    const { code, stderr } = await made.run(line.trim())
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringMatching(problem) })
    expect(stderr).toContain('nothing was sent')
    expect(made.methods()).not.toContain('PUT')
  })

  it('is a warning where the policy says so: shards apply it', async () => {
    const made = await fleet(open, {})
    const { files } = await inShards(made)
    const merged = await made.run(`show ${files} --format json`)
    expect(relationsIn(merged.stdout)).toMatchObject([{ level: 'warning' }])
    expect((await made.run(`apply fleet --yes --allow-downgrade --shard ${ofLast}/2`)).code).toBe(0)
  })

  it('is not reported with lint off', async () => {
    const made = await fleet(open)
    made.write('fleet/policy.yaml', 'policy: { lint: { level: off } }')
    const { files } = await inShards(made)
    expect(JSON.parse(made.read('1.json'))).not.toHaveProperty('relations')
    expect((await made.run(`show ${files} --format json`)).code).toBe(0)
    const shown = await made.run('show 1.json')
    expect(shown.stdout).toContain('Shard 1/2 of the fleet\n')
  })

  it('is reported by merged reports of drift', async () => {
    const made = await fleet(open)
    const files = SHARDS.map(number => `${number}.json`).join(' ')
    const one = await made.run('drift fleet --format json')
    for (const number of SHARDS) {
      await made.run(`drift fleet --quiet --shard ${number}/2 --report json=${number}.json`)
    }
    const merged = await made.run(`show ${files} --format json`)
    expect(relationsIn(merged.stdout)).toEqual(relationsIn(one.stdout))
    expect(relationsIn(one.stdout)).toHaveLength(1)
    expect(merged.code).toBe(one.code)
  })
})

it('a change that the rule allows is applied by a shard with the merged plan', async () => {
  const made = await fleet({ dtim: 2 })
  const { files } = await inShards(made)
  expect((await made.run(`show ${files} --out merged.json`)).code).toBe(0)
  const line = `apply fleet --yes --shard ${ofLast}/2`
  expect((await made.run(line)).code).toBe(4)
  expect((await made.run(`${line} --plan merged.json`)).code).toBe(0)
  expect(made.methods()).toContain('PUT')
})

it('the relations of shards do not depend on the values of secrets, live or declared', async () => {
  const relationsWith = async (live: string, value: string) => {
    const made = await fleet({ auth: { type: 'psk', psk: { $env: 'WLAN_SECRET_KEY' } } })
    for (const id of SITES) {
      made.simulator.edit(id, id.replace('10000000', '20000000'), { auth: { ...psk, psk: live } })
    }
    const env = { WLAN_SECRET_KEY: value }
    for (const number of SHARDS) {
      await made.run(`plan fleet --shard ${number}/2 --out ${number}.json`, env)
    }
    return SHARDS.map(number => JSON.parse(made.read(`${number}.json`)).relations)
  }
  const relations = await relationsWith('blue-Horse-7-staple', 'blue-Horse-7-staple')
  expect(relations).toEqual(await relationsWith('red-Fox-8-paperclip', 'green-Owl-9-clip'))
  const references = relations.flatMap(({ wlans }) =>
    wlans.map(({ key_reference }: { key_reference?: string }) => key_reference)
  )
  expect(references).toContain('$env WLAN_SECRET_KEY')
  expect(JSON.stringify(relations)).not.toMatch(/horse|fox|owl/i)
})

it.each([
  ['--site s3', '--site'],
  ['--exclude-site s0 --site s*', '--site, --exclude-site']
])('a partial run reports that the rule compares all sites: %s', async (options, named) => {
  const { run } = await fleet(open)
  for (const command of ['plan', 'validate', 'drift']) {
    const { stdout } = await run(`${command} fleet ${options}`)
    expect(stdout).toContain(`WLANs of all sites, and this run leaves some out: ${named}`)
  }
  expect((await run('plan fleet')).stdout).not.toContain('leaves some out')
  const calm = await fleet(open, {})
  expect((await calm.run(`plan fleet ${options}`)).stdout).not.toContain('leaves some out')
})

it('merged shards of some sites report it once', async () => {
  const { run, write } = await fleet(open)
  const one = await run('plan fleet --exclude-site s0 --format json')
  for (const number of SHARDS) {
    const { stdout } = await run(`plan fleet --exclude-site s0 --shard ${number}/2 --format json`)
    write(`${number}.json`, stdout)
  }
  const merged = await run('show 1.json 2.json --format json')
  const findings = (text: string) => JSON.parse(text).findings
  expect(findings(merged.stdout)).toEqual(findings(one.stdout))
  expect(findings(one.stdout)).toMatchObject([
    { code: 'RELATIONS_NOT_CHECKED' },
    { code: 'FILE_EMPTY' },
    { code: 'DOWNGRADE' },
    { code: 'LINT' }
  ])
})

it('shards with different lint policies cannot be merged', async () => {
  const made = await fleet(open)
  await made.run('plan fleet --shard 1/2 --out 1.json')
  made.write('fleet/policy.yaml', 'policy: { max_change_percent: 100 }')
  await made.run('plan fleet --shard 2/2 --out 2.json')
  const { code, stderr } = await made.run('show 1.json 2.json')
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('lint policy') })
})

it.each([
  ['a position beyond the sites', { sites: '7' }],
  ['positions that go back', { sites: '0-1,1' }],
  ['fewer WLANs than sites', { count: 0 }]
])('relations with %s are rejected', async (_, change) => {
  const made = await fleet(open)
  const { files } = await inShards(made)
  const plan = JSON.parse(made.read('1.json'))
  const [first, ...others] = plan.relations.wlans
  plan.relations.wlans = [{ ...first, ...change }, ...others]
  made.write('1.json', JSON.stringify(plan))
  const { code, stderr } = await made.run(`show ${files}`)
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining('1.json: invalid sites in /relations')
  })
})

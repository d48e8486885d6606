import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { validateOutcomes, validatePlan, validateSnapshot } from '#forms'
import type { Finding } from '../../src/core/model/finding.ts'
import type { Plan } from '../../src/core/model/plan.ts'
import { type Stage, stage } from '../support/stage.ts'
import { variedFiles, variedSites } from '../support/varied-sites.ts'

const SITES = 24
const SHARDS = [1, 2, 3]

/** A stage with many sites, of which the service does not know the last, and their fleet. */
async function many(rollout = false, options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const made = await stage({ sites: variedSites(SITES - 1), ...options })
  made.write('fleet/hq.yaml', '')
  for (const [file, text] of Object.entries(variedFiles(SITES, rollout))) {
    made.write(`fleet/${file}`, text)
  }
  return made
}

/** Runs a command for each shard; returns the output files. */
async function inShards({ run }: Stage, line: (file: string) => string): Promise<string[]> {
  const files = SHARDS.map(number => `${number}.json`)
  for (const [at, file] of files.entries()) await run(`${line(file)} --shard ${at + 1}/3`)
  return files
}

/** A text without its time, the only difference between two equal runs. */
function timeless(text: string): string {
  const changed = text.replace(/"created": "[^"]+"/, '"created": "once"')
  expect(changed).not.toBe(text)
  return changed
}

describe('three merged shards equal one run', () => {
  it.each([
    ['plan in waves', 'plan fleet --wlan guest --wlan c* --wlan extra --site store-*', 'rollout'],
    ['drift', 'drift fleet', '']
  ])('as %s', async (_, line, rollout) => {
    const made = await many(rollout !== '')
    const { run, read } = made
    const one = await run(`${line} --report json=whole.json --quiet`)
    const files = await inShards(made, file => `${line} --report json=${file} --quiet`)
    expect(JSON.parse(read('3.json')).shard).toBe('3/3')
    const merged = await run(`show ${files.join(' ')} --out merged.json --quiet`)
    expect(merged.code).toBe(one.code === 2 ? 5 : one.code)
    const plan = JSON.parse(read('merged.json'))
    expect(validatePlan(plan)).toBe(true)
    const whole = JSON.parse(read('whole.json'))
    expect({ ...plan, findings: [], refusals: [] }).toEqual({
      ...whole,
      created: plan.created,
      findings: [],
      refusals: []
    })
    const said = ({ findings }: Plan) =>
      new Set(findings.map(({ code, place }) => JSON.stringify([code, place])))
    expect(said(plan)).toEqual(said(whole))
    const again = await run('show merged.json --quiet')
    expect(again.stdout).toBe(merged.stdout)
    expect(merged.stdout).not.toContain('PLAN_CLAIMS')
    const codes = new Set(plan.findings.map(({ code }: { code: string }) => code))
    expect(codes).toContain('SITE_NOT_READ')
    expect(codes.size).toBeGreaterThan(6)
    expect(Object.values(plan.summary).every(count => Number(count) > 0)).toBe(true)
  })

  it('as a snapshot', async () => {
    const made = await many()
    const { run, read } = made
    await run('snapshot fleet --out whole.json')
    const files = await inShards(made, file => `snapshot fleet --out ${file}`)
    const merged = await run(`show ${files.join(' ')} --out merged.json`)
    expect(merged).toMatchObject({ code: 5, stdout: expect.stringContaining('Snapshot: ') })
    expect(timeless(read('merged.json'))).toBe(timeless(read('whole.json')))
    expect(validateSnapshot(JSON.parse(read('merged.json')))).toBe(true)
    const planned = await run('plan fleet --against merged.json --format json')
    expect(JSON.parse(planned.stdout).summary).toMatchObject({ sites: SITES, sites_failed: 1 })
  })

  it('as outcomes of apply', async () => {
    const line = 'apply fleet --yes --wlan corp --max-changes all'
    const env = { WLAN_SECRET_UNSET: 'a-psk-that-is-set' }
    const files = {
      policy: 'policy: { unmanaged: ignore, unknown_values: warn }\n',
      fail: 'no such file'
    }
    const [one, other] = [await many(), await many()]
    for (const { write } of [one, other]) {
      write('fleet/policy.yaml', `profiles: { guest: { ssid: Guest } }\n${files.policy}`)
    }
    const whole = await one.run(`${line} --format json`, env)
    for (const number of SHARDS) {
      const shard = `--shard ${number}/3 --report json=${number}.json --quiet`
      await other.run(`${line} ${shard}`, env)
    }
    const names = SHARDS.map(number => `${number}.json`).join(' ')
    const merged = await other.run(`show ${names} --format json`)
    const { findings, created, base_url, ...rest } = JSON.parse(merged.stdout)
    expect({ code: merged.code, ...rest }).toEqual({
      code: whole.code,
      ...JSON.parse(whole.stdout),
      findings: undefined,
      created: undefined,
      base_url: undefined
    })
    const codesOf = (found: readonly Finding[]) => new Set(found.map(({ code }) => code))
    expect(codesOf(findings)).toEqual(codesOf(JSON.parse(whole.stdout).findings))
    expect(validateOutcomes(JSON.parse(merged.stdout))).toBe(true)
    expect(validateOutcomes(JSON.parse(other.read('1.json')))).toBe(true)
    const text = await other.run(`show ${names}`)
    expect(text.stdout).toMatch(/Apply: 8 applied.*; not planned: 1 site not read\n$/)
    const markdown = await other.run(`show ${names} --format markdown`)
    expect(markdown.stdout).toMatch(/^<!-- wlanctl:apply:/)
  })
})

describe('merged reports of drift', () => {
  /** Two shards of a fleet with one drifted site. */
  async function shards() {
    const made = await stage()
    const codes = []
    for (const number of [1, 2]) {
      const line = `drift fleet --shard ${number}/2 --report json=${number}.json`
      codes.push((await made.run(line)).code)
    }
    expect(codes.sort()).toEqual([0, 2])
    return made
  }

  it('report drift in every format, and exit with the code of drift', async () => {
    const { run, read } = await shards()
    const reports = ['markdown', 'html'].map(format => `--report ${format}=whole.${format}`)
    const merged = await run(`show 1.json 2.json --out whole.json ${reports.join(' ')}`)
    const one = await run('drift fleet --report markdown=one.markdown --quiet')
    expect([merged.code, one.code]).toEqual([2, 2])
    expect(merged.stdout).toContain('Drift')
    expect(merged.stdout).not.toContain('Plan')
    const heading = (file: string) => /^### .*$/m.exec(read(file))?.[0]
    expect(heading('whole.markdown')).toBe(heading('one.markdown'))
    const shown = await run('show whole.json --quiet')
    expect(shown.stdout).toContain('Drift')
  })

  it('cannot be merged with plans', async () => {
    const { run } = await shards()
    await run('plan fleet --shard 2/2 --out plan.json')
    const { code, stderr } = await run('show 1.json plan.json')
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('command')
    })
  })
})

describe('a merged plan', () => {
  it('approves the changes that it lists', async () => {
    const made = await many()
    made.write(
      'fleet/policy.yaml',
      'profiles: { guest: { ssid: Guest } }\npolicy: { unknown_values: warn }\n'
    )
    const env = { WLAN_SECRET_UNSET: 'a-psk-that-is-set' }
    const files = await inShards(made, file => `plan fleet --wlan corp --out ${file}`)
    await made.run(`show ${files.join(' ')} --out plan.json`)
    expect(statSync(join(made.cwd, 'plan.json')).mode & 0o777).toBe(0o600)
    const shown = await made.run('show plan.json')
    expect(shown.stdout).toBe((await made.run(`show ${files.join(' ')}`)).stdout)
    const { digest, changes } = JSON.parse(made.read('plan.json'))
    const line = `apply fleet --yes --wlan corp --plan plan.json --expect ${digest} --max-changes all`
    const { stdout } = await made.run(`${line} --format json`, env)
    expect(JSON.parse(stdout).summary).toMatchObject({ applied: changes.length, skipped: 0 })
  })

  it('is reported in every format', async () => {
    const { run } = await many()
    await run('plan fleet --shard 1/2 --out 1.json')
    await run('plan fleet --shard 2/2 --out 2.json')
    for (const [format, pattern] of [
      ['text', /Plan: \d+ WLANs to change/],
      ['markdown', /^<!-- wlanctl:plan:/],
      ['json', /^\{\n {2}"format": "wlanctl-plan\/1"/],
      ['github', /::group::/]
    ] as const) {
      const { code, stdout } = await run(`show 1.json 2.json --format ${format}`)
      expect({ code, stdout }).toEqual({ code: 4, stdout: expect.stringMatching(pattern) })
    }
  })
})

it('files that cannot be merged exit 3 without an output file', async () => {
  const { run, write, read } = await stage()
  for (const number of [1, 2, 3]) await run(`plan fleet --shard ${number}/3 --out ${number}.json`)
  await run('plan fleet --out whole.json')
  await run('snapshot fleet --out snapshot.json')
  write('copy.json', read('1.json'))
  write('odd.yaml', '- odd\n')
  const whole = JSON.parse(read('whole.json'))
  write('edited.json', JSON.stringify({ ...whole, shard: '3/3', changes: [] }))
  await run('apply fleet --yes --report json=outcomes.json')
  write('others.json', read('outcomes.json'))
  for (const [files, said] of [
    ['1.json 2.json', /1 shard of 3 is missing: 3\/3/],
    ['1.json', /2 shards of 3 are missing: 2\/3, 3\/3/],
    ['1.json 2.json 3.json 1.json', /1\.json is given more than once/],
    ['1.json 2.json 3.json copy.json', /the shard 1\/3 is in 1\.json and in copy\.json/],
    ['1.json 2.json 3.json whole.json', /whole\.json is not a shard/],
    ['1.json snapshot.json', /1\.json is a saved plan, and snapshot\.json is a snapshot/],
    ['1.json 2.json edited.json', /edited\.json: the digest does not match/],
    ['1.json nowhere.json', /nowhere\.json cannot be read: it does not exist$/m],
    ['odd.yaml', /odd\.yaml: invalid JSON/],
    ['outcomes.json others.json', /outcomes\.json is not a shard: it covers the whole fleet/]
  ] as const) {
    const { code, stdout, stderr } = await run(`show ${files} --out merged.json`)
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(said)
    })
    expect(() => read('merged.json')).toThrow()
  }
})

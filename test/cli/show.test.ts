import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { validateOutcomes } from '#forms'
import type { Finding } from '../../src/core/model/finding.ts'
import { UNKNOWN_ID } from '../support/ids.ts'
import { manySites } from '../support/many.ts'
import { pageText } from '../support/page-text.ts'
import { FLEET, type Stage, stage } from '../support/stage.ts'

/** Members that are not derived from the operations. */
const AS_THE_FILE_SAYS =
  'wlanctl: plan.json: names, places, causes of effects, elements of lists, findings and the number of unchanged WLANs come from the file unverified; places are relative to the fleet\n'

describe('a saved plan', () => {
  it('is printed in any format, without the service or a secret', async () => {
    const { run, methods } = await stage()
    const seen = await run('plan fleet --out plan.json')
    // A saved plan does not contain a working directory.
    const planned = { ...seen, stdout: seen.stdout.replaceAll('fleet/hq.yaml', 'hq.yaml') }
    const alone = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }
    expect(await run('show plan.json', alone)).toEqual({ ...planned, stderr: AS_THE_FILE_SAYS })
    expect(await run('show plan.json --quiet', alone)).toEqual(planned)
    const shown = await run('show plan.json --format json --report text=plan.txt', alone)
    expect(JSON.parse(shown.stdout)).toMatchObject({ summary: { changed: 2 } })
    expect(methods()).toEqual(['GET'])
  })
})

describe('a snapshot', () => {
  it('is printed in any format, without the service', async () => {
    const { run } = await stage()
    await run('snapshot fleet --out s.json')
    const alone = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }
    expect(await run('show s.json --report html=s.html', alone)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Snapshot: \d WLANs on 1 site, without secrets; 1 request\n$/),
      stderr: 'wlanctl: s.json: sites and WLANs come from the file unverified\n'
    })
    const { stdout } = await run('show s.json --format json --quiet', alone)
    expect(JSON.parse(stdout).summary).toMatchObject({ sites: 1, sites_failed: 0 })
  })

  it('may be a folder', async () => {
    const { run } = await stage()
    await run('snapshot fleet --into estate')
    expect(await run('show estate')).toMatchObject({
      code: 0,
      stdout: 'Snapshot: 2 WLANs on 1 site, without secrets; 0 requests\n'
    })
  })
})

describe('outcomes', () => {
  it('are printed as apply printed them, but by key, for a whole fleet or a shard', async () => {
    for (const part of ['', ' --shard 1/1']) {
      const { run } = await stage()
      const applied = await run(`apply fleet --yes --report json=o.json${part}`)
      const alone = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }
      const { code, stdout, stderr } = await run('show o.json', alone)
      expect(stderr).toBe('wlanctl: o.json: outcomes and findings come from the file unverified\n')
      expect(code).toBe(0)
      const printed = (...names: readonly string[]) =>
        `${names.map(each => `applied  ${each} at hq\n`).join('')}\nApply: 2 applied\n`
      expect(applied.stdout).toBe(printed('Corp', 'Guest'))
      expect(stdout).toBe(printed('corp', 'guest'))
    }
  })
})

describe('records', () => {
  it('are added up in every format, and a run counts once', async () => {
    const { run, read, write } = await stage()
    await run('apply fleet --yes --record a.jsonl --wlan corp')
    write('fleet/hq.yaml', FLEET.replace('vlan_id: 21', 'vlan_id: 22'))
    await run('apply fleet --yes --record b.jsonl')
    const { code, stdout } = await run('show b.jsonl a.jsonl --report html=r.html')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /Apply: 1 applied\n[\s\S]*Apply: 2 applied\n[\s\S]*\n\n2 runs: 3 applied\n$/
    )
    const page = pageText(read('r.html'))
    for (const run of ['Apply: 2 applied', 'Apply: 1 applied']) expect(page).toContain(`\n${run}\n`)
    const { stdout: markdown } = await run('show a.jsonl b.jsonl --format markdown')
    expect(markdown).toMatch(
      /### 🟢 \d changes? applied and verified\n[\s\S]*2 runs:\*\* 3 applied/
    )
    const { stdout: json } = await run('show a.jsonl b.jsonl --format json')
    expect(JSON.parse(json).summary).toMatchObject({ applied: 3, failed: 0 })
    write('copy.jsonl', read('a.jsonl'))
    expect(await run('show a.jsonl copy.jsonl')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/the run [0-9a-f]{8} is in a\.jsonl and in copy\.jsonl/)
    })
    expect(await run('show a.jsonl b.jsonl --out all.jsonl')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('records are not merged into a file')
    })
    expect(() => read('all.jsonl')).toThrow()
  })
})

describe('a record', () => {
  it('is printed in any format, without the service or a secret', async () => {
    const { run, simulator } = await stage()
    await run('apply fleet --yes --record r.jsonl')
    const alone = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }
    const { code, stdout, stderr } = await run('show r.jsonl', alone)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'wlanctl: r.jsonl: names, times and outcomes come from the file unverified\n'
    })
    const time = '\\d{4}-\\d\\d-\\d\\d [\\d:]{8} UTC'
    const lines = [
      'Apply: 2 applied',
      `  Run [0-9a-f]{8}: apply on ${simulator.url}, ${time} to ${time}, by wlanctl/.*, digest sha256:[0-9a-f]{64}`,
      '  applied  Corp at hq   enabled true → false',
      ' +vlan_id 20 → 21',
      '  applied  Guest at hq  cannot be reverted: auth.psk',
      ' +auth.psk \\(secret\\) changed, from WLAN_SECRET_GUEST',
      '',
      'Apply: 2 applied',
      ''
    ]
    expect(stdout).toMatch(new RegExp(`^${lines.join('\n')}$`))
    const shown = await run('show r.jsonl --format json', alone)
    expect(JSON.parse(shown.stdout)).toMatchObject({
      format: 'wlanctl-runs/1',
      runs: [
        {
          command: 'apply',
          summary: { applied: 2, unknown: 0 },
          ended: expect.any(String),
          outcomes: [
            { address: 'hq/corp', status: 'applied', at: expect.any(String) },
            { address: 'hq/guest', status: 'applied', lost_secrets: ['/auth/psk'] }
          ]
        }
      ]
    })
  })

  it('that ends in the middle lists pending and not started changes', async () => {
    const { run, read, write } = await stage()
    await run('apply fleet --yes --record r.jsonl')
    const text = read('r.jsonl')
    write('r.jsonl', text.slice(0, text.indexOf('"answered"')))
    const { code, stdout } = await run('show r.jsonl')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}unknown +Corp at hq +it was about to be sent,/m)
    expect(stdout).toMatch(/^ {2}skipped +Guest at hq +it did not start,/m)
    expect(stdout).toContain('The record is incomplete: the run was killed or is still running.')
    expect(stdout).toContain('Unknown state: Corp at hq\n')
    expect(stdout).toMatch(/Apply: 1 skipped, 1 unknown\n$/)
  })

  it('that is edited is rejected with the line', async () => {
    const { run, read, write } = await stage()
    await run('apply fleet --yes --record r.jsonl')
    write('r.jsonl', read('r.jsonl').replace('"value":20', '"value":2'))
    for (const command of ['show', 'revert --yes']) {
      const { code, stdout, stderr } = await run(`${command} r.jsonl`)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toMatch(/^wlanctl: r.jsonl: line 3: /)
    }
  })
})

const SHARDS = [1, 2, 3]

/** A fleet in `many` with a change at eight sites, and another site that the service does not know. */
async function changedAtEight(): Promise<Stage> {
  const made = await manySites({ sites: 12, changes: 8 })
  made.write('many/gone.yaml', `site: { id: ${UNKNOWN_ID}, name: gone }\nwlans: {}\n`)
  return made
}

/** Runs a command for each shard; returns the output files. */
async function inShards({ run }: Stage, line: (file: string) => string): Promise<string[]> {
  const files = SHARDS.map(number => `${number}.json`)
  for (const [at, file] of files.entries()) await run(`${line(file)} --shard ${at + 1}/3`)
  return files
}

it('three merged shards of an apply equal one run', async () => {
  const line = 'apply many --yes --max-changes all'
  const [one, other] = [await changedAtEight(), await changedAtEight()]
  const whole = await one.run(`${line} --format json`)
  const files = await inShards(other, file => `${line} --report json=${file} --quiet`)
  const merged = await other.run(`show ${files.join(' ')} --format json`)
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
  const text = await other.run(`show ${files.join(' ')}`)
  expect(text.stdout).toMatch(/Apply: 8 applied.*; not planned: 1 site not read\n$/)
  const markdown = await other.run(`show ${files.join(' ')} --format markdown`)
  expect(markdown.stdout).toMatch(/^<!-- wlanctl:apply:/)
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
})

it('a merged plan approves the changes that it lists', async () => {
  const made = await changedAtEight()
  const files = await inShards(made, file => `plan many --out ${file}`)
  await made.run(`show ${files.join(' ')} --out plan.json`)
  expect(statSync(join(made.cwd, 'plan.json')).mode & 0o777).toBe(0o600)
  const shown = await made.run('show plan.json')
  expect(shown.stdout).toBe((await made.run(`show ${files.join(' ')}`)).stdout)
  const { digest } = JSON.parse(made.read('plan.json'))
  const line = `apply many --yes --plan plan.json --expect ${digest} --max-changes all`
  const { stdout } = await made.run(`${line} --format json`)
  expect(JSON.parse(stdout).summary).toMatchObject({ applied: 8, skipped: 0 })
})

it('files that cannot be merged exit 3 without an output file', async () => {
  const { run, write, read } = await stage()
  for (const number of [1, 2, 3]) await run(`plan fleet --shard ${number}/3 --out ${number}.json`)
  await run('snapshot fleet --out snapshot.json')
  write('odd.yaml', '- odd\n')
  write('list.json', '[]')
  await run('apply fleet --yes --report json=outcomes.json')
  write('others.json', read('outcomes.json'))
  for (const [files, said] of [
    ['1.json 2.json', /1 shard of 3 is missing: 3\/3/],
    ['1.json 2.json 3.json 1.json', /1\.json is given more than once/],
    ['1.json snapshot.json', /1\.json is a saved plan, and snapshot\.json is a snapshot/],
    ['1.json nowhere.json', /nowhere\.json cannot be read: it does not exist$/m],
    ['odd.yaml', /odd\.yaml: invalid JSON/],
    ['list.json', /list\.json: .*expected the format/],
    ['outcomes.json others.json', /outcomes\.json is not a shard: it covers the whole fleet/]
  ] as const) {
    expect(await run(`show ${files} --out merged.json`)).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(said)
    })
    expect(() => read('merged.json')).toThrow()
  }
})

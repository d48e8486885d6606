import { describe, expect, it } from 'vitest'
import { pageText } from '../support/page-text.ts'
import { FLEET, stage } from '../support/stage.ts'

/** Members that are not derived from the operations. */
const AS_THE_FILE_SAYS =
  'wlanctl: plan.json: names, places, findings and the number of unchanged WLANs come from the file unverified; places are relative to the fleet\n'

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
  it('are printed as apply printed them, for a whole fleet or a shard', async () => {
    for (const part of ['', ' --shard 1/1']) {
      const { run } = await stage()
      const applied = await run(`apply fleet --yes --report json=o.json${part}`)
      const alone = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined }
      const { code, stdout, stderr } = await run('show o.json', alone)
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: 'wlanctl: o.json: outcomes and findings come from the file unverified\n'
      })
      expect(stdout).toBe(applied.stdout)
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
    expect(pageText(read('r.html'))).toContain('2 runs: 3 applied')
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
  it('of several runs ends with the outcomes of all', async () => {
    const { run, write } = await stage()
    await run('apply fleet --yes --record r.jsonl --wlan corp')
    write('fleet/hq.yaml', FLEET.replace('vlan_id: 21', 'vlan_id: 22'))
    await run('apply fleet --yes --record r.jsonl')
    const { stdout } = await run('show r.jsonl')
    expect(stdout).toMatch(
      /Apply: 1 applied\n[\s\S]*Apply: 2 applied\n[\s\S]*\n\n2 runs: 3 applied\n$/
    )
  })

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
      '  applied  hq/corp   enabled true → false',
      ' +vlan_id 20 → 21',
      '  applied  hq/guest  cannot be reverted: auth.psk',
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
    expect(stdout).toMatch(/ {2}unknown +hq\/corp +it was about to be sent,/)
    expect(stdout).toMatch(/ {2}skipped +hq\/guest +it did not start,/)
    expect(stdout).toContain('The record is incomplete: the run was killed or is still running.')
    expect(stdout).toContain('Unknown state: hq/corp\n')
    expect(stdout).toMatch(/Apply: 1 skipped, 1 unknown\n$/)
  })

  it.each([
    [
      'edited',
      (text: string) => text.replace('"value":20', '"value":2'),
      /^wlanctl: r.jsonl: line 3: /
    ],
    [
      'truncated',
      (text: string) => text.replace(/^.*"sending".*\n/m, '{"run\n'),
      /: line 4: .*JSON/
    ],
    [
      'of a later version',
      (text: string) => text.replace('record/1', 'record/9'),
      /: line 1: .*record\/9/
    ]
  ])('that is %s is rejected with the line', async (_, damage, message) => {
    const { run, read, write } = await stage()
    await run('apply fleet --yes --record r.jsonl')
    write('r.jsonl', damage(read('r.jsonl')))
    for (const command of ['show', 'revert --yes']) {
      const { code, stdout, stderr } = await run(`${command} r.jsonl`)
      expect({ code, stdout, stderr }).toEqual({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(message)
      })
    }
  })
})

describe('an invalid saved plan', () => {
  it.each([
    ['truncated', (text: string) => text.slice(0, text.length / 2), 'invalid JSON'],
    ['edited by hand', (text: string) => text.replaceAll('21', '22'), 'digest'],
    ['of another version', (text: string) => text.replace('plan/1', 'plan/9'), 'wlanctl-plan/9'],
    ['without its digest', (text: string) => text.replace('"digest"', '"sum"'), 'damaged'],
    ['something else', () => '[]', 'expected the format']
  ])('%s is rejected', async (_, damage, message) => {
    const { run, read, write } = await stage()
    await run('plan fleet --out plan.json')
    expect(await run('show plan.json --quiet')).toMatchObject({ code: 0, stderr: '' })
    write('plan.json', damage(read('plan.json')))
    const { code, stdout, stderr } = await run('show plan.json')
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^wlanctl: plan.json: .*${message}`))
    })
  })

  it.each([
    ['snapshot fleet --out s.json', 'apply fleet --yes --plan s.json', '`plan --against`'],
    ['plan fleet --out s.json', 'plan fleet --against s.json', '`apply --plan`'],
    [
      'apply fleet --yes --report json=s.json',
      'plan fleet --against s.json',
      '`apply --record FILE`'
    ]
  ])('a file of `%s` is rejected by `%s` with its kind', async (made, asked, hint) => {
    const { run } = await stage()
    await run(made)
    const { code, stderr } = await run(asked)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(hint) })
  })

  it('is reported as missing', async () => {
    const { code, stderr } = await (await stage()).run('show plan.json')
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('plan.json') })
  })
})

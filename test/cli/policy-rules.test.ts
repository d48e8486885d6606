import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import { gitEnv, repository } from '../support/git.ts'
import { CORP, GUEST, HQ } from '../support/ids.ts'
import { type Stage, stage } from '../support/stage.ts'
import { tablesIn } from '../support/tables.ts'

interface Scene {
  /** The live WLANs `Corp` and `Guest`. */
  readonly corp?: object
  readonly guest?: object
  /** The declared fields of `corp`, in flow style. */
  readonly declared?: string
  /** Lines of the policy. */
  readonly policy: string
  readonly site?: string
}

/** A fleet that declares `corp` alone, and a rule of the name `r`. */
async function scene({ corp, guest, declared = '', policy, site = '' }: Scene): Promise<Stage> {
  const live = { id: CORP, ssid: 'Corp', enabled: true, ...corp }
  const other = { id: GUEST, ssid: 'Guest', enabled: true, ...guest }
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [live, other] }] })
  made.write(
    'fleet/hq.yaml',
    `site: { id: ${HQ}, name: hq${site} }\nwlans:\n  corp: { ssid: Corp${declared && `, ${declared}`} }\n`
  )
  made.write('fleet/policy.yaml', `policy:\n  lint: { level: info, rules: {} }\n${policy}`)
  return made
}

const rule = (text: string, more = '') =>
  `  rules:\n    - { name: r, message: m, ${text}${more && `, ${more}`} }\n`

const waiver = (text = '', until = '2099-12-31') =>
  `  waivers:\n    - { rule: r, reason: no VLANs in the lab, until: ${until}${text && `, ${text}`} }\n`

const foundBy = async ({ run }: Stage, command = 'plan fleet'): Promise<Finding[]> => {
  const { findings } = JSON.parse((await run(`${command} --format json`)).stdout)
  return findings.filter(({ code }: Finding) => /^(?:RULE|WAIVER)(?:_|$)/.test(code))
}

const DTIM = 'require: { properties: { dtim: { maximum: 3 } } }'

/** A row of a table: a scene with the text of its rule. */
interface Row extends Omit<Scene, 'policy'> {
  readonly rule: string
  readonly strict?: true
}

const tables = tablesIn<{
  readonly merged: Readonly<Record<string, Row & { readonly levels: readonly string[] }>>
  readonly unknown: Readonly<Record<string, Row & { readonly broken: boolean }>>
}>(import.meta.dirname, 'policy-rules.yaml')

describe('a rule of the policy is evaluated against the merged WLAN', () => {
  it.each(Object.entries(tables.merged))(
    '%s',
    async (_what, { rule: text, strict, levels, ...row }) => {
      const staged = await scene({ ...row, policy: rule(text) })
      if (strict)
        staged.write('fleet/policy.yaml', `policy:\n  lint: { strict: true }\n${rule(text)}`)
      const found = await foundBy(staged)
      expect(found.map(({ level, existing }) => (existing ? `${level} existing` : level))).toEqual(
        levels
      )
      const isRefused = levels.some(level => level.startsWith('error'))
      expect((await staged.run('plan fleet')).code).toBe(isRefused ? 4 : 0)
    }
  )

  it('a broken rule is refused by apply, with the location of the field', async () => {
    const made = await scene({ corp: { dtim: 2 }, declared: 'dtim: 5', policy: rule(DTIM) })
    const [found] = await foundBy(made)
    expect(found).toMatchObject({
      message: 'violates the rule "r": m',
      place: { file: 'hq.yaml', line: 3, column: 29 },
      address: 'hq/corp'
    })
    expect((await made.run('apply fleet --yes')).code).toBe(4)
    expect(made.methods()).not.toContain('PUT')
  })

  it('existing findings are counted, and listed by drift and --verbose', async () => {
    const { run } = await scene({ corp: { dtim: 5 }, policy: rule(DTIM) })
    expect((await run('plan fleet')).stdout).toMatch(/Rules: \d+ existing \(.*r.*\), already live/)
    for (const command of ['plan fleet --verbose', 'drift fleet --verbose']) {
      expect((await run(command)).stdout).toContain('existing: violates the rule "r": m')
    }
  })
})

it.each(Object.entries(tables.unknown))(
  'an unknown value breaks no rule: %s',
  async (_what, { rule: text, broken, ...row }) => {
    const made = await scene({ ...row, policy: rule(text) })
    expect(await foundBy(made)).toHaveLength(broken ? 1 : 0)
  }
)

describe('a rule sees', () => {
  it.each([
    ['the name of the site', '$site: { properties: { name: { const: lab } } }'],
    ['its groups', '$site: { properties: { groups: { contains: { const: north } } } }'],
    ['its variables', '$site: { properties: { vars: { properties: { floor: { const: 2 } } } } }'],
    ['the live WLAN', '$live: { properties: { ssid: { const: Staff } } }']
  ])('%s', async (_what, properties) => {
    const made = await scene({
      site: ', groups: [south], vars: { floor: 3 }',
      policy: `  rules:\n    - name: r\n      message: m\n      require: { properties: { ${properties} } }\n`
    })
    made.write('fleet/groups.yaml', 'groups: { south: {} }\n')
    expect(await foundBy(made)).toMatchObject([{ rule: 'r', existing: true }])
    const declared = await foundBy(made, 'validate fleet')
    expect(declared).toHaveLength(properties.startsWith('$live') ? 0 : 1)
  })

  it('no undeclared WLAN, except with `over: all`', async () => {
    const guest = { dtim: 9 }
    expect(await foundBy(await scene({ guest, policy: rule(DTIM) }))).toEqual([])
    const made = await scene({ guest, policy: rule(DTIM, 'over: all') })
    expect(await foundBy(made)).toMatchObject([
      { address: 'hq', existing: true, message: '"Guest": existing: violates the rule "r": m' }
    ])
  })
})

describe('without the service, a broken rule', () => {
  const broken = { declared: 'dtim: 5', policy: rule(DTIM) }
  const levels = async (made: Stage, command: string) => {
    const { code, stdout } = await made.run(`${command} --format json`, gitEnv)
    const found: Finding[] = JSON.parse(stdout).findings
    return { code, levels: found.flatMap(each => (each.code === 'RULE' ? each.level : [])) }
  }

  it('is an error, since it may be new', async () => {
    const made = await scene(broken)
    expect(await levels(made, 'validate fleet')).toEqual({ code: 4, levels: ['error'] })
  })

  it('is an error with --base if the files break it since, or more', async () => {
    const made = await scene(broken)
    repository(made.cwd)
    const declared = made.read('fleet/hq.yaml')
    const validated = (text: string) => {
      made.write('fleet/hq.yaml', text)
      return levels(made, 'validate fleet --base HEAD')
    }
    expect(await validated(declared)).toEqual({ code: 0, levels: ['warning'] })
    expect(await validated(declared.replace('dtim: 5', 'dtim: 4'))).toMatchObject({ code: 0 })
    expect(await validated(declared.replace('dtim: 5', 'dtim: 5, isolation: true'))).toMatchObject({
      code: 0
    })
    const worse = await validated(declared.replace('dtim: 5', 'dtim: 6'))
    expect(worse).toEqual({ code: 4, levels: ['error'] })
    const another = `${declared}  other: { ssid: Other, dtim: 5 }\n`
    expect(await validated(another)).toEqual({ code: 4, levels: ['warning', 'error'] })
    made.write('fleet/policy.yaml', `policy:\n  lint: { strict: true }\n${rule(DTIM)}`)
    expect(await validated(declared)).toEqual({ code: 4, levels: ['error'] })
  })
})

describe('a rule that selects no WLAN', () => {
  const WHEN = 'when: { properties: { ssid: { const: Staff } } }, require: { required: [ssid] }'

  it('is a warning in a complete run', async () => {
    const made = await scene({ policy: rule(WHEN) })
    for (const command of ['validate fleet', 'plan fleet', 'drift fleet']) {
      expect(await foundBy(made, command)).toMatchObject([
        { code: 'RULE_UNUSED', level: 'warning' }
      ])
      // Drift includes the live WLAN Guest, which is open.
      expect((await made.run(command)).code).toBe(command === 'drift fleet' ? 2 : 0)
    }
  })

  it.each(['--wlan corp', '--site hq', '--shard 1/1'])(
    'is no warning in a run with %s',
    async option => {
      expect(await foundBy(await scene({ policy: rule(WHEN) }), `plan fleet ${option}`)).toEqual([])
    }
  )

  it('is no warning of validate if the files leave it open', async () => {
    const when = 'when: { required: [vlan_id], properties: { vlan_id: { const: 9 } } }'
    const made = await scene({ policy: rule(`${when}, require: { required: [ssid] }`) })
    expect(await foundBy(made, 'validate fleet')).toEqual([])
    expect(await foundBy(made)).toMatchObject([{ code: 'RULE_UNUSED' }])
  })
})

describe('a waiver', () => {
  const broken = { corp: { dtim: 2 }, declared: 'dtim: 5' }

  it.each([
    ['everywhere', ''],
    ['at a site', 'site: h*'],
    ['of a WLAN', 'wlan: corp'],
    ['of an address', 'wlan: hq/corp, site: hq']
  ])('%s lets the run pass, and is shown with the finding', async (_what, text) => {
    const made = await scene({ ...broken, policy: rule(DTIM) + waiver(text) })
    expect(await foundBy(made)).toMatchObject([
      { level: 'info', rule: 'r', waived: { reason: 'no VLANs in the lab', until: '2099-12-31' } }
    ])
    for (const command of ['validate fleet', 'plan fleet']) {
      expect(await made.run(command)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('1 finding waived (r); `--verbose` lists it')
      })
      expect((await made.run(`${command} --verbose`)).stdout).toContain(
        'waived until 2099-12-31: no VLANs in the lab'
      )
    }
    expect((await made.run('apply fleet --yes')).code).toBe(0)
  })

  it.each(['site: lab*', 'wlan: guest'])('of %s does not cover another finding', async text => {
    const made = await scene({ ...broken, policy: rule(DTIM) + waiver(text) })
    expect((await foundBy(made)).map(({ code }) => code).sort()).toEqual(['RULE', 'WAIVER_UNUSED'])
    expect((await made.run('plan fleet')).code).toBe(4)
    expect((await foundBy(made, 'plan fleet --site hq')).map(({ code }) => code)).toEqual(['RULE'])
  })

  it('that expired is an error with its date, and covers nothing', async () => {
    const made = await scene({ ...broken, policy: rule(DTIM) + waiver('', '2020-02-29') })
    for (const command of ['validate fleet', 'plan fleet', 'apply fleet --yes']) {
      expect((await made.run(command)).code).toBe(4)
    }
    const found = await foundBy(made)
    expect(found).toMatchObject([
      { code: 'WAIVER_EXPIRED', message: 'the waiver of the rule "r" ended on 2020-02-29' },
      { code: 'RULE', level: 'error' }
    ])
  })

  it('of a rule of the linter is unused in a plan that lints all of its WLANs', async () => {
    const waived = (text: string) =>
      `  waivers:\n    - { rule: psk-missing, ${text}, reason: a park, until: 2099-12-31 }\n`
    const codes = async (declared: string, text: string) =>
      (await foundBy(await scene({ corp: { dtim: 2 }, declared, policy: waived(text) }))).map(
        ({ code }) => code
      )
    expect(await codes('dtim: 5', 'site: hq')).toEqual(['WAIVER_UNUSED'])
    expect(await codes('dtim: 2', 'site: hq')).toEqual([])
    expect(await codes('dtim: 2', 'site: lab*')).toEqual(['WAIVER_UNUSED'])
  })

  it('covers findings of the linter', async () => {
    const policy = `  waivers:\n    - { rule: guest-traffic-untagged, wlan: Guest, reason: a park, until: 2099-12-31 }\n`
    const made = await scene({ guest: { auth: { type: 'open' } }, policy })
    const { stdout } = await made.run('drift fleet --format json')
    const waived = JSON.parse(stdout).findings.filter((found: Finding) => found.waived)
    expect(waived.map(({ rule }: Finding) => rule)).toEqual(['guest-traffic-untagged'])
  })

  it.each([
    ['{ rule: r, reason: x }', ['KEY_MISSING']],
    ['{ rule: r, until: 2099-12-31 }', ['KEY_MISSING']],
    ['{ rule: r, reason: "", until: 2099-12-31 }', ['KEY_MISSING']],
    ['{ rule: r, reason: " ", until: 2099-12-31 }', ['KEY_MISSING']],
    ['{ rule: r, reason: x, until: 2099-02-30 }', ['TIME_INVALID']],
    ['{ rule: hidden-sid, reason: x, until: 2099-12-31 }', ['NAME_UNKNOWN']],
    ['{ rule: r, reason: x, until: 2099-12-31, sites: a }', ['UNKNOWN_KEY']]
  ])('%s is rejected', async (text, codes) => {
    const made = await scene({ policy: `${rule(DTIM)}  waivers: [${text}]\n` })
    const { code, stdout } = await made.run('validate fleet --format json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout).findings.map((found: Finding) => found.code)).toEqual(codes)
  })

  it('is a known finding, without an annotation', async () => {
    const made = await scene({ ...broken, policy: rule(DTIM) + waiver() })
    const { stdout } = await made.run('plan fleet --format github')
    expect(stdout).not.toContain('violates the rule')
    expect((await made.run('plan fleet --format markdown')).stdout).toContain(
      'Known findings: already live, or waived'
    )
    expect((await made.run('plan fleet --format html')).stdout).toContain('waived until 2099-12-31')
  })
})

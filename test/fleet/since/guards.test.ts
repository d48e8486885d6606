import { describe, expect, it, test } from 'vitest'
import type { LoadOptions } from '../../../src/fleet/load.ts'
import { load } from '../fleet.ts'
import { revisionOf } from './revision.ts'

const id = (n: number) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const SITES = `sites:
  - { id: ${id(1)}, name: hq, vars: { timezone: Europe/Berlin } }
  - { id: ${id(2)}, name: lab, vars: { timezone: Europe/Berlin } }
wlans: { w: { ssid: a } }
`

/** What is enforced less since the base, each with its place. */
async function weakened(
  then: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  options: Partial<LoadOptions> = {}
): Promise<string[]> {
  const at = new Date('2026-11-01T00:00:00Z')
  const base = async () => revisionOf(then)
  const found = await load(now, { now: () => at, base, ...options })
  expect(found.desired).toBeDefined()
  return found.findings
    .filter(({ code }) => code === 'POLICY_WEAKENED')
    .map(({ place, message }) => {
      const { revision = 'now', file, line } = place ?? { file: '-', line: 0 }
      return `${revision}:${file}:${line} ${message.replace('less is enforced than at "main": ', '')}`
    })
}

const policyOf = (policy: string, sites = SITES) => ({
  'policy.yaml': policy === '' ? 'groups: {}\n' : `policy:\n  ${policy}\n`,
  'sites.yaml': sites
})

const rule = (more: string) => `rules: [{ name: r, message: m, ${more} }]`
const require = 'require: { required: [ssid] }'
const waiver = (more: string) => `waivers: [{ rule: weak-key, reason: r, ${more} }]`
const window = (from: string, until: string, more = 'impact: [outage]') =>
  `{ name: w${from}, from: "${from}", until: "${until}", ${more} }`
const freeze = (from: string, until: string, more = '') =>
  `freezes: [{ from: ${from}, until: ${until}, reason: trade${more} }]`
const windows = (...each: string[]) => `windows: [${each.join(', ')}]`

/** Both ways: what weakens the policy is a finding, and its reverse is none. */
const cases: [was: string, is: string, what: string][] = [
  ['max_changes: 20', 'max_changes: 21', 'now:policy.yaml:2 `policy.max_changes` 20 → 21'],
  ['max_changes: 20', '', 'main:policy.yaml:2 `policy.max_changes` 20 → no limit'],
  ['max_change_percent: 10', '', 'main:policy.yaml:2 `policy.max_change_percent` 10 → 30'],
  ['', 'max_change_percent: 99', 'now:policy.yaml:2 `policy.max_change_percent` 30 → 99'],
  ['', 'unknown_fields: warn', 'now:policy.yaml:2 `policy.unknown_fields` error → warn'],
  ['', 'unknown_values: warn', 'now:policy.yaml:2 `policy.unknown_values` error → warn'],
  ['', 'plaintext_secrets: warn', 'now:policy.yaml:2 `policy.plaintext_secrets` error → warn'],
  [
    'plaintext_secrets: warn',
    'plaintext_secrets: allow',
    'now:policy.yaml:2 `policy.plaintext_secrets` warn → allow'
  ],
  ['unmanaged: error', '', 'main:policy.yaml:2 `policy.unmanaged` error → report'],
  ['', 'unmanaged: ignore', 'now:policy.yaml:2 `policy.unmanaged` report → ignore'],
  ['unwatched: error', 'unwatched: report', 'now:policy.yaml:2 `policy.unwatched` error → report'],
  ['', 'unwatched: ignore', 'now:policy.yaml:2 `policy.unwatched` report → ignore'],
  ['', 'lint: { level: off }', 'now:policy.yaml:2 `policy.lint.level` warning → off'],
  ['', 'lint: { level: error }', 'now:policy.yaml:2 `policy.lint.level` warning → error'],
  ['lint: { strict: true }', '', 'main:policy.yaml:2 `policy.lint.strict` true → false'],
  [
    'lint: { rules: { weak-key: error } }',
    'lint: { rules: { weak-key: info } }',
    'now:policy.yaml:2 `policy.lint.rules.weak-key` error → info'
  ],
  [
    '',
    'lint: { rules: { weak-key: off } }',
    'now:policy.yaml:2 `policy.lint.rules.weak-key` warning → off'
  ],
  [rule(require), '', 'main:policy.yaml:2 the rule "r" removed'],
  [
    rule(require),
    rule(`${require}, level: warning`),
    'now:policy.yaml:2 the rule "r": `level` error → warning'
  ],
  [
    rule(`${require}, over: all`),
    rule(require),
    'now:policy.yaml:2 the rule "r": `over` all → managed'
  ],
  [
    '',
    waiver('until: 2027-01-31'),
    'now:policy.yaml:2 the waiver of "weak-key" added, until 2027-01-31'
  ],
  [
    waiver('until: 2027-01-31'),
    waiver('until: 2027-02-01'),
    'now:policy.yaml:2 the waiver of "weak-key" prolonged, 2027-01-31 → 2027-02-01'
  ],
  [
    waiver('site: hq, until: 2027-01-31'),
    waiver('until: 2027-01-31'),
    'now:policy.yaml:2 the waiver of "weak-key" added, until 2027-01-31'
  ],
  [
    'rollout: [canary: hq, half: 50%]',
    '',
    'main:policy.yaml:2 `policy.rollout` canary: hq, half: 50% → none'
  ],
  [
    'rollout: [canary: hq, half: 50%]',
    'rollout: [canary: hq, half: 60%]',
    'now:policy.yaml:2 `policy.rollout` canary: hq, half: 50% → canary: hq, half: 60%'
  ],
  [
    'rollout: [canary: hq, half: 50%]',
    'rollout: [half: 50%]',
    'now:policy.yaml:2 `policy.rollout` canary: hq, half: 50% → half: 50%'
  ],
  [
    'rollout: { waves: [canary: hq], pause: 60 }',
    'rollout: { waves: [canary: hq] }',
    'main:policy.yaml:2 `policy.rollout.pause` 60 → 0'
  ],
  [
    windows(window('22:00', '05:00')),
    '',
    'main:policy.yaml:2 the windows for outage daily 22:00–05:00 → any time'
  ],
  [
    windows(window('22:00', '05:00')),
    windows(window('22:00', '05:01')),
    'now:policy.yaml:2 the windows for outage daily 22:00–05:00 → daily 22:00–05:01'
  ],
  [
    windows(window('22:00', '05:00', 'days: [sun], impact: [outage, reconnect]')),
    windows(window('22:00', '05:00', 'days: [sun], impact: [outage]')),
    'main:policy.yaml:2 the windows for reconnect sun 22:00–05:00 → any time'
  ],
  [
    windows(window('22:00', '05:00')),
    windows(window('22:00', '05:00'), window('12:00', '13:00')),
    'now:policy.yaml:2 the windows for outage daily 22:00–05:00 → daily 22:00–05:00, daily 12:00–13:00'
  ],
  [
    freeze('2026-12-15T00:00', '2027-01-06T00:00'),
    '',
    'main:policy.yaml:2 the freeze "trade" 2026-12-15T00:00–2027-01-06T00:00 → removed'
  ],
  [
    freeze('2026-12-15T00:00', '2027-01-06T00:00'),
    freeze('2026-12-16T00:00', '2027-01-06T00:00'),
    'now:policy.yaml:2 the freeze "trade" 2026-12-15T00:00–2027-01-06T00:00 → 2026-12-16T00:00–2027-01-06T00:00'
  ],
  [
    freeze('2026-12-15T00:00Z', '2027-01-06T00:00Z'),
    freeze('2026-12-15T00:00Z', '2027-01-06T00:00Z', ', except: [none]'),
    'now:policy.yaml:2 the freeze "trade" 2026-12-15T00:00Z–2027-01-06T00:00Z → 2026-12-15T00:00Z–2027-01-06T00:00Z except none'
  ]
]

describe('a policy', () => {
  test.each(cases)('%s → %s', async (was, is, what) => {
    expect(await weakened(policyOf(was), policyOf(is))).toEqual([what])
    expect(await weakened(policyOf(is), policyOf(was))).toEqual([])
  })

  test.each([
    [rule(require), rule('require: { required: [auth] }'), '`require` changed'],
    [rule(require), rule(`when: { required: [auth] }, ${require}`), '`when` changed']
  ])('that has another condition may be weaker: %s → %s', async (was, is, what) => {
    expect(await weakened(policyOf(was), policyOf(is))).toEqual([
      `now:policy.yaml:2 the rule "r": ${what}`
    ])
  })

  test.each<[what: string, was: string, is: string]>([
    ['a rule in another notation', rule(require), rule('require: { "required": ["ssid"] }')],
    [
      'a rule with another message',
      rule(require),
      rule(require).replace('message: m', 'message: n')
    ],
    [
      'a waiver of fewer sites',
      waiver('until: 2027-01-31'),
      waiver('site: hq, wlan: w, until: 2027-01-31')
    ],
    [
      'a window in pieces',
      windows(window('22:00', '05:00')),
      windows(window('22:00', '23:00'), window('23:00', '05:00'))
    ],
    [
      'a removed one of two windows',
      windows(window('22:00', '05:00'), window('12:00', '13:00')),
      windows(window('22:00', '05:00'))
    ],
    ['a freeze that is over', freeze('2025-12-15T00:00', '2026-01-06T00:00'), ''],
    [
      'a freeze whose past is cut off',
      freeze('2026-10-01T00:00Z', '2026-12-01T00:00Z'),
      freeze('2026-10-20T00:00Z', '2026-12-01T00:00Z')
    ],
    [
      'an earlier, smaller wave',
      'rollout: [half: 50%]',
      'rollout: [first: 5%, half: 50%, most: 90%]'
    ]
  ])('with %s is no weaker', async (_, was, is) => {
    expect(await weakened(policyOf(was), policyOf(is))).toEqual([])
  })

  it('is weaker with a wave of any sites before those of the base', async () => {
    const now = policyOf("rollout: [all: '*', canary: hq]")
    expect(await weakened(policyOf('rollout: [canary: hq]'), now)).toEqual([
      expect.stringContaining('`policy.rollout` canary: hq → all: *, canary: hq')
    ])
  })

  it('names each weaker part', async () => {
    const was = 'max_changes: 1\n  unmanaged: error'
    expect(await weakened(policyOf(was), policyOf(''))).toHaveLength(2)
  })
})

describe('a test of the fleet', () => {
  const filesOf = (...tests: string[]) => ({
    'sites.yaml': SITES,
    ...(tests.length > 0 && {
      'tests.yaml': `tests:\n${tests.map(each => `  - ${each}\n`).join('')}`
    })
  })
  const one = '{ name: one, count: 1 }'
  const other = '{ name: two, total: 2 }'

  test.each<[was: string[], is: string[], what: string]>([
    [[one], [], 'main:tests.yaml:2 the test "one" removed'],
    [[one, other], [one], 'main:tests.yaml:3 the test "two" removed'],
    [
      [one],
      ['{ name: one, count: { min: 1 } }'],
      'now:tests.yaml:2 the test "one": `count` changed'
    ],
    [[one], ['{ name: one, total: 2 }'], 'now:tests.yaml:2 the test "one": `count` changed'],
    [
      [one],
      ['{ name: one, count: 1, sites: hq }'],
      'now:tests.yaml:2 the test "one": `sites` changed'
    ],
    [
      [one],
      ['{ name: one, count: 1, except: [{ sites: lab, reason: r }] }'],
      'now:tests.yaml:2 the test "one": `except` changed'
    ]
  ])('%j → %j', async (was, is, what) => {
    expect(await weakened(filesOf(...was), filesOf(...is))).toEqual([what])
  })

  test.each<[what: string, was: string[], is: string[]]>([
    ['more tests', [one], [one, other]],
    ['another order and notation', [one, other], [other, '{ "count": 1, "name": "one" }']],
    ['one more expectation', [one], ['{ name: one, count: 1, total: 2 }']],
    ['an exception less', ['{ name: one, count: 1, except: [{ sites: lab, reason: r }] }'], [one]]
  ])('is no weaker with %s', async (_, was, is) => {
    expect(await weakened(filesOf(...was), filesOf(...is))).toEqual([])
  })

  const givenAs = (open: string, more: Readonly<Record<string, string>> = {}) => ({
    'sites.yaml': SITES,
    'tests/open.yaml':
      'tests: [{ name: one, given: open.given.yaml, refused: { downgrade: true } }]\n',
    'tests/open.given.yaml': open,
    ...more
  })

  test.each<[what: string, is: string, expected: string[]]>([
    [
      'weaker',
      'wlans: { w: { auth: { type: psk } } }',
      ['now:tests/open.yaml:1 the test "one": `tests/open.given.yaml` changed']
    ],
    ['the same in another notation', '# nobody\nwlans: { w: { "auth": { type: open } } }', []]
  ])('names the file that it lays over the fleet if that is %s', async (_, is, expected) => {
    const was = givenAs('wlans: { w: { auth: { type: open } } }')
    expect(await weakened(was, givenAs(is))).toEqual(expected)
  })

  it('names no such file that no test names', async () => {
    const then = givenAs('wlans: {}', { 'other.given.yaml': 'wlans: {}' })
    const now = givenAs('wlans: {}', { 'other.given.yaml': 'groups: {}' })
    expect(await weakened(then, now)).toEqual([])
  })
})

describe('a site', () => {
  const site = (keys: string, more = '') => ({
    'hq.yaml': `site:\n  id: ${id(1)}\n  name: hq\n${keys}wlans:\n  w: { ssid: a${more} }\n`
  })
  const CALENDAR = `policy: { ${windows(window('22:00', '05:00'))} }\n`
  const zone = (name: string) => ({
    ...site(`  vars: { timezone: ${name} }\n`),
    'policy.yaml': CALENDAR
  })

  test.each<
    [what: string, was: Record<string, string>, is: Record<string, string>, expected: string]
  >([
    [
      'no protection',
      site('', ', $protect: true'),
      site(''),
      'now:hq.yaml:5 `$protect` of 1 WLAN removed: hq/w'
    ]
  ])('with %s', async (_, was, is, expected) => {
    expect(await weakened(was, is)).toEqual([expected])
    expect(await weakened(is, was)).toEqual([])
    const since = async () => revisionOf(was)
    expect(await weakened(was, is, { since, base: undefined })).toEqual([expected])
  })

  it('in another time zone has other windows', async () => {
    expect(await weakened(zone('Europe/Berlin'), zone('Pacific/Kiritimati'))).toEqual([
      'now:hq.yaml:4 `timezone` of 1 site changed: "hq" Europe/Berlin → Pacific/Kiritimati'
    ])
    const was = site('  vars: { timezone: Europe/Berlin }\n')
    expect(await weakened(was, site('  vars: { timezone: Asia/Tokyo }\n'))).toEqual([])
  })

  it('without a time zone of its own has that of the policy', async () => {
    const by = (policy: string, vars = '') => ({
      ...site(vars),
      'policy.yaml': CALENDAR.replace('{ ', `{ timezone: ${policy}, `)
    })
    expect(await weakened(by('Europe/Berlin'), by('Asia/Tokyo'))).toEqual([
      'now:policy.yaml:1 `timezone` of 1 site changed: "hq" Europe/Berlin → Asia/Tokyo'
    ])
    const own = '  vars: { timezone: Europe/Berlin }\n'
    expect(await weakened(by('Europe/Berlin'), by('Asia/Tokyo', own))).toEqual([])
    expect(await weakened(by('Asia/Tokyo', own), by('Asia/Tokyo'))).toEqual([
      expect.stringContaining('"hq" Europe/Berlin → Asia/Tokyo')
    ])
  })

  it('that extends a profile without its protection is weaker', async () => {
    const profile = (protect: string) => ({
      ...site('', ', $extends: p'),
      'profiles.yaml': `profiles: { p: { dtim: 1${protect} } }\n`
    })
    expect(await weakened(profile(', $protect: true'), profile(''))).toEqual([
      'now:hq.yaml:5 `$protect` of 1 WLAN removed: hq/w'
    ])
  })

  const a = 'a: { ssid: A, $protect: true }'
  const b = `b: { id: ${id(8)}, ssid: B }`

  test.each<[what: string, was: string, is: string, at: string, name: string]>([
    ['a new key', a, 'c: { ssid: A }', 'now:hq.yaml:5', 'hq/c'],
    ['an id in place of its SSID', a, `c: { id: ${id(9)}, ssid: C }`, 'main:hq.yaml:5', 'hq/a'],
    [
      'an SSID in place of its id',
      `a: { id: ${id(9)}, ssid: A, $protect: true }`,
      'c: { ssid: A }',
      'main:hq.yaml:5',
      'hq/a'
    ],
    [
      'its protection at another WLAN',
      `${a}, ${b}`,
      `a: { id: ${id(8)}, ssid: B, $protect: true }, c: { id: ${id(9)}, ssid: A2 }`,
      'now:hq.yaml:5',
      'hq/a'
    ],
    ['no declaration', `${a}, ${b}`, b, 'main:hq.yaml:5', 'hq/a'],
    [
      'an unmanaged declaration',
      `${a}, ${b}`,
      `a: { ssid: A, $managed: false }, ${b}`,
      'main:hq.yaml:5',
      'hq/a'
    ]
  ])('with %s for a protected WLAN is weaker', async (_, was, is, at, name) => {
    const declaring = (wlans: string) => ({
      'hq.yaml': `site:\n  id: ${id(1)}\n  name: hq\nwlans:\n  { ${wlans} }\n`
    })
    expect(await weakened(declaring(was), declaring(is))).toEqual([
      `${at} \`$protect\` of 1 WLAN removed: ${name}`
    ])
  })

  it('with an id or a new SSID for a protected WLAN is not weaker', async () => {
    const declaring = (wlan: string) => ({
      'hq.yaml': `site:\n  id: ${id(1)}\n  name: hq\nwlans:\n  { ${wlan} }\n`
    })
    for (const is of [
      `a: { id: ${id(9)}, ssid: A, $protect: true }`,
      'a: { ssid: B, $match: { ssid: A }, $protect: true }',
      'a: { ssid: B, $protect: true }',
      'c: { ssid: A, $protect: true }'
    ]) {
      expect(await weakened(declaring(a), declaring(is))).toEqual([])
    }
  })

  it('that is not selected is compared, too', async () => {
    const was = { ...policyOf(''), ...zone('Europe/Berlin') }
    was['sites.yaml'] = was['sites.yaml']
      .replaceAll(id(1), id(3))
      .replace('name: hq', 'name: other')
    const is = { ...was, ...zone('Asia/Tokyo') }
    expect(await weakened(was, is, { sites: ['lab'] })).toHaveLength(1)
  })

  it('of many is one finding', async () => {
    const sites = (more: string) => {
      const each = (n: number) => `  - { id: ${id(n)}, name: s${n} }\n`
      const all = Array.from({ length: 12 }, (_, n) => each(n)).join('')
      return { 'sites.yaml': `sites:\n${all}wlans: { w: { ssid: a${more} } }\n` }
    }
    expect(await weakened(sites(', $protect: true'), sites(''))).toEqual([
      expect.stringMatching(/`\$protect` of 12 WLANs removed: s0\/w, .* and 2 more$/)
    ])
  })

  it('is not compared by WLAN if the base is invalid, but its policy is', async () => {
    const was = { 'policy.yaml': 'policy: { max_changes: 1 }\n', ...site('', ', vlan_id: x') }
    expect(await weakened(was, site(''))).toEqual([
      'main:policy.yaml:1 `policy.max_changes` 1 → no limit'
    ])
  })
})

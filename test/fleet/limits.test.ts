import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { LineIndex } from '../../src/fleet/files/source.ts'
import { MAX_FINDINGS, type RunLimits } from '../../src/fleet/limits.ts'
import { loadFleet } from '../../src/fleet/load.ts'
import { fleetOf, HQ, lines, load } from './fleet.ts'
import { revisionOf } from './since/revision.ts'

const id = (n: number) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const site = (n: number) => `site: { id: ${id(n)}, name: s${n} }\n`
const repeat = (count: number, of: (n: number) => string, by = '') =>
  Array.from({ length: count }, (_, n) => of(n)).join(by)
const sites = (count: number, text = site) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}.yaml`, text(at)]))
const listOf = (count: number, more = '') =>
  `sites:\n${repeat(count, n => `  - { id: ${id(n)}, name: s${n}${more} }\n`)}`

const aliases = (n: number) =>
  `site: { id: ${id(n)}, name: s${n}, vars: { a: &a [1, 2, 3], b: [*a, *a] } }\n`

type Files = Record<string, string>
type Counted = Exclude<keyof RunLimits, 'seconds' | 'secondsPerByte' | 'nodesPerByte'>

const bytes = (ofComment: number) => site(0).length + ofComment + 3
const keys = (count: number) => repeat(count, n => `k${n}: 1`, ', ')

/** Fleets that use as much of a limit as the number says, or as a search finds. */
const large: [what: string, counted: Counted, files: Files, used?: number][] = [
  ['many names', 'entries', { ...sites(3), 'notes.txt': '', 'more.md': '' }, 5],
  ['many files', 'files', sites(20), 20],
  [
    'many bytes of comments',
    'bytes',
    { 'a.yaml': `${site(0)}# ${'c'.repeat(5000)}\n` },
    bytes(5000)
  ],
  [
    'many bytes of two-byte text',
    'bytes',
    { 'a.yaml': `${site(0)}# ${'\u00fc'.repeat(500)}\n` },
    bytes(1000)
  ],
  ['many sites in a list', 'sites', { 'a.yaml': listOf(30) }, 30],
  [
    'sites times WLANs',
    'wlans',
    { 'a.yaml': `${listOf(20)}wlans: { a: { ssid: a }, b: { ssid: b } }\n` },
    40
  ],
  ['many variables', 'nodes', sites(5, n => site(n).replace(' }', ', vars: { a: [1, 2, 3] } }'))],
  ['aliases that repeat', 'nodes', sites(5, aliases)],
  [
    'sites times variables of a group',
    'nodes',
    {
      'a.yaml': `groups: { g: { vars: { ${keys(90)} } } }\n${listOf(90, ', groups: [g], vars: { own: 1 }')}`
    }
  ],
  [
    'sites times fields of a WLAN with a variable',
    'nodes',
    {
      'a.yaml': `${repeat(90, n => `  - { id: ${id(n)}, name: s${n}, vars: { v: ${n + 1} } }\n`).replace(/^/, 'sites:\n')}wlans: { w: { ssid: a, vlan_id: { $var: v }, ${keys(90)} } }\npolicy: { unknown_fields: warn }\n`
    }
  ],
  [
    'WLANs times fields of their profiles',
    'nodes',
    {
      'a.yaml': `${site(1)}wlans: { ${repeat(60, n => `w${n}: { ssid: a, $extends: [p${n}, base] }`, ', ')} }\nprofiles: { base: { ${keys(90)} }, ${repeat(60, n => `p${n}: { dtim: 1 }`, ', ')} }\npolicy: { unknown_fields: warn }\n`
    }
  ]
]

async function codesOf(cwd: string, limits: Partial<RunLimits>, clock?: () => number) {
  const options = { directory: '.', cwd, limits: { nodesPerByte: 0, secondsPerByte: 0, ...limits } }
  const { desired, findings } = await loadFleet({ ...options, clock })
  const errors = findings.filter(({ level }) => level === 'error')
  return { isLoaded: desired !== undefined, findings: lines(errors) }
}

/** The lowest limit at which a fleet loads. */
async function needOf(cwd: string, counted: Counted): Promise<number> {
  let [low, high] = [0, 20_000]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await codesOf(cwd, { [counted]: middle })).isLoaded) high = middle
    else low = middle + 1
  }
  return high
}

describe('a fleet', () => {
  test.each(large)(
    'with %s: just under the limit passes, just over it is one finding',
    async (...row) => {
      const [, counted, files, used] = row
      const cwd = fleetOf(files)
      const need = used ?? (await needOf(cwd, counted))
      expect(need).toBeGreaterThan(1)
      expect(await codesOf(cwd, { [counted]: need })).toEqual({ isLoaded: true, findings: [] })
      const over = await codesOf(cwd, { [counted]: need - 1 })
      expect(over).toEqual({ isLoaded: false, findings: ['- FLEET_TOO_LARGE'] })
    }
  )

  test('that repeats its values keeps as many as it has sites times fields', async () => {
    for (const [what, , files] of large.slice(-3)) {
      expect(await needOf(fleetOf(files), 'nodes'), what).toBeGreaterThan((60 * 90) / 10)
    }
  })

  test('may keep more values if its files are larger', async () => {
    const cwd = fleetOf(sites(5, aliases))
    const need = await needOf(cwd, 'nodes')
    const nodes = need - 1
    expect((await codesOf(cwd, { nodes, nodesPerByte: 1 })).isLoaded).toBe(true)
  })

  test('of the base has limits of its own', async () => {
    const files = { 'a.yaml': `${listOf(10)}wlans: { w: { ssid: a } }\n` }
    const base = { 'a.yaml': `${listOf(11)}wlans: { w: { ssid: a } }\n` }
    const since = async (then: Files) => {
      const options = { base: async () => revisionOf(then), limits: { sites: 10 } }
      return lines((await load(files, options)).findings)
    }
    expect(await since(files)).toEqual([])
    expect(await since(base)).toEqual(['- BASE_WRONG'])
  })

  test('is not loaded further if the run is interrupted', async () => {
    const abortController = new AbortController()
    abortController.abort()
    const wlans = repeat(4000, n => `  w${n}: { ssid: a }\n`)
    const long = { 'a.yaml': `${listOf(20)}wlans:\n${wlans}` }
    await expect(load(long, { signal: abortController.signal })).rejects.toThrow(/abort/i)
  })
})

const named = (count: number) => repeat(count, n => `p${n}`, ', ')
const doubling = repeat(
  12,
  n => `d${n}: { oneOf: [{ $ref: "#/$defs/d${n + 1}" }, { minProperties: 900 }] }`,
  ', '
)
const rule = (require: string) =>
  `policy: { unknown_fields: warn, rules: [{ name: r, message: m, level: warning, require: ${require} }] }\n`
const secret = 'auth: { type: psk, psk: { $env: WLAN_SECRET_A } }'

/** Fleets whose work is at least this many units, before each of which the clock is read. */
const slow: [what: string, least: number, files: Files][] = [
  ['files', 50, sites(50)],
  ['ignored files', 50, { ...sites(50), '.wlanctlignore': 'f*\n', 'a.yaml': site(99) }],
  ['sites', 50, { 'a.yaml': listOf(50) }],
  [
    'WLANs',
    600,
    { 'a.yaml': `${listOf(20)}wlans: { ${repeat(30, n => `w${n}: { ssid: a }`, ', ')} }\n` }
  ],
  [
    'profiles of a WLAN',
    300,
    {
      'a.yaml': `${site(1)}wlans: { w: { ssid: a, $extends: [${named(300)}] } }\nprofiles: { ${repeat(300, n => `p${n}: { dtim: 1 }`, ', ')} }\n`
    }
  ],
  [
    'globs of waves',
    400,
    {
      'a.yaml': `${listOf(20)}policy: { rollout: [{ a: [${repeat(20, n => `"*a*${n}b"`, ', ')}, "*"] }] }\n`
    }
  ],
  [
    'patterns to compile',
    200,
    { 'a.yaml': site(1) + rule(`{ anyOf: [${repeat(200, n => `{ pattern: "a${n}" }`, ', ')}] }`) }
  ],
  [
    'texts to match',
    300,
    {
      'a.yaml': `${site(1)}wlans: { w: { ssid: a, list: [${repeat(300, n => `t${n}`, ', ')}] } }\n${rule('{ properties: { list: { items: { pattern: t } } } }')}`
    }
  ],
  [
    'nested schemas of an unknown value',
    16,
    {
      'a.yaml': `${site(1)}wlans: { w: { ssid: a, ${secret} } }\n${rule(`{ $ref: "#/$defs/d0", $defs: { d12: { properties: { auth: { properties: { psk: { const: a } } } } }, ${doubling} } }`)}`
    }
  ],
  [
    'globs of tests',
    400,
    {
      'a.yaml': `${listOf(20)}wlans: { w: { ssid: a } }\ntests: [{ name: t, sites: [${repeat(20, n => `"!x${n}"`, ', ')}], count: 1 }]\n`
    }
  ]
]

describe('the time of a run is read', () => {
  const loadWith = async (files: Files, seconds: number) => {
    let now = 0
    const clock = () => {
      now += 1
      return now
    }
    const limits = { seconds, secondsPerByte: 0 }
    const { desired, findings } = await load(files, { limits, clock, readsTests: true })
    const isLate = lines(findings).includes('- FLEET_TOO_LARGE')
    return { isLoaded: desired !== undefined, isLate, now }
  }

  test.each(slow)('for %s', async (_what, least, files) => {
    const { isLate, now } = await loadWith(files, 1_000_000)
    expect(isLate).toBe(false)
    expect(now).toBeGreaterThanOrEqual(least)
    for (const seconds of [0, least / 2, now - 10]) {
      expect(await loadWith(files, seconds)).toMatchObject({ isLoaded: false, isLate: true })
    }
  })
})

describe('findings beyond the limit are counted', () => {
  const wrong = (count: number) =>
    `${HQ}${Array.from({ length: 100 }, (_, w) => `  w${w}:\n    ssid: a\n${Array.from({ length: count / 100 }, (_, n) => `    f${n}: 1\n`).join('')}`).join('')}`
  const policy = 'policy: { unknown_fields: warn }\n'

  test.each([
    [MAX_FINDINGS, undefined],
    [MAX_FINDINGS + 100, '100 more were found']
  ])('%i warnings', async (count, more) => {
    const { desired, findings } = await load({ 'a.yaml': wrong(count), 'p.yaml': policy })
    expect(desired).toBeDefined()
    expect(findings).toHaveLength(MAX_FINDINGS + (more === undefined ? 0 : 1))
    if (more !== undefined) {
      expect(findings[0]).toMatchObject({
        code: 'MORE_WARNINGS',
        message: expect.stringContaining(more)
      })
    }
  })
})

describe('a key without a value', () => {
  test.each([
    ['wlans', `${HQ}`, 'a.yaml:5:7 VALUE_MISSING wlans'],
    ['wlans: null', `${site(1)}wlans: null\n`, 'a.yaml:2:8 VALUE_MISSING wlans'],
    ['sites', 'sites:\n', 'a.yaml:1:7 VALUE_MISSING sites'],
    ['profiles', `${site(1)}profiles:\n`, 'a.yaml:2:10 VALUE_MISSING profiles'],
    ['a profile', `${site(1)}profiles: { p: ~ }\n`, 'a.yaml:2:16 VALUE_MISSING profiles.p'],
    ['policy', `${site(1)}policy:\n`, 'a.yaml:2:8 VALUE_MISSING policy'],
    ['rules', `${site(1)}policy: { rules: ~ }\n`, 'a.yaml:2:18 VALUE_MISSING policy.rules'],
    ['vars', site(1).replace(' }', ', vars: ~ }'), 'a.yaml:1:67 VALUE_MISSING site.vars']
  ])('%s', async (_what, text, expected) => {
    const { findings } = await load({ 'a.yaml': text })
    expect(lines(findings)).toContain(expected)
    expect(findings.find(({ code }) => code === 'VALUE_MISSING')?.hint).toMatch(/`(\{\}|\[\])`/)
  })

  it('is accepted as an explicit null', async () => {
    const text = `${site(1).replace(' }', ', vars: {} }')}wlans: {}\nprofiles: {}\npolicy: {}\n`
    expect((await load({ 'a.yaml': text })).findings).toEqual([])
  })
})

describe('absurdly long names', () => {
  const long = 'k'.repeat(1_000_000)
  test.each([
    ['a site', `site: { id: ${id(1)}, name: ${long} }\n`],
    ['a WLAN', `${site(1)}wlans:\n  ? ${long}\n  : { ssid: a }\n`],
    ['a profile', `${site(1)}profiles:\n  ? ${long}\n  : { dtim: 1 }\n`],
    ['a field', `${site(1)}wlans:\n  w:\n    ssid: a\n    ? ${long}\n    : 1\n`],
    ['a top-level key', `? ${long}\n: 1\n`]
  ])('%s: findings stay short', async (_what, text) => {
    const { desired, findings } = await load({ 'a.yaml': text })
    expect(desired).toBeUndefined()
    expect(JSON.stringify(findings).length).toBeLessThan(5000)
  })
})

it('LineIndex returns line and column of any offset', () => {
  const piece = fc.constantFrom('\n', 'a', 'x'.repeat(700), '\n\n\n', 'b\n'.repeat(300), '\u20ac')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(), (pieces, at) => {
      const text = pieces.join('')
      const offset = at % (text.length + 1)
      const before = text.slice(0, offset).split('\n')
      const column = (before.at(-1)?.length ?? 0) + 1
      expect(new LineIndex(text).at(offset)).toEqual({ line: before.length, column })
    })
  )
})

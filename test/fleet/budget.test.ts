import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { LineIndex } from '../../src/fleet/files/source.ts'
import { MAX_FINDINGS, type Resource, RunBudget, runLimits } from '../../src/fleet/limits.ts'
import { loadFleet } from '../../src/fleet/load.ts'
import { fleetOf, HQ, lines, load } from './fleet.ts'

const id = (n: number) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const site = (n: number) => `site: { id: ${id(n)}, name: s${n} }\n`
const sites = (count: number, text = site) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}.yaml`, text(at)]))

const bytesOf = (files: Record<string, string>) =>
  Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0)

const aliases = (n: number) =>
  `site: { id: ${id(n)}, name: s${n}, vars: { a: &a [1, 2, 3], b: [*a, *a] } }\n`

type Files = Record<string, string>

const listOf = (wlans: number) => ({
  'a.yaml': `sites:\n${Array.from({ length: 20 }, (_, n) => `  - { id: ${id(n)}, name: s${n} }\n`).join('')}wlans:\n${Array.from({ length: wlans }, (_, n) => `  w${n}: { ssid: a }\n`).join('')}`
})

const profiles = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`)

/** Fleets that use an exact amount of a resource, found by search. */
const hostile: [what: string, resource: Resource, files: Files][] = [
  ['many names', 'entries', { ...sites(3), 'notes.txt': '', 'more.md': '' }],
  ['many files', 'files', sites(20)],
  ['many bytes of comments', 'bytes', sites(4, n => `${site(n)}# ${'c'.repeat(5000)}\n`)],
  ['many bytes of two-byte text', 'bytes', sites(4, n => `${site(n)}# ${'\u20ac'.repeat(500)}\n`)],
  ['many variables', 'nodes', sites(5, n => site(n).replace(' }', ', vars: { a: [1, 2, 3] } }'))],
  ['aliases that repeat', 'nodes', sites(5, aliases)],
  ['many plain tokens', 'reading', sites(5, n => `${site(n)}wlans:\n  w: { ssid: a, dtim: 2 }\n`)],
  ['YAML that is not plain', 'reading', sites(5, aliases)],
  ['sites times WLANs', 'resolving', listOf(20)],
  [
    'profiles that multiply',
    'resolving',
    {
      'a.yaml': `${site(1)}wlans: { w: { ssid: a, $extends: [${profiles(300).join()}] } }\nprofiles: { ${profiles(
        300
      )
        .map(name => `${name}: { dtim: 1 }`)
        .join()} }\n`
    }
  ]
]

async function codesOf(cwd: string, limits: Partial<Record<Resource, number>>) {
  const budget = new RunBudget(limits)
  const { desired, findings } = await loadFleet({ directory: '.', cwd, budget })
  return { isLoaded: desired !== undefined, findings: lines(findings) }
}

/** A budget that counts the use of each resource. */
class Meter extends RunBudget {
  readonly taken = new Map<Resource, number>()

  override take(resource: Resource, amount = 1): boolean {
    this.taken.set(resource, (this.taken.get(resource) ?? 0) + amount)
    return super.take(resource, amount)
  }
}

/** The use of a resource by a fleet without limits. */
async function takenBy(cwd: string, resource: Resource): Promise<number> {
  const meter = new Meter({ resolving: runLimits.resolving })
  const before = meter.resolving.left
  await loadFleet({ directory: '.', cwd, budget: meter })
  if (resource === 'resolving') return before - meter.resolving.left
  return Math.ceil(meter.taken.get(resource) ?? 0)
}

/** The lowest limit at which a fleet loads: usually its use, which is tried first. */
async function needOf(cwd: string, resource: Resource): Promise<number> {
  const suffices = async (limit: number) => (await codesOf(cwd, { [resource]: limit })).isLoaded
  const taken = await takenBy(cwd, resource)
  let [low, high] = [0, 1_000_000]
  if (await suffices(taken)) high = taken
  if (!(await suffices(taken - 1))) low = taken
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await suffices(middle)) high = middle
    else low = middle + 1
  }
  return high
}

describe('the budget of a run', () => {
  test.each(hostile)(
    '%s: just under the limit passes, just over it is one finding',
    async (_, resource, files) => {
      const cwd = fleetOf(files)
      const need = await needOf(cwd, resource)
      expect(need).toBeGreaterThan(1)
      expect(await codesOf(cwd, { [resource]: need })).toEqual({ isLoaded: true, findings: [] })
      const over = await codesOf(cwd, { [resource]: need - 1 })
      expect(over).toEqual({ isLoaded: false, findings: ['- FLEET_TOO_LARGE'] })
    }
  )

  test('an exhausted one makes no other finding', async () => {
    const cwd = fleetOf({
      'p.yaml': `profiles:\n  base: { ssid: a, hide_ssid: false, portal: { enabled: true, auth: none } }\n  p: { $extends: base, portal: { forward: false } }\n`,
      'a.yaml': `site: { id: ${id(1)}, name: s, vars: { timezone: Europe/Berlin } }\nwlans:\n  v: { $extends: p }\n  w: { $extends: [p, base] }\n`
    })
    const need = await needOf(cwd, 'resolving')
    const found = new Set<string>()
    for (let limit = 0; limit < need; limit += 3) {
      found.add((await codesOf(cwd, { resolving: limit })).findings.join())
    }
    expect([...found]).toEqual(['- FLEET_TOO_LARGE'])
    expect(await codesOf(cwd, { resolving: need })).toEqual({ isLoaded: true, findings: [] })
  })

  test('counts files and bytes as they are', async () => {
    const files = sites(20)
    const cwd = fleetOf(files)
    expect(await needOf(cwd, 'files')).toBe(20)
    expect(await needOf(cwd, 'entries')).toBe(20)
    expect(await needOf(cwd, 'bytes')).toBe(bytesOf(files))
  })

  test('grows linearly with the fleet', async () => {
    const wlans = (n: number) => `${site(n)}wlans: { w: { ssid: a, dtim: 2 } }\n`
    const [one, ten] = [fleetOf(sites(10, wlans)), fleetOf(sites(100, wlans))]
    for (const resource of ['nodes', 'reading', 'resolving'] as const) {
      const [few, many] = [await needOf(one, resource), await needOf(ten, resource)]
      expect(many / few, resource).toBeLessThan(11)
    }
  })

  test('refuses no list for its number of sites and WLANs, and stays bounded', async () => {
    const count = (count: number, of: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => of(n)).join('')
    const fleet = (sites: number, wlans: number) => ({
      'a.yaml': `sites:\n${count(sites, n => `  - { id: ${id(n)}, name: s${n} }\n`)}wlans:\n${count(wlans, n => `  w${n}: { ssid: a${n} }\n`)}`
    })
    expect((await load(fleet(5000, 80))).findings).toEqual([])
    expect(lines((await load(fleet(5000, 400))).findings)).toEqual(['- FLEET_TOO_LARGE'])
  })

  test('equal blocks are resolved once, for all rules', async () => {
    const rule = '{ name: r, message: m, require: { properties: { dtim: { maximum: 3 } } } }'
    const policy = { 'policy.yaml': `policy: { rules: [${rule}] }\n` }
    const wlans = (n: number) =>
      `${site(n)}wlans:\n  w:\n    ssid: a\n    dtim: 2\n    auth: { type: open }\n`
    const stepsOf = async (files: Files, rulesOver: 'declared' | 'live'): Promise<number> => {
      const budget = new RunBudget({ resolving: runLimits.resolving })
      const before = budget.resolving.left
      await load(files, { budget, rulesOver })
      return before - budget.resolving.left
    }
    const plain = await stepsOf(sites(40, wlans), 'declared')
    expect(await stepsOf(sites(40, wlans), 'live')).toBe(plain)
    for (const over of ['live', 'declared'] as const) {
      expect(await stepsOf({ ...sites(40, wlans), ...policy }, over)).toBe(plain)
    }
  })

  test('ends an interrupted run between two units of work', async () => {
    const abortController = new AbortController()
    abortController.abort()
    const long = { 'a.yaml': listOf(4000)['a.yaml'] }
    await expect(load(long, { signal: abortController.signal })).rejects.toThrow(/abort/i)
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

  it('a block is parsed again once for all of its findings', async () => {
    const padded = wrong(2000).replace('wlans:', `# ${'c'.repeat(2 * 1024 * 1024)}\nwlans:`)
    const reading = await needOf(fleetOf({ 'a.yaml': wrong(100), 'p.yaml': policy }), 'reading')
    const { findings } = await load(
      { 'a.yaml': padded, 'p.yaml': policy },
      { budget: new RunBudget({ reading: 20 * reading + 1_000_000 }) }
    )
    expect(findings).toHaveLength(2000)
    expect(findings.every(({ path }) => path?.startsWith('wlans.w'))).toBe(true)
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

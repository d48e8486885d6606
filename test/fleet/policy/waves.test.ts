import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Wave } from '../../../src/core/model/desired.ts'
import { runs } from '../../support/properties.ts'
import { lines, load, loaded } from '../fleet.ts'

const idOf = (n: number) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** A fleet of these sites, by name and id, with this rollout. */
function fleet(sites: Iterable<readonly [name: string, id: string]>, rollout: string) {
  const items = [...sites].map(([name, id]) => `  - { id: ${id}, name: ${JSON.stringify(name)} }\n`)
  return {
    'sites.yaml': `sites:\n${items.join('')}`,
    'p.yaml': `policy: { rollout: ${rollout} }\n`
  }
}

const named = (...names: string[]) => names.map((name, at) => [name, idOf(at)] as const)
const stores = (n: number) => Array.from({ length: n }, (_, at) => `s${at}`)

async function wavesOf(...[sites, rollout]: Parameters<typeof fleet>): Promise<readonly Wave[]> {
  return (await loaded(fleet(sites, rollout))).rollout ?? []
}

/** The waves as text: `canary: hq; rest: a, b`. */
function formatWaves(waves: readonly Wave[]): string {
  return waves.map(({ name = '-', sites }) => `${name}: ${sites.join(', ')}`).join('; ')
}

describe('a site belongs to', () => {
  it.each([
    ['the wave that names it', '[{ canary: hq }, { rest: "*" }]', 'canary: hq; rest: lab, s1, s2'],
    [
      'the first of several',
      '[{ a: s* }, { b: "*" }, { c: [hq, s1] }]',
      'a: s1, s2; b: hq, lab; c: '
    ],
    ['the wave that has its id', `[{ a: "*1" }, { b: "*" }]`, 'a: lab, s1; b: hq, s2'],
    ['a wave without a name, in the end', '[{ canary: hq }]', 'canary: hq; -: lab, s1, s2']
  ])('%s', async (_, rollout, expected) => {
    expect(formatWaves(await wavesOf(named('hq', 'lab', 's1', 's2'), rollout))).toBe(expected)
  })

  it('no wave, if none is declared', async () => {
    expect((await loaded(fleet(named('hq'), '[]'))).rollout).toBeUndefined()
  })

  it('the same wave in any partial run', async () => {
    const files = fleet(named(...stores(20)), '[{ few: 10% }, { half: 50% }]')
    const { rollout } = await loaded(files)
    expect((await loaded(files, { sites: ['s1', 's7'] })).rollout).toEqual(rollout)
  })
})

describe('a percentage wave', () => {
  it.each([
    [1, [1, 0, 0]],
    [3, [1, 1, 1]],
    [10, [1, 4, 5]],
    [30, [3, 12, 15]],
    [1000, [100, 400, 500]]
  ])('of %i sites is rounded up, and includes the waves before it', async (n, sizes) => {
    const waves = await wavesOf(named(...stores(n)), '[{ a: 10% }, { b: 50% }, { c: 100% }]')
    expect(waves.map(({ sites }) => sites.length)).toEqual(sizes)
  })

  it('includes the sites of named waves before it', async () => {
    const waves = await wavesOf(named(...stores(10)), '[{ canary: [s0, s1] }, { half: 50% }]')
    expect(waves.map(({ sites }) => sites.length)).toEqual([2, 3, 5])
  })

  it('depends on ids alone: names and order do not matter', async () => {
    const ids = stores(40).map((_, at) => idOf(at))
    const half = async (sites: [string, string][]) => {
      const [wave] = await wavesOf(sites, '[{ half: 50% }]')
      return new Set(sites.flatMap(([name, id]) => (wave?.sites.includes(name) ? id : [])))
    }
    const one = await half(ids.map(id => [`a${id}`, id]))
    const other = await half(ids.toReversed().map((id, at) => [`b${at}`, id.toUpperCase()]))
    expect(new Set([...other].map(id => id.toLowerCase()))).toEqual(one)
  })

  it('selects the same sites, except one, when the fleet grows by one', async () => {
    const half = async (n: number) => (await wavesOf(named(...stores(n)), '[{ half: 50% }]'))[0]
    const before = await half(40)
    const after = await half(41)
    const moved = before?.sites.filter(site => !after?.sites.includes(site))
    expect(moved?.length).toBeLessThanOrEqual(1)
  })
})

describe('findings about waves', () => {
  const sites = named('hq', 'lab')

  it.each([
    [
      'a glob without matching sites',
      '[{ a: [hq, sore*] }]',
      '31 WAVE_FITS_NO_SITE policy.rollout[0].a[1]'
    ],
    ['a wave without matching sites', '[{ a: sore }]', '26 WAVE_FITS_NO_SITE policy.rollout[0].a'],
    ['a typo in braces', '[{ a: "{hq,sore}" }]', '26 WAVE_FITS_NO_SITE policy.rollout[0].a'],
    [
      'a wave with sites of earlier waves',
      '[{ a: "*" }, { b: lab }]',
      '38 WAVE_EMPTY? policy.rollout[1].b'
    ],
    [
      'a percentage of sites in earlier waves',
      '[{ a: "*" }, { b: 50% }]',
      '38 WAVE_EMPTY? policy.rollout[1].b'
    ]
  ])('%s', async (_, rollout, expected) => {
    expect(lines((await load(fleet(sites, rollout))).findings)).toEqual([`p.yaml:1:${expected}`])
  })

  it('are not reported while there are errors', async () => {
    const files = { ...fleet(sites, '[{ a: sore }]'), 'x.yaml': 'site: { name: x }\n' }
    expect(lines((await load(files)).findings)).toEqual(['x.yaml:1:7 KEY_MISSING site'])
  })
})

it('every site has one wave, and the waves are in declared order', async () => {
  const wave = fc.oneof(
    fc.constantFrom('"*"', 's1*', 's?', '[s2*, hq]', '"*3"'),
    fc.integer({ min: 1, max: 100 }).map(percent => `${percent}%`)
  )
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 4, max: 40 }),
      fc.array(wave, { minLength: 1, maxLength: 6 }),
      async (n, holds) => {
        const growing = holds.filter((hold, at) => {
          const before = holds
            .slice(0, at)
            .flatMap(other => (/%$/.test(other) ? parseInt(other, 10) : []))
          return !/%$/.test(hold) || parseInt(hold, 10) > Math.max(0, ...before)
        })
        const rollout = `[${growing.map((hold, at) => `{ w${at}: ${hold} }`).join(', ')}]`
        const names = ['hq', ...stores(n)]
        const waves = await wavesOf(named(...names), rollout)
        expect(waves.flatMap(({ sites }) => sites).sort()).toEqual(names.sort())
        const given = waves.flatMap(({ name }) => name ?? [])
        expect(given).toEqual(growing.map((_, at) => `w${at}`))
        expect(waves.slice(given.length).length).toBeLessThanOrEqual(1)
      }
    ),
    runs(24)
  )
})

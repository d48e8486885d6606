import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseWeights } from '../../src/config/weights.ts'
import { lines, load, loaded } from './fleet.ts'

describe('a file of weights', () => {
  it.each([
    ['hq,120\nlab,0\n', { hq: 120, lab: 0 }],
    ['site,clients\nhq,120', { hq: 120 }],
    ['\uFEFFhq,1\r\nlab,2\r\n', { hq: 1, lab: 2 }],
    ['"a, ""b""",7\n', { 'a, "b"': 7 }]
  ])('%j', (text, expected) => {
    expect(Object.fromEntries(parseWeights(text, 'w.csv'))).toEqual(expected)
  })

  it.each([
    ['', 'w.csv:1: expected a site, got none'],
    ['site,clients\n', 'w.csv:1: expected a site, got none'],
    ['hq,120\n\nlab,1\n', 'w.csv:2: expected `SITE,NUMBER`, got ""'],
    ['hq;120', 'w.csv:1: expected `SITE,NUMBER`, got "hq;120"'],
    ['hq,-1', 'w.csv:1'],
    ['hq,1.5', 'w.csv:1'],
    ['hq,1e3', 'w.csv:1'],
    ['hq, 12', 'w.csv:1'],
    ['hq,1,2', 'w.csv:1'],
    ['hq,1\nlab,2\nhq,3', 'w.csv:3: duplicate site "hq"']
  ])('%j is rejected with its line', (text, problem) => {
    expect(() => parseWeights(text, 'w.csv')).toThrow(problem)
  })

  it('preserves quoted names', () => {
    const name = fc.string({ minLength: 1 }).filter(text => !/[\r\n\uFEFF]/.test(text))
    const sites = fc.uniqueArray(fc.tuple(name, fc.nat(999_999_999)), {
      minLength: 1,
      selector: ([key]) => key
    })
    fc.assert(
      fc.property(sites, entries => {
        const text = entries.map(([key, n]) => `"${key.replaceAll('"', '""')}",${n}\n`).join('')
        expect([...parseWeights(text, 'w.csv')]).toEqual(entries)
      })
    )
  })
})

const idOf = (n: number) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`

function fleet(clients: readonly (number | undefined)[], rollout: string) {
  const sites = clients.map(
    (count, n) =>
      `  - { id: ${idOf(n)}, name: s${n}${count === undefined ? '' : `, clients: ${count}`} }\n`
  )
  return {
    'sites.yaml': `sites:\n${sites.join('')}`,
    'p.yaml': `policy: { rollout: ${rollout} }\n`
  }
}

describe('the number of clients of a site', () => {
  it('is an error with both files if they differ', async () => {
    const site = (more: string) => `site: { id: ${idOf(1)}, name: hq${more} }\n`
    const { findings } = await load({
      'a.yaml': site(''),
      'b.yaml': site(', clients: 5'),
      'c.yaml': site(', clients: 6')
    })
    expect(findings.map(({ place, message }) => [place?.file, message])).toEqual([
      ['c.yaml', 'the number of clients of the site differs from the one in b.yaml']
    ])
  })
})

describe('a wave by clients', () => {
  const clients = fc.array(fc.nat(500), { minLength: 1, maxLength: 30 })

  it('contains at most its percentage of the clients, or the smallest site', async () => {
    await fc.assert(
      fc.asyncProperty(clients, fc.integer({ min: 1, max: 100 }), async (counts, percent) => {
        const { rollout } = await loaded(fleet(counts, `[{ canary: ${percent}% of clients }]`))
        const at = (name: string) => counts[Number(name.slice(1))] ?? 0
        const held = rollout?.[0]?.sites ?? []
        const people = held.reduce((sum, name) => sum + at(name), 0)
        const total = counts.reduce((sum, count) => sum + count, 0)
        const isSmallest = held.length === 1 && people === Math.min(...counts)
        expect(people <= (percent * total) / 100 || isSmallest).toBe(true)
        expect(held.length).toBeGreaterThan(0)
        expect(rollout?.flatMap(({ sites }) => sites).sort()).toEqual(
          counts.map((_, n) => `s${n}`).sort()
        )
      }),
      { numRuns: 40 }
    )
  })

  it('uses the numbers of --weights instead of those of the files', async () => {
    const files = fleet([1000, 10, 10], '[{ canary: 10% of clients }]')
    const given = await loaded(files, {
      weights: new Map([
        ['s0', 1],
        [idOf(1).toUpperCase(), 500]
      ])
    })
    expect(given.sites.map(({ clients }) => clients)).toEqual([1, 500, 10])
    expect(given.rollout?.[0]?.sites).toEqual(['s0', 's2'])
  })

  it('requires the number of each site', async () => {
    const found = await load(fleet([5, undefined], '[{ canary: 10% of clients }]'))
    expect(lines(found.findings).join()).toContain('WAVE_NEEDS_CLIENTS')
  })

  it.each(['0% of clients', '101% of clients', '5 % of clients'])('%s is rejected', async text => {
    const { findings } = await load(fleet([5], `[{ canary: ${text} }]`))
    expect(findings.some(({ level }) => level === 'error')).toBe(true)
  })

  it('has a warning for weights of undeclared sites', async () => {
    const { findings } = await load(fleet([5], '[]'), { weights: new Map([['s7', 1]]) })
    expect(findings.map(({ code }) => code)).toEqual(['WEIGHTS_UNKNOWN_SITE'])
  })
})

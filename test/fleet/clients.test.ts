import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lines, load, loaded } from './fleet.ts'

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

  it('requires the number of each site', async () => {
    const found = await load(fleet([5, undefined], '[{ canary: 10% of clients }]'))
    expect(lines(found.findings).join()).toContain('WAVE_NEEDS_CLIENTS')
  })

  it.each(['0% of clients', '101% of clients', '5 % of clients'])('%s is rejected', async text => {
    const { findings } = await load(fleet([5], `[{ canary: ${text} }]`))
    expect(findings.some(({ level }) => level === 'error')).toBe(true)
  })
})

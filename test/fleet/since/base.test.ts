import { describe, expect, it } from 'vitest'
import { RunBudget } from '../../../src/fleet/limits.ts'
import { lines, load } from '../fleet.ts'
import { revisionOf } from './revision.ts'

type Files = Readonly<Record<string, string>>

const id = (n: number) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** This many sites, named by number unless a name is set. */
const fleet = (
  count: number,
  policy: string,
  names: Readonly<Record<number, string>> = {}
): Files => ({
  'policy.yaml': `policy: { ${policy} }\n`,
  'sites.yaml': `sites:\n${Array.from(
    { length: count },
    (_, n) => `  - { id: ${id(n)}, name: ${names[n] ?? `s${String(n).padStart(3, '0')}`} }\n`
  ).join('')}wlans: { w: { ssid: a } }\n`
})

describe('the read budget', () => {
  const sites = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [
      `s${n}.yaml`,
      `site: { id: ${id(n)}, name: s${n} }\nwlans: { w: { ssid: a, dtim: 2 } }\n`
    ])
  )
  const readingOf = async (since?: Files) => {
    const budget = new RunBudget()
    const takes: number[] = []
    const take = budget.take.bind(budget)
    budget.take = (resource, amount = 1) => {
      if (resource === 'reading') takes.push(amount)
      return take(resource, amount)
    }
    await load(sites, { budget, ...(since && { since: async () => revisionOf(since) }) })
    return takes.reduce((sum, amount) => sum + amount, 0)
  }

  it('is separate for the files of the base', async () => {
    const alone = await readingOf()
    expect(await readingOf(sites)).toBe(alone)
    const [name = '', text = ''] = Object.entries(sites)[0] ?? []
    expect(await readingOf({ ...sites, [name]: text.replace('dtim: 2', 'dtim: 1') })).toBe(alone)
  })
})

it('a base with more sites than a run may join is an error of the base', async () => {
  const vars = Array.from({ length: 4000 }, (_, n) => `v${n}: 1`).join(', ')
  const sites = Array.from(
    { length: 2500 },
    (_, n) => `  - { id: ${id(n)}, name: s${n}, groups: [g], vars: { own: 1 } }\n`
  )
  const then = { 'a.yaml': `groups: { g: { vars: { ${vars} } } }\nsites:\n${sites.join('')}` }
  const { findings } = await load(fleet(2, ''), { base: async () => revisionOf(then) })
  expect(lines(findings)).toContain('- BASE_WRONG')
})

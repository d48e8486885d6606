import { describe, expect, it, test } from 'vitest'
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

async function compared(now: Files, then: Files) {
  const base = async () => revisionOf(then)
  const { desired, findings } = await load(now, { base })
  return {
    sites: desired?.sites.length,
    rollout: desired?.rollout?.map(({ name, sites }) => [name ?? '-', ...sites].join(' ')),
    // guards.test.ts tests what the policies stop enforcing.
    codes: lines(findings.filter(({ code }) => code !== 'POLICY_WEAKENED'))
  }
}

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

it('a base with errors is a warning', async () => {
  const then = { ...fleet(2, ''), 'wrong.yaml': 'site: [\n' }
  const { sites, codes } = await compared(fleet(100, ''), then)
  expect({ sites, codes }).toEqual({ sites: 100, codes: ['- BASE_WRONG?'] })
})

describe('the waves of a base', () => {
  const ROLLOUT = 'rollout: [{ canary: c* }, { half: h* }]'
  const then = fleet(4, ROLLOUT, { 0: 'c0', 1: 'h1', 2: 'h2' })

  test.each<
    [what: string, now: Files, rollout: readonly string[] | undefined, codes: readonly string[]]
  >([
    ['nothing', then, ['canary c0', 'half h1 h2', '- s003'], []],
    [
      'all renamed into the canary',
      fleet(4, ROLLOUT, { 0: 'c0', 1: 'c1', 2: 'c2', 3: 'c3' }),
      ['canary c0', 'half', '- c1 c2 c3'],
      ['- WAVE_CHANGED?', 'policy.yaml:1:45 WAVE_FITS_NO_SITE? policy.rollout[1].half']
    ],
    [
      'one renamed',
      fleet(4, ROLLOUT, { 0: 'c0', 1: 'h1', 2: 'c2' }),
      ['canary c0', 'half h1', '- c2 s003'],
      ['- WAVE_CHANGED?']
    ],
    [
      'waves in another order',
      fleet(4, 'rollout: [{ half: h* }, { canary: c* }]', { 0: 'c0', 1: 'h1', 2: 'h2' }),
      ['half', 'canary', '- c0 h1 h2 s003'],
      ['- WAVE_CHANGED?']
    ],
    [
      'a wave of another name',
      fleet(4, 'rollout: [{ first: c* }, { half: h* }]', { 0: 'c0', 1: 'h1', 2: 'h2' }),
      ['first c0', 'half h1 h2', '- s003'],
      []
    ],
    [
      'one wave more in front, of a new site',
      fleet(5, 'rollout: [{ lab: l* }, { canary: c* }, { half: h* }]', {
        0: 'c0',
        1: 'h1',
        2: 'h2',
        4: 'l4'
      }),
      ['lab l4', 'canary c0', 'half h1 h2', '- s003'],
      []
    ],
    ['no rollout', fleet(4, '', { 0: 'c0' }), undefined, []]
  ])('%s', async (_what, now, rollout, codes) => {
    const found = await compared(now, then)
    expect({ rollout: found.rollout, codes: found.codes }).toEqual({ rollout, codes })
  })

  it('apply to a run of the changed sites', async () => {
    const since = async () => revisionOf(then)
    const now = fleet(4, ROLLOUT, { 0: 'c0', 1: 'h1', 2: 'c2' })
    const { desired, findings } = await load(now, { since })
    expect(desired?.sites.map(({ name }) => name)).toEqual(['c2'])
    expect(findings[0]?.message).toMatch(/1 site moved to another wave since "main".*"c2"/)
    expect(desired?.rollout?.at(-1)).toEqual({ sites: ['c2', 's003'] })
  })
})

it('a base with more sites than a run may join is an error of the base', async () => {
  const vars = Array.from({ length: 4000 }, (_, n) => `v${n}: 1`).join(', ')
  const sites = Array.from(
    { length: 1500 },
    (_, n) => `  - { id: ${id(n)}, name: s${n}, groups: [g], vars: { own: 1 } }\n`
  )
  const then = { 'a.yaml': `groups: { g: { vars: { ${vars} } } }\nsites:\n${sites.join('')}` }
  expect((await compared(fleet(2, ''), then)).codes).toContain('- BASE_WRONG?')
})

import { describe, expect, it } from 'vitest'
import { networkStates, type Overview } from '../../../src/report/overview/overview.ts'
import { overviewOf } from '../../../src/report/overview/overview-of.ts'
import { textOf } from '../../../src/report/render/inline.ts'
import { estate, sizes } from './estates.ts'

const sum = (overview: Overview) => overview.states.reduce((all, { count }) => all + count, 0)

describe.each(['drift', 'plan'] as const)('the overview of a %s', kind => {
  it.each(sizes)('at %d sites has each network in exactly one state', size => {
    const report = estate(size, kind)
    const overview = overviewOf(report, {})
    expect(sum(overview)).toBe(report.plan.summary.wlans)
    const listed = new Map<string, number>()
    for (const { networks, clean = 0 } of overview.sites) {
      for (const { state } of networks) listed.set(state, (listed.get(state) ?? 0) + 1)
      listed.set('as-declared', (listed.get('as-declared') ?? 0) + clean)
    }
    const counted = overview.states.map(({ state, count }) => [state, count])
    expect([...listed].sort(byRank)).toEqual(counted)
    expect(overview.sites).toHaveLength(size)
    const changed = overview.changes.flatMap(({ networks }) => networks.map(each => each.address))
    expect(new Set(changed).size).toBe(changed.length)
    expect(changed).toHaveLength(report.plan.summary.changed)
  })

  it.each(sizes)('at %d sites lists the worst first', size => {
    const { states, first, changes, sites } = overviewOf(estate(size, kind), {})
    for (const list of [states, changes, sites, first]) {
      const ranks = list.map(({ state }) => networkStates.indexOf(state))
      expect(ranks).toEqual([...ranks].sort((a, b) => a - b))
    }
    expect(first.length).toBeLessThanOrEqual(4)
  })
})

function byRank([a]: readonly [string, number], [b]: readonly [string, number]): number {
  const rank = (state: string) => networkStates.map(String).indexOf(state)
  return rank(a) - rank(b)
}

it.each([
  [3, 'drift', '2 sites have no Corp Wi-Fi, and Store 0002 Lakeside has an open Iot network'],
  [300, 'drift', '4 sites have no Corp Wi-Fi, and 4 have an open Iot network'],
  [300, 'plan', 'The changes open Guest at 2 sites']
] as const)('the headline of %d sites of a %s names the subject', (size, kind, headline) => {
  expect(textOf(overviewOf(estate(size, kind), {}).headline)).toBe(headline)
})

import { describe, expect, test } from 'vitest'
import { overImpact, overLimits } from '../../../src/core/plan/limits.ts'

const most = { maxChangePercent: 100 }

function codes(...limits: Parameters<typeof overLimits>) {
  return overLimits(...limits).map(({ code }) => code)
}

describe('the number of changes', () => {
  test.each([
    [0, 0, []],
    [1, 0, ['OVER_MAX_CHANGES']],
    [20, 20, []],
    [21, 20, ['OVER_MAX_CHANGES']]
  ])('%i of %i allowed', (changed, maxChanges, expected) => {
    expect(codes(changed, [1000], { ...most, maxChanges })).toEqual(expected)
  })

  test('is unlimited by default', () => {
    expect(codes(1000, [1000], most)).toEqual([])
  })
})

describe('the percentage', () => {
  test.each([
    [9, 9, 30, false],
    [3, 10, 30, false],
    [4, 10, 30, true],
    [30, 100, 30, false],
    [31, 100, 30, true],
    [29, 100, 29, false],
    [7, 25, 28, false],
    [1, 300, 0.3, true],
    [1, 10, 0, true],
    [0, 10, 0, false],
    [0, 0, 0, false]
  ])('%i of %i with %d %% allowed: refused %j', (changed, wlans, maxChangePercent, refused) => {
    expect(codes(changed, [wlans], { maxChangePercent })).toEqual(
      refused ? ['OVER_MAX_PERCENT'] : []
    )
  })
})

describe('the maximum impact', () => {
  test.each([
    [['outage', 'outage'], '2 of 4 WLANs (50 %) would see an outage,'],
    [['outage', 'reconnect'], '2 of 4 WLANs (50 %) would see up to an outage,'],
    [['some', 'guest-login'], '1 of 4 WLANs (25 %) would see a partial outage,']
  ] as const)('refuses %j, some of which is allowed', (impacts, message) => {
    const changes = impacts.map((impact, n) => ({ impact, address: `hq/w${n}` }))
    const [found] = overImpact(changes, 4, { maxImpact: 'guest-login' })
    expect(found?.message).toContain(message)
  })
})

test('the percentage is of the WLANs of the files, and of those of the base', () => {
  const policy = { maxChangePercent: 30 }
  expect(codes(12, [50], policy)).toEqual([])
  expect(codes(12, [39], policy)).toEqual(['OVER_MAX_PERCENT'])
  // A change that drops a declaration of ten does not switch the limit off.
  expect(codes(9, [9], policy)).toEqual([])
  const [found] = overLimits(9, [9, 10], policy)
  expect(found?.message).toMatch(/changes 9 of 10 declared WLANs \(90 %\)/)
  expect(codes(12, [1000, 39], policy)).toEqual(['OVER_MAX_PERCENT'])
})

test('both limits may be exceeded', () => {
  const policy = { maxChanges: 5, maxChangePercent: 30 }
  expect(codes(6, [10], policy)).toEqual(['OVER_MAX_CHANGES', 'OVER_MAX_PERCENT'])
})

describe('a limit on the command line', () => {
  const policy = { maxChanges: 5, maxChangePercent: 30 }
  test.each([
    ['all', []],
    [10, []],
    [9, ['OVER_MAX_CHANGES']],
    [0, ['OVER_MAX_CHANGES']]
  ] as const)('%s overrides the policy', (override, expected) => {
    expect(codes(10, [10], policy, { maxChanges: override })).toEqual(expected)
  })
})

test('a refusal has the number, the limit, its source and the fix', () => {
  const [byPolicy] = overLimits(6, [10], { ...most, maxChanges: 5 })
  expect(byPolicy?.message).toMatch(/6 of 10 WLANs \(60 %\).*policy\.max_changes.*5/)
  expect(byPolicy?.hint).toContain('--max-changes 6')
  const [byOption] = overLimits(6, [10], most, { maxChanges: 5, command: 'revert' })
  expect(byOption?.message).toMatch(/6 of 10 WLANs.*--max-changes.*5/)
  expect(byOption?.hint).toContain('`revert --max-changes 6`')
  const [byPercent] = overLimits(6, [10], { maxChangePercent: 30 })
  expect(byPercent?.message).toMatch(/6 of 10.*60 %.*policy\.max_change_percent.*30 %/)
  expect(byPercent?.hint).toContain('--max-changes 6')
})

import { describe, expect, test } from 'vitest'
import { overImpact, overLimits, sizeOf } from '../../../src/core/plan/limits.ts'

/** The size of a plan whose WLANs all exist. */
const size = (changed: number, wlans: number) => ({ changed, wlans, compared: wlans })

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
    expect(codes(size(changed, 1000), { ...most, maxChanges })).toEqual(expected)
  })

  test('is unlimited by default', () => {
    expect(codes(size(1000, 1000), most)).toEqual([])
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
    expect(codes(size(changed, wlans), { maxChangePercent })).toEqual(
      refused ? ['OVER_MAX_PERCENT'] : []
    )
  })

  test.each([
    [30, 'policy.max_change_percent allows 30 % (the default)'],
    [20, 'policy.max_change_percent allows 20 %']
  ])('a refusal names the default as such: %d %%', (maxChangePercent, end) => {
    const [found] = overLimits(size(9, 10), { maxChangePercent })
    expect(found?.message.endsWith(`, and ${end}`)).toBe(true)
  })
})

describe('the maximum impact', () => {
  test.each([
    [['outage', 'outage'], '2 of 4 WLANs (50 %) would see an outage,'],
    [['outage', 'reconnect'], '2 of 4 WLANs (50 %) would see up to an outage,'],
    [['some', 'guest-login'], '1 of 4 WLANs (25 %) would see a partial outage,']
  ] as const)('refuses %j, some of which is allowed', (impacts, message) => {
    const changes = impacts.map((impact, n) => ({ impact, address: `hq/w${n}` }))
    const [found] = overImpact(changes, 4, 'guest-login')
    expect(found?.message).toContain(message)
  })
})

describe('missing WLANs', () => {
  const summary = {
    sites: 1,
    sites_failed: 0,
    unmanaged: 0,
    requests: 1,
    unchanged: 0,
    changed: 10
  }

  test.each([0, 1, 90, 100_000])('do not dilute ten of ten, even if there are %i', blocked => {
    const whole = sizeOf({ ...summary, blocked, wlans: 10 + blocked }, 10)
    const [found] = overLimits(whole, { maxChangePercent: 30 })
    expect(found?.message).toMatch(/changes 10 of 10 live WLANs \(100 %\)/)
  })

  test('do not disable the percentage of ten declared WLANs', () => {
    expect(codes({ changed: 4, wlans: 10, compared: 9 }, { maxChangePercent: 30 })).toEqual([
      'OVER_MAX_PERCENT'
    ])
    expect(codes({ changed: 3, wlans: 10, compared: 9 }, { maxChangePercent: 30 })).toEqual([])
  })
})

test('the percentage of a revert is relative to the declared WLANs of the fleet', () => {
  const summary = { sites: 1, sites_failed: 0, wlans: 12, changed: 12, unchanged: 0, blocked: 0 }
  const revert = { ...summary, unmanaged: 0, requests: 1 }
  expect(codes(sizeOf(revert, 12, 50), { maxChangePercent: 30 })).toEqual([])
  expect(codes(sizeOf(revert, 12, 39), { maxChangePercent: 30 })).toEqual(['OVER_MAX_PERCENT'])
  expect(codes(sizeOf(revert, 12), { maxChangePercent: 30 })).toEqual(['OVER_MAX_PERCENT'])
})

test('both limits may be exceeded', () => {
  const policy = { maxChanges: 5, maxChangePercent: 30 }
  expect(codes(size(6, 10), policy)).toEqual(['OVER_MAX_CHANGES', 'OVER_MAX_PERCENT'])
})

describe('a limit on the command line', () => {
  const policy = { maxChanges: 5, maxChangePercent: 30 }
  test.each([
    ['all', []],
    [10, []],
    [9, ['OVER_MAX_CHANGES']],
    [0, ['OVER_MAX_CHANGES']]
  ] as const)('%s overrides the policy', (override, expected) => {
    expect(codes(size(10, 10), policy, override)).toEqual(expected)
  })
})

test('a refusal has the number, the limit, its source and the fix', () => {
  const [byPolicy] = overLimits(size(6, 10), { ...most, maxChanges: 5 })
  expect(byPolicy?.message).toMatch(/6 of 10 WLANs \(60 %\).*policy\.max_changes.*5/)
  expect(byPolicy?.hint).toContain('--max-changes 6')
  const [byOption] = overLimits(size(6, 10), most, 5)
  expect(byOption?.message).toMatch(/6 of 10 WLANs.*--max-changes.*5/)
  const [byPercent] = overLimits(size(6, 10), { maxChangePercent: 30 })
  expect(byPercent?.message).toMatch(/6 of 10.*60 %.*policy\.max_change_percent.*30 %/)
  expect(byPercent?.hint).toContain('--max-changes 6')
})

import { describe, expect, test } from 'vitest'
import type { Effects } from '../../../../src/core/plan/effects/effects.ts'
import { escalationReason } from '../../../../src/core/plan/effects/escalation.ts'

const weakens = (downgrade_levels: Effects['downgrade_levels'] = {}): Effects => ({
  downgrade_levels
})

describe('a change escalates', () => {
  test.each<[what: string, now: Effects, shown: readonly Effects[], phrases: readonly string[]]>([
    ['from no impact', { impact: 'some' }, [{}], ['the impact some instead of none']],
    ['without a plan', { impact: 'some' }, [], ['the impact some instead of none']],
    [
      'to a worse impact than that of all plans',
      { impact: 'outage' },
      [{ impact: 'some' }, { impact: 'reconnect' }],
      ['the impact outage instead of some']
    ],
    [
      'with one more class below the worst',
      { impact: 'some', impacts: ['reconnect', 'some'] },
      [{ impact: 'some' }],
      ['the impact reconnect instead of some']
    ],
    ['with a reset of the radio', { resets_radio: true }, [{}], ['a reset of the radio']],
    [
      'with an authentication risk',
      { authentication_risk: true },
      [{}],
      ['an authentication risk']
    ],
    [
      'with a downgrade of another field',
      weakens({ '/isolation': 'high' }),
      [weakens({ '/l2_isolation': 'high' })],
      ['the downgrade of /isolation (high)']
    ],
    [
      'with a downgrade of a higher level',
      weakens({ '/isolation': 'medium' }),
      [weakens({ '/isolation': 'notice' })],
      ['the downgrade of /isolation (medium)']
    ],
    [
      'in each of these ways',
      { impact: 'outage', resets_radio: true, ...weakens({ '/isolation': 'notice' }) },
      [{ impact: 'some' }],
      [
        'the impact outage instead of some',
        'a reset of the radio',
        'the downgrade of /isolation (notice)'
      ]
    ]
  ])('%s', (_, now, shown, phrases) => {
    expect(escalationReason(now, shown, {})).toBe(
      `it does more than the plan shows: ${phrases.join(', ')}; plan again`
    )
  })
})

describe('a change does not escalate', () => {
  test.each<[what: string, now: Effects, shown: readonly Effects[]]>([
    ['without effects', {}, [{}]],
    [
      'with classes that plans show',
      { impact: 'some', impacts: ['reconnect', 'some'] },
      [{ impact: 'some' }, { impact: 'reconnect' }]
    ],
    ['with a lesser impact', { impact: 'some' }, [{ impact: 'outage' }]],
    ['with the impact of one of the plans', { impact: 'outage' }, [{}, { impact: 'outage' }]],
    ['with a lower downgrade', weakens({ '/a': 'notice' }), [weakens({ '/a': 'high' })]],
    [
      'with the downgrades of two plans',
      weakens({ '/a': 'high', '/b': 'notice' }),
      [weakens({ '/a': 'high' }), weakens({ '/b': 'notice' })]
    ]
  ])('%s', (_, now, shown) => {
    expect(escalationReason(now, shown, {})).toBeUndefined()
  })
})

test('names the live values that the effects depend on, and that may have changed', () => {
  const now = { impact: 'outage', context: { '/hidden': true, '/same': 1 } } as const
  const plans = [{ context: { '/enabled': false } }, { context: { '/same': 1, '/gone': ['a'] } }]
  const live = { enabled: true, hidden: true, same: 1 }
  expect(escalationReason(now, plans, live)).toBe(
    'it does more than the plan shows: the impact outage instead of none (/enabled was false, is true; /gone was ["a"], is unset; /hidden is true); plan again'
  )
})

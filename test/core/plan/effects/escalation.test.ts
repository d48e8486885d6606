import { expect, test } from 'vitest'
import type { Effects } from '../../../../src/core/plan/effects/effects.ts'
import { effectsShown, escalationReason } from '../../../../src/core/plan/effects/escalation.ts'
import { env } from '../../../support/desired.ts'
import { readTable } from '../../table.ts'

type Row = readonly [what: string, now: Effects, shown: readonly Effects[], phrases: string[]]

const rows = readTable<readonly Row[]>('escalation.txt', import.meta.url)

test.each(rows)('a change %s', (_, now, shown, phrases) => {
  const reason = `it does more than the plan shows: ${phrases.join(', ')}; plan again`
  expect(escalationReason(now, shown, {})).toBe(phrases.length === 0 ? undefined : reason)
})

test('names the live values that the effects depend on, and that may have changed', () => {
  const now = { impact: 'outage', context: { '/hidden': true, '/same': 1 } } as const
  const plans = [{ context: { '/enabled': false } }, { context: { '/same': 1, '/gone': ['a'] } }]
  const live = { enabled: true, hidden: true, same: 1 }
  expect(escalationReason(now, plans, live)).toBe(
    'it does more than the plan shows: the impact outage instead of none (enabled was false, is true; gone was ["a"], is unset; hidden is true); plan again'
  )
})

test('what a plan could show has the exposures of all but secrets that it could not compare', () => {
  const patch = [
    { op: 'add', path: '/vlan_id', value: 110 },
    { op: 'add', path: '/auth/psk', value: env('NEW', 'new-psk-of-all') }
  ]
  const change = { patch, secrets: { '/auth/psk': 'changed' }, exposes: ['/vlan_id'] }
  const planned = { change, live: { record: { ssid: 'Guest' } } } as never
  const shown = effectsShown(planned, ['/auth/psk'], path => path === '/auth/psk')
  expect(shown).toMatchObject({ exposes: ['/vlan_id'], downgrade_levels: { '/vlan_id': 'high' } })
  expect(effectsShown(planned, [], () => true)).toBe(change)
})

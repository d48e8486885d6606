import { describe, expect, test } from 'vitest'
import { diff } from '../../../../src/core/diff/diff.ts'
import { effectsOf } from '../../../../src/core/plan/effects/effects.ts'
import { assemble, planSite } from '../../../../src/core/plan/plan.ts'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { readTable } from '../../table.ts'
import { context, desiredSite, env, live, liveSite, nth, record, wlan } from '../support.ts'

/** The fields whose security is weakened by a declaration. */
function downgrades(live: object, declared: ValueObject) {
  return effects(live, declared).downgrades ?? []
}

/** The effects of a declaration on a live record. */
function effects(live: object, declared: ValueObject) {
  const before = record(live)
  return effectsOf(diff(declared, before).patch, before)
}

type Case = readonly [what: string, live: object, declared: ValueObject, fields: readonly string[]]

/** A row per transition. */
type Transition = readonly [
  what: string,
  live: object,
  declared: ValueObject,
  pointer: string,
  level?: 'high' | 'medium' | 'notice'
]

const table: Readonly<Record<'ranked' | 'absent' | 'ciphers', readonly Case[]>> & {
  readonly transitions: readonly Transition[]
} = readTable('downgrade.txt', import.meta.url)

describe('the weakened fields', () => {
  const { transitions: _, ...tables } = table
  test.each(Object.values(tables).flat())('%s', (_, before, declared, fields) => {
    expect(downgrades(before, declared)).toEqual(fields)
  })
})

describe('a list of servers', () => {
  const strict = { host: 'a', require_message_authenticator: true }
  const place = (n: number) => [`/auth_servers/${n}/require_message_authenticator`]

  test.each<readonly [what: string, before: object[], after: ValueObject[], fields: string[]]>([
    [
      'one that is relaxed',
      [strict],
      [{ ...strict, require_message_authenticator: false }],
      place(0)
    ],
    [
      'that one behind another',
      [strict],
      [{ host: 'b' }, { ...strict, require_message_authenticator: null }],
      place(1)
    ],
    ['another order', [strict, { host: 'b' }], [{ host: 'b' }, { host: 'a' }], []],
    ['one that goes', [strict, { host: 'b' }], [{ host: 'b' }], []],
    ['a new one that is as by default', [strict], [{ host: 'c' }], []]
  ])('is compared by the key of each server: %s', (_, before, after, fields) => {
    expect(
      downgrades({ auth: { type: 'eap' }, auth_servers: before }, { auth_servers: after })
    ).toEqual(fields)
  })

  test('is compared with the defaults for new servers', () => {
    const declared = { coa_servers: [{ ip: '10.0.0.1', disable_event_timestamp_check: true }] }
    expect(downgrades({ auth: { type: 'eap' } }, declared)).toEqual([
      '/coa_servers/0/disable_event_timestamp_check'
    ])
  })
})

describe('a shared key in place of individual ones', () => {
  const path = '/dynamic_psk/default_psk'
  const levels = { [path]: 'high' }
  const value = env('b')

  test.each<
    readonly [what: string, members: object, op: 'add' | 'replace', found: object | undefined]
  >([
    ['absent', {}, 'add', levels],
    ['empty', { default_psk: '' }, 'replace', levels],
    ['another one', { default_psk: 'aaaaaaaa' }, 'replace', undefined]
  ])('is a downgrade: %s', (_, members, op, found) => {
    const before = record({ auth: { type: 'psk' }, dynamic_psk: { enabled: true, ...members } })
    const patch = [{ op, path, value }] as const
    const { downgrade_levels } = effectsOf(patch, before)
    expect(downgrade_levels).toEqual(found)
  })
})

const transitions = table.transitions.map(
  ([what, live, declared, pointer, level]) => [what, live, declared, pointer, level] as const
)

describe('a transition', () => {
  test.each(transitions)('%s', (_, live, declared, pointer, level) => {
    const { downgrades = [], downgrade_levels: levels = {} } = effects(live, declared)
    expect(levels[pointer]).toBe(level)
    expect(downgrades.includes(pointer)).toBe(level === 'high' || level === 'medium')
  })
})

describe('a plan with a downgrade', () => {
  const declared = { isolation: false, auth: { type: 'open' } }
  const made = (allowances = {}) => {
    const sites = [
      planSite(
        desiredSite([wlan(declared), wlan({ ssid: 'Guest', vlan_id: 2 }, { key: 'guest' })]),
        liveSite([
          live({ isolation: true, auth: { type: 'eap' } }),
          live({ ssid: 'Guest', vlan_id: 1 }, nth(2))
        ])
      )
    ]
    return assemble(sites, { ...context(), allowances })
  }
  const fields = ['/auth/type', '/isolation']

  test('lists the fields in the change, and says that `apply` would refuse it', () => {
    const plan = made()
    expect(plan.changes.map(({ downgrades }) => downgrades)).toEqual([fields, undefined])
    expect(plan.findings).toMatchObject([
      { code: 'DOWNGRADE', level: 'warning', address: 'hq/corp', place: { line: 3 } }
    ])
    expect(plan.refusals).toMatchObject([{ code: 'DOWNGRADE_REFUSED' }])
  })

  test('has no refusal, and another digest, if the command line allows it', () => {
    const plan = made({ allowDowngrade: ['hq/*'] })
    expect(plan.changes[0]?.downgrades).toEqual(fields)
    expect(plan.refusals).toBeUndefined()
    expect(plan.digest).not.toBe(made().digest)
  })
})

import { describe, expect, test } from 'vitest'
import { validatePlan } from '#forms'
import { matchSite } from '../../src/core/diff/match.ts'
import { Failure } from '../../src/core/model/failure.ts'
import type { PatchOperation, Plan } from '../../src/core/model/plan.ts'
import { digestOf, operationsOf } from '../../src/core/plan/digest.ts'
import { assemble, planSite } from '../../src/core/plan/plan.ts'
import { formatPlan, parsePlan } from '../../src/files/saved-plan.ts'
import { context, desiredSite, env, live, liveSite, nth, wlan } from '../core/plan/support.ts'

const declared = wlan({
  dtim: 2,
  vlan_id: 7,
  auth: { type: 'psk', psk: env('hush-declared') },
  auth_servers: [{ host: 'a', port: 1645 }]
})
const found = live({
  dtim: 1,
  auth: { type: 'open', keys: ['hush-live'] },
  auth_servers: [{ host: 'a', port: 1812, secret: 'hush-radius' }]
})
const planned = (isDrift: boolean) => {
  const [site, live] = [desiredSite([declared]), liveSite([found])]
  return planSite(site, live, matchSite(site, live), { isDrift })
}
const plan = assemble([planned(false)], context())
const drift: Plan = { ...assemble([planned(true)], context()), command: 'drift' }
const text = formatPlan(plan)

/** The failure that a text causes. */
function refusal(saved: string): Failure {
  try {
    parsePlan(saved, 'plan.json')
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('it was accepted')
}

/** The saved plan with edits. */
function edited(edit: (plan: Record<string, never>) => void): string {
  const copy = JSON.parse(text)
  edit(copy)
  return JSON.stringify(copy)
}

describe('a saved plan', () => {
  test('is read back unchanged', () => {
    expect(formatPlan(parsePlan(text, 'plan.json'))).toBe(text)
  })

  test.each([
    ['in an unknown member', { expire: 1, x_new: '********' }],
    ['below one', { expire: 1, x_new: [{ key: 'te*****23' }] }],
    ['of a secret', { expire: 1, password: '********' }]
  ])('is read back unchanged if it has a hidden secret %s', (_, portal) => {
    const site = planSite(
      desiredSite([wlan({ portal: { expire: 2 } })]),
      liveSite([live({ portal })])
    )
    const saved = formatPlan(assemble([site], context()))
    expect(saved).toContain('"$live": true')
    expect(formatPlan(parsePlan(saved, 'plan.json'))).toBe(saved)
  })

  test('is read back unchanged if it is a drift report', () => {
    expect(drift.changes[0]?.dangers?.[0]).toEqual({ kind: 'open', pointer: '/auth/type' })
    expect(formatPlan(parsePlan(formatPlan(drift), 'plan.json'))).toBe(formatPlan(drift))
  })

  test('ends with a newline, and conforms to its schema', () => {
    expect(text.endsWith('}\n')).toBe(true)
    expect(validatePlan(JSON.parse(text))).toBe(true)
  })

  test('contains no secret', () => {
    expect(plan.changes).toHaveLength(1)
    expect(text).not.toContain('hush')
    expect(text).toContain('"$live": true')
  })

  test('may be reformatted', () => {
    expect(parsePlan(JSON.stringify(JSON.parse(text)), 'plan.json').digest).toBe(plan.digest)
  })
})

describe('an invalid saved plan', () => {
  test.each([
    ['nothing', '', 'invalid JSON'],
    [
      'a record',
      '{"format":"wlanctl-record/1"}\n{}\n',
      'expected the format "wlanctl-plan/1", got a record'
    ],
    ['a site', '# hq\n\nsite: { id: 1 }\n', 'expected the format "wlanctl-plan/1", got YAML'],
    ['a truncated plan', text.slice(0, -20), 'invalid JSON'],
    ['null', 'null', 'got none'],
    ['a list', '[]', 'got none'],
    ['another object', '{}', 'got none'],
    [
      'a later version',
      edited(copy => Object.assign(copy, { format: 'wlanctl-plan/2' })),
      'got "wlanctl-plan/2"'
    ],
    ['outcomes', '{"format": "wlanctl-outcomes/1"}', 'got "wlanctl-outcomes/1"'],
    ['a plan without changes', edited(copy => Reflect.deleteProperty(copy, 'changes')), 'damaged'],
    ['a plan with an unknown member', edited(copy => Object.assign(copy, { more: 1 })), 'damaged'],
    [
      'a plan without end',
      `{"format":"wlanctl-plan/1","changes":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      'damaged'
    ]
  ])('%s is rejected', (_, saved, problem) => {
    const { exitCode, message } = refusal(saved)
    expect(exitCode).toBe(3)
    expect(message).toMatch(/^plan\.json: /)
    expect(message).toContain(problem)
  })

  test.each(['dtim', 'format'])(
    'a plan whose `%s` is infinitely nested is rejected without an overflow',
    name => {
      const depth = 200_000
      const bottomless = `${'['.repeat(depth)}1${']'.repeat(depth)}`
      const member = new RegExp(`"${name}":[^,}]+`)
      const saved = JSON.stringify(JSON.parse(text)).replace(member, `"${name}":${bottomless}`)
      const { exitCode, message } = refusal(saved)
      expect(exitCode).toBe(3)
      expect(message).toContain('nested')
    }
  )
})

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Every plan that differs from this one in one path. */
function* tamperedWith(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) yield another(value)
  else if (Array.isArray(value)) {
    for (const [place, element] of value.entries()) {
      yield value.toSpliced(place, 1)
      for (const other of tamperedWith(element)) yield value.with(place, other)
    }
  } else {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...rest } = value
      yield rest
      for (const other of tamperedWith(member)) yield { ...value, [name]: other }
    }
  }
}

function another(value: null | boolean | number | string): Json {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (value === null) return false
  // Changes the last digit of an id, so that it stays valid.
  return /\d$/.test(value)
    ? value.replace(/\d$/, digit => String((Number(digit) + 1) % 10))
    : `${value}x`
}

describe('a tampered plan', () => {
  const whole: { [name: string]: Json } = JSON.parse(text)
  const [change] = JSON.parse(JSON.stringify(plan.changes))
  const isSamePatch = (other: Json) => {
    const operations = other as unknown as PatchOperation[]
    if (!operations.every(({ path }) => typeof path === 'string')) return false
    return JSON.stringify(operationsOf(operations)) === JSON.stringify(operationsOf(change.patch))
  }

  const isLive = (value: Json): boolean =>
    typeof value === 'object' &&
    Object.entries(value ?? {}).every(([name, inner]) => name === '$live' || isLive(inner))
  const withoutLive = (value: Json) =>
    JSON.stringify(value, (_, inner) => (isLive(inner) ? undefined : inner))
  const isSameButLive = (other: Json) => withoutLive(other) === withoutLive(change.request)

  test.each(['site', 'wlan', 'patch', 'request'])('is rejected if its %s differs', part => {
    let tried = 0
    for (const other of tamperedWith(change[part])) {
      if (['name', 'ssid'].some(label => Object(other)[label] !== change[part][label])) continue
      // E.g. an absent live value equals the documented default that the plan saw.
      if (part === 'patch' && isSamePatch(other)) continue
      // A live secret travels along, whether the token of the plan saw it or not.
      if (part === 'request' && isSameButLive(other)) continue
      refusal(JSON.stringify({ ...whole, changes: [{ ...change, [part]: other }] }))
      tried += 1
    }
    expect(tried).toBeGreaterThan(1)
  })

  test.each<[what: string, edit: (copy: typeof whole) => void]>([
    ['service', copy => Object.assign(copy, { base_url: 'https://evil.example.net' })],
    [
      'digest',
      copy => Object.assign(copy, { digest: digestOf({ base_url: 'https://x', changes: [] }) })
    ],
    [
      'digest of a site',
      copy =>
        Object.assign(copy, { sites: plan.sites.map(each => ({ ...each, digest: plan.digest })) })
    ],
    ['list of changes, now empty', copy => Object.assign(copy, { changes: [] })],
    ['list of changes, now longer', copy => Object.assign(copy, { changes: [change, change] })]
  ])('is rejected if its %s differs', (_, edit) => {
    const copy = structuredClone(whole)
    edit(copy)
    expect(refusal(JSON.stringify(copy)).exitCode).toBe(3)
  })

  test('is rejected if a request is for another WLAN than the change', () => {
    const path = change.request.path.replace(nth(1), nth(2))
    const other = { ...change, request: { ...change.request, path } }
    expect(refusal(JSON.stringify({ ...whole, changes: [other] })).exitCode).toBe(3)
  })

  const { changes } = plan
  test.each<[what: string, edit: Partial<Plan>]>([
    ['a count', { summary: { ...plan.summary, wlans: 2 } }],
    ['an effect', { changes: changes.map(each => ({ ...each, impact: 'reconnect' })) }],
    ['the state of a secret', { changes: changes.map(each => ({ ...each, secrets: {} })) }],
    [
      'a danger',
      { changes: changes.map(each => ({ ...each, dangers: [{ kind: 'off', pointer: '/dtim' }] })) }
    ]
  ])('is rejected if it claims %s', (_, edit) => {
    expect(refusal(formatPlan({ ...plan, ...edit })).exitCode).toBe(3)
  })

  test('is rejected without its values in the message', () => {
    const other = { ...change, wlan: { id: nth(2), ssid: 'hush' } }
    const { message, hint } = refusal(JSON.stringify({ ...whole, changes: [other] }))
    expect(`${message} ${hint}`).not.toContain('hush')
  })
})

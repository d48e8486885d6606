import { describe, expect, it, test } from 'vitest'
import type { Policy } from '../../../src/core/model/desired.ts'
import { tablesIn } from '../../support/tables.ts'
import { load } from '../fleet.ts'
import { revisionOf } from './revision.ts'

const id = (n: number) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const SITES = `sites:
  - { id: ${id(1)}, name: hq, vars: { timezone: Europe/Berlin } }
  - { id: ${id(2)}, name: lab, vars: { timezone: Europe/Berlin } }
wlans: { w: { ssid: a } }
`

const policyOf = (policy: string, sites = SITES) => ({
  'policy.yaml': policy === '' ? 'groups: {}\n' : `policy:\n  ${policy}\n`,
  'sites.yaml': sites
})

/** What judges these files after those of the base, and what they relax. */
async function judged(then: Readonly<Record<string, string>>, now: typeof then) {
  const base = async () => revisionOf(then)
  const { desired, findings } = await load(now, {
    base,
    now: () => new Date('2026-11-01T00:00:00Z')
  })
  if (desired === undefined) throw new Error(JSON.stringify(findings))
  const relaxed = findings.filter(({ code }) => code === 'POLICY_RELAXED')
  const [, list] = /^this change relaxes (.*): it holds/.exec(relaxed[0]?.message ?? '') ?? []
  return { desired, policy: desired.policy, relaxed: list, count: relaxed.length }
}

const rule = (more: string) => `rules: [{ name: r, message: m, ${more} }]`
const require = 'require: { required: [ssid] }'
const waiver = (more: string) => `waivers: [{ rule: weak-key, reason: r, ${more} }]`

/** Policies of the base and of the files, or a stricter and a weaker one, with what the files relax, and what holds. */
const tables = tablesIn<{
  readonly ordered: readonly [strict: string, weak: string, text: string, held: Partial<Policy>][]
  readonly named: readonly [was: string, is: string, text: string][]
  readonly nothing: readonly [what: string, was: string, is: string][]
}>(import.meta.dirname, 'stricter-policy.yaml')

describe('of a key with one value the stricter one holds, and the files relax the weaker one', () => {
  test.each(tables.ordered)('%s / %s', async (strict, weak, text, held) => {
    const relaxing = await judged(policyOf(strict), policyOf(weak))
    expect(relaxing.relaxed).toBe(text)
    expect(relaxing.policy).toMatchObject(held)
    const tightening = await judged(policyOf(weak), policyOf(strict))
    expect(tightening.relaxed).toBeUndefined()
    expect(tightening.policy).toMatchObject(held)
  })
})

describe('a key without an order is named when the base declares it', () => {
  test.each(tables.named)('%s → %s', async (was, is, text) => {
    expect((await judged(policyOf(was), policyOf(is))).relaxed).toBe(text)
  })

  test.each(tables.nothing)('%s is nothing', async (_, was, is) => {
    expect((await judged(policyOf(was), policyOf(is))).relaxed).toBeUndefined()
  })
})

it('all that a change relaxes is one finding', async () => {
  const was = policyOf('max_changes: 1\n  unmanaged: error')
  const { relaxed, count } = await judged(was, policyOf(''))
  expect({ relaxed, count }).toEqual({
    relaxed: 'max_changes 1 → none, unmanaged error → report',
    count: 1
  })
})

it('protection that the files remove is named, and kept for the planner', async () => {
  const then = SITES.replace('ssid: a', 'ssid: a, $protect: true')
  const { relaxed, desired } = await judged(policyOf('', then), policyOf(''))
  expect(relaxed).toBe('protection of hq/w, lab/w')
  expect(desired.sites[0]?.sinceBase?.protected?.map(({ key }) => key)).toEqual(['w'])
})

it.each(['', `org: ${id(8)}`])('the organization is that of the base with %j', async now => {
  expect((await judged(policyOf(`org: ${id(9)}`), policyOf(now))).policy.org).toBe(id(9))
})

it('the waves are those of the base, which new sites follow', async () => {
  const sites = SITES.replace('name: hq', 'name: h').replace(
    'wlans:',
    `  - { id: ${id(3)}, name: new }\nwlans:`
  )
  const rollout = policyOf("rollout: { waves: [{ canary: hq }, { all: '*' }], pause: 60 }")
  const { desired } = await judged(rollout, policyOf('rollout: [{ canary: new }]', sites))
  expect(desired.rollout).toEqual([
    { name: 'canary', sites: ['h'] },
    { name: 'all', sites: ['lab'] },
    { sites: ['new'] }
  ])
  expect(desired.policy.rollout.pause).toBe(60)
  const tightened = await judged(policyOf(''), policyOf('rollout: [{ canary: hq }]'))
  expect(tightened.desired.rollout?.[0]).toEqual({ name: 'canary', sites: ['hq'] })
})

it('a base without a fleet judges nothing', async () => {
  const now = policyOf(`max_change_percent: 90\n  ${waiver('until: 2027-01-31')}`)
  const { relaxed, policy, desired } = await judged({}, now)
  expect(relaxed).toBeUndefined()
  expect(policy.maxChangePercent).toBe(90)
  expect(desired.waiversAtBase).toBeUndefined()
})

describe('a base', () => {
  const codes = async (then: Readonly<Record<string, string>>) => {
    const { findings } = await load(policyOf(''), { base: async () => revisionOf(then) })
    return findings.map(({ code, message }) => [code, message])
  }

  test.each<[what: string, then: Readonly<Record<string, string>>]>([
    ['keys of an earlier version', policyOf('fail_fast: true', `${SITES}soon: {}\n`)],
    ['a key of a WLAN', policyOf('', SITES.replace('ssid: a', 'ssid: a, $until: 1'))],
    ['a value that is refused now', policyOf('', SITES.replace('ssid: a', 'ssid: a, dtim: 0'))],
    ['an expired waiver', policyOf(waiver('until: 2020-01-31'))]
  ])('may have %s', async (_, then) => {
    expect((await codes(then)).filter(([code]) => code?.startsWith('BASE_'))).toEqual([])
  })

  test.each<[what: string, policy: string, message: string]>([
    ['a limit that is a text', 'max_changes: twenty', 'number'],
    ['a choice that is none', 'unknown_fields: eror', 'eror'],
    ['a lint level that is none', 'lint: { level: eror }', 'eror'],
    ['a window without an end', 'windows: [{ name: nights, from: "22:00" }]', 'until'],
    ['an organization that is no UUID', 'org: acme', 'UUID'],
    ['a wave that is no text', 'rollout: [{ canary: 1 }]', '']
  ])(
    'whose policy has %s is a warning that names the revision and the place',
    async (_, policy, message) => {
      const { findings } = await load(policyOf(''), {
        base: async () => revisionOf(policyOf(policy))
      })
      const found = findings.filter(({ code }) => code === 'BASE_POLICY_WRONG')
      expect(found).toEqual([
        expect.objectContaining({
          level: 'warning',
          message: expect.stringMatching(
            new RegExp(`at "main" applies only in part: .*:\\d+: .*${message}`)
          )
        })
      ])
    }
  )

  test.each<[what: string, then: Readonly<Record<string, string>>, message: string]>([
    ['a syntax error', policyOf('', 'sites: [\n'), 'sites.yaml'],
    ['a profile that is missing', policyOf('', SITES.replace('ssid: a', '$extends: p')), 'profile']
  ])('with %s is an error that names the revision', async (_, then, message) => {
    expect(await codes(then)).toContainEqual([
      'BASE_WRONG',
      expect.stringMatching(new RegExp(`cannot be read at "main": .*${message}`))
    ])
  })
})

test('the digest of the policy covers what it declares, in the files and at the base, in any order', async () => {
  const digest = async (policy: string, then = policy) =>
    (await judged(policyOf(then), policyOf(policy))).desired.policyDigest
  const own = await digest('{ max_changes: 20, unmanaged: ignore }')
  expect(own).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(await digest('{ unmanaged: ignore, max_changes: 20 }', '')).toBe(own)
  expect(await digest(rule('require: {}'), '')).not.toBe(await digest(rule(require), ''))
  const different = ['max_changes: 20', 'max_changes: 21', waiver('until: 2027-01-31')]
  const digests = await Promise.all(different.map(policy => digest('max_changes: 20', policy)))
  expect(new Set(digests).size).toBe(3)
  expect(await digest('')).toBeUndefined()
})

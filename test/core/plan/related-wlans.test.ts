import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { MAX_RELATED, type Relations } from '../../../src/core/model/relations.ts'
import {
  changedField,
  kindsIn,
  type RelatedKind,
  relationsOf,
  uncheckedParts
} from '../../../src/core/plan/related-wlans.ts'

const policy = { levels: { 'ssid-lookalike': 'warning' } } as const

/** WLANs of one kind at sites with these numbers. */
function kindOf(wlan: string, sites: readonly number[], count = sites.length): RelatedKind {
  const state = {
    ssid: wlan,
    ssid_origin: 'declared',
    security: 'eap (wpa2-ccmp, wpa3)',
    security_origin: 'declared'
  } as const
  const names = sites.map(n => `store-${String(n).padStart(5, '0')}`)
  return { kind: { state, wlan }, sites: names, count }
}

const madeKinds = fc.array(
  fc
    .tuple(
      fc.constantFrom('corp', 'guest', 'iot'),
      fc.uniqueArray(fc.nat({ max: 30 }), { minLength: 1 }),
      fc.nat({ max: 2 })
    )
    .map(([wlan, sites, more]) => kindOf(wlan, sites, sites.length + more))
)

const sorted = (kinds: readonly RelatedKind[] | undefined) =>
  kinds?.map(({ kind, sites, count }) => ({ kind, sites: [...sites].sort(), count }))

describe('the relations of a shard', () => {
  test('contain the kinds, their sites and their number', () => {
    fc.assert(
      fc.property(madeKinds, kinds => {
        const relations = relationsOf(policy, kinds)
        const read = kindsIn(relations, 'p.json') ?? []
        for (const { kind, sites, count } of read) {
          const same = kinds.filter(each => each.kind.wlan === kind.wlan)
          expect(new Set(sites)).toEqual(new Set(same.flatMap(each => each.sites)))
          expect(count).toBe(same.reduce((sum, each) => sum + each.count, 0))
        }
        expect(relationsOf(policy, read)).toEqual(relations)
      })
    )
  })

  test('merged equal those of the complete run, in any order', () => {
    fc.assert(
      fc.property(madeKinds, kinds => {
        const isFirst = (site: string) => site < 'store-00015'
        const parts = [isFirst, (site: string) => !isFirst(site)].map(isIn =>
          kinds.flatMap(each => {
            const sites = each.sites.filter(isIn)
            return sites.length === 0 ? [] : [{ ...each, sites, count: sites.length }]
          })
        )
        const exact = kinds.map(each => ({ ...each, count: each.sites.length }))
        const read = parts.flatMap(part => kindsIn(relationsOf(policy, part), 'p') ?? [])
        const whole = relationsOf(policy, exact)
        expect(relationsOf(policy, [...read].reverse())).toEqual(whole)
        expect(sorted(kindsIn(whole, 'p'))).toHaveLength(new Set(kinds.map(k => k.kind.wlan)).size)
      })
    )
  })

  it('of 10,000 sites with ten WLANs in eight shards take less than 3 % of a plan with 10,000 changes', () => {
    const names = Array.from({ length: 10 }, (_, n) => `network-${n}`)
    const sizes = Array.from({ length: 8 }, (_, shard) => {
      const sites = Array.from({ length: 1250 }, (_, n) => 8 * n + shard)
      // A tenth of the sites differ, in random order.
      const odd = sites.filter(n => (n * 7919) % 10 === 0)
      const usual = sites.filter(n => (n * 7919) % 10 !== 0)
      const kinds = names.flatMap(name => [kindOf(name, usual), kindOf(`${name}-odd`, odd)])
      return JSON.stringify(relationsOf(policy, kinds), null, 2).length
    })
    const bytesOfChanges = 10_000 * 1500
    expect(sizes.reduce((a, b) => a + b)).toBeLessThan(0.03 * bytesOfChanges)
  })

  it('are not listed if there are too many kinds', () => {
    const kinds = Array.from({ length: MAX_RELATED }, (_, n) => kindOf(`net-${n}`, [n]))
    expect(relationsOf(policy, kinds).wlans).toHaveLength(MAX_RELATED)
    const relations = relationsOf(policy, [...kinds, kindOf('one-more', [1])])
    expect(relations).toEqual({ ...policy, sites: [] })
    expect(kindsIn(relations, 'p.json')).toBeUndefined()
  })
})

test.each<[Relations['levels'], string[]]>([
  [{ 'ssid-lookalike': 'warning', 'same-ssid': 'off' }, ['warning']],
  [{ 'ssid-lookalike': 'error', 'same-ssid': 'off' }, ['error']],
  [{ 'ssid-lookalike': 'off', 'same-ssid': 'off' }, []]
])('merge cannot check the rules with the levels %o', (levels, expected) => {
  const found = uncheckedParts({ levels, sites: [] })
  expect(found.map(({ level }) => level)).toEqual(expected)
  expect(JSON.stringify(found)).not.toContain('same-ssid')
})

test.each([
  ['the first of the fields', ['/auth/type', '/ssid'], ['/ssid', '/auth/type'], '/ssid'],
  ['a field above it', ['/auth'], ['/ssid', '/auth/type'], '/auth'],
  ['a field within it', ['/auth/pairwise/0'], ['/auth/pairwise'], '/auth/pairwise/0'],
  ['the switch of the WLAN', ['/enabled'], ['/ssid'], '/enabled'],
  ['no other field', ['/dtim', '/ssid_more'], ['/ssid'], undefined]
])('the changed field is %s', (_, paths, fields, expected) => {
  const patch = paths.flatMap(path => [
    { op: 'test', path, value: 1 } as const,
    { op: 'replace', path, value: 2 } as const
  ])
  expect(changedField(patch, fields)).toBe(expected)
  const tests = patch.filter(({ op }) => op === 'test')
  expect(changedField(tests, fields)).toBeUndefined()
})

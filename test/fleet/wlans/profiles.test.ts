import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { LoadedFleet } from '../../../src/fleet/load.ts'
import { runs } from '../../support/properties.ts'
import { HQ, indent, lines, load, loaded } from '../fleet.ts'
import { revisionOf } from '../since/revision.ts'

const wlan = (text: string) => `${HQ}  w:\n${indent(text)}`

function profilesOf(profiles: Readonly<Record<string, object>>): string {
  return JSON.stringify({ profiles })
}

/** `p0` to `p…`, each extending those that `below` returns. */
function row(count: number, below: (n: number) => readonly string[]): string {
  const named = Array.from({ length: count }, (_, n) => [`p${n}`, { $extends: below(n), dtim: 2 }])
  return profilesOf(Object.fromEntries(named))
}

const codesIn = ({ findings }: LoadedFleet) => [...new Set(findings.map(({ code }) => code))]

interface Declared {
  readonly own: Readonly<Record<string, number>>
  readonly $extends: readonly string[]
}

/** The definition: every profile is laid over those that it extends, as often as it is extended. */
function expected({ $extends, own }: Declared, all: ReadonlyMap<string, Declared>): object {
  const below = $extends.map(name => {
    const profile = all.get(name)
    return profile && expected(profile, all)
  })
  return Object.assign({}, ...below, own)
}

const FIELDS = ['dtim', 'max_num_clients', 'vlan_id', 'client_limit_up'] as const

/** Profiles that extend profiles with a lower number, in any order. */
const graphs = fc
  .array(
    fc.tuple(
      fc.uniqueArray(fc.nat(8), { maxLength: 4 }),
      fc.uniqueArray(fc.constantFrom(...FIELDS), { maxLength: 2 })
    ),
    { minLength: 1, maxLength: 8 }
  )
  .map(declared =>
    declared.map(([below, fields], n): [string, Declared] => {
      const $extends = below.filter(each => each < n).map(each => `p${each}`)
      return [`p${n}`, { $extends, own: Object.fromEntries(fields.map(field => [field, n + 1])) }]
    })
  )

describe('profiles that extend profiles', () => {
  it('have the fields and the origins of every profile laid over those below it', async () => {
    const property = fc.asyncProperty(graphs, async profiles => {
      const last = profiles.length - 1
      const declared = profiles.map(([name, { own, $extends }]) => {
        return [name, { ...own, $extends }]
      })
      const { sites, originsOf } = await loaded({
        'hq.yaml': wlan(`ssid: a\n$extends: p${last}\n`),
        'p.yaml': profilesOf(Object.fromEntries(declared))
      })
      const [site] = sites
      const [found] = site?.wlans ?? []
      if (site === undefined || found === undefined) throw new Error('expected a WLAN')
      const fields = expected({ $extends: [`p${last}`], own: {} }, new Map(profiles))
      expect(found.fields).toEqual({ ...fields, ssid: 'a' })
      const origins = originsOf?.(site, found, '') ?? []
      const values = origins.map(({ pointer, sources: [first] }) => [
        pointer.slice(1),
        first?.value
      ])
      expect(Object.fromEntries(values)).toEqual({ ...fields, ssid: 'a' })
      for (const { sources } of origins) {
        const names = sources.map(({ name }) => name)
        expect(new Set(names).size).toBe(names.length)
      }
    })
    await fc.assert(property, runs(20))
  })

  it('pass on the `$match` of the last of them', async () => {
    const { sites } = await loaded({
      'hq.yaml': wlan('ssid: a\n$extends: [top, other]\n'),
      'p.yaml': profilesOf({
        base: { $match: { ssid: 'Old' } },
        top: { $extends: 'base' },
        other: { $extends: 'base', dtim: 2 }
      })
    })
    expect(sites[0]?.wlans).toMatchObject([{ matchSsid: 'Old' }])
  })

  it('a duplicate name in one `$extends` is an error', async () => {
    const found = await load({
      'hq.yaml': wlan('ssid: a\n$extends: [a, b, a]\n'),
      'p.yaml': 'profiles:\n  a: { dtim: 2 }\n  b: { $extends: [a, a] }\n'
    })
    expect(lines(found.findings)).toEqual([
      'hq.yaml:8:22 EXTENDS_TWICE wlans.w.$extends[2]',
      'p.yaml:3:22 EXTENDS_TWICE profiles.b.$extends[1]'
    ])
  })
})

describe('work grows with the profiles, not with the paths between them', () => {
  const top = { 'hq.yaml': wlan('ssid: a\n$extends: p59\n') }

  test('each extends the two below it', async () => {
    const diamonds = row(60, n => (n < 2 ? [] : [`p${n - 2}`, `p${n - 1}`]))
    const { desired } = await load({ ...top, 'p.yaml': diamonds })
    const [site] = desired?.sites ?? []
    const [found] = site?.wlans ?? []
    if (site === undefined || found === undefined) throw new Error('expected a WLAN')
    expect(found.fields).toEqual({ ssid: 'a', dtim: 2 })
    const origins = desired?.originsOf?.(site, found, '/dtim')
    expect(origins?.[0]?.sources.map(({ name }) => name)).toHaveLength(60)
  })

  test('each extends the one below it twice', async () => {
    const doubles = row(60, n => (n === 0 ? [] : [`p${n - 1}`, `p${n - 1}`]))
    expect(codesIn(await load({ ...top, 'p.yaml': doubles }))).toEqual(['EXTENDS_TWICE'])
  })

  test('many WLANs extend many profiles', async () => {
    const names = Array.from({ length: 400 }, (_, n) => `p${n}`)
    const sites = Array.from({ length: 400 }, (_, n) => ({
      id: `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      name: `s${n}`
    }))
    const w = { ssid: { $format: 'a' }, vlan_id: { $var: 'v', $default: 1 }, $extends: names }
    const files = {
      'p.yaml': row(400, () => []),
      'hq.yaml': JSON.stringify({ sites, wlans: { w } })
    }
    expect(codesIn(await load(files))).toEqual([])
  })
})

describe('a row of profiles that is too long', () => {
  const LONG = 4000
  const top = { 'hq.yaml': wlan(`ssid: a\n$extends: p${LONG - 1}\n`) }

  test.each([
    ['a chain', row(LONG, n => (n === 0 ? [] : [`p${n - 1}`])), ['PROFILE_TOO_DEEP']],
    ['a circle', row(LONG, n => [`p${(n + LONG - 1) % LONG}`]), ['PROFILE_TOO_DEEP']]
  ])('%s is an error', async (_, profiles, codes) => {
    expect(codesIn(await load({ ...top, 'p.yaml': profiles }))).toEqual(codes)
  })

  it('is compared with an earlier revision', async () => {
    const chain = row(LONG, n => (n === 0 ? [] : [`p${n - 1}`]))
    const then = revisionOf({ ...top, 'p.yaml': chain.replace('"dtim":2', '"dtim":3') })
    const found = await load({ ...top, 'p.yaml': chain }, { since: async () => then })
    expect(codesIn(found)).toEqual(['BASE_WRONG', 'PROFILE_TOO_DEEP'])
  })
})

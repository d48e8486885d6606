import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DesiredWlan } from '../../src/core/model/desired.ts'
import type { Value, ValueObject } from '../../src/core/values/value.ts'
import { loadTexts } from '../../src/fleet/load.ts'
import { nth } from '../support/ids.ts'
import { runs } from '../support/properties.ts'
import { tablesIn } from '../support/tables.ts'
import { lines, load, loaded } from './fleet.ts'

/** Overrides of the WLAN `guest`, with the fields that they change; and wrong ones. */
const tables = tablesIn<{
  readonly changes: readonly [what: string, override: string, changed: object][]
  readonly errors: readonly [what: string, wlans: string, finding: string][]
}>(import.meta.dirname, 'overrides.yaml')

const GROUPS = `groups:
  south: { vars: { radius: 10.2.0.10, vlan: 50, zone: s } }
  big: { vars: { vlan: 60 } }
`

const PROFILES = `profiles:
  guest: { isolation: true, dtim: 2, bands: ["24", "5"], auth: { type: psk, psk: { $env: WLAN_SECRET_PSK } } }
  renamed: { $match: { ssid: Old } }
`

/** A list of one site with overrides, and one without. */
function stores(site: string, wlan = '$extends: guest\n    ssid: Guest'): Record<string, string> {
  return {
    'groups.yaml': GROUPS,
    'profiles.yaml': PROFILES,
    'stores.yaml': `sites:
  - { id: ${nth(1)}, name: a${site === '' ? '' : `, ${site}`} }
  - { id: ${nth(2)}, name: b }
wlans:
  guest:
    ${wlan}
`
  }
}

/** The fields as JSON, without those that are null. */
function present(fields: object | undefined) {
  const entries = Object.entries(JSON.parse(JSON.stringify(fields)))
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}

async function guests(site: string, wlan?: string): Promise<(DesiredWlan | undefined)[]> {
  const { sites } = await loaded(stores(site, wlan))
  return sites.map(({ wlans }) => wlans.find(({ key }) => key === 'guest'))
}

async function problems(files: Readonly<Record<string, string>>) {
  const { findings } = await load(files)
  return findings.map(found => `${lines([found])[0]}${found.hint ? ` | ${found.hint}` : ''}`)
}

describe('the variables of groups', () => {
  it.each([
    ['a group', 'groups: [south]', 50],
    ['a later group wins', 'groups: [south, big]', 60],
    ['in the order of the site', 'groups: [big, south]', 50],
    ['the site itself wins last', 'groups: [south, big], vars: { vlan: 70 }', 70],
    ['a group that is named twice', 'groups: [big, south, big]', 50],
    ['other variables of the site', 'groups: [south], vars: { other: 1 }', 50],
    ['no group, and a default', '', 40]
  ])('%s', async (_, site, vlan) => {
    const [a, b] = await guests(site, 'ssid: Guest\n    vlan_id: { $var: vlan, $default: 40 }')
    expect([a?.fields['vlan_id'], b?.fields['vlan_id']]).toEqual([vlan, 40])
  })

  it('are read for each site by name', async () => {
    const { sites } = await loaded(stores('groups: [south, big]'))
    expect(sites.map(({ groups }) => groups)).toEqual([['south', 'big'], undefined])
  })

  it('are joined if several files declare a site', async () => {
    const files = stores('groups: [south]')
    const more = `site: { id: ${nth(1)}, name: a, groups: [big] }\n`
    const { sites } = await loaded({ ...files, 'z.yaml': more })
    expect(sites[0]?.groups).toEqual(['south', 'big'])
  })

  it.each([
    [
      'an unknown one',
      { ...stores('groups: [soth]') },
      ['stores.yaml:2:67 NAME_UNKNOWN a.groups[0] | did you mean "south"?']
    ],
    ['one text', stores('groups: south'), ['stores.yaml:2:66 WRONG_TYPE a.groups']],
    [
      'a second one',
      { ...stores(''), 'z.yaml': 'groups: { big: { vars: {} } }\n' },
      ['z.yaml:1:11 NAME_TWICE groups.big']
    ],
    [
      'another key',
      { ...stores(''), 'z.yaml': 'groups: { x: { var: {} } }\n' },
      ['z.yaml:1:16 UNKNOWN_KEY groups.x.var | did you mean "vars"?']
    ],
    [
      'a list',
      { ...stores(''), 'z.yaml': 'groups: { x: [] }\n' },
      ['z.yaml:1:14 WRONG_TYPE groups.x']
    ]
  ])('%s is an error', async (_, files, expected) => {
    const found = await problems(files)
    expect(
      found.map((line, at) => (expected[at]?.includes('|') ? line : line.split(' |')[0]))
    ).toEqual(expected)
  })
})

describe('an override', () => {
  it.each(tables.changes)('%s, for its site alone', async (_, override, changed) => {
    const [a, b] = await guests(`vars: { vlan: 7 }, wlans: { guest: { ${override} } }`)
    const [plain] = await guests('')
    expect(present(b?.fields)).toEqual(present(plain?.fields))
    expect(present(a?.fields)).toEqual(present({ ...plain?.fields, ...changed }))
    expect(a?.place).toEqual(b?.place)
  })

  it('can set the identity and protect', async () => {
    const [a, b] = await guests(
      `wlans: { guest: { id: ${nth(7)}, $match: { ssid: Old }, $protect: true } }`
    )
    expect(a).toMatchObject({ id: nth(7), matchSsid: 'Old', protect: true })
    expect(a?.fields['id']).toBeUndefined()
    expect(b).not.toHaveProperty('id')
    expect(b).not.toHaveProperty('protect')
  })

  it('can make a WLAN unmanaged, which then needs no variable', async () => {
    const files = (b: string) => ({
      'stores.yaml': `sites:
  - { id: ${nth(1)}, name: a, vars: { vlan: 40 } }
  - { id: ${nth(2)}, name: b, wlans: { guest: ${b} } }
wlans: { guest: { ssid: { $format: "Guest {vlan}" }, vlan_id: { $var: vlan } } }
`
    })
    expect(await problems(files('{ $managed: false }'))).toEqual([])
    expect((await problems(files('{ dtim: 1 }'))).join()).toContain('VARIABLE_UNKNOWN')
  })

  it('can make a WLAN unmanaged or managed; the secret of an unmanaged one is not required', async () => {
    const [a, b] = await guests('wlans: { guest: { $managed: false } }')
    expect(a).toMatchObject({ managed: false, excluded: true })
    expect(b).not.toHaveProperty('excluded')
    const [c, d] = await guests(
      'wlans: { guest: { $managed: true } }',
      'ssid: Guest\n    $managed: false'
    )
    expect(c).not.toHaveProperty('managed')
    expect(d).toMatchObject({ managed: false, excluded: true })
  })

  it('can be the only identity of a WLAN', async () => {
    const wlan = '$extends: guest'
    const files = stores('wlans: { guest: { ssid: A } }', wlan)
    expect(await problems(files)).toEqual([
      'stores.yaml:5:3 WLAN_UNIDENTIFIED wlans.guest | add an `id`, an `ssid`, or `$match: { ssid: … }`'
    ])
    const unset = stores('wlans: { guest: { $unset: [ssid] } }')
    expect((await problems(unset))[0]).toContain('WLAN_UNIDENTIFIED')
  })

  it('of a key that the file does not declare is a WLAN of that site, if it has an SSID', async () => {
    const iot = '{ iot: { $extends: p, ssid: IoT, $comment: agreed } }'
    const files = stores(`wlans: ${iot}`, 'ssid: A\nprofiles: { p: { dtim: 4, $comment: slow } }')
    const { sites } = await loaded(files)
    expect(sites.map(({ wlans }) => wlans.map(({ key }) => key))).toEqual([
      ['guest', 'iot'],
      ['guest']
    ])
    expect(sites[0]?.wlans[1]?.fields).toEqual({ dtim: 4, ssid: 'IoT' })
  })

  it.each(tables.errors)('with %s is reported', async (_, wlans, expected) => {
    const found = await problems(stores(`wlans: ${wlans}`))
    expect(found).toHaveLength(1)
    const [, ...rest] = (found[0] ?? '').split(' ')
    expect(rest.join(' ')).toContain(expected)
  })

  it('does not hide errors of the block if every site has an override', async () => {
    const sites = [1, 2].map(n => `  - { id: ${nth(n)}, name: s${n}, wlans: { w: { dtim: 1 } } }\n`)
    const found = await problems({
      'a.yaml': `sites:\n${sites.join('')}wlans:\n  w: { ssid: A, $extend: x, hide_sid: true, dtim: x }\n`
    })
    expect(found.map(line => line.split(' ')[1])).toEqual(['UNKNOWN_KEY', 'FIELD_UNKNOWN'])
  })
})

describe('$match in a profile', () => {
  it('is taken from the last profile, unless the WLAN or the override has its own', async () => {
    const own = (more: string) => `$extends: [guest, renamed]\n    ssid: Guest${more}`
    const site = 'wlans: { guest: { $match: { ssid: Mine } } }'
    const ssids = async (...of: [string, string]) =>
      (await guests(...of)).map(wlan => wlan?.matchSsid)
    expect(await ssids('', own(''))).toEqual(['Old', 'Old'])
    expect(await ssids('', own('\n    $match: { ssid: New }'))).toEqual(['New', 'New'])
    expect(await ssids(site, own(''))).toEqual(['Mine', 'Old'])
  })

  it('identifies a WLAN', async () => {
    const [a] = await guests('', '$extends: [guest, renamed]')
    expect(a?.matchSsid).toBe('Old')
  })

  it('is validated in profiles that no WLAN extends', async () => {
    const files = { ...stores(''), 'z.yaml': 'profiles: { x: { $match: { sid: A } } }\n' }
    expect((await problems(files)).map(line => line.split(' ')[1])).toEqual([
      'MATCH_WITHOUT_SSID',
      'UNKNOWN_KEY'
    ])
  })
})

describe('$protect in a profile', () => {
  it('protects each WLAN that extends it, unless the WLAN or the override lifts it', async () => {
    const protects = async (override: string, own: string) => {
      const files = stores(override, `$extends: safe\n    ssid: Guest${own}`)
      const { sites } = await loaded({
        ...files,
        'z.yaml': 'profiles: { safe: { $protect: true } }\n'
      })
      return sites.map(({ wlans }) => wlans[0]?.protect)
    }
    expect(await protects('', '')).toEqual([true, true])
    expect(await protects('', '\n    $protect: false')).toEqual([undefined, undefined])
    const lifted = 'wlans: { guest: { $protect: false } }'
    expect(await protects(lifted, '')).toEqual([undefined, true])
  })
})

describe('a $default', () => {
  it.each([
    ['alone', '{ $default: 4 }', 'DEFAULT_ALONE'],
    ['with $format', '{ $format: "{x}", $default: 4 }', 'REFERENCE_NOT_ALONE'],
    ['of the wrong type', '{ $var: x, $default: [] }', 'FIELD_TYPE']
  ])('%s is an error', async (_, value, code) => {
    const found = await problems(stores('', `ssid: Guest\n    vlan_id: ${value}`))
    expect(found.map(line => line.split(' ')[1])).toEqual([code])
  })

  it('may be a reference to a secret', async () => {
    const auth = 'auth: { type: psk, psk: { $var: psk, $default: { $env: WLAN_SECRET_ALL } } }'
    const [a, b] = await guests(
      'vars: { psk: { $env: WLAN_SECRET_A } }',
      `ssid: Guest\n    ${auth}`
    )
    expect(JSON.stringify([a?.fields['auth'], b?.fields['auth']])).toBe(
      '[{"type":"psk","psk":{"$env":"WLAN_SECRET_A"}},{"type":"psk","psk":{"$env":"WLAN_SECRET_ALL"}}]'
    )
  })
})

/** Fields that an override may declare, with their values. */
const fields = fc.record(
  {
    dtim: fc.integer({ min: 1, max: 3 }),
    isolation: fc.boolean(),
    bands: fc.subarray(['24', '5', '6'], { minLength: 1 }),
    portal: fc.record(
      { enabled: fc.boolean(), expire: fc.integer({ min: 1, max: 9 }) },
      { requiredKeys: [] }
    ),
    app_limit: fc.record(
      { enabled: fc.boolean(), apps: fc.dictionary(fc.constantFrom('a', 'b'), fc.nat(9)) },
      { requiredKeys: [] }
    ),
    vlan_id: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant({ $var: 'vlan' }))
  },
  { requiredKeys: [] }
)

const estates = fc.record({
  profile: fields,
  block: fields,
  overrides: fc.array(fields, { minLength: 1, maxLength: 4 }),
  unset: fc.subarray(['dtim', 'portal', '/portal/enabled', 'bands'])
})

/** One member merged over another, as `$extends` does. */
function over(below: ValueObject, above: ValueObject): ValueObject {
  const all: Record<string, Value> = { ...below }
  for (const [name, value] of Object.entries(above)) {
    const covered = all[name]
    const merges = isPlainObject(covered) && isPlainObject(value) && name !== 'apps'
    all[name] = merges ? over(covered, value) : value
  }
  return all
}

function isPlainObject(value: unknown): value is ValueObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('$var' in value)
}

const yaml = (value: unknown) => JSON.stringify(value)

async function effective(texts: Readonly<Record<string, string>>) {
  const { desired, findings } = await loadTexts(new Map(Object.entries(texts)))
  expect(lines(findings).filter(line => !line.includes('UNSET_UNDECLARED'))).toEqual([])
  return desired?.sites.map(({ name, wlans }) => [name, wlans.map(({ fields }) => fields)])
}

it('a fleet with overrides equals its expanded files', async () => {
  await fc.assert(
    fc.asyncProperty(estates, async ({ profile, block, overrides }) => {
      const site = (at: number) => ({ id: nth(at + 1), name: `s${at}`, vars: { vlan: at + 100 } })
      const lists = {
        'all.yaml': yaml({
          profiles: { p: profile },
          sites: overrides.map((guest, at) => ({ ...site(at), wlans: { guest } })),
          wlans: { guest: { $extends: 'p', ssid: 'G', ...block } }
        })
      }
      const plain = overrides.map((override, at) => {
        const wlan = over(over(profile, { ssid: 'G', ...block } as ValueObject), override)
        return [`s${at}.yaml`, yaml({ site: site(at), wlans: { guest: wlan } })]
      })
      expect(await effective(lists)).toEqual(await effective(Object.fromEntries(plain)))
    }),
    runs(30)
  )
})

it('an override that is removed restores the profile', async () => {
  await fc.assert(
    fc.asyncProperty(estates, async ({ profile, overrides, unset }) => {
      const all = (override: object) => ({
        'all.yaml': yaml({
          profiles: { p: profile },
          sites: [
            { id: nth(1), name: 'a', vars: { vlan: 1 }, wlans: { guest: override } },
            { id: nth(2), name: 'b', vars: { vlan: 1 } }
          ],
          wlans: { guest: { $extends: 'p', ssid: 'G' } }
        })
      })
      const [[, odd] = [], [, usual] = []] =
        (await effective(all({ ...overrides[0], $unset: unset }))) ?? []
      const [[, undone] = [], [, still] = []] = (await effective(all({}))) ?? []
      expect(odd).toBeDefined()
      expect(undone).toEqual(usual)
      expect(still).toEqual(usual)
    }),
    runs(30)
  )
})

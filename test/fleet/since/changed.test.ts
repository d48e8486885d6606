import { describe, expect, it, test } from 'vitest'
import { lines, load } from '../fleet.ts'
import { revisionOf } from './revision.ts'

type Files = Readonly<Record<string, string>>

const id = (n: number) => `10000000-0000-4000-8000-00000000000${n}`

const site = (n: number, wlans: string, more = ''): string =>
  `site: { id: ${id(n)}, name: s${n}, vars: { vlan: 4${n}, unused: 1 }${more} }\nwlans:\n${wlans}`

const profiles = `profiles:
  base: { hide_ssid: false, dtim: 2 }
  guest: { $extends: base, vlan_id: { $var: vlan } }
  other: { dtim: 3 }
  nobody: { dtim: 4 }
`

/** s1 extends `guest`, and so `base`; s2 extends `other`; s3 extends nothing. */
const then: Files = {
  'profiles.yaml': profiles,
  's1.yaml': site(1, '  w: { $extends: guest, ssid: One }\n  v: { ssid: Two, vlan_id: 7 }\n'),
  's2.yaml': site(
    2,
    '  w: { $extends: other, ssid: One, auth: { psk: { $env: WLAN_SECRET_A } } }\n'
  ),
  's3.yaml': site(3, '  w:\n    ssid: One\n    enabled: true\n')
}

async function changed(now: Files, before: Files = then) {
  const revision = revisionOf(before)
  const { desired, findings, sites } = await load(now, { since: async () => revision })
  return {
    names: desired?.sites.map(({ name }) => name),
    findings: lines(findings),
    sites,
    asked: revision.asked.length
  }
}

const edited = (file: string, from: string | RegExp, to: string): Files => ({
  ...then,
  [file]: (then[file] ?? '').replace(from, to)
})

describe('no change is found', () => {
  test.each<[string, Files]>([
    ['with equal text', then],
    ['by a comment', edited('s1.yaml', /^/, '# a comment\n')],
    ['by line ends', edited('s1.yaml', /\n/g, '\r\n')],
    ['by a byte order mark', edited('s1.yaml', /^/, '\ufeff')],
    ['by the order of keys', edited('s3.yaml', /( {4}ssid.*\n)( {4}enabled.*\n)/, '$2$1')],
    ['by the order of WLANs', edited('s1.yaml', /( {2}w:.*\n)( {2}v:.*\n)/, '$2$1')],
    ['by quotes', edited('s2.yaml', 'WLAN_SECRET_A', '"WLAN_SECRET_A"')],
    ['by an unused variable', edited('s1.yaml', 'unused: 1', 'unused: 2')],
    ['by one more of them', edited('s1.yaml', 'unused: 1', 'unused: 1, more: 2')],
    ['by an unused profile', edited('profiles.yaml', 'dtim: 4', 'dtim: 5')],
    ['by the case of an id', edited('s1.yaml', id(1), id(1).toUpperCase())],
    ['by a profile that says the same', edited('s3.yaml', 'enabled: true', '$extends: on')],
    [
      'by moving a WLAN to another file',
      {
        ...edited('s1.yaml', /.*Two.*\n/, ''),
        'more.yaml': site(1, '  v: { ssid: Two, vlan_id: 7 }\n')
      }
    ],
    ['by moving a file', { ...then, 's1.yaml': '', 'deep/folder/s1.yaml': then['s1.yaml'] ?? '' }],
    [
      'by renaming a profile',
      {
        ...edited('s2.yaml', 'other', 'another'),
        'profiles.yaml': profiles.replace('other', 'another')
      }
    ],
    ['by a policy', { ...then, 'policy.yaml': 'policy: { max_changes: 1, unmanaged: error }\n' }],
    ['by a file that is no YAML', { ...then, 'README.md': 'hello' }]
  ])('%s', async (what, now) => {
    const more = what.includes('says the same') ? 'profiles: { on: { enabled: true } }\n' : ''
    expect(await changed({ ...now, ...(more && { 'on.yaml': more }) })).toMatchObject({ names: [] })
  })
})

describe('a change is found', () => {
  test.each<[string, Files, string[]]>([
    ['a field', edited('s1.yaml', 'vlan_id: 7', 'vlan_id: 8'), ['s1']],
    ['one more field', edited('s3.yaml', 'enabled', 'dtim: 1\n    enabled'), ['s3']],
    ['one field less', edited('s3.yaml', '    enabled: true\n', ''), ['s3']],
    ['an SSID', edited('s3.yaml', 'One', 'Three'), ['s3']],
    ['a WLAN more', edited('s3.yaml', 'wlans:', 'wlans:\n  v: { ssid: Two }'), ['s3']],
    ['a WLAN less', edited('s1.yaml', /.*Two.*\n/, ''), ['s1']],
    ['the key of a WLAN', edited('s1.yaml', '  v:', '  x:'), ['s1']],
    ['a protection', edited('s3.yaml', '    ssid', '    $protect: true\n    ssid'), ['s3']],
    ['an id', edited('s3.yaml', '    ssid', `    id: ${id(9)}\n    ssid`), ['s3']],
    ['a $match', edited('s3.yaml', '    ssid', '    $match: { ssid: Old }\n    ssid'), ['s3']],
    ['a variable that is used', edited('s1.yaml', 'vlan: 41', 'vlan: 51'), ['s1']],
    ['a reference to a secret', edited('s2.yaml', 'WLAN_SECRET_A', 'WLAN_SECRET_B'), ['s2']],
    ['the name of a site', edited('s2.yaml', 'name: s2', 'name: renamed'), ['renamed']],
    ['a profile: its users', edited('profiles.yaml', 'dtim: 3', 'dtim: 1'), ['s2']],
    ['a profile that others extend', edited('profiles.yaml', 'dtim: 2', 'dtim: 1'), ['s1']],
    [
      'the parent of a profile',
      edited('profiles.yaml', '$extends: base', '$extends: other'),
      ['s1']
    ],
    ['a type', edited('s1.yaml', 'vlan_id: 7', 'vlan_id: "7"'), ['s1']],
    ['a new site', { ...then, 's4.yaml': site(4, '  w: { ssid: One }\n') }, ['s4']],
    ['a site in place of another', { ...then, 's3.yaml': site(4, '  w: { ssid: One }\n') }, ['s4']],
    ['no removed site', { ...then, 's3.yaml': '# gone\n' }, []]
  ])('%s', async (_, now, names) => {
    expect(await changed(now)).toMatchObject({ names })
  })

  it('in the name of a secret from a variable, in a shared block', async () => {
    const sites = (vars: readonly string[]): Files => ({
      'p.yaml': 'profiles: { p: { auth: { psk: { $env: "WLAN_SECRET_{store}" } } } }\n',
      'many.yaml': `sites:\n${vars
        .map((store, n) => `  - { id: ${id(n + 1)}, name: s${n + 1}, vars: { store: ${store} } }\n`)
        .join(
          ''
        )}wlans: { w: { $extends: p, ssid: One, portal: { password: { $file: "{store}" } } } }\n`
    })
    const before = sites(['1', '2', '3'])
    expect(await changed(before, before)).toMatchObject({ names: [], findings: [] })
    expect(await changed(sites(['1', '7', '3']), before)).toMatchObject({ names: ['s2'] })
    const renamed = sites(['1', '2', '3'])
    const files = { ...renamed, 'p.yaml': renamed['p.yaml']?.replace('{store}', 'X_{store}') ?? '' }
    expect(await changed(files, before)).toMatchObject({ names: ['s1', 's2', 's3'] })
  })

  it('in a plaintext secret, without printing it', async () => {
    const clear = (psk: string): Files => ({
      'policy.yaml': 'policy: { plaintext_secrets: allow }\n',
      's1.yaml': site(1, `  w: { ssid: One, auth: { psk: ${psk} } }\n`)
    })
    expect(await changed(clear('first-psk'), clear('first-psk'))).toMatchObject({ names: [] })
    const other = await changed(clear('other-psk'), clear('first-psk'))
    expect(other).toMatchObject({ names: ['s1'], findings: [] })
  })
})

const estate = (
  groups = 'south: { vars: { vlan: 50, other: 1 } }',
  first = '',
  second = ''
): Files => ({
  'groups.yaml': `groups: { ${groups} }\n`,
  'profiles.yaml': profiles,
  'stores.yaml': `sites:
  - { id: ${id(1)}, name: s1, groups: [south]${first} }
  - { id: ${id(2)}, name: s2, vars: { vlan: 7 }${second} }
  - { id: ${id(3)}, name: s3, groups: [south], vars: { vlan: 8 } }
wlans:
  w: { $extends: guest, ssid: One }
  v: { ssid: Two, hide_ssid: true }
`
})

describe('a change in a fleet with groups and overrides', () => {
  const override = (wlan: string) => `, wlans: { ${wlan} }`

  test.each<[string, Files, string[], Files?]>([
    ['nothing', estate(), []],
    [
      'a variable of a group: the sites that take it',
      estate('south: { vars: { vlan: 51, other: 1 } }'),
      ['s1']
    ],
    ['an unused variable of a group', estate('south: { vars: { vlan: 50, other: 2 } }'), []],
    [
      'the same variable in another group',
      estate('south: { vars: { other: 1 } }, x: { vars: { vlan: 50 } }', ', vars: { vlan: 50 }'),
      []
    ],
    ['an override', estate(undefined, '', override('w: { dtim: 1 }')), ['s2']],
    [
      'an override that is removed',
      estate(),
      ['s2'],
      estate(undefined, '', override('w: { dtim: 1 }'))
    ],
    ['an override that says the same', estate(undefined, '', override('w: { dtim: 2 }')), []],
    ['an $unset', estate(undefined, '', override('w: { $unset: [dtim] }')), ['s2']],
    [
      'a WLAN that is no longer managed',
      estate(undefined, override('v: { $managed: false }')),
      ['s1']
    ],
    ['a protection in an override', estate(undefined, override('v: { $protect: true }')), ['s1']]
  ])('%s', async (_, now, names, before = estate()) => {
    expect(await changed(now, before)).toMatchObject({ names, findings: [] })
  })
})

describe('errors in the base', () => {
  test.each<[string, Files]>([
    ['YAML that is none', edited('s3.yaml', 'ssid', '"ssid')],
    ['an invalid profile', edited('profiles.yaml', 'other:', 'others:')],
    ['bytes that are not text', edited('s2.yaml', 'One', '\0')]
  ])('of %s are an error', async (_, before) => {
    expect(await changed(then, before)).toMatchObject({
      names: undefined,
      findings: expect.arrayContaining(['- BASE_WRONG'])
    })
  })

  it('that the files still have are reported as theirs', async () => {
    const wrong = edited('s2.yaml', 'ssid: One', 'ssid: One, dtim: x')
    const { names, findings } = await changed(wrong, wrong)
    expect({ names, findings }).toEqual({
      names: undefined,
      findings: ['s2.yaml:3:42 FIELD_TYPE wlans.w.dtim']
    })
  })

  it('in the form of a missing fleet: every site is new', async () => {
    expect(await changed(then, { 'README.md': 'hello' })).toMatchObject({
      names: ['s1', 's2', 's3'],
      findings: []
    })
  })
})

it('only differing files of the fleet are read', async () => {
  const before = { ...then, 'node_modules/a.yaml': '- 1', '.hidden/b.yaml': '- 1', 'notes.txt': '' }
  expect(await changed(then, before)).toMatchObject({ asked: 0 })
  expect(await changed(edited('s1.yaml', 'Two', 'Three'), before)).toMatchObject({ asked: 1 })
})

it('--changed-since can be combined with globs and a shard', async () => {
  const now = edited('profiles.yaml', /dtim/g, 'limit_probe_response: false, dtim')
  const selected = async (options: object) => {
    const { desired } = await load(now, { since: async () => revisionOf(then), ...options })
    return desired?.sites.map(({ name }) => name)
  }
  expect(await selected({})).toEqual(['s1', 's2'])
  expect(await selected({ sites: ['s2', 's3'] })).toEqual(['s2'])
  expect(await selected({ wlans: ['v'] })).toEqual(['s1'])
  expect(await selected({ sites: ['nobody'] })).toBeUndefined()
  const shards = [1, 2, 3, 4, 5].map(number => selected({ shard: { number, of: 5 } }))
  expect((await Promise.all(shards)).flat().sort()).toEqual(['s1', 's2'])
})

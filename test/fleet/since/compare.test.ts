import { describe, expect, it, test } from 'vitest'
import { lines, load } from '../fleet.ts'
import { revisionOf } from './revision.ts'

type Files = Readonly<Record<string, string>>

const id = (n: number) => `10000000-0000-4000-8000-00000000000${n}`

const then: Files = {
  'profiles.yaml': `profiles:
  base: { hide_ssid: false, dtim: 2 }
  guest: { $extends: base, vlan_id: { $var: vlan }, auth: { type: psk, psk: { $env: WLAN_SECRET_A } } }
`,
  's1.yaml': `site: { id: ${id(1)}, name: s1, vars: { vlan: 41 } }
wlans:
  w: { $extends: guest, ssid: One }
  v: { ssid: Two, vlan_id: 7, bands: ["24", "5"] }
`,
  's2.yaml': `site: { id: ${id(2)}, name: s2, vars: { vlan: 42 } }
wlans:
  w: { $extends: guest, ssid: One }
`
}

const edited = (file: string, from: string | RegExp, to: string): Files => ({
  ...then,
  [file]: (then[file] ?? '').replace(from, to)
})

/** The differences of the sites from the base, with one line per WLAN. */
async function compared(now: Files, before: Files = then, options: object = {}) {
  const { desired, findings } = await load(now, {
    base: async () => revisionOf(before),
    ...options
  })
  const since = desired?.sites.flatMap(({ name, sinceBase }) => [
    ...[...(sinceBase?.wlans ?? [])].map(([key, { changed, removed }]) =>
      [
        `${name}/${key}`,
        ...changed.map(pointer => `*${pointer}`),
        ...removed.map(
          ({ pointer, place: { revision, file, line, column } }) =>
            `-${pointer} ${revision}:${file}:${line}:${column}`
        )
      ].join(' ')
    ),
    ...(sinceBase?.removed ?? []).map(
      ({ address, place }) => `-${address} ${place.revision}:${place.file}:${place.line}`
    )
  ])
  return { since, codes: lines(findings) }
}

/** Two sites of one list. */
const list = (first = '', second = ''): Files => ({
  'list.yaml': `sites:
  - { id: ${id(1)}, name: s1${first} }
  - { id: ${id(2)}, name: s2${second} }
wlans:
  w: { ssid: One, dtim: 2 }
  v: { ssid: Two }
`
})

const override = (wlans: string) => `, wlans: { ${wlans} }`

describe('overrides that differ from the base', () => {
  test.each<[what: string, now: Files, before: Files, since: readonly string[]]>([
    ['a value', list(override('w: { dtim: 1 }')), list(), ['s1/w */dtim']],
    [
      'a field less',
      list(),
      list('', override('w: { vlan_id: 3 }')),
      ['s2/w -/vlan_id main:list.yaml:3:73']
    ],
    [
      'an $unset',
      list(override('w: { $unset: [dtim] }')),
      list(),
      ['s1/w -/dtim main:list.yaml:5:19']
    ],
    [
      'a WLAN that is not managed',
      list(override('v: { $managed: false }')),
      list(),
      ['-s1/v main:list.yaml:6']
    ],
    ['a WLAN that is managed again', list(), list(override('v: { $managed: false }')), ['s1/v *']],
    [
      'a WLAN that stays unmanaged',
      list(override('v: { $managed: false, dtim: 1 }')),
      list(override('v: { $managed: false }')),
      []
    ]
  ])('%s', async (_, now, before, since) => {
    expect(await compared(now, before)).toEqual({ since, codes: [] })
  })
})

describe('declarations that differ from the base', () => {
  test.each<[what: string, now: Files, since: readonly string[]]>([
    ['nothing', then, []],
    ['a comment', edited('s1.yaml', /^/, '# a comment\n'), []],
    ['a value', edited('s1.yaml', 'vlan_id: 7', 'vlan_id: 8'), ['s1/v */vlan_id']],
    ['a list', edited('s1.yaml', '"24", "5"', '"5"'), ['s1/v */bands']],
    ['a field more', edited('s1.yaml', 'ssid: Two', 'ssid: Two, dtim: 1'), ['s1/v */dtim']],
    ['a field less', edited('s1.yaml', ', vlan_id: 7', ''), ['s1/v -/vlan_id main:s1.yaml:4:19']],
    [
      'a field of a profile less',
      edited('profiles.yaml', ', dtim: 2', ''),
      ['s1/w -/dtim main:profiles.yaml:2:29', 's2/w -/dtim main:profiles.yaml:2:29']
    ],
    [
      'an object less, by leaves',
      edited('profiles.yaml', /, auth.*/, ' }'),
      [
        's1/w -/auth/type main:profiles.yaml:3:61 -/auth/psk main:profiles.yaml:3:72',
        's2/w -/auth/type main:profiles.yaml:3:61 -/auth/psk main:profiles.yaml:3:72'
      ]
    ],
    ['a variable', edited('s1.yaml', 'vlan: 41', 'vlan: 51'), ['s1/w */vlan_id']],
    [
      'the reference of a secret',
      edited('profiles.yaml', 'SECRET_A', 'SECRET_B'),
      ['s1/w */auth/psk', 's2/w */auth/psk']
    ],
    [
      'a field that moved from a profile into each WLAN',
      {
        ...edited('profiles.yaml', ', dtim: 2', ''),
        's1.yaml': (then['s1.yaml'] ?? '').replace('ssid: One', 'ssid: One, dtim: 2'),
        's2.yaml': (then['s2.yaml'] ?? '').replace('ssid: One', 'ssid: One, dtim: 2')
      },
      []
    ],
    ['a WLAN more', edited('s2.yaml', /$/, '  x: { ssid: New }\n'), ['s2/x *']],
    ['a WLAN less', edited('s1.yaml', /.*Two.*\n/, ''), ['-s1/v main:s1.yaml:4']],
    ['another key for the same SSID', edited('s1.yaml', '  v:', '  x:'), []],
    ['another key and value', edited('s1.yaml', /v: (.*)7/, 'x: $18'), ['s1/x */vlan_id']],
    [
      'the same key for another live WLAN',
      edited('s1.yaml', 'Two', `Three, id: "${id(9)}"`),
      ['s1/v */ssid']
    ],
    ['a rename', edited('s1.yaml', 'Two', 'Three'), ['s1/v */ssid']],
    [
      'a rename with $match',
      edited('s1.yaml', 'ssid: Two', '$match: { ssid: Two }, ssid: Three'),
      ['s1/v */ssid']
    ],
    ['a site with another name', edited('s2.yaml', 'name: s2', 'name: s9'), []],
    [
      'a new site',
      { ...then, 's3.yaml': `site: { id: ${id(3)}, name: s3 }\nwlans: { w: { ssid: One } }\n` },
      ['s3/w *']
    ]
  ])('%s', async (_, now, since) => {
    expect(await compared(now)).toEqual({ since, codes: [] })
  })

  it('are the changes of --changed-since', async () => {
    const since = async () => revisionOf(then)
    const { desired } = await load(edited('s1.yaml', ', vlan_id: 7', ''), { since })
    expect(desired?.sites.map(({ name }) => name)).toEqual(['s1'])
    expect(desired?.sites[0]?.sinceBase?.wlans.get('v')?.removed).toHaveLength(1)
  })

  it('are unknown without a base', async () => {
    expect((await load(then)).desired?.sites.some(({ sinceBase }) => sinceBase)).toBe(false)
  })
})

describe('a removed site', () => {
  const { 's2.yaml': _gone, ...now } = then

  it('is a warning with its location in the base', async () => {
    const { findings } = await load(now, { base: async () => revisionOf(then) })
    expect(findings).toEqual([
      expect.objectContaining({
        level: 'warning',
        code: 'NO_LONGER_DECLARED',
        address: 's2',
        message: expect.stringMatching(/declared at "main".*no longer read/),
        place: { file: 's2.yaml', line: 1, column: expect.any(Number), revision: 'main' }
      })
    ])
  })

  test.each<[options: object, codes: number]>([
    [{ sites: ['s*'] }, 1],
    [{ sites: ['s1'] }, 0],
    [{ ids: new Set([id(1)]) }, 0]
  ])('with the selection %j gives %i warnings', async (options, codes) => {
    expect((await compared(now, then, options)).codes).toHaveLength(codes)
  })

  it('is reported with --changed-since', async () => {
    const { findings } = await load(now, { since: async () => revisionOf(then) })
    expect(lines(findings)).toEqual([expect.stringContaining('NO_LONGER_DECLARED?')])
  })
})

it('only the selection is reported', async () => {
  const now = {
    ...then,
    's1.yaml': (then['s1.yaml'] ?? '').replace(/.*Two.*\n/, '').replace('$extends: guest, ', '')
  }
  const all = await compared(now)
  expect(all.since).toHaveLength(2)
  expect((await compared(now, then, { wlans: ['w'] })).since).toEqual([all.since?.[0]])
})

it('files of the base are named relative to the working directory', async () => {
  const inFolder = (files: Files) =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`fleet/${name}`, text]))
  const { desired } = await load(inFolder(edited('s1.yaml', ', vlan_id: 7', '')), {
    directory: 'fleet',
    base: async () => revisionOf(then)
  })
  const removed = desired?.sites[0]?.sinceBase?.wlans.get('v')?.removed
  expect(removed?.[0]?.place.file).toBe('fleet/s1.yaml')
})

import { describe, expect, it, test } from 'vitest'
import { tablesIn } from '../../support/tables.ts'
import { lines, load } from '../fleet.ts'
import { revisionOf } from './revision.ts'

type Files = Readonly<Record<string, string>>

const id = (n: number) => `10000000-0000-4000-8000-00000000000${n}`

const site = (n: number, wlans: string): string =>
  `site: { id: ${id(n)}, name: s${n}, vars: { vlan: 4${n}, unused: 1 } }\nwlans:\n${wlans}`

const profiles = `profiles:
  base: { hide_ssid: false, dtim: 2 }
  guest: { $extends: base, vlan_id: { $var: vlan }, auth: { type: psk, psk: { $env: WLAN_SECRET_A } } }
  other: { dtim: 3 }
  nobody: { dtim: 4 }
`

const V = 'v: { ssid: Two, vlan_id: 7, bands: ["24", "5"] }'

/** s1 extends `guest`, and so `base`; s2 extends `other`; s3 extends nothing. */
const then: Files = {
  'profiles.yaml': profiles,
  's1.yaml': site(1, `  w: { $extends: guest, ssid: One }\n  ${V}\n`),
  's2.yaml': site(
    2,
    '  w: { $extends: other, ssid: One, auth: { psk: { $env: WLAN_SECRET_A } } }\n'
  ),
  's3.yaml': site(3, '  w:\n    ssid: One\n    enabled: true\n')
}

const edited = (file: string, from: string, to: string): Files => ({
  ...then,
  [file]: (then[file] ?? '').replace(new RegExp(from, 'g'), to.replace('ID9', id(9)))
})

async function changed(now: Files, before: Files = then) {
  const revision = revisionOf(before)
  const { desired, findings } = await load(now, { since: async () => revision })
  return {
    names: desired?.sites.map(({ name }) => name),
    findings: lines(findings),
    asked: revision.asked.length
  }
}

/** The differences of the sites from the base, with one line per WLAN. */
async function compared(now: Files, before: Files = then, options: object = {}) {
  const base = async () => revisionOf(before)
  const { desired, findings } = await load(now, { base, ...options })
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

/** Sites with plaintext secrets. */
const clear = (psk: string): Files => ({
  'policy.yaml': 'policy: { plaintext_secrets: allow }\n',
  's1.yaml': site(1, `  w: { ssid: One, auth: { psk: ${psk} } }\n`)
})

const SOUTH = 'south: { vars: { vlan: 50, other: 1 } }'

interface Members {
  readonly groups?: string
  readonly first?: string
  readonly second?: string
}

/** Three sites of one list; `first` and `second` are members of the first two. */
const list = ({ groups = SOUTH, first, second }: Members): Files => ({
  'groups.yaml': `groups: { ${groups} }\n`,
  'profiles.yaml': profiles,
  'stores.yaml': `sites:
  - { id: ${id(1)}, name: s1, groups: [south]${first ? `, ${first}` : ''} }
  - { id: ${id(2)}, name: s2, vars: { vlan: 7 }${second ? `, ${second}` : ''} }
  - { id: ${id(3)}, name: s3, groups: [south], vars: { vlan: 8 } }
wlans:
  w: { $extends: guest, ssid: One }
  v: { ssid: Two, hide_ssid: true }
`
})

type Change = readonly [file: string, from: string, to: string]
type Found = readonly [names: string[], since: string[]]

const tables = tablesIn<{
  readonly unchanged: readonly [how: string, ...Change][]
  readonly edits: readonly [what: string, ...Change, ...Found][]
  readonly lists: readonly [what: string, before: Members, now: Members, ...Found][]
}>(import.meta.dirname, 'changed.yaml')

describe('no change is found', () => {
  test.each<[how: string, now: Files]>([
    ['with equal text', then],
    ...tables.unchanged.map(([how, ...change]): [string, Files] => [how, edited(...change)]),
    [
      'by a profile that says the same',
      {
        ...edited('s3.yaml', 'enabled: true', '$extends: on'),
        'on.yaml': 'profiles: { on: { enabled: true } }\n'
      }
    ],
    [
      'by a field that moved from a profile into its WLAN',
      {
        ...edited('profiles.yaml', ', dtim: 2', ''),
        's1.yaml': (then['s1.yaml'] ?? '').replace('ssid: One', 'ssid: One, dtim: 2')
      }
    ],
    [
      'by moving a WLAN to another file',
      { ...edited('s1.yaml', '.*Two.*\n', ''), 'more.yaml': site(1, `  ${V}\n`) }
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
  ])('%s', async (_, now) => {
    expect(await changed(now)).toMatchObject({ names: [] })
    expect((await compared(now)).since).toEqual([])
  })

  it('in a plaintext secret', async () => {
    expect(await changed(clear('first-psk'), clear('first-psk'))).toMatchObject({ names: [] })
  })
})

describe('a change is found', () => {
  test.each<[what: string, now: Files, names: string[], since: string[], before?: Files]>([
    ...tables.edits.map(([what, file, from, to, names, since]): [string, Files, ...Found] => [
      what,
      edited(file, from, to),
      names,
      since
    ]),
    ['a new site', { ...then, 's4.yaml': site(4, '  w: { ssid: One }\n') }, ['s4'], ['s4/w *']],
    [
      'a site in place of another',
      { ...then, 's3.yaml': site(4, '  w: { ssid: One }\n') },
      ['s4'],
      ['s4/w *']
    ],
    ['a plaintext secret', clear('other-psk'), ['s1'], ['s1/w */auth/psk'], clear('first-psk')],
    ...tables.lists.map(([what, before, now, ...found]): [string, Files, ...Found, Files] => [
      what,
      list(now),
      ...found,
      list(before)
    ])
  ])('%s', async (_, now, names, since, before) => {
    const found = await compared(now, before)
    expect(await changed(now, before)).toMatchObject({ names, findings: found.codes })
    expect(found.since).toEqual(since)
    expect(found.codes.filter(line => !line.includes('NO_LONGER_DECLARED?'))).toEqual([])
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
  const now = edited('profiles.yaml', 'dtim', 'limit_probe_response: false, dtim')
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

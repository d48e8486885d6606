import { describe, expect, it, test } from 'vitest'
import { tablesIn } from '../support/tables.ts'
import { fieldsOf, HQ, HQ_ALONE, indent, lines, load, loaded } from './fleet.ts'

const ID = '4ac1dcf4-9d8b-4211-95c4-057819f0862b'
const OTHER = '7d6f1c5e-0b1d-4a6c-9a3e-1f2b3c4d5e6f'

type Files = Readonly<Record<string, string>>

const wlan = (text: string): Files => ({ 'hq.yaml': `${HQ}  w:\n${indent(text)}\n` })
const policy = (text: string): Files => ({ 'hq.yaml': HQ_ALONE, 'p.yaml': `policy:\n${text}\n` })
const profiles = (text: string): Files => ({
  'hq.yaml': `${HQ}  w: { ssid: a, $extends: base }\n`,
  'p.yaml': `profiles:\n${text}\n`
})
const file = (text: string): Files => ({ 'hq.yaml': text })

/** The files of a text in a table, by the group of the table. */
const filesOf = { file, site: file, profile: profiles, reference: wlan, WLAN: wlan, policy }

type Errors = Record<
  keyof typeof filesOf,
  readonly [what: string, text: string | Files, ...findings: string[]][]
>
type Fields = readonly [what: string, wlan: string, fields: unknown][]

const tables = tablesIn<Errors & { readonly fields: Fields; readonly profiles: Fields }>(
  import.meta.dirname,
  'load.yaml'
)

const constants: Files = { HQ_ALONE, HQ, ID, OTHER }
const withConstants = (text: string) =>
  text.replace(/HQ_ALONE|HQ|\bID\b|OTHER/g, name => constants[name] ?? '')

async function findingsOf(files: Files): Promise<string[]> {
  return lines((await load(files)).findings)
}

describe.each(Object.entries(filesOf))('errors of a %s', (group, ofText) => {
  test.each(tables[group as keyof Errors])('%s', async (_, given, ...expected) => {
    const files =
      typeof given === 'string'
        ? ofText(withConstants(given))
        : Object.fromEntries(
            Object.entries(given).map(([name, text]) => [name, withConstants(text)])
          )
    expect((await findingsOf(files)).sort()).toEqual(expected.sort())
  })
})

describe('errors of a WLAN', () => {
  test.each<[what: string, field: string, hint: string]>([
    ['a number for a string', 'ssid: 12', 'quote the value'],
    ['a string like a number for a string', 'ssid: 12e03', 'quote the value'],
    ['no', 'ssid: a\nenabled: no', 'write `false`, without quotes'],
    ['"on"', 'ssid: a\nenabled: "on"', 'write `true`, without quotes'],
    ['a quoted number', 'ssid: a\ndtim: "2"', 'write it without quotes'],
    ['a slip', 'ssid: a\nenabeld: true', 'did you mean "enabled"?'],
    ['a typo in a reference', 'ssid: { $var: vlan, $defualt: a }', 'did you mean "$default"?'],
    ['a key with a reference', 'ssid: { $var: vlan, else: a }', 'remove the other keys']
  ])('suggests the known name for %s', async (_what, field, hint) => {
    expect((await load(wlan(field))).findings.map(found => found.hint)).toEqual([hint])
  })

  it('rejects a single WLAN over the size limit', async () => {
    const files = wlan(`ssid: a\nbands: [${'"5",'.repeat(6000)}]\n`)
    expect(await findingsOf(files)).toEqual(['hq.yaml:6:3 WLAN_TOO_LARGE wlans.w'])
  })
})

describe('errors of a policy', () => {
  it('names each known key once', async () => {
    const [found] = (await load(policy('  cadence: 1'))).findings
    const known = found?.hint?.replace('known keys: ', '').split(', ') ?? []
    expect(known).toContain('max_changes')
    expect(known).toEqual([...new Set(known)])
  })

  it('accepts every key with a valid value', async () => {
    const text = `  max_changes: 0\n  max_change_percent: 12.5\n  unknown_fields: warn
  unknown_values: warn
  plaintext_secrets: allow\n  unmanaged: error\n  unwatched: ignore
  lint: { level: info, rules: { weak-key: error, too-many-ssids: off }, strict: true }
  rollout: { pause: 1, check_timeout: 3 }
  rules: [{ name: a, message: '', require: {} }]`
    expect((await loaded(policy(text))).policy).toEqual({
      maxChanges: 0,
      maxChangePercent: 12.5,
      unknownFields: 'warn',
      unknownValues: 'warn',
      plaintextSecrets: 'allow',
      unmanaged: 'error',
      unwatched: 'ignore',
      rollout: { pause: 1, checkTimeout: 3 },
      lint: { level: 'info', rules: { 'weak-key': 'error', 'too-many-ssids': 'off' }, strict: true }
    })
  })

  it('unknown fields are kept with `unknown_fields: warn`', async () => {
    const files = {
      ...wlan('ssid: a\nnew_field: { a: [1] }\n'),
      ...{ 'p.yaml': 'policy: { unknown_fields: warn }\n' }
    }
    const desired = await loaded(files)
    expect(lines(desired.findings)).toEqual(['hq.yaml:8:5 FIELD_UNKNOWN? wlans.w.new_field'])
    expect(desired.sites[0]?.wlans[0]?.fields).toEqual({ ssid: 'a', new_field: { a: [1] } })
  })
})

describe('a loaded fleet', () => {
  it('has sites and WLANs, sorted, with their locations', async () => {
    const desired = await loaded({
      'sites/b.yaml': `site: { id: ${OTHER} }\nwlans:\n  z: { ssid: Z }\n  a:\n    ssid: A\n`,
      'sites/a.yaml': `site: { id: ${ID} }\n`
    })
    expect(desired.sites).toEqual([
      { id: ID, name: 'a', wlans: [] },
      {
        id: OTHER,
        name: 'b',
        wlans: [
          {
            address: 'b/a',
            key: 'a',
            fields: { ssid: 'A' },
            place: { file: 'sites/b.yaml', line: 4, column: 3 },
            file: 'sites/b.yaml'
          },
          {
            address: 'b/z',
            key: 'z',
            fields: { ssid: 'Z' },
            place: { file: 'sites/b.yaml', line: 3, column: 3 },
            file: 'sites/b.yaml'
          }
        ]
      }
    ])
  })

  it('has the identity of a WLAN, separate from its fields', async () => {
    const desired = await loaded(
      wlan(`id: ${OTHER}\n$match: { ssid: Old }\n$protect: true\nssid: New\n`)
    )
    expect(desired.sites[0]?.wlans[0]).toMatchObject({
      id: OTHER,
      matchSsid: 'Old',
      protect: true,
      fields: { ssid: 'New' }
    })
  })

  it('has the WLANs of a file for each of its sites, with the variables of each', async () => {
    const desired = await loaded({
      'all.yaml': `sites:
  - { id: ${ID}, name: s1, vars: { n: 1 } }
  - { id: ${OTHER}, name: s2, vars: { n: 2 } }
wlans:
  w: { ssid: { $format: "Store {n}" } }
  same: { ssid: Same }
`
    })
    const ssids = desired.sites.map(site => site.wlans.map(({ fields }) => fields['ssid']))
    expect(ssids).toEqual([
      ['Same', 'Store 1'],
      ['Same', 'Store 2']
    ])
  })

  it('has one site from several files', async () => {
    const desired = await loaded({
      'guest.yaml': `sites: [{ id: ${ID.toUpperCase()}, vars: { n: 1 } }, { id: ${OTHER}, name: other }]\nwlans: { guest: { ssid: G } }\n`,
      'store.yaml': `site: { id: ${ID}, vars: { n: 1, m: 2 } }\nwlans: { own: { ssid: { $format: "O{n}{m}" } } }\n`
    })
    expect(desired.sites.map(({ name, wlans }) => [name, wlans.map(({ key }) => key)])).toEqual([
      ['other', ['guest']],
      ['store', ['guest', 'own']]
    ])
  })

  test.each(tables.fields)('%s', async (_, text, fields) => {
    expect(await fieldsOf(`${text}\n`)).toEqual(fields)
  })

  test.each(tables.profiles)('has profiles: %s', async (_, text, fields) => {
    const profiles = `profiles:
  a: { dtim: 1, auth: { type: psk, pairwise: [wpa2-ccmp] } }
  b: { dtim: 2, auth: { pairwise: [wpa3] } }
  d: { dynamic_vlan: { enabled: true, vlans: { "1": a } } }
  e: { ssid: E }
  f: { ssid: { $var: store } }
  g: { vlan_id: 3 }
`
    expect(await fieldsOf(`${text}\n`, { 'p.yaml': profiles })).toEqual(fields)
  })
})

describe('findings', () => {
  it('are sorted and unique, however many sites share a block', async () => {
    const { desired, findings } = await load({
      'b.yaml': `sites: [{ id: ${ID}, name: a }, { id: ${OTHER}, name: b }]\nwlans: { w: { ssid: a, dtim: x, nope: 1 } }\n`,
      'a.yaml': 'profiles: { p: { nope: 1 } }\n'
    })
    expect(desired).toBeUndefined()
    expect(lines(findings)).toEqual([
      'a.yaml:1:18 FIELD_UNKNOWN profiles.p.nope',
      'b.yaml:2:30 FIELD_TYPE wlans.w.dtim',
      'b.yaml:2:33 FIELD_UNKNOWN wlans.w.nope'
    ])
  })

  it('stop at 5,000 errors', async () => {
    for (const [item, times] of [
      ['1', 15_000],
      ['{}', 6_000],
      ['012', 6_000],
      ['x', 6_000]
    ] as const) {
      const { findings } = await load({ 'a.yaml': `sites:\n${`- ${item}\n`.repeat(times)}` })
      expect(findings).toHaveLength(5001)
      expect(findings[0]?.code).toBe('TOO_MANY_ERRORS')
    }
  })
})

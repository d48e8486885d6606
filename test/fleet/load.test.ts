import { describe, expect, it, test } from 'vitest'
import { fieldsOf, HQ, HQ_ALONE, indent, lines, load, loaded } from './fleet.ts'

const ID = '4ac1dcf4-9d8b-4211-95c4-057819f0862b'
const OTHER = '7d6f1c5e-0b1d-4a6c-9a3e-1f2b3c4d5e6f'

type Files = Readonly<Record<string, string>>

/** A row of a table: the name, the files, and the findings. */
type Case = [what: string, files: Files, ...findings: string[]]

const one = (text: string): Files => ({ 'hq.yaml': text })
const wlan = (text: string): Files => one(`${HQ}  w:\n${indent(text)}`)

async function findingsOf(files: Files): Promise<string[]> {
  return lines((await load(files)).findings)
}

describe('errors of a file', () => {
  test.each<Case>([
    ['nothing in it', { ...one(HQ_ALONE), 'a.yaml': '# nothing\n' }, 'a.yaml:1:1 FILE_EMPTY?'],
    ['an empty map', { ...one(HQ_ALONE), 'a.yaml': '{}\n' }, 'a.yaml:1:1 FILE_EMPTY?'],
    ['no map', { ...one(HQ_ALONE), 'a.yaml': '- a\n' }, 'a.yaml:1:1 FILE_NOT_OF_FLEET'],
    ['an unknown key', one(`${HQ_ALONE}\nprofile: {}\n`), 'hq.yaml:6:1 UNKNOWN_KEY profile'],
    ['no site in the fleet', { 'a.yaml': 'profiles: {}\n' }, '- EMPTY_FLEET'],
    ['no file', {}, '- EMPTY_FLEET'],
    [
      'WLANs without a site',
      one('wlans: { w: { ssid: a } }\n'),
      'hq.yaml:1:1 WLANS_WITHOUT_SITE wlans'
    ],
    ['site and sites', one(`site: { id: ${ID} }\nsites: []\n`), 'hq.yaml:2:1 SITE_AND_SITES sites'],
    ['sites that are no list', one(`sites: { id: ${ID} }\n`), 'hq.yaml:1:8 WRONG_TYPE sites'],
    ['WLANs in a list', one(`${HQ}  - ssid: a\n`), 'hq.yaml:6:3 WRONG_TYPE wlans'],
    ['a WLAN that is a text', one(`${HQ}  w: a\n`), 'hq.yaml:6:6 WRONG_TYPE wlans.w'],
    [
      'a WLAN key with a slash',
      one(`${HQ}  a/b: { ssid: a }\n`),
      'hq.yaml:6:3 NAME_UNFIT wlans.a/b'
    ],
    [
      'a WLAN key with a bidi mark',
      one(`${HQ}  "a\u202eb": { ssid: a }\n`),
      'hq.yaml:6:3 NAME_UNFIT wlans.a\u202eb'
    ],
    [
      'a WLAN key that is a number',
      one(`${HQ}  24: { ssid: a }\n`),
      'hq.yaml:6:3 KEY_NOT_TEXT wlans.24'
    ],
    [
      'two policies',
      { ...one(HQ_ALONE), 'a.yaml': 'policy: {}\n', 'b.yaml': 'policy: {}\n' },
      'b.yaml:1:1 POLICY_TWICE policy'
    ]
  ])('%s', async (_what, files, ...expected) => {
    expect((await findingsOf(files)).sort()).toEqual(expected.sort())
  })
})

describe('errors of a site', () => {
  test.each<Case>([
    ['no id', one('site: { name: hq }\n'), 'hq.yaml:1:7 KEY_MISSING site'],
    ['nothing', one('site:\n'), 'hq.yaml:1:6 KEY_MISSING site'],
    [
      'an invalid id',
      one('site: { id: "urn:uuid:4ac1dcf4-9d8b-4211-95c4-057819f0862b" }\n'),
      'hq.yaml:1:13 ID_NOT_UUID site.id'
    ],
    ['an unknown key', one(`site: { id: ${ID}, vrs: {} }\n`), 'hq.yaml:1:51 UNKNOWN_KEY site.vrs'],
    [
      'a name that is a number',
      one(`site: { id: ${ID}, name: 12 }\n`),
      'hq.yaml:1:57 WRONG_TYPE site.name'
    ],
    [
      'a name with a control character',
      one(`site: { id: ${ID}, name: "a\\tb" }\n`),
      'hq.yaml:1:57 NAME_UNFIT site.name'
    ],
    [
      'no names in a list',
      one(`sites: [{ id: ${ID} }, { id: ${OTHER} }]\n`),
      'hq.yaml:1:9 KEY_MISSING sites[0]',
      'hq.yaml:1:55 KEY_MISSING sites[1]'
    ],
    [
      'a duplicate name',
      { 'a.yaml': `site: { id: ${ID}, name: x }\n`, 'b.yaml': `site: { id: ${OTHER}, name: x }\n` },
      'b.yaml:1:57 SITE_NAME_TAKEN site.name'
    ],
    [
      'names that contradict',
      {
        'a.yaml': `site: { id: ${ID}, name: x }\n`,
        'b.yaml': `site: { id: ${ID.toUpperCase()}, name: y }\n`
      },
      'b.yaml:1:57 SITE_CONTRADICTS site.name'
    ],
    [
      'names of files that contradict',
      { 'a.yaml': `site: { id: ${ID} }\n`, 'b.yaml': `site: { id: ${ID} }\n` },
      'a.yaml:1:7 KEY_MISSING site'
    ],
    [
      'an id twice in one list, which is one error',
      {
        'sites.yaml': `sites:
  - { id: ${ID}, name: x, vars: { v: 1 } }
  - { id: ${ID.toUpperCase()}, name: y, vars: { v: 2 } }
wlans:
  w: { ssid: a }
`
      },
      'sites.yaml:3:11 SITE_ID_TWICE y.id'
    ],
    [
      'an id twice in the second file',
      {
        'a.yaml': `site: { id: ${ID}, name: x }\n`,
        'b.yaml': `sites:\n  - id: ${ID}\n  - id: ${ID}\n`
      },
      'b.yaml:3:9 SITE_ID_TWICE sites[1].id'
    ],
    [
      'variables that contradict',
      {
        'a.yaml': `site: { id: ${ID}, name: x, vars: { v: [1] } }\n`,
        'b.yaml': `site: { id: ${ID}, vars: { v: [2] } }\n`
      },
      'b.yaml:1:59 SITE_CONTRADICTS site.vars.v'
    ],
    [
      'a WLAN twice',
      { 'a.yaml': `${HQ}  w: { ssid: a }\n`, 'b.yaml': `${HQ}  w: { ssid: a }\n` },
      'b.yaml:6:3 WLAN_KEY_TWICE wlans.w'
    ],
    [
      'a variable named like a reference',
      one(`site: { id: ${ID}, vars: { $x: 1 } }\n`),
      'hq.yaml:1:59 NAME_UNFIT site.vars.$x'
    ]
  ])('%s', async (_what, files, ...expected) => {
    expect((await findingsOf(files)).sort()).toEqual(expected.sort())
  })
})

describe('errors of a profile', () => {
  const using = (profiles: string): Files => ({
    ...wlan('ssid: a\n$extends: base\n'),
    'p.yaml': `profiles:\n${profiles}`
  })

  test.each<Case>([
    [
      'an unknown one',
      wlan('ssid: a\n$extends: [base]\n'),
      'hq.yaml:8:16 NAME_UNKNOWN wlans.w.$extends[0]'
    ],
    [
      'an unknown one, which may have the SSID',
      wlan('$extends: base\n'),
      'hq.yaml:7:15 NAME_UNKNOWN wlans.w.$extends'
    ],
    ['none, and no SSID', wlan('$extends: []\n'), 'hq.yaml:6:3 WLAN_UNIDENTIFIED wlans.w'],
    [
      'a profile, a group and a variable that a file may declare that cannot be parsed',
      {
        'a.yaml': `site: { id: ${ID}, groups: [north] }\nwlans: { w: { $extends: base, dtim: { $var: v } } }\n`,
        'broken.yaml': 'profiles: [\n'
      },
      'broken.yaml:1:11 YAML_SYNTAX'
    ],
    [
      'fields below an $unset',
      {
        'a.yaml': `site: { id: ${ID}, wlans: { w: { $unset: [dtim] } } }\nwlans: { w: { $extends: base, ssid: w } }\n`,
        'broken.yaml': 'profiles: [\n'
      },
      'broken.yaml:1:11 YAML_SYNTAX'
    ],
    [
      'one that is no name',
      wlan('ssid: a\n$extends: 1\n'),
      'hq.yaml:8:15 WRONG_TYPE wlans.w.$extends'
    ],
    [
      'a cycle',
      using('  base: { $extends: b }\n  b: { $extends: base }\n'),
      'p.yaml:3:18 PROFILE_CYCLE profiles.b.$extends'
    ],
    [
      'the same name twice',
      { ...using('  base: {}\n'), 'q.yaml': 'profiles: { base: {} }\n' },
      'q.yaml:1:13 NAME_TWICE profiles.base'
    ],
    [
      'a $managed',
      using('  base: { $managed: false }\n'),
      'p.yaml:2:11 KEY_NOT_ALLOWED profiles.base.$managed'
    ],
    [
      'a misspelt key with $',
      using('  base: { $protet: true }\n'),
      'p.yaml:2:11 UNKNOWN_KEY profiles.base.$protet'
    ],
    ['an id', using(`  base: { id: ${OTHER} }\n`), 'p.yaml:2:11 FIELD_READ_ONLY profiles.base.id'],
    [
      'an invalid field',
      using('  base: { dtim: x }\n'),
      'p.yaml:2:17 FIELD_TYPE profiles.base.dtim'
    ],
    [
      'an invalid field in an unused one',
      using('  base: {}\n  other: { dtmi: 1, vlan_id: { $var: x } }\n'),
      'p.yaml:3:12 FIELD_UNKNOWN profiles.other.dtmi'
    ],
    [
      'a required field with a variable in an unused one',
      using('  base: {}\n  other: { auth_servers: [{ host: { $format: "10.{store}.0.1" } }] }\n')
    ],
    [
      'an unused one, while another file cannot be parsed',
      { ...using('  base: {}\n  other: { dtmi: 1 }\n'), 'broken.yaml': 'sites: [\n' },
      'broken.yaml:1:8 YAML_SYNTAX'
    ],
    [
      'a required field with an unknown variable',
      using('  base: { auth_servers: [{ host: { $var: stoer } }] }\n'),
      'p.yaml:2:34 VARIABLE_UNKNOWN profiles.base.auth_servers[0].host'
    ]
  ])('%s', async (_what, files, ...expected) => {
    expect((await findingsOf(files)).sort()).toEqual(expected.sort())
  })
})

describe('errors of a reference', () => {
  test.each<Case>([
    [
      'an unknown variable',
      wlan('ssid: a\nvlan_id: { $var: vlna }\n'),
      'hq.yaml:8:14 VARIABLE_UNKNOWN wlans.w.vlan_id'
    ],
    [
      'a variable named like a prototype member',
      wlan('ssid: { $var: toString }\n'),
      'hq.yaml:7:11 VARIABLE_UNKNOWN wlans.w.ssid'
    ],
    [
      'an unknown variable in a format',
      wlan('ssid: { $format: "a {sore}" }\n'),
      'hq.yaml:7:11 VARIABLE_UNKNOWN wlans.w.ssid'
    ],
    [
      'a list in a format',
      wlan('ssid: { $format: "a {bands}" }\n'),
      'hq.yaml:7:11 FORMAT_NOT_TEXT wlans.w.ssid'
    ],
    [
      'nothing in a format',
      wlan('ssid: { $format: "a {nothing}" }\n'),
      'hq.yaml:7:11 FORMAT_NOT_TEXT wlans.w.ssid'
    ],
    [
      'an open brace',
      wlan('ssid: { $format: "a {store" }\n'),
      'hq.yaml:7:11 FORMAT_BROKEN wlans.w.ssid'
    ],
    [
      'empty braces',
      wlan('ssid: { $format: "a {}" }\n'),
      'hq.yaml:7:11 FORMAT_BROKEN wlans.w.ssid'
    ],
    [
      'another key next to it',
      wlan('ssid: a\nvlan_id: { $var: vlan, x: 1 }\n'),
      'hq.yaml:8:16 REFERENCE_NOT_ALONE wlans.w.vlan_id.$var'
    ],
    [
      'an unknown one',
      wlan('ssid: a\nvlan_id: { $vra: vlan }\n'),
      'hq.yaml:8:16 REFERENCE_UNKNOWN wlans.w.vlan_id.$vra'
    ],
    [
      'one to a number',
      wlan('ssid: a\nvlan_id: { $var: 1 }\n'),
      'hq.yaml:8:22 WRONG_TYPE wlans.w.vlan_id.$var'
    ],
    [
      'a variable in a variable',
      {
        'hq.yaml': `site: { id: ${ID}, vars: { a: { $var: b }, b: 1 } }\nwlans: { w: { ssid: { $var: a } } }\n`
      },
      'hq.yaml:2:21 VARIABLE_IN_VARIABLE wlans.w.ssid'
    ]
  ])('%s', async (_what, files, ...expected) => {
    expect((await findingsOf(files)).sort()).toEqual(expected.sort())
  })
})

describe('errors of a WLAN', () => {
  test.each<Case>([
    ['nothing', one(`${HQ}  w:\n`), 'hq.yaml:6:3 WLAN_UNIDENTIFIED wlans.w'],
    ['no identity', wlan('dtim: 2\n'), 'hq.yaml:6:3 WLAN_UNIDENTIFIED wlans.w'],
    ['an invalid id', wlan('id: corp\nssid: a\n'), 'hq.yaml:7:9 ID_NOT_UUID wlans.w.id'],
    ['text after an id', wlan(`id: ${OTHER}/x\nssid: a\n`), 'hq.yaml:7:9 ID_NOT_UUID wlans.w.id'],
    [
      'a $match without an SSID',
      wlan('$match: {}\nssid: a\n'),
      'hq.yaml:7:5 MATCH_WITHOUT_SSID wlans.w.$match'
    ],
    [
      'a $match with a number',
      wlan('$match: { ssid: 1 }\nssid: a\n'),
      'hq.yaml:7:21 WRONG_TYPE wlans.w.$match.ssid'
    ],
    [
      'a $protect that is no boolean',
      wlan('$protect: yes\nssid: a\n'),
      'hq.yaml:7:15 WRONG_TYPE wlans.w.$protect'
    ],
    ['an unknown $ key', wlan('$extend: a\nssid: a\n'), 'hq.yaml:7:5 UNKNOWN_KEY wlans.w.$extend'],
    [
      'an unknown field',
      wlan('ssid: a\nvlan_di: 3\n'),
      'hq.yaml:8:5 FIELD_UNKNOWN wlans.w.vlan_di'
    ],
    [
      'an unknown field below',
      wlan('ssid: a\nauth:\n  tpye: psk\n'),
      'hq.yaml:9:7 FIELD_UNKNOWN wlans.w.auth.tpye'
    ],
    ['an invalid type', wlan('ssid: a\ndtim: two\n'), 'hq.yaml:8:11 FIELD_TYPE wlans.w.dtim'],
    [
      'a number out of range',
      wlan('ssid: a\nvlan_id: 4095\n'),
      'hq.yaml:8:14 FIELD_RANGE wlans.w.vlan_id'
    ],
    [
      'a string that does not match its pattern',
      wlan('ssid: a\nvlan_id: "4095"\n'),
      'hq.yaml:8:14 FIELD_PATTERN wlans.w.vlan_id'
    ],
    [
      'an unknown value',
      wlan('ssid: a\nauth: { type: pks }\n'),
      'hq.yaml:8:19 FIELD_VALUE_UNKNOWN wlans.w.auth.type'
    ],
    [
      'a field of the service itself',
      wlan('ssid: a\ncreated_time: 3\n'),
      'hq.yaml:8:5 FIELD_READ_ONLY wlans.w.created_time'
    ],
    [
      'an SSID that is too long',
      wlan(`ssid: ${'ü'.repeat(17)}\n`),
      'hq.yaml:7:11 SSID_INVALID wlans.w.ssid'
    ],
    ['an empty SSID', wlan('ssid: ""\n'), 'hq.yaml:7:11 SSID_INVALID wlans.w.ssid'],
    ['an SSID of lines', wlan('ssid: "a\\n::b"\n'), 'hq.yaml:7:11 SSID_INVALID wlans.w.ssid'],
    ['half a character', wlan('ssid: "\\ud800"\n'), 'hq.yaml:7:11 SSID_INVALID wlans.w.ssid'],
    [
      'an SSID with a zero-width space',
      wlan('ssid: "a\u200bb"\n'),
      'hq.yaml:7:11 SSID_INVALID wlans.w.ssid'
    ],
    [
      'an invalid item',
      wlan('ssid: a\nauth_servers:\n  - { host: a, port: 99999 }\n'),
      'hq.yaml:9:26 FIELD_RANGE wlans.w.auth_servers[0].port'
    ],
    [
      'an item without its key',
      wlan('ssid: a\nauth_servers:\n  - port: 1812\n'),
      'hq.yaml:9:9 FIELD_MISSING wlans.w.auth_servers[0]'
    ],
    [
      'an error inside of a variable',
      wlan('ssid: a\nauth_servers: { $var: bands }\n'),
      'hq.yaml:8:19 FIELD_TYPE wlans.w.auth_servers',
      'hq.yaml:8:19 FIELD_TYPE wlans.w.auth_servers'
    ]
  ])('%s', async (_what, files, ...expected) => {
    expect((await findingsOf(files)).sort()).toEqual(expected.sort())
  })

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
    expect((await load(wlan(`${field}\n`))).findings.map(found => found.hint)).toEqual([hint])
  })

  it('rejects a single WLAN over the size limit', async () => {
    const files = wlan(`ssid: a\nbands: [${'"5",'.repeat(6000)}]\n`)
    expect(await findingsOf(files)).toEqual(['hq.yaml:6:3 WLAN_TOO_LARGE wlans.w'])
  })
})

describe('errors of a policy', () => {
  const policy = (text: string): Files => ({ 'hq.yaml': HQ_ALONE, 'p.yaml': `policy:\n${text}` })
  const rule = 'name: a, message: b, require: {}'
  const zoned = (text: string): Files => policy(`  timezone: UTC\n  ${text}\n`)
  const nights = (from: string, to: string) =>
    zoned(
      'windows: [{ name: a, days: [mon], from: "22:00", until: "05:00", impact: [outage] }]'.replace(
        from,
        to
      )
    )
  const sale = (from: string, to: string) =>
    zoned(
      'freezes: [{ from: 2026-11-20T00:00, until: 2026-12-01T06:00, reason: b }]'.replace(from, to)
    )

  test.each<Case>([
    ['an unknown key', policy('  max_change: 1\n'), 'p.yaml:2:3 UNKNOWN_KEY policy.max_change'],
    [
      'a string for a number',
      policy('  max_changes: many\n'),
      'p.yaml:2:16 WRONG_TYPE policy.max_changes'
    ],
    ['a fraction', policy('  max_changes: 1.5\n'), 'p.yaml:2:16 WRONG_TYPE policy.max_changes'],
    [
      'a negative number',
      policy('  max_changes: -1\n'),
      'p.yaml:2:16 FIELD_RANGE policy.max_changes'
    ],
    [
      'more than all',
      policy('  max_change_percent: 101\n'),
      'p.yaml:2:23 FIELD_RANGE policy.max_change_percent'
    ],
    [
      'a string for a boolean',
      policy('  lint: { strict: maybe }\n'),
      'p.yaml:2:19 WRONG_TYPE policy.lint.strict'
    ],
    ['an unknown word', policy('  unmanaged: warn\n'), 'p.yaml:2:14 NOT_A_CHOICE policy.unmanaged'],
    [
      'a rule without `require`',
      policy('  rules: [{ name: a, message: b }]\n'),
      'p.yaml:2:11 KEY_MISSING policy.rules[0]'
    ],
    [
      'an unknown key in a rule',
      policy(`  rules: [{ ${rule}, if: {} }]\n`),
      'p.yaml:2:47 UNKNOWN_KEY policy.rules[0].if'
    ],
    [
      'a rule twice',
      policy(`  rules: [{ ${rule} }, { ${rule} }]\n`),
      'p.yaml:2:49 NAME_TWICE policy.rules[1]'
    ],
    [
      'a time that is a number',
      nights('"22:00"', '2200'),
      'p.yaml:3:43 TIME_INVALID policy.windows[0].from'
    ],
    ['an empty window', nights('"05:00"', '"22:00"'), 'p.yaml:3:13 WINDOW_EMPTY policy.windows[0]'],
    [
      'an unknown class',
      nights('outage', 'noise'),
      'p.yaml:3:77 NOT_A_CHOICE policy.windows[0].impact[0]'
    ],
    [
      'an unknown day',
      nights('mon', 'monday'),
      'p.yaml:3:31 NOT_A_CHOICE policy.windows[0].days[0]'
    ],
    [
      'a window without an impact',
      nights(', impact: [outage]', ''),
      'p.yaml:3:13 KEY_MISSING policy.windows[0]'
    ],
    [
      'a date that does not exist',
      sale('2026-12-01', '2026-02-30'),
      'p.yaml:3:46 TIME_INVALID policy.freezes[0].until'
    ],
    [
      'an end before the beginning',
      sale('2026-12-01', '2026-10-01'),
      'p.yaml:3:13 TIME_ORDER policy.freezes[0]'
    ],
    [
      'an unknown time zone',
      policy('  timezone: Europe/Berlinn\n'),
      'p.yaml:2:13 TIMEZONE_UNKNOWN policy.timezone'
    ],
    [
      'an unknown time zone of a site',
      {
        ...nights('', ''),
        'hq.yaml': `site: { id: ${ID}, name: hq, vars: { timezone: Europe/Berlinn } }\n`
      },
      'hq.yaml:1:79 TIMEZONE_UNKNOWN site.vars.timezone'
    ]
  ])('%s', async (_what, files, ...expected) => {
    expect((await findingsOf(files)).sort()).toEqual(expected.sort())
  })

  it('names each known key once', async () => {
    const [found] = (await load(policy('  cadence: 1\n'))).findings
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
  rules: [{ name: a, message: '', require: {} }]\n`
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
            origin: { file: 'sites/b.yaml', line: 4, column: 3 },
            place: { file: 'sites/b.yaml', line: 4, column: 3 }
          },
          {
            address: 'b/z',
            key: 'z',
            fields: { ssid: 'Z' },
            origin: { file: 'sites/b.yaml', line: 3, column: 3 },
            place: { file: 'sites/b.yaml', line: 3, column: 3 }
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

  test.each<[what: string, wlan: string, fields: unknown]>([
    ['null', 'ssid: a\nvlan_id: null', { ssid: 'a', vlan_id: null }],
    ['a variable with its type', 'ssid: a\nvlan_id: { $var: vlan }', { ssid: 'a', vlan_id: 40 }],
    ['a list of a variable', 'ssid: a\nbands: { $var: bands }', { ssid: 'a', bands: ['24', '5'] }],
    [
      'an item of a variable',
      'ssid: a\nvlan_ids: [{ $var: vlan }, 2]',
      { ssid: 'a', vlan_ids: [40, 2] }
    ],
    [
      'a text of variables',
      'ssid: { $format: "Store {store} on {vlan}" }',
      { ssid: 'Store 7 on 40' }
    ],
    ["the service's own variables", 'ssid: { $format: "{{x}} {store}" }', { ssid: '{{x}} 7' }],
    [
      'a VLAN that the service fills in',
      'ssid: a\nvlan_id: "{{vlan}}"',
      { ssid: 'a', vlan_id: '{{vlan}}' }
    ],
    [
      'numbers as names',
      'ssid: a\nrateset: { 24: { template: compatible } }',
      { ssid: 'a', rateset: { 24: { template: 'compatible' } } }
    ],
    ['an empty secret', 'ssid: a\nauth: { psk: "" }', { ssid: 'a', auth: { psk: '' } }],
    [
      'an entry of a map that is null',
      'ssid: a\napp_limit: { apps: { netflix: 1, youtube: ~ } }',
      { ssid: 'a', app_limit: { apps: { netflix: 1 } } }
    ],
    ['a secret that is null', 'ssid: a\nauth: { psk: ~ }', { ssid: 'a', auth: { psk: null } }]
  ])('%s', async (_what, text, fields) => {
    expect(await fieldsOf(`${text}\n`)).toEqual(fields)
  })

  test.each<[what: string, wlan: string, fields: unknown]>([
    [
      'later ones win',
      '$extends: [a, b]\nssid: w',
      { ssid: 'w', dtim: 2, auth: { type: 'psk', pairwise: ['wpa3'] } }
    ],
    ['null wins', '$extends: g\nssid: w\nvlan_id: ~\n', { ssid: 'w', vlan_id: null }],
    [
      'free keys are one value',
      '$extends: d\nssid: w\ndynamic_vlan: { vlans: { "2": b } }',
      { ssid: 'w', dynamic_vlan: { enabled: true, vlans: { 2: 'b' } } }
    ],
    ['the SSID comes from it', '$extends: e', { ssid: 'E' }],
    ['references are one value', '$extends: f\nssid: { $format: "W" }', { ssid: 'W' }]
  ])('has profiles: %s', async (_what, text, fields) => {
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

import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, test } from 'vitest'
import { folder, wlanctl } from '../support/program.ts'
import { HQ, lines, load } from './fleet.ts'

const MIB = 1024 * 1024

/** A file of 4 MiB that repeats this text. */
const full = (piece: string) => piece.repeat(Math.floor((4 * MIB) / piece.length))

/** A WLAN below `HQ`; its fields begin at line 7. */
const wlan = (fields: string) => `${HQ}  w:\n    ssid: a\n${fields.replace(/^(?=.)/gm, '    ')}\n`

const keys = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1\n`).join('')

const bomb = Array.from(
  { length: 9 },
  (_, at) => `b${at}: &b${at} [${`*${at === 0 ? 'a' : `b${at - 1}`},`.repeat(9)}]\n`
).join('')

const inherited = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']

/** Files must not change built-in prototypes. */
const prototypes = () =>
  [Object, Array, String, Map, Function].map(({ prototype }) => Reflect.ownKeys(prototype).length)
const before = prototypes()

afterEach(() => {
  expect(prototypes()).toEqual(before)
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
})

type Document = [what: string, content: string | Buffer, ...findings: string[]]

const bombs: Document[] = [
  ['brackets that nest', full('['), '1:66 YAML_TOO_LARGE'],
  ['braces that nest', full('{a: '), '1:258 YAML_TOO_LARGE'],
  ['dashes that nest', full('- '), '1:130 YAML_TOO_LARGE'],
  [
    'lines that nest',
    Array.from({ length: 99 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''),
    '65:67 YAML_TOO_LARGE'
  ],
  ['explicit keys that nest', full('? '), '1:130 YAML_TOO_LARGE'],
  ['aliases that nest', `a: &a [${'x,'.repeat(9)}]\n${bomb}`, '6:14 YAML_TOO_LARGE'],
  [
    'aliases that repeat',
    `a: &a [${'x,'.repeat(99)}]\nb: [${'*a,'.repeat(2100)}]`,
    '2:5999 YAML_TOO_LARGE'
  ],
  ['an alias in its own anchor', 'a: &a [*a]\n', '1:1 FILE_NOT_OF_FLEET', '1:8 ALIAS_CYCLE'],
  ['40,000 keys', keys(40_000), '1:1 YAML_TOO_LARGE'],
  ['5,001 keys', keys(5001), '1:1 YAML_TOO_LARGE'],
  ['too many items', `[${'[],'.repeat(200_001)}]`, '1:1 YAML_TOO_LARGE'],
  ['too many lists', `[${`[${'[],'.repeat(15_000)}],`.repeat(14)}]`, '1:599997 YAML_TOO_LARGE'],
  ['too many comments', full('# c\n'), '600001:1 YAML_TOO_LARGE'],
  ['empty lines', full('\n'), '1200001:1 YAML_TOO_LARGE'],
  ['spaces', full(' '), '1:1 FILE_EMPTY?', '- EMPTY_FLEET'],
  ['tabs', full('\t'), '1:1 FILE_EMPTY?', '- EMPTY_FLEET'],
  ['folded lines', `a: >\n${full('  b\n').slice(9)}`, '2:1 YAML_TOO_LARGE'],
  ['more than 4 MiB', `${full(' ')} `, '1:1 FILE_TOO_LARGE']
]

const encodings: Document[] = [
  ['a surrogate', Buffer.from([0x61, 0x3a, 0x20, 0xed, 0xa0, 0x80]), '1:4 FILE_NOT_UTF8'],
  ['an overlong slash', Buffer.from([0x61, 0x3a, 0x20, 0xc0, 0xaf]), '1:4 FILE_NOT_UTF8'],
  ['a truncated character', Buffer.from([0x61, 0x3a, 0x20, 0xe2, 0x82]), '1:4 FILE_NOT_UTF8'],
  ['an escape sequence', 'a: \x1b[31mb\n', '1:4 CONTROL_CHARACTER'],
  ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), '1:1 CONTROL_CHARACTER']
]

const others: Document[] = [
  [
    'a tag directive',
    '%TAG ! tag:x,2000:\n---\na: 1\n',
    '1:1 YAML_UNSUPPORTED',
    '3:1 FILE_NOT_OF_FLEET'
  ],
  ['an unknown alias', `${HQ}  w: *nobody\n`, '6:6 ALIAS_UNKNOWN', '6:3 WLAN_UNIDENTIFIED wlans.w'],
  [
    'an infinite number',
    wlan('vlan_id: 1e999'),
    '8:14 NUMBER_TOO_LARGE wlans.w.vlan_id',
    '8:14 FIELD_TYPE wlans.w.vlan_id'
  ],
  [
    'an id with a path traversal',
    'site: { id: ../../self, name: hq }\n',
    '1:13 ID_NOT_UUID site.id'
  ],
  [
    'an id with trailing text',
    'site: { id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b/x, name: hq }\n',
    '1:13 ID_NOT_UUID site.id'
  ],
  [
    'an SSID with half a character',
    `${HQ}  w: { ssid: "\\ud800" }\n`,
    '6:14 SSID_INVALID wlans.w.ssid'
  ],
  [
    'an SSID like a command',
    `${HQ}  w: { ssid: "a\\n::error::b" }\n`,
    '6:14 SSID_INVALID wlans.w.ssid'
  ],
  [
    'a site of a forged name',
    'site: { id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b, name: "a\u2028b" }\n',
    '1:57 NAME_UNFIT site.name'
  ]
]

describe.each([
  ['bombs', bombs],
  ['encodings', encodings],
  ['others', others]
])('%s', (_group, documents) => {
  test.each(documents)('%s', async (_what, content, ...expected) => {
    const { findings } = await load({ 'f.yaml': content })
    const wanted = expected.map(line => (line.startsWith('-') ? line : `f.yaml:${line}`))
    expect(lines(findings).sort()).toEqual(wanted.sort())
  })
})

describe('names of prototype members', () => {
  const places = {
    'a top-level key': (key: string) => `${HQ}\n"${key}": { polluted: 1 }\n`,
    'a key of a site': (key: string) => HQ.replace('name:', `"${key}": { polluted: 1 }\n  name:`),
    'a field': (key: string) => wlan(`"${key}": { polluted: 1 }`),
    'a member of a field': (key: string) => wlan(`auth: { "${key}": { polluted: 1 } }`),
    'a profile': (key: string) =>
      `${wlan(`$extends: "${key}"`)}profiles: { "${key}": { "${key}": 1 } }\n`,
    'a rule': (key: string) =>
      `${wlan('dtim: 1')}policy: { rules: [{ name: r, message: m, require: { "${key}": {} } }] }\n`
  }

  test.each(Object.entries(places))('are not found in %s', async (_what, file) => {
    for (const key of inherited) {
      const { desired, findings } = await load({ 'f.yaml': file(key) })
      expect(desired, key).toBeUndefined()
      expect(
        findings.every(({ place }) => place?.file === 'f.yaml'),
        key
      ).toBe(true)
    }
  })
})

it('one run survives all hostile files, and reports all of them', async () => {
  const cwd = folder()
  const nested = '['.repeat(1000) + ']'.repeat(1000)
  const files = {
    'alias-bomb.yaml': `a: &a [${'x,'.repeat(9)}]\n${bomb}`,
    'keys.yaml': keys(40_000),
    'latin-1.yaml': Buffer.from('site: { name: Caf\u00e9 }\n', 'latin1'),
    'nested-1.yaml': nested,
    'nested-2.yaml': nested,
    'spaces.yaml': ' '.repeat(5 * MIB)
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
  symlinkSync('/etc/passwd', join(cwd, 'system.yaml'))
  const { code, stdout, stderr } = await wlanctl(['validate', '--format', 'json'], { cwd })
  const { findings } = JSON.parse(stdout)
  expect({ code, stderr, found: lines(findings) }).toEqual({
    code: 3,
    stderr: '',
    found: [
      'alias-bomb.yaml:6:14 YAML_TOO_LARGE',
      'keys.yaml:1:1 YAML_TOO_LARGE',
      'latin-1.yaml:1:18 FILE_NOT_UTF8',
      'nested-1.yaml:1:66 YAML_TOO_LARGE',
      'nested-2.yaml:1:66 YAML_TOO_LARGE',
      'spaces.yaml:1:1 FILE_TOO_LARGE',
      'system.yaml:1:1 LINK_LEADS_OUT'
    ]
  })
})

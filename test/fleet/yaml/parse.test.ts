import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { stringify } from 'yaml'
import { parseSource } from '../../../src/fleet/files/read.ts'
import { Source } from '../../../src/fleet/files/source.ts'
import { limits } from '../../../src/fleet/limits.ts'
import type { Node } from '../../../src/fleet/yaml/tree.ts'
import { lines } from '../fleet.ts'

async function parsed(text: string) {
  const source = new Source('f', 'f', text)
  return { findings: await parseSource(source), root: source.root }
}

function plain(node: Node | undefined): unknown {
  if (node === undefined) return undefined
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'list') return node.items.map(plain)
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.value)]))
}

describe('YAML errors', () => {
  test.each<[what: string, text: string, ...findings: string[]]>([
    ['an incorrect indentation', 'a:\n   b: 1\n  c: 2\n', 'f:3:3 YAML_INDENT'],
    ['text behind the end', 'a: 1\n... b\n', 'f:2:5 YAML_SYNTAX'],
    ['a tag', 'a: !secret b\n', 'f:1:4 YAML_UNSUPPORTED'],
    ['a tag on a map', 'a: !!set {b, c}\n', 'f:1:4 YAML_UNSUPPORTED'],
    ['a directive', '%YAML 1.1\n---\na: no\n', 'f:1:1 YAML_UNSUPPORTED'],
    ['a second document', 'a: 1\n---\nb: 2\n', 'f:2:1 YAML_SEVERAL_DOCUMENTS'],
    ['a merge key', 'a: &a {b: 1}\nc:\n  <<: *a\n', 'f:3:3 YAML_MERGE_KEY c.<<'],
    ['an unknown alias', 'a: *b\n', 'f:1:4 ALIAS_UNKNOWN'],
    ['an alias above its anchor', 'a: *b\nc: &b 1\n', 'f:1:4 ALIAS_UNKNOWN'],
    ['an alias in its own anchor', 'a: &a [1, *a]\n', 'f:1:11 ALIAS_CYCLE'],
    ['a duplicate key', 'a: 1\nb: 2\na: 3\n', 'f:3:1 DUPLICATE_KEY a'],
    ['a duplicate key in a nested map', 'a:\n  - {b: 1, b: 2}\n', 'f:2:12 DUPLICATE_KEY a[0].b'],
    ['a duplicate quoted key', '"a": 1\na: 3\n', 'f:2:1 DUPLICATE_KEY a'],
    ['__proto__', 'a: {__proto__: {b: 1}}\n', 'f:1:5 KEY_FORBIDDEN a.__proto__'],
    ['constructor', 'constructor: 1\n', 'f:1:1 KEY_FORBIDDEN constructor'],
    ['prototype', '"prototype": 1\n', 'f:1:1 KEY_FORBIDDEN prototype'],
    ['a boolean key', 'true: 1\n', 'f:1:1 KEY_NOT_TEXT true'],
    ['an empty key', ': 1\n', 'f:1:1 KEY_NOT_TEXT null'],
    ['a list as key', '[a]: 1\n', 'f:1:1 KEY_NOT_TEXT undefined'],
    ['a number key in another notation', '0x10: 1\n', 'f:1:1 KEY_NOT_TEXT 16'],
    ['an integer beyond 2^53', 'a: 9007199254740993\n', 'f:1:4 NUMBER_TOO_LARGE a'],
    ['an infinite number', 'a: [1e999]\n', 'f:1:5 NUMBER_TOO_LARGE a[0]'],
    ['infinity', 'a: -.inf\n', 'f:1:4 NUMBER_TOO_LARGE a'],
    ['no number', 'a: .nan\n', 'f:1:4 NUMBER_TOO_LARGE a'],
    ['a leading zero', 'a: 012\n', 'f:1:4 NUMBER_LEADING_ZERO a'],
    ['a leading zero with a sign', 'a: -012\n', 'f:1:4 NUMBER_LEADING_ZERO a'],
    ['a control character', 'a: b\n"c\u0007": d\n', 'f:2:3 CONTROL_CHARACTER'],
    ['a control character of the parser', 'a: \u001fb\n', 'f:1:4 CONTROL_CHARACTER'],
    ['nothing', '# only a comment\n', 'f:1:1 FILE_EMPTY?'],
    [
      'several things',
      'a: 1\na: *x\nb: 01\n',
      'f:2:1 DUPLICATE_KEY a',
      'f:2:4 ALIAS_UNKNOWN',
      'f:3:4 NUMBER_LEADING_ZERO b'
    ]
  ])('%s', async (_what, text, ...expected) => {
    const found = lines((await parsed(text)).findings)
    expect(found.sort()).toEqual(expected.sort())
  })

  it('show a number as it is written, unless it may be a secret', async () => {
    const text = 'vlan_id: 9007199254740993\nauth: { psk: 12345678901234567890 }\n'
    const { findings } = await parsed(text)
    expect(findings.map(({ message }) => message)).toEqual([
      'the number 9007199254740993 is too large to be kept exactly',
      'the number is too large to be kept exactly'
    ])
  })

  it('stop after twenty errors', async () => {
    expect((await parsed('- !x a\n'.repeat(100))).findings).toHaveLength(limits.faults)
    const commas = (await parsed(`[${',\n'.repeat(1000)}]`)).findings
    expect(commas).toHaveLength(limits.faults)
  })

  it('are reported once per line', async () => {
    expect(lines((await parsed(`[${','.repeat(1000)}]`)).findings)).toEqual(['f:1:3 YAML_SYNTAX'])
  })
})

describe('the parsed tree', () => {
  test.each<[what: string, text: string, value: unknown]>([
    ['booleans and null', 'a: [true, False, ~, null, ]', { a: [true, false, null, null] }],
    [
      'no other booleans',
      'a: [no, yes, on, off, y, n]',
      { a: ['no', 'yes', 'on', 'off', 'y', 'n'] }
    ],
    ['numbers', 'a: [1, -2, 1.5, 0x1F, 0o17, 0, 1e3]', { a: [1, -2, 1.5, 31, 15, 0, 1000] }],
    ['no other numbers', 'a: [1_000, 1:30, 0b1]', { a: ['1_000', '1:30', '0b1'] }],
    ['quoted numbers', 'a: ["012", \'1e999\']', { a: ['012', '1e999'] }],
    ['block texts', 'a: |\n  b\n  c\nd: >-\n  e\n  f\n', { a: 'b\nc\n', d: 'e f' }],
    ['aliases', 'a: &x {b: [1]}\nc: *x\ny: 1\n', { a: { b: [1] }, c: { b: [1] }, y: 1 }],
    ['an alias as key', 'a: &x b\n*x : 1\n', { a: 'b', b: 1 }],
    ['an anchor that is set anew', 'a: &x 1\nb: &x 2\nc: *x\n', { a: 1, b: 2, c: 2 }],
    ['a number as key', 'a: {24: 1}', { a: { 24: 1 } }],
    ['a key without a value', 'a: {b}\nc:', { a: { b: null }, c: null }],
    ['a document with its marks', '# a\n---\na: 1\n...\n', { a: 1 }],
    ['a mark at the end', 'a: 1\n---\n', { a: 1 }],
    [
      'names of prototype members',
      'toString: 1\nhasOwnProperty: 2',
      { toString: 1, hasOwnProperty: 2 }
    ]
  ])('%s', async (_what, text, value) => {
    const { findings, root } = await parsed(text)
    expect(lines(findings)).toEqual([])
    expect(plain(root)).toEqual(value)
  })

  it('equals any JSON value that is written as YAML', async () => {
    const forbidden = ['__proto__', 'constructor', 'prototype', '<<']
    const fits = (value: unknown): boolean => {
      if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
      if (typeof value === 'string')
        return !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]/.test(value)
      if (typeof value !== 'object' || value === null) return true
      return Object.entries(value).every(
        ([key, below]) => !forbidden.includes(key) && fits(key) && fits(below)
      )
    }
    const value = fc.jsonValue({ stringUnit: 'grapheme' }).filter(fits)
    await fc.assert(
      fc.asyncProperty(fc.record({ it: value }), async data => {
        const { findings, root } = await parsed(stringify(data, { aliasDuplicateObjects: false }))
        expect(lines(findings)).toEqual([])
        expect(plain(root)).toEqual(JSON.parse(JSON.stringify(data)))
      })
    )
  })
})

describe('the limits of a file', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  /** A list of lists of ten, with this many nodes. */
  const listsOf = (nodes: number) =>
    `[${Array.from({ length: 10 }, (_, at) => `[${'1,'.repeat(Math.floor((nodes - 11 + at) / 10))}]`).join(',')}]`
  const keys = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1\n`).join('')

  test.each<[what: string, text: string, fits: boolean]>([
    ['64 lists within each other', nested(64), true],
    ['65 lists within each other', nested(65), false],
    ['64 maps within each other', '{a: '.repeat(64) + '}'.repeat(64), true],
    ['65 maps within each other', '{a: '.repeat(65) + '}'.repeat(65), false],
    ['5,000 keys', keys(5000), true],
    ['5,001 keys', keys(5001), false],
    ['20,000 items', `a: [${'1,'.repeat(20_000)}]`, true],
    ['20,000 items, not plain', `a: &a [${'1,'.repeat(20_000)}]`, true],
    ['20,001 items', `a: [${'1,'.repeat(20_001)}]`, false],
    ['20,001 items, not plain', `a: &a [${'1,'.repeat(20_001)}]`, false],
    ['20,001 items on lines', `a:\n${'- 1\n'.repeat(20_001)}`, false],
    ['199,997 nodes', `${listsOf(199_997)}`, true],
    ['200,001 nodes', `${listsOf(200_001)}`, false],
    [
      'aliases that multiply a little',
      `a: &a [${'1,'.repeat(99)}]\nb: [${'*a,'.repeat(1000)}]`,
      true
    ],
    ['aliases that multiply', `a: &a [${'1,'.repeat(99)}]\nb: [${'*a,'.repeat(2000)}]`, false],
    ['aliases of a long text', `a: &a ${'x'.repeat(10_000)}\nb: [${'*a,'.repeat(2000)}]`, false],
    ['aliases that nest', `a: &a ${nested(40)}\nb: ${nested(30).replace('[]', '[*a]')}`, false]
  ])('%s', async (_what, text, fits) => {
    const { findings, root } = await parsed(text)
    expect(findings.map(({ code }) => code)).toEqual(fits ? [] : ['YAML_TOO_LARGE'])
    expect(root === undefined).toBe(!fits)
  })
})

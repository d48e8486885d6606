import fc, { type Arbitrary } from 'fast-check'
import type { Json, JsonObject } from '../../../src/simulator/json.ts'
import { HQ } from '../../simulator/simulate.ts'
import { anyCharacter } from '../../support/properties.ts'

/** Words that have broken other YAML parsers, and words with a meaning in a fleet. */
export const words = [
  ...['{', '}', '[', ']', '- ', '? ', ': ', ', ', '|', '>', '"', "'", '#', '\t', '\n', '\r', '  '],
  ...['&a ', '*a', '*a: ', '!x ', '!!binary ', '!!str', '%YAML 1.1\n', '---\n', '...\n', '<<: *a'],
  ...[
    '__proto__: ',
    'constructor: ',
    'prototype: ',
    'toString: ',
    'null',
    '~',
    'no',
    '012',
    '0x1F'
  ],
  ...['1e999', '-0', '.nan', '99999999999999999999', '2026-11-20', '\u0000', '\ufeff', '\u2028'],
  ...['$env: ', '$file: ', '$var: ', '$format: "{', '$extends: ', '$match: ', '$protect: ', '$x: '],
  ...['site: ', 'sites: ', 'wlans: ', 'profiles: ', 'policy: ', 'rules: ', 'require: ', 'when: '],
  ...['{'.repeat(70), '['.repeat(3000), 'a: '.repeat(50), '\ud800', '😀', '::error::', '##[x]']
]

/** A text with pieces removed, duplicated or inserted. */
export function mutated(text: string, pieces: readonly string[] = words): Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(text.length),
    cut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(40)),
    put: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }) },
      { weight: 1, arbitrary: fc.nat(text.length).map(from => text.slice(from, from + 60)) }
    )
  })
  return fc
    .array(edit, { minLength: 1, maxLength: 6 })
    .map(edits =>
      edits.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), text)
    )
}

/** A text with lines removed, duplicated, moved, indented, or with another value at their end. */
export function relined(text: string): Arbitrary<string> {
  const lines = text.split('\n')
  const line = fc.nat(lines.length - 1)
  const edit = fc.oneof(
    line.map(at => (now: string[]) => now.toSpliced(at, 1)),
    fc.tuple(line, line).map(([at, from]) => (now: string[]) => {
      return now.toSpliced(at, 0, now[from] ?? '')
    }),
    line.map(at => (now: string[]) => now.with(at % now.length, `  ${now[at] ?? ''}`)),
    fc.tuple(line, fc.constantFrom(...words)).map(([at, word]) => (now: string[]) => {
      return now.map((each, n) => (n === at ? each.replace(/: .*/, `: ${word}`) : each))
    })
  )
  return fc
    .array(edit, { minLength: 1, maxLength: 3 })
    .map(edits => edits.reduce((now, change) => change(now), lines).join('\n'))
}

const names = [
  ...['site', 'sites', 'wlans', 'profiles', 'policy', 'id', 'name', 'vars', 'ssid', 'auth', 'psk'],
  ...['$extends', '$match', '$env', '$var', '$format', 'rules', 'require', 'properties', 'pattern'],
  ...['auth_servers', 'host', 'secret', 'portal', 'vlan_id', 'type', 'keys', 'bands', 'schedule'],
  ...['__proto__', 'constructor', 'toString', '', 'a/b', 'x~y']
]

/** JSON of any form, with meaningful names. */
export const json: Arbitrary<Json> = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom<Json[]>(null, true, 0, -1, 1e300, 2 ** 60, '', HQ, 'psk', '********', '012'),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom(...names), tie('value')), { maxLength: 5 })
      .map(entries => Object.fromEntries(entries))
  )
})).value

/** A document with random replacements. */
export function disturbed(document: Json): Arbitrary<Json> {
  return fc
    .array(fc.tuple(fc.nat(), json), { minLength: 1, maxLength: 4 })
    .map(changes => changes.reduce((now, [seed, value]) => replaced(now, seed, value), document))
}

/** The document with a replacement at the position of this number. */
function replaced(document: Json, seed: number, value: Json, depth = 0): Json {
  const isLeaf = typeof document !== 'object' || document === null
  if (isLeaf || (depth > 0 && seed % 6 === 0)) return value
  const entries = Object.entries(document)
  const at = seed % Math.max(entries.length, 1)
  const rest = Math.floor(seed / Math.max(entries.length, 1))
  const next = entries.map(
    ([name, inner], n) =>
      [name, n === at ? replaced(inner, rest, value, depth + 1) : inner] as const
  )
  return Array.isArray(document)
    ? next.map(([, inner]) => inner)
    : (Object.fromEntries(next) as JsonObject)
}

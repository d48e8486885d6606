import { readdirSync, readFileSync } from 'node:fs'
import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { Source } from '../../../src/fleet/files/source.ts'
import { readFast } from '../../../src/fleet/yaml/fast-reader.ts'
import { readWithLibrary } from '../../../src/fleet/yaml/library.ts'
import type { Node } from '../../../src/fleet/yaml/tree.ts'
import { ROOT } from '../../support/program.ts'
import { runs } from '../../support/properties.ts'
import { tablesIn } from '../../support/tables.ts'

const { rejected, pieces } = tablesIn<Record<'rejected' | 'pieces', string[]>>(
  import.meta.dirname,
  'rejected.txt'
)

/** All data of a tree, including locations and order. */
function described(node: Node | undefined): unknown {
  if (node === undefined || node.kind === 'scalar') return { ...node, source: undefined }
  const { kind, offset } = node
  if (kind === 'list') return { kind, offset, items: node.items.map(described) }
  const entries = [...node.entries].map(([name, entry]) => [
    name,
    { ...entry, value: described(entry.value) }
  ])
  return { kind, offset, entries }
}

const fast = (text: string) => readFast(new Source('f', 'f', text), new Map())

/** True if the fast reader accepts the text; asserts that the library parses the same tree. */
function isTakenAlike(text: string): boolean {
  const root = fast(text)
  if (root === undefined) return false
  const source = new Source('f', 'f', text)
  const findings = readWithLibrary(source)
  expect(findings, text).toEqual([])
  expect(described(root), text).toEqual(described(source.root))
  return true
}

describe('plain YAML', () => {
  test.each<[what: string, text: string]>([
    ['maps', 'a: b\nc:\n  d: e\n  f:\n    g: h\ni: j\n'],
    ['lists', '- a\n- b\n-   c\n'],
    ['lists in lists', '- - a\n  - b\n- - - c\n'],
    ['lists of maps', '- a: 1\n  b: 2\n-   a: 3\n    b: 4\n'],
    ['lists below a key', 'a:\n  - b\n  - c\nd:\n- e\n- f\ng: h\n'],
    ['maps that are empty below', 'a:\nb:   \nc: # d\n\ne:\n'],
    ['brackets', 'a: [b, c d, [e], {f: g}, ]\nb: []\nc: {}\nd: { e: [ ], f: "g" }\n'],
    [
      'brackets over lines',
      'a: [\n  b, # c\n # d\n\n  e,\n ]\nf:\n  - { g: h,\n    i: [ j\n   ], k: l }\n  - m: {\n     n: o # p\n     }\n'
    ],
    ['quotes', 'a: "b: c # d"\n"e": \'f "g"\'\n\'h\': ""\n'],
    ['comments', '# a\n\n  # b\nc: d # e\n#\n   # f\ng:  # h\n # i\n  j: k\n#l'],
    ['a hash in a text', 'a: b#c\nd: e#\n'],
    ['a colon in a text', 'a: b:c\ne: https://f.example:8443/\n'],
    ['numbers', 'a: [0, 1, -1, 1.5, -0, -0.5, 0.0, 20, 999999999999999]\n'],
    ['strings like numbers', 'a: [1.2.3.4, 10.0.0.0/8, 1-2, 1:2, 4ac1, -a, 1_0, 0b1, .a, +a]\n'],
    ['booleans and null', 'a: [true, false, null]\nb: true\nc: null\n'],
    ['strings like them', 'a: [no, yes, truely, nULL, True story, n, t]\n'],
    ['numbers as keys', 'a: {24: b, -1: c, 1.5: d}\n5: e\n'],
    ['odd keys', '$a: b\na b: c\n_: d\na-b: e\n-f: g\n(h): i\n=: j\n'],
    ['one document', '# a\n---\nb: c\n'],
    ['no line end', 'a: b'],
    ['spaces at the end', 'a: b   \nc: [d]   \ne:\n  f: "g"  # h\n   '],
    ['letters of all kinds', 'ä: "ö"\nß: 水 # 🌊\n🌊: x\u00a0\u2028y\n']
  ])('%s', (_what, text) => {
    expect(isTakenAlike(text)).toBe(true)
  })

  const files = readdirSync(`${ROOT}/examples`, { recursive: true, encoding: 'utf8' })
  test.each(files.filter(file => /^(?!.*(?:github|gitlab|kubernetes)).*\.yaml$/.test(file)))(
    'examples/%s',
    file => {
      expect(isTakenAlike(readFileSync(`${ROOT}/examples/${file}`, 'utf8'))).toBe(true)
    }
  )
})

describe('YAML that the fast reader rejects', () => {
  test.each([...rejected, `${'k'.repeat(1025)}: a`])('%j', text => {
    expect(fast(text)).toBeUndefined()
  })
})

describe('a document that the fast reader accepts', () => {
  it('has the same value as in the library, for any fragments', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), words => {
        isTakenAlike(words.join(''))
      }),
      runs(300)
    )
  })

  it('has the same value as in the library, for almost valid text', () => {
    let [tried, count] = [0, 0]
    fc.assert(
      fc.property(document, edits, (lines, changes) => {
        const text = changes.reduce(edited, lines.map(line => `${line}\n`).join(''))
        tried += 1
        if (isTakenAlike(text)) count += 1
      }),
      runs(300)
    )
    expect(count).toBeGreaterThan(tried / 10)
  })

  it('has the same value as in the library, for any text around a block', () => {
    let tried = 0
    let count = 0
    const block = fc.constantFrom(
      ...[
        'k: v',
        'k: v\n    l: [a]',
        'k: v\n    # c',
        'k: v\n   l: w',
        'k: v\n\n  # c',
        '- k',
        'k:\n    - v'
      ]
    )
    const around = fc.record({
      top: fc.constantFrom('wlans:', 'a: b\nwlans: # c', '- wlans:'),
      margin: fc.integer({ min: 1, max: 3 }),
      keys: fc.array(block, { minLength: 1, maxLength: 3 }),
      end: fc.constantFrom('', '\n', '\n# c', '\nz: 1\n', '\n  z: 1')
    })
    fc.assert(
      fc.property(around, ({ top, margin, keys, end }) => {
        tried += 1
        const lines = keys.map((text, at) => `${' '.repeat(margin)}n${at}:\n    ${text}`)
        if (isTakenAlike(`${[top, ...lines].join('\n')}${end}`)) count += 1
      }),
      runs(300)
    )
    expect(count).toBeGreaterThan(tried / 20)
  })

  it.each(['a', 'wlans'])('is limited like a file, however often it repeats a block: %s', top => {
    const block = `k: { ${Array.from({ length: 100 }, (_, at) => `l${at}: v`).join(', ')} }`
    const text = (blocks: number) =>
      `${top}:\n${Array.from({ length: blocks }, (_, at) => ` n${at}:\n  ${block}\n`).join('')}`
    expect(fast(text(900))).toBeDefined()
    expect(fast(text(1100))).toBeUndefined()
  })

  const word = fc.constantFrom(
    ...['a', 'b', 'c d', '$e', '24', "'5'", '"f g"', '-h', 'i:j', 'k#l', '1.2.3', 'no', 'ü']
  )
  const value: Arbitrary<string> = fc.letrec<{ value: string }>(tie => ({
    value: fc.oneof(
      { weight: 6, arbitrary: word },
      {
        weight: 2,
        arbitrary: fc.constantFrom('1', '-2', '0.5', 'true', 'null', '""', '012', '1e3')
      },
      fc
        .tuple(
          fc.array(tie('value'), { maxLength: 3 }),
          fc.constantFrom(', ', ',\n     ', '\n  , ')
        )
        .map(([items, comma]) => `[${items.join(comma)}]`),
      fc
        .array(fc.tuple(word, tie('value')), { maxLength: 3 })
        .map(pairs => `{ ${pairs.map(pair => pair.join(': ')).join(', ')} }`)
    )
  })).value
  const indented = (by: number) => (lines: readonly string[]) =>
    lines.map(line => ' '.repeat(by) + line)
  const document: Arbitrary<readonly string[]> = fc.letrec<{ block: readonly string[] }>(tie => {
    const entry = fc.oneof(
      fc
        .tuple(word, value, fc.constantFrom('', ' ', ' # x'))
        .map(([a, b, c]) => [`${a}: ${b}${c}`]),
      fc
        .tuple(word, fc.constantFrom('', ' ', ' # x'), fc.nat(4), tie('block'))
        .map(([key, end, by, block]) => [`${key}:${end}`, ...indented(by)(block)]),
      word.map(key => [`${key}:`]),
      fc.constantFrom('# a', '', '   # b').map(line => [line])
    )
    const item = fc.oneof(
      value.map(text => [`- ${text}`]),
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), tie('block'))
        .map(([by, [first = 'a', ...rest]]) => [
          `-${' '.repeat(by)}${first}`,
          ...indented(1 + by)(rest)
        ])
    )
    const of = (lines: Arbitrary<string[]>) =>
      fc.array(lines, { minLength: 1, maxLength: 4 }).map(all => all.flat())
    return { block: fc.oneof({ maxDepth: 4 }, of(entry), of(item)) }
  }).block
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom('', ...pieces)), {
    maxLength: 2
  })
  const edited = (text: string, [at, cut, piece]: readonly [number, number, string]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + piece + text.slice(place + cut)
  }
})

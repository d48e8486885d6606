import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { insertMembers, rewriteValue } from '../../../src/author/yaml-edit/edit.ts'
import { parseOutline, type TextRange } from '../../../src/author/yaml-edit/outline.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import { applyEdits } from '../../../src/core/values/text.ts'
import type { Value } from '../../../src/core/values/value.ts'

const TEXT = `# head
number:   &v 40    # aligned
single: 'x'  # quoted
double: "x"
list:    # who
  # first
  - a   # A

  - b
  - c
flow: { a: 1, b: [x, y] , c: }
map:   # of servers
  k: 1
  servers:
    - host: a   # A
      port: 1
    - host: b
block: |
  hello
  world
alias: *v
nothing:
commented: # for later
anchored: &m
  k: 1
last: {}`

function spotOf(text: string, key: string): TextRange {
  const spot = parseOutline(text).ofKey(text.search(new RegExp(`^${key}:`, 'm')))
  if (spot === undefined) throw new Error(key)
  return spot
}

function edited(text: string, key: string, value: Value) {
  const edits = rewriteValue(parseOutline(text), spotOf(text, key), value)
  return { edits, after: applyEdits(text, edits) }
}

const SECRET = new Secret({ $env: 'WLAN_SECRET_X' }, undefined)

describe('rewriting a value', () => {
  it.each<[key: string, value: Value, changes: readonly string[]]>([
    ['number', 41, ['40 → 41']],
    ['number', 40, []],
    ['number', '40', ['40 → "40"']],
    ['single', 'y', ["'x' → 'y'"]],
    ['single', "it's", [`'x' → 'it''s'`]],
    ['double', 'y', ['"x" → "y"']],
    ['double', 'no', ['"x" → "no"']],
    ['single', 5, ["'x' → 5"]],
    ['list', ['a', 'b', 'c', 'd'], [' →   - d\n']],
    ['list', ['a', 'x', 'c', 'd'], ['  - b\n  - c\n →   - x\n  - c\n  - d\n']],
    ['list', ['c'], ['  - a   # A\n\n  - b\n → ']],
    ['list', ['a', 'b', 'no'], ['c → "no"']],
    ['list', [], [' →  []', '  - a   # A\n\n  - b\n  - c\n → ']],
    ['flow', { a: 2, b: ['x', 'y'], c: 'no' }, ['1 → 2', ' →  "no"']],
    ['flow', { a: 1, b: ['x'], c: null }, ['[x, y] → [x]']],
    ['map', { k: 1, servers: [{ host: 'a', port: 2 }, { host: 'b' }] }, ['1 → 2']],
    [
      'map',
      { k: 2 },
      ['k: 1\n  servers:\n    - host: a   # A\n      port: 1\n    - host: b\n → k: 2\n']
    ],
    ['block', 'short', ['|\n  hello\n  world\n → short\n']],
    ['block', 'two\nlines', ['|\n  hello\n  world\n → "two\\nlines"\n']],
    ['alias', 41, ['*v → 41']],
    ['nothing', 5, [' →  5']],
    ['commented', [1, 2], [' →  [1, 2]']],
    ['anchored', null, [' →  null', '  k: 1\n → ']],
    ['last', { a: 1 }, ['{} → { a: 1 }']]
  ])('of `%s` as %j', (key, value, changes) => {
    const { edits, after } = edited(TEXT, key, value)
    expect(edits.map(({ start, end, text }) => `${TEXT.slice(start, end)} → ${text}`)).toEqual(
      changes
    )
    expect(parse(after)).toEqual({
      ...parse(TEXT),
      ...(key === 'number' ? { alias: value } : {}),
      [key]: value
    })
    const windows = TEXT.replaceAll('\n', '\r\n')
    expect(edited(windows, key, value).after).toBe(after.replaceAll('\n', '\r\n'))
  })

  it('keeps the notation of a secret at any path', () => {
    const text = 'server: { host: a, secret: { $env: WLAN_SECRET_X } }\n'
    expect(edited(text, 'server', { host: 'b', secret: SECRET }).after).toBe(
      'server: { host: b, secret: { $env: WLAN_SECRET_X } }\n'
    )
  })

  it('writes a long list line by line', () => {
    const names = Array.from({ length: 12 }, (_, n) => `access-point-${n}`)
    const { after } = edited('list: [a]\nmap:\n  a:\n    - b\n', 'map', { a: names, b: 1 })
    expect(after).toContain('map:\n  a:\n    - access-point-0\n')
    expect(parse(after)).toEqual({ list: ['a'], map: { a: names, b: 1 } })
  })
})

describe('adding members', () => {
  it.each([
    ['map', '    - host: b\n  vlan_id: 5\n  auth: { type: "no" }\nblock:'],
    ['flow', 'c: , vlan_id: 5, auth: { type: "no" }}\n'],
    ['last', 'last: { vlan_id: 5, auth: { type: "no" } }']
  ])('to `%s`', (key, shown) => {
    const members = { vlan_id: 5, auth: { type: 'no' } }
    const edit = insertMembers(parseOutline(TEXT), spotOf(TEXT, key), members)
    const after = applyEdits(TEXT, [edit])
    expect(after).toContain(shown)
    expect(parse(after)[key]).toEqual({ ...parse(TEXT)[key], ...members })
  })

  it.each([
    [
      'after an empty line, as the others',
      'map:\n  a:\n    x: 1\n\n  b:\n    x: 1\n',
      '\n\n  c:\n'
    ],
    ['after an empty line behind one block', 'map:\n  a:\n    x: 1\n', '\n\n  c:\n'],
    ['without one where there is none', 'map:\n  a:\n    x: 1\n  b:\n    x: 1\n', ' 1\n  c:\n'],
    ['without one behind short members', 'map:\n  a: 1\n', ' 1\n  c:\n']
  ])('a block %s', (_, text, shown) => {
    const block = { x: { y: 1, z: 2, w: 3 } }
    const edit = insertMembers(parseOutline(text), spotOf(text, 'map'), { c: block })
    expect(applyEdits(text, [edit])).toContain(shown)
  })

  it('between braces on separate lines if the line would become too long', () => {
    const long = 'x'.repeat(110)
    const text = `map:\n  - { a: ${long} } # one\n`
    const [item] = [parseOutline(text).ofValue(text.indexOf('{'))]
    const edit = item && insertMembers(parseOutline(text), item, { b: 2 })
    expect(applyEdits(text, edit ? [edit] : [])).toBe(
      `map:\n  - { a: ${long},\n      b: 2 } # one\n`
    )
  })

  it('behind the comment of the last line, and at the end of a file without a newline', () => {
    const text = 'map:\n    a: 1 # one'
    const edit = insertMembers(parseOutline(text), spotOf(text, 'map'), { b: 2 })
    expect(applyEdits(text, [edit])).toBe('map:\n    a: 1 # one\n    b: 2')
  })
})

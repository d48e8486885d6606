import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseSource } from '../../../src/fleet/files/read.ts'
import { Source } from '../../../src/fleet/files/source.ts'

/** Marks the location of the error in a text. */
const HERE = '▸'

async function findingsOf(text: string) {
  return await parseSource(new Source('fleet.yaml', 'fleet.yaml', text))
}

/** The line and column of the marks in a text. */
function marksIn(text: string): string[] {
  return text.split('\n').flatMap((line, above) => {
    const column = line.indexOf(HERE) + 1
    return column === 0 ? [] : [`${above + 1}:${column}`]
  })
}

type Row = readonly [what: string, text: string, message: RegExp, hint?: RegExp]

const quoting: readonly Row[] = [
  ['a colon in an SSID', 'ssid: ▸Guest: 5 GHz\nvlan_id: 3\n', /colon/, /quote the value/],
  ['a colon in a list of maps', 'rules:\n  - key: ▸a: b\n  - x: 1\n', /colon/, /quote/],
  ['a colon at the end', 'a:\n  ssid: ▸Guest:\n  b: 1\n', /colon/, /quote/],
  ['a colon, with CRLF', 'a: 1\r\nssid: ▸Guest: 5\r\nb: 1\r\n', /colon/, /quote/],
  ['a colon, and a comment', 'ssid: ▸Guest: 5 # a: b\nb: 1\n', /colon/, /quote/],
  ['a colon behind a quote', 'ssid: ▸"Guest": 5\nb: 1\n', /colon/, /quote/],
  ['two values in a line', 'ssid: ▸Guest, vlan_id: 3\n', /colon/, /quote/],
  ['a colon between brackets', 'tags: [a: ▸b: c]\n', /colon/, /comma, or quote/],
  ['a comma that is missing', 'site: {id: ▸1 name: 2}\n', /colon/, /comma, or quote/],
  ['@', 'wlans:\n  a:\n    ssid: ▸@corp\n    b: 1\n', /cannot start/, /quote/],
  ['a back quote', 'ssid: ▸`corp`\n', /cannot start/, /quote/],
  ['%', 'auth:\n  type: psk\n  psk: ▸%abcdefgh\n', /cannot start/, /quote/],
  ['a comma', 'ssid: ▸, a\n', /cannot start/, /quote/],
  ['a question mark', 'ssid: ▸? a\n', /cannot start/, /quote/],
  ['*', 'ssid: ▸*guest\nb: 1\n', /anchor/, /quote a string that starts with `\*`/],
  ['* and more words', 'ssid: *guest ▸wifi\nb: 1\n', /alias/, /quote a string that starts/],
  ['* alone', 'ssid: ▸* guest\nb: 1\n', /anchor or alias/, /quote a string that starts/],
  ['!', 'ssid: ▸!guest\nb: 1\n', /tags/, /quote a string that starts with `!`/],
  ['>', 'ssid: >▸corp\nb: 1\n', /after `\|` or `>`/, /quote a string that starts/],
  ['a dash', 'ssid: ▸- corp\nb: 1\n', /list/, /quote a string that starts with `- `/],
  ['brackets', 'ssid: [corp] ▸wifi\nb: 1\n', /closing bracket/, /quote a string that starts/],
  ['a variable', 'ssid: ▸{{name}}\nb: 1\n', /`{{`/, /quote a value that starts with `{{`/],
  ['a variable and text', 'ssid: {{name}}▸-x\nb: 1\n', /closing bracket/, /quote/],
  ['a variable as first key', '▸{{name}}: x\n', /`{{`/, /quote/],
  ['an apostrophe', "ssid: 'Joe'▸s cafe'\nb: 1\n", /closing quote/, /double a single quote/],
  ['text after a quote', 'ssid: "Corp" ▸wifi\nb: 1\n', /closing quote/, /quote all/],
  ['a hash after a quote', 'ssid: "Guest"▸#1\nb: 1\n', /space before the comment/, /quote/],
  ['a closing bracket', 'a: 1\ntags: [1]▸]\n', /no opening/, /quote/],
  ['a backslash', 'a: 1\nssid: "corp▸\\d"\n', /escape/, /backslash/]
]

const unclosed: readonly Row[] = [
  ['a quote, to the end', 'a: 1\nssid: ▸"Guest\nb: 2\nc: 3\n', /quote is never closed/, /close it/],
  ['a single quote', "a: 1\nssid: ▸'Guest\nb: 2\n", /quote is never closed/],
  ['a quote, in a map', 'a:\n  ssid: ▸"Guest\n  b: "x"\nc: "y"\n', /quote is never closed/],
  ['a quote, closed by a later one', 'ssid: ▸"Guest\n  b: "x"\n', /quote is never closed/],
  ['a quote, in a list', 'tags:\n  - ▸"a\n  - "b"\n', /quote is never closed/],
  ['a quote between brackets', 'tags: ["a", ▸"b]\nc: 1\n', /quote is never closed/],
  ['a bracket', 'a: 1\ntags: ▸[1, 2\nb: 3\nc: 4\n', /bracket is never closed/, /close it/],
  ['a brace', 'site: ▸{ id: 1\nc: 3\n', /bracket is never closed/, /close it/],
  ['the inner bracket', 'tags: [1, ▸{a: 2]\nb: 3\n', /bracket is never closed/],
  ['a bracket, to the end', 'tags: ▸[1, 2\n', /bracket is never closed/]
]

const indentation: readonly Row[] = [
  ['a tab', 'auth:\n▸\ttype: psk\n', /tab/, /use spaces/],
  ['a tab in a map', 'auth:\n  type: psk\n▸\tpsk: x\n', /tab/, /use spaces/],
  ['a tab behind spaces', 'auth:\n  ▸\ttype: psk\n', /tab/, /use spaces/],
  ['too little', 'a:\n   b: 1\n  ▸c: 2\n', /indentation/],
  [
    'one space too few among many',
    'a:\n  b:\n    c: 1\n   ▸d: 2\n    e: 3\n',
    /expected an indentation of 2 or 4 spaces, got 3/,
    /like line 2 or 3/
  ],
  [
    'a first line that is further right than the others',
    'a:\n  b:\n     ▸c: 1\n    d: 2\n    e: 3\n',
    /expected an indentation of 4 spaces, got 5/,
    /like line 4/
  ],
  [
    'a key of an item',
    'a:\n  - b: 1\n    c: 2\n  - b: 1\n   ▸c: 2\n    d: 1\n',
    /expected an indentation of 0 or 4 spaces, got 3/,
    /like line 1 or 4/
  ],
  ['too much', 'a:\n  b: 1\n    ▸c: 2\nd: 1\n', /indentation/],
  ['too much, below a blank line', 'a:\n  b: 1\n\n  # x\n    ▸c: 2\nd: 1\n', /indentation/],
  ['too much at the top', 'a: 1\n  ▸b: 2\nc: 3\n', /indentation/],
  ['too much in a list', 'a:\n  - b: 1\n     ▸c: 2\n', /indentation/],
  ['too little in a list', 'a:\n  - b: 1\n   ▸c: 2\n', /indentation/],
  ['too much below a quote', 'a:\n  b: "1" # x\n    ▸c: 2\nd: 1\n', /indentation/],
  ['too much below brackets', 'wlans:\n  a: {x: 1}\n    ▸b: {x: 2}\n', /indentation/],
  ['between two maps', 'wlans:\n  a:\n    x: 1\n   ▸b:\n    x: 2\n', /indentation/],
  ['below an item', 'a:\n  b:\n    - 1\n     ▸c: 2\nd: 1\n', /indentation/],
  ['an item too far right', 'a:\n  - x: a\n   ▸- x: b\n', /indentation/],
  ['an item too far left', 'a:\n    - x\n  ▸- y\n', /indentation/],
  ['the first line too far right', '  a: 1\n▸b: 2\n', /indentation/],
  ['a key after items', '# x\n- a\n▸b: 1\n', /keys and items/],
  ['an item after keys', 'a: 1\n▸- b\n', /keys and items/]
]

const spaces: readonly Row[] = [
  ['a colon', 'wlans:\n  a:\n    ssid▸:Guest\n    vlan_id: 3\n', /space after the colon/],
  ['a colon, in an item', 'wlans:\n  - ssid▸:Guest\n    vlan_id: 3\n', /space after the colon/],
  ['a colon, in the last line', 'a:\n  b: 1\n  ssid▸:Guest\n', /space after the colon/],
  ['a colon, before a quote', 'a:\n  ssid▸:"Guest"\n  b: 1\n', /space after the colon/],
  ['a dash', 'a:\n  - b\n  ▸-c\n', /space after the dash/]
]

const others: readonly Row[] = [
  ['no colon', 'a: 1\n▸enabled\nb: 2\n', /no colon/],
  ['an equals sign', 'a: 1\n▸enabled = true\nb: 2\n', /no colon/],
  ['no colon in the last line', 'a: 1\n▸enabled\n', /no colon/],
  [
    'a merge that failed',
    'a: 1\n▸<<<<<<< HEAD\nb: 1\n▸=======\nb: 2\n▸>>>>>>> x\n',
    /conflict marker/,
    /resolve/
  ],
  ['two mistakes', 'ssid: ▸a: b\nc: 1\nd: ▸e: f\n', /colon/, /quote/]
]

describe.each<readonly [what: string, rows: readonly Row[]]>([
  ['a value that needs quotes', quoting],
  ['an opening mark without its end', unclosed],
  ['incorrect indentation', indentation],
  ['a missing space', spaces],
  ['another mistake', others]
])('%s is reported on its own line', (_, rows) => {
  const cases = rows.map(([what, marked, message, hint]) => ({ what, marked, message, hint }))
  test.each(cases)('$what', async ({ marked, message, hint = /(?:)/ }) => {
    const findings = await findingsOf(marked.replaceAll(HERE, ''))
    const places = findings.map(({ place }) => `${place?.line}:${place?.column}`)
    expect(places).toEqual(marksIn(marked))
    for (const found of findings) {
      expect(found.level).toBe('error')
      expect(found.message).toMatch(message)
      expect(found.hint ?? '').toMatch(hint)
    }
  })
})

describe('an SSID that a comment truncates', () => {
  test.each(['ssid: Guest ▸#1\n', 'a:\n  - ssid: The Guest  ▸#1a\n', 'b: &x 1\nssid: Guest ▸#1\n'])(
    'is a warning: %j',
    async marked => {
      const [found, ...more] = await findingsOf(marked.replace(HERE, ''))
      expect(found).toMatchObject({ level: 'warning', code: 'COMMENT_IN_VALUE' })
      expect(`${found?.place?.line}:${found?.place?.column}`).toBe(marksIn(marked)[0])
      expect(more).toEqual([])
    }
  )

  test.each([
    'ssid: Guest # for guests\n',
    'ssid: "Guest #1"\n',
    'ssid: "Guest" #1\n',
    'ssid: Guest#1\n',
    'ssid: Guest ##\n',
    'vlan_id: 3 #1\n',
    'x-ssid: a #1\n'
  ])('no other comment is reported: %j', async text => {
    expect(await findingsOf(text)).toEqual([])
  })
})

describe('a YAML error', () => {
  const rows = [...quoting, ...unclosed, ...indentation, ...spaces, ...others]

  it('is reported without quoting the file', async () => {
    for (const [, marked] of rows) {
      const text = marked.replaceAll(HERE, '').replace(/[A-Za-z]{3,}/g, 'hunter2$&')
      expect(JSON.stringify(await findingsOf(text))).not.toContain('hunter2')
    }
  })

  it('has a location within the text, whatever follows', async () => {
    const piece = fc.constantFrom(...rows.map(([, marked]) => marked.replaceAll(HERE, '')), '\n  ')
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 5 }), async pieces => {
        const text = pieces.join('')
        const lengths = text.split('\n').map(({ length }) => length)
        for (const { place } of await findingsOf(text)) {
          expect(place?.column).toBeLessThanOrEqual((lengths[(place?.line ?? 0) - 1] ?? -2) + 1)
        }
      })
    )
  })
})

import { expect, test } from 'vitest'
import { splitCommand } from '../../src/cli/option-values.ts'

test.each<[text: string, ...words: string[]]>([
  ['sops -d secrets.json', 'sops', '-d', 'secrets.json'],
  ['  sops\t-d \n', 'sops', '-d'],
  [`sh -c 'cat | jq "."; exit'`, 'sh', '-c', 'cat | jq "."; exit'],
  [`"a b"c' d' e\\ f`, 'a bc d', 'e f'],
  [`a "" ''`, 'a', '', ''],
  ['a "\\"\\\\\\$x\\n"', 'a', '"\\$x\\n'],
  ['a \\$x \\| b*?[c] --x=~/y', 'a', '$x', '|', 'b*?[c]', '--x=~/y'],
  ['a \\\n b "c\\\nd"', 'a', '', 'b', 'cd']
])('%j is split like in a shell', (text, ...words) => {
  expect(splitCommand(text)).toEqual({ words })
})

test.each([
  ['a | b', '`|` needs a shell'],
  ['a && b', '`&` needs a shell'],
  ['a; b', '`;` needs a shell'],
  ['a > b', '`>` needs a shell'],
  ['a $B', '`$` needs a shell'],
  ['a "$B"', '`$` needs a shell'],
  ['a "\\\\$B"', '`$` needs a shell'],
  ['a `b`', '`\u0060` needs a shell'],
  ['~/a', '`~` needs a shell'],
  [`a 'b`, 'a quote is not closed'],
  ['a "b\\"', 'a quote is not closed'],
  ['a \\', 'nothing follows a backslash'],
  [' ', 'names no program'],
  [`'' a`, 'names no program']
])('%j is rejected', (text, problem) => {
  expect(splitCommand(text)).toEqual({ problem: expect.stringContaining(problem) })
})

import { expect, it, test } from 'vitest'
import { parseSecretsFile } from '../../../src/fleet/secrets/secrets-file.ts'

const A = 'WLAN_SECRET_A'
const B = 'WLAN_SECRET_B'

/** The values by name, with null for an empty one; or the line and the problem. */
function read(text: string | Buffer, prefix = 'WLAN_SECRET_'): object {
  const parsed = parseSecretsFile(Buffer.from(text), prefix)
  if ('problem' in parsed) return parsed
  return Object.fromEntries(
    [...parsed].map(([name, secret]) => {
      expect(secret.reference).toEqual({ $env: name })
      return [name, secret.known ? secret.reveal() : null]
    })
  )
}

test.each<[line: string, value: string | null]>([
  ['plain', 'plain'],
  ['a b', 'a b'],
  [' a ', ' a '],
  ['a#b # c', 'a#b # c'],
  ['a=b==', 'a=b=='],
  ['$HOME `id` \\n \\', '$HOME `id` \\n \\'],
  ['it\'s "so"', 'it\'s "so"'],
  ['', null],
  ["''", null],
  ['""', null],
  ["'a b'", 'a b'],
  ["' a # b '", ' a # b '],
  ['\'$HOME `id` "x" \\\'', '$HOME `id` "x" \\'],
  ["'a\nb\r\n\nc'", 'a\nb\r\n\nc'],
  ["'a' \t", 'a'],
  ['"a b"', 'a b'],
  ['"it\'s"', "it's"],
  ['"\\" \\\\ \\$HOME \\`id\\`"', '" \\ $HOME `id`'],
  ['"\\n \\\' \\a"', "\\n \\' \\a"],
  ['"5$ 6$"', '5$ 6$'],
  ['"a\\\nb\\\r\nc"', 'abc'],
  ['"a\nb"', 'a\nb'],
  ['Größe 東京 🔑', 'Größe 東京 🔑']
])('%j is the value %j', (line, value) => {
  expect(read(`${A}=${line}\n${B}=b\n`)).toEqual({ [A]: value, [B]: 'b' })
  expect(read(`${B}=b\n${A}=${line}`)).toEqual({ [A]: value, [B]: 'b' })
  expect(read(`\ufeff${A}=${line}\r\n${B}=b\r\n`)).toEqual({ [A]: value, [B]: 'b' })
})

it('skips blank lines and comments', () => {
  expect(read('')).toEqual({})
  expect(read(`\n# ${B}=b\n \t\n\t # x\n${A}=a\n#\n`)).toEqual({ [A]: 'a' })
})

test.each<[what: string, text: string | Buffer, line: number, problem: string]>([
  ['no equals sign', `${A}=a\nplanted\n`, 2, 'expected NAME=value'],
  ['a blank before the name', ` ${A}=planted`, 1, 'starts with WLAN_SECRET_ (--secret-prefix)'],
  ['a blank after the name', `${A} =planted`, 1, 'letters, digits and underscores'],
  ['export', `export ${A}=planted`, 1, 'starts with WLAN_SECRET_'],
  ['another prefix', 'ACME_PSK=planted', 1, 'starts with WLAN_SECRET_'],
  ['the prefix alone', 'WLAN_SECRET_=planted', 1, 'starts with WLAN_SECRET_'],
  ['a variable of wlanctl', 'WLANCTL_API_TOKEN=planted', 1, 'reserved for wlanctl'],
  ['no name', '\n=planted', 2, 'starts with WLAN_SECRET_'],
  ['a name twice', `${A}=planted\n\n${B}=b\n${A}=planted`, 4, `duplicate name ${A}`],
  ['an open single quote', `${B}=b\n${A}='planted\n${B}_2=b`, 2, "the ' is not closed"],
  ['an open double quote', `${A}="planted\n`, 1, 'the " is not closed'],
  ['an escaped closing quote', `${A}="planted\\"`, 1, 'the " is not closed'],
  ['text behind a quote', `${A}='planted'x`, 1, "expected nothing after the closing '"],
  ['a comment behind a quote', `${A}="planted" # x`, 1, 'expected nothing after the closing "'],
  ['a quote that swallows a line', `${A}='planted\n${B}='b'`, 1, 'expected nothing after'],
  ['an expansion', `# x\n${A}="planted $HOME"`, 2, 'expected a backslash before `$`'],
  ['a command', `${A}="planted \`id\`"`, 1, 'expected a backslash before `$`'],
  ['lines within a value', `${A}='\n\n'\n# x\nplanted`, 5, 'expected NAME=value'],
  ['Latin-1', Buffer.from(`${A}=planted\xfc`, 'latin1'), 1, 'the file is not valid UTF-8']
])('%s is a problem that shows no value', (_, text, line, problem) => {
  const found = read(text)
  expect(found).toEqual({ line, problem: expect.stringContaining(problem) })
  expect(JSON.stringify(found)).not.toContain('planted')
})

it('takes the prefix of the run', () => {
  expect(read('ACME_A=a', 'ACME_')).toEqual({ ACME_A: 'a' })
  expect(read(`${A}=a`, 'ACME_')).toMatchObject({ line: 1 })
})

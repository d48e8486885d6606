import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { Scanner } from './scanner.ts'

const value = `it's "50%" <of> sésame\nand a second line`
const scanner = new Scanner([{ name: 'canary', value }])
const hash = (algorithm: string, text = value) => createHash(algorithm).update(text)
const base64 = (before: string) => Buffer.from(`${before}${value} after`).toString('base64')

test.each<[form: string, text: string]>([
  ['raw', `<${value}>`],
  ['a line of it', 'and a second line'],
  ['JSON', JSON.stringify({ value })],
  ['JSON in JSON', JSON.stringify({ body: JSON.stringify({ value }) })],
  ['HTML', '&lt;it&#39;s &quot;50%&quot; &lt;of&gt; sésame\nand a second line'],
  ['URL', `?psk=${encodeURIComponent(value)}&x`],
  ['hex', `00${Buffer.from(value).toString('hex').toUpperCase()}00`],
  ['base64', base64('')],
  ['base64, one before', base64('?')],
  ['base64, two before', base64('??')],
  ['base64url', Buffer.from(`???${value}`).toString('base64url')],
  ['MD5', hash('md5').digest('hex')],
  ['SHA-1', hash('sha1').digest('hex').toUpperCase()],
  ['SHA-256', `sha256:${hash('sha256').digest('hex')}`],
  ['SHA-256 in base64', hash('sha256').digest('base64')],
  ['SHA-512 of a line', hash('sha512', `${value}\n`).digest('hex')],
  ['asterisks', `psk: ${'*'.repeat(value.length)}`],
  ['bullets for bytes', '•'.repeat(Buffer.byteLength(value))]
])('a secret as %s is found', (_, text) => {
  expect(scanner.scan({ stdout: 'nothing', stderr: text })).toContainEqual({
    canary: 'canary',
    form: expect.any(String),
    where: 'stderr'
  })
})

test.each(['', 'sesame', '********', '(secret)', '*'.repeat(value.length + 9)])(
  'harmless text is not found: %s',
  text => {
    expect(scanner.scan({ stdout: text })).toEqual([])
  }
)

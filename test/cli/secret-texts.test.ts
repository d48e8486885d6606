import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { dotenv, secretFileText } from '../../src/cli/files/import-secrets.ts'
import type { Pointer } from '../../src/core/values/pointer.ts'
import { Secret } from '../../src/core/values/secret.ts'
import { parseSecretsFile } from '../../src/fleet/secrets/secrets-file.ts'
import { secretSource } from '../../src/fleet/secrets/source.ts'

/** What shells and parsers read in a way of their own. */
const hostile = fc.string({
  unit: fc.constantFrom(...'\'"$`\\ #=!~;&|<>(){}[]*?%a\t\r\n\ufeffé🔑'),
  minLength: 1
})

it('--secrets-file reads back what --secrets-out writes', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(hostile, fc.string({ unit: 'grapheme', minLength: 1 }))), all => {
      const values = all.filter(value => !value.includes('\0'))
      const secrets = values.map((value, at) => ({
        ...{ name: `WLAN_SECRET_${at}`, address: 'hq/a', pointer: '/auth/psk' as Pointer, uses: 1 },
        secret: new Secret({ $live: true }, value)
      }))
      const read = parseSecretsFile(Buffer.from(dotenv(secrets)), 'WLAN_SECRET_')
      if ('problem' in read) throw new Error(JSON.stringify(read))
      expect(values.map((_, at) => read.get(`WLAN_SECRET_${at}`)?.reveal())).toEqual(values)
    })
  )
})

it('$file reads the content of the file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'wlanctl-test-'))
  const value = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: fc.constantFrom('\r', '\n', ' ', 'a', '\0', '\ufeff'), minLength: 1 })
    )
    .filter(text => !text.startsWith('\ufeff'))
  try {
    fc.assert(
      fc.property(value, secret => {
        const pointer: Pointer = '/auth/psk'
        const of = { name: 'a', address: 'hq/a', pointer, uses: 1 }
        const text = secretFileText({ ...of, secret: new Secret({ $live: true }, secret) })
        writeFileSync(join(directory, 'a'), text ?? '')
        const source = secretSource({ env: {}, prefix: 'WLAN_SECRET_', directory })
        const resolution = source.resolve({ $file: 'a' })
        expect('secret' in resolution && resolution.secret.reveal()).toBe(secret)
      })
    )
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test.each([
  ['half a character', 'a\ud83d'],
  ['a byte order mark first', '\ufeffsecret'],
  ['more than a file may hold', 'x'.repeat(64 * 1024 + 1)],
  ['a secret that the service hides', undefined]
])('no file can hold %s', (_what, value) => {
  const of = { name: 'a', address: 'hq/a', pointer: '/auth/psk' as Pointer, uses: 1 }
  expect(secretFileText({ ...of, secret: new Secret({ $live: true }, value) })).toBeUndefined()
})

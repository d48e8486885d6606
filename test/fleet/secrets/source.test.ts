import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import {
  type DeclaredReference,
  referencesOnly,
  type SecretLocations,
  secretSource
} from '../../../src/fleet/secrets/source.ts'

const prefix = 'WLAN_SECRET_'

/** The result for a reference: the status, and the value if there is one. */
function follow(reference: DeclaredReference, options: Partial<SecretLocations>): string[] {
  const resolution = secretSource({ env: {}, prefix, ...options }).resolve(reference)
  if (resolution.status === 'invalid') return ['invalid']
  expect(resolution.secret.reference).toEqual(reference)
  const known = resolution.secret.known ? [resolution.secret.reveal()] : []
  return [resolution.status, ...known]
}

describe('an environment variable', () => {
  const env = {
    WLAN_SECRET_A: 'a b',
    WLAN_SECRET_EMPTY: '',
    WLAN_SECRET_: 'x',
    'WLAN_SECRET_a-b': 'x',
    HOME: '/root',
    ACME_A: 'acme',
    WLANCTL_API_TOKEN: 'the-api-token',
    WLANCTL_SECRET_A: 'own',
    wlanctl_x: 'own'
  }

  test.each<[name: string, prefix: string, ...result: string[]]>([
    ['WLAN_SECRET_A', prefix, 'resolved', 'a b'],
    ['WLAN_SECRET_B', prefix, 'unresolved'],
    ['WLAN_SECRET_EMPTY', prefix, 'unresolved'],
    ['WLAN_SECRET_', prefix, 'invalid'],
    ['WLAN_SECRET_a-b', prefix, 'invalid'],
    ['wlan_secret_A', prefix, 'invalid'],
    ['HOME', prefix, 'invalid'],
    ['__proto__', prefix, 'invalid'],
    ['__proto__', '__', 'unresolved'],
    ['ACME_A', 'ACME_', 'resolved', 'acme'],
    ['WLAN_SECRET_A', 'ACME_', 'invalid'],
    ['WLAN_SECRET_A', '', 'invalid'],
    ['WLANCTL_API_TOKEN', '', 'invalid'],
    ['WLANCTL_API_TOKEN', 'W', 'invalid'],
    ['WLANCTL_API_TOKEN', 'WLANCTL_', 'invalid'],
    ['WLANCTL_SECRET_A', 'WLANCTL_SECRET_', 'invalid'],
    ['wlanctl_x', 'w', 'invalid'],
    ['WLAN_SECRET_A', 'W', 'resolved', 'a b']
  ])('%s with the prefix %s', (name, given, ...result) => {
    expect(follow({ $env: name }, { env, prefix: given })).toEqual(result)
  })
})

test('a variable without the prefix: the reason names the prefix and its option', () => {
  const resolution = secretSource({ env: {}, prefix }).resolve({ $env: 'HOME' })
  expect(resolution).toMatchObject({
    status: 'invalid',
    reason: 'expected a variable name that starts with WLAN_SECRET_ (--secret-prefix)'
  })
})

describe('a file', () => {
  const directory = () => {
    const above = mkdtempSync(join(tmpdir(), 'wlanctl-secrets-'))
    onTestFinished(() => rmSync(above, { recursive: true, force: true }))
    const path = join(above, 'secrets')
    mkdirSync(join(path, 'sub'), { recursive: true })
    writeFileSync(join(above, 'outside'), 'outside')
    writeFileSync(join(path, 'a'), 'secret\n')
    writeFileSync(join(path, 'sub/b'), 'below')
    writeFileSync(join(path, 'two'), 'x\n\n')
    writeFileSync(join(path, 'crlf'), 'x\r\n')
    writeFileSync(join(path, 'inner'), ' x\ny ')
    writeFileSync(join(path, 'empty'), '\n')
    writeFileSync(join(path, 'marked'), '\uFEFFsecret')
    writeFileSync(join(path, 'latin'), Buffer.from([0xfc]))
    writeFileSync(join(path, 'large'), 'x'.repeat(64 * 1024 + 1))
    writeFileSync(join(path, 'just'), 'x'.repeat(64 * 1024))
    writeFileSync(join(path, '..dots'), 'dots')
    symlinkSync('a', join(path, 'link'))
    symlinkSync('../outside', join(path, 'out'))
    symlinkSync(above, join(path, 'up'))
    symlinkSync('loop', join(path, 'loop'))
    execFileSync('mkfifo', [join(path, 'pipe')])
    return path
  }

  test.each<[name: string, ...result: string[]]>([
    ['a', 'resolved', 'secret'],
    ['sub/b', 'resolved', 'below'],
    ['link', 'resolved', 'secret'],
    ['two', 'resolved', 'x\n'],
    ['crlf', 'resolved', 'x'],
    ['inner', 'resolved', ' x\ny '],
    ['just', 'resolved', 'x'.repeat(64 * 1024)],
    ['..dots', 'resolved', 'dots'],
    ['missing', 'unresolved'],
    ['empty', 'unresolved'],
    ['loop', 'unresolved'],
    ['', 'invalid'],
    ['.', 'invalid'],
    ['./a', 'invalid'],
    ['sub/../a', 'invalid'],
    ['../outside', 'invalid'],
    ['/etc/passwd', 'invalid'],
    ['C:\\secret', 'invalid'],
    ['a\\b', 'invalid'],
    ['a\0', 'invalid'],
    ['out', 'invalid'],
    ['up/outside', 'invalid'],
    ['up', 'invalid'],
    ['sub', 'invalid'],
    ['pipe', 'invalid'],
    ['latin', 'invalid'],
    ['marked', 'invalid'],
    ['large', 'invalid']
  ])('%j', (name, ...result) => {
    expect(follow({ $file: name }, { directory: directory() })).toEqual(result)
  })

  it('is unresolved without a directory, or with a missing one', () => {
    expect(follow({ $file: 'a' }, {})).toEqual(['unresolved'])
    expect(follow({ $file: 'a' }, { directory: '/nowhere' })).toEqual(['unresolved'])
  })

  it('may be in a directory that is a link', () => {
    const path = directory()
    symlinkSync(path, `${path}-link`)
    expect(follow({ $file: 'a' }, { directory: `${path}-link` })).toEqual(['resolved', 'secret'])
  })
})

describe('a source', () => {
  it('reads each name once', () => {
    let reads = 0
    const env = {
      get WLAN_SECRET_A() {
        reads += 1
        return 'a'
      }
    }
    const source = secretSource({ env, prefix })
    const first = source.resolve({ $env: 'WLAN_SECRET_A' })
    expect(source.resolve({ $env: 'WLAN_SECRET_A' })).toBe(first)
    expect(reads).toBe(1)
  })

  it('validates references without reading values', () => {
    const source = referencesOnly('ACME_')
    expect(source.resolve({ $env: 'ACME_A' })).toMatchObject({ status: 'untried' })
    expect(source.resolve({ $env: 'WLAN_SECRET_A' })).toMatchObject({ status: 'invalid' })
    expect(source.resolve({ $file: 'a' })).toMatchObject({ status: 'untried' })
    expect(source.resolve({ $file: '../a' })).toMatchObject({ status: 'invalid' })
  })

  it('never prints a value in an error', () => {
    const source = secretSource({ env: { WLAN_SECRET_A: '' }, prefix })
    expect(JSON.stringify(source.resolve({ $env: 'hunter22' }))).not.toContain('hunter22')
  })
})

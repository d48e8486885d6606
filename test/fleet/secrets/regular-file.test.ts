import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRegularFile } from '../../../src/fleet/secrets/regular-file.ts'
import { folder } from '../../support/program.ts'

describe('reading a regular file', () => {
  const text = 'x'.repeat(1000)

  test.each([
    [1000, { bytes: Buffer.from(text) }],
    [999, { problem: 'size', size: 1000 }],
    [0, { problem: 'size', size: 1000 }]
  ])('of 1,000 bytes, at most %i', (most, expected) => {
    const path = join(folder(), 'file')
    writeFileSync(path, text)
    expect(readRegularFile(path, { most })).toMatchObject(expected)
  })

  test('counts the read bytes if a file does not report its size', () => {
    expect(readRegularFile('/proc/self/status', { most: 10 })).toMatchObject({ problem: 'size' })
    expect(readRegularFile('/proc/self/status', { most: 100_000 })).toHaveProperty('bytes')
  })

  test('follows links only with the option for it', () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'file'), text)
    symlinkSync('file', join(cwd, 'link'))
    const path = join(cwd, 'link')
    expect(readRegularFile(path, { most: 2000 })).toHaveProperty('bytes')
    expect(readRegularFile(path, { most: 2000, links: false })).toMatchObject({ problem: 'system' })
    expect(readRegularFile(join(folder(), 'none'), { most: 1 })).toMatchObject({
      problem: 'system'
    })
  })
})

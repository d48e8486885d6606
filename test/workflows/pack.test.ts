import { describe, expect, it } from 'vitest'
import { desk } from './fake/script.ts'

describe('pack.sh', () => {
  const changelog = `# Changelog

## [Unreleased]

- Not yet.

## [1.2.3] - 2026-11-20

### Added

- Everything.

## [1.2.2] - 2026-11-19

- Before.

[1.2.3]: https://example.com/
`

  it('packs the version with its entry of the changelog and its SBOM', async () => {
    const { run, write, read, command } = desk()
    command('npm', 'echo "npm $*"')
    write('checkout/package.json', '{"version": "1.2.3"}')
    write('checkout/CHANGELOG.md', changelog)
    const { code, log } = await run('scripts/pack.sh', { TAG: 'v1.2.3' })
    expect(code).toBe(0)
    expect(log).toMatch(/^npm ci --ignore-scripts\nnpm run build\nnpm pack --ignore-scripts /)
    expect(read('temp/package/notes.md').trim()).toBe('### Added\n\n- Everything.')
    expect(read('temp/package/wlanctl-1.2.3.cdx.json')).toBe('npm run --silent sbom\n')
  })

  it.each([
    ['names another version', '1.2.3', 'v1.2.4'],
    ['names a version without a changelog entry', '1.2.4', 'v1.2.4'],
    ['names part of a version', '1.2', 'v1.2']
  ])('rejects a tag that %s', async (_, version, TAG) => {
    const { run, write, command } = desk()
    command('npm', 'echo "npm $*"')
    write('checkout/package.json', JSON.stringify({ version }))
    write('checkout/CHANGELOG.md', changelog)
    const { code, log } = await run('scripts/pack.sh', { TAG })
    expect(code).toBe(1)
    expect(log).not.toContain('npm')
  })
})

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { ROOT } from '../support/program.ts'

const readme = readFileSync(join(ROOT, 'test/README.md'), 'utf8')

describe('test/README.md', () => {
  it('names existing scripts', () => {
    const scripts = [...readme.matchAll(/npm run ([a-z]+)/g)].map(([, name = '']) => name)
    expect(new Set(scripts).size).toBeGreaterThan(3)
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts))
  })

  it('names existing files and folders', () => {
    const inTest = [...readme.matchAll(/`([a-z]+\/(?:[\w./-]+)?)`/g)].map(([, path = '']) => path)
    const named = inTest.map(path => (existsSync(join(ROOT, path)) ? path : join('test', path)))
    const made = ['dist/wlanctl.js', 'test/fleet/', 'test/fleet/secrets/']
    const missing = named.filter(path => !existsSync(join(ROOT, path)) && !made.includes(path))
    expect(named.length).toBeGreaterThan(15)
    expect(missing).toEqual([])
  })

  it('names every folder with tests', () => {
    const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true })
      .filter(entry => entry.isDirectory() && !existsSync(join(ROOT, 'src', entry.name)))
      .map(({ name }) => name)
    for (const name of folders) expect(readme).toContain(`\`${name}/\``)
  })
})

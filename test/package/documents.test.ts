import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { simulate } from '../simulator/simulate.ts'
import { folder, ROOT, wlanctl } from '../support/program.ts'
import { anchorsOf, blocksOf, linksOf, markdownFiles, textOf } from './markdown.ts'

describe('the documents', () => {
  it('contain valid YAML, and the example unchanged', async () => {
    const [example] = blocksOf(textOf('examples/README.md'), 'yaml')
    expect(example).toBe(readFileSync(join(ROOT, 'examples/quickstart/hq.yaml'), 'utf8'))
    const blocks = markdownFiles.flatMap(({ text }) => blocksOf(text, 'yaml'))
    expect(blocks.length).toBeGreaterThan(1)
    for (const yaml of blocks) {
      const cwd = folder()
      mkdirSync(join(cwd, 'fleet'))
      writeFileSync(join(cwd, 'fleet/a.yaml'), yaml)
      expect(await wlanctl(['validate', 'fleet'], { cwd })).toMatchObject({ code: 0 })
    }
  })

  it.each(markdownFiles)('link to existing files and headings: $path', ({ path, text }) => {
    const isBroken = (target: string) => {
      const [file = '', anchor] = target.split('#')
      const linked = file === '' ? path : normalize(join(dirname(path), file))
      if (!existsSync(join(ROOT, linked))) return true
      return anchor !== undefined && !anchorsOf(textOf(linked)).includes(anchor)
    }
    expect(linksOf(text).filter(isBroken)).toEqual([])
  })

  it('for users are all linked from the README or from each other', () => {
    const linked = markdownFiles.flatMap(({ path, text }) =>
      linksOf(text).map(target => normalize(join(dirname(path), target.split('#')[0] ?? '')))
    )
    const isUnlinked = (path: string) => !/^(?:test\/|README)/.test(path) && !linked.includes(path)
    expect(markdownFiles.map(({ path }) => path).filter(isUnlinked)).toEqual([])
  })
})

describe('the outputs', () => {
  it.each([
    ['examples/commands.md', 'list examples/retail --where vlan>100 --site store-be*'],
    ['examples/rollout/README.md', 'plan examples/rollout']
  ])('of %s are those of `wlanctl %s`', async (path, line) => {
    const cwd = folder()
    cpSync(join(ROOT, 'examples'), join(cwd, 'examples'), { recursive: true })
    const seed = readFileSync(join(cwd, 'examples/rollout/simulator.json'), 'utf8')
    const { simulator } = await simulate({ sites: readSeed(seed).sites })
    const env = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
    const { stdout, stderr } = await wlanctl(line.split(' '), { cwd, env })
    const printed = `${stdout}${stderr}`
    const blocks = blocksOf(textOf(path), 'text')
    expect(blocks.filter(block => printed.includes(block)).length, printed).toBe(1)
  })
})

describe('the page of the commands', () => {
  it('names every command and every exit code', async () => {
    const page = textOf('examples/commands.md')
    const { stdout } = await wlanctl(['--help'], { cwd: folder() })
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\w/gm)].map(([, name = '']) => name)
    expect(commands.length).toBeGreaterThan(12)
    for (const name of commands) expect(page).toMatch(new RegExp(`\`${name}[ \`]`))
    for (const code of [0, 1, 2, 3, 4, 5, 130])
      expect(page).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'))
  })
})

describe('the guides', () => {
  it('have at most 10,000 words together', () => {
    const guides = markdownFiles.filter(
      ({ path }) => path.startsWith('examples/') || path === '.github/SECURITY.md'
    )
    expect(guides.length).toBeGreaterThan(5)
    const words = guides.reduce((sum, { text }) => sum + countWords(text), 0)
    expect(words).toBeLessThanOrEqual(10_000)
  })
})

describe('the README', () => {
  it('names the version', () => {
    expect(textOf('README.md')).toContain(`wlanctl-${packageJson.version}.tgz`)
  })

  it('has at most 800 words, including code and pictures', () => {
    expect(countWords(textOf('README.md'))).toBeLessThanOrEqual(800)
  })
})

/** As `wc -w`, code and pictures included. */
function countWords(text: string): number {
  return text.trim().split(/\s+/).length
}

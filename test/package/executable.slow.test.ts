import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { simulate } from '../simulator/simulate.ts'
import { folder, ROOT, runBuilt, startCommand } from '../support/program.ts'

const made = join(ROOT, 'build/executable')

/** Runs the executable where there is no Node. */
const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  startCommand(join(made, 'wlanctl'), argv, { cwd: folder(), env: { ...env, PATH: '' } }).ended

/** The lines of the bundled licences that name a package, as name@version. */
const licensed = () =>
  [...read('dist/THIRD-PARTY-LICENSES.txt').matchAll(/^(\S+) (\d+\.\d+\.\d+) \(/gm)].map(
    ([, name, version]) => `${name}@${version}`
  )

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

beforeAll(() => {
  const script = join(ROOT, '.github/scripts/executable.mjs')
  execFileSync(process.execPath, [script], { cwd: ROOT, stdio: 'pipe' })
})

describe('the executable', () => {
  it('comes with its licences and its SBOM', () => {
    expect(readdirSync(made).sort()).toEqual([
      'LICENSE',
      'NODE-LICENSE.txt',
      'THIRD-PARTY-LICENSES.txt',
      'sbom.cdx.json',
      'wlanctl'
    ])
  })

  it.each([['--version'], ['--help'], ['schema', 'wlan'], ['explain', 'weak-key'], ['plna']])(
    'prints what the package prints: %s %s',
    async (...argv) => {
      expect(await run(argv)).toEqual(await runBuilt(argv, { cwd: folder() }))
    }
  )

  it('plans and applies', async () => {
    const fleet = join(ROOT, 'examples/quickstart')
    const sites = readSeed(readFileSync(join(fleet, 'simulator.json'), 'utf8')).sites
    const { simulator } = await simulate({ sites })
    const env = {
      WLANCTL_BASE_URL: simulator.url,
      WLANCTL_API_TOKEN: simulator.token,
      WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby',
      WLAN_SECRET_RADIUS: 'radius-of-hq-Wq7zK2'
    }
    const { code, stdout } = await run(['apply', fleet, '--yes'], env)
    expect(stdout).toContain('Apply: 1 applied')
    expect(code).toBe(0)
    expect(simulator.history).toHaveLength(1)
  })
})

describe('the SBOM', () => {
  const sbom = () => JSON.parse(read('build/executable/sbom.cdx.json'))
  const packages: Readonly<Record<string, { version?: string; integrity?: string }>> = lock.packages
  const lockedAs = (name: string, version: string) =>
    Object.entries(packages).find(
      ([path, locked]) => path.endsWith(`node_modules/${name}`) && locked.version === version
    )?.[1]

  it('is of the program, with Node', () => {
    const { bomFormat, specVersion, metadata, components } = sbom()
    expect({ bomFormat, specVersion, name: metadata.component.name }).toEqual({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      name: 'wlanctl'
    })
    expect(metadata.component.version).toBe(packageJson.version)
    expect(components.at(-1)).toMatchObject({ name: 'node', version: process.versions.node })
  })

  it('has each bundled library once, with the hash of the lock file', () => {
    const libraries = sbom().components.slice(0, -1)
    const named = libraries.map((each: { 'bom-ref': string }) => each['bom-ref'])
    expect([...named].sort()).toEqual(licensed().sort())
    for (const { name, version, hashes } of libraries) {
      const locked = lockedAs(name, version)
      const digest = Buffer.from(locked?.integrity?.slice('sha512-'.length) ?? '', 'base64')
      expect({ version, hashes }).toEqual({
        version: locked?.version,
        hashes: [{ alg: 'SHA-512', content: digest.toString('hex') }]
      })
    }
  })

  it('misses no library that the source maps of the program name', () => {
    const maps = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.js.map'))
      .flatMap(path => JSON.parse(read(`dist/${path}`)).sources as readonly string[])
    const used = maps.flatMap(path => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
    const named = sbom().components.map(({ name }: { name: string }) => name)
    expect(used.length).toBeGreaterThan(100)
    expect(named).toEqual(expect.arrayContaining([...new Set(used)]))
  })

  it('links every component to the program', () => {
    const { metadata, components, dependencies } = sbom()
    const [program] = dependencies
    const refs = components.map((each: { 'bom-ref': string }) => each['bom-ref'])
    expect(program).toEqual({ ref: metadata.component['bom-ref'], dependsOn: refs })
  })
})

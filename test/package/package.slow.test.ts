import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import * as module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { DEFAULT_ORG, type SimulatedSite } from '../../src/simulator/store.ts'
import { corp, HQ, simulate } from '../simulator/simulate.ts'
import { nth } from '../support/ids.ts'
import { environment, folder, ROOT, startCommand } from '../support/program.ts'

/** The folder where the packed program is installed, outside of the checkout. */
const prefix = mkdtempSync(`${tmpdir()}/wlanctl-package-`)
const installed = join(prefix, 'node_modules/wlanctl')

function npm(line: string, cwd: string) {
  const argv = [...line.split(' '), '--offline', '--no-audit', '--no-fund', '--no-update-notifier']
  return promisify(execFile)('npm', argv, { cwd, env: environment() })
}

/** Runs the installed command, as found by a shell. */
function run(...argv: readonly string[]) {
  return startCommand(join(prefix, 'node_modules/.bin/wlanctl'), argv, { cwd: folder() }).ended
}

const files = () =>
  readdirSync(installed, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(installed, name)).isFile())
    .sort()

beforeAll(async () => {
  await npm(`pack --ignore-scripts --pack-destination ${prefix}`, ROOT)
  await npm(`install --prefix ${prefix} ${prefix}/wlanctl-${packageJson.version}.tgz`, prefix)
})

afterAll(() => rmSync(prefix, { recursive: true, force: true }))

describe('the package', () => {
  it('keeps compiled code in the cache of the user, where Node can, and runs without one', async () => {
    const command = join(prefix, 'node_modules/.bin/wlanctl')
    const version = { code: 0, stdout: `${packageJson.version}\n`, stderr: '' }
    const home = folder()
    const env = { HOME: home, XDG_CACHE_HOME: '', NODE_COMPILE_CACHE: '' }
    expect(await startCommand(command, ['--version'], { cwd: home, env }).ended).toEqual(version)
    const isKept = existsSync(join(home, '.cache/wlanctl'))
    expect(isKept).toBe(typeof Reflect.get(module, 'enableCompileCache') === 'function')
    const none = { ...env, XDG_CACHE_HOME: '/dev/null' }
    const withoutOne = startCommand(command, ['--version'], { cwd: home, env: none })
    expect(await withoutOne.ended).toEqual(version)
  })

  it('has no dependencies', () => {
    expect(readdirSync(join(prefix, 'node_modules')).sort()).toEqual([
      '.bin',
      '.package-lock.json',
      'wlanctl'
    ])
  })

  it('contains the program and the library with their source maps, the schemas, the licences and two documents', () => {
    const generated = /^dist\/(?:chunks\/[\w.-]+\.js(?:\.map)?|types\/[\w/-]+\.d\.ts)$/
    const others = files().filter(name => !generated.test(name))
    expect(others).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/index.js',
      'dist/index.js.map',
      'dist/wlanctl.js',
      'dist/wlanctl.js.map',
      'package.json',
      'schemas/audit.schema.json',
      'schemas/ci-result.schema.json',
      'schemas/diff.schema.json',
      'schemas/fleet.schema.json',
      'schemas/outcomes.schema.json',
      'schemas/plan.schema.json',
      'schemas/record.schema.json',
      'schemas/snapshot.schema.json',
      'schemas/wlan.schema.json'
    ])
  })

  it('contains no path of the build machine', () => {
    for (const name of files()) {
      const text = readFileSync(join(installed, name), 'utf8')
      expect(text.includes(ROOT), name).toBe(false)
      expect(text.includes(tmpdir() === '/tmp' ? '/tmp/wlanctl' : tmpdir()), name).toBe(false)
      expect(text, name).not.toMatch(/\/(?:home|Users)\/\w+\//)
    }
  })

  it('contains the licence of every bundled package', () => {
    const text = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of ['commander', 'fast-json-patch', 'undici', 'yaml']) {
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'))
    }
  })

  it('prints its version', async () => {
    expect(await run('--version')).toEqual({
      code: 0,
      stdout: `${packageJson.version}\n`,
      stderr: ''
    })
  })

  it('runs the demo', async () => {
    const { code, stdout, stderr } = await run('demo')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Apply: 1 applied')
  })

  it('prints the schemas that it contains', async () => {
    for (const name of ['fleet', 'wlan', 'plan', 'record', 'diff']) {
      const { stdout } = await run('schema', name)
      const file = readFileSync(join(installed, `schemas/${name}.schema.json`), 'utf8')
      expect(JSON.parse(stdout)).toEqual(JSON.parse(file))
    }
  })
})

describe('the library in the package', () => {
  const examples = join(prefix, 'examples')

  beforeAll(() => cpSync(join(ROOT, 'examples/library'), examples, { recursive: true }))

  /** Runs an example with the installed library against a service with these sites. */
  async function example(name: string, argument: string, sites: readonly SimulatedSite[]) {
    const { simulator } = await simulate({ sites })
    const env = {
      WLANCTL_BASE_URL: simulator.url,
      WLANCTL_API_TOKEN: simulator.token,
      WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby',
      WLAN_SECRET_RADIUS: 'radius-of-hq-Wq7zK2'
    }
    const argv = [join(examples, name), argument]
    const ended = await startCommand(process.execPath, argv, { cwd: folder(), env }).ended
    return { ...ended, methods: simulator.requests.map(({ method }) => method) }
  }

  it('plans a fleet', async () => {
    const quickstart = join(ROOT, 'examples/quickstart')
    const sites = readSeed(readFileSync(join(quickstart, 'simulator.json'), 'utf8')).sites
    expect(await example('plan.mjs', quickstart, sites)).toEqual({
      code: 0,
      stdout: 'hq/guest: /auth/psk, /dtim, /ssid, /vlan_id (impact: outage)\n',
      stderr: '',
      methods: ['GET']
    })
  })

  it('checks the live WLANs of an organization', async () => {
    const open = { enabled: true, auth: { type: 'open' } }
    const lobby = { ...open, id: nth(1), ssid: 'Lobby', isolation: true, vlan_enabled: true }
    const cafe = { ...open, id: nth(2), ssid: 'Café', isolation: false, vlan_enabled: true }
    const wlans = [lobby, cafe, corp]
    const sites = [{ id: HQ, name: 'hq', wlans }]
    expect(await example('check-guests.mjs', DEFAULT_ORG, sites)).toEqual({
      code: 2,
      stdout: 'hq: Café: /isolation\n',
      stderr: '',
      methods: ['GET', 'GET']
    })
  })

  it('has types for the examples', async () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const flags =
      '--noEmit --allowJs --checkJs --strict --exactOptionalPropertyTypes --module nodenext --types node'
    const argv = [tsc, ...flags.split(' '), '--typeRoots', join(ROOT, 'node_modules/@types')]
    const scripts = ['plan.mjs', 'check-guests.mjs'].map(name => join(examples, name))
    const { code, stdout } = await startCommand(process.execPath, [...argv, ...scripts], {
      cwd: prefix
    }).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  })

  it('has types that need no other package', async () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const file = join(prefix, 'own.ts')
    writeFileSync(file, "import * as all from 'wlanctl'\nexport const names = Object.keys(all)\n")
    const argv = [tsc, '--noEmit', '--strict', '--module', 'nodenext', '--types', '', file]
    const { code, stdout } = await startCommand(process.execPath, argv, { cwd: prefix }).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  })

  it('resolves the schemas', async () => {
    const argv = ['-p', 'require("wlanctl/schemas/plan.schema.json").$id']
    const { code } = await startCommand(process.execPath, argv, { cwd: prefix }).ended
    expect(code).toBe(0)
  })
})

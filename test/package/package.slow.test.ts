import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
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
  it('has no dependencies', () => {
    expect(readdirSync(join(prefix, 'node_modules')).sort()).toEqual([
      '.bin',
      '.package-lock.json',
      'wlanctl'
    ])
  })

  it('contains the program with its source maps, the schemas, the licences and two documents', () => {
    const others = files().filter(name => !/^dist\/chunks\/[\w.-]+\.js(?:\.map)?$/.test(name))
    expect(others).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/wlanctl.js',
      'dist/wlanctl.js.map',
      'package.json',
      'schemas/audit.schema.json',
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
    for (const name of ['fleet', 'wlan', 'plan', 'record']) {
      const { stdout } = await run('schema', name)
      const file = readFileSync(join(installed, `schemas/${name}.schema.json`), 'utf8')
      expect(JSON.parse(stdout)).toEqual(JSON.parse(file))
    }
  })
})

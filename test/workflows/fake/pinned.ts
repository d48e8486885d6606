import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { starterFiles } from '../../../src/author/init/files.ts'
import { startSimulator } from '../../../src/simulator/server.ts'
import { startForge } from '../../ci/forge/forge.ts'
import { nth } from '../../support/ids.ts'
import { ROOT } from '../../support/program.ts'

/** The files of `init` with a packed program, for tests that run them in a local runner. */

export const PSK = 'planted-psk-of-the-guests'

/** The folder of the packed program, and of a lock file that pins it: `npm ci` needs no registry. */
let pack = ''

/** Packs the program before the tests of a file. Test files that share a process share this module: each has its own folder. */
export function packProgram(): void {
  afterAll(() => rmSync(pack, { recursive: true, force: true }))
  beforeAll(() => {
    pack = mkdtempSync(join(tmpdir(), 'wlanctl-pack-'))
    const npm = (cwd: string, ...words: string[]) =>
      execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: 'pipe' })
    npm(ROOT, 'pack', '--ignore-scripts', '--pack-destination', pack)
    const [tarball = ''] = readdirSync(pack)
    const manifest = { private: true, dependencies: { wlanctl: `file:${join(pack, tarball)}` } }
    writeFileSync(join(pack, 'package.json'), JSON.stringify(manifest))
    npm(pack, 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund')
  }, 300_000)
}

export const hq = (
  vlan: number,
  more = ''
) => `site: { id: ${nth(1)}, name: hq, vars: { timezone: UTC } }
wlans:
  corp: { ssid: Corp, vlan_id: ${vlan}${more} }
  guest: { ssid: Guest, auth: { type: psk, psk: { $env: WLAN_SECRET_GUEST } } }
`

/** A forge with a repository of the files of `init`, and its service. */
export async function startPinned(ci: 'github' | 'gitlab') {
  const corp = { id: nth(11), ssid: 'Corp', vlan_id: 20, dtim: 2 }
  const guest = { id: nth(12), ssid: 'Guest', auth: { type: 'psk', psk: PSK } }
  const simulator = await startSimulator({
    sites: [{ id: nth(1), name: 'hq', wlans: [corp, guest] }]
  })
  onTestFinished(() => simulator.close())
  const made = starterFiles({
    ci,
    version: '0.1.0',
    schema: {},
    baseUrl: simulator.url,
    branch: 'main'
  })
  const pinned = (name: string) => [
    `.${ci}/wlanctl/${name}`,
    readFileSync(join(pack, name), 'utf8')
  ]
  const files: Record<string, string> = {
    ...Object.fromEntries(made.map(({ path, text }) => [path, text])),
    ...Object.fromEntries(['package.json', 'package-lock.json'].map(pinned)),
    'policy.yaml': 'policy: { max_change_percent: 100, unwatched: ignore }\n',
    'sites/hq.yaml': hq(20)
  }
  const forge = await startForge(ci, files)
  const live = (field: string, wlan = 11) => simulator.record(nth(1), nth(wlan))[field]
  return { files, forge, simulator, live }
}

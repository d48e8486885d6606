import { readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { HQ } from '../simulator/simulate.ts'
import { folder, type Started, start, wlanctl } from '../support/program.ts'

/** The export lines for another terminal. */
function exportsOf({ stdout }: Started): Record<string, string> {
  const lines = [...stdout.matchAll(/export (\w+)=(\S+)/g)]
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]))
}

async function simulate(words: string, cwd = folder()) {
  const running = start(`simulate ${words}`.trim().split(' '), { cwd })
  await running.until(/Ctrl-C ends it/)
  return { cwd, running, env: exportsOf(running) }
}

describe('simulate', () => {
  it('prints its address and token, which work', async () => {
    const { cwd, env } = await simulate('--token my-own-token')
    expect(env).toEqual({
      WLANCTL_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      WLANCTL_API_TOKEN: 'my-own-token'
    })
    const { code, stdout } = await wlanctl(['token', 'list'], { cwd, env })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('simulator') })
  })

  it('generates the sites of a seed, and follows its switches', async () => {
    const folderOfSeed = folder()
    const switches = { tokenAsList: true, fail: [{ path: 'wlans', kind: '503' }] }
    writeFileSync(`${folderOfSeed}/seed.json`, JSON.stringify({ sites: 12, wlans: 1, switches }))
    const { cwd, env, running } = await simulate('--seed seed.json', folderOfSeed)
    expect(running.stdout).toContain('… and 2 more')
    writeFileSync(`${cwd}/hq.yaml`, `site: { id: ${HQ} }\n`)
    const { code, stdout } = await wlanctl(['plan', '--max-attempts', '1'], { cwd, env })
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('503') })
  })

  it('exits 1 on an occupied port, with a hint', async () => {
    const { cwd, env } = await simulate('')
    const port = new URL(env['WLANCTL_BASE_URL'] ?? '').port
    expect(await wlanctl(['simulate', '--port', port], { cwd })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`port ${port} .*EADDRINUSE.*\n.*--port`))
    })
  })
})

describe('demo', () => {
  it('runs the whole tour, and leaves no file', async () => {
    const TMPDIR = folder()
    const { code, stdout, stderr } = await wlanctl(['demo'], { cwd: folder(), env: { TMPDIR } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const story = [
      '$ wlanctl plan\n',
      'Plan: 1 WLAN to change',
      '$ wlanctl apply --yes --quiet\n',
      'Apply: 1 applied',
      'psk: (secret)',
      '$ wlanctl plan --detailed-exitcode\n',
      'No changes',
      '$ wlanctl drift\n',
      'Drift: 1 of 2 WLANs differs',
      '$ wlanctl apply --yes --quiet\n',
      'Apply: 1 applied'
    ]
    let rest = stdout
    for (const part of story) {
      expect(rest).toContain(part)
      rest = rest.slice(rest.indexOf(part) + part.length)
    }
    for (const secret of [
      'welcome-to-the-lobby',
      'the-old-password',
      'radius-of-hq-Wq7zK2',
      'demo-token'
    ]) {
      expect(stdout).not.toContain(secret)
    }
    expect(readdirSync(TMPDIR)).toEqual([])
  })
})

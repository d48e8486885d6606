import { describe, expect, it } from 'vitest'
import { pauseUntil } from '../../src/cli/import/import-files.ts'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import { repository } from '../support/git.ts'
import { stage } from '../support/stage.ts'

/** Resolves after a request with this method. */
async function asked(methods: () => string[], method: string): Promise<void> {
  while (!methods().includes(method)) await new Promise(resolve => setTimeout(resolve, 10))
}

describe('an interrupt', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s during plan exits 130', async signal => {
    const { startBuilt, methods } = await stage({ switches: { latency: 60_000 } })
    const running = startBuilt('plan fleet')
    await asked(methods, 'GET')
    running.signal(signal)
    expect(await running.ended).toEqual({
      code: 130,
      stdout: '',
      stderr: 'wlanctl: interrupted\n'
    })
  })

  it('during apply verifies active updates, skips the rest and loses no outcome', async () => {
    const { start, methods } = await stage({ switches: { latency: 300 } })
    const running = start('apply fleet --yes --format json')
    await asked(methods, 'PUT')
    running.signal('SIGINT')
    const { code, stdout } = await running.ended
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { applied: 1, skipped: 1 },
      outcomes: [
        { address: 'hq/corp', status: 'applied' },
        { address: 'hq/guest', status: 'skipped', reason: 'interrupted' }
      ]
    })
    expect(methods().filter(method => method === 'PUT')).toHaveLength(1)
  })

  it('twice stops at once, and lists unknown outcomes', async () => {
    const fail = [{ method: 'PUT', kind: 'timeout-landed' }] as const
    const { startBuilt, methods } = await stage({ switches: { fail } })
    const running = startBuilt('apply fleet --yes')
    await asked(methods, 'PUT')
    running.signal('SIGINT')
    // Two pending signals of a kind are merged: the second is sent after the first is handled.
    await new Promise(resolve => setTimeout(resolve, 300))
    running.signal('SIGINT')
    const { code, stdout } = await running.ended
    expect(code).toBe(130)
    expect(stdout).toMatch(/unknown {2}Corp at hq/)
    expect(stdout).toMatch(/skipped {2}Guest at hq/)
    expect(stdout).toContain('Apply: 1 skipped, 1 unknown')
  })

  it('ends the embedded service with exit 0', async () => {
    const { startBuilt } = await stage()
    const running = startBuilt('simulate')
    await running.until(/Ctrl-C ends it/)
    running.signal('SIGINT')
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('ends the demo', async () => {
    const { start } = await stage()
    const running = start('demo')
    await running.until(/What would change/)
    running.signal('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130 })
  })
})

/** A fleet that takes several times 100 ms to load, in files of which each takes some milliseconds. */
function slowFleet(): Readonly<Record<string, string>> {
  const wlan = (n: number) => `  w${n}: { ssid: w${n}, vlan_id: { $var: vlan }, dtim: 2 }\n`
  const wlans = Array.from({ length: 1000 }, (_, n) => wlan(n)).join('')
  const sites = generateFleet({ sites: 40, wlans: 1, seed: 1 }).map(
    ({ id }, n): [string, string] => [
      `many/s${n}.yaml`,
      `site: { id: ${id}, name: s${n}, vars: { vlan: ${n + 1} } }\nwlans:\n${wlans}`
    ]
  )
  return Object.fromEntries(sites)
}

describe('an interrupt while a fleet is loaded', () => {
  it.each([
    'plan many',
    'plan many --base HEAD',
    'drift many',
    'explain s1/w1 --fleet many',
    'doctor many',
    'complete -- plan many --site '
  ])('ends %s', async line => {
    const { cwd, run, write, methods } = await stage()
    for (const [file, text] of Object.entries(slowFleet())) write(file, text)
    if (line.includes('HEAD')) {
      repository(cwd)
      write('many/p.yaml', 'profiles: { p: { dtim: 1 } }\n')
    }
    const abortController = new AbortController()
    // Without turns of the event loop, the timer fires only after the fleet is loaded.
    setTimeout(() => abortController.abort(), 100)
    const ended = await run(line, {}, { interrupted: abortController.signal })
    expect(ended).toEqual({ code: 130, stdout: '', stderr: 'wlanctl: interrupted\n' })
    expect(methods()).toEqual([])
  })
})

describe('an interrupt during an import', () => {
  it('handles a signal during the work, and ends', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('stopped')), 30)
    const pause = pauseUntil(stop.signal)
    const work = async () => {
      for (;;) await pause()
    }
    await expect(work()).rejects.toThrow('stopped')
  })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import type { Simulator, SimulatorOptions } from '../../src/simulator/server.ts'
import { simulate, UNKNOWN_ID } from '../simulator/simulate.ts'
import { manualClock } from '../support/clock.ts'
import { folder, ROOT, startCommand } from '../support/program.ts'

const script = join(ROOT, 'examples/rollout/metrics.sh')
const token = 'a-token-that-only-reads'
const sites = generateFleet({ sites: 3, wlans: 3, seed: 1 }).map(site => ({ ...site }))
const AT = '2026-01-05T11:00:00+01:00'
const clock = manualClock(Date.parse('2026-01-05T23:00:00Z'))

/** The question about the first two WLANs of some sites. */
function question(ids: readonly string[]) {
  const asked = ids.map((id, n) => ({
    id,
    name: `site $(touch made) ${n}`,
    role: n === 0 ? 'changed' : 'waiting',
    wlans:
      sites
        .find(site => site.id === id.toLowerCase())
        ?.wlans.slice(0, 2)
        .map(wlan => wlan.id) ?? []
  }))
  return { phase: 'before', wave: 'canary', at: AT, sites: asked }
}

async function ask(
  ids: readonly string[],
  options: Partial<SimulatorOptions> = {},
  prepare: (simulator: Simulator) => void = () => undefined
) {
  const { simulator, get } = await simulate({ sites, clock, clients: true, token, ...options })
  prepare(simulator)
  const cwd = folder()
  writeFileSync(join(cwd, 'read-token'), `${token}\n`)
  const env = { WLANCTL_BASE_URL: simulator.url, METRICS_TOKEN_FILE: 'read-token' }
  const stdin = `${JSON.stringify(question(ids))}\n`
  const { code, stdout, stderr } = await startCommand('sh', [script], { cwd, env, stdin }).ended
  expect(stdout + stderr).not.toContain(token)
  return { code, answer: stdout === '' ? undefined : JSON.parse(stdout), stderr, get }
}

const ids = sites.map(({ id }) => id)
const [first = '', second = '', third = ''] = ids

it('answers with the clients of the named WLANs of each site at the time', async () => {
  const { code, answer, stderr, get } = await ask(ids)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const expected = ids.map(async id => {
    const { body } = await get(`/simulator/sites/${id}/clients?at=${encodeURIComponent(AT)}`)
    const { wlans } = body as unknown as { wlans: { clients: number }[] }
    return { id, clients: (wlans[0]?.clients ?? 0) + (wlans[1]?.clients ?? 0) }
  })
  expect(answer).toEqual({ sites: await Promise.all(expected) })
  expect(answer.sites.every(({ clients }: { clients: number }) => clients > 0)).toBe(true)
})

const path = `/simulator/sites/${second}/`
const faults = ['503', 'cut', 'html', 'reset'] as const
it.each(faults)('has no answer for a site that cannot be read: %s', async kind => {
  const { code, answer, stderr } = await ask(ids, {
    switches: { fail: [{ path, kind, times: 'always' }] }
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(answer.sites.map(({ id }: { id: string }) => id)).toEqual([first, third])
})

it('answers with the ids of the question', async () => {
  expect((await ask([first.toUpperCase()])).answer).toMatchObject({
    sites: [{ id: first.toUpperCase() }]
  })
})

it.each([
  ['no site', []],
  ['an unknown site', [UNKNOWN_ID]]
])('answers with an empty list: %s', async (_, asked) => {
  expect(await ask(asked)).toMatchObject({ code: 0, answer: { sites: [] } })
})

it('counts a network that is off as 0 clients, and none that is gone', async () => {
  const { answer, get } = await ask([first, second], {}, simulator => {
    for (const { id } of sites[0]?.wlans ?? []) simulator.edit(first, id, { enabled: false })
    for (const { id } of sites[1]?.wlans ?? []) simulator.remove(second, id)
  })
  expect(await get(`/simulator/sites/${second}/clients`)).toMatchObject({ body: { wlans: [] } })
  expect(answer).toEqual({ sites: [{ id: first, clients: 0 }] })
})

it.each([
  ['', '{"sites":[]}'],
  ['no-such-file', '{"sites":[]}'],
  ['read-token', 'not JSON']
])('fails with the token file %j and the question %j', async (file, stdin) => {
  const cwd = folder()
  writeFileSync(join(cwd, 'read-token'), token)
  const env = { WLANCTL_BASE_URL: 'http://127.0.0.1:9', METRICS_TOKEN_FILE: file }
  const { code, stdout } = await startCommand('sh', [script], { cwd, env, stdin }).ended
  expect({ failed: code !== 0, stdout }).toEqual({ failed: true, stdout: '' })
})

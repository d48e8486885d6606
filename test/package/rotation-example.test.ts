import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/core/values/value.ts'
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { gitEnv, repository } from '../support/git.ts'
import { ROOT } from '../support/program.ts'
import { stage } from '../support/stage.ts'

const example = (file: string) => readFileSync(join(ROOT, 'examples/rotation', file), 'utf8')

const FORMER = 'blue-kettles-of-last-year'
const NEXT = 'green-kettles-of-this-year'
const env = { ...gitEnv, WLAN_SECRET_STAFF_PSK: NEXT }

/** Monday in Germany: the window of the example is open until 05:00, and closed at noon. */
const NIGHT = '2026-11-23T21:30:00Z'
const NOON = '2026-11-23T11:00:00Z'
const MORNING = '2026-11-24T04:30:00Z'

/**
 * The example in a repository, with its version raised from 3 to 4; the token of the runs cannot read
 * secrets.
 */
async function rotation() {
  const sites = readSeed(example('simulator.json')).sites
  const made = await stage({ sites })
  const { simulator } = made
  simulator.set({ hiddenSecrets: 'masked', hiddenFrom: [simulator.token] })
  const files = example('sites.yaml').replace('pause: 300', 'pause: 1')
  expect(files).toContain('$version: 3')
  made.write('fleet/hq.yaml', files)
  repository(made.cwd)
  made.write('fleet/hq.yaml', files.replace('$version: 3', '$version: 4'))
  const outputs: string[] = []
  return {
    ...made,
    outputs,
    async run(line: string, time = NIGHT) {
      const ended = await made.run(line, env, { now: () => new Date(time) })
      outputs.push(ended.stdout, ended.stderr)
      return ended
    },
    /** The key of each site. */
    keys: () =>
      sites.map(({ id, wlans }) => {
        const auth = simulator.record(id, wlans[0]?.id ?? '')['auth']
        return isObject(auth) ? auth['psk'] : undefined
      })
  }
}

const apply = 'apply fleet --base HEAD --yes --record rotation.jsonl --format json'

describe('the rotation example', () => {
  it('goes from a new version through a window and a canary to all sites, and sends no key twice', async () => {
    const { run, keys, simulator, read, outputs } = await rotation()
    const rest = Array.from({ length: 5 }, () => FORMER)
    const planned = await run('plan fleet --base HEAD', NOON)
    expect(planned.stdout).toContain(
      '6 changes wait; the first may be sent at 2026-11-23 22:00 Europe/Berlin'
    )
    const byDay = await run(`${apply} --check false`, NOON)
    expect({ code: byDay.code, summary: JSON.parse(byDay.stdout).summary }).toMatchObject({
      code: 0,
      summary: { deferred: 6 }
    })
    expect(byDay.stderr).not.toContain('checking')
    expect(simulator.history).toHaveLength(0)
    expect(planned).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('auth.psk  (secret) rotates, version 3 → 4')
    })
    expect(planned.stdout).toContain('Rollout: 3 waves')

    const failed = await run(`${apply} --check false`)
    const { outcomes, failed_wave } = JSON.parse(failed.stdout)
    expect(failed.code).toBe(5)
    expect(failed_wave).toMatch(/^wave canary: the check/)
    expect(outcomes[0]).toEqual({
      address: 'lab/staff',
      status: 'applied',
      not_verifiable: ['/auth/psk'],
      wave: 'canary'
    })
    expect(keys()).toEqual([NEXT, ...rest])

    const late = await run(`${apply} --check true`, MORNING)
    expect(JSON.parse(late.stdout).summary).toMatchObject({ deferred: 5 })
    expect(simulator.history).toHaveLength(1)

    const { code, stdout, stderr } = await run(`${apply} --check true`)
    const again = JSON.parse(stdout)
    expect({ code, summary: again.summary }).toMatchObject({ code: 0, summary: { applied: 5 } })
    expect(stderr.match(/continuing with the /g)).toHaveLength(1)
    expect(stderr.match(/wlanctl: checking /g)).toHaveLength(3)
    expect(keys()).toEqual(Array.from({ length: 6 }, () => NEXT))

    expect(await run(`${apply} --check true`)).toMatchObject({ code: 0 })
    expect(simulator.history).toHaveLength(6)
    for (const text of [...outputs, read('rotation.jsonl')]) {
      expect(text).not.toMatch(/kettles-of/)
    }
  })
})

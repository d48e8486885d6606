import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/simulator/fleet/random.ts'
import type { Running } from '../support/program.ts'
import { Scanner } from '../support/scanner.ts'
import { secretsIn } from '../support/secrets.ts'
import { type CampaignSetup, faultRates, setUpCampaign } from './campaign.ts'
import { checkRun, faultsOf } from './checker.ts'
import { secrets } from './declarations.ts'
import { afterRandomRequests } from './run-state.ts'
import { size, timeout } from './size.ts'
import { Verdict } from './verdict.ts'

const INTERRUPTS = size(100, 3)
/** Active requests are aborted after five seconds, far below their own timeout of 30 seconds. */
const TIME_LIMIT = 15_000
/** A second signal does not wait for the five seconds. */
const SECOND_SIGNAL_LIMIT = 5_000

const fleet = { sites: 6, wlans: 5, hidden: false }
const changes = fleet.sites * fleet.wlans
const REQUESTS = fleet.sites + 3 * changes
const rates = faultRates(size(0.3, 0.1), 0)

describe('an interrupted run', () => {
  it(
    `ends in time with correct outcomes (${INTERRUPTS} times)`,
    async () => {
      const verdict = new Verdict('SIGINT, SIGTERM')
      let longest = 0
      for (let seed = 1; seed <= INTERRUPTS; seed += 1) {
        const switches = { latency: 10, faults: rates, staleFor: 200 }
        const setup = await setUpCampaign({ ...fleet, seed, switches })
        // Requests that hang longer than the grace period are aborted at its end.
        const timeout = seed % 6 === 0 ? 30 : 1
        const options = `--parallelism 6 --timeout ${timeout} --report json=out.json --record record.jsonl`
        const running = setup.start(options)
        const random = seededRandom('interrupt', seed)
        await afterRandomRequests(setup, REQUESTS, random, running.ended)
        const twice = seed % 3 === 0
        const took = await interrupt(running, seed % 2 === 0 ? 'SIGINT' : 'SIGTERM', twice)
        const ended = await running.ended
        const at = `interrupt ${seed}`
        verdict.count('interrupts')
        if (twice) verdict.count('second signal')
        longest = Math.max(longest, Math.round(took))

        expect(took, at).toBeLessThan(twice ? SECOND_SIGNAL_LIMIT : TIME_LIMIT)
        // While Node tears down, after the last output, it no longer handles signals: one ends the process (null).
        expect([0, 5, 130, null], at).toContain(ended.code)
        if (ended.code !== 130) verdict.count('after the end')
        if (ended.stdout === '') {
          verdict.count('before the plan')
          verdict.add(at, changes, [])
          expect({ code: ended.code, history: setup.simulator.history }, at).toEqual({
            code: 130,
            history: []
          })
        } else {
          expect(JSON.parse(ended.stdout), at).toHaveProperty('summary')
          const record = readFileSync(join(setup.cwd, 'record.jsonl'), 'utf8')
          const result = checkRun({ ...setup, ended, record })
          for (const [status, number] of Object.entries(result.statuses)) {
            verdict.count(status, number)
          }
          verdict.add(at, changes, faultsOf(result))
        }
        expect(secretsLeft(setup), at).toEqual([])
        await setup.simulator.close()
      }
      verdict.count('ms until the slowest end', longest)
      verdict.end(changes * INTERRUPTS)
    },
    timeout
  )
})

/** Sends one or two signals; returns the milliseconds until the process ends. */
async function interrupt(running: Running, signal: NodeJS.Signals, twice: boolean) {
  const start = performance.now()
  running.signal(signal)
  if (twice) {
    await Promise.race([running.ended, sleep(100)])
    running.signal(signal)
  }
  await running.ended
  return performance.now() - start
}

/** Secrets in any file of the working directory, which contains the temporary files. */
function secretsLeft({ cwd, fleet: { sites } }: CampaignSetup) {
  const values = [...Object.values(secrets), ...secretsIn(sites)]
  const scanner = new Scanner(values.map((value, n) => ({ name: `secret ${n}`, value })))
  const files = readdirSync(cwd, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(cwd, name)).isFile())
    .map(name => [name, readFileSync(join(cwd, name), 'utf8')] as const)
  return scanner.scan(Object.fromEntries(files))
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/simulator/fleet/random.ts'
import { wlanctl } from '../support/program.ts'
import { type CampaignSetup, setUpCampaign } from './campaign.ts'
import { checkRun, faultsOf } from './checker.ts'
import { afterRandomRequests, unfinished, writtenTwice } from './run-state.ts'
import { size, timeout } from './size.ts'
import type { RunReport } from './statements.ts'
import { type Fault, type Kind, Verdict } from './verdict.ts'

const KILLS = size(300, 4)
const fleet = { sites: 4, wlans: 5, hidden: false }
const changes = fleet.sites * fleet.wlans
/** A list per site; an update and a read per change. */
const REQUESTS = fleet.sites + 2 * changes

describe('a killed run', () => {
  it(
    `is completed by the next run (${KILLS} times)`,
    async () => {
      const verdict = new Verdict('SIGKILL')
      for (let seed = 1; seed <= KILLS; seed += 1) {
        const setup = await setUpCampaign({ ...fleet, seed, switches: { latency: 5 } })
        const { simulator } = setup
        const running = setup.start('--parallelism 4 --record record.jsonl')
        await afterRandomRequests(setup, REQUESTS, seededRandom('kill', seed), running.ended)
        running.signal('SIGKILL')
        const { code } = await running.ended
        const at = `kill ${seed}`
        verdict.count('kills')
        if (code !== null) verdict.count('after the end')
        const written = simulator.history.length
        if (written > 0 && written < changes) verdict.count('with some written')
        verdict.add(at, changes, await faultsInRecord(setup))

        expect(await setup.run('--parallelism 4'), at).toMatchObject({ code: 0 })
        verdict.add(at, 0, named('left behind', unfinished(setup)))
        verdict.add(at, 0, named('stored twice', writtenTwice(setup)))
        expect(simulator.history, at).toHaveLength(changes)

        const third = await setup.run('--parallelism 4')
        expect({ ...third, stdout: JSON.parse(third.stdout) }).toMatchObject({
          code: 0,
          stdout: { outcomes: [] }
        })
        expect(simulator.history, at).toHaveLength(changes)
        await simulator.close()
      }
      expect(verdict.counted('with some written')).toBeGreaterThan(KILLS / 4)
      verdict.end(changes * KILLS)
    },
    timeout
  )
})

const named = (kind: Kind, texts: readonly string[]): Fault[] => texts.map(text => ({ kind, text }))

/** The entries of a record that contradict the service. */
async function faultsInRecord(setup: CampaignSetup): Promise<Fault[]> {
  if (!existsSync(join(setup.cwd, 'record.jsonl'))) return []
  const shown = await wlanctl(['show', 'record.jsonl', '--format', 'json'], { cwd: setup.cwd })
  if (shown.code !== 0) return named('unreadable record', [shown.stderr])
  const [run] = (JSON.parse(shown.stdout) as { readonly runs: readonly RunReport[] }).runs
  if (run === undefined) return named('unreadable record', ['no run'])
  return faultsOf(checkRun({ ...setup, ended: { ...shown, stdout: JSON.stringify(run) } }))
}

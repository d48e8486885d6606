import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/simulator/fleet/random.ts'
import { wlanctl } from '../support/program.ts'
import { type CampaignSetup, setUpCampaign } from './campaign.ts'
import { checkRun } from './checker.ts'
import { afterRandomRequests, unfinished, writtenTwice } from './run-state.ts'
import { size, timeout } from './size.ts'
import type { RunReport } from './statements.ts'
import { print } from './table.ts'

const KILLS = size(300, 8)
const fleet = { sites: 4, wlans: 5, hidden: false }
const changes = fleet.sites * fleet.wlans
/** A list per site; an update and a read per change. */
const REQUESTS = fleet.sites + 2 * changes

describe('a killed run', () => {
  const figures = { kills: 0, 'after the end': 0, 'with some written': 0, redundant: 0 }

  it(
    `is completed by the next run (${KILLS} times)`,
    async () => {
      for (let seed = 1; seed <= KILLS; seed += 1) {
        const setup = await setUpCampaign({ ...fleet, seed, switches: { latency: 5 } })
        const { simulator } = setup
        const running = setup.start('--parallelism 4 --record record.jsonl')
        await afterRandomRequests(setup, REQUESTS, seededRandom('kill', seed), running.ended)
        running.signal('SIGKILL')
        const { code } = await running.ended
        figures.kills += 1
        if (code !== null) figures['after the end'] += 1
        const written = simulator.history.length
        if (written > 0 && written < changes) figures['with some written'] += 1
        expect(await liesInRecord(setup), `kill ${seed}`).toEqual([])

        expect(await setup.run('--parallelism 4'), `kill ${seed}`).toMatchObject({ code: 0 })
        expect(unfinished(setup), `kill ${seed}`).toEqual([])
        figures.redundant += writtenTwice(setup).length
        expect(writtenTwice(setup), `kill ${seed}`).toEqual([])
        expect(simulator.history, `kill ${seed}`).toHaveLength(changes)

        const third = await setup.run('--parallelism 4')
        expect({ ...third, stdout: JSON.parse(third.stdout) }).toMatchObject({
          code: 0,
          stdout: { outcomes: [] }
        })
        expect(simulator.history, `kill ${seed}`).toHaveLength(changes)
        await simulator.close()
      }
      expect(figures['with some written']).toBeGreaterThan(KILLS / 4)
    },
    timeout
  )

  afterAll(() => print({ SIGKILL: figures }))
})

/** The entries of a record that contradict the service. */
async function liesInRecord(setup: CampaignSetup): Promise<string[]> {
  if (!existsSync(join(setup.cwd, 'record.jsonl'))) return []
  const shown = await wlanctl(['show', 'record.jsonl', '--format', 'json'], { cwd: setup.cwd })
  if (shown.code !== 0) return [shown.stderr]
  const [run] = (JSON.parse(shown.stdout) as { readonly runs: readonly RunReport[] }).runs
  if (run === undefined) return ['no run']
  const { faults } = checkRun({ ...setup, ended: { ...shown, stdout: JSON.stringify(run) } })
  return Object.values(faults).flat()
}

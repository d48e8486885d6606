import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { inParallel } from '../../src/service/http/concurrency.ts'
import { randomInt, seededRandom } from '../../src/simulator/fleet/random.ts'
import { type Ended, wlanctl } from '../support/program.ts'
import { type CampaignSetup, fleetFolder, setUpCampaign } from './campaign.ts'
import { makeFleet } from './fleet.ts'
import { judge, ledger, lostEdits, type Write, type Writer } from './ledger.ts'
import { size, timeout } from './size.ts'
import { Verdict } from './verdict.ts'
import { editUntil, members, reverterOf, runHere, writerOf } from './writers.ts'

const fleet = { sites: 6, wlans: 5, hidden: false }
const changes = fleet.sites * fleet.wlans

/** Most of the time of a run is a question or a check. */
const CONCURRENCY = 6

/** How long a question waits for its answer at most, in milliseconds. */
const MAX_ANSWER = 3_000

const waves = [{ canary: '10%' }, { half: '50%' }, { rest: '*' }]

/** What a run does between its list and its updates, or after them. */
const moments = [
  { during: 'the question', options: '', asks: true },
  { during: 'slow updates', options: '--parallelism 1', latency: 40 },
  { during: 'checks', options: '--check ./slow.sh' },
  { during: 'the question of revert', options: '', reverts: true }
] as const

type Moment = (typeof moments)[number]

describe('two writers', () => {
  it(
    'a run overwrites no edit by hand that is older than a second',
    async () => {
      const verdict = new Verdict('edits by hand')
      const rounds = Array.from({ length: size(42, moments.length) }, (_, nth) => nth)
      await inParallel(rounds, CONCURRENCY, async seed => {
        const moment = moments[seed % moments.length] ?? moments[0]
        await editedRun(seed, moment, verdict)
      })
      verdict.end(changes * rounds.length)
    },
    timeout
  )

  it(
    'two runs at once keep the changes of each other',
    async () => {
      const verdict = new Verdict('two runs at once')
      const rounds = Array.from({ length: size(20, 3) }, (_, nth) => nth)
      await inParallel(rounds, CONCURRENCY, seed => twoRuns(seed, verdict))
      verdict.end(2 * changes * rounds.length)
    },
    timeout
  )
})

/** Applies a fleet while somebody edits it by hand. */
async function editedRun(seed: number, moment: Moment, verdict: Verdict): Promise<void> {
  const random = seededRandom('edited run', seed)
  const latency = 'latency' in moment ? moment.latency : 4
  const setup = await setUp(seed, latency)
  const cwd = fleetFolder(setup.fleet, { rollout: { waves } })
  writeFileSync(join(cwd, 'slow.sh'), '#!/bin/sh\nsleep 1.2\n', { mode: 0o755 })
  const options = `apply --record record.jsonl ${moment.options}`.trim().split(' ')
  const answer = { answerAfter: randomInt(random, MAX_ANSWER) }
  const running = runHere(options, setup, { cwd, token: 'a', ...('asks' in moment ? answer : {}) })
  const reverts = 'reverts' in moment
  const edits = reverts ? [] : await editUntil(running, setup, 'a', random)
  const writer = writerOf(setup.fleet, setup, 'a', await running)
  const writers: Writer[] = [writer]
  if (reverts) {
    const line = 'revert record.jsonl .'.split(' ')
    const reverting = runHere(line, setup, { cwd, token: 'b', ...answer })
    edits.push(...(await editUntil(reverting, setup, 'b', random)))
    writers.push(reverterOf(setup.fleet, writer, 'b', await reverting))
  }
  const at = `round ${seed}, during ${moment.during}`
  conclude(at, setup, edits, writers, verdict)
  const shown = await wlanctl(['show', 'record.jsonl', '--format', 'json'], { cwd })
  if (shown.code !== 0) verdict.add(at, 0, [{ kind: 'unreadable record', text: shown.stderr }])
}

/** Applies two fleets that declare different members of the same objects at once. */
async function twoRuns(seed: number, verdict: Verdict): Promise<void> {
  const random = seededRandom('two runs', seed)
  const setup = await setUp(seed, 5 + randomInt(random, 40))
  const other = makeFleet({ ...fleet, seed }, members.second)
  const start = async (token: string, cwd: string): Promise<Ended> => {
    await sleep(randomInt(random, 200))
    const answer = randomInt(random, 2) === 0 ? {} : { answerAfter: randomInt(random, MAX_ANSWER) }
    return runHere(['apply', '--parallelism', '2'], setup, { cwd, token, ...answer })
  }
  const [a, b] = await Promise.all([
    start('a', fleetFolder(setup.fleet)),
    start('b', fleetFolder(other))
  ])
  const writers = [writerOf(setup.fleet, setup, 'a', a), writerOf(other, setup, 'b', b)]
  conclude(`round ${seed}`, setup, [], writers, verdict)
}

function setUp(seed: number, latency: number): Promise<CampaignSetup> {
  const declared = members.first
  return setUpCampaign({ ...fleet, seed, declared, token: 'a,b', switches: { latency } })
}

/** Judges each run by all writes. */
function conclude(
  at: string,
  { simulator }: CampaignSetup,
  edits: readonly Write[],
  writers: readonly Writer[],
  verdict: Verdict
): void {
  const writes = ledger(simulator.history, simulator.requests, edits)
  verdict.count('edits by hand', edits.length)
  for (const writer of writers) {
    verdict.add(at, writer.declared.size, judge(writes, writer))
    verdict.count('lost within a second', lostEdits(writes, writer))
    for (const { status } of writer.outcomes) verdict.count(status)
    expect(writer.outcomes.length, at).toBeGreaterThan(0)
  }
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { inParallel } from '../../src/api/concurrency.ts'
import { type Random, randomInt, seededRandom } from '../../src/simulator/fleet/random.ts'
import { type Running, wlanctl } from '../support/program.ts'
import { type CampaignSetup, faultRates, setUpCampaign } from './campaign.ts'
import { DROPPED } from './declarations.ts'
import { type GuardedOutcome, misreported, notAsBefore } from './guarded.ts'
import { afterRandomRequests } from './run-state.ts'
import { size, timeout } from './size.ts'
import { print } from './table.ts'

const ROLLOUTS = size(300, 6)
const fleet = { sites: 6, wlans: 2, hidden: false }

/** A list per site; then an update and a read per change, for the rollout and its revert. */
const REQUESTS = 6 + 12 * 6

const policy = {
  policy: { lint: { level: 'off' }, rollout: [{ canary: '10%' }, { half: '50%' }, { rest: '*' }] }
}

/** The guards of a rollout: each may fail it, at a random time. */
const guards = [
  '--revert-on-failure --check ./check.sh',
  '--revert-on-failure --hold 1',
  '--confirm-within 1 --confirm-file never',
  '--confirm-within 30 --confirm-file confirmed',
  '--confirm-within 1 --confirm-file never --revert-on-failure --check ./check.sh'
]

const ends = ['by itself', 'killed', 'interrupted', 'interrupted twice'] as const

/** Concurrent rollouts: most of their time is a hold or a confirmation. */
const CONCURRENCY = 3

type Count = (what: string) => void

describe('a guarded rollout', () => {
  const figures: Record<string, number> = { rollouts: 0, 'finished by a revert': 0 }
  const count: Count = what => {
    figures[what] = (figures[what] ?? 0) + 1
  }

  it(
    `leaves each WLAN in its declared or former state, as reported (${ROLLOUTS} times)`,
    async () => {
      const seeds = Array.from({ length: ROLLOUTS }, (_, n) => n + 1)
      await inParallel(seeds, CONCURRENCY, seed => rollOut(seed, count))
      expect(figures['rollouts']).toBe(ROLLOUTS)
      expect(figures['reverted']).toBeGreaterThan(ROLLOUTS)
    },
    timeout
  )

  afterAll(() => print({ 'Guarded rollouts': figures }))
})

/** Runs the rollout of a seed, ends it at a random time, and compares its report with the service. */
async function rollOut(seed: number, count: Count): Promise<void> {
  const random = seededRandom('rollout', seed)
  const faults = seed % 3 === 0 ? faultRates(0.08, 0) : {}
  const dropFields = seed % 4 === 0 ? [DROPPED] : []
  const setup = await setUpCampaign({
    ...fleet,
    seed,
    switches: { latency: 4, faults, dropFields }
  })
  const end = ends[randomInt(random, ends.length)] ?? 'by itself'
  const guard = guards[seed % guards.length] ?? ''
  const at = `rollout ${seed}, ${guard}, ${end}`
  write(setup, 'policy.yaml', JSON.stringify(policy))
  const badWave = seed % 2 === 0 ? 'half' : 'rest'
  write(setup, 'check.sh', `#!/bin/sh\ntest "$WLANCTL_WAVE" != ${badWave}\n`)
  const running = setup.start(
    `--parallelism 3 --timeout 1 --verify-timeout 1 --max-attempts 4 --record record.jsonl ${guard}`
  )
  await endRollout(setup, running, end, random)
  const { stdout } = await running.ended
  count('rollouts')
  count(end)
  setup.simulator.set({ faults: {}, latency: 0, dropFields: [] })
  if (existsSync(join(setup.cwd, 'record.jsonl'))) {
    const shown = await show(setup)
    const reported: readonly GuardedOutcome[] =
      end === 'killed' ? shown : JSON.parse(stdout).outcomes
    for (const { status } of reported) count(status)
    expect(misreported(setup, reported), at).toEqual([])
    expect(misreported(setup, shown), at).toEqual([])
    if (end === 'killed' || end === 'interrupted twice') {
      count('finished by a revert')
      await revert(setup, shown, at)
    }
  } else {
    expect(setup.simulator.history, at).toEqual([])
  }
  await setup.simulator.close()
}

function write({ cwd }: CampaignSetup, file: string, text: string): void {
  writeFileSync(join(cwd, file), text, { mode: 0o755 })
}

/** Ends a rollout at a random time, or confirms it if it asks. */
async function endRollout(
  setup: CampaignSetup,
  running: Running,
  end: (typeof ends)[number],
  random: Random
): Promise<void> {
  void confirmWhenAsked(setup, running)
  if (end === 'by itself') return
  await afterRandomRequests(setup, REQUESTS, random, running.ended)
  running.signal(end === 'killed' ? 'SIGKILL' : 'SIGINT')
  if (end !== 'interrupted twice') return
  await sleep(randomInt(random, 60))
  running.signal('SIGTERM')
}

/** Creates the file of `--confirm-file confirmed` once the run waits for it. */
async function confirmWhenAsked(setup: CampaignSetup, running: Running): Promise<void> {
  const over = running.ended.then(() => true)
  const record = join(setup.cwd, 'record.jsonl')
  for (;;) {
    if (await Promise.race([over, sleep(20)])) return
    if (existsSync(record) && readFileSync(record, 'utf8').includes('confirm-begins')) break
  }
  write(setup, 'confirmed', '')
}

/** The outcomes in the record of the only run. */
async function show({ cwd }: CampaignSetup): Promise<readonly GuardedOutcome[]> {
  const shown = await wlanctl(['show', 'record.jsonl', '--format', 'json'], { cwd })
  expect(shown).toMatchObject({ code: 0 })
  const { runs } = JSON.parse(shown.stdout)
  return runs[0]?.outcomes ?? []
}

/**
 * The output of a revert; a server whose former secret is unknown cannot be restored, and blocks its WLAN.
 */
interface Reverted {
  readonly outcomes: readonly GuardedOutcome[]
  readonly findings?: readonly {
    readonly level: string
    readonly code: string
    readonly address: string
  }[]
}

/** Reverts the rest of a run: then every WLAN is in its former state, except for the listed secrets. */
async function revert(
  setup: CampaignSetup,
  shown: readonly GuardedOutcome[],
  at: string
): Promise<void> {
  const { cwd, simulator } = setup
  const env = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
  const line = 'revert record.jsonl . --yes --format json --max-changes all --allow-downgrade'
  const ended = await wlanctl(line.split(' '), { cwd, env })
  expect([0, 5], `${at}: ${ended.stderr}`).toContain(ended.code)
  const { outcomes, findings = [] }: Reverted = JSON.parse(ended.stdout)
  expect(
    outcomes.filter(({ status }) => status !== 'applied'),
    at
  ).toEqual([])
  const blocked = findings.filter(({ level }) => level === 'error')
  expect(
    blocked.filter(({ code }) => code !== 'SECRET_LOST'),
    at
  ).toEqual([])
  const stuck = new Set(blocked.map(({ address }) => address))
  const left = notAsBefore(setup, shown).filter(({ address }) => !stuck.has(address))
  expect(left, at).toEqual([])
  expect(misreported(setup, shown, stuck), at).toEqual([])
}

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { inParallel } from '../../src/service/http/concurrency.ts'
import { type Random, randomInt, seededRandom } from '../../src/simulator/fleet/random.ts'
import { type Running, wlanctl } from '../support/program.ts'
import { type CampaignSetup, faultRates, setUpCampaign } from './campaign.ts'
import { DROPPED } from './declarations.ts'
import { misreported, notAsBefore, type RolloutOutcome } from './rollout-outcomes.ts'
import { afterRandomRequests } from './run-state.ts'
import { size, timeout } from './size.ts'
import { type Fault, Verdict } from './verdict.ts'

/** How the service deviates: its faults, and for how many milliseconds half of the reads are stale. */
interface Variant {
  readonly name: string
  readonly faultRate: number
  readonly staleFor: number
}

const variants: readonly Variant[] = [
  { name: 'no faults', faultRate: 0, staleFor: 0 },
  { name: 'faults', faultRate: 0.08, staleFor: 0 },
  { name: 'lagging replicas', faultRate: 0, staleFor: 1_500 },
  { name: 'faults and lagging replicas', faultRate: 0.08, staleFor: 1_500 }
]

/** Rollouts of a variant; each has twelve changes. */
const ROLLOUTS = size(100, 3)
const fleet = { sites: 6, wlans: 2, hidden: false }
const changes = fleet.sites * fleet.wlans

/** A list per site; then an update and a read per change. */
const REQUESTS = fleet.sites + 2 * changes

const waves = [{ canary: '10%' }, { half: '50%' }, { rest: '*' }]

const ends = ['by itself', 'killed', 'interrupted', 'interrupted twice'] as const

const CONCURRENCY = 3

describe('a rollout', () => {
  it.each(variants)(
    `leaves each WLAN as reported, and a revert restores all of them (${ROLLOUTS} times): $name`,
    async variant => {
      const verdict = new Verdict(`rollouts, ${variant.name}`)
      const first = 1 + variants.indexOf(variant)
      const seeds = Array.from({ length: ROLLOUTS }, (_, n) => first + n * variants.length)
      await inParallel(seeds, CONCURRENCY, seed => rollOut(seed, variant, verdict))
      verdict.end(changes * ROLLOUTS)
    },
    timeout
  )
})

/** Runs the rollout of a seed, ends it at a random time, compares its report with the service, and reverts it. */
async function rollOut(
  seed: number,
  { faultRate, staleFor }: Variant,
  verdict: Verdict
): Promise<void> {
  const random = seededRandom('rollout', seed)
  const setup = await setUpCampaign({
    ...fleet,
    seed,
    switches: {
      latency: 4,
      faults: faultRate === 0 ? {} : faultRates(faultRate, 0),
      dropFields: randomInt(random, 4) === 0 ? [DROPPED] : [],
      staleFor,
      staleReads: 0.5
    }
  })
  const end = ends[randomInt(random, ends.length)] ?? 'by itself'
  const badWave = ['half', 'rest', 'none'][randomInt(random, 3)] ?? 'none'
  const at = `rollout ${seed}, bad wave ${badWave}, ${end}`
  const policy = { lint: { level: 'off' }, rollout: { waves } }
  write(setup, 'policy.yaml', JSON.stringify({ policy }))
  write(setup, 'check.sh', `#!/bin/sh\ntest "$WLANCTL_WAVE" != ${badWave}\n`)
  const running = setup.start(
    `--parallelism 3 --timeout 1 --verify-timeout ${staleFor === 0 ? 1 : 3} --max-attempts 4 --record record.jsonl --check ./check.sh`
  )
  await endRollout(setup, running, end, random)
  const { code, stdout, stderr } = await running.ended
  expect([0, 5, 130, null], `${at}: ${stderr}`).toContain(code)
  verdict.count('rollouts')
  verdict.count(end)
  setup.simulator.set({ faults: {}, latency: 0, dropFields: [] })
  const shown = existsSync(join(setup.cwd, 'record.jsonl')) ? await show(setup) : []
  if (typeof shown === 'string') verdict.add(at, 0, [{ kind: 'unreadable record', text: shown }])
  const recorded = typeof shown === 'string' ? [] : shown
  const reported: readonly RolloutOutcome[] =
    end === 'killed' || stdout === '' ? recorded : JSON.parse(stdout).outcomes
  for (const { status } of reported) verdict.count(status)
  // Without its output and its record, a run says nothing.
  const isSilent = typeof shown === 'string' && reported === recorded
  verdict.add(at, changes, isSilent ? [] : misreported(setup, reported))
  if (recorded.length > 0) {
    verdict.add(`${at}, by its record`, 0, misreported(setup, recorded))
    verdict.add(`${at}, reverted`, 0, await revert(setup, recorded, at))
  }
  await setup.simulator.close()
}

function write({ cwd }: CampaignSetup, file: string, text: string): void {
  writeFileSync(join(cwd, file), text, { mode: 0o755 })
}

/** Ends a rollout at a random time. */
async function endRollout(
  setup: CampaignSetup,
  running: Running,
  end: (typeof ends)[number],
  random: Random
): Promise<void> {
  if (end === 'by itself') return
  await afterRandomRequests(setup, REQUESTS, random, running.ended)
  running.signal(end === 'killed' ? 'SIGKILL' : 'SIGINT')
  if (end !== 'interrupted twice') return
  await sleep(randomInt(random, 60))
  running.signal('SIGTERM')
}

/** The outcomes in the record of the only run, or why it cannot be read. */
async function show({ cwd }: CampaignSetup): Promise<readonly RolloutOutcome[] | string> {
  const shown = await wlanctl(['show', 'record.jsonl', '--format', 'json'], { cwd })
  if (shown.code !== 0) return shown.stderr
  const { runs } = JSON.parse(shown.stdout)
  return runs[0]?.outcomes ?? []
}

/**
 * The output of a revert; a server whose former secret is unknown cannot be restored, and blocks its WLAN.
 */
interface Reverted {
  readonly outcomes: readonly RolloutOutcome[]
  readonly findings?: readonly {
    readonly level: string
    readonly code: string
    readonly address: string
  }[]
}

/**
 * Reverts the rest of a run: then every WLAN must be in its former state, except for the listed secrets.
 * Returns the faults.
 */
async function revert(
  setup: CampaignSetup,
  shown: readonly RolloutOutcome[],
  at: string
): Promise<Fault[]> {
  const { cwd, simulator } = setup
  const env = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
  const line = 'revert record.jsonl . --yes --format json --max-changes all --allow-downgrade'
  const ended = await wlanctl(line.split(' '), { cwd, env })
  expect([0, 5], `${at}: ${ended.stderr}`).toContain(ended.code)
  const { outcomes, findings = [] }: Reverted = JSON.parse(ended.stdout)
  const blocked = findings.filter(({ level }) => level === 'error')
  expect(
    blocked.filter(({ code }) => code !== 'SECRET_LOST'),
    at
  ).toEqual([])
  const stuck = new Set(blocked.map(({ address }) => address))
  const failed = outcomes.filter(
    ({ status, address }) => status !== (stuck.has(address) ? 'skipped' : 'applied')
  )
  const left = notAsBefore(setup, shown).filter(({ address }) => !stuck.has(address))
  return [
    ...[...failed, ...left].map(
      (each): Fault => ({ kind: 'left behind', text: JSON.stringify(each) })
    ),
    ...misreported(setup, shown, stuck)
  ]
}

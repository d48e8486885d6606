import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { inParallel } from '../../src/service/http/concurrency.ts'
import { type Random, randomInt, seededRandom } from '../../src/simulator/fleet/random.ts'
import { type Running, wlanctl } from '../support/program.ts'
import { type CampaignSetup, faultRates, setUpCampaign } from './campaign.ts'
import { DROPPED } from './declarations.ts'
import { type GuardedOutcome, misreported, notAsBefore } from './guarded.ts'
import { afterRandomRequests } from './run-state.ts'
import { full, size, timeout } from './size.ts'
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

/** A list per site; then an update and a read per change, for the rollout and its revert. */
const REQUESTS = fleet.sites + 6 * changes

const waves = [{ canary: '10%' }, { half: '50%' }, { rest: '*' }]

/** The guards of a rollout: each may fail it, at a random time. */
const guards = [
  { options: '--check ./check.sh', rollout: { revert_on_failure: 'wave' } },
  { options: '', rollout: { revert_on_failure: 'wave', hold: 1 } },
  { options: '--confirm-within 1 --confirm-file never', rollout: {} },
  { options: '--confirm-within 30 --confirm-file confirmed', rollout: {} },
  {
    options: '--confirm-within 1 --confirm-file never --check ./check.sh',
    rollout: { revert_on_failure: 'wave' }
  }
] as const

const ends = ['by itself', 'killed', 'interrupted', 'interrupted twice'] as const

/** Concurrent rollouts: most of their time is a hold or a confirmation. */
const CONCURRENCY = 3

describe('a guarded rollout', () => {
  it.each(variants)(
    `leaves each WLAN in its declared or former state, as reported (${ROLLOUTS} times): $name`,
    async variant => {
      const verdict = new Verdict(`rollouts, ${variant.name}`)
      const first = 1 + variants.indexOf(variant)
      const seeds = Array.from({ length: ROLLOUTS }, (_, n) => first + n * variants.length)
      await inParallel(seeds, CONCURRENCY, seed => rollOut(seed, variant, verdict))
      if (full) expect(verdict.counted('reverted')).toBeGreaterThan(ROLLOUTS)
      verdict.end(changes * ROLLOUTS)
    },
    timeout
  )
})

/** Runs the rollout of a seed, ends it at a random time, and compares its report with the service. */
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
  const { options, rollout } = guards[seed % guards.length] ?? guards[0]
  const guard = JSON.stringify(rollout)
  const at = `rollout ${seed}, ${options} ${guard}, ${end}`
  const policy = { lint: { level: 'off' }, rollout: { waves, ...rollout } }
  write(setup, 'policy.yaml', JSON.stringify({ policy }))
  const badWave = randomInt(random, 2) === 0 ? 'half' : 'rest'
  write(setup, 'check.sh', `#!/bin/sh\ntest "$WLANCTL_WAVE" != ${badWave}\n`)
  const running = setup.start(
    `--parallelism 3 --timeout 1 --verify-timeout ${staleFor === 0 ? 1 : 3} --max-attempts 4 --record record.jsonl ${options}`.trim()
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
  const reported: readonly GuardedOutcome[] =
    end === 'killed' || stdout === '' ? recorded : JSON.parse(stdout).outcomes
  for (const { status } of reported) verdict.count(status)
  // Without its output and its record, a run says nothing.
  const isSilent = typeof shown === 'string' && reported === recorded
  verdict.add(at, changes, isSilent ? [] : misreported(setup, reported))
  if (recorded.length > 0) {
    verdict.add(`${at}, by its record`, 0, misreported(setup, recorded))
    if (end === 'killed' || end === 'interrupted twice') {
      verdict.count('finished by a revert')
      verdict.add(`${at}, reverted`, 0, await revert(setup, recorded, at))
    }
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

/** The outcomes in the record of the only run, or why it cannot be read. */
async function show({ cwd }: CampaignSetup): Promise<readonly GuardedOutcome[] | string> {
  const shown = await wlanctl(['show', 'record.jsonl', '--format', 'json'], { cwd })
  if (shown.code !== 0) return shown.stderr
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

/**
 * Reverts the rest of a run: then every WLAN must be in its former state, except for the listed secrets.
 * Returns the faults.
 */
async function revert(
  setup: CampaignSetup,
  shown: readonly GuardedOutcome[],
  at: string
): Promise<Fault[]> {
  const { cwd, simulator } = setup
  const env = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
  const line = 'revert record.jsonl . --yes --format json --max-changes all --allow-downgrade'
  const ended = await wlanctl(line.split(' '), { cwd, env })
  expect([0, 5], `${at}: ${ended.stderr}`).toContain(ended.code)
  const { outcomes, findings = [] }: Reverted = JSON.parse(ended.stdout)
  const failed = outcomes.filter(({ status }) => status !== 'applied')
  const blocked = findings.filter(({ level }) => level === 'error')
  expect(
    blocked.filter(({ code }) => code !== 'SECRET_LOST'),
    at
  ).toEqual([])
  const stuck = new Set(blocked.map(({ address }) => address))
  const left = notAsBefore(setup, shown).filter(({ address }) => !stuck.has(address))
  return [
    ...[...failed, ...left].map(
      (each): Fault => ({ kind: 'left behind', text: JSON.stringify(each) })
    ),
    ...misreported(setup, shown, stuck)
  ]
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type FaultKind, faultKinds } from '../../src/simulator/faults.ts'
import { campaign, faultRates, setUpCampaign } from './campaign.ts'
import { checkRun, faultsOf, found } from './checker.ts'
import { DROPPED } from './declarations.ts'
import { full, size, timeout } from './size.ts'
import { Verdict } from './verdict.ts'

interface Campaign {
  readonly seed: number
  /** The rate of all faults. */
  readonly rate: number
  /** The time in milliseconds for which reads are stale. */
  readonly staleFor: number
  readonly hidden: boolean
  readonly normalise: boolean
}

const usual = { rate: size(0.3, 0.2), staleFor: 0, hidden: false, normalise: false }

const campaigns: readonly Campaign[] = [
  { ...usual, seed: 1 },
  { ...usual, seed: 2, staleFor: 300, normalise: true },
  ...size(
    [
      { ...usual, seed: 3, hidden: true },
      { ...usual, seed: 4, staleFor: 1_000 },
      { ...usual, seed: 5, staleFor: 100, hidden: true, normalise: true },
      { ...usual, seed: 6, staleFor: 300, rate: 0.6 }
    ],
    []
  )
]

const sites = size(1_000, 200)
const wlans = size(10, 1)
const parallelism = size(256, 16)
const changes = sites * wlans
const rateLimits = size(0.0004, 0.002)
const OPTIONS = `--max-attempts 10 --timeout ${size(3, 1)} --verify-timeout 2 --record record.jsonl --parallelism ${parallelism}`

const total = new Verdict('random faults')

describe('random faults', () => {
  it.each(campaigns)(
    'seed $seed: fault rate $rate, reads stale for $staleFor ms',
    async run => {
      const { seed, rate, staleFor, hidden, normalise } = run
      const faults = faultRates(rate, rateLimits)
      const switches = { faults, staleFor, normalise, dropFields: [DROPPED] }
      const setup = await setUpCampaign({ sites, wlans, seed, hidden, switches })
      const began = performance.now()
      const { ended, edits } = await campaign(setup, OPTIONS, seed)
      const seconds = Math.round((performance.now() - began) / 1000)
      const { code, stderr } = ended
      expect({ code, stderr }).toEqual({ code: 5, stderr: expect.not.stringContaining('bug') })
      const record = readFileSync(join(setup.cwd, 'record.jsonl'), 'utf8')
      const verdict = checkRun({ ...setup, ended, edits, record })
      const injected = setup.simulator.faults
      const requests = setup.simulator.requests.length
      const figures = {
        requests,
        edits: edits.size,
        seconds,
        redundant: verdict.redundant,
        injected
      }
      if (full) process.stdout.write(`${JSON.stringify({ ...run, ...figures })}\n`)
      total.add(`seed ${seed}`, changes, faultsOf(verdict))
      for (const [status, count] of Object.entries(verdict.statuses)) total.count(status, count)

      expect(injected).toEqual(expect.objectContaining(atLeast(rate)))
      expect(found(verdict.faults)).toEqual({})
      expect(verdict.redundant).toBeLessThanOrEqual(staleFor === 0 ? 0 : 0.03 * changes)
      if (rate > usual.rate) return
      expect({ open: verdict.open, unread: verdict.unread }).toEqual({ open: [], unread: [] })
      // One WLAN in ten declares the field that is not stored.
      const diverged = changes / 10
      expect(verdict.statuses).toMatchObject({ applied: changes - diverged, diverged })
    },
    timeout
  )

  afterAll(() => total.end(changes * campaigns.length))
})

/** The minimum number of faults of each kind for a meaningful campaign. */
function atLeast(rate: number): Record<FaultKind, unknown> {
  const rates = faultRates(rate, rateLimits)
  const requests = 3 * changes
  const least = faultKinds.map(kind => {
    const expected = (rates[kind] ?? 0) * requests
    return [kind, expect.toSatisfy((count: number) => count >= Math.max(1, expected / 3))]
  })
  return Object.fromEntries(least)
}

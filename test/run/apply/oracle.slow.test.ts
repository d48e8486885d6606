import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { tally } from '../../../src/core/model/outcome.ts'
import { isObject, member } from '../../../src/core/values/value.ts'
import type { FaultRates } from '../../../src/simulator/faults.ts'
import { faultKinds } from '../../../src/simulator/faults.ts'
import {
  type Random,
  randomInt,
  randomUuid,
  seededRandom
} from '../../../src/simulator/fleet/random.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import type { SimulatedSite } from '../../../src/simulator/store.ts'
import { desiredSite, env } from '../../support/desired.ts'
import { LONG, setStage } from './support.ts'

const SITES = 20
const WLANS_PER_SITE = 10

/** Faults of every kind, in three of ten calls. */
const faults: FaultRates = Object.fromEntries(
  faultKinds.map(kind => [kind, 0.3 / faultKinds.length])
)

/** A WLAN by its address: its initial state and its declaration, in plain JSON. */
interface Case {
  readonly site: string
  readonly wlan: string
  readonly before: JsonObject
  readonly declared: JsonObject
}

/**
 * An independent check: it implements PUT and compares JSON. After a run each record must be in its initial
 * or its declared state, as its outcome says.
 */
it.each([
  { seed: 2, staleFor: 0, wait: LONG },
  { seed: 3, staleFor: 2_000, wait: 0 }
])('reports the correct outcomes of 200 changes with random faults ($seed)', async run => {
  const { sites, cases } = make(seededRandom('oracle', run.seed))
  const { simulator, clock, plan, apply } = await setStage(
    { sites, seed: run.seed },
    { timeout: 3 }
  )
  const changes = await plan(...declare(sites, cases))
  expect(changes).toHaveLength(SITES * WLANS_PER_SITE)
  clock.advance(run.wait)
  simulator.set({ faults, staleFor: run.staleFor })
  const outcomes = await apply(changes, { parallelism: 10, verifyTimeout: 4_000 })

  expect(outcomes.map(({ address }) => address)).toEqual([...cases.keys()].sort())
  const counts = Object.values(tally(outcomes)).reduce((sum, count) => sum + count, 0)
  expect(counts).toBe(changes.length)
  const lies = outcomes.flatMap(({ address, status, reason = '' }) => {
    const { site, wlan, before, declared } = known(cases, address)
    const record = plain(simulator.record(site, wlan))
    const written = simulator.history.some(write => write.wlan === wlan)
    const isNew = isDeepStrictEqual(record, plain(laidOver(before, declared)))
    const isOld = isDeepStrictEqual(record, plain(before))
    const truth = {
      applied: isNew && written,
      failed: isOld && !written,
      skipped: isOld && !written,
      deferred: false,
      unchanged: false,
      stale: false,
      diverged: false,
      unknown: (isNew && written) || (isOld && !written)
    }[status]
    return truth ? [] : [`${address} is ${status}, and is not: ${reason}`]
  })
  expect(lies).toEqual([])
  expect(tally(outcomes).applied).toBeGreaterThan(changes.length / 4)
  expect(tally(outcomes).failed).toBeGreaterThan(0)
})

function make(random: Random): { sites: SimulatedSite[]; cases: Map<string, Case> } {
  const cases = new Map<string, Case>()
  const sites = Array.from({ length: SITES }, (_, n) => {
    const site = { id: randomUuid(random), name: `site-${n}` }
    const wlans = Array.from({ length: WLANS_PER_SITE }, (_, w) => {
      const before = { id: randomUuid(random), ssid: `net-${w}`, ...record(random) }
      const declared = declaration(random)
      cases.set(`site-${n}/net-${w}`, { site: site.id, wlan: before.id, before, declared })
      return before
    })
    return { ...site, wlans }
  })
  return { sites, cases }
}

function record(random: Random): JsonObject {
  return {
    enabled: true,
    vlan_id: 1 + randomInt(random, 100),
    hide_ssid: randomInt(random, 2) === 0,
    max_idletime: 1800,
    auth: { type: 'psk', psk: `old-passphrase-${randomInt(random, 99)}`, pairwise: ['wpa2-ccmp'] },
    portal: { enabled: false, expire: 480, forward: true },
    modified_time: 1000
  }
}

/** Declared fields, at least one of which differs; including members of objects, and secrets. */
function declaration(random: Random): JsonObject {
  const extra: readonly JsonObject[] = [
    { auth: { psk: `new-passphrase-${randomInt(random, 99)}` } },
    { portal: { expire: 60 } },
    { max_idletime: 3600, hide_ssid: true },
    {}
  ]
  return { vlan_id: 200 + randomInt(random, 100), ...extra[randomInt(random, extra.length)] }
}

function declare(sites: readonly SimulatedSite[], cases: ReadonlyMap<string, Case>) {
  return sites.map(site =>
    desiredSite(
      site,
      Object.fromEntries(
        site.wlans.map(({ id, ssid }) => {
          const { auth: declaredAuth, ...others } = known(cases, `${site.name}/${ssid}`).declared
          const psk = isObject(declaredAuth) ? declaredAuth['psk'] : undefined
          const auth = typeof psk === 'string' ? { auth: { psk: env('PSK', psk) } } : {}
          return [ssid, { ...(others as Record<string, number>), ...auth, id }]
        })
      )
    )
  )
}

function known(cases: ReadonlyMap<string, Case>, address: string): Case {
  const found = cases.get(address)
  if (found === undefined) throw new Error(`there is no ${address}`)
  return found
}

/** The record with the declared members merged into it at any depth. */
function laidOver(record: JsonObject, declared: JsonObject): JsonObject {
  const entries = Object.entries(declared).map(([name, value]) => {
    const old = member(record, name)
    return [name, isObject(value) && isObject(old) ? laidOver(old, value) : value] as const
  })
  return { ...record, ...Object.fromEntries(entries) }
}

function plain({ modified_time: _, ...record }: JsonObject): JsonObject {
  return record
}

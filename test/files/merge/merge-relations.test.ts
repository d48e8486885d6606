import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { validatePlan } from '#forms'
import {
  type Desired,
  type DesiredSite,
  defaultPolicy,
  type LintPolicy,
  type Part,
  type ValuePlaces,
  type Waiver
} from '../../../src/core/model/desired.ts'
import { findingLevels } from '../../../src/core/model/finding.ts'
import type { LiveSite } from '../../../src/core/model/live.ts'
import type { Plan } from '../../../src/core/model/plan.ts'
import { isInShard } from '../../../src/core/model/shard.ts'
import { fromEntries, type ValueObject } from '../../../src/core/values/value.ts'
import { mergePlans } from '../../../src/files/merge/merge.ts'
import { formatPlan } from '../../../src/files/saved-plan.ts'
import { takeSnapshot } from '../../../src/files/snapshot.ts'
import { checkRelations } from '../../../src/run/checks/relation-findings.ts'
import { makePlanAgainst } from '../../../src/run/make-plan.ts'
import { desiredSite, env, live, nth, wlan } from '../../core/plan/support.ts'

const RULES = ['same-ssid-other-security', 'ssid-lookalike']

const ssid = fc.constantFrom('Corp', 'Corp', 'corp', 'Guest', 'Guest ')
const auth = fc.constantFrom<ValueObject>(
  { type: 'psk', pairwise: ['wpa2-ccmp'] },
  { type: 'psk', pairwise: ['wpa3'] },
  { type: 'open', owe: 'disabled' },
  { type: 'eap', pairwise: ['wpa3'] },
  { type: '{{type}}' }
)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const liveFields = fc.record({ ssid, auth, enabled: fc.constantFrom(true, true, false) })

const declaredFields = fc.record({
  ssid: maybe(ssid),
  auth: maybe(auth),
  key: maybe(fc.constantFrom('A', 'A', 'B')),
  enabled: maybe(fc.boolean()),
  dtim: maybe(fc.constant(3))
})

const madeWlan = fc.record({
  live: liveFields,
  declared: maybe(
    fc.record({
      fields: declaredFields,
      excluded: fc.constantFrom(false, false, true)
    })
  )
})

type MadeWlan = typeof madeWlan extends fc.Arbitrary<infer T> ? T : never

const waiver = fc.record({
  rule: fc.constantFrom(...RULES),
  site: maybe(fc.constantFrom('a*', 'b*')),
  wlan: maybe(fc.constantFrom('w0', 'w*')),
  reason: fc.constant('a reason'),
  until: fc.constantFrom('2027-01-31', '2027-02-28')
})

const madeFleet = fc.record({
  sites: fc.array(
    fc.record({
      wlans: fc.array(madeWlan, { maxLength: 3 }),
      readIn: fc.constantFrom(0, 0, 0, 0, 1, 9)
    }),
    { minLength: 1, maxLength: 8 }
  ),
  /** The number of attempts for each shard. */
  runs: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 3 }),
  levels: fc.dictionary(
    fc.constantFrom(...RULES),
    fc.constantFrom(...findingLevels, 'off' as const)
  ),
  strict: fc.boolean(),
  waivers: fc.array(waiver, { maxLength: 3 })
})

type MadeFleet = typeof madeFleet extends fc.Arbitrary<infer T> ? T : never

interface MadeSite {
  readonly desired: DesiredSite
  readonly live: LiveSite
  readonly readIn: number
}

/** The sites in an order of ids that differs from that of names. */
function sitesOf({ sites }: MadeFleet): MadeSite[] {
  return sites.map(({ wlans, readIn }, n) => {
    const hex = createHash('sha256').update(`${n}`).digest('hex')
    const id = `${hex.slice(0, 8)}-0000-4000-8000-${hex.slice(8, 20)}`
    const site = { id, name: `${['b', 'B', 'a-', 'a'][n % 4]}${n}` }
    const ids = wlans.map((_, at) => nth(100 * n + at))
    const records = wlans.map((made, at) => live({ psk: 'k', ...made.live }, ids[at] ?? ''))
    const declared = wlans.flatMap((made, at) => declaredWlan(made, at, site.name, ids[at] ?? ''))
    return { desired: desiredSite(declared, site), live: { site, wlans: records }, readIn }
  })
}

function declaredWlan({ declared, live }: MadeWlan, at: number, site: string, id: string) {
  if (declared === undefined) return []
  const { key, auth, ...others } = declared.fields
  const { excluded } = declared
  const security = { ...(auth ?? (key && live.auth)), ...(key && { psk: env('hush-hush', key) }) }
  const all = { ...others, ...(Object.keys(security).length > 0 && { auth: security }) }
  const fields = fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
  const place = { file: `${site}.yaml`, line: at + 2, column: 3 }
  const rest = { key: `w${at}`, address: `${site}/w${at}`, id, origin: place, place }
  const { ssid: _, ...made } = wlan({}, rest).fields
  return [
    {
      ...wlan({}, rest),
      fields: { ...made, ...fields },
      ...(excluded && { excluded })
    }
  ]
}

/**
 * The locations of fields: a security that every site gets from a profile, any other field in the file of the
 * site.
 */
const placesOf: ValuePlaces = ({ name }, key, pointers) =>
  Object.fromEntries(
    pointers.map(pointer => {
      const isShared = pointer.startsWith('/auth')
      const file = isShared ? 'profiles.yaml' : `${name}.yaml`
      return [pointer, { file, line: isShared ? 3 : Number(key.slice(1)) + 3, column: 5 }]
    })
  )

interface Run {
  readonly part: Part
  readonly round: number
  readonly sites: readonly MadeSite[]
}

/** The plan of a run, as by `plan --against`. */
async function planOf(
  fleet: MadeFleet,
  { part, round, sites }: Run,
  roundOf = (_: MadeSite) => round
) {
  const read = sites.map(site => {
    const { id, name } = site.desired
    const isRead = site.readIn <= roundOf(site)
    return isRead ? site.live : { site: { id, name }, reason: 'answered 500' }
  })
  const created = `2026-11-20T1${round}:00:00Z`
  const tool = 'wlanctl/0.1.0'
  const facts = { tool, created, base_url: 'https://api.example.net', requests: 3 }
  const snapshot = takeSnapshot(read, { ...facts, part: {} })
  const { levels, strict } = fleet
  const lint: LintPolicy = { level: 'warning', rules: levels, strict }
  const desired: Desired = {
    part,
    policy: { ...defaultPolicy, lint },
    sites: sites.map(site => site.desired),
    findings: [],
    waivers: fleet.waivers.map(each => ({ ...each, ofPolicy: false, where: {} }) as Waiver),
    placesOf
  }
  const { plan } = await makePlanAgainst(desired, snapshot, { tool, now: () => new Date(created) })
  const { against: _, ...rest } = plan
  return rest
}

/** The runs over each shard with their continuations. */
function runsOf(fleet: MadeFleet): Run[] {
  const sites = sitesOf(fleet)
  const of = fleet.runs.length
  return fleet.runs.flatMap((times, n) => {
    const own = sites.filter(({ desired }) => isInShard(desired.id, { number: n + 1, of }))
    return Array.from({ length: times }, (_, round) => {
      const left = own.filter(({ readIn }) => readIn >= round)
      const continues = left.map(({ desired }) => desired.id)
      const part = round > 0 ? { continues } : of === 1 ? {} : { shard: `${n + 1}/${of}` }
      return { part, round, sites: left }
    })
  })
}

/** The complete plan in which each site is in the state of its last run. */
function wholePlan(fleet: MadeFleet): Promise<Plan> {
  const { runs } = fleet
  const lastOf = ({ desired }: MadeSite) =>
    (runs.find((_, n) => isInShard(desired.id, { number: n + 1, of: runs.length })) ?? 1) - 1
  return planOf(fleet, { part: {}, round: 0, sites: sitesOf(fleet) }, lastOf)
}

const isRelation = ({ rule = '' }) => RULES.includes(rule)

test('merged shards have the findings of one run about relations across sites, byte for byte', async () => {
  const seen = { existing: 0, placed: 0, waived: 0, unread: 0 }
  const shuffled = madeFleet.chain(fleet => {
    const runs = runsOf(fleet)
    return fc.tuple(fc.constant(fleet), fc.shuffledSubarray(runs, { minLength: runs.length }))
  })
  await fc.assert(
    fc.asyncProperty(shuffled, async ([fleet, runs]) => {
      const whole = await wholePlan(fleet)
      const plans = await Promise.all(runs.map(run => planOf(fleet, run)))
      for (const plan of plans) {
        expect([validatePlan(JSON.parse(JSON.stringify(plan))), validatePlan.errors]).toEqual([
          true,
          null
        ])
      }
      const saved = plans.map((plan, n) => ({
        name: `${n}.json`,
        value: JSON.parse(JSON.stringify(plan)) as Plan
      }))
      expect(formatPlan(mergePlans(saved, checkRelations))).toBe(formatPlan(whole))
      const related = whole.findings.filter(isRelation)
      seen.existing += related.filter(({ existing }) => existing).length
      seen.placed += related.filter(({ place }) => place).length
      seen.waived += related.filter(({ waived }) => waived).length
      seen.unread += whole.unread?.length ?? 0
    })
  )
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0)
})

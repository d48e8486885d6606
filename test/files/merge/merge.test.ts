import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { validatePlan, validateSnapshot } from '#forms'
import { Failure } from '../../../src/core/model/failure.ts'
import { finding } from '../../../src/core/model/finding.ts'
import type { Plan } from '../../../src/core/model/plan.ts'
import { isInShard } from '../../../src/core/model/shard.ts'
import { assemble, planSite, planUnread } from '../../../src/core/plan/plan.ts'
import { mergePlans, mergeSnapshots } from '../../../src/files/merge/merge.ts'
import { formatPlan } from '../../../src/files/saved-plan.ts'
import { formatSnapshot, type Snapshot, takeSnapshot } from '../../../src/files/snapshot.ts'
import { checkRelations } from '../../../src/run/checks/relation-findings.ts'
import { context } from '../../core/plan/support.ts'
import {
  findingsFor,
  foundIn,
  type MadeFleet,
  type MadeSite,
  madeFleets,
  type Run,
  runsOf,
  wholeRun
} from './parts.ts'

const CREATED = '2026-11-20T10:00:00Z'

/** Later rounds have later times. */
const createdIn = (round: number) => CREATED.replace('10:', `1${round}:`)

type RoundOf = (site: MadeSite) => number

function planOf(
  { part, round, sites, rollout }: Run,
  requests: number,
  roundOf: RoundOf = () => round
) {
  const planned = sites.map(site => {
    const found = foundIn(roundOf(site), site)
    return 'wlans' in found ? planSite(site.desired, found) : planUnread(site.desired, found)
  })
  const made = {
    ...context({ unmanaged: 'error', maxChanges: 3 }),
    part,
    rollout,
    created: createdIn(round),
    requests
  }
  return assemble(planned, { ...made, findings: findingsFor(sites) })
}

function snapshotOf({ part, round, sites }: Run, requests: number, roundOf: RoundOf = () => round) {
  const { tool, baseUrl } = context()
  const read = sites.map(site => foundIn(roundOf(site), site))
  return takeSnapshot(read, {
    tool,
    created: createdIn(round),
    base_url: baseUrl,
    part,
    requests
  })
}

function pieces<Value>(fleet: MadeFleet, make: (run: Run, requests: number) => Value) {
  return runsOf(fleet).map((run, n) => ({ name: `${n}.json`, value: make(run, 3) }))
}

/** The files in another order, as shells sort names differently. */
const shuffled = <Item>(items: readonly Item[]) =>
  fc.shuffledSubarray([...items], { minLength: items.length })

describe('the merged shards of a run equal the complete run byte for byte', () => {
  test('as plans', () => {
    let tried = 0
    let unread = 0
    let joined = 0
    fc.assert(
      fc.property(
        madeFleets.chain(fleet => fc.tuple(fc.constant(fleet), shuffled(pieces(fleet, planOf)))),
        ([fleet, parts]) => {
          tried += 1
          const [run, roundOf] = wholeRun(fleet)
          const whole = planOf(run, 3 * parts.length, roundOf)
          for (const { value } of parts) {
            expect([validatePlan(JSON.parse(JSON.stringify(value))), validatePlan.errors]).toEqual([
              true,
              null
            ])
          }
          expect(formatPlan(mergePlans(parts, checkRelations))).toBe(formatPlan(whole))
          unread += whole.unread?.length ?? 0
          joined += whole.findings.filter(({ addresses }) => addresses).length
        }
      )
    )
    expect(Math.min(unread, joined)).toBeGreaterThan(tried / 4)
  })

  test('as snapshots', () => {
    fc.assert(
      fc.property(
        madeFleets.chain(fleet =>
          fc.tuple(fc.constant(fleet), shuffled(pieces(fleet, snapshotOf)))
        ),
        ([fleet, parts]) => {
          const [run, roundOf] = wholeRun(fleet)
          const whole = snapshotOf(run, 3 * parts.length, roundOf)
          for (const { value } of parts) {
            expect(validateSnapshot(JSON.parse(formatSnapshot(value)))).toBe(true)
          }
          expect(formatSnapshot(mergeSnapshots(parts))).toBe(formatSnapshot(whole))
        }
      )
    )
  })

  test('with all of their content: a WLAN of one shard is missing without it', () => {
    fc.assert(
      fc.property(
        madeFleets.chain(fleet => {
          const parts = pieces(fleet, planOf)
          return fc.tuple(fc.constant(parts), fc.nat({ max: parts.length - 1 }))
        }),
        ([parts, without]) => {
          const gone = parts[without]?.value
          const rest = parts.toSpliced(without, 1)
          if (gone === undefined || rest.length === 0) return
          if (gone.continues === undefined)
            expect(() => mergePlans(rest, checkRelations)).toThrow(Failure)
          else {
            const read = gone.summary.sites - gone.summary.sites_failed
            const failed = mergePlans(parts, checkRelations).summary.sites_failed
            expect(mergePlans(rest, checkRelations).summary.sites_failed).toBe(failed + read)
          }
        }
      )
    )
  })
})

describe('findings with different paths', () => {
  const about = (n: number, existing: boolean) => {
    const where = { path: `/f${n}`, address: `s${n}/w`, rule: 'r' }
    const violation = { level: 'warning', message: 'so', advice: 'no', existing } as const
    const wlans = [where.address]
    return [
      finding('LINT', { ...where, ...(existing && { existing }) }, violation),
      finding('RULE', { ...where, place: { file: 'p', line: 1, column: 1 } }, ...ruleOf(wlans))
    ]
  }
  const ruleOf = (wlans: string[]) => ['r', 'not so', 'warning', wlans] as const
  const shard = (n: number) => ({
    name: `${n}.json`,
    value: { ...planOf({ part: { shard: `${n}/2` }, round: 0, sites: [], rollout: [] }, 1) }
  })

  it.each([true, false])('stay separate, as in one run; existing: %s', existing => {
    const parts = [1, 2].map(n => {
      const { name, value } = shard(n)
      return { name, value: { ...value, findings: about(n, existing) } }
    })
    const { findings } = mergePlans(parts, checkRelations)
    const ofAll = [1, 2].flatMap(n => about(n, existing))
    expect(findings).toHaveLength(4)
    expect(findings).toEqual(expect.arrayContaining(ofAll))
  })
})

describe('merge rejects files that are not the shards of one run', () => {
  const fleet: MadeFleet = { runs: [2, 1, 1], sites: sample() }
  const [first, again, second, third] = pieces(fleet, planOf) as [Piece, Piece, Piece, Piece]
  const whole = { name: 'whole.json', value: planOf(wholeRun(fleet)[0], 3) }

  test.each<[string, Piece[], RegExp]>([
    ['a shard is missing', [first, third], /1 shard of 3 is missing: 2\/3/],
    ['most shards are', [second], /2 shards of 3 are missing: 1\/3, 3\/3/],
    [
      'a shard twice',
      [first, second, third, { ...second, name: 'x' }],
      /2\/3 is in 2.json and in x/
    ],
    ['a whole run with shards', [first, whole], /whole.json is not a shard/],
    [
      'two whole runs',
      [whole, { ...whole, name: 'x' }],
      /is not a shard|is in whole.json and in x/
    ],
    ['a continuation alone', [again], /1.json only continues/],
    [
      'the same continuation twice',
      [first, again, { ...again, name: 'x' }, second, third],
      /continues? sites that the other files do not leave unread/
    ],
    [
      'shards of another number',
      [first, edited(second, { shard: '2/4' })],
      /number of shards: (3 and 4|4)/
    ],
    [
      'a shard that is another',
      [first, edited(second, { shard: '3/3' }), third],
      /is the shard 3\/3|3\/3 is in/
    ],
    ['an invalid shard', [edited(first, { shard: '9/3' }), second, third], /invalid shard 9\/3/],
    [
      'another service',
      [first, edited(second, { base_url: 'https://other' }), third],
      /differ in their service/
    ],
    [
      'another version',
      [first, edited(second, { tool: 'wlanctl/0.0.9' }), third],
      /differ in their program/
    ],
    [
      'another snapshot',
      [first, edited(second, { against: { created: CREATED, digest: 'sha256:1' } }), third],
      /differ in their snapshot/
    ],
    [
      'other evidence',
      [first, edited(second, { since: { created: CREATED, new_fields: 0 } }), third],
      /differ in their evidence/
    ],
    [
      'a plan that does not list its unread sites',
      [edited(first, { unread: undefined }), second, third],
      /does not list the sites/
    ]
  ])('%s', (_, parts, said) => {
    const attempt = () => mergePlans(parts, checkRelations)
    expect(attempt).toThrow(Failure)
    expect(attempt).toThrow(said)
  })

  it('a single complete plan merges to itself', () => {
    expect(mergePlans([whole], checkRelations)).toEqual(whole.value)
  })

  it('snapshots with the same site are rejected', () => {
    const parts = pieces(fleet, snapshotOf)
    const site = parts.flatMap(({ value }) => value.sites)[0]
    const other = parts.find(({ value }) => !value.sites.some(({ id }) => id === site?.id))
    if (site === undefined || other === undefined) throw new Error('the sample is too small')
    const sites = [...other.value.sites, site]
    const value: Snapshot = { ...other.value, shard: other.value.shard ?? '1/3', sites }
    const changed = parts.map(part => (part === other ? { ...part, value } : part))
    expect(() => mergeSnapshots(changed)).toThrow(/is in another|is in .* and in/)
  })
})

interface Piece {
  readonly name: string
  readonly value: Plan
}

function edited({ name, value }: Piece, change: object): Piece {
  return { name, value: { ...value, ...change } }
}

function sample() {
  const [fleet] = fc.sample(
    madeFleets.filter(({ sites }) => sites.length > 8),
    { numRuns: 1, seed: 7 }
  )
  const shard = { number: 1, of: 3 }
  const isFirst = ({ desired }: MadeSite) => isInShard(desired.id, shard)
  return fleet?.sites.map(site => ({ ...site, readIn: isFirst(site) ? 1 : 0 })) ?? []
}

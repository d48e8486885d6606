import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { validatePlan, validateSnapshot } from '#forms'
import { Failure } from '../../src/core/model/failure.ts'
import { type Finding, finding } from '../../src/core/model/finding.ts'
import type { Plan } from '../../src/core/model/plan.ts'
import { assemble, planSite, planUnread } from '../../src/core/plan/plan.ts'
import { mergePlans, mergeSnapshots } from '../../src/files/merge.ts'
import { formatPlan, parsePlan } from '../../src/files/saved-plan.ts'
import { formatSnapshot, type Snapshot, takeSnapshot } from '../../src/files/snapshot.ts'
import { context } from '../core/plan/support.ts'
import {
  findingsFor,
  foundAt,
  type MadeFleet,
  madeFleets,
  type Run,
  runsOf,
  wholeRun
} from './shards.ts'

const POLICY = `sha256:${'5'.repeat(64)}`
const CREATED = '2026-11-20T10:00:00Z'

function planOf({ part, sites, rollout }: Run, requests: number) {
  const planned = sites.map(site => {
    const found = foundAt(site)
    return 'wlans' in found ? planSite(site.desired, found) : planUnread(site.desired, found)
  })
  const policy = context({ unmanaged: 'error', maxChanges: 3 })
  const managed = [40] as const
  const made = {
    ...policy,
    policyDigest: POLICY,
    part,
    managed,
    rollout,
    created: CREATED,
    requests
  }
  return assemble(planned, { ...made, findings: findingsFor(sites) })
}

function snapshotOf({ part, sites }: Run, requests: number) {
  const { tool, baseUrl } = context()
  return takeSnapshot(sites.map(foundAt), {
    tool,
    created: CREATED,
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

describe('the merged shards of a run', () => {
  test('are the plan of the complete run, with the findings of all shards', () => {
    let tried = 0
    let unread = 0
    fc.assert(
      fc.property(
        madeFleets.chain(fleet => fc.tuple(fc.constant(fleet), shuffled(pieces(fleet, planOf)))),
        ([fleet, parts]) => {
          tried += 1
          const merged = mergePlans(parts)
          expect([validatePlan(JSON.parse(formatPlan(merged))), validatePlan.errors]).toEqual([
            true,
            null
          ])
          const whole = planOf(wholeRun(fleet), 3 * parts.length)
          const { findings, refusals: _, ...rest } = merged
          const { findings: __, refusals: ___, ...expected } = whole
          expect(rest).toEqual(expected)
          const texts = (found: readonly Finding[]) =>
            new Set(found.map(each => JSON.stringify(each)))
          expect(texts(findings)).toEqual(texts(parts.flatMap(({ value }) => value.findings)))
          expect(findings).toHaveLength(texts(findings).size)
          unread += whole.summary.sites_failed
        }
      )
    )
    expect(unread).toBeGreaterThan(tried / 4)
  })

  test('are the same in any order, and read back', () => {
    fc.assert(
      fc.property(
        madeFleets.chain(fleet => {
          const parts = pieces(fleet, planOf)
          return fc.tuple(fc.constant(parts), shuffled(parts))
        }),
        ([parts, others]) => {
          const text = formatPlan(mergePlans(parts))
          expect(formatPlan(mergePlans(others))).toBe(text)
          expect(formatPlan(parsePlan(text, 'merged.json'))).toBe(text)
        }
      )
    )
  })

  test('are the snapshot of the complete run byte for byte', () => {
    fc.assert(
      fc.property(
        madeFleets.chain(fleet =>
          fc.tuple(fc.constant(fleet), shuffled(pieces(fleet, snapshotOf)))
        ),
        ([fleet, parts]) => {
          const whole = snapshotOf(wholeRun(fleet), 3 * parts.length)
          expect(validateSnapshot(JSON.parse(formatSnapshot(whole)))).toBe(true)
          expect(formatSnapshot(mergeSnapshots(parts))).toBe(formatSnapshot(whole))
        }
      )
    )
  })

  test('are no result without one of them', () => {
    fc.assert(
      fc.property(
        madeFleets.chain(fleet => {
          const parts = pieces(fleet, planOf)
          return fc.tuple(fc.constant(parts), fc.nat({ max: parts.length - 1 }))
        }),
        ([parts, without]) => {
          const rest = parts.toSpliced(without, 1)
          if (rest.length > 0) expect(() => mergePlans(rest)).toThrow(Failure)
        }
      )
    )
  })
})

describe('findings with different paths', () => {
  const about = (n: number, existing: boolean) => {
    const where = { path: `/f${n}`, address: `s${n}/w`, rule: 'r' }
    const violation = { level: 'warning', message: 'so', advice: 'no', existing } as const
    return [
      finding('LINT', { ...where, ...(existing && { existing }) }, violation),
      finding(
        'RULE',
        { ...where, place: { file: 'p', line: 1, column: 1 } },
        'r',
        'not so',
        'warning'
      )
    ]
  }
  const shard = (n: number) => ({
    name: `${n}.json`,
    value: { ...planOf({ part: { shard: `${n}/2` }, sites: [], rollout: [] }, 1) }
  })

  it.each([true, false])('stay separate, as in one run; existing: %s', existing => {
    const parts = [1, 2].map(n => {
      const { name, value } = shard(n)
      return { name, value: { ...value, findings: about(n, existing) } }
    })
    const { findings } = mergePlans(parts)
    const ofAll = [1, 2].flatMap(n => about(n, existing))
    expect(findings).toHaveLength(4)
    expect(findings).toEqual(expect.arrayContaining(ofAll))
  })
})

describe('merge rejects files that are not the shards of one run', () => {
  const fleet: MadeFleet = { shards: 3, sites: sample() }
  const [first, second, third] = pieces(fleet, planOf) as [Piece, Piece, Piece]
  const whole = { name: 'whole.json', value: planOf(wholeRun(fleet), 3) }

  /** The shards with another second one. */
  const withSecond = (change: object) => [first, edited(second, change), third]
  const against = { created: CREATED, digest: 'sha256:1' }

  test.each<[string, Piece[], RegExp]>([
    ['a shard is missing', [first, third], /1 shard of 3 is missing: 2\/3/],
    ['most shards are', [second], /2 shards of 3 are missing: 1\/3, 3\/3/],
    [
      'a shard twice',
      [first, second, third, { ...second, name: 'x' }],
      /2\/3 is in 1.json and in x/
    ],
    ['a whole run with shards', [first, whole], /whole.json is not a shard/],
    ['two whole runs', [whole, { ...whole, name: 'x' }], /is not a shard|in whole.json and in x/],
    ['shards of another number', withSecond({ shard: '2/4' }), /number of shards: (3 and 4|4)/],
    ['a shard that is another', withSecond({ shard: '3/3' }), /is the shard 3\/3|3\/3 is in/],
    ['an invalid shard', [edited(first, { shard: '9/3' }), second, third], /invalid shard 9\/3/],
    ['another service', withSecond({ base_url: 'https://other' }), /differ in their service/],
    ['another version', withSecond({ tool: 'wlanctl/0.0.9' }), /differ in their program/],
    ['another snapshot', withSecond({ against }), /differ in their snapshot/],
    ['another commit', withSecond({ commit: 'c' }), /commit: none and c/],
    ['another policy', withSecond({ policy_digest: undefined }), /policy: sha256:5{64} and none/]
  ])('%s', (_, parts, said) => {
    const attempt = () => mergePlans(parts)
    expect(attempt).toThrow(Failure)
    expect(attempt).toThrow(said)
  })

  it('a single complete plan merges to itself', () => {
    expect(mergePlans([whole])).toEqual(whole.value)
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
  return fleet?.sites ?? []
}

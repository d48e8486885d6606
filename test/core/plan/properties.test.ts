import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validatePlan } from '#forms'
import { changedPointers, diff, inverse } from '../../../src/core/diff/diff.ts'
import type { LiveWlan } from '../../../src/core/model/live.ts'
import type { Change, PlannedSite } from '../../../src/core/model/plan.ts'
import { assemble, planSite, planUnread, planWlan } from '../../../src/core/plan/plan.ts'
import { wlanField } from '../../../src/core/schema/field.ts'
import { showsSecret } from '../../../src/core/schema/shown-secrets.ts'
import { type Pointer, steps } from '../../../src/core/values/pointer.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import { isObject, member, type Value, type ValueObject } from '../../../src/core/values/value.ts'
import { formatPlan, parsePlan } from '../../../src/files/saved-plan.ts'
import { SECRET_MARK } from '../../support/live-wlans.ts'
import { type WlanCase, wlanCases } from '../../support/wlans.ts'
import {
  asText,
  at,
  disturbed,
  essential,
  losses,
  merging,
  patched,
  replacing,
  withoutDefaults
} from './oracle.ts'
import { context, desiredSite, liveSite, nth, SITE, shown, wlan } from './support.ts'

function liveOf(record: ValueObject, id = nth(1)): LiveWlan {
  const ssid = member(record, 'ssid')
  return { id, ssid: typeof ssid === 'string' ? ssid : '', record, readAt: 0 }
}

function planned({ live, declared }: WlanCase) {
  return planWlan(SITE, wlan(declared, { fields: declared }), liveOf(live))
}

/**
 * The status of the plan after an update. It does not count that a response may show secrets since the update
 * set one: a declared secret that was unknown before is a change of its own then.
 */
function statusAfter(after: ValueObject, { live, declared }: WlanCase): string {
  const desired = wlan(declared, { fields: declared })
  return planWlan(SITE, desired, liveOf(after), { secretsShown: () => showsSecret(live) }).status
}

/** Checks the change of each case, and that enough cases have a change. */
function forAllChanges(
  hidden: boolean,
  check: (change: Change, made: WlanCase, hidden: readonly Pointer[]) => void
): void {
  let [tried, changes] = [0, 0]
  const cases = wlanCases(hidden ? { hidden } : {})
  fc.assert(
    fc.property(cases, made => {
      tried += 1
      const verdict = planned(made)
      if (verdict.status !== 'changed') return
      changes += 1
      check(verdict.change, made, verdict.hidden ?? [])
    })
  )
  expect(changes).toBeGreaterThan(tried / 4)
}

describe('the body of a change', () => {
  test('gives a record with an empty plan', () => {
    forAllChanges(true, (change, made) => {
      expect(statusAfter(replacing(made.live, change.request.body), made)).toBe('unchanged')
    })
  })

  test('gives a record with an empty plan on a service that merges, unless a map must lose an entry', () => {
    forAllChanges(true, (change, made) => {
      const { live } = made
      const { body } = change.request
      if (losses(wlanField, live, replacing(live, body)).length > 0) return
      const after = merging(live, body)
      expect(isObject(after) && statusAfter(after, made)).toBe('unchanged')
    })
  })

  test('changes no undeclared field', () => {
    forAllChanges(true, (change, { live, declared }, hidden) => {
      const after = replacing(live, change.request.body)
      const others = disturbed(wlanField, live, after, declared)
      expect(others.filter(pointer => !hidden.includes(pointer))).toEqual([])
    })
  })

  test('has the changed fields alone, each complete', () => {
    forAllChanges(true, (change, { live, declared }) => {
      const { body } = change.request
      const changed = new Set(change.patch.map(({ path }) => steps(path)[0]))
      expect(new Set(Object.keys(body))).toEqual(changed)
      for (const [name, value] of Object.entries(body)) {
        expect(Object.hasOwn(declared, name)).toBe(true)
        losses(wlanField.member(name), live[name], value, `/${name}`)
      }
    })
  })
})

describe('the operations of a change', () => {
  test('give the record its declared values', () => {
    forAllChanges(false, (change, { live }, hidden) => {
      // A declared secret that the record lacks is sent with its field, without an operation; a hidden one is unknown.
      if (change.not_compared !== undefined || hidden.length > 0) return
      const result = patched(live, change.patch, asText)
      const after = replacing(live, change.request.body)
      const [is, wanted] = [result, asText(after)].map(value => essential(withoutDefaults(value)))
      expect(is).toEqual(wanted)
    })
  })

  test('have each declared value at its path, secrets by reference', () => {
    forAllChanges(true, (change, { live }) => {
      const result = patched(live, change.patch, shown)
      for (const operation of change.patch) {
        if (operation.op === 'test' || operation.op === 'remove') continue
        expect(at(result as Value, operation.path)).toEqual(shown(operation.value))
      }
    })
  })

  test('test each value that they replace, except secrets', () => {
    forAllChanges(true, ({ patch }, { live }) => {
      for (const [place, { op, path }] of patch.entries()) {
        const old = at(live, path)
        if (op === 'add') expect(old).toBeUndefined()
        if (op !== 'replace' || old instanceof Secret) continue
        expect(patch[place - 1]).toMatchObject({ op: 'test', path })
        expect(shown(Object(patch[place - 1]).value)).toEqual(shown(old))
      }
    })
  })

  test('are undone by their inverse, except secrets', () => {
    forAllChanges(true, ({ patch }, { live }) => {
      const secrets = patch.filter(({ path }) => at(live, path) instanceof Secret)
      const others = patch.filter(operation => !secrets.includes(operation))
      expect(inverse(secrets)).toEqual([])
      const there = patched(live, others, shown) as ValueObject
      expect(patched(there, inverse(patch), shown)).toEqual(shown(live))
    })
  })
})

describe('an equivalent declaration', () => {
  test('changes nothing, in any form', () => {
    fc.assert(
      fc.property(wlanCases({ equal: true, hidden: true }), ({ live, declared }) => {
        // A secret that live lacks is unknown, as in a response without secrets.
        const { patch } = diff(declared, live, { secretsShown: () => false })
        expect(patch).toEqual([])
      })
    )
  })

  test('leaves nothing uncompared if nothing is masked', () => {
    fc.assert(
      fc.property(wlanCases({ equal: true }), made => {
        expect(planned(made)).toMatchObject({
          status: 'unchanged',
          address: 'hq/corp',
          notCompared: []
        })
      })
    )
  })
})

test('a record has no changed paths against itself', () => {
  fc.assert(
    fc.property(wlanCases({ hidden: true }), ({ live }) => {
      expect(changedPointers(live, live)).toEqual([])
    })
  )
})

test('changed paths are in the fields of the change', () => {
  forAllChanges(false, (change, { live }) => {
    const after = replacing(live, change.request.body)
    const fields = new Set(Object.keys(change.request.body))
    for (const pointer of changedPointers(live, after)) expect(fields).toContain(steps(pointer)[0])
  })
})

// Complete plans

type Variant = 'declared' | 'gone' | 'inherited' | 'excluded'

interface PlannedFleet {
  readonly sites: readonly { readonly name: string; readonly wlans: readonly FleetWlan[] }[]
  readonly unread: readonly boolean[]
}

interface FleetWlan extends WlanCase {
  readonly variant: Variant
}

const fleets: fc.Arbitrary<PlannedFleet> = fc
  .array(
    fc.array(
      fc.tuple(
        wlanCases({ hidden: true }),
        fc.constantFrom<Variant[]>(
          'declared',
          'declared',
          'declared',
          'gone',
          'inherited',
          'excluded'
        )
      ),
      { maxLength: 3 }
    ),
    { maxLength: 3 }
  )
  .chain(sites =>
    fc.record({
      sites: fc.constant(
        sites.map((wlans, place) => ({
          name: `site-${place}`,
          wlans: wlans.map(([made, variant]) => ({ ...made, variant }))
        }))
      ),
      unread: fc.tuple(...sites.map(() => fc.integer({ max: 3, min: 0 }).map(n => n === 0)))
    })
  )

/** Plans each site; `turn` reorders every list and object. */
function planFleet({ sites, unread }: PlannedFleet, turn = 0): PlannedSite[] {
  const planned = sites.map(({ name, wlans }, place) => {
    const site = { id: nth(place), name }
    const declared = wlans.map(({ declared, variant }, nthWlan) => {
      const key = `wlan-${nthWlan}`
      const rest = variant === 'excluded' ? { excluded: true as const } : {}
      const fields = turned(declared, turn)
      return wlan({}, { key, address: `${name}/${key}`, fields, id: wlanId(nthWlan), ...rest })
    })
    const live = wlans.flatMap(({ live, variant }, nthWlan) => {
      if (variant === 'gone') return []
      const record = variant === 'inherited' ? { ...live, template_id: nth(9) } : live
      return liveOf(turned(record, turn), wlanId(nthWlan))
    })
    const unmanaged = liveOf({ ssid: 'IoT' }, nth(99))
    if (unread[place])
      return planUnread(desiredSite(declared, site), { site, reason: 'no response' })
    const found = rotated([...live, unmanaged], turn)
    return planSite(desiredSite(rotated(declared, turn), site), liveSite(found, site))
  })
  return rotated(planned, turn)
}

const wlanId = (n: number) => nth(n + 20)

function rotated<T>(list: readonly T[], turn: number): T[] {
  const by = list.length === 0 ? 0 : turn % list.length
  return [...list.slice(by), ...list.slice(0, by)]
}

/** The object with its members reordered at any depth. */
function turned(object: ValueObject, turn: number): ValueObject {
  const entries = Object.entries(object).map(
    ([name, value]) => [name, isObject(value) ? turned(value, turn) : value] as const
  )
  return Object.fromEntries(rotated(entries, turn))
}

describe('a plan', () => {
  test('contains every site and every WLAN', () => {
    fc.assert(
      fc.property(fleets, fleet => {
        const { summary, changes } = assemble(planFleet(fleet), context())
        const inRun = fleet.sites.map(({ wlans }) =>
          wlans.filter(({ variant }) => variant !== 'excluded')
        )
        const ofFailed = inRun.filter((_, place) => fleet.unread[place]).flat().length
        expect(summary.wlans).toBe(inRun.flat().length)
        expect(summary.wlans).toBe(summary.changed + summary.unchanged + summary.blocked + ofFailed)
        expect(summary.changed).toBe(changes.length)
        expect(summary.sites).toBe(fleet.sites.length)
        expect(summary.sites_failed).toBe(fleet.unread.filter(Boolean).length)
        expect(summary.unmanaged).toBe(summary.sites - summary.sites_failed)
      })
    )
  })

  test('has the same bytes for any order of its input', () => {
    fc.assert(
      fc.property(fleets, fc.integer({ min: 1, max: 5 }), (fleet, turn) => {
        const plan = assemble(planFleet(fleet), context())
        const again = assemble(planFleet(fleet, turn), context())
        expect(formatPlan(again)).toBe(formatPlan(plan))
        expect(again.digest).toBe(plan.digest)
      })
    )
  })

  test('is saved without a secret, conforms to its schema, and is read back unchanged', () => {
    fc.assert(
      fc.property(fleets, fleet => {
        const text = formatPlan(assemble(planFleet(fleet), context()))
        expect(text).not.toContain(SECRET_MARK)
        expect(text).not.toMatch(/\*{4}/)
        expect(validatePlan(JSON.parse(text)), JSON.stringify(validatePlan.errors)).toBe(true)
        expect(formatPlan(parsePlan(text, 'plan.json'))).toBe(text)
      })
    )
  })
})

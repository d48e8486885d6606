import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findingsOf, Linter, lint } from '../../../src/core/lint/lint.ts'
import type { LintWlan } from '../../../src/core/lint/view.ts'
import { Pair } from '../../../src/core/model/pairs.ts'
import { groupsBy } from '../../../src/core/values/collections.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import {
  holdsSecret,
  isList,
  isObject,
  isSameJson,
  type Value,
  type ValueObject
} from '../../../src/core/values/value.ts'
import { liveObject, SECRET_MARK } from '../../support/live-wlans.ts'
import { wlanShape } from '../../support/wlan-shapes.ts'
import { hidden, scenarios, unresolved } from './scenario.ts'

const all = { level: 'info', rules: {}, strict: false } as const

/** Rules about one WLAN, whose findings depend on no other WLAN. */
const relations = [
  'duplicate-ssid',
  'guest-in-staff-vlan',
  'open-without-login',
  'too-many-ssids',
  'same-ssid-other-security',
  'ssid-lookalike'
]

function rulesOf(wlans: readonly LintWlan[]): ReadonlySet<string> {
  const findings = lint([{ id: 'id', name: 'hq', wlans }], all)
  return new Set(findings.map(({ rule }) => rule).filter(rule => !relations.includes(rule)))
}

/** WLANs that break rules. */
const wlans: readonly LintWlan[] = Object.values(scenarios).flatMap(({ breaks }) =>
  breaks.flatMap(({ sites }) => sites.flat())
)

/** Hides leaves of a value by picks: a string or number as a variable, a secret as unknown. */
function hide(value: Value, isDeclared: boolean, pick: () => boolean): Value {
  if (value instanceof Secret) return pick() ? (isDeclared ? unresolved : hidden) : value
  if (isList(value)) return value.map(entry => hide(entry, isDeclared, pick))
  if (isObject(value)) return hideMembers(value, isDeclared, pick)
  const isHidden = (typeof value === 'string' || typeof value === 'number') && pick()
  return isHidden ? '{{unknown}}' : value
}

function hideMembers(object: ValueObject, isDeclared: boolean, pick: () => boolean): ValueObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      name === 'enabled' ? value : hide(value, isDeclared, pick)
    ])
  )
}

/** The WLAN with some of its values unknown. */
function veiled(wlan: LintWlan, pick: () => boolean): LintWlan {
  const { name, declared, live } = wlan
  return {
    name,
    declared: declared && hideMembers(declared, true, pick),
    live: live && hideMembers(live, false, pick)
  }
}

const anyWlan: Arbitrary<LintWlan> = fc.constantFrom(...wlans)

/** Decides for each leaf in order. */
const picks = fc.infiniteStream(fc.boolean()).map(stream => () => stream.next().value)

describe('an unknown value breaks no rule:', () => {
  test('with some values unknown, a WLAN breaks no further rule', () => {
    fc.assert(
      fc.property(anyWlan, picks, (wlan, pick) => {
        const known = rulesOf([wlan])
        const further = [...rulesOf([veiled(wlan, pick)])].filter(rule => !known.has(rule))
        expect(further).toEqual([])
      })
    )
  })

  test.each(wlans.map((wlan, n) => [n, wlan] as const))(
    'WLAN %i with all texts, numbers and secrets unknown',
    (_, wlan) => {
      const known = rulesOf([wlan])
      const further = [...rulesOf([veiled(wlan, () => true)])].filter(rule => !known.has(rule))
      expect(further).toEqual([])
    }
  )

  test('with some fields undeclared and no live record, a WLAN breaks no further rule', () => {
    fc.assert(
      fc.property(anyWlan, picks, (wlan, pick) => {
        const declared = { ...wlan.live, ...wlan.declared }
        const known = rulesOf([{ name: 'net', declared }])
        const fewer = rulesOf([{ name: 'net', declared: without(declared, pick) }])
        expect([...fewer].filter(rule => !known.has(rule))).toEqual([])
      })
    )
  })

  test('without declared and live values there is no finding', () => {
    expect([...rulesOf([{ name: 'net', declared: {} }])]).toEqual([])
  })
})

/** The object with fewer members; an object that would be empty, which is a value, is removed. */
function without(object: ValueObject, pick: () => boolean): ValueObject {
  const kept = Object.entries(object).filter(([name]) => name === 'enabled' || pick())
  return Object.fromEntries(
    kept.flatMap(([name, value]) => {
      const inner = isObject(value) ? without(value, pick) : value
      return isObject(inner) && Object.keys(inner).length === 0 ? [] : [[name, inner]]
    })
  )
}

describe('random records', () => {
  const records = fc.array(liveObject(wlanShape, { hidden: true }, 12), { maxLength: 4 })

  test('are linted without an error or a secret, with equal results', () => {
    fc.assert(
      fc.property(records, records, (live, declared) => {
        const fleet = [
          {
            id: 'id',
            name: 'hq',
            wlans: live.map((record, n) => ({ name: `${n}`, live: record, declared: declared[n] }))
          }
        ]
        const findings = lint(fleet, all)
        expect(lint(fleet, all)).toEqual(findings)
        expect(JSON.stringify(findings)).not.toContain(SECRET_MARK)
      })
    )
  })

  test('that are not declared have existing findings only', () => {
    fc.assert(
      fc.property(records, live => {
        const wlans = live.map((record, n) => ({ name: `${n}`, live: record }))
        const findings = lint([{ id: 'id', name: 'hq', wlans }], all)
        expect(findings.filter(({ existing }) => !existing)).toEqual([])
      })
    )
  })
})

test('WLANs of several sites with one declaration have the findings of WLANs with copies of it', () => {
  const declarations = wlans.map(({ declared, live }) => ({ ...live, ...declared }))
  const sitesOf = (copy: (declared: ValueObject) => ValueObject) =>
    ['hq', 'lab', 'shop'].map(name => {
      const at = declarations.map((each, nth) => ({ name: `wlan-${nth}`, declared: copy(each) }))
      return { id: name, name, wlans: at }
    })
  const shared = lint(
    sitesOf(declared => declared),
    all
  )
  expect(shared).toEqual(
    lint(
      sitesOf(declared => ({ ...declared })),
      all
    )
  )
  expect(new Set(shared.map(({ rule }) => rule)).size).toBeGreaterThan(50)
})

/** The findings of two WLANs, one after the other; `varying`: the fields in which they may differ, as WLANs of one pair. */
function findingsOfBoth(both: readonly LintWlan[], varying?: ReadonlySet<string>) {
  const pair = varying && new Pair(varying)
  const linter = new Linter(all)
  return both.map(wlan => {
    const found = findingsOf(linter, { id: 'id', name: 'hq', wlans: [{ ...wlan, pair }] })
    return found.map(each => JSON.stringify(each)).sort()
  })
}

/** The top-level fields in which two objects differ, or may differ. */
function differing(a: ValueObject = {}, b: ValueObject = {}): string[] {
  const isSame = (one: Value = null, other: Value = null) =>
    !holdsSecret(one) && !holdsSecret(other) && isSameJson(one, other)
  return Object.keys({ ...a, ...b }).filter(name => !isSame(a[name], b[name]))
}

test('WLANs that share what does not depend on the fields in which they differ have their own findings', () => {
  const ofKinds = groupsBy(wlans, ({ declared, live }) => [declared, live].map(isObject).join())
  for (const ofKind of ofKinds) {
    for (const [place, wlan] of ofKind.entries()) {
      const other = ofKind[(place + 7) % ofKind.length] ?? wlan
      const [declared, live] = (['declared', 'live'] as const).map(part =>
        differing(other[part], wlan[part])
      )
      const varying = new Set([declared, live].flat().filter(name => name !== undefined))
      const both = [other, wlan]
      expect(findingsOfBoth(both, varying), JSON.stringify(both)).toEqual(findingsOfBoth(both))
    }
  }
})

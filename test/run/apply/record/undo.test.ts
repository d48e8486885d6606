import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agrees } from '../../../../src/core/diff/agree.ts'
import { changedPointers } from '../../../../src/core/diff/diff.ts'
import type { Outcome } from '../../../../src/core/model/outcome.ts'
import type { WlanPlan } from '../../../../src/core/model/plan.ts'
import type { RecordedChange, RecordedRun } from '../../../../src/core/model/record.ts'
import { planWlan } from '../../../../src/core/plan/plan.ts'
import { fieldAt } from '../../../../src/core/schema/field.ts'
import { overlap } from '../../../../src/core/values/pointer.ts'
import {
  isEmpty,
  isList,
  isObject,
  type Value,
  type ValueObject,
  valueAt
} from '../../../../src/core/values/value.ts'
import { lostSecrets } from '../../../../src/run/record/restore.ts'
import { fieldsToRestore, type Undo, undoOf } from '../../../../src/run/record/undo.ts'
import { changedSince } from '../../../../src/run/record/undo-plan.ts'
import { wlanValue } from '../../../../src/service/live.ts'
import { CORP, HQ } from '../../../simulator/simulate.ts'
import { env } from '../../../support/desired.ts'
import { wlanCases } from '../../../support/wlans.ts'

describe('an undone run', () => {
  it.each([{}, { hidden: true }] as const)('restores every field but secrets (%o)', manner => {
    let [tried, reverted, blocked] = [0, 0, 0]
    fc.assert(
      fc.property(wlanCases(manner), ({ live, declared }) => {
        tried += 1
        const done = apply(live, declared)
        if (done === undefined) return
        const undo = undoing([done.recorded])
        expect(changedSince(undo, done.after)).toEqual([])
        const back = verdictOn(done.after, fieldsToRestore(undo))
        reverted += 1
        if (back.status === 'blocked') {
          expect(back.finding.code).toMatch(/^SECRET_(?:HIDDEN|LOST|MISSING)$/)
          blocked += 1
          return
        }
        const result = written(done.after, back)
        expect(leftOver(live, result, undo)).toEqual([])
        expect(verdictOn(result, fieldsToRestore(undo)).status).toBe('unchanged')
      })
    )
    expect(reverted).toBeGreaterThan(tried / 3)
    expect(blocked).toBeLessThan(reverted / 5)
  })

  it('restores the state before the first of two runs', () => {
    let [tried, reverted] = [0, 0]
    const twice = fc.tuple(wlanCases(), wlanCases())
    fc.assert(
      fc.property(twice, ([{ live, declared }, other]) => {
        tried += 1
        const first = apply(live, declared)
        const second = first && apply(first.after, other.declared)
        if (first === undefined || second === undefined) return
        const undo = undoing([first.recorded], [second.recorded])
        expect(changedSince(undo, second.after)).toEqual([])
        const back = verdictOn(second.after, fieldsToRestore(undo))
        if (back.status === 'blocked') return
        expect(leftOver(live, written(second.after, back), undo)).toEqual([])
        reverted += 1
      })
    )
    expect(reverted).toBeGreaterThan(tried / 6)
  })
})

const live = {
  ssid: 'Corp',
  vlan_id: 20,
  auth: { type: 'psk', psk: 'old-passphrase' },
  auth_servers: [
    { host: 'a', port: 1812, secret: 'one' },
    { host: 'b', secret: 'two' }
  ]
}

describe('the fields to declare', () => {
  it.each<[string, ValueObject, ValueObject]>([
    ['a changed value is restored', { vlan_id: 30 }, { vlan_id: 20 }],
    ['a new field is removed', { hide_ssid: true }, { hide_ssid: null }],
    ['a new object is removed', { portal: { enabled: true } }, { portal: null }],
    ['a removed member is restored', { auth: { type: 'open' } }, { auth: { type: 'psk' } }],
    ['a new member is removed', { auth: { owe: 'enabled' } }, { auth: { owe: null } }],
    ['a secret is left alone', { auth: { psk: env('A', 'new-passphrase') } }, {}],
    [
      'a removed secret is left alone, too',
      { auth: { type: 'open', psk: null } },
      { auth: { type: 'psk' } }
    ],
    [
      'a list is restored without its secrets, and new members of its elements are removed',
      {
        auth_servers: [
          { host: 'b', port: 1 },
          { host: 'c', secret: env('C', 'three') }
        ]
      },
      {
        auth_servers: [
          { host: 'a', port: 1812 },
          { host: 'b', port: null }
        ]
      }
    ]
  ])('%s', (_, declared, expected) => {
    const done = applied(value(live), declared)
    expect(fieldsToRestore(undoing([done.recorded]))).toEqual(expected)
  })

  it('are empty if nothing was written', () => {
    for (const status of ['unchanged', 'stale', 'failed', 'skipped'] as const) {
      const { recorded } = applied(value(live), { vlan_id: 30 })
      expect(undoOf([run({ ...recorded, outcome: { ...recorded.outcome, status } })])).toEqual([])
    }
  })

  it('are those of the last foreign edit between two runs', () => {
    const first = applied(value(live), { vlan_id: 30 })
    const edited = { ...first.after, vlan_id: 31 }
    const second = applied(edited, { vlan_id: 40 })
    const undo = undoing([first.recorded], [second.recorded])
    expect(fieldsToRestore(undo)).toEqual({ vlan_id: 31 })
  })

  it('include later edits inside an object that is restored', () => {
    const first = applied(value(live), { portal: { enabled: true, expire: 60 } })
    const second = applied(first.after, { portal: { expire: 90 } })
    const undo = undoing([first.recorded], [second.recorded])
    expect(fieldsToRestore(undo)).toEqual({ portal: null })
    expect(changedSince(undo, second.after)).toEqual([])
    expect(changedSince(undo, first.after)).toEqual(['/portal'])
  })

  it('are distinguished by WLAN if two of them had the same address', () => {
    const one = applied(value(live), { vlan_id: 30 }).recorded
    const wlan = { ...one.change.wlan, id: CORP.replace('7d6f1c5e', '8d6f1c5e') }
    const other = { ...one, change: { ...one.change, wlan } }
    const addresses = undoOf([run(one), run(other)]).map(({ address }) => address)
    expect(new Set(addresses).size).toBe(2)
  })
})

describe('a foreign edit since the run', () => {
  const declared = { vlan_id: 30, portal: { enabled: true }, hide_ssid: true }

  it.each<[string, ValueObject, readonly string[]]>([
    ['nothing', {}, []],
    ['a field next to them', { dtim: 3 }, []],
    ['one of them', { vlan_id: 31 }, ['/vlan_id']],
    ['one of them, to its former value', { vlan_id: '20' }, []],
    ['one of them is removed', { hide_ssid: null }, []],
    ['a member of a declared object', { portal: { enabled: true, expire: 5 } }, ['/portal']],
    ['two of them', { vlan_id: 1, portal: { enabled: false } }, ['/portal', '/vlan_id']]
  ])('%s', (_, edited, expected) => {
    const { recorded, after } = applied(value(live), declared)
    expect(changedSince(undoing([recorded]), { ...after, ...edited })).toEqual(expected)
  })

  it('does not include fields that the service changed with the update', () => {
    const done = applied(value(live), declared, { side_effects: ['/portal/expire'] })
    const found = { ...done.after, portal: { enabled: true, expire: 480 } }
    expect(changedSince(undoing([done.recorded]), found)).toEqual([])
  })

  it('does not include defaults that an update of their object sent', () => {
    const first = applied(value({ ...live, radsec: null }), { radsec: { use_mxedge: false } })
    const declared = { radsec: { server_name: 'radius.example', use_site_mxedge: false } }
    const second = applied(first.after, declared)
    const undo = undoing([first.recorded], [second.recorded])
    expect(changedSince(undo, second.after)).toEqual([])
    const edited = { ...second.after, radsec: { server_name: 'x', use_site_mxedge: true } }
    expect(changedSince(undo, edited)).toEqual(['/radsec'])
  })

  it('does not include the form in which the service stored the update', () => {
    const fields = [{ pointer: '/vlan_id', before: 20, wanted: 30, found: 29 }]
    const done = applied(value(live), declared, { status: 'diverged', fields })
    const undo = undoing([done.recorded])
    expect(changedSince(undo, { ...done.after, vlan_id: 29 })).toEqual([])
    expect(changedSince(undo, { ...done.after, vlan_id: 28 })).toEqual(['/vlan_id'])
  })
})

describe('a lost secret', () => {
  it.each<[string, ValueObject, readonly string[]]>([
    ['none, where it is the same', { vlan_id: 1, auth: { psk: env('A', 'old-passphrase') } }, []],
    ['one that is replaced', { auth: { psk: env('A', 'new-passphrase') } }, ['/auth/psk']],
    ['one that is removed', { auth: { type: 'open', psk: null } }, ['/auth/psk']],
    ['none, if it is sent unchanged', { auth: { type: 'open' } }, []],
    [
      'those of removed servers, and not those of new ones',
      { auth_servers: [{ host: 'c', secret: env('C', 'three') }, { host: 'b' }] },
      ['/auth_servers/0/secret']
    ],
    [
      'that of a server that gets another',
      { auth_servers: [{ host: 'a' }, { host: 'b', secret: env('B', 'three') }] },
      ['/auth_servers/1/secret']
    ]
  ])('%s', (_, declared, expected) => {
    expect(applied(value(live), declared).recorded.lostSecrets).toEqual(expected)
  })

  it('counts if the service hides secrets', () => {
    const hidden = value({ ...live, auth: { type: 'open', psk: '********' } })
    const { recorded } = applied(hidden, { auth: { type: 'psk', psk: env('A', 'passphrase') } })
    expect(recorded.lostSecrets).toEqual(['/auth/psk'])
  })
})

const site = { id: HQ, name: 'hq' }
const place = { file: 'hq.yaml', line: 1, column: 1 }

interface Done {
  readonly recorded: RecordedChange
  readonly after: ValueObject
}

/** Applies and records a declaration, on a service that stores it unchanged. */
function apply(
  before: ValueObject,
  declared: ValueObject,
  outcome: Partial<Outcome> = {}
): Done | undefined {
  const verdict = verdictOn(before, declared)
  if (verdict.status !== 'changed') return undefined
  const { change } = verdict
  const defaults = { address: 'hq/corp' }
  const recorded: RecordedChange = {
    change: JSON.parse(JSON.stringify(change)),
    lostSecrets: lostSecrets(before, change.request.body),
    outcome: { status: 'applied', ...defaults, ...outcome },
    timeline: [],
    line: 2
  }
  return { recorded, after: written(before, verdict) }
}

function applied(...args: Parameters<typeof apply>): Done {
  const done = apply(...args)
  if (done === undefined) throw new Error('there is nothing to apply')
  return done
}

function verdictOn(record: ValueObject, fields: ValueObject): WlanPlan {
  const wlan = { address: 'hq/corp', key: 'corp', fields, place, file: place.file }
  return planWlan(site, wlan, { id: CORP, ssid: 'Corp', record, readAt: 0 })
}

/** The record after the update: sent fields are replaced completely. */
function written(record: ValueObject, verdict: WlanPlan): ValueObject {
  return verdict.status === 'changed' ? { ...record, ...verdict.change.request.body } : record
}

function run(...changes: readonly RecordedChange[]): RecordedRun {
  const at = '2026-11-20T10:00:00.000Z'
  return { id: '0', command: 'apply', tool: 't', baseUrl: '', digest: '', started: at, changes }
}

/** The result of undoing these runs, which are all about one WLAN. */
function undoing(...runs: readonly (readonly RecordedChange[])[]): Undo {
  const [undo, ...others] = undoOf(runs.map(changes => run(...changes)))
  if (undo === undefined || others.length > 0) throw new Error(`${others.length} others`)
  return undo
}

/** The differences between two records, except for secrets that cannot be restored. */
function leftOver(before: ValueObject, after: ValueObject, { lostSecrets: lost }: Undo): string[] {
  // An absent value equals the documented default.
  const same = (a: ValueObject, b: ValueObject, at: string) =>
    agrees(fieldAt(at), valueAt(a, at), valueAt(b, at) ?? null, at, { notCompared: [] })
  const isBack = (at: string) => same(after, before, at) || same(before, after, at)
  return changedPointers(full(before), full(after)).filter(
    at => !isBack(at) && !lost.some(pointer => overlap(pointer, at))
  )
}

/** The object without empty values, at any depth. */
function full(object: ValueObject): ValueObject {
  const entries = Object.entries(object).map(([name, inner]) => [name, fullValue(inner)] as const)
  return Object.fromEntries(entries.filter(([, inner]) => !isEmpty(inner)))
}

function fullValue(inner: Value): Value {
  if (isList(inner)) return inner.map(fullValue)
  return isObject(inner) ? full(inner) : inner
}

function value(json: unknown): ValueObject {
  return wlanValue(json) as ValueObject
}

import { expect, it } from 'vitest'
import { Auditor } from '../../src/core/audit/auditor.ts'
import type { DesiredSite } from '../../src/core/model/desired.ts'
import type { LiveSite } from '../../src/core/model/live.ts'
import { siteChanges } from '../../src/core/plan/estate-diff.ts'
import { planSite } from '../../src/core/plan/plan.ts'
import { compareUndeclared } from '../../src/core/plan/undeclared/undeclared-drift.ts'
import { child, type Pointer } from '../../src/core/values/pointer.ts'
import { Secret } from '../../src/core/values/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../../src/core/values/value.ts'
import { membersOf, type Shape, wlanShape } from '../support/wlan-shapes.ts'

const site = { id: '4ac1dcf4-9d8b-4211-95c4-057819f0862b', name: 'hq' }
const place = { file: 'hq.yaml', line: 1, column: 1 }

/** A value that throws when it is converted to a string or a number. */
const inconvertible = { toString: 'x', valueOf: null } as unknown as ValueObject

/** A record with every field of the schema. */
const full = completeValue(wlanShape) as ValueObject

function completeValue(shape: Shape): Value {
  if (shape.field.secret && shape.kind !== 'list') return Secret.live('live-passphrase')
  switch (shape.kind) {
    case 'object':
      return Object.fromEntries(
        [...membersOf(shape)].map(([name, member]) => [name, completeValue(member)])
      )
    case 'map':
      return { a: completeValue(shape.each) }
    case 'list':
      return [completeValue(shape.each)]
    case 'boolean':
      return true
    case 'number':
      return 10
    case 'text':
      return shape.choices[0] ?? 'alpha'
  }
}

function pointersIn(value: Value, at: Pointer = ''): Pointer[] {
  const members = isList(value)
    ? [...value.entries()]
    : isObject(value)
      ? Object.entries(value)
      : []
  return [at, ...members.flatMap(([name, each]) => pointersIn(each, child(at, name)))]
}

function replaced(whole: Value, at: Pointer, value: Value, here: Pointer = ''): Value {
  if (at === here) return value
  if (isList(whole)) return whole.map((each, n) => replaced(each, at, value, child(here, n)))
  if (!isObject(whole)) return whole
  const members = Object.entries(whole)
  return Object.fromEntries(
    members.map(([name, each]) => [name, replaced(each, at, value, child(here, name))])
  )
}

const names = ['Corp', 'Guest']

function stateOf(...records: readonly ValueObject[]): LiveSite {
  const wlans = names.map((ssid, n) => {
    const id = `7d6f1c5e-0000-4000-8000-00000000000${n}`
    return { id, ssid, record: records[n] ?? {}, readAt: 0 }
  })
  return { site, wlans }
}

function desired(fields: ValueObject): DesiredSite {
  const wlans = names.map(ssid => {
    const [address, key] = [`hq/${ssid}`, ssid]
    return { address, key, fields: { ...fields, ssid }, place, file: place.file }
  })
  return { ...site, wlans }
}

it('no field of the service breaks a plan, drift, an audit or a diff by its members', () => {
  const clean = stateOf(full, full)
  const declared = desired(full)
  const pointers = pointersIn(full).slice(1)
  expect(pointers.length).toBeGreaterThan(300)
  // Some at a time, far from one another, so that each stays in use.
  const rounds = Math.ceil(pointers.length / 6)
  for (let round = 0; round < rounds; round += 1) {
    const chosen = pointers.filter((_, n) => n % rounds === round)
    const records = [inconvertible, [inconvertible]].map(value =>
      chosen.reduce<Value>((record, at) => replaced(record, at, value), full)
    )
    const live = stateOf(...records.filter(isObject))
    planSite(declared, live)
    compareUndeclared(desired({}), live, { unwatched: 'drift' }, { created: '', live: clean })
    siteChanges(clean, live)
    siteChanges(live, clean)
    siteChanges(live, undefined)
    const auditor = new Auditor()
    auditor.add(live)
    auditor.result({ baseUrl: '', requests: 0, unread: [] })
  }
  // The flags for V8 of a large fleet stay in the process of the tests: there it takes ten times as long as alone.
}, 180_000)

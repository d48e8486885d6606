import type { EstateDiff, StateChange } from '../core/model/estate-diff.ts'
import type { PatchOperation } from '../core/model/plan.ts'
import { compact } from '../core/values/collections.ts'
import type { Pointer } from '../core/values/pointer.ts'
import { Secret } from '../core/values/secret.ts'
import { mapValue, type Value } from '../core/values/value.ts'
import { ruleData } from './audit.ts'
import { overviewFormats } from './formats.ts'
import { diffOverview } from './overview/diff.ts'

export const diffFormats = overviewFormats(diffOverview, diffData)

function diffData(diff: EstateDiff) {
  const { states, compared, appeared, disappeared, renamed, unread, rules } = diff
  const [before, after] = states.map(({ name, created }) => ({ state: name, created }))
  return {
    format: 'wlanctl-diff/1',
    before,
    after,
    sites: {
      compared,
      appeared: appeared.map(({ name }) => name),
      disappeared: disappeared.map(({ name }) => name),
      renamed,
      unread: unread.map(({ site, reason }) => ({ site: site.name, reason }))
    },
    changes: diff.changes.flatMap(changeData),
    rules: rules.map(ruleData)
  }
}

/** The fields of a change, or the whole WLAN with the pointer `''`. */
function changeData(change: StateChange): unknown[] {
  const { kind, address, site, wlan } = change
  const names = { kind, site: site.name, ssid: wlan.ssid, address }
  const ids = { site_id: site.id, wlan_id: wlan.id }
  if (change.kind !== 'changed') {
    const { network } = change
    return [{ ...names, pointer: '', network, ...(kind === 'removed' && OUTAGE), ...ids }]
  }
  const { impact, impact_fields: fields, downgrades = [], patch } = change
  return fieldChanges(patch).map(({ pointer, before, after }) => ({
    ...names,
    pointer,
    ...(impact && (fields?.includes(pointer) ?? true) && { impact }),
    ...ids,
    ...compact({ before, after }),
    ...(downgrades.includes(pointer) && { downgrade: true })
  }))
}

const OUTAGE = { impact: 'outage' } as const

/** The fields of a patch, in its order; an absent value is undefined. A patch does not test the value of a secret. */
function fieldChanges(patch: readonly PatchOperation[]) {
  const tests = new Map<Pointer, Value>()
  for (const step of patch) if (step.op === 'test') tests.set(step.path, step.value)
  return patch.flatMap(step => {
    if (step.op === 'test') return []
    const tested = tests.has(step.path) ? readable(tests.get(step.path)) : SECRET
    const before = step.op === 'add' ? undefined : tested
    const after = step.op === 'remove' ? undefined : readable(step.value)
    return [{ pointer: step.path, before, after }]
  })
}

const SECRET = '(secret)'

/** A value for JSON; undefined for null. */
function readable(value: Value | undefined): unknown {
  if (value === undefined || value === null) return undefined
  return mapValue(value, each => (each instanceof Secret ? SECRET : undefined))
}

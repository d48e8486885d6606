import { agrees, type Comparison } from '../../core/diff/agree.ts'
import { shownState } from '../../core/diff/secret-states.ts'
import type { Wave } from '../../core/model/desired.ts'
import type { LiveWlan } from '../../core/model/live.ts'
import type { FieldOutcome, Outcome } from '../../core/model/outcome.ts'
import {
  type Change,
  changeKey,
  type PatchOperation,
  type Plan,
  type PlannedChange,
  type SecretReferences,
  type WlanPlan
} from '../../core/model/plan.ts'
import { operationsOf } from '../../core/plan/digest.ts'
import { effectsShown, escalationReason } from '../../core/plan/effects/escalation.ts'
import { fieldAt } from '../../core/schema/field.ts'
import { byCodeUnit, groupBy } from '../../core/values/collections.ts'
import { isAtOrBelow, type Pointer } from '../../core/values/pointer.ts'
import { isSameButSecrets, isSameJson, type Value, valueAt } from '../../core/values/value.ts'
import { withUnknownSecrets } from '../../files/redacted-secrets.ts'
import { fieldOutcome, outcome } from './outcome.ts'

export interface Approval {
  /** The changes to execute: the plans show each of their operations. */
  readonly approved: readonly PlannedChange[]
  /** The outcomes of all others, and of approved changes that are no longer planned. */
  readonly decided: readonly Outcome[]
}

export type ShownPlan = Pick<Plan, 'changes' | 'not_compared' | 'rollout'>

/** Returns true if the secret that an approved change sends at this pointer is live. */
export type HasSecret = (change: Change, pointer: Pointer, live: LiveWlan) => boolean

/**
 * Compares the planned changes with saved plans, such as those of pull requests that one push merged. The files only
 * approve: they cannot execute a change that the fleet and the live state do not require, nor in another form.
 *
 * | planned now | in the files                                         | result      |
 * |-------------|------------------------------------------------------|-------------|
 * | yes         | each operation, in one of them                       | executed    |
 * | yes         | each operation, but they show less impact, or fewer downgrades | `stale` |
 * | yes         | each operation, but a site in another wave           | `stale`     |
 * | yes         | a different change                                   | `stale`     |
 * | yes         | no change of the WLAN                                | `skipped`   |
 * | no          | yes, and one of them is live                         | `unchanged` |
 * | no          | yes                                                  | `skipped`, with the code of what blocks the WLAN, if anything does |
 *
 * `live` contains the WLANs of approved changes that were read, by id in lower case. The files contain secrets only
 * as references, so `hasSecret` decides whether a secret is live; by default none is.
 */
export function approve(
  plannedNow: readonly PlannedChange[],
  files: readonly ShownPlan[],
  live: ReadonlyMap<string, LiveWlan>,
  { rollout, hasSecret, wlanPlans = [] }: ApprovalContext = {}
): Approval {
  const lookup = shownBy(files, wavesOf(rollout))
  const judged = plannedNow.map(planned => ({
    planned,
    refusal: refusalOf(planned, lookup(planned.change))
  }))
  const known = new Set(plannedNow.flatMap(({ change }) => [changeKey(change), change.address]))
  const saved = files.flatMap(({ changes }) => changes)
  const gone = saved.filter(change => !known.has(changeKey(change)) && !known.has(change.address))
  const obstacles = new Map(
    wlanPlans.flatMap((wlanPlan): [address: string, reason: string][] => {
      if (wlanPlan.status === 'unread') return [[wlanPlan.address, 'its site was not read']]
      return wlanPlan.status === 'blocked' ? [[wlanPlan.address, wlanPlan.finding.code]] : []
    })
  )
  const isLive = (change: Change) => {
    const found = live.get(change.wlan.id.toLowerCase())
    return found !== undefined && hasApprovedValues(change, found, hasSecret)
  }
  return {
    approved: judged.flatMap(({ planned, refusal }) => (refusal ? [] : planned)),
    decided: [
      ...judged.flatMap(({ refusal }) => refusal ?? []),
      ...[...groupBy(gone, ({ address }) => address)].map(([address, changes]) =>
        changes.some(isLive)
          ? outcome({ address }, 'unchanged')
          : outcome({ address }, 'skipped', { reason: obstacles.get(address) ?? GONE })
      )
    ]
  }
}

interface ApprovalContext {
  readonly rollout?: readonly Wave[] | undefined
  readonly hasSecret?: HasSecret | undefined
  readonly wlanPlans?: readonly WlanPlan[]
}

function shownBy(
  files: readonly ShownPlan[],
  waves: ReadonlyMap<string, string>
): (now: Change) => readonly ShownWlan[] {
  const lookups = files.map(file => {
    const approvedWaves = wavesOf(file.rollout)
    const changes = groupBy(file.changes, changeKey)
    const open = new Map(file.not_compared.map(each => [each.address, each.references]))
    return (now: Change): ShownWlan[] => {
      const isMoved = (name: string) => waves.get(now.site.name) !== approvedWaves.get(name)
      const key = changeKey(now)
      const references = changes.has(key) ? undefined : open.get(now.address)
      return [
        ...(changes.get(key) ?? []).map(change => ({
          ...{ change, references: change.references ?? {} },
          isMoved: isMoved(change.site.name)
        })),
        ...(references ? [{ references, isMoved: isMoved(now.site.name) }] : [])
      ]
    }
  })
  return now => lookups.flatMap(lookup => lookup(now))
}

/** By site, the name of its wave and of all before it: approval covers the order of the waves. */
function wavesOf(rollout: readonly Wave[] = []): ReadonlyMap<string, string> {
  const names = rollout.map(({ name }) => name ?? null)
  return new Map(
    rollout.flatMap(({ sites }, index) => {
      const path = JSON.stringify(names.slice(0, index + 1))
      return sites.map(site => [site, path] as const)
    })
  )
}

const GONE = 'the fleet no longer requires this change'
const NOT_SHOWN = 'no approved plan has this change'
const DIFFERENT = 'it is not the approved change: plan again'
const MOVED = 'its site is in another wave than the approved one: plan again'

/** The outcome of a change that the plans do not approve; undefined if they do. */
function refusalOf(planned: PlannedChange, shown: readonly ShownWlan[]): Outcome | undefined {
  const { change } = planned
  const pointers = pointersToApprove(change)
  const lacking = (plans: readonly ShownWlan[]) =>
    pointers.filter(pointer => !plans.some(each => isShown(pointer, change, each)))
  const missing = lacking(shown)
  if (missing.length > 0 && shown.every(each => each.change === undefined)) {
    return outcome(change, 'skipped', { reason: NOT_SHOWN })
  }
  if (missing.length > 0) {
    const fields = missing.sort(byCodeUnit).map(pointer => differing(pointer, planned, shown))
    return outcome(change, 'stale', { reason: DIFFERENT, fields })
  }
  const inWave = shown.filter(each => !each.isMoved)
  if (lacking(inWave).length > 0) return outcome(change, 'stale', { reason: MOVED })
  const plans = inWave.filter(each => pointers.some(pointer => isShown(pointer, change, each)))
  const unknown = Object.keys(change.secrets ?? {}).filter(at =>
    plans.some(each => stateIn(each, at) === 'unknown')
  )
  const isOpen = (at: Pointer) => plans.some(each => sendsOnlyShownSecrets(at, change, each))
  const effects = effectsShown(planned, unknown, isOpen)
  const approved = plans.flatMap(each => each.change ?? [])
  const reason = escalationReason(effects, approved, planned.live.record)
  return reason === undefined ? undefined : outcome(change, 'stale', { reason })
}

/** The live value of a field that is not approved, with the values that the plans and the files give it. */
function differing(
  pointer: Pointer,
  { change, live }: PlannedChange,
  shown: readonly ShownWlan[]
): FieldOutcome {
  const approved = shown
    .map(each => each.change && valuesAt(pointer, each.change.patch)[0])
    .find(value => value !== undefined)
  const [, wanted] = valuesAt(pointer, change.patch)
  return {
    ...fieldOutcome(pointer, { found: live.record }),
    ...(approved !== undefined && { before: approved }),
    ...(wanted !== undefined && { wanted })
  }
}

function hasApprovedValues(change: Change, live: LiveWlan, hasSecret?: HasSecret): boolean {
  const comparison: Comparison = { notCompared: [] }
  const agreeing = change.patch.every(operation => {
    if (operation.op !== 'add' && operation.op !== 'replace') return true
    const { path, value } = operation
    const found = valueAt(live.record, path)
    return agrees(fieldAt(path), found, withUnknownSecrets(value), path, comparison)
  })
  return agreeing && comparison.notCompared.every(pointer => hasSecret?.(change, pointer, live))
}

interface ShownWlan {
  /** Absent if the WLAN has only secrets that the plan could not compare. */
  readonly change?: Change
  /** The references of the secrets that the plan could not compare. */
  readonly references: SecretReferences
  readonly isMoved: boolean
}

/**
 * The pointers that need an approval: of each operation, and of each secret that is sent along and
 * is not known to be equal to the live one.
 */
function pointersToApprove({ patch, secrets = {} }: Change): Pointer[] {
  const paths = new Set(patch.map(({ path }) => path))
  const others = Object.entries(secrets).flatMap(([at, state]) =>
    state === 'same' || [...paths].some(path => isAtOrBelow(at, path)) ? [] : at
  )
  return [...paths, ...others]
}

/**
 * True if a saved plan shows the operation at this pointer, with the same value before and after and the same states of
 * secrets. It approves a secret that it could not compare by its reference, whatever its state is now.
 */
function isShown(pointer: Pointer, change: Change, shown: ShownWlan): boolean {
  const pointers = Object.keys({ ...change.secrets, ...shown.change?.secrets })
  const secrets = [...new Set([...pointers, ...Object.keys(shown.references)])]
  if (!secrets.every(at => !isAtOrBelow(at, pointer) || isStateShown(at, change, shown)))
    return false
  if (!change.patch.some(({ path }) => path === pointer)) return true
  const operations = operationsAt(pointer, change)
  return (
    (shown.change !== undefined && operations === operationsAt(pointer, shown.change)) ||
    sendsOnlyShownSecrets(pointer, change, shown)
  )
}

function operationsAt(pointer: Pointer, { patch }: Change): string {
  return JSON.stringify(operationsOf(patch).filter(([at]) => isAtOrBelow(at, pointer)))
}

function stateIn({ change, references }: ShownWlan, pointer: Pointer) {
  return Object.hasOwn(references, pointer) ? 'unknown' : change && shownState(change, pointer)
}

function isStateShown(pointer: Pointer, change: Change, shown: ShownWlan): boolean {
  const now = shownState(change, pointer)
  const then = stateIn(shown, pointer)
  if (then === now && now !== 'unknown') return true
  if (then !== now && (now === 'rotates' || (then !== 'unknown' && then !== 'rotates')))
    return false
  const sent = valueAt(change.request.body, pointer)
  return sent === undefined || isSameJson(sent, referenceIn(shown, pointer))
}

function referenceIn({ change, references }: ShownWlan, pointer: Pointer): Value | undefined {
  if (Object.hasOwn(references, pointer)) return references[pointer]
  return change && valueAt(change.request.body, pointer)
}

/** True if the operation only sends uncompared secrets, with their references; the rest is live already. */
function sendsOnlyShownSecrets(
  path: Pointer,
  { patch, secrets = {}, request }: Change,
  { references }: ShownWlan
): boolean {
  const sent = Object.entries(secrets).flatMap(([at, state]) =>
    state !== 'same' && state !== 'unknown' && isAtOrBelow(at, path) ? at : []
  )
  const [before, after] = valuesAt(path, patch)
  return (
    after !== undefined &&
    sent.length > 0 &&
    sent.every(
      at => Object.hasOwn(references, at) && isSameJson(valueAt(request.body, at), references[at])
    ) &&
    (sent[0] === path || isSameButSecrets(before, after))
  )
}

function valuesAt(pointer: Pointer, patch: readonly PatchOperation[]) {
  const at = patch.flatMap(each => (each.path === pointer && 'value' in each ? [each] : []))
  const before = at.find(({ op }) => op === 'test')
  const after = at.find(({ op }) => op !== 'test')
  return [before?.value, after?.value] as const
}

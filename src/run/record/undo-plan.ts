import { agrees } from '../../core/diff/agree.ts'
import { changedPointers, diff } from '../../core/diff/diff.ts'
import type { DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import { aboutWlan, type Finding, finding } from '../../core/model/finding.ts'
import type { LiveSite } from '../../core/model/live.ts'
import type { PlannedSite, WlanPlan } from '../../core/model/plan.ts'
import { planSite } from '../../core/plan/plan.ts'
import { type Field, fieldAt } from '../../core/schema/field.ts'
import { byCodeUnit, groupsBy, objectOf, sortBy } from '../../core/values/collections.ts'
import { withValueAt } from '../../core/values/draft.ts'
import { isAtOrBelow, type Pointer } from '../../core/values/pointer.ts'
import { isServiceVariable, Secret } from '../../core/values/secret.ts'
import {
  isList,
  isObject,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../../core/values/value.ts'
import { fieldsToRestore, type Undo } from './undo.ts'

export function wlanKeyOf({ address, site }: Pick<Undo, 'address' | 'site'>): string {
  return address.slice(site.name.length + 1)
}

export function restoredSites(undos: readonly Undo[], file: string): DesiredSite[] {
  const sites = groupsBy(undos, ({ site }) => site.id.toLowerCase()).flatMap(own => {
    const [first] = own
    return first ? { ...first.site, wlans: own.map(undo => declaredWlan(undo, file)) } : []
  })
  return sortBy(sites, ({ name }) => name)
}

export function declaredWlan(undo: Omit<Undo, 'changedAt'>, file: string): DesiredWlan {
  const place = { file, line: undo.line, column: 1 }
  return {
    address: undo.address,
    key: wlanKeyOf(undo),
    id: undo.wlanId,
    fields: fieldsToRestore(undo),
    file: place.file,
    place
  }
}

export function undoFindings(
  { address, lostSecrets, sideEffects, line }: Omit<Undo, 'changedAt'>,
  file: string
): Finding[] {
  const where = aboutWlan({ address, place: { file, line, column: 1 } })
  return [
    ...(lostSecrets.length === 0 ? [] : [finding('SECRET_NOT_RESTORED', where, lostSecrets)]),
    ...(sideEffects.length === 0 ? [] : [finding('SIDE_EFFECT_STAYS', where, sideEffects)])
  ]
}

/** Plans a site like any other, but blocks WLANs with fields that changed since the run. */
export function planUndo(
  site: DesiredSite,
  live: LiveSite,
  undone: ReadonlyMap<string, Undo>
): PlannedSite {
  const planned = planSite(site, live)
  const blockedIfChanged = (verdict: WlanPlan): WlanPlan => {
    const undo = undone.get(verdict.address)
    if (verdict.status !== 'changed' || undo === undefined) return verdict
    const fields = changedSince(undo, verdict.live.record)
    if (fields.length === 0) return verdict
    const reason = finding('CHANGED_SINCE', aboutWlan(verdict.desired), fields)
    return { status: 'blocked', address: verdict.address, finding: reason }
  }
  return { ...planned, wlanPlans: planned.wlanPlans.map(blockedIfChanged) }
}

/** The fields that have neither the value after the runs nor the value before them, sorted. */
export function changedSince(undo: Undo, live: ValueObject): Pointer[] {
  const { fields } = undo
  return [...fields]
    .filter(([pointer, field]) => {
      const restored = fieldsToRestore({ fields: new Map([[pointer, field]]) })
      if (diff(restored, live).patch.length === 0) return false
      const left = 'found' in field ? [field.after, field.found] : [field.after]
      const ignored = addedByService(pointer, field.before, undo.sideEffects)
      return !left.some(value => isUnchanged(pointer, value, live, ignored))
    })
    .map(([pointer]) => pointer)
    .sort(byCodeUnit)
}

/** The service filled in absent members. A record is not trusted: other side effects count. */
function addedByService(
  pointer: Pointer,
  before: Value | undefined,
  sideEffects: readonly Pointer[]
): Pointer[] {
  return sideEffects.filter(
    at =>
      at.startsWith(`${pointer}/`) &&
      (before === undefined || valueAt(before, at.slice(pointer.length)) === undefined)
  )
}

/** True if the live field has the value after the runs; ignores secrets, since a record contains none. */
function isUnchanged(
  pointer: Pointer,
  value: Value | undefined,
  live: ValueObject,
  ignored: readonly Pointer[]
): boolean {
  const field = fieldAt(pointer)
  const left = withoutSecrets(field, value)
  const found = withoutSecrets(field, valueAt(live, pointer))
  const holding = (each: Value | undefined) => withValueAt({}, pointer, each ?? null)
  const [before, after] = [holding(left), holding(found)]
  const others = changedPointers(before, after).filter(
    at => !ignored.some(each => isAtOrBelow(at, each))
  )
  return agrees(field, found, left ?? null) && others.length === 0
}

function withoutSecrets(field: Field, value: Value | undefined): Value | undefined {
  if (value instanceof Secret) return undefined
  if (isList(value)) {
    if (field.item().secret) return value.every(isServiceVariable) ? value : undefined
    return value.map(element => withoutSecrets(field.item(), element) ?? null)
  }
  if (!isObject(value)) return field.secret && !isServiceVariable(value) ? undefined : value
  return objectOf(Object.keys(value), name =>
    withoutSecrets(field.member(name), member(value, name))
  )
}

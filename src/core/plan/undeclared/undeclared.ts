import type { DesiredSite, Policy } from '../../model/desired.ts'
import { type Finding, finding } from '../../model/finding.ts'
import { isInherited, type LiveWlan, templateOf } from '../../model/live.ts'
import { noting, type Pair, resultsOf } from '../../model/pairs.ts'
import { countUnwatched, type Plan, type Unmanaged, type Unwatched } from '../../model/plan.ts'
import { fieldIn } from '../../schema/field.ts'
import {
  type GuardField,
  guards,
  isHeld,
  readOver,
  UsedFields,
  valueAtPath
} from '../../schema/in-use.ts'
import { isDeclarable } from '../../schema/validate.ts'
import { compact, getOrInsert, sortBy } from '../../values/collections.ts'
import { above, fieldNames, type Pointer } from '../../values/pointer.ts'
import { truncate } from '../../values/text.ts'
import {
  holdsSecret,
  isEmpty,
  isList,
  member,
  type ValueObject,
  valueAt,
  valueText
} from '../../values/value.ts'
import { type UndeclaredChange, undeclaredChanges } from './undeclared-changes.ts'

/**
 * The fields of a live WLAN that are not watched: the guard fields that its declaration lacks, in the order of
 * the schema, and the undeclared fields that are not at their default. A field without an effect, such as in a
 * block that is switched off, needs no declaration; nor does an absent field whose absence cannot be declared.
 */
export function unwatchedFields(
  declared: ValueObject,
  live: ValueObject,
  notDefault: readonly UndeclaredChange[] = undeclaredChanges(declared, live),
  pair?: Pair
): readonly Pointer[] {
  const parts = () => (pair?.varying ? guards().map(guard => [guard]) : [guards()])
  const guarded = resultsOf(pair, unwatchedFields, parts, (of, reads) =>
    unwatchedGuards(noting(declared, reads), noting(live, reads), of)
  )
  const others = notDefault.map(({ pointer }) => pointer).filter(at => !guarded.includes(at))
  return [...guarded, ...others].slice(0, MAX_FIELDS)
}

export const SECRET_VALUE = 'secrets are never adopted'
export const NOT_DECLARABLE = 'the schema does not allow the live value'

/** Why `adopt` does not declare the live value of an undeclared field; undefined if it does. */
export function whyNotAdopted(
  pointer: Pointer,
  declared: ValueObject,
  live: ValueObject
): string | undefined {
  if (above(pointer).some(at => isList(valueAt(declared, at))))
    return 'it belongs to an element of a list: edit it manually'
  const value = valueAt(live, pointer)
  if (value === undefined || isEmpty(value)) return undefined
  if (holdsSecret(value)) return SECRET_VALUE
  return isDeclarable(pointer, value) ? undefined : NOT_DECLARABLE
}

const MAX_FIELDS = 1000

function unwatchedGuards(
  declared: ValueObject,
  live: ValueObject,
  of: readonly GuardField[] = guards()
): Pointer[] {
  const undeclared = of.filter(({ path }) => !isHeld(declared, path))
  if (undeclared.length === 0) return []
  const declarable = undeclared.filter(
    ({ path, block, field }) =>
      fieldIn(field, valueAtPath(live, block)).whenAbsent !== undefined ||
      !isEmpty(valueAtPath(live, path))
  )
  return new UsedFields(readOver(declared, live)).guards(declarable).map(({ pointer }) => pointer)
}

/** The guard fields that the declarations of a site lack, whatever the service has. */
export function undeclaredGuards({ wlans }: DesiredSite): readonly Unwatched[] {
  return wlans.flatMap(({ address, fields, managed }) => {
    const pointers = managed === undefined ? lackingGuards(fields) : []
    return pointers.length === 0 ? [] : [{ address, pointers }]
  })
}

/** Cache of missing guard fields. Key: the declared fields, weakly; sites may share them. */
const lacking = new WeakMap<ValueObject, readonly Pointer[]>()

function lackingGuards(declared: ValueObject): readonly Pointer[] {
  return getOrInsert(lacking, declared, () => unwatchedGuards(declared, {}))
}

/** The WLANs that a plan lists; the total counts the others. */
const MAX_LISTED = 5000

export function unwatchedParts(
  all: readonly Unwatched[],
  earlier?: Plan['unwatched_total']
): Pick<Plan, 'unwatched' | 'unwatched_total'> {
  if (all.length === 0) return {}
  const total = earlier ?? countUnwatched({ unwatched: all })
  return {
    unwatched: all.slice(0, MAX_LISTED),
    ...(total.wlans > Math.min(all.length, MAX_LISTED) && { unwatched_total: total })
  }
}

/** The WLANs that a finding lists; it counts the others. */
const MAX_NAMED = 10

export function unwatchedRefusal(
  all: readonly Unwatched[],
  policy: Pick<Policy, 'unwatched'>
): readonly Finding[] {
  if (policy.unwatched !== 'error' || all.length === 0) return []
  const { fields, wlans } = countUnwatched({ unwatched: all })
  const named = all
    .slice(0, MAX_NAMED)
    .map(({ address, pointers }) => `${address} (${fieldNames(pointers)})`)
  return [finding('UNWATCHED', {}, fields, wlans, named)]
}

export function listUndeclared(
  { name: site }: DesiredSite,
  wlans: readonly LiveWlan[]
): { readonly unmanaged: readonly Unmanaged[]; readonly inherited: readonly Unmanaged[] } {
  const listed = (areInherited: boolean) =>
    wlans
      .filter(({ record }) => isInherited(record) === areInherited)
      .map(({ id, ssid, record }) => ({
        site,
        id,
        ssid,
        ...compact({ template: templateOf(record) }),
        network: networkOf(record)
      }))
  return { unmanaged: listed(false), inherited: listed(true) }
}

/** The security and VLAN of a live WLAN in words: `open, VLAN 30`, `psk`, `eap, off`. */
export function networkOf(record: ValueObject): string {
  const vlan = member(record, 'vlan_enabled') === true ? member(record, 'vlan_id') : undefined
  const parts = [
    truncate(typeOf(record), MAX_TYPE),
    ...(typeof vlan === 'number' || typeof vlan === 'string'
      ? [`VLAN ${truncate(String(vlan), MAX_TYPE)}`]
      : []),
    ...(member(record, 'enabled') === false ? ['off'] : [])
  ]
  return parts.join(', ')
}

const MAX_TYPE = 50

/** True if a live WLAN needs no key. */
export function isOpen(record: ValueObject): boolean {
  return typeOf(record) === 'open'
}

function typeOf(record: ValueObject): string {
  const type = valueAt(record, '/auth/type')
  return isEmpty(type) ? 'open' : valueText(type)
}

export function sortUnmanaged(wlans: readonly Unmanaged[]): Unmanaged[] {
  return sortBy(
    wlans,
    ({ site }) => site,
    ({ ssid }) => ssid,
    ({ id }) => id
  )
}

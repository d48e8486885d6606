import { compact, sortBy } from '../model/collections.ts'
import type { DesiredSite, DesiredWlan, Policy } from '../model/desired.ts'
import { aboutWlan, type Finding, finding } from '../model/finding.ts'
import {
  type EarlierState,
  isInherited,
  type LiveSite,
  type LiveWlan,
  templateOf
} from '../model/live.ts'
import { countUnwatched, type Plan, type Unmanaged, type Unwatched } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { truncate } from '../model/text.ts'
import { sameId } from '../model/uuid.ts'
import { isEmpty, isObject, member, type Value, type ValueObject, valueAt } from '../model/value.ts'
import { isMet, type ReadField } from '../schema/condition.ts'
import { type FieldPath, guards, readFrom, UsedFields, valueAtPath } from '../schema/in-use.ts'
import { matchSite } from './match.ts'
import { liveText } from './since-base.ts'
import { type UndeclaredChange, undeclaredChanges } from './undeclared-changes.ts'

/**
 * The fields of a live WLAN that are not watched: the guard fields that its declaration lacks, in the order of
 * the schema, and the undeclared fields that are not at their default. A field without an effect, such as in a
 * block that is switched off, needs no declaration; nor does an absent field whose absence cannot be declared.
 */
export function unwatchedFields(
  declared: ValueObject,
  live: ValueObject,
  notDefault: readonly UndeclaredChange[] = undeclaredChanges(declared, live)
): readonly Pointer[] {
  const guarded = unwatchedGuards(declared, live)
  const others = notDefault.map(({ pointer }) => pointer).filter(at => !guarded.includes(at))
  return sharedList([...guarded, ...others].slice(0, MAX_FIELDS))
}

const sharedLists = new Map<string, readonly Pointer[]>()

/** The maximum number of fields to list for a WLAN. */
const MAX_FIELDS = 1000

/** The maximum number of lists to share. */
const MAX_SHARED = 1000

/**
 * The first list with the same pointers, because most WLANs of a large fleet have the same unwatched fields.
 */
function sharedList(pointers: readonly Pointer[]): readonly Pointer[] {
  const key = pointers.join('\n')
  const known = sharedLists.get(key)
  if (known !== undefined) return known
  if (sharedLists.size < MAX_SHARED) sharedLists.set(key, pointers)
  return pointers
}

function unwatchedGuards(declared: ValueObject, live: ValueObject): Pointer[] {
  const undeclared = guards().filter(({ path }) => !isHeld(declared, path))
  if (undeclared.length === 0) return []
  const read: ReadField = ({ path }) => valueAtPath(isHeld(declared, path) ? declared : live, path)
  const declarable = undeclared.filter(
    ({ path, field }) => field.whenAbsent !== undefined || !isEmpty(valueAtPath(live, path))
  )
  return new UsedFields(read).guards(declarable).map(({ pointer }) => pointer)
}

/** The guard fields that the declarations of a site lack, whatever the service has. */
export function undeclaredGuards({ wlans }: DesiredSite): readonly Unwatched[] {
  return wlans.flatMap(({ address, fields, managed }) => {
    const pointers = managed === undefined ? unwatchedGuards(fields, {}) : []
    return pointers.length === 0 ? [] : [{ address, pointers: sharedList(pointers) }]
  })
}

/** True if a declaration contains the value at a path, or one that excludes it, such as `portal: null`. */
function isHeld(declared: ValueObject, path: FieldPath): boolean {
  let value: Value = declared
  for (const name of path) {
    if (!isObject(value)) return true
    const inner = member(value, name)
    if (inner === undefined) return false
    value = inner
  }
  return true
}

/** The maximum number of WLANs that a plan lists; the total counts the others. */
const MAX_LISTED = 5000

/**
 * The members of a plan about unwatched fields, for WLANs sorted by address; none if all fields are watched.
 */
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

/** The finding lists at most this many WLANs, and counts the others. */
const MAX_NAMED = 10

/** The refusal of unwatched fields, if the policy requires it. */
export function unwatchedRefusal(
  all: readonly Unwatched[],
  policy: Pick<Policy, 'unwatched'>
): readonly Finding[] {
  if (policy.unwatched !== 'error' || all.length === 0) return []
  const { fields, wlans } = countUnwatched({ unwatched: all })
  const named = all
    .slice(0, MAX_NAMED)
    .map(({ address, pointers }) => `${address} (${pointers.join(', ')})`)
  return [finding('UNWATCHED', {}, fields, wlans, named)]
}

/** What the undeclared fields of one site mean for `drift`. */
export interface UndeclaredFields {
  readonly findings: readonly Finding[]
  readonly unwatched: readonly Unwatched[]
}

/**
 * Compares the undeclared fields of the declared WLANs of a site with an earlier state, in which new WLANs
 * have none, and as the policy says with their defaults.
 */
export function compareUndeclared(
  site: DesiredSite,
  live: LiveSite,
  { unwatched: choice }: Pick<Policy, 'unwatched'>,
  earlier?: EarlierState
): UndeclaredFields {
  const [findings, unwatched]: [Finding[], Unwatched[]] = [[], []]
  if (choice === 'ignore') return { findings, unwatched }
  for (const [wlan, match] of matchSite(site, live)) {
    if (wlan.excluded || !('live' in match)) continue
    const { fields, address } = wlan
    const { id, record } = match.live
    const before = earlier?.live.wlans.find(each => sameId(each.id, id))?.record
    const since = before === undefined ? [] : undeclaredChanges(fields, record, before)
    const notDefault = undeclaredChanges(fields, record)
    const known = new Set(since.map(({ pointer }) => pointer))
    findings.push(...since.map(change => changedFinding(wlan, change, earlier?.created)))
    if (choice === 'drift') {
      const more = notDefault.filter(({ pointer }) => !known.has(pointer))
      findings.push(...more.map(change => changedFinding(wlan, change)))
      continue
    }
    const pointers = unwatchedFields(fields, record, notDefault)
    if (pointers.length === 0) continue
    const moved = new Set(notDefault.map(({ pointer }) => pointer))
    const not_default = sharedList(pointers.filter(pointer => moved.has(pointer)))
    unwatched.push({ address, pointers, ...(not_default.length > 0 && { not_default }) })
  }
  return { findings, unwatched }
}

function changedFinding(
  wlan: DesiredWlan,
  { pointer, field, before, live }: UndeclaredChange,
  created?: string
): Finding {
  const usual = (value: Value | undefined) =>
    liveText(isEmpty(value) ? (field.default ?? value) : value, pointer)
  const [was, is] = [usual(before) ?? 'none', usual(live) ?? 'none']
  return finding('UNDECLARED_CHANGED', aboutWlan(wlan), pointer, was, is, created)
}

/** The live WLANs of a site that no file declares: its own, and those of the organization. */
export function listUndeclared(
  { name: site, owner }: DesiredSite,
  wlans: readonly LiveWlan[]
): { readonly unmanaged: readonly Unmanaged[]; readonly inherited: readonly Unmanaged[] } {
  const listed = (areInherited: boolean) =>
    wlans
      .filter(({ record }) => isInherited(record) === areInherited)
      .map(({ id, ssid, record }) => ({
        site,
        id,
        ssid,
        ...compact({ owner, template: templateOf(record) }),
        network: networkOf(record)
      }))
  return { unmanaged: listed(false), inherited: listed(true) }
}

/** The security and VLAN of a live WLAN in words: `open, VLAN 30`, `psk`, `eap, off`. */
function networkOf(record: ValueObject): string {
  const type = valueAt(record, '/auth/type')
  const vlan = member(record, 'vlan_enabled') === true ? member(record, 'vlan_id') : undefined
  const parts = [
    isEmpty(type) ? 'open' : truncate(String(type), MAX_TYPE),
    ...(typeof vlan === 'number' || typeof vlan === 'string'
      ? [`VLAN ${truncate(String(vlan), MAX_TYPE)}`]
      : []),
    ...(member(record, 'enabled') === false ? ['off'] : [])
  ]
  return parts.join(', ')
}

const MAX_TYPE = 50

/** A finding for each unmanaged WLAN of a site that anybody can join without a login. */
export function openUnmanaged(
  { name, owner }: DesiredSite,
  wlans: readonly LiveWlan[]
): readonly Finding[] {
  const open = wlans.filter(
    ({ record }) =>
      !isInherited(record) &&
      member(record, 'enabled') !== false &&
      isMet('unprotected', readFrom(record), false)
  )
  return open.map(({ id, ssid, record }) =>
    finding('UNMANAGED_OPEN', { address: name, ...compact({ owner }) }, ssid, id, networkOf(record))
  )
}

/** By site, SSID and id. */
export function sortUnmanaged(wlans: readonly Unmanaged[]): Unmanaged[] {
  return sortBy(
    wlans,
    ({ site }) => site,
    ({ ssid }) => ssid,
    ({ id }) => id
  )
}

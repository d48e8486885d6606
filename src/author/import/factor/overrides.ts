import { UniqueNames } from '../../../core/audit/slug.ts'
import { agrees, agreesExactly } from '../../../core/diff/agree.ts'
import { matchSite } from '../../../core/diff/match.ts'
import { isMerged } from '../../../core/diff/overlay.ts'
import type { DesiredSite } from '../../../core/model/desired.ts'
import { type Field, fieldIn, wlanField } from '../../../core/schema/field.ts'
import { isHeld, isUsed, readFrom } from '../../../core/schema/in-use.ts'
import { append } from '../../../core/values/collections.ts'
import { asPointer, child, isAtOrBelow, type Pointer, steps } from '../../../core/values/pointer.ts'
import {
  fromEntries,
  holdsSecret,
  isEmpty,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import type { Block } from '../site-files.ts'

/**
 * The override that turns `base` into a declaration of a live WLAN.
 *
 * | a member of `base`                                       | the override                                |
 * |----------------------------------------------------------|---------------------------------------------|
 * | agrees with that of the WLAN                             | nothing: the notation of `base` stays       |
 * | differs from it                                          | the value of the WLAN                       |
 * | is none of the WLAN, but agrees with the live record     | nothing                                     |
 * | is none of it, and the live value is the default, in use | the default: an exception to true is false  |
 * | is none of it                                            | `$unset`                                    |
 */
export function overrideFor(
  base: ValueObject,
  { fields, record }: Pick<ImportedWlan, 'fields' | 'record'>
): ValueObject {
  const read = readFrom(record)
  const place: Place = { field: wlanField, at: '', isUsed: at => isUsed(at, read) }
  const { fields: own, unset } = membersOver(base, fields, record, place)
  return unset.length === 0 ? own : { $unset: unset.map(unsetName), ...own }
}

/** A place as `$unset` lists it: a field of the WLAN by its name. */
function unsetName(at: Pointer): string {
  const [name = ''] = steps(at)
  return asPointer(name) === at ? name : at
}

interface Place {
  readonly field: Field
  readonly at: Pointer
  readonly isUsed: (at: Pointer) => boolean
}

function membersOver(
  base: ValueObject,
  wanted: ValueObject,
  live: Value | undefined,
  { field, at, isUsed }: Place
): { readonly fields: ValueObject; readonly unset: readonly Pointer[] } {
  const fields: [string, Value][] = []
  const unset: Pointer[] = []
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(base)])) {
    const [below, value] = [member(base, name), member(wanted, name)]
    const actual = isObject(live) ? member(live, name) : undefined
    const place = { field: fieldIn(field.member(name), live), at: child(at, name), isUsed }
    if (below === undefined) fields.push([name, value ?? null])
    else if (isMerged(place.field, below) && isObject(value) && isEmpty(value)) {
      unset.push(place.at)
      fields.push([name, value])
    } else if (isMerged(place.field, below) && (value === undefined || isObject(value))) {
      const inner = membersOver(below, value ?? {}, actual, place)
      if (value === undefined && inner.unset.length > 0) unset.push(place.at)
      else {
        if (Object.keys(inner.fields).length > 0) fields.push([name, inner.fields])
        append(unset, inner.unset)
      }
    } else if (value === undefined) {
      const implied = impliedValue(below, actual, place)
      if (implied === undefined) unset.push(place.at)
      else if (implied !== below) fields.push([name, implied])
    } else if (!agreesExactly(place.field, below, value)) fields.push([name, value])
  }
  return { fields: fromEntries(fields), unset }
}

/** The value of a member that a WLAN does not declare itself; undefined if no declaration agrees with the live one. */
function impliedValue(base: Value, actual: Value | undefined, place: Place): Value | undefined {
  const { field, at, isUsed } = place
  const usual = field.default
  // A secret that cannot be compared agrees with any.
  const isSame = holdsSecret(base)
    ? actual !== undefined && agreesExactly(field, base, actual)
    : agrees(field, actual, base, at)
  if (isSame) return base
  const isDefault = usual !== undefined && agrees(field, actual, usual, at)
  return isDefault && isUsed(at) ? usual : undefined
}

/** The fields with others over them, as the loader merges layers. */
export function merged(
  below: ValueObject,
  above: ValueObject,
  field: Field = wlanField
): ValueObject {
  const over = Object.entries(above).map(([name, value]): [string, Value] => {
    const [covered, inner] = [member(below, name), field.member(name)]
    const isBoth = isMerged(inner, covered) && isMerged(inner, value)
    return [name, isBoth ? merged(covered, value, inner) : value]
  })
  return { ...below, ...fromEntries(over) }
}

/** True if the override replaces or unsets this place of the fields below it. */
export function isOverridden({ $unset = [], ...fields }: ValueObject, at: Pointer): boolean {
  const unset = isList($unset) ? $unset.map(name => asPointer(String(name))) : []
  return isHeld(fields, steps(at)) || unset.some(above => isAtOrBelow(at, above))
}

/**
 * What the declaration of a site lacks to be as it is live: the overrides of its WLANs, and WLANs of its own. `withSecrets`
 * puts the live secrets in the place of references.
 */
export function siteOverrides(
  declared: DesiredSite,
  site: ImportedSite,
  withSecrets: (fields: ValueObject, wlan: ImportedWlan) => ValueObject
): Block[] {
  const blocks: Block[] = []
  const byId = new Map(site.wlans.map(wlan => [wlan.id, wlan]))
  const keys = new UniqueNames('-')
  const live = { site, wlans: [...site.wlans, ...site.inherited] }
  for (const [{ key, fields, managed }, match] of matchSite(declared, live)) {
    keys.take(key)
    if (managed === false) continue
    const wlan = 'live' in match ? byId.get(match.live.id) : undefined
    if (wlan !== undefined) byId.delete(wlan.id)
    const block =
      wlan === undefined ? { $managed: false } : overrideFor(withSecrets(fields, wlan), wlan)
    if (Object.keys(block).length > 0) blocks.push([key, block])
  }
  for (const wlan of byId.values()) {
    blocks.push([keys.take(wlan.key), { id: wlan.id, ...wlan.fields }])
  }
  return blocks
}

import type { DesiredSite, DesiredWlan } from '../../model/desired.ts'
import { sameId } from '../../model/names.ts'
import { Secret } from '../../model/secret.ts'
import { isList, isObject, member, type Value } from '../../model/value.ts'

/** True if a site wants what it wanted, under the same name. */
export function sameSite(a: DesiredSite, b: DesiredSite | undefined): boolean {
  if (b === undefined || a.name !== b.name || a.wlans.length !== b.wlans.length) return false
  return a.wlans.every((wlan, place) => sameWlan(wlan, b.wlans[place]))
}

function sameWlan(a: DesiredWlan, b: DesiredWlan | undefined): boolean {
  return (
    b !== undefined &&
    a.key === b.key &&
    sameId(a.id ?? '', b.id ?? '') &&
    a.matchSsid === b.matchSsid &&
    sameValue(a.fields, b.fields)
  )
}

/** Members may be in any order, items of lists may not. Of a secret in clear the text counts. */
function sameValue(a: Value, b: Value | undefined): boolean {
  if (a instanceof Secret) return b instanceof Secret && sameSecret(a, b)
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, place) => sameValue(item, b[place]))
  }
  if (!isObject(a)) return a === b
  if (!isObject(b) || Object.keys(a).length !== Object.keys(b).length) return false
  return Object.entries(a).every(([name, value]) => sameValue(value, member(b, name)))
}

function sameSecret(a: Secret, b: Secret): boolean {
  return JSON.stringify(a) === JSON.stringify(b) && (!a.known || a.equals(b))
}

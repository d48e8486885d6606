import type { DesiredSite } from '../../core/model/desired.ts'
import { compact } from '../../core/values/collections.ts'
import { Secret } from '../../core/values/secret.ts'
import { isList, isObject, isSameJson, member, type Value } from '../../core/values/value.ts'

/** The key of a site in maps of sites. */
export function siteKey({ id }: Pick<DesiredSite, 'id'>): string {
  return id.toLowerCase()
}

export function isSameSite(a: DesiredSite, b: DesiredSite | undefined): boolean {
  return b !== undefined && isSameValue(comparedParts(a), comparedParts(b))
}

function comparedParts({ name, wlans }: DesiredSite): Value {
  return [
    name,
    ...wlans.map(({ key, id, matchSsid, managed, protect, fields }) =>
      compact({ key, id: id?.toLowerCase(), matchSsid, managed, protect, fields })
    )
  ]
}

/** Members may be in any order, items may not. Plaintext secrets are compared by their text. */
export function isSameValue(a: Value, b: Value | undefined): boolean {
  if (a instanceof Secret) return b instanceof Secret && isSameJson(a, b) && a.mayEqual(b)
  if (isList(a)) {
    return (
      isList(b) && a.length === b.length && a.every((item, place) => isSameValue(item, b[place]))
    )
  }
  if (!isObject(a)) return a === b
  if (!isObject(b) || Object.keys(a).length !== Object.keys(b).length) return false
  return Object.entries(a).every(([name, value]) => isSameValue(value, member(b, name)))
}

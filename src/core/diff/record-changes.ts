import { Secret } from '../values/secret.ts'
import { fromEntries, isObject, mapMembers, mapValue, type ValueObject } from '../values/value.ts'
import { diff, type FieldDifferences } from './diff.ts'

/** What changed in any field, by the equivalences of a plan; in secrets, whether they are set. */
export function recordChanges(was: ValueObject, is: ValueObject): FieldDifferences {
  const forward = differences(is, was)
  // Of two values, one may count as the absence of the other: that is no change.
  const back = new Set(differences(was, is).patch.map(({ path }) => path))
  return { ...forward, patch: forward.patch.filter(({ path }) => back.has(path)) }
}

function differences(record: ValueObject, other: ValueObject) {
  return diff(covering(comparable(record), comparable(other)), comparable(other))
}

/** Facts about the record itself, which no edit of a network changes. */
const IDENTITY = new Set(['id', 'site_id', 'org_id', 'created_time', 'modified_time'])

/** One value for every secret that is set. */
const SET = new Secret({ $live: true }, 'set')

function comparable(record: ValueObject): ValueObject {
  const fields = fromEntries(Object.entries(record).filter(([name]) => !IDENTITY.has(name)))
  return mapMembers(fields, field =>
    mapValue(field, each => (each instanceof Secret ? (each.empty ? '' : SET) : undefined))
  )
}

/** The fields of `record`, and as `null` those that only `other` has, so that a comparison sees what was removed. */
function covering(value: ValueObject, other: ValueObject): ValueObject {
  const names = new Set([...Object.keys(value), ...Object.keys(other)])
  return fromEntries(
    [...names].map(name => {
      const [inner, before] = [value[name], other[name]]
      if (isObject(inner) && isObject(before)) return [name, covering(inner, before)]
      return [name, inner ?? null]
    })
  )
}

import { fromEntries, type ValueObject } from '../model/value.ts'
import { wlanField } from './field.ts'

const volatileNames = wlanField.memberNames().filter(name => wlanField.member(name).volatile)

/**
 * Sets the volatile fields of a record to `null`, in place: a copy without them takes a quarter of the time to
 * read a record.
 */
export function clearVolatile(record: object): void {
  const fields = record as Record<string, unknown>
  for (const name of volatileNames) if (Object.hasOwn(fields, name)) fields[name] = null
}

/**
 * The record without the signed, short-lived addresses that differ in each response: no snapshot, comparison or
 * report may hold them. Returns the record itself where it has none.
 */
export function withoutVolatile(record: ValueObject): ValueObject {
  if (!volatileNames.some(name => Object.hasOwn(record, name))) return record
  return fromEntries(Object.entries(record).filter(([name]) => !volatileNames.includes(name)))
}

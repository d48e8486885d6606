import { fromEntries, type ValueObject } from '../model/value.ts'
import { wlanField } from './field.ts'

const volatileNames = wlanField.memberNames().filter(name => wlanField.member(name).volatile)

/**
 * The record without the signed, short-lived addresses that differ in each response: no snapshot, comparison or
 * report may hold them. Returns the record itself where it has none.
 */
export function withoutVolatile(record: ValueObject): ValueObject {
  if (!volatileNames.some(name => Object.hasOwn(record, name))) return record
  return fromEntries(Object.entries(record).filter(([name]) => !volatileNames.includes(name)))
}

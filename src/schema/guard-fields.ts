import { child, type Pointer } from '../model/pointer.ts'
import { type Field, wlanField } from './field.ts'

/**
 * The guard fields, in the order of the schema. Lists are replaced as a whole, so a guarded member of an
 * element is represented by its list: `/auth_servers` for the hosts of the servers.
 *
 * Finding them traverses the whole schema, so commands without a live state do not load this file.
 */
export const guardFields: readonly Pointer[] = guardsBelow(wlanField, '')

function guardsBelow(field: Field, at: Pointer): Pointer[] {
  const item = field.item()
  if (field.guard || item.memberNames().some(name => item.member(name).guard)) return [at]
  return field.memberNames().flatMap(name => guardsBelow(field.member(name), child(at, name)))
}

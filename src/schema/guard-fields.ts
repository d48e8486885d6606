import { child, type Pointer } from '../model/pointer.ts'
import { type Field, wlanField } from './field.ts'

/**
 * The guard fields, in the order of the schema. Lists are replaced as a whole, so a guarded member of an
 * element stands for its list: `/auth_servers` for the hosts of the servers.
 * To find them, the whole schema is walked, the first time that they are asked for.
 */
export function guardFields(): readonly Pointer[] {
  found ??= guardsBelow(wlanField, '')
  return found
}

let found: readonly Pointer[] | undefined

function guardsBelow(field: Field, at: Pointer): Pointer[] {
  const item = field.item()
  if (field.guard || item.memberNames().some(name => item.member(name).guard)) return [at]
  return field.memberNames().flatMap(name => guardsBelow(field.member(name), child(at, name)))
}

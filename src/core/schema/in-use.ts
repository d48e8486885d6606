import { groupBy } from '../values/collections.ts'
import { child, type Pointer, steps } from '../values/pointer.ts'
import {
  below,
  fromEntries,
  isEmpty,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../values/value.ts'
import { isMet, type ReadField } from './condition.ts'
import {
  type Field,
  fieldAt,
  type SchemaNode,
  schemaRoot,
  subschemasOf,
  wlanField
} from './field.ts'

export type FieldPath = readonly string[]

export function valueAtPath(value: Value | undefined, path: FieldPath): Value | undefined {
  let found = value
  for (const step of path) found = below(found, step)
  return found
}

export function readFrom(record: Value): ReadField {
  return ({ path }) => valueAtPath(record, path)
}

/** Reads the fields of a live record where the files declare none. */
export function readOver(declared: ValueObject, live: ValueObject): ReadField {
  return ({ path }) => valueAtPath(isHeld(declared, path) ? declared : live, path)
}

/** True if a declaration contains the value at a path, or one that excludes it, such as `portal: null`. */
export function isHeld(declared: ValueObject, path: FieldPath): boolean {
  let value: Value = declared
  for (const name of path) {
    if (!isObject(value)) return true
    const inner: Value | undefined = member(value, name)
    if (inner === undefined) return false
    value = inner
  }
  return true
}

/** The conditions, by name or switch, without which a part of a WLAN has no effect. */
export interface Conditions {
  /** The `enabled` switches of the blocks that contain it. */
  readonly blocks: readonly Pointer[]
  readonly needs: readonly string[]
}

/** The conditions of a part of a WLAN, from the outermost object to the part itself. */
export function conditionsOf(at: Pointer): Conditions {
  const [blocks, needs]: [Pointer[], string[]] = [[], []]
  let object: Field = wlanField
  let pointer: Pointer = ''
  for (const step of steps(at)) {
    const isBlock = pointer !== '' && object.member('enabled').known
    if (isBlock && step !== 'enabled') blocks.push(child(pointer, 'enabled'))
    object = object.member(step)
    pointer = child(pointer, step)
    if (!object.known) break
    if (object.inUse !== undefined) needs.push(object.inUse)
  }
  return { blocks, needs }
}

/** True if a WLAN uses a field, and no block that contains it is switched off. */
export function isUsed(at: Pointer, read: ReadField): boolean {
  const { blocks, needs } = conditionsOf(at)
  return [...blocks, ...needs].every(condition => isMet(condition, read))
}

export interface GuardField {
  readonly pointer: Pointer
  readonly path: FieldPath
  /** The path of the object that contains it, and its name in that object. */
  readonly block: FieldPath
  readonly name: string
  readonly field: Field
  readonly needs: readonly string[]
}

/**
 * The guard fields, in the order of the schema. Lists are replaced as a whole, so a guarded member of an
 * element is represented by its list: `/auth_servers` for the hosts of the servers.
 *
 * The first call traverses the whole schema.
 */
export function guards(): readonly GuardField[] {
  preparedGuards ??= guardsBelow([schemaRoot], '').map(pointer => {
    const path = steps(pointer)
    const { blocks, needs } = conditionsOf(pointer)
    return {
      pointer,
      path,
      block: path.slice(0, -1),
      name: path.at(-1) ?? '',
      field: fieldAt(pointer),
      needs: [...blocks, ...needs]
    }
  })
  return preparedGuards
}

let preparedGuards: readonly GuardField[] | undefined

/** Reads the nodes themselves, because making a field of each takes 8 ms at every start of `validate`. */
function guardsBelow(nodes: readonly SchemaNode[], at: Pointer): Pointer[] {
  const parts = nodes.flatMap(subschemasOf)
  const ofItems = membersOf(parts.flatMap(({ items }) => items ?? []).flatMap(subschemasOf))
  if (isGuard(parts) || ofItems.some(([, member]) => isGuard(member.flatMap(subschemasOf)))) {
    return [at]
  }
  return membersOf(parts).flatMap(([name, member]) => guardsBelow(member, child(at, name)))
}

function isGuard(parts: readonly SchemaNode[]): boolean {
  return parts.some(part => part['x-wlanctl']?.guard)
}

function membersOf(parts: readonly SchemaNode[]): [name: string, nodes: SchemaNode[]][] {
  const all = parts.flatMap(({ properties = {} }) => Object.entries(properties))
  const byName = groupBy(all, ([name]) => name)
  return [...byName].map(([name, entries]) => [name, entries.map(([, node]) => node)])
}

/** The fields of one record that have an effect; each condition is evaluated once. */
export class UsedFields {
  readonly #read: ReadField
  readonly #met = new Map<string, boolean>()

  constructor(read: ReadField) {
    this.#read = read
  }

  /** True if a field of an object that is itself used has an effect. */
  has({ inUse }: Field): boolean {
    return inUse === undefined || this.#isMet(inUse)
  }

  guards(of: readonly GuardField[] = guards()): GuardField[] {
    return of.filter(({ needs }) => needs.every(need => this.#isMet(need)))
  }

  #isMet(condition: string): boolean {
    const known = this.#met.get(condition)
    if (known !== undefined) return known
    const met = isMet(condition, this.#read)
    this.#met.set(condition, met)
    return met
  }
}

/** Drops blocks that are off and fields that are unused in all these states; guards stay. */
export function partsInUse(record: ValueObject, states: readonly ValueObject[]): ValueObject {
  const used = states.map(state => new UsedFields(readFrom(state)))
  const partsOf = (field: Field, object: ValueObject, path: FieldPath): ValueObject => {
    const blocks = states.map(state => valueAtPath(state, path))
    const isOff =
      path.length > 0 && !blocks.some(each => isSwitchedOn(field, isObject(each) ? each : {}))
    return fromEntries(
      Object.entries(object).flatMap(([name, value]) => {
        const inner = field.member(name)
        if (isOff && name !== 'enabled') return []
        if (!inner.guard && !used.some(each => each.has(inner))) return []
        const isWhole = !isObject(value) || inner.compare !== undefined
        return [[name, isWhole ? value : partsOf(inner, value, [...path, name])]]
      })
    )
  }
  return partsOf(wlanField, record, [])
}

/** False for an object that its own `enabled`, or the documented default of that, switches off. */
export function isSwitchedOn(field: Field, object: ValueObject): boolean {
  const { known, whenAbsent } = field.member('enabled')
  if (!known) return true
  const enabled = member(object, 'enabled')
  return (isEmpty(enabled) ? whenAbsent : enabled) === true
}

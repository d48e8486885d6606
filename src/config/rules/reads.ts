import type { Pointer } from '../../model/pointer.ts'
import {
  isList,
  isObject,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../../model/value.ts'

/** A place in a WLAN with an unknown value: a secret, or a string with a variable of the service. */
export interface UnknownValue {
  readonly steps: readonly string[]
  /** False if it is also unknown whether there is a value. */
  readonly isPresent: boolean
}

/** Keywords whose argument is a schema, or a list of schemas, for the value itself. */
const IN_PLACE = ['not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf']

/** Keywords with schemas for members that `properties` does not list. */
const OF_OTHER_MEMBERS = ['additionalProperties', 'patternProperties', 'unevaluatedProperties']

/** Keywords with schemas for such members or for the items of a list. */
const OF_ALL = [...OF_OTHER_MEMBERS, 'items', 'prefixItems', 'contains', 'unevaluatedItems']

/** Keywords that do not constrain a value. */
const ANNOTATIONS = new Set([
  '$defs',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly'
])

/** Keywords whose result depends on all members of an object. */
const OF_THE_WHOLE = ['const', 'enum', 'propertyNames', 'minProperties', 'maxProperties']

/** True if the result of a schema may depend on an unknown value inside the value that it applies to. */
export function readsUnknown(root: ValueObject, { steps, isPresent }: UnknownValue): boolean {
  return reads(root, root, steps, isPresent)
}

function reads(
  schema: Value | undefined,
  root: ValueObject,
  [step, ...rest]: readonly string[],
  isPresent: boolean
): boolean {
  if (schema === false) return !isPresent
  if (!isObject(schema)) return false
  if (step === undefined) return Object.keys(schema).some(keyword => !ANNOTATIONS.has(keyword))
  const path = [step, ...rest]
  const below = (part: Value | undefined) => reads(part, root, rest, isPresent)
  const here = (part: Value | undefined) => reads(part, root, path, isPresent)
  const isNamed = !isPresent && rest.length === 0 && names(schema, step)
  return (
    isNamed ||
    OF_THE_WHOLE.some(
      keyword => (keyword === 'const' || keyword === 'enum' || !isPresent) && has(schema, keyword)
    ) ||
    below(memberOf(schema['properties'], step)) ||
    OF_ALL.some(keyword => schemasIn(schema, keyword).some(below)) ||
    IN_PLACE.some(keyword => schemasIn(schema, keyword).some(here)) ||
    schemasIn(schema, 'dependentSchemas').some(here) ||
    here(referredBy(schema, root))
  )
}

/** True if a schema tests the presence of this member. */
function names(schema: ValueObject, name: string): boolean {
  const { required, dependentRequired, dependentSchemas } = schema
  const isListed = (list: Value | undefined) => isList(list) && list.includes(name)
  return (
    isListed(required) ||
    memberOf(dependentSchemas, name) !== undefined ||
    memberOf(dependentRequired, name) !== undefined ||
    (isObject(dependentRequired) && Object.values(dependentRequired).some(isListed))
  )
}

/** The member names that a schema mentions. */
export function namedIn(root: ValueObject): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { properties, required, dependentRequired, dependentSchemas } of inPlace(root, root)) {
    for (const map of [properties, dependentRequired, dependentSchemas]) addKeys(map, found)
    addTexts(required, found)
    if (!isObject(dependentRequired)) continue
    for (const list of Object.values(dependentRequired)) addTexts(list, found)
  }
  return found
}

/** True if a schema reads only the members that `namedIn` returns. */
export function readsNamedOnly(root: ValueObject): boolean {
  const keywords = [...OF_THE_WHOLE, ...OF_OTHER_MEMBERS]
  return inPlace(root, root).every(schema => !keywords.some(keyword => has(schema, keyword)))
}

/** A schema and all schemas inside it that apply to the same value; references are not circular. */
function inPlace(schema: Value | undefined, root: ValueObject): readonly ValueObject[] {
  if (!isObject(schema)) return []
  const parts = [...IN_PLACE, 'dependentSchemas'].flatMap(keyword => schemasIn(schema, keyword))
  return [schema, ...[...parts, referredBy(schema, root)].flatMap(part => inPlace(part, root))]
}

function addKeys(map: Value | undefined, names: Set<string>): void {
  if (isObject(map)) for (const name of Object.keys(map)) names.add(name)
}

function addTexts(list: Value | undefined, names: Set<string>): void {
  if (!isList(list)) return
  for (const name of list) if (typeof name === 'string') names.add(name)
}

/**
 * Splits a schema into schemas that are equivalent to it if all of them hold. A schema whose keywords depend
 * on each other is not split.
 */
export function conjunctsOf(root: ValueObject): readonly ValueObject[] {
  const defs = root['$defs']
  const isSplit = defs === undefined || !referencesIn(root).some(to => !to.startsWith('#/$defs/'))
  if (!isSplit) return [root]
  return split(root).map(part => (defs === undefined ? part : { ...part, $defs: defs }))
}

function split(schema: ValueObject): ValueObject[] {
  if (OF_OTHER_MEMBERS.some(keyword => has(schema, keyword))) return [schema]
  const { properties, required, allOf, ...rest } = schema
  const fields = isObject(properties) ? Object.entries(properties) : []
  const texts = isList(required) ? required : []
  return [
    ...fields.flatMap(([name, part]) =>
      (isObject(part) ? split(part) : [part]).map(each => ({ properties: { [name]: each } }))
    ),
    ...texts.map(name => ({ required: [name] })),
    ...(isList(allOf) ? allOf : []).flatMap(part => (isObject(part) ? split(part) : [])),
    ...(isList(allOf) && allOf.includes(false) ? [{ not: {} }] : []),
    ...(Object.keys(rest).some(keyword => !ANNOTATIONS.has(keyword)) ? [rest] : [])
  ]
}

/** The targets of all `$ref` in a schema. */
function referencesIn(schema: Value): readonly string[] {
  if (isList(schema)) return schema.flatMap(referencesIn)
  if (!isObject(schema)) return []
  return Object.entries(schema).flatMap(([keyword, value]) =>
    keyword === '$ref' && typeof value === 'string' ? value : referencesIn(value)
  )
}

/** The schema that a `$ref` refers to; references are not circular. */
function referredBy(schema: ValueObject, root: ValueObject): Value | undefined {
  const to = member(schema, '$ref')
  return typeof to === 'string' ? valueAt(root, to.slice(1) as Pointer) : undefined
}

function schemasIn(schema: ValueObject, keyword: string): readonly Value[] {
  const value = member(schema, keyword)
  if (value === undefined) return []
  if (isList(value)) return value
  const isMap = keyword === 'patternProperties' || keyword === 'dependentSchemas'
  return isMap && isObject(value) ? Object.values(value) : [value]
}

function memberOf(map: Value | undefined, name: string): Value | undefined {
  return isObject(map) ? member(map, name) : undefined
}

function has(schema: ValueObject, keyword: string): boolean {
  return Object.hasOwn(schema, keyword)
}

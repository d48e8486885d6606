// Makes the part of fleet.schema.json that is about fields out of wlan.schema.json.

/** @typedef {Record<string, any>} Schema */

/** The definitions of the fleet's schema for a plain value or a reference, by the type of the value. */
const plain = { boolean: 'flag', string: 'text', 'string,null': 'textOrNull' }

/** A variable of the service in place of a secret; the same as `isServiceVariable`. */
const serviceVariable = { type: 'string', pattern: '^\\{\\{ ?\\w[\\w.-]{0,99} ?\\}\\}$' }

/** A text with a variable of the service, for any other value; the same as `holdsServiceVariable`. */
const withVariable = { type: 'string', pattern: '\\{\\{ ?\\w[\\w.-]{0,99} ?\\}\\}' }

/**
 * What a fleet may say of a WLAN, for `#/$defs/wlanFields` of the fleet's schema: each value as it
 * is, as a reference to a variable, or as one to a secret where it is secret. Fields that the
 * service keeps are left out. It is open at the top: the `$` keys stand beside the fields.
 * @param {Schema} wlan `schemas/wlan.schema.json`
 * @returns {Schema}
 */
export function declarableFields(wlan) {
  const moved = JSON.stringify(wlan).replaceAll('"#/$defs/', '"#/$defs/wlanFields/$defs/')
  const { properties, $defs } = JSON.parse(moved)
  const isDeclarable = /** @param {Schema} node */ node =>
    !node.readOnly && !$defs[node.$ref?.split('/').at(-1)]?.readOnly
  return {
    $comment: 'Made from wlan.schema.json by `npm run build`.',
    type: 'object',
    properties: mapValues(properties, declarable, isDeclarable),
    $defs: mapValues($defs, declarable, isDeclarable)
  }
}

/** @param {Schema} node */
function declarable({ title, description, deprecated, default: usual, examples, ...rest }) {
  const { 'x-wlanctl': notes, required, ...shape } = rest
  return { description, deprecated, default: usual, examples, ...orReference(shape, notes) }
}

/**
 * A value or a reference. An object has `$var` among its members instead: so an editor says which
 * member is wrong, and not that no alternative fits.
 * @param {Schema} shape @param {Schema} [notes]
 * @returns {Schema}
 */
function orReference(shape, { secret = false, variable: isReplaced = false } = {}) {
  if (shape.$ref !== undefined || isObject(shape)) return within(shape)
  const name = Object.keys(shape).length === 1 && !secret && plain[String(shape.type)]
  if (name) return { $ref: `#/$defs/${name}` }
  const values = (shape.anyOf ?? [shape]).map(within)
  if (values.some(({ $ref }) => $ref !== undefined)) return { anyOf: values }
  const variable = secret
    ? shape.pattern && serviceVariable
    : (shape.anyOf ?? [shape]).some(each => isReplaced || takesVariable(each)) && withVariable
  const reference = { $ref: `#/$defs/${secret ? 'secretReference' : 'reference'}` }
  return { anyOf: [...values, ...(variable ? [variable] : []), reference] }
}

/** True for a number, or a text of a certain form. @param {Schema} shape */
function takesVariable({ type = [], pattern, maxLength }) {
  return /number|integer/.test(String(type)) || pattern !== undefined || maxLength !== undefined
}

/** The same shape, declarable in what it holds. @param {Schema} shape @returns {Schema} */
function within({ items, properties = {}, additionalProperties, propertyNames, ...shape }) {
  if (items) return { ...shape, items: declarable(items) }
  if (!isObject(shape)) return shape
  return {
    ...shape,
    additionalProperties: others(properties, additionalProperties),
    properties: {
      ...mapValues(properties, declarable),
      $var: { $ref: '#/$defs/variable' },
      $default: { $ref: '#/$defs/default' }
    }
  }
}

/**
 * What members may be there that have no name in the schema; null removes one of a map. An editor takes an unquoted `24` for a
 * number, which is no name to it: such members it would refuse.
 * @param {Schema} properties @param {Schema | boolean} entries
 */
function others(properties, entries) {
  const numbered = Object.entries(properties).find(([name]) => /^\d+$/.test(name))?.[1]
  if (numbered !== undefined || typeof entries !== 'object') return numbered ?? entries
  return declarable({ ...entries, type: [entries.type, 'null'] })
}

/** @param {Schema} shape */
function isObject(shape) {
  return shape.type?.includes('object') === true
}

/**
 * @param {Schema} object
 * @param {(value: Schema) => Schema} change
 * @param {(value: Schema) => boolean} [keep]
 */
function mapValues(object, change, keep = () => true) {
  const kept = Object.entries(object).filter(([, value]) => keep(value))
  return Object.fromEntries(kept.map(([name, value]) => [name, change(value)]))
}

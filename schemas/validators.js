// Compiles schemas to a module that needs no ajv when it runs, and that Node parses fast: every run does.
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'

/** @typedef {Record<string, any>} Schema */

/**
 * The source of a module that exports a validator of each schema, which stops at the first error.
 * @param {readonly Schema[]} schemas with all that refer to each other
 * @param {Readonly<Record<string, string>>} functions the `$id` of the schema of each validator
 */
export function validatorsOf(schemas, functions) {
  const ajv = ajvWith(schemas.map(schema => withBranchesTold(withoutNotes(schema))))
  const code = standalone.default(ajv, functions)
  // Of the error of a file, only its place is shown. Its details would keep whole schemas in the program.
  return shortened(code.replace(/,params:\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/g, ''))
}

/**
 * The source of a module that exports `validateWlan`, which finds all errors. It validates the members that a
 * WLAN has, with one function for all equal fields, of which Node compiles those that a run meets: the
 * function that ajv makes of the schema asks for each of the hundred fields, and is as long as that.
 * @param {Schema} schema
 */
export function wlanValidatorOf(schema) {
  const { $id, properties, ...apart } = withFieldsApart(withoutNotes(schema))
  const ajv = ajvWith([{ ...apart, $id, properties }], { allErrors: true })
  const refs = new Set(Object.values(properties).map(({ $ref }) => $ref))
  const functions = new Map([...refs].map(($ref, at) => [$ref, `field${at}`]))
  const exported = [...functions].map(([$ref, name]) => [name, $id + $ref])
  const table = Object.entries(properties).map(
    ([name, { $ref }]) => `${name}: ${functions.get($ref)}`
  )
  const code = shortened(standalone.default(ajv, Object.fromEntries(exported)))
  return `${code.replaceAll('export const field', 'const field')}
const fields = {${table.join()}}
${validateWlan}`
}

const validateWlan = `
export function validateWlan(wlan) {
  let errors = null
  if (typeof wlan !== 'object' || wlan === null || Array.isArray(wlan)) {
    validateWlan.errors = [{ instancePath: '', keyword: 'type', params: { type: 'object' } }]
    return false
  }
  for (const name of Object.keys(wlan)) {
    const validate = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (validate === undefined) {
      const params = { additionalProperty: name }
      errors = withError(errors, { instancePath: '', keyword: 'additionalProperties', params })
    } else if (!validate(wlan[name], { instancePath: '/' + name })) {
      errors = errors === null ? validate.errors : errors.concat(validate.errors)
    }
  }
  validateWlan.errors = errors
  return errors === null
}`

/**
 * @param {Schema[]} schemas
 * @param {import('ajv').Options} [options]
 */
function ajvWith(schemas, options) {
  const ajv = new Ajv2020({
    strict: true,
    discriminator: true,
    // No value ever enters an error, and fields may have the names of Object.prototype.
    verbose: false,
    ownProperties: true,
    messages: false,
    inlineRefs: false,
    code: { source: true, esm: true },
    ...options
  })
  return ajv.addSchema(schemas)
}

/** The annotations; a validator has a copy of its schema, and most of that would be texts. */
const notes = new Set(['$comment', 'title', 'description', 'default', 'deprecated', 'readOnly'])

/** The keywords whose members have names of our own. */
const namesMembers = new Set(['properties', '$defs'])

/**
 * The same schema without annotations.
 * @param {any} schema
 * @param {boolean} [hasOwnNames] true if the members are no keywords
 * @returns {any}
 */
function withoutNotes(schema, hasOwnNames = false) {
  if (Array.isArray(schema)) return schema.map(part => withoutNotes(part))
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(
    ([name]) => hasOwnNames || !(notes.has(name) || name === 'x-wlanctl')
  )
  return Object.fromEntries(
    kept.map(([name, part]) => [name, withoutNotes(part, !hasOwnNames && namesMembers.has(name))])
  )
}

/**
 * The same schema with each top-level field in a definition, one for all equal fields: ajv makes a
 * function of each, and Node compiles only those of the fields that a run meets.
 * @param {Schema} schema
 * @returns {Schema}
 */
function withFieldsApart(schema) {
  const names = new Map()
  const properties = Object.entries(schema.properties).map(([name, field]) => {
    const text = JSON.stringify(field)
    if (!names.has(text)) names.set(text, `field:${name}`)
    return [name, { $ref: `#/$defs/${names.get(text)}` }]
  })
  const fields = [...names].map(([text, name]) => [name, JSON.parse(text)])
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    $defs: { ...schema.$defs, ...Object.fromEntries(fields) }
  }
}

/**
 * The same schema, and of its branches (the lines of a record) only the one is tried that a value's `step`
 * names. Editors know no `discriminator`, so it is not in the schema itself.
 * @param {Schema} schema
 * @returns {Schema}
 */
function withBranchesTold(schema) {
  return schema.oneOf ? { ...schema, discriminator: { propertyName: 'step' } } : schema
}

/**
 * What is shorter in generated code: one function adds an error; what only keywords need that no schema of ours
 * has, the parents of a value and the evaluated members, is left out; and so are pointers into the schema.
 * @type {readonly (readonly [RegExp, string])[]}
 */
const shorter = [
  [
    /if\(vErrors === null\)\{vErrors = \[(err\d+)\];\}else \{vErrors\.push\(\1\);\}/g,
    'vErrors = withError(vErrors, $1);'
  ],
  [/\bschemaPath:"(?:[^"\\]|\\.)*",/g, ''],
  [/, parentData, parentDataProperty, rootData=data, dynamicAnchors=\{\}\}=\{\}/g, '}={}'],
  [/,parentData(?::[^{}]*?)?,parentDataProperty(?::[^{}]*?)?,rootData,dynamicAnchors\}/g, '}'],
  [/const (evaluated\d+) = validate\d+\.evaluated;/g, ''],
  [/if\(evaluated\d+\.dynamic(?:Props|Items)\)\{evaluated\d+\.(?:props|items) = undefined;\}/g, ''],
  [/evaluated\d+\.(?:props|items) = (?:props|items)\d+;/g, ''],
  [/validate\d+\.evaluated = \{[^;]*?"dynamicItems":(?:true|false)\};/g, '']
]

const withError = `
function withError(errors, error) {
  if (errors === null) return [error]
  errors.push(error)
  return errors
}`

/**
 * Half the code for the same validators. Throws where ajv generates other code than it expects.
 * @param {string} code
 */
function shortened(code) {
  const short = shorter.reduce((text, [long, other]) => text.replace(long, other), code)
  const [left] = /\b(?:parentData|rootData|dynamicAnchors|evaluated\d*)\b.{0,80}/.exec(short) ?? []
  if (left !== undefined) throw new Error(`expected no state of ajv in the validators, got ${left}`)
  return withoutCopies(short) + withError
}

/**
 * Makes one of functions, or of schemas, that differ by their names alone: ajv makes one for each way to refer to a definition.
 * @param {string} code
 * @returns {string}
 */
function withoutCopies(code) {
  const parts = code.split(
    /(?=\bfunction validate\d+\(|\bexport const |\bconst (?:schema|pattern|func)\d+ = )/
  )
  const names = new Map()
  const copies = new Map()
  const kept = parts.filter(part => {
    const [, name] = /^(?:function|const) ((?:validate|schema)\d+)\b/.exec(part) ?? []
    if (name === undefined) return true
    const text = part.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), 'name')
    if (names.has(text)) return !copies.set(name, names.get(text))
    return names.set(text, name)
  })
  const other = (/** @type {string} */ name) => copies.get(name) ?? name
  const without = kept.join('').replace(/\b(?:validate|schema)\d+\b/g, other)
  // Functions that use copies may be copies now.
  return copies.size === 0 ? without : withoutCopies(without)
}

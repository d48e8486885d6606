import { agrees } from '../diff/agree.ts'
import type { Field } from '../schema/field.ts'
import { valueCalled } from '../schema/nearest.ts'
import { matchesGlob } from '../values/glob.ts'
import { quote } from '../values/text.ts'
import { asNumber, holdsSecret, isEmpty, isList, isUnset, type Value } from '../values/value.ts'
import {
  fieldNamed,
  isBlock,
  type NamedField,
  type Problem,
  type Subject,
  unknownField,
  valuesOf
} from './field.ts'

/*
 * The language of conditions:
 *
 * | condition                     | a WLAN meets it if                                                           |
 * |-------------------------------|------------------------------------------------------------------------------|
 * | `portal.enabled`              | the value is neither absent, empty nor `false`                               |
 * | `auth.type=open`              | the value agrees by the comparison of the field; an element of a list, for a single value |
 * | `auth.pairwise=[wpa3]`        | the whole list agrees                                                        |
 * | `vlan_id>100`, `<`, `>=`, `<=` | the number is in the range, also if it is a text of digits                  |
 * | `ssid~Guest*`                 | the glob matches                                                             |
 * | `!isolation`, `!=`, `!~`      | the condition without the `!` is not met                                     |
 *
 * A value with blanks at its ends, quotes or brackets is in quotes; a text in quotes is never a number or a switch.
 */

export interface Condition {
  readonly text: string
  readonly field: NamedField
  /** The wanted values of `=` and `!=`, of which one has to agree: `100` may be a number or a text. */
  readonly wanted: readonly Value[]
  /** The number of `<`, `<=`, `>` and `>=`. */
  readonly bound?: number
  /** False for a condition that a field is set. */
  readonly readsValue: boolean
  readonly isNegated: boolean
  /** True if the WLAN meets it for certain. */
  readonly isMet: (subject: Subject) => boolean
  /** True if the WLAN fails it for certain. */
  readonly isFailed: (subject: Subject) => boolean
}

type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~' | '!~'

/** Undefined if the answer is unknown: neither the condition nor its negation is met. */
type Test = (subject: Subject) => boolean | undefined

/** Parses a condition, or says what is wrong with it. A field that the schema lacks is no problem yet; see `problemIn`. */
export function parseCondition(text: string): Condition | Problem {
  const [, not = '', name = '', operator, rest = ''] =
    /^\s*(!?)\s*([^\s=!<>~"']*)\s*(?:(!=|!~|<=|>=|[=<>~])(.*))?$/s.exec(text) ?? []
  if (text.trim() === '') return { problem: 'the condition is empty', hint: EXAMPLES }
  if (name === '' || (not !== '' && operator !== undefined)) {
    return invalid(text, 'expected a field, an operator and a value', EXAMPLES)
  }
  const field = fieldNamed(name)
  if (isBlock(field) && !field.schema.types.has('array')) {
    const [member] = field.schema.memberNames()
    return invalid(
      text,
      `${name} is an object`,
      `name one of its fields, such as ${name}.${member}`
    )
  }
  if (operator === undefined)
    return {
      ...conditionOf(text, field, [], isSet(field), not !== ''),
      readsValue: false
    }
  if (field.schema.holdsSecret) {
    const hint = `\`${name}\` and \`!${name}\` find the WLANs with and without one`
    return invalid(text, 'a secret is never compared, because the rows would reveal it', hint)
  }
  const value = parseValue(rest.trim())
  if (typeof value === 'string') return invalid(text, value)
  return compared(text, field, operator as Operator, value)
}

const EXAMPLES = 'such as auth.type=open, !isolation, vlan_id>100 or "ssid~Guest*"'

function invalid(text: string, reason: string, hint?: string): Problem {
  return { problem: `${quote(text)}: ${reason}`, ...(hint !== undefined && { hint }) }
}

function compared(
  text: string,
  field: NamedField,
  operator: Operator,
  value: Literal
): Condition | Problem {
  const { name, schema } = field
  const isNegated = operator.startsWith('!')
  switch (operator) {
    case '=':
    case '!=': {
      const wanted = [value.typed, value.text].filter(each => fits(schema, each))
      if (wanted.length === 0) return invalid(text, `expected ${expectedBy(schema)} for ${name}`)
      return conditionOf(text, field, wanted, isEqual(field, wanted), isNegated)
    }
    case '~':
    case '!~': {
      const { text: glob } = value
      if (typeof glob !== 'string') return invalid(text, 'expected a glob, got a list')
      return conditionOf(text, field, [], isLike(field, glob), isNegated)
    }
    default: {
      const bound = value.typed
      if (typeof bound !== 'number') {
        return invalid(text, `expected a number after \`${operator}\``)
      }
      if (schema.known && !isNumeric(schema)) {
        return invalid(text, `${name} is not a number, so \`${operator}\` cannot compare it`)
      }
      return { ...conditionOf(text, field, [], isWithin(field, operator, bound), false), bound }
    }
  }
}

function conditionOf(
  text: string,
  field: NamedField,
  wanted: readonly Value[],
  test: Test,
  isNegated: boolean
): Condition {
  return {
    ...{ text, field, wanted, isNegated, readsValue: true },
    isMet: subject => test(subject) === !isNegated,
    isFailed: subject => test(subject) === isNegated
  }
}

/** The two readings of a value: `100` may be a number or a text, `[100]` a list of either. */
interface Literal {
  readonly typed: Value
  readonly text: Value
}

/** A quoted text, or one up to a comma or a bracket. */
const ITEM = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^,[\]"']*))\s*/y

/** The value in a text, or the reason why there is none. */
function parseValue(text: string): Literal | string {
  if (text === '') return 'expected a value after the operator; "" is the empty text'
  const isInList = text.startsWith('[')
  if (!isInList && !/^["']/.test(text)) return plainLiteral(text)
  if (isInList && !text.endsWith(']')) return 'the bracket is not closed'
  const inside = isInList ? text.slice(1, -1) : text
  const items: Literal[] = []
  for (let at = 0; inside.trim() !== '' && at <= inside.length; at = ITEM.lastIndex + 1) {
    ITEM.lastIndex = at
    const [, double, single, plain = ''] = ITEM.exec(inside) ?? []
    const next = inside.charAt(ITEM.lastIndex)
    if (plain === '' && /["']/.test(next)) return `the quote ${next} is not closed`
    if (next !== '' && !(next === ',' && isInList)) return 'unexpected text after the value'
    const quoted = double?.replace(/\\(.)/gs, '$1') ?? single
    items.push(quoted === undefined ? plainLiteral(plain.trim()) : { typed: quoted, text: quoted })
    if (next === '') break
  }
  const [first] = items
  if (!isInList && first !== undefined) return first
  return { typed: items.map(({ typed }) => typed), text: items.map(({ text }) => text) }
}

const words: ReadonlyMap<string, Value> = new Map([
  ['true', true],
  ['false', false],
  ['null', null]
])

function plainLiteral(text: string): Literal {
  const number = /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined
  return { typed: number ?? words.get(text) ?? (words.has(text) ? null : text), text }
}

/** False for a value that the field can never have, because its schema allows other types only. */
function fits({ known, types }: Field, value: Value): boolean {
  if (!known || types.size === 0 || isEmpty(value)) return true
  if (isList(value)) return types.has('array')
  if (typeof value === 'number') return types.has('number') || types.has('integer')
  return types.has(typeof value)
}

function isNumeric({ types }: Field): boolean {
  return types.has('number') || types.has('integer')
}

function expectedBy(schema: Field): string {
  if (isNumeric(schema)) return 'a number'
  return schema.types.has('boolean') ? 'true or false' : 'a single value'
}

function isEqual(field: NamedField, wanted: readonly Value[]): Test {
  const { schema } = field
  const areEqual = (value: Value, to: Value): boolean => {
    if (holdsSecret(value)) return false
    if (isList(to)) return agrees(schema, value, to)
    const elements = elementsOf(schema, value)
    return elements === undefined
      ? agrees(schema, value, to)
      : elements.some(element => agrees(schema.item(), element, to))
  }
  return subject => valuesOf(subject, field).some(value => wanted.some(to => areEqual(value, to)))
}

/** The elements of a list, which may be a text with commas; undefined for a single value. */
function elementsOf({ compare }: Field, value: Value): readonly Value[] | undefined {
  if (isList(value)) return value
  return compare === 'comma-list' && typeof value === 'string' ? value.split(/\s*,\s*/) : undefined
}

function isLike(field: NamedField, glob: string): Test {
  const matches = (value: Value): boolean => {
    if (isList(value)) return value.some(matches)
    return (
      ['string', 'number', 'boolean'].includes(typeof value) && matchesGlob(String(value), glob)
    )
  }
  return subject => valuesOf(subject, field).some(matches)
}

function isWithin(field: NamedField, operator: string, bound: number): Test {
  const isIn = (value: Value): boolean => {
    const number = asNumber(value)
    if (typeof number !== 'number') return false
    if (number === bound) return operator.endsWith('=')
    return number < bound === operator.startsWith('<')
  }
  return subject =>
    valuesOf(subject, field).some(value =>
      (elementsOf(field.schema, value) ?? [value]).some(each => isIn(each))
    )
}

/** The existence of a secret is unknown where the service may hide it. */
function isSet(field: NamedField): Test {
  return subject => {
    if (valuesOf(subject, field).some(value => value !== false && !isUnset(value))) return true
    return field.schema.holdsSecret && subject.hidesSecrets === true ? undefined : false
  }
}

/** The first field or value that neither schema nor WLANs know: the service may have its own. */
export function problemIn(
  conditions: readonly Condition[],
  subjects: readonly Subject[]
): Problem | undefined {
  const unknown = unknownField(
    conditions.map(({ field }) => field),
    subjects
  )
  return unknown ?? conditions.map(each => unknownValue(each, subjects)).find(each => each)
}

function unknownValue(
  { text, field, wanted, isNegated, isMet }: Condition,
  subjects: readonly Subject[]
): Problem | undefined {
  const choices = [...(field.schema.choices ?? [])].filter(each => typeof each === 'string')
  const isChoice = (value: Value) =>
    choices.some(each => each.toLowerCase() === String(value).toLowerCase())
  const strange = wanted.flat().find(each => !isEmpty(each) && !isChoice(each))
  if (choices.length === 0 || strange === undefined) return undefined
  if (subjects.some(subject => isMet(subject) === !isNegated)) return undefined
  const problem = `${field.name} has no value ${quote(String(strange))}`
  const item = field.schema.item()
  const [meant] = valueCalled(item.known ? item : field.schema, String(strange))
  return invalid(
    text,
    problem,
    meant === undefined ? `one of ${choices.join(', ')}` : `did you mean ${meant}?`
  )
}

import type { Explanation, FieldExplanation, RuleExplanation } from '../model/explanation.ts'
import { conditionAt, conditionNames } from '../schema/condition.ts'
import {
  type DocumentedField,
  describeCondition,
  describeFacts,
  describeImpact,
  describeType,
  documentedFields,
  fieldNames
} from '../schema/documentation.ts'
import type { Field } from '../schema/field.ts'
import { fieldsCalled, nearest } from '../schema/nearest.ts'
import { fieldName, steps } from '../values/pointer.ts'
import { explainRule, lintRules } from './catalogue.ts'

/**
 * Explains a rule by its id, a field by its name (`auth.psk`, `auth_servers[0].host`) or its pointer (`/auth/psk`), or a
 * condition of the schema. Undefined for an unknown topic.
 */
export function explain(topic: string): Explanation | undefined {
  const rule = explainRule(topic)
  if (rule !== undefined) return { kind: 'rule', rule }
  const field = fieldNamed(topic)
  if (field !== undefined) return { kind: 'field', field: explainField(field) }
  const isCondition = conditionNames.includes(topic) && fieldsCalled([topic]).length === 0
  if (!isCondition) return undefined
  const meaning = `a condition on the fields of a WLAN: ${describeCondition(conditionAt(topic), plain)}`
  return { kind: 'term', term: { names: [topic], meaning } }
}

export function explainRules(): RuleExplanation[] {
  return lintRules.flatMap(({ id }) => explainRule(id) ?? [])
}

export function explainableTopics(): string[] {
  return [...lintRules.map(({ id }) => id), ...fieldNames()]
}

/** The topic that another word stands for, or that is closest to a misspelled one; `words` are more topics. */
export function nearestTopic(topic: string, words: readonly string[] = []): string | undefined {
  const [meant] = fieldsCalled(stepsOf(topic))
  return meant ?? nearest(stepsOf(topic).join('.'), [...explainableTopics(), ...words])
}

/** The topics that contain a word of a misspelled one, those with most of its words first. */
export function similarTopics(topic: string): string[] {
  const words = new Set(wordsOf(topic).filter(({ length }) => length > 2))
  return explainableTopics()
    .map(name => ({ name, shared: [...words].filter(word => wordsOf(name).includes(word)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .map(({ name }) => name)
}

function wordsOf(topic: string): string[] {
  return topic.toLowerCase().split(/[^a-z0-9]+/)
}

function stepsOf(name: string): string[] {
  const path = name.startsWith('/') ? steps(name) : name.replaceAll(/\[\d*\]/g, '').split('.')
  return path.filter(step => step !== '')
}

/** Exact names come before keys of maps, and a number is a key before it is an index. */
function fieldNamed(topic: string): DocumentedField | undefined {
  const named = documentedFields()
    .flat()
    .map(field => ({ field, path: stepsOf(field.path) }))
  const wanted = stepsOf(topic)
  const withoutIndexes = wanted.filter(step => !/^\d+$/.test(step))
  for (const path of [wanted, withoutIndexes]) {
    const text = path.join('.')
    const found =
      named.find(each => each.path.join('.') === text) ??
      named.find(each => path.length > 0 && isEntry(each.path, path))
    if (found !== undefined) return found.field
  }
  return undefined
}

function isEntry(path: readonly string[], wanted: readonly string[]): boolean {
  return (
    path.length === wanted.length &&
    path.every((step, at) => step === '{key}' || step === wanted[at])
  )
}

const plain = (word: string) => (word.startsWith('/') ? fieldName(word) : word)

/** The impact of a field, or of the fields below it: those of `schedule.hours` are of its days. */
function impactOf({ path, field }: DocumentedField): readonly string[] {
  const impactsOf = (field: Field) => describeImpact(field, plain, name => name)
  const own = impactsOf(field)
  if (own.length > 0) return own
  const isBelow = (name: string) => name.startsWith(`${path}.`) || name.startsWith(`${path}[`)
  const below = documentedFields()
    .flat()
    .find(other => isBelow(other.path) && impactsOf(other.field).length > 0)
  return below === undefined ? [] : [`that of its members, such as ${below.path}`]
}

function explainField(documented: DocumentedField): FieldExplanation {
  const { path, field, node } = documented
  return {
    field: path,
    description: node.description ?? '',
    type: describeType(node, plain),
    defaultValue: node.default,
    impact: impactOf(documented),
    guard: field.guard === true,
    secret: field.secret,
    readOnly: field.readOnly,
    notes: describeFacts(field, plain),
    rules: lintRules
      .filter(({ fields }) => fields.some(pointer => isOneBelow(steps(pointer), stepsOf(path))))
      .map(({ id, severity, message }) => ({ id, severity, title: message }))
  }
}

function isOneBelow(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.every((step, at) => step === long[at] || long[at] === '{key}')
}

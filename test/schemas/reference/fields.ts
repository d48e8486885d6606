import { dangerKinds } from '../../../src/core/model/danger.ts'
import { conditionAt, conditionNames } from '../../../src/core/schema/condition.ts'
import {
  type DocumentedField,
  describeCondition,
  describeFacts,
  describeImpact,
  describeType,
  documentedFields
} from '../../../src/core/schema/documentation.ts'
import { steps } from '../../../src/core/values/pointer.ts'
import { dangerWords } from '../../../src/report/overview/danger-words.ts'
import { fieldExample } from './example.ts'
import { code, head, inline, links, sentence, table, yaml } from './markdown.ts'

/** `schemas/fields.md`: the fields of a WLAN. */
export function fieldsPage(): string {
  const groups = documentedFields()
  const names = groups.map(([first]) => first?.path ?? '')
  return `${head(
    'Fields of a WLAN',
    '`wlan.schema.json`',
    "The service's own names, unchanged, each with what a change of it does to people."
  )}
${links(names)}

[How to read an entry](#how-to-read-an-entry) · [Conditions](#conditions) · [Dangers](#dangers)

## How to read an entry

- **Default:** the service's value where the field is absent. wlanctl never sends a default that is not declared.
- **Impact:** the effect of a change on clients, in the [words](README.md#words) of plans. A change may have several. A [condition](#conditions) is that of the WLAN after the change. Nothing has an impact on a WLAN that is disabled, or in a block whose \`enabled\` is false.
- **Guard:** the field decides whether the network is safe and on the air: \`import\` writes it, default or not, and \`validate\` and \`drift\` count
  those that are not declared.
- **Notes:** *secret*: declare a reference, the value is never shown. *read-only*: managed by the service, cannot be declared.
  *volatile*: wlanctl drops the value where it reads a record.
  *equal values*: values that differ as text and are no change; otherwise values are compared as JSON.
  *in use if*: the [condition](#conditions), or the switch that must be on, for the field to have an effect. *security*: values from the least to the most secure; a change to the left is a
  [downgrade](findings.md#downgrade); a notice does not block. *weakened by*: other changes that are a downgrade. *danger*: the
  [danger](#dangers) if an edit of the live field keeps clients out or weakens the security.
- \`a[]\` is an element of a list, \`a.{key}\` an entry of a map with free keys.

${groups.map(section).join('\n\n')}

## Conditions

When a field is in use: only then its change has an impact or is a downgrade, and \`import\` writes it. A value that the schema does not know may use every
field. A switch alone must be on; a list of bands meets a condition with one of its values.

${table(
  ['condition', 'is met with'],
  conditionNames.map(name => [code(name), describeCondition(conditionAt(name), named, code)])
)}

## Dangers

\`drift\` reports dangerous edits of live WLANs first, the worst at the top. In JSON, \`dangers\` has the kind and the edited field.

${table(
  ['danger', 'the live network'],
  dangerKinds.map(kind => [code(kind), dangerWords[kind].verbs.drift.trim()])
)}
`
}

function section(group: readonly DocumentedField[]): string {
  const [first, ...members] = group
  if (first === undefined) throw new Error('a field without a name')
  const { path, field, node } = first
  const about = node.description === undefined ? '' : `${sentence(node.description)}\n\n`
  const example = field.readOnly ? '' : `\n\n${yaml({ [path]: fieldExample(first) })}`
  const below =
    members.length === 0
      ? ''
      : `\n\n${table(['field', 'type', 'default', 'impact', 'guard', 'notes', 'description', 'example'], members.map(row))}`
  return `### ${path}\n\n${about}${facts(first)}${example}${below}`
}

function facts({ field, node }: DocumentedField): string {
  const lines: readonly (readonly [string, string])[] = [
    ['Type', describeType(node, code)],
    ['Default', defaultOf(node.default)],
    ['Impact', describeImpact(field, named, code).join('; ')],
    ['Guard', field.guard ? 'yes' : ''],
    ['Notes', notesOf(field)]
  ]
  return lines.flatMap(([name, text]) => (text === '' ? [] : `- **${name}:** ${text}`)).join('\n')
}

function row(documented: DocumentedField): string[] {
  const { path, field, node } = documented
  const name = path.replace(/.*\./, '').replace('{key}', 'key').replace('[]', '')
  return [
    code(path),
    describeType(node, code),
    defaultOf(node.default),
    describeImpact(field, named, code).join('; '),
    field.guard ? 'yes' : '',
    notesOf(field),
    node.description ?? '',
    field.readOnly ? '' : inline(name, fieldExample(documented))
  ]
}

/** A pointer as the name of its field; other words unchanged. */
const named = (word: string) => code(word.startsWith('/') ? steps(word).join('.') : word)

const defaultOf = (value: unknown) => (value === undefined ? '' : code(JSON.stringify(value)))

function notesOf(field: DocumentedField['field']): string {
  const known = describeFacts(field, named, code).map(([name, text]) => `*${name}*: ${text}`)
  const notes = [field.secret && '*secret*', field.readOnly && '*read-only*', ...known]
  return notes.filter(note => note !== false).join('; ')
}

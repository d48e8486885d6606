import { explainRules } from '../../src/core/lint/explain.ts'
import { dangerKinds } from '../../src/core/model/danger.ts'
import type { RuleExplanation } from '../../src/core/model/explanation.ts'
import { type Finding, type FindingCode, finding } from '../../src/core/model/finding.ts'
import { conditionAt, conditionNames } from '../../src/core/schema/condition.ts'
import {
  type DocumentedField,
  type DocumentedNode,
  describeCondition,
  describeFacts,
  describeImpact,
  describeType,
  documentedFields,
  resolveNode
} from '../../src/core/schema/documentation.ts'
import type { Field } from '../../src/core/schema/field.ts'
import { steps } from '../../src/core/values/pointer.ts'
import { dangerTexts } from '../../src/report/danger.ts'
import { fixes, samples } from './finding-samples.ts'
import { readSchema } from './schemas.ts'

type Definitions = DocumentedNode & { readonly $defs?: Readonly<Record<string, DocumentedNode>> }

const fleet = readSchema('fleet.schema.json') as Definitions

/**
 * `schemas/README.md`, generated from the schemas, the rules of the linter and the messages of the findings.
 */
export function reference(): string {
  return `# Reference

Generated from the schemas of this folder and from the rules in \`src/core/lint/rules/\` and from the messages in \`src/core/model/messages/\` by \`npm run reference\`. Do not edit it.

[Files of a fleet](#files-of-a-fleet) · [Policy](#policy) · [Fields of a WLAN](#fields-of-a-wlan) · [Conditions](#conditions) · [Dangers](#dangers) · [Lint rules](#lint-rules) · [Findings](#findings)

## Files of a fleet

${propertyTable(fleet)}

### Keys of a site

${propertyTable(definition('site'))}

### Keys of a group

${propertyTable(definition('group'))}

### Keys of a WLAN

${propertyTable(definition('wlan'))}

Every other key is a [field of the service](#fields-of-a-wlan).

### Keys of an override

${propertyTable(definition('override'))}

Every other key is a [field of the service](#fields-of-a-wlan).

### Keys of a profile

${propertyTable(definition('profile'))}

Every other key is a [field of the service](#fields-of-a-wlan).

### Values

Instead of a plain value, a field takes one of these. \`$env\` and \`$file\` are allowed in secret fields only.

${table(['key', 'description'], valueKeys())}

## Policy

${propertyTable(definition('policy'))}

### Waves of \`policy.rollout\`

${definition('wave').description}

### Rules of \`policy.rules\`

${propertyTable(definition('rule'))}

Keywords of \`when\` and \`require\`: ${Object.keys(definition('ruleKeywords').properties ?? {})
    .map(code)
    .join(', ')}.

## Fields of a WLAN

- **Default:** the service's value where the field is absent. wlanctl never sends a default that is not declared.
- **Impact:** the effect of a change on clients, rising. *guest-login*: connected clients stay, new guests may be unable to log in; *reconnect*: all
  disconnect and come back; *some*: some clients stay out; *outage*: all or most stay out. A change may have several. *risk*: a server decides anew, and may
  refuse everybody. *resets the radio*: other WLANs of the access points drop for seconds. A [condition](#conditions) is that of the WLAN after the change. Nothing has an impact on a WLAN that is disabled, or in a block whose \`enabled\` is false.
- **Guard:** the field decides whether the network is safe and on the air: \`import\` writes it, default or not, and \`plan\` and \`drift\` count
  those that are not declared.
- **Notes:** *secret*: declare a reference, the value is never shown. *read-only*: managed by the service, cannot be declared.
  *volatile*: wlanctl drops the value where it reads a record.
  *compared as*: when two values are equal (\`set\`: in any order; \`loose\`: \`143\` and \`"143"\`; \`ignore-case\`; \`comma-list\`: \`"10,20"\`
  and \`[10, 20]\`; \`whole\`: the map as one value); otherwise as JSON.
  *in use if*: the [condition](#conditions), or the switch that must be on, for the field to have an effect. *security*: values from the least to the most secure; a change to the left is a
  [downgrade](#downgrade); a notice does not block. *weakened by*: other changes that are a downgrade. *danger*: the
  [danger](#dangers) if an edit of the live field keeps clients out or weakens the security.
- \`a[]\` is an element of a list, \`a.{key}\` an entry of a map with free keys.

${fieldSections()}

## Conditions

When a field is in use: only then its change has an impact or is a downgrade, and \`import\` writes it. A value that the schema does not know may use every
field. A switch alone must be on; a list of bands meets a condition with one of its values.

${table(
  ['condition', 'is met with'],
  conditionNames.map(name => [code(name), describeCondition(conditionAt(name), code, code)])
)}

## Dangers

\`drift\` reports dangerous edits of live WLANs first, the worst at the top. In JSON, \`dangers\` has the kind and the edited field.

${table(
  ['danger', 'meaning'],
  dangerKinds.map(kind => [code(kind), dangerTexts[kind]])
)}

## Lint rules

Conditions over fields, WLANs and sites, from \`src/core/lint/rules/\`; \`wlanctl explain RULE\` prints one of them. The scope is the WLAN, its change,
the site or the fleet that a rule judges. A value that is not known breaks no rule.

${table(
  ['rule', 'level', 'scope', 'problem'],
  explainRules().map(({ id, severity, scope, title }) => [
    `[${id}](#${id})`,
    severity,
    scope,
    title
  ])
)}

${explainRules().map(ruleSection).join('\n\n')}

## Findings

Each finding has a code, a level, a message, and usually a hint. The messages here have sample details.

${findingSections()}
`
}

function definition(name: string): DocumentedNode {
  const found = fleet.$defs?.[name]
  if (found === undefined) throw new Error(`no ${name} in the schema of a fleet`)
  return found
}

function propertyTable(node: DocumentedNode): string {
  const rows = Object.entries(node.properties ?? {}).map(([name, property]) => {
    const { description = '', default: usual } = resolveNode(property, fleet)
    return [code(name), describeType(property, code, fleet), defaultOf(usual), description]
  })
  return table(['key', 'type', 'default', 'description'], rows)
}

function valueKeys(): string[][] {
  const described = ['variable', 'reference', 'secretReference'].flatMap(name => {
    const { description, properties = {} } = definition(name)
    return Object.entries(properties).map(([key, property]) => [
      code(key),
      resolveNode(property, fleet).description ?? description ?? ''
    ])
  })
  if (description('variable') !== '') described.unshift([code('$var'), description('variable')])
  return [...new Map(described.map(row => [row[0], row])).values()]
}

const description = (name: string) => definition(name).description ?? ''

const defaultOf = (value: unknown) => (value === undefined ? '' : code(JSON.stringify(value)))

/** A table of the plain fields, and one for each field that has members. */
function fieldSections(): string {
  const fields = documentedFields().map(group => group.map(fieldRow))
  const plain = fields.filter(rows => rows.length === 1).flat()
  const nested = fields.filter(rows => rows.length > 1)
  const head = ['field', 'type', 'default', 'impact', 'guard', 'notes', 'description']
  return [
    table(head, plain),
    ...nested.map(rows => `### ${(rows[0]?.[0] ?? '').replaceAll('`', '')}\n\n${table(head, rows)}`)
  ].join('\n\n')
}

function fieldRow({ path, field, node }: DocumentedField): string[] {
  return [
    code(path),
    describeType(node, code),
    defaultOf(node.default),
    describeImpact(field, code, code),
    field.guard ? 'yes' : '',
    notesOf(field),
    node.description ?? ''
  ]
}

function notesOf(field: Field): string {
  const facts = describeFacts(field, code, code).map(([name, text]) => `*${name}*: ${text}`)
  const notes = [field.secret && '*secret*', field.readOnly && '*read-only*', ...facts]
  return notes.filter(note => note !== false).join('; ')
}

/** A section per rule, for links. */
function ruleSection(rule: RuleExplanation): string {
  const { id, severity, title, why, condition, advice, source, falseAlarms, fields } = rule
  return [
    `### ${id}\n`,
    `${sentence(title)} (${severity}) ${sentence(why)}\n`,
    `- Condition: ${condition}`,
    `- Advice: ${advice}`,
    `- Fields: ${fields.map(pointer => code(steps(pointer).join('.'))).join(', ')}`,
    `- Source: ${source}`,
    `- False alarms: ${falseAlarms}`
  ].join('\n')
}

const sentence = (text: string) => `${text.replace(/^[a-z]/, first => first.toUpperCase())}.`

/** A section per code, for links and for a search by heading. */
function findingSections(): string {
  return Object.keys(samples).sort().map(findingSection).join('\n\n')
}

function findingSection(name: string): string {
  const key = name as FindingCode
  const [details] = samples[key]
  const make = finding as (code: FindingCode, where: object, ...details: unknown[]) => Finding
  const { level, message, hint } = make(key, {}, ...details)
  const fix = fixes[key] ?? hint?.replace(/^[a-z]/, first => first.toUpperCase())
  if (fix === undefined)
    throw new Error(`${name} has no hint: it needs a fix in finding-samples.ts`)
  return `### ${name}\n\n- Message (${level}): ${span(message)}\n- Fix: ${fix.replace(/[^.?!]$/, '$&.')}`
}

const code = (text: string) => `\`${text}\``

/** A text as a code span, whatever it contains. */
function span(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : code(text)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

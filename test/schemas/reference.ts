import { type Finding, type FindingCode, finding } from '../../src/model/finding.ts'
import { type Direction, type Field, type Switch, wlanField } from '../../src/schema/field.ts'
import { fixes, samples } from './finding-samples.ts'
import { readSchema } from './schemas.ts'

/** The keywords of JSON Schema that the reference shows. */
interface Node {
  readonly $ref?: string
  readonly description?: string
  readonly title?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Node[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | boolean
  readonly items?: Node
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly default?: unknown
  readonly deprecated?: boolean
  readonly $defs?: Readonly<Record<string, Node>>
}

const fleet = readSchema('fleet.schema.json') as Node
const wlan = readSchema('wlan.schema.json') as Node

/** `schemas/README.md`, made from the schemas and from the messages of the findings. */
export function reference(): string {
  return `# Reference

Generated from the schemas of this folder and from the messages in \`src/model/messages/\` by \`npm run reference\`. Do not edit it.

[Files of a fleet](#files-of-a-fleet) · [Policy](#policy) · [Fields of a WLAN](#fields-of-a-wlan) · [Findings](#findings)

## Files of a fleet

${propertyTable(fleet)}

### Keys of a site

${propertyTable(definition('site'))}

### Keys of a WLAN

${propertyTable(definition('wlan'))}

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
- **Impact:** the effect of a change on clients, rising. *guest-login*: connected clients stay, new guests may be unable to log in; *some*: some clients
  stay out; *reconnect*: all disconnect and come back; *outage*: all or most stay out. *risk*: all clients may stay out. *resets the radio*: other WLANs of
  the access points drop for seconds. Nothing has an impact on a WLAN that is disabled, or in a block whose \`enabled\` is false.
- **Guard:** the field decides whether the network is safe and on the air: \`import\` writes it, default or not, and \`plan\` and \`drift\` count
  those that are not declared.
- **Notes:** *secret*: declare a reference, the value is never shown. *read-only*: managed by the service, cannot be declared.
  *volatile*: a signed address that differs in each response; wlanctl drops it where it reads a record.
  *compare*: when two values are equal (\`set\`: in any order; \`loose\`: \`143\` and \`"143"\`; \`ignore-case\`; \`comma-list\`: \`"10,20"\`
  and \`[10, 20]\`; \`whole\`: the map as one value); otherwise as JSON. *key*: the member that identifies an element of the list.
  *only if*: what else must be set for the field to have an effect. *safer*: values from the least to the most secure; a change to the left is a
  [downgrade](#downgrade), \`high\` unless another level is given; a notice does not block.
- \`a[]\` is an element of a list, \`a.{key}\` an entry of a map with free keys.

${fieldSections()}

## Findings

Each finding has a code, a level, a message, and usually a hint. The messages here have sample details.

${findingSections()}
`
}

function definition(name: string): Node {
  const found = fleet.$defs?.[name]
  if (found === undefined) throw new Error(`no ${name} in the schema of a fleet`)
  return found
}

/** A node with its references resolved; what it says itself overrides the definition. */
function resolve(node: Node, root: Node): Node {
  if (node.$ref === undefined) return node
  let target: unknown = root
  for (const step of node.$ref.split('/').slice(1)) {
    target = (target as Readonly<Record<string, unknown>>)[step]
  }
  const { $ref, ...own } = node
  return { ...resolve(target as Node, root), ...own }
}

function propertyTable(node: Node): string {
  const rows = Object.entries(node.properties ?? {}).map(([name, property]) => {
    const { description = '', default: usual } = resolve(property, fleet)
    return [code(name), typeOf(property, fleet), defaultOf(usual), description]
  })
  return table(['key', 'type', 'default', 'description'], rows)
}

function valueKeys(): string[][] {
  const described = ['variable', 'reference', 'secretReference'].flatMap(name => {
    const { description, properties = {} } = definition(name)
    return Object.entries(properties).map(([key, property]) => [
      code(key),
      resolve(property, fleet).description ?? description ?? ''
    ])
  })
  if (description('variable') !== '') described.unshift([code('$var'), description('variable')])
  return [...new Map(described.map(row => [row[0], row])).values()]
}

const description = (name: string) => definition(name).description ?? ''

/** The type of a value with its range, in words. */
function typeOf(node: Node, root: Node): string {
  const { type, anyOf, ...rest } = resolve(node, root)
  if (rest.enum !== undefined) return rest.enum.map(value => code(JSON.stringify(value))).join(', ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(each => typeOf(each, root)))].join('; or ')
  const types = typeof type === 'string' ? [type] : (type ?? ['any'])
  return types.map(name => typeName(name, rest, root)).join(' or ')
}

function typeName(type: string, node: Node, root: Node): string {
  switch (type) {
    case 'integer':
    case 'number':
      return withRange(type, node)
    case 'string':
      if (node.title !== undefined) return node.title
      return node.maxLength === undefined
        ? 'string'
        : `string, at most ${node.maxLength} characters`
    case 'array':
      return `list of ${plainTypeOf(node.items ?? {}, root)}${node.maxItems === undefined ? '' : `, at most ${node.maxItems}`}`
    case 'object':
      return node.properties === undefined && node.additionalProperties !== undefined
        ? 'map'
        : 'object'
    default:
      return type
  }
}

/** The type of an element, in brackets where it needs them. */
function plainTypeOf(node: Node, root: Node): string {
  const { type, properties } = resolve(node, root)
  if (type === 'object' && properties !== undefined) return 'objects'
  const text = typeOf(node, root)
  return /, |;/.test(text) ? `(${text})` : text
}

function withRange(type: string, { minimum, maximum }: Node): string {
  if (minimum === undefined && maximum === undefined) return type
  if (maximum === undefined) return `${type}, at least ${minimum}`
  return minimum === undefined ? `${type}, at most ${maximum}` : `${type}, ${minimum} to ${maximum}`
}

const defaultOf = (value: unknown) => (value === undefined ? '' : code(JSON.stringify(value)))

/** A table of the plain fields, and one for each field that has members. */
function fieldSections(): string {
  const fields = Object.entries(wlan.properties ?? {}).map(([name, node]) =>
    rowsOf(name, node, wlanField.member(name))
  )
  const plain = fields.filter(rows => rows.length === 1).flat()
  const nested = fields.filter(rows => rows.length > 1)
  const head = ['field', 'type', 'default', 'impact', 'guard', 'notes', 'description']
  return [
    table(head, plain),
    ...nested.map(rows => `### ${(rows[0]?.[0] ?? '').replaceAll('`', '')}\n\n${table(head, rows)}`)
  ].join('\n\n')
}

/** The rows of a field and of all members and elements below it. */
function rowsOf(path: string, node: Node, field: Field): string[][] {
  const resolved = resolve(node, wlan)
  const { properties = {}, items } = resolved
  const additionalProperties = [resolved, ...(resolved.anyOf ?? [])]
    .map(each => resolve(each, wlan).additionalProperties)
    .find(each => typeof each === 'object')
  const row = [
    code(path),
    typeOf(node, wlan),
    defaultOf(resolved.default),
    impactOf(field),
    field.guard ? 'yes' : '',
    notesOf(field),
    resolved.description ?? ''
  ]
  const below = Object.entries(properties).flatMap(([name, member]) =>
    rowsOf(`${path}.${name}`, member, field.member(name))
  )
  const entries =
    typeof additionalProperties === 'object'
      ? rowsOf(`${path}.{key}`, additionalProperties, field.member('{key}'))
      : []
  const elements = items === undefined ? [] : rowsOf(`${path}[]`, items, field.item())
  return [
    row,
    ...below,
    ...entries,
    ...(hasMembers(items) ? elements.slice(1) : noteworthy(elements))
  ]
}

const hasMembers = (node: Node | undefined) =>
  node !== undefined && resolve(node, wlan).properties !== undefined

/** Rows of plain elements whose notes or impact are not those of the list. */
const noteworthy = (rows: readonly string[][]) => rows.filter(row => row[4] !== '' || row[5] !== '')

function impactOf(field: Field): string {
  const { impact, impactWhen, authenticationRisk, resetsRadioWhen } = field
  const directions = [impactWhen ?? []].flat().map(directionText).join(' or ')
  const parts = [
    impact && `${impact}${directions === '' ? '' : `, if ${directions}`}`,
    authenticationRisk && 'risk',
    resetsRadioWhen && `resets the radio, if ${directionText(resetsRadioWhen)}`
  ]
  return parts.filter(part => part).join('; ')
}

function directionText(direction: Direction): string {
  switch (direction) {
    case 'true':
    case 'false':
      return `set to ${code(direction)}`
    case 'removed':
      return 'an element is removed (an empty list means all)'
    case 'added':
      return 'an element is added (an empty list means all)'
    default:
      return direction.startsWith('to ') ? `set to ${code(direction.slice(3))}` : direction
  }
}

function notesOf(field: Field): string {
  const notes = [
    field.secret && '*secret*',
    field.readOnly && '*read-only*',
    field.volatile && '*volatile*',
    field.deprecated && '*deprecated*',
    field.unit && `in ${field.unit}`,
    field.compare && `*compare*: ${code(field.compare)}`,
    field.key && `*key*: ${code(field.key)}`,
    field.onlyIf && `*only if*: ${switchText(field.onlyIf)}`,
    field.notIf && `*not if*: ${[field.notIf].flat().map(switchText).join('; or ')}`,
    field.safer &&
      `*safer*${field.level === undefined ? '' : ` (${field.level})`}: ${rankingOf(field.safer)}`
  ]
  return notes.filter(note => note !== false && note !== undefined && note !== '').join('; ')
}

function switchText(needed: Switch): string {
  if (typeof needed === 'string') return code(needed)
  const parts = Object.entries(needed).map(
    ([pointer, values]) =>
      `${code(pointer)} ${values.map(value => code(String(value))).join(' or ')}`
  )
  return parts.join(' and ')
}

const rankingOf = (ranking: NonNullable<Field['safer']>) =>
  ranking
    .map(value =>
      [value]
        .flat()
        .map(each => code(String(each)))
        .join(' = ')
    )
    .join(' < ')

/** A section for each code, so that it can be linked and is found by a search for its heading. */
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

/** A text as a code span, whatever it holds. */
function span(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : code(text)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

import { describeType, resolveNode } from '../../../src/core/schema/documentation.ts'
import type { SchemaNode } from '../../../src/core/schema/field.ts'
import { readSchema } from '../schemas.ts'
import { exampleOf } from './example.ts'
import { code, head, inline, links, table } from './markdown.ts'

type Definitions = SchemaNode & { readonly $defs?: Readonly<Record<string, SchemaNode>> }

const fleet = readSchema('fleet.schema.json') as Definitions

const fieldsBelow = '\n\nEvery other key is a [field of the service](fields.md).'

/** The tables of keys by heading, each with the node whose members they are, and a text below. */
const tables: readonly (readonly [heading: string, node: SchemaNode, below?: string])[] = [
  ['Keys of a file', fleet],
  ['Keys of a site', definition('site')],
  ['Keys of a group', definition('group')],
  ['Keys of a WLAN', definition('wlan'), fieldsBelow],
  ['Keys of an override', definition('override'), fieldsBelow],
  ['Keys of a profile', definition('profile'), fieldsBelow],
  ['Keys of match', definition('match')],
  ['Keys of a test', definition('test')],
  ['Keys of tested WLANs', definition('test').properties?.['wlans'] ?? {}],
  ['Keys of an exception', definition('exception')]
]

const policyTables: typeof tables = [
  ['Keys of the policy', definition('policy')],
  ['Keys of a rollout', definition('policy').properties?.['rollout']?.anyOf?.[1] ?? {}],
  ['Keys of lint', definition('policy').properties?.['lint'] ?? {}],
  ['Keys of a window', definition('window')],
  ['Keys of a freeze', definition('freeze')],
  ['Keys of a rule', definition('rule'), `\n\n${keywords()}`],
  ['Keys of a waiver', definition('policy').properties?.['waivers']?.items ?? {}]
]

/** `schemas/files.md`: the keys that are not fields of the service. */
export function filesPage(): string {
  const every = [...tables, ...policyTables]
  const section = ([heading, node, below = '']: (typeof tables)[number]) =>
    `## ${heading}\n\n${propertyTable(node)}${below}`
  return `${head(
    'Files of a fleet',
    '`fleet.schema.json`',
    'Every key of a file that is not a field of the service, with its type, its default and an example.'
  )}
${table(
  ['section', 'keys'],
  [
    ...every.map(([heading, node]) => [links([heading]), namesOf(node)]),
    [
      links(['Values']),
      valueKeys()
        .map(([key]) => key)
        .join(', ')
    ]
  ]
)}

${every.map(section).join('\n\n')}

## Values

Instead of a plain value, a field takes one of these. \`$env\` and \`$file\` are allowed in secret fields only.

${table(['key', 'description', 'example'], valueKeys())}
`
}

const namesOf = ({ properties = {} }: SchemaNode) => Object.keys(properties).map(code).join(', ')

function definition(name: string): SchemaNode {
  const found = fleet.$defs?.[name]
  if (found === undefined) throw new Error(`no ${name} in the schema of a fleet`)
  return found
}

function propertyTable(node: SchemaNode): string {
  const rows = Object.entries(node.properties ?? {}).map(([name, property]) => {
    const { description = '', default: usual } = resolveNode(property, fleet)
    return [
      code(name),
      describeType(property, code, fleet),
      usual === undefined ? '' : code(JSON.stringify(usual)),
      description,
      inline(name, exampleOf(property, fleet))
    ]
  })
  return table(['key', 'type', 'default', 'description', 'example'], rows)
}

/** The keys of a reference in place of a value, each with an example. */
function valueKeys(): string[][] {
  const described = ['reference', 'secretReference'].flatMap(name =>
    Object.entries(definition(name).properties ?? {}).map(([key, property]) => [
      code(key),
      resolveNode(property, fleet).description ?? '',
      referenceWith(key, exampleOf(property, fleet))
    ])
  )
  return [...new Map(described.map(row => [row[0], row])).values()]
}

/** A field with a reference that has this key. */
function referenceWith(key: string, value: unknown): string {
  const psk = { $env: exampleOf(definition('secretReference').properties?.['$env'] ?? {}, fleet) }
  switch (key) {
    case '$format':
      return inline('ssid', { [key]: value })
    case '$env':
    case '$file':
      return inline('psk', { [key]: value })
    case '$version':
      return inline('psk', { ...psk, [key]: value })
    case '$default':
      return inline('vlan_id', { $var: exampleOf(definition('variable'), fleet), [key]: value })
    default:
      return inline('vlan_id', { [key]: value })
  }
}

function keywords(): string {
  const names = Object.keys(definition('ruleKeywords').properties ?? {})
  return `Keywords of \`when\` and \`require\`: ${names.map(code).join(', ')}.`
}

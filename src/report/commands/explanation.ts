import { dangerKinds } from '../../core/model/danger.ts'
import type {
  Explanation,
  FieldExplanation,
  FindingExplanation,
  RuleExplanation,
  TermExplanation,
  WlanExplanation
} from '../../core/model/explanation.ts'
import { compact } from '../../core/values/collections.ts'
import { fieldNames } from '../../core/values/pointer.ts'
import { formatLocation, plural } from '../../core/values/text.ts'
import { escapeText, jsonText } from '../escape.ts'
import { nameOfSource } from '../fields/field-changes.ts'
import { formatField, formatValue } from '../fields/format-value.ts'
import { formatTable, styleOf, wrapText } from '../layout.ts'
import { dangerWords } from '../overview/danger-words.ts'
import type { RenderOptions } from '../report.ts'

/** The result of `explain` as text. All of it comes from tables of the program, so nothing is escaped. */
export function explanationText(explanation: Explanation, options: RenderOptions): string {
  return `${linesOf(explanation, options).join('\n')}\n`
}

export function explanationJson(explanation: Explanation): string {
  return jsonText(explanationData(explanation))
}

function linesOf(explanation: Explanation, options: RenderOptions): string[] {
  switch (explanation.kind) {
    case 'term':
      return termLines(explanation.term, options)
    case 'rule':
      return ruleLines(explanation.rule, options)
    case 'field':
      return fieldLines(explanation.field, options)
    case 'finding':
      return findingLines(explanation.finding, options)
    case 'rules':
      return [
        ...rows(explanation.rules, options),
        '',
        ...wrapText(
          `${plural(explanation.rules.length, 'rule')}; explain one with \`wlanctl explain RULE\``,
          options.width
        )
      ]
    case 'wlan':
      return wlanLines(explanation.wlan, options)
  }
}

function ruleLines(rule: RuleExplanation, options: RenderOptions): string[] {
  const { id, severity, scope, title, why, condition, advice, source, falseAlarms } = rule
  const { strong } = styleOf(options)
  const facts = [
    ['why', why],
    ['condition', condition],
    ['advice', advice],
    ['fields', fieldNames(rule.fields)],
    ['source', source],
    ['known false positives', falseAlarms]
  ]
  return blockOf(`${strong(id)}  ${severity}, about a ${scope}`, [title], facts, options)
}

function termLines({ names, meaning }: TermExplanation, options: RenderOptions): string[] {
  const [word = '', ...others] = names
  const also = others.length === 0 ? '' : `, also: ${others.join(', ')}`
  return blockOf(styleOf(options).strong(word) + also, [meaning], [], options)
}

function findingLines({ code, level, sample, fix }: FindingExplanation, options: RenderOptions) {
  const head = `${styleOf(options).strong(code)}  ${level}`
  const facts = fix === undefined ? [] : [['fix', fix]]
  return blockOf(
    head,
    sample.split('\n').map(line => line.trim()),
    facts,
    options
  )
}

/** A heading, paragraphs and a table of facts. */
function blockOf(
  head: string,
  paragraphs: readonly string[],
  facts: readonly (readonly string[])[],
  { width }: RenderOptions
): string[] {
  const blocks = [
    paragraphs.flatMap(text => wrapText(text, width, '  ')),
    formatTable(facts, width)
  ].filter(lines => lines.length > 0)
  return [head, ...blocks.flatMap(lines => ['', ...lines])]
}

function fieldLines(field: FieldExplanation, options: RenderOptions): string[] {
  const { strong } = styleOf(options)
  const { defaultValue, description, rules } = field
  const facts = [
    ['type', field.type],
    ['default', defaultValue === undefined ? 'not documented' : JSON.stringify(defaultValue)],
    ...(field.impact.length === 0 ? ['none'] : field.impact).map((effect, at) => [
      at === 0 ? 'impact' : '',
      effect
    ]),
    [
      'guard',
      field.guard ? 'yes: the field decides whether the network is safe and on the air' : 'no'
    ],
    ['secret', field.secret ? 'yes: declare a reference, the value is never shown' : 'no'],
    ...(field.readOnly ? [['read-only', 'yes: it cannot be declared']] : []),
    ...field.notes.map(([name, text]) => [name, name === 'danger' ? inWords(text) : text])
  ]
  return [
    ...blockOf(strong(field.field), description === '' ? [] : [description], facts, options),
    '',
    ...(rules.length === 0
      ? ['No lint rule is about it.']
      : ['Lint rules', ...rows(rules, options)])
  ]
}

function inWords(names: string): string {
  return dangerKinds
    .flatMap(kind =>
      names.split(', ').includes(kind) ? `the network${dangerWords[kind].verbs.drift}` : []
    )
    .join('; ')
}

/**
 * A line for each field with one source, then the others with the values that theirs hides:
 *
 *     hq/guest  sites/stores.yaml:12:3
 *
 *       ssid   "Guest"  sites/stores.yaml:13:11  WLAN
 *       bands  ["5"]    profiles.yaml:4:12       profile "guest-base"
 *
 *     vlan_id  41
 *       value      stores.yaml:4:25   41                      variable vlan of the site
 *       reference  profiles.yaml:3:5  { $var: vlan }          profile "guest-base"
 *       hidden     groups.yaml:2:20   40                      variable vlan of the group "south"
 */
function wlanLines({ address, place, fields }: WlanExplanation, options: RenderOptions): string[] {
  const { width } = options
  const { strong, faint } = styleOf(options)
  const all = fields.map(({ pointer, value, sources }) => {
    const name = strong(formatField(pointer))
    const shown = value === undefined ? 'not declared' : formatValue(value)
    const rows = sources.map(source => {
      const given = source.value === undefined ? '' : formatValue(source.value)
      const at = escapeText(formatLocation(source.place))
      return { role: source.role, at, given, source: nameOfSource(source) }
    })
    const [only, ...others] = rows
    const line =
      others.length === 0 && only?.given === shown && ([name, shown, only.at, only.source] as const)
    return { name, shown, rows, line }
  })
  const plain = all.flatMap(({ line }) => (line ? [line] : []))
  const aligned = formatTable(plain, width)
  // A terminal that is too narrow for the table has two lines for each field.
  const lines =
    aligned.length === plain.length
      ? aligned
      : plain.flatMap(([name, shown, at, source]) => [
          ...wrapText(`${name}  ${shown}`, width, '  ', '    '),
          ...wrapText(`${at}  ${source}`, width, '    ')
        ])
  const blocks = all.flatMap(({ name, shown, rows, line }) => {
    if (line) return []
    const table = rows.map(({ role, at, given, source }) => [role, at, given, source])
    return ['', ...wrapText(`${name}  ${shown}`, width, '', '  '), ...formatTable(table, width)]
  })
  const head = `${strong(escapeText(address))}  ${faint(escapeText(formatLocation(place)))}`
  return [
    ...wrapText(head, width, '', '  '),
    ...(lines.length > 0 ? ['', ...lines] : []),
    ...blocks
  ]
}

function rows(rules: FieldExplanation['rules'], { width }: RenderOptions): string[] {
  return formatTable(
    rules.map(({ severity, id, title }) => [id, severity, title]),
    width
  )
}

function explanationData(explanation: Explanation): unknown {
  const format = 'wlanctl-explanation/1'
  switch (explanation.kind) {
    case 'term':
      return { format, term: explanation.term }
    case 'rule':
      return { format, rule: ruleData(explanation.rule) }
    case 'field':
      return { format, field: fieldData(explanation.field) }
    case 'finding':
      return { format, finding: explanation.finding }
    case 'rules':
      return { format, rules: explanation.rules.map(ruleData) }
    case 'wlan':
      return { format, wlan: wlanData(explanation.wlan) }
  }
}

function wlanData({ address, place, fields }: WlanExplanation): unknown {
  return {
    address,
    ...place,
    fields: fields.map(({ pointer, value, sources }) => ({
      pointer,
      ...compact({ value }),
      sources: sources.map(({ place: at, ...source }) => ({ ...source, ...at }))
    }))
  }
}

function ruleData({ falseAlarms, ...rule }: RuleExplanation): unknown {
  return { ...rule, false_alarms: falseAlarms }
}

function fieldData(explained: FieldExplanation): unknown {
  const { field, defaultValue, readOnly, notes, rules, impact, ...facts } = explained
  return {
    name: field,
    ...facts,
    impact: impact.join('; '),
    read_only: readOnly,
    ...compact({ default: defaultValue }),
    notes: Object.fromEntries(notes),
    rules
  }
}

/** A pattern in untrusted text that must not reach a reader or a machine unchanged. */
interface EscapeRule {
  readonly what: string
  /** Matches the one character to escape. */
  readonly character: RegExp
  /** The sinks in which it has an effect. */
  readonly targets: readonly EscapeTarget[]
}

/**
 * A sink of untrusted text.
 *
 * | sink     | meaning                                                                             |
 * |----------|-------------------------------------------------------------------------------------|
 * | `line`   | the beginning of a line on a terminal or in a log                                   |
 * | `inside` | the middle of such a line                                                           |
 * | `json`   | a complete JSON document, which a log may show and a program must read unchanged    |
 * | `code`   | a code span in a cell of a Markdown table                                           |
 * | `data`   | the message of a GitHub workflow command                                            |
 * | `property` | a property of such a command, e.g. its file                                       |
 * | `markup` | the text of an HTML element, or an attribute in double quotes                       |
 * | `script` | a complete JSON document in an HTML script element                                  |
 */
export type EscapeTarget =
  | 'line'
  | 'inside'
  | 'json'
  | 'code'
  | 'data'
  | 'property'
  | 'markup'
  | 'script'

const lines: readonly EscapeTarget[] = ['line', 'inside', 'code', 'data', 'property', 'markup']
const everywhere: readonly EscapeTarget[] = [...lines, 'json', 'script']

/**
 * All escape rules with their sinks. Sinks differ only in their rows of this list, and in how they write a
 * character, see `notations`.
 */
export const escapeRules: readonly EscapeRule[] = [
  { what: 'line breaks and tabs', character: /[\t\n]/, targets: lines },
  { what: 'other control characters: ANSI', character: /(?![\t\n])\p{Cc}/u, targets: everywhere },
  { what: 'format characters: bidi, zero-width', character: /\p{Cf}/u, targets: everywhere },
  { what: 'line and paragraph separators', character: /[\p{Zl}\p{Zp}]/u, targets: everywhere },
  { what: 'halves of surrogate pairs', character: /\p{Cs}/u, targets: everywhere },
  { what: 'private use and unassigned', character: /[\p{Co}\p{Cn}]/u, targets: everywhere },
  {
    what: 'what has no width: fillers, selectors',
    character: /\p{Default_Ignorable_Code_Point}/u,
    targets: everywhere
  },
  // CI runners execute `##[group]`, `##vso[…]` and similar commands anywhere in a line …
  { what: '##command of a CI runner', character: /(?<=#)#(?=\w*\[)/, targets: everywhere },
  // … and `::error::` after leading blanks. In the middle of a line it may be an IPv6 address. The
  // pattern matches blanks backward from the colon: forward from each blank takes quadratic time.
  { what: '::command::', character: /:(?=:)(?<=^\s*:)/, targets: ['line'] },
  // wlanctl finds its own comment by a marker, so untrusted text must not contain one.
  { what: 'a comment of HTML', character: /<(?=!--)/, targets: ['code'] },
  // In a cell, `\|` is a literal pipe; after another `\`, parsers differ.
  { what: 'a pipe behind a backslash', character: /(?<=\\)\|/, targets: ['code'] },
  // GitHub's parser (cmark-gfm, MAXBACKTICKS) supports fences of at most 80 backticks.
  { what: 'backticks in a long run', character: /(?<=`{8})`/, targets: ['code'] },
  // The end tag of a script element, and a comment inside it, start with `<`.
  { what: 'the sign that opens a tag', character: /</, targets: ['script', 'markup'] },
  { what: 'what else means something in HTML', character: /[&>"]/, targets: ['markup'] },
  { what: 'the percent sign', character: /%/, targets: ['data', 'property'] },
  { what: 'colon and comma', character: /[:,]/, targets: ['property'] }
]

/** The notation of a sink for a character that it must not show. */
const notations: Readonly<Record<EscapeTarget, (character: string) => string>> = {
  line: visibly,
  inside: visibly,
  json: asJson,
  code: visibly,
  data: asPercent,
  property: asPercent,
  markup: asEntity,
  script: asJson
}

const escapes = {
  line: escapeOf('line'),
  inside: escapeOf('inside'),
  json: escapeOf('json'),
  code: escapeOf('code'),
  data: escapeOf('data'),
  property: escapeOf('property'),
  markup: escapeOf('markup'),
  script: escapeOf('script')
}

/** Escapes untrusted text at the beginning of a line. Escaped text stays unchanged. */
export function escapeText(text: string): string {
  return escapes.line(text)
}

/** Escapes untrusted text within a line. */
export function escapeInside(text: string): string {
  return escapes.inside(text)
}

/** Escapes a JSON document from `JSON.stringify`; parsing the result gives the same document. */
export function escapeJson(document: string): string {
  return escapes.json(document)
}

/** Escapes untrusted text for a code span; `codeSpan` in `markdown/cells.ts` adds the backticks. */
export function escapeCode(text: string): string {
  return escapes.code(text)
}

/** Escapes untrusted text for the message of a workflow command. */
export function escapeData(text: string): string {
  return escapes.data(text)
}

/** Escapes untrusted text for a property of a workflow command. */
export function escapeProperty(text: string): string {
  return escapes.property(text)
}

/** Escapes untrusted text for an HTML element, or an attribute in double quotes. */
export function escapeMarkup(text: string): string {
  return escapes.markup(text)
}

/** Escapes a JSON document for an HTML script element; parsing the result gives the same document. */
export function escapeScript(document: string): string {
  return escapes.script(document)
}

/** Texts that no sink escapes. Most names are such, and testing one takes a third of the time of a pattern of a sink. */
const HARMLESS = /^[\w ./@()+-]*$/

/** Compiles the pattern at the first use of a sink: its Unicode classes are slow to compile. */
function escapeOf(sink: EscapeTarget): (text: string) => string {
  let any: RegExp | undefined
  return text => {
    if (HARMLESS.test(text)) return text
    any ??= dangersIn(sink)
    return text.replace(any, notations[sink])
  }
}

function dangersIn(sink: EscapeTarget): RegExp {
  const rows = escapeRules.filter(({ targets: sinks }) => sinks.includes(sink))
  return new RegExp(rows.map(({ character }) => character.source).join('|'), 'gu')
}

/** A visible escape: `\n`, `\u{202e}`. */
function visibly(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** The percent-encoding that GitHub's runner decodes, or a visible escape for other characters. */
function asPercent(character: string): string {
  const code = { '%': '%25', ':': '%3A', ',': '%2C' }[character]
  return code ?? visibly(character)
}

/** An HTML entity, or a visible escape for other characters. */
function asEntity(character: string): string {
  const entity = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }[character]
  return entity ?? visibly(character)
}

/** A JSON escape for each half of a surrogate pair. */
function asJson(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}

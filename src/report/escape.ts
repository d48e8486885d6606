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
 * | `lines`  | assembled lines of a terminal or a log, with the colours of wlanctl                 |
 * | `prose`  | assembled Markdown of one line, outside of its code spans                           |
 *
 * Untrusted text is escaped where it is put into a line or a code span. The last two sinks are the writers
 * that every report passes: text that was forgotten there has no effect either.
 */
export type EscapeTarget =
  | 'line'
  | 'inside'
  | 'json'
  | 'code'
  | 'data'
  | 'property'
  | 'markup'
  | 'lines'
  | 'prose'

const oneLine = ['line', 'inside', 'code', 'data', 'property', 'markup'] as const
const everywhere = [...oneLine, 'json', 'lines', 'prose'] as const

/**
 * All escape rules with their sinks. Sinks differ only in their rows of this list, and in how they write a
 * character, see `escapeOf`.
 */
export const escapeRules: readonly EscapeRule[] = [
  { what: 'line breaks and tabs', character: /[\t\n]/, targets: [...oneLine, 'prose'] },
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
  { what: '::command::', character: /:(?=:)(?<=^\s*:)/, targets: ['line', 'lines'] },
  // wlanctl finds its own comment by a marker, so untrusted text must not contain one.
  { what: 'a comment of HTML', character: /<(?=!--)/, targets: ['code'] },
  // In a cell, `\|` is a literal pipe; after another `\`, parsers differ.
  { what: 'a pipe behind a backslash', character: /(?<=\\)\|/, targets: ['code'] },
  // GitHub's parser (cmark-gfm, MAXBACKTICKS) supports fences of at most 80 backticks.
  { what: 'backticks in a long run', character: /(?<=`{8})`/, targets: ['code'] },
  { what: 'the sign that opens a tag', character: /</, targets: ['markup'] },
  { what: 'what else means something in HTML', character: /[&>"]/, targets: ['markup'] },
  { what: 'the percent sign', character: /%/, targets: ['data', 'property'] },
  { what: 'colon and comma', character: /[:,]/, targets: ['property'] },
  {
    what: 'a tag that no page has',
    character: /<(?!\/?(?:b|br|details|sub|summary)>|details open>|(?<=^<)!-- wlanctl:\S* -->$)/,
    targets: ['prose']
  },
  { what: 'a mention', character: /@/, targets: ['prose'] },
  { what: 'an image', character: /!(?=\[)/, targets: ['prose'] },
  // The text of a link of wlanctl is a code span, which ends right before it.
  { what: 'a link', character: /(?<!^)\](?=\()/, targets: ['prose'] },
  { what: 'an address', character: /(?<!^\]\(https?):(?=\/\/)/, targets: ['prose'] },
  { what: 'an issue', character: /#(?=\d)/, targets: ['prose'] }
]

/** Escapes untrusted text at the beginning of a line. Escaped text stays unchanged. */
export const escapeText = escapeOf('line', visibly)

export const escapeInside = escapeOf('inside', visibly)

/** Escapes a JSON document from `JSON.stringify`; parsing the result gives the same document. */
export const escapeJson = escapeOf('json', asJson)

export function jsonText(data: unknown): string {
  return `${escapeJson(JSON.stringify(data, null, 2))}\n`
}

/** Escapes untrusted text for a code span; `codeSpan` in `render/markdown.ts` adds the backticks. */
export const escapeCode = escapeOf('code', visibly)

export const escapeData = escapeOf('data', asPercent)

export const escapeProperty = escapeOf('property', asPercent)

export const escapeMarkup = escapeOf('markup', asEntity)

const escapeLine = escapeOf('lines', visibly)
const escapeOutside = escapeOf('prose', visibly)

/** The colours of `styleOf` in `layout.ts`: bold, faint, red, green, yellow, and their ends. */
const COLOURS = /(\u001b\[(?:1|2|22|31|32|33|39)m)/

/**
 * Escapes assembled lines for a terminal or a log: only their line breaks, and the colours of wlanctl, have an
 * effect.
 */
export function escapeLines(text: string): string {
  return text
    .split('\n')
    .map(line => {
      const [first = '', ...others] = line.split(COLOURS)
      const shown = others.map((part, at) => (at % 2 === 0 ? part : escapeInside(part)))
      return [escapeLine(first), ...shown].join('')
    })
    .join('\n')
}

/** A code span of Markdown: a run of backticks, up to the next run of the same length. */
const CODE_SPAN = /((?<!`)(?<run>`+)(?!`).+?(?<!`)\k<run>(?!`))/

/** Escapes assembled Markdown of one line: outside of code spans, only the tags and links of a page have an effect. */
export function escapeProse(markdown: string): string {
  if (HARMLESS.test(markdown)) return markdown
  return markdown
    .split(CODE_SPAN)
    .map((part, at) => (at % 3 === 0 ? escapeOutside(part) : at % 3 === 1 ? part : ''))
    .join('')
}

/** Texts that no sink escapes. Most names are such, and testing one takes a third of the time of a pattern of a sink. */
const HARMLESS = /^[\w ./()+-]*$/

/** Compiles the pattern at the first use of a sink: its Unicode classes are slow to compile. */
function escapeOf(
  sink: EscapeTarget,
  notation: (character: string) => string
): (text: string) => string {
  let any: RegExp | undefined
  return text => {
    if (HARMLESS.test(text)) return text
    any ??= dangersIn(sink)
    return text.replace(any, notation)
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

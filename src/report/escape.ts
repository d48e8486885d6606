/**
 * Characters that would do something to a terminal or a log instead of showing: control characters,
 * format characters (bidi, zero-width), line and paragraph separators, private use, unassigned ones
 * and lone surrogates.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Text from outside, for a terminal or a log. Unprintable characters show as `\u{…}`, and the two
 * ways of speaking to a CI runner are broken: `##[` anywhere, and `::` at the start of a line.
 */
export function escapeText(text: string): string {
  return text
    .replace(UNPRINTABLE, escapeCharacter)
    .replaceAll('##[', '#\\u{23}[')
    .replace(/^(\s*):(?=:)/, '$1\\u{3a}')
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

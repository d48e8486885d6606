/**
 * Characters that would do something to a terminal or a log instead of showing: control characters,
 * format characters (bidi, zero-width), line and paragraph separators, private use, unassigned ones,
 * lone surrogates, and whatever else has no width by default.
 */
export const UNPRINTABLE =
  /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** The `##` of `##[group]`, `##vso[…]` and their like: CI runners obey them anywhere in a line. */
export const COMMAND = /##(?=\w*\[)/g

/**
 * Text from outside that begins a line, for a terminal or a log. Unprintable characters show as
 * `\u{…}`, and the two ways of speaking to a CI runner are broken: `##[` anywhere, and `::` at the
 * start of a line. What is escaped already stays as it is.
 */
export function escapeText(text: string): string {
  return escapeInside(text).replace(/^(\s*):(?=:)/, '$1\\u{3a}')
}

/** Text from outside that stands within a line, where `::` is harmless and may be an address. */
export function escapeInside(text: string): string {
  return text.replace(UNPRINTABLE, escapeCharacter).replace(COMMAND, '#\\u{23}')
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

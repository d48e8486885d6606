/**
 * Texts that every reader of YAML takes for themselves without quotes, also between brackets: words
 * that begin with a letter, addresses of IPv4, ids, plain URLs, `11r`, and the
 * words that speak to wlanctl. What else might be a number, a
 * date, a flag or syntax to some reader is quoted.
 */
const PLAIN: readonly RegExp[] = [
  /^[\p{L}_][\p{L}\p{M}\p{N}_.+@/()-]*(?: [\p{L}\p{M}\p{N}_.+@/()&-]+)*$/u,
  /^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$/,
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  /^https?:\/\/[\w.~/%+@=-]+$/,
  /^[1-9]\d*[a-df-z][a-z]*$/i,
  /^\$[a-z]+$/
]

/** The commonest of them. */
const WORD = /^[A-Za-z][A-Za-z0-9_-]*$/

/** Words that one version of YAML or another takes for a flag or for nothing. */
const RESERVED = /^(?:null|true|false|yes|no|on|off|y|n|e\d+)$/i

/**
 * What nobody sees, or sees in another place than it stands: control and format characters, odd
 * blanks, halves of surrogate pairs, and what is not assigned.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

/** What a block of lines may hold: the text itself, whatever it looks like. */
const BLOCK_TEXT =
  /^(?! |\n)(?:[\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?(?:\n(?:[\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?)*$/u

const NAMED_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A text as a scalar on one line: plain where that is safe, else in double quotes. */
export function textScalar(text: string): string {
  return isPlainScalarText(text) ? text : doubleQuoted(text)
}

/** True for a text that needs no quotes, be it a key or a value, in a list or a map. */
export function isPlainScalarText(text: string): boolean {
  if (WORD.test(text)) return !RESERVED.test(text)
  if (RESERVED.test(text) || !PLAIN.some(pattern => pattern.test(text))) return false
  return /^[ -~]*$/.test(text) || text.search(INVISIBLE) === -1
}

/** The lines of a text that reads better as a block (`|`); undefined for one that is none. */
export function blockScalar(
  text: string
): { readonly head: string; readonly lines: string[] } | undefined {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  if (!body.includes('\n') || body.endsWith('\n') || !BLOCK_TEXT.test(body)) return undefined
  if (body.replaceAll('\n', '').search(INVISIBLE) !== -1) return undefined
  return { head: body === text ? '|-' : '|', lines: body.split('\n') }
}

/**
 * A text as a scalar on one line that is quoted as another one is, where its characters allow it.
 */
export function scalarQuotedAs(text: string, quote: '"' | "'" | undefined): string {
  if (quote === '"') return doubleQuoted(text)
  if (quote === "'" && text.search(INVISIBLE) === -1) return `'${text.replaceAll("'", "''")}'`
  return textScalar(text)
}

function doubleQuoted(text: string): string {
  const inner = text.replace(/["\\]/g, '\\$&').replace(INVISIBLE, escapeCharacter)
  return `"${inner}"`
}

function escapeCharacter(character: string): string {
  const named = NAMED_ESCAPES[character]
  if (named !== undefined) return named
  const point = (character.codePointAt(0) ?? 0).toString(16)
  return point.length > 4 ? `\\U${point.padStart(8, '0')}` : `\\u${point.padStart(4, '0')}`
}

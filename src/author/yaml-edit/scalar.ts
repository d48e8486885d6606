/**
 * Strings that every YAML parser reads as strings without quotes, also in flow collections: words that start
 * with a letter, IPv4 addresses, ids, plain URLs, `11r`, and `$` keys. Any other string might be a number, a
 * date, a boolean or syntax for some parser, and is quoted.
 */
const PLAIN: readonly RegExp[] = [
  /^[\p{L}_][\p{L}\p{M}\p{N}_.+@/()-]*(?: [\p{L}\p{M}\p{N}_.+@/()&-]+)*$/u,
  /^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$/,
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  /^https?:\/\/[\w.~/%+@=-]+$/,
  /^[1-9]\d*[a-df-z][a-z]*$/i,
  /^\$[a-z]+$/
]

/** The most frequent of them. */
const WORD = /^[A-Za-z][A-Za-z0-9_-]*$/

/** Words that some version of YAML reads as a boolean, null or a number without digits, such as `e-0`. */
const RESERVED = /^(?:null|true|false|yes|no|on|off|y|n|e[-+]?\d+)$/i

/**
 * Invisible and reordering characters: control and format characters, unusual spaces, lone surrogates, and
 * unassigned code points.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

const BLOCK_TEXT =
  /^(?! |\n)(?:[\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?(?:\n(?:[\p{L}\p{M}\p{N}\p{P}\p{S} ]*[\p{L}\p{M}\p{N}\p{P}\p{S}])?)*$/u

const NAMED_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A string as a scalar on one line: plain if that is safe, otherwise in double quotes. */
export function textScalar(text: string): string {
  return isPlainScalarText(text) ? text : doubleQuoted(text)
}

/** True for a text that needs no quotes, as a key or a value, in block or flow style. */
export function isPlainScalarText(text: string): boolean {
  if (WORD.test(text)) return !RESERVED.test(text)
  if (RESERVED.test(text) || !PLAIN.some(pattern => pattern.test(text))) return false
  return /^[ -~]*$/.test(text) || text.search(INVISIBLE) === -1
}

/** The header and lines of a multi-line text as a block scalar (`|`); undefined for any other text. */
export function blockScalar(
  text: string
): { readonly head: string; readonly lines: string[] } | undefined {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  if (!body.includes('\n') || body.endsWith('\n') || !BLOCK_TEXT.test(body)) return undefined
  if (body.replaceAll('\n', '').search(INVISIBLE) !== -1) return undefined
  return { head: body === text ? '|-' : '|', lines: body.split('\n') }
}

/** A string as a scalar on one line in the given quotes, if its characters allow that. */
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

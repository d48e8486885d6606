import { holdsServiceVariable } from './secret.ts'

/** Control, format, unassigned, private and surrogate characters, line and paragraph separators. */
const UNFIT = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u

/** The UTF-16 code units of a name, which every address and message about a WLAN repeats. */
const MAX_NAME_LENGTH = 200

/** The zero-width joiner: the one invisible character that an SSID may have. */
export const JOINER = '\u200d'

/** The bytes of an SSID in UTF-8 (IEEE 802.11). */
const SSID_BYTES = 32

/** The reason why a text is not a valid site name, WLAN key or SSID, as a predicate; undefined if it is valid. */
export function nameProblem(text: string): string | undefined {
  if (text === '') return 'is empty'
  if (text.length > MAX_NAME_LENGTH) return `has more than ${MAX_NAME_LENGTH} characters`
  const unfit = UNFIT.exec(text)?.[0]
  if (unfit === undefined) return undefined
  return `contains the invisible or unassigned character ${codePoint(unfit)}`
}

export function hasOuterBlank(text: string): boolean {
  return text.trim() !== text
}

/** Extends `nameProblem` by the limit of bytes, which cannot hold for a text with variables. */
export function ssidProblem(ssid: string): string | undefined {
  const bytes = new TextEncoder().encode(ssid).length
  if (bytes > SSID_BYTES && !holdsServiceVariable(ssid))
    return `has ${bytes} bytes of UTF-8, and the limit is ${SSID_BYTES}`
  // Composite emoji contain joiners.
  return nameProblem(ssid === JOINER ? ssid : ssid.replaceAll(JOINER, ''))
}

function codePoint(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}

/** What SSIDs that differ in numbers alone have in common: `Tills *` of `Tills 7`. */
export function ssidPattern(ssid: string): string {
  return ssid.replace(/\d+/g, '*')
}

/** Letters of other scripts, and digits, above the Latin letters that they look like in most fonts. */
const [lookalike, latin] = [
  '01I|АВЕКМНОРСТХаеорсухіΑΒΕΗΙΚΜΝΟΡΤΥΧΖον',
  'OlllABEKMHOPCTXaeopcyxiABEHlKMNOPTYXZov'
]
const glyphs = new Map([...lookalike].map((letter, place) => [letter, latin[place]]))

/** The SSID with look-alike letters replaced: equal for SSIDs that people cannot distinguish. */
export function skeletonOf(ssid: string): string {
  return [...ssid.normalize('NFKC')].map(letter => glyphs.get(letter) ?? letter).join('')
}

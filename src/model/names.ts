/**
 * Characters that have no place in a name: control, format, unassigned, private use, surrogate,
 * and the line and paragraph separators (Unicode Cc, Cf, Cn, Co, Cs, Zl, Zp).
 */
const UNFIT = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u

/** UTF-16 code units of a name: it stands in the address of every WLAN, and in whatever is said of it. */
const LONGEST_NAME = 200

/** What an SSID may hold: 1 to 32 bytes of UTF-8 (IEEE 802.11). */
const SSID_BYTES = 32

/** Says what is wrong with a site name, a WLAN key or an SSID; undefined if nothing is. */
export function nameProblem(text: string): string | undefined {
  if (text === '') return 'it is empty'
  if (text.length > LONGEST_NAME) return `it has more than ${LONGEST_NAME} characters`
  const unfit = UNFIT.exec(text)?.[0]
  if (unfit === undefined) return undefined
  return `it holds the invisible or unassigned character ${codePoint(unfit)}`
}

/** Says what is wrong with an SSID; undefined if nothing is. The limit counts bytes, not letters. */
export function ssidProblem(ssid: string): string | undefined {
  const bytes = new TextEncoder().encode(ssid).length
  if (bytes > SSID_BYTES) return `it takes ${bytes} bytes of UTF-8, and 32 are the most`
  return nameProblem(ssid)
}

/** True for a WPA pre-shared key: 8 to 63 printable ASCII characters, or 64 hexadecimal digits. */
export function isPsk(psk: string): boolean {
  return /^[\x20-\x7e]{8,63}$/.test(psk) || /^[0-9a-f]{64}$/i.test(psk)
}

/** The service's ids: plain UUIDs, anchored at both ends, in either case; no `urn:uuid:`. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True for an id that may be part of a request path. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text)
}

/** True if both are the same id; ids are compared without regard to case. */
export function sameId(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}

function codePoint(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}

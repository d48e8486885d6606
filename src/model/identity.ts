/** The service's ids: plain UUIDs, anchored at both ends, in either case; no `urn:uuid:`. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True for an id that may enter a request path. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text)
}

/** True if both are the same id; ids are compared without regard to case. */
export function sameId(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}

/**
 * Orders two strings by UTF-16 code unit: the same everywhere, whatever the locale of the machine.
 * Everything wlanctl sorts, it sorts with this.
 */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** `n` of something, with the noun in the right number: `1 change`, `2 changes`. */
export function plural(n: number, noun: string): string {
  return `${n} ${n === 1 ? noun : `${noun}s`}`
}

/** A number, or its digits, for people, its thousands apart: `1,200`. */
export function formatNumber(number: number | string): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

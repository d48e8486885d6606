/** An id of the service: a plain UUID in either case, anchored at both ends, without `urn:uuid:`. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True for an id that may be part of a request path. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text)
}

export function sameId(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}

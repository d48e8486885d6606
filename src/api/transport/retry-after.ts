/**
 * The seconds a `Retry-After` header asks to wait, undefined if it asks nothing that makes sense:
 * negative, empty, no number and no date. A date is read against the service's own `Date`, so that
 * its clock is never compared with ours; without one it counts as absent.
 */
export function retryAfter(header: string | undefined, date: string | undefined) {
  const text = header?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  const wait = (instant(text) - instant(date ?? '')) / 1000
  return wait >= 0 ? wait : undefined
}

/** The milliseconds of an HTTP date (RFC 9110), NaN for anything else; `Date.parse` takes far more. */
function instant(text: string): number {
  return /^[a-z]{3,9},? .{10,30} GMT$/i.test(text) ? Date.parse(text) : Number.NaN
}

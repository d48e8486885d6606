/** No wait is longer than this: a week. Any `--max-wait` is shorter. */
const LONGEST_WAIT = 7 * 86_400

/**
 * The seconds a `Retry-After` header asks to wait, a week at most; undefined if it asks nothing that makes
 * sense: negative, empty, no number and no date. A date is read against the service's own `Date`, so that
 * its clock is never compared with ours; without one it counts as absent.
 */
export function retryAfter(header: string | undefined, date: string | undefined) {
  const text = header?.trim() ?? ''
  const wait = secondsIn(text) ?? (instant(text) - instant(date ?? '')) / 1000
  return wait >= 0 ? Math.min(wait, LONGEST_WAIT) : undefined
}

function secondsIn(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
}

/** The milliseconds of an HTTP date (RFC 9110), NaN for anything else; `Date.parse` takes far more. */
function instant(text: string): number {
  return /^[a-z]{3,9},? .{10,30} GMT$/i.test(text) ? Date.parse(text) : Number.NaN
}
